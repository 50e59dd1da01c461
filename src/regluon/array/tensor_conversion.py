"""Convert arrays to tensors, stored records and Python numbers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ..autograd.recording import plain, recorded_input, state
from ..base import MXNetError
from ..dtypes import NAME_OF_TORCH
from ..formats.tensors import Stored
from ..ops.common import contiguous_copy, is_view
from ..runtime.handle import Handle
from ..runtime.invoke import check_writable, enter_graph


def to_stored(tensor: torch.Tensor) -> Stored:
    """The record of a tensor; it views the tensor's memory where that lies in order on the CPU."""
    tensor = tensor.cpu().contiguous()
    bits = tensor.view(torch.uint16) if tensor.dtype is torch.bfloat16 else tensor
    return Stored(NAME_OF_TORCH[tensor.dtype], tuple(tensor.shape), bits.numpy())


def to_tensor(stored: Stored, who: str) -> torch.Tensor:
    """A tensor over the data of a record, or over a copy where torch could not write to them."""
    if stored.is_none:
        raise MXNetError(f"[{who}] the file has an empty place instead of an array; it cannot be loaded.")
    if stored.stype != "default":
        raise MXNetError(f"[{who}] received a {stored.stype} array; expected a dense one: convert it before saving.")
    return _tensor(stored.data, stored.dtype)


def _tensor(data: Any, dtype: str) -> torch.Tensor:
    if not (data.flags.aligned and data.flags.writeable):
        data = np.array(data, order="C")  # torch needs both; a mapped file gives neither trouble in the common case
    tensor = torch.from_numpy(data)
    return tensor.view(torch.bfloat16) if dtype == "bfloat16" else tensor


def stored_sparse(stype: str, values: torch.Tensor, aux: Sequence[torch.Tensor], shape: tuple[int, ...]) -> Stored:
    """The record of a sparse array."""
    packed = to_stored(values)
    indices = tuple(index.cpu().contiguous().numpy() for index in aux)
    return Stored(packed.dtype, shape, packed.data, stype=stype, aux=indices)


def to_parts(stored: Stored) -> tuple[torch.Tensor, tuple[torch.Tensor, ...], tuple[int, ...]]:
    """The stored values, the index arrays and the shape of a sparse record."""
    aux = tuple(_tensor(index, "int64").to(torch.int64) for index in stored.aux)
    return _tensor(stored.data, stored.dtype), aux, tuple(stored.shape)


def torch_function(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """What torch calls in place of a function of its own that was given an array.

    Results are arrays of their own memory, recorded as those of any operator; a function that writes to an array gives
    that array.
    """
    tape = state.tape
    given: list[tuple[Handle, torch.Tensor]] = []

    def tensor_of(array: Handle) -> torch.Tensor:
        given.append((array, plain(array) if tape is None else recorded_input(array, tape)))
        return given[-1][1]

    args, kwargs = _mapped(tensor_of, args, Handle), _mapped(tensor_of, kwargs or {}, Handle)
    if func.__name__.endswith("_") and not func.__name__.endswith("__"):
        check_writable(given[0][0], f"torch.{func.__name__}")
    with torch.set_grad_enabled(tape is not None):
        found = func(*args, **kwargs)
    tensors = [tensor for _, tensor in given]
    first = given[0][0]

    def array_of(tensor: torch.Tensor) -> Any:
        for array, own in given:
            if tensor is own:
                return array
        if is_view(tensor, tensors):
            tensor = contiguous_copy(tensor)
        made = first._result_type(tensor, first._ctx)
        if tape is not None:
            enter_graph(made, tensor, tensors, tape)
        return made

    return _mapped(array_of, found, torch.Tensor)


def _mapped(function: Callable[[Any], Any], value: Any, kind: type) -> Any:
    """The same nesting with a function applied to every value of a kind."""
    if isinstance(value, kind):
        return function(value)
    if isinstance(value, dict):
        return {key: _mapped(function, item, kind) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_mapped(function, item, kind) for item in value)
    if isinstance(value, tuple) and any(isinstance(item, kind) for item in value):
        return tuple(_mapped(function, item, kind) for item in value)  # torch's own named tuples
    return value


class OneElement(np.ndarray):
    """An array with axes and one element, which converts to a number; a plain array in everything else.

    Arithmetic with numbers gives arrays that convert too (`'%f' % (total.asnumpy() / n)`); with other arrays, and
    wherever a result has more elements or no axes, it gives what plain arrays give. Pickles and files are plain.
    """

    # Below plain arrays: what is joined or computed with one is plain.
    __array_priority__ = -1.0

    def __float__(self) -> float:
        return float(self.item()) if self.size == 1 else super().__float__()

    def __int__(self) -> int:
        return int(self.item()) if self.size == 1 else super().__int__()

    def __complex__(self) -> complex:
        return complex(self.item()) if self.size == 1 else super().__complex__()

    def __round__(self, ndigits: int | None = None) -> Any:
        if self.size != 1:
            raise TypeError(f"[round] received an array of shape {self.shape}; expected one element.")
        return round(self.item(), ndigits)

    def __format__(self, format_spec: str) -> str:
        return format(self.item() if format_spec and self.size == 1 else self.view(np.ndarray), format_spec)

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.view(np.ndarray).__reduce_ex__(protocol)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        # The results of universal functions: a number where a plain array would give one.
        return converting(array.view(np.ndarray)) if array.ndim else array[()]


def converting(array: np.ndarray) -> np.ndarray:
    """The array, as one that converts to a number if it has axes and one element."""
    return array.view(OneElement) if array.size == 1 and array.ndim else array
