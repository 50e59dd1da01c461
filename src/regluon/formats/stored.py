"""Arrays as files hold them: what readers return and writers take, without torch."""

import math
import mmap
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..dtype_flags import FLAG_OF_NAME
from ..errors import OpParamError, OpTypeError

Buffer: TypeAlias = bytes | bytearray | memoryview | mmap.mmap
Array: TypeAlias = np.ndarray[Any, Any]
Shape: TypeAlias = tuple[int, ...]

CPU = (1, 0)
STYPE_OF_NUMBER = {0: "default", 1: "row_sparse", 2: "csr"}
NUMBER_OF_STYPE = {name: number for number, name in STYPE_OF_NUMBER.items()}
UNDEFINED = "undefined"
# How many index arrays a storage type has: row numbers; row starts and column numbers.
INDEX_ARRAYS = {"default": 0, "row_sparse": 1, "csr": 2}
INDEX_DTYPES = ("int64", "int32")

# NumPy 1 holds no more, and no operator of MXNet takes more than a handful.
MAX_NDIM = 32
MAX_BYTES = 2**63 - 1
# NumPy has no bfloat16: its bits travel as uint16 and the name is kept beside them.
STORAGE_OF_NAME = {name: np.dtype("uint16" if name == "bfloat16" else name).newbyteorder("<") for name in FLAG_OF_NAME}


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """One array as a file holds it.

    Attributes:
        dtype: MXNet's name of the data type.
        shape: the array's shape; for a sparse array, the shape it stands for.
        data: the values, a view of the buffer they were read from. bfloat16 is held as uint16 bits. For a sparse
            array only the stored values: `(rows, *shape[1:])` for row_sparse, `(count,)` for csr.
        context: (device type, device id) the array was saved from. A record only; reading never acts on it.
        stype: "default", "row_sparse", "csr", or "undefined" for the place of an array that was never made.
        aux: index arrays of a sparse array: (row numbers,) for row_sparse, (row starts, column numbers) for csr.
        np_shape: whether it was saved with NumPy shape semantics, where `()` is a number and not "unknown".
    """

    dtype: str
    shape: Shape
    data: Array
    context: tuple[int, int] = CPU
    stype: str = "default"
    aux: tuple[Array, ...] = ()
    np_shape: bool = False

    @property
    def is_none(self) -> bool:
        """Whether this is only the place of an array: it has no shape, dtype or values."""
        return self.stype == UNDEFINED


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Arrays in file order and their names; no names when a list was saved."""

    arrays: list[Stored]
    names: list[str]


NONE = Stored("float32", (), np.empty(0, np.float32), stype=UNDEFINED)
NP_NONE = Stored("float32", (), np.empty(0, np.float32), stype=UNDEFINED, np_shape=True)


def as_stored(array: Stored | Array, who: str = "nd.save") -> Stored:
    """The record to save for an array; a record is checked to be consistent."""
    if not isinstance(array, Stored):
        # Only packages that add the type to NumPy know this name; their bits are the ones stored.
        bits = array.view(np.uint16) if array.dtype.name == "bfloat16" else array
        return Stored(_saved_dtype(array.dtype.name, who), array.shape, bits)
    if array.is_none:
        return array
    storage = STORAGE_OF_NAME[_saved_dtype(array.dtype, who)]
    if array.data.dtype.newbyteorder("<") != storage:
        raise OpTypeError(f"[{who}] received {array.data.dtype} data for a {array.dtype} array; expected {storage}.")
    if array.stype not in NUMBER_OF_STYPE or len(array.aux) != INDEX_ARRAYS[array.stype]:
        expected = "default with 0, row_sparse with 1 or csr with 2"
        raise OpParamError(
            f"[{who}] received storage type {array.stype!r} with {len(array.aux)} index arrays; expected {expected}."
        )
    if any(index.dtype.name not in INDEX_DTYPES for index in array.aux):
        received = ", ".join(index.dtype.name for index in array.aux)
        raise OpTypeError(f"[{who}] received index arrays of dtype {received}; expected {' or '.join(INDEX_DTYPES)}.")
    if array.stype == "default" and array.data.shape != array.shape:
        raise OpParamError(f"[{who}] received data of shape {array.data.shape}; expected {array.shape}.")
    return array


def is_countable(shape: Shape, itemsize: int) -> bool:
    """Whether NumPy and torch can count the array's bytes, taking lengths of 0 as 1 as they do."""
    return math.prod(length or 1 for length in shape) * itemsize <= MAX_BYTES


def _saved_dtype(name: str, who: str) -> str:
    if name not in FLAG_OF_NAME:
        expected = ", ".join(FLAG_OF_NAME)
        raise OpTypeError(f"[{who}] received an array of dtype {name}; expected one of {expected}. Use `astype` first.")
    return name
