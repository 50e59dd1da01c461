"""Methods of `mx.np` arrays that call the function of the same name."""

from typing import TYPE_CHECKING, Any, TypedDict

import regluon.array.numpy.axes as axes_of
import regluon.array.numpy.elementwise as elementwise
import regluon.array.numpy.products as products
import regluon.array.numpy.reduction as reduction
import regluon.array.numpy.search as searching

from ...base import MXNetError, ShapeLike
from ...dtypes import DTypeLike
from .dispatch import expect_c_order

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .array import ndarray


class _Ordered(TypedDict, total=False):
    order: str


class NumpyMethods:
    """What NumPy's arrays can do, as far as MXNet's can.

    `self` is an array, or a symbol that stands for one: it has no type here, so that the functions can say `ndarray`.
    """

    __slots__ = ()

    def all(
        self: Any, axis: ShapeLike | None = None, out: "ndarray | None" = None, keepdims: bool = False
    ) -> "ndarray":
        """Whether all elements along axes are non-zero."""
        return reduction.all(self, axis, keepdims, out)

    def any(
        self: Any, axis: ShapeLike | None = None, out: "ndarray | None" = None, keepdims: bool = False
    ) -> "ndarray":
        """Whether any element along axes is non-zero."""
        return reduction.any(self, axis, keepdims, out)

    def sum(
        self: Any,
        axis: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        out: "ndarray | None" = None,
        keepdims: bool = False,
    ) -> "ndarray":
        """The sum along axes, or of all elements."""
        return reduction.sum(self, axis, dtype, keepdims, None, out)

    def prod(
        self: Any,
        axis: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        out: "ndarray | None" = None,
        keepdims: bool = False,
    ) -> "ndarray":
        """The product along axes, or of all elements."""
        return reduction.prod(self, axis, dtype, out, keepdims)

    def mean(
        self: Any,
        axis: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        out: "ndarray | None" = None,
        keepdims: bool = False,
    ) -> "ndarray":
        """The average along axes, or of all elements."""
        return reduction.mean(self, axis, dtype, out, keepdims)

    def std(
        self: Any,
        axis: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        out: "ndarray | None" = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> "ndarray":
        """The standard deviation along axes."""
        return reduction.std(self, axis, dtype, out, ddof, keepdims)

    def var(
        self: Any,
        axis: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        out: "ndarray | None" = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> "ndarray":
        """The variance along axes."""
        return reduction.var(self, axis, dtype, out, ddof, keepdims)

    def max(
        self: Any, axis: ShapeLike | None = None, out: "ndarray | None" = None, keepdims: bool = False
    ) -> "ndarray":
        """The largest element along axes, or of all."""
        return reduction.max(self, axis, keepdims, out)

    def min(
        self: Any, axis: ShapeLike | None = None, out: "ndarray | None" = None, keepdims: bool = False
    ) -> "ndarray":
        """The smallest element along axes, or of all."""
        return reduction.min(self, axis, keepdims, out)

    def argmax(self: Any, axis: int | None = None, out: "ndarray | None" = None) -> "ndarray":
        """The index of the largest element along an axis."""
        return reduction.argmax(self, axis, out)

    def argmin(self: Any, axis: int | None = None, out: "ndarray | None" = None) -> "ndarray":
        """The index of the smallest element along an axis."""
        return reduction.argmin(self, axis, out)

    def cumsum(
        self: Any, axis: int | None = None, dtype: DTypeLike | None = None, out: "ndarray | None" = None
    ) -> "ndarray":
        """Running sums along an axis."""
        return reduction.cumsum(self, axis, dtype, out)

    def sort(self: Any, axis: int | None = -1, kind: Any = None, order: Any = None) -> "ndarray":
        """A copy in ascending order along an axis."""
        return searching.sort(self, axis, kind, order)

    def argsort(self: Any, axis: int | None = -1, kind: Any = None, order: Any = None) -> "ndarray":
        """The indices that bring elements into ascending order along an axis."""
        return searching.argsort(self, axis, kind, order)

    def nonzero(self: Any) -> tuple["ndarray", ...]:
        """The indices of elements that are not zero, one array per axis."""
        return searching.nonzero(self)

    def take(self: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> "ndarray":
        """The elements, or slices along an axis, at an array of indices."""
        return searching.take(self, indices, axis, mode)

    def clip(self: Any, min: Any = None, max: Any = None, out: "ndarray | None" = None) -> "ndarray":
        """Limits elements to an interval; None leaves that end open."""
        return elementwise.clip(self, min, max, out)

    def round(self: Any, decimals: int = 0, out: "ndarray | None" = None, **kwargs: Any) -> "ndarray":
        """Rounds to a number of decimals."""
        return elementwise.around(self, decimals, out, **kwargs)

    def dot(self: Any, b: Any, out: "ndarray | None" = None) -> "ndarray":
        """The product with a vector or a matrix; see `np.dot`."""
        return products.dot(self, b, out)

    def reshape(self: Any, *args: ShapeLike, **kwargs: "Unpack[_Ordered]") -> "ndarray":
        """A copy in another shape, given as one tuple or length by length; one may be -1 and is worked out."""
        expect_c_order("ndarray.reshape", kwargs.pop("order", "C"))
        if kwargs:
            raise TypeError(f"[np.ndarray.reshape] received {', '.join(kwargs)}; expected lengths and order.")
        if not args:
            raise TypeError("[np.ndarray.reshape] received no lengths; expected a shape: x.reshape(2, 3).")
        shape: Any = args[0] if len(args) == 1 else args
        return axes_of.reshape(self, shape)

    def flatten(self: Any, order: str = "C") -> "ndarray":
        """A copy with all elements in one row."""
        return self.reshape(-1, order=order)

    def squeeze(self: Any, axis: ShapeLike | None = None) -> "ndarray":
        """A copy without axes of length 1."""
        return axes_of.squeeze(self, axis)

    def transpose(self: Any, *axes: Any) -> "ndarray":
        """A copy with the axes in another order, reversed if none is given."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return axes_of.transpose(self, order)

    @property
    def T(self: Any) -> "ndarray":
        """A copy with the order of the axes reversed."""
        return axes_of.transpose(self)

    def swapaxes(self: Any, axis1: int, axis2: int) -> "ndarray":
        """A copy with two axes exchanged."""
        return axes_of.swapaxes(self, axis1, axis2)

    def repeat(self: Any, repeats: int, axis: int | None = None) -> "ndarray":
        """Repeats each element."""
        return axes_of.repeat(self, repeats, axis)

    def broadcast_to(self: Any, shape: ShapeLike) -> "ndarray":
        """A copy stretched to a shape."""
        return axes_of.broadcast_to(self, shape)

    def tostype(self: Any, stype: str) -> Any:
        """Refused: `mx.np` arrays are dense. Convert with `as_nd_ndarray()` first."""
        if stype == "default":
            return self
        raise MXNetError(
            f"[np.ndarray.tostype] received {stype!r}; mx.np arrays are dense. Convert first: "
            f"x.as_nd_ndarray().tostype({stype!r})."
        )
