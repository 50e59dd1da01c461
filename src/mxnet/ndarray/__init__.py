"""Arrays and the operators on them: `mx.nd`."""

from . import _internal, op
from .arithmetic import (
    add,
    divide,
    equal,
    greater,
    greater_equal,
    lesser,
    lesser_equal,
    logical_and,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    modulo,
    multiply,
    not_equal,
    power,
    subtract,
    true_divide,
)
from .creation import (
    arange,
    array,
    concatenate,
    empty,
    eye,
    full,
    histogram,
    linspace,
    moveaxis,
    onehot_encode,
    ones,
    split_v2,
    waitall,
    zeros,
)
from .interop import from_dlpack, from_numpy, from_torch, to_dlpack_for_read, to_dlpack_for_write
from .ndarray import NDArray
from .op import *  # noqa: F403
