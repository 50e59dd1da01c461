"""Arrays without data, to find out shapes: what a computation would give, and which shapes its parameters must have.

Inside `shapes_only()` operators run on torch `meta` tensors. A parameter of unknown shape is an `UnknownArray`; the
first operator that tells the shapes of its learnable inputs from its data (a declared `completes` rule) settles it.
"""

from typing import Any

import numpy as np
import torch

from ..base import MXNetError, numeric_types
from ..config import switches
from ..context import Context
from ..dtypes import numpy_type, torch_dtype
from ..scopes import Setting
from .arithmetic import FORMS, Arithmetic, Forms
from .dense import NDArray
from .handle import Handle
from .invoke import invoke
from .numpy.arithmetic import NumpyArithmetic
from .numpy.array import ndarray as NumpyArray

__all__ = ["UnknownArray", "UnknownNumpyArray", "abstract", "abstract_zeros", "shapes_only"]


_storage: Any = vars(Handle)["_t"]


class MissingDataError(MXNetError, ValueError):
    """Something was to be computed from an array without data."""


class _WithoutData:
    """What arrays without data have in common: outside of `shapes_only()` they tell what they would be, no more."""

    __slots__ = ()

    @property
    def _t(self) -> torch.Tensor:
        if not switches.shapes_only:  # torch would compute with it, and give whatever memory holds
            raise MissingDataError(
                "received an array without data, made while the shapes of parameters were found: a hybrid_forward has "
                "kept what it computed from its inputs. Compute it anew in every call, or give the layers their input "
                "sizes (in_units, in_channels, ...)."
            )
        return self._described

    @_t.setter
    def _t(self, tensor: torch.Tensor) -> None:
        _storage.__set__(self, tensor)

    @property
    def _described(self) -> torch.Tensor:
        """A tensor of its shape and dtype."""
        tensor: torch.Tensor = _storage.__get__(self)
        return tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return tuple(self._described.shape)

    def _spec(self) -> tuple[tuple[int, ...], torch.dtype]:
        return self.shape, self._described.dtype


class AbstractArray(_WithoutData, NDArray):
    """An array without data: it has a shape and a dtype."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The NumPy type of the elements."""
        return numpy_type(self._described.dtype)


class AbstractNumpyArray(_WithoutData, NumpyArray):  # type: ignore[misc]
    """An `mx.np` array without data."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the elements."""
        kind = numpy_type(self._described.dtype)
        return kind if kind == "bfloat16" else np.dtype(kind)


def _told(function: Any, forms: Forms) -> Any:
    """An operation of arrays without data: by the way of operators, where rules tell shapes without torch's help."""

    def method(self: NDArray, other: Any) -> Any:
        if isinstance(other, NDArray):
            return invoke(forms.arrays, (self, other), {})
        if isinstance(other, numeric_types):
            return invoke(forms.scalar, (self,), {"scalar": float(other)})
        return function(self, other)

    return method


for _kind, _arithmetic in ((AbstractArray, Arithmetic), (AbstractNumpyArray, NumpyArithmetic)):
    _kind._result_type = _kind
    for _name, _function in vars(_arithmetic).items():
        if callable(_function) and _function in FORMS:
            setattr(_kind, _name, _told(_function, FORMS[_function]))
NDArray._abstract_type = AbstractArray
NumpyArray._abstract_type = AbstractNumpyArray


class UnknownArray(AbstractArray):
    """Stands for an array whose shape is not known yet; lengths of 0 are unknown ones."""

    __slots__ = ("_settled", "dtype_wanted", "label", "partial_shape")

    def __init__(self, label: str, partial_shape: tuple[int, ...] | None, dtype: Any, context: Context) -> None:
        self.label, self.partial_shape, self.dtype_wanted = label, partial_shape, torch_dtype(dtype)
        self._settled: torch.Tensor | None = None
        super().__init__(None, context)  # type: ignore[arg-type]

    @property
    def is_settled(self) -> bool:
        """Whether the shape has been found."""
        return self._settled is not None

    @property
    def _described(self) -> torch.Tensor:
        if self._settled is None:
            raise MXNetError(f"the shape of {self.label} is unknown, and this operation does not tell it")
        return self._settled

    def settle(self, shape: tuple[int, ...], who: str) -> None:
        """Takes the shape an operator asks for; refuses one that contradicts what is known."""
        known = self.partial_shape
        if known is not None and (
            len(known) != len(shape) or any(a not in (0, -1, b) for a, b in zip(known, shape, strict=True))
        ):
            raise MXNetError(f"[{who}] {self.label} has shape {known}; the data ask for {shape}.")
        self._settled = torch.empty(shape, dtype=self.dtype_wanted, device="meta")


class UnknownNumpyArray(UnknownArray, AbstractNumpyArray):  # type: ignore[misc]
    """Stands for an `mx.np` array whose shape is not known yet."""

    __slots__ = ()


def abstract(array: NDArray) -> NDArray:
    """An array of the same shape, dtype, context and kind without data."""
    tensor = array._t
    kind: Any = array._abstract_type
    made: NDArray = kind(torch.empty(tensor.shape, dtype=tensor.dtype, device="meta"), array._ctx)
    return made


def shapes_only() -> Setting:
    """Inside the block operators compute shapes and dtypes only."""
    return Setting(switches, shapes_only=True)


def abstract_zeros(shape: tuple[int, ...], dtype: Any, context: Context, is_numpy: bool = False) -> NDArray:
    """An array without data of a given shape."""
    kind = AbstractNumpyArray if is_numpy else AbstractArray
    return kind(torch.empty(shape, dtype=torch_dtype(dtype), device="meta"), context)
