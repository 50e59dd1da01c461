"""The class of `mx.np` arrays: an NDArray with NumPy's rules."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as onp

from ...context import Context
from ...dtypes import default_dtype, torch_dtype
from ...ops.registry import find
from ...runtime.handle import Handle
from ...runtime.invoke import invoke
from ...runtime.repeated import repeatable
from ..dense import NDArray
from .arithmetic import NumpyArithmetic
from .array_repr import array_format, array_repr, array_str
from .indexing import get_item, set_item
from .methods import NumpyMethods
from .official import array_function, array_ufunc

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ndarray"]


class ndarray(NumpyArithmetic, NumpyMethods, NDArray):  # type: ignore[misc]
    """An array that behaves as NumPy's: scalars have no axes, comparisons give bool, mixed dtypes are converted.

    What operators make of such an array is one again. `as_nd_ndarray()` gives an `mx.nd` array over the same memory.
    """

    __slots__ = ()

    __getitem__ = repeatable(get_item)
    __setitem__ = set_item
    __repr__ = array_repr
    __str__ = array_str
    __array_function__ = array_function
    __array_ufunc__ = array_ufunc

    def __format__(self, spec: str) -> str:
        return array_format(self, spec)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the elements."""
        kind = super().dtype
        return kind if kind == "bfloat16" else onp.dtype(kind)

    @property
    def __array__(self) -> Any:
        # NumPy takes what lacks this attribute as an object: a sum over a list of losses is then made of our additions,
        # with their gradients, instead of numbers without. Given alone, an array without axes reaches us by protocol.
        if not self._t.dim():
            raise AttributeError(f"{type(self).__name__!r} object without axes has no attribute '__array__'")
        return super().__array__

    def __bool__(self) -> bool:
        if self.size == 0:
            warnings.warn(
                "[np.ndarray] the truth value of an empty array is ambiguous: False now, an error in the future.",
                DeprecationWarning,
                stacklevel=2,
            )
            return False
        if self.size > 1:
            raise ValueError(
                f"[np.ndarray] the truth value of an array of shape {self.shape} is ambiguous; use x.any() or x.all()."
            )
        return bool(self.item())

    __nonzero__ = __bool__

    def __float__(self) -> float:
        return float(self._only("float"))

    def __int__(self) -> int:
        return int(self._only("int"))

    def _only(self, wanted: str) -> Any:
        if self.size != 1:
            raise TypeError(f"[np.ndarray] only an array of one element becomes a Python {wanted}, not {self.shape}.")
        return self.item()

    def item(self, *args: Any) -> Any:
        """One element as a Python number: the only one, or that at an index."""
        return self.asnumpy().item(*args)

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        return self.asnumpy().tolist()

    def astype(  # type: ignore[override]
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> "Self":
        """A copy with another dtype; the array itself if nothing changes and `copy` is False."""
        if order not in (None, "K", "C") or casting != "unsafe" or not subok:
            raise ValueError(
                "[np.ndarray.astype] only order='K' or 'C', casting='unsafe' and subok=True are available."
            )
        target = torch_dtype(default_dtype(dtype))
        if not copy and target is self._t.dtype:
            return self
        return invoke(find("Cast"), (self,), {"dtype": target})

    def copy(self, order: str = "C") -> "Self":
        """A copy on the same device."""
        if order != "C":
            raise NotImplementedError(f"[np.ndarray.copy] order: received {order!r}; only 'C' is available.")
        return self.copyto(self._ctx)

    def reshape_view(self, *shape: Any, **kwargs: Any) -> "Self":
        """The same memory in another shape, by the rules of `mx.nd`: 0 keeps a length, -2 to -4 are codes."""
        return super(NumpyMethods, self).reshape(*shape, **kwargs)

    def as_in_ctx(self, ctx: Context) -> "Self":
        """The array itself if it is on that device, else a copy there."""
        return self.as_in_context(ctx)

    def as_np_ndarray(self) -> "ndarray":
        """Itself."""
        return self

    def as_nd_ndarray(self) -> NDArray:
        """An `mx.nd` array over the same memory, with the same place in a recorded graph."""
        return self._retyped(NDArray)


ndarray._result_type = ndarray
ndarray.__module__ = "mxnet.numpy"
Handle._numpy_type = ndarray
