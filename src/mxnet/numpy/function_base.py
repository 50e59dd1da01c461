"""MXNet's public path of `np.meshgrid`."""

from regluon.array.numpy.axes import meshgrid

__all__ = ["meshgrid"]
