"""MXNet's public path of `np.meshgrid`."""

from ..ndarray.numpy.axes import meshgrid

__all__ = ["meshgrid"]
