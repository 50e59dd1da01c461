"""MXNet's public path of `np.broadcast_arrays`."""

from regluon.array.numpy.axes import broadcast_arrays

__all__ = ["broadcast_arrays"]
