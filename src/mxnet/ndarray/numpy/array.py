"""The class of `mx.np` arrays: an NDArray with NumPy's rules."""

from ..dense import NDArray
from ..handle import Handle

__all__ = ["ndarray"]


class ndarray(NDArray):
    """An array that behaves as NumPy's: scalars have no axes, comparisons give bool, mixed dtypes are converted.

    What operators make of such an array is one again. `as_nd_ndarray()` gives an `mx.nd` array over the same memory.
    """

    __slots__ = ()

    def as_np_ndarray(self) -> "ndarray":
        """Itself."""
        return self

    def as_nd_ndarray(self) -> NDArray:
        """An `mx.nd` array over the same memory, with the same place in a recorded graph."""
        return self._retyped(NDArray)


ndarray._result_type = ndarray
ndarray.__module__ = "mxnet.numpy"
Handle._numpy_type = ndarray
