"""Pooling over windows and over everything, and padding by reflection."""

from numbers import Number
from typing import TYPE_CHECKING, Any

from regluon.operators import Operators

from .._block_inputs import BlockOptions
from ._arguments import LayerArgumentError, check_at_call, expect_axes, expect_layout, per_axis
from ._containers import Layer
from ._convolution import LAYOUTS, SpatialLayer

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "ReflectionPad2D",
]

_DOCUMENTS = {
    "pool_size": "size of the windows, {lengths}.",
    "strides": "step of the windows; their size if None.",
    "padding": "how much is added on both sides of the data.",
    "layout": "order of the axes, {layouts}.",
    "ceil_mode": "whether a partial window at the end counts.",
    "count_include_pad": "whether padding counts in the mean.",
}


class _Pooling(SpatialLayer):
    """What all poolings have in common.

    Args:
        pool_size: size of the windows, one number for each spatial axis.
        strides: step of the windows; their size if None.
        padding: how much is added on both sides of the data.
        ceil_mode: whether a partial window at the end counts.
        global_pool: whether the whole data are one window.
        pool_type: 'max' or 'avg'.
        layout: order of the axes.
        count_include_pad: whether padding counts in the mean; None where there is no mean.
        prefix: see Block.
        params: see Block.
    """

    _lengths = ("pool_size",)
    _documents = _DOCUMENTS

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: Any,
        ceil_mode: bool,
        global_pool: bool,
        pool_type: str,
        layout: str,
        count_include_pad: bool | None = None,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix, params)
        ndim = len(pool_size)
        expect_layout(type(self).__name__, layout, LAYOUTS[ndim])
        strides = pool_size if strides is None else strides
        check_at_call(self, expect_axes, "pool_size", pool_size, ndim, 1)
        check_at_call(self, expect_axes, "strides", strides, ndim, 1)
        check_at_call(self, expect_axes, "padding", padding, ndim)
        self._kwargs = {
            "kernel": pool_size,
            "stride": per_axis(strides, ndim),
            "pad": per_axis(padding, ndim),
            "global_pool": global_pool,
            "pool_type": pool_type,
            "layout": layout,
            "pooling_convention": "full" if ceil_mode else "valid",
        }
        if count_include_pad is not None:
            self._kwargs["count_include_pad"] = count_include_pad

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Pools."""
        return F.Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        given = self._kwargs
        return (
            f"{type(self).__name__}(size={given['kernel']}, stride={given['stride']}, padding={given['pad']}, "
            f"ceil_mode={given['pooling_convention'] == 'full'}, global_pool={given['global_pool']}, "
            f"pool_type={given['pool_type']}, layout={given['layout']})"
        )


class _MaxPool(_Pooling):
    """The arguments of maxima over windows, in their order; defaults are those of one axis."""

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        pool_size = per_axis(pool_size, self._axes)
        if not hasattr(pool_size, "__len__") or len(pool_size) != self._axes:
            expect_axes(type(self).__name__, "pool_size", pool_size, self._axes)
        super().__init__(pool_size, strides, padding, ceil_mode, False, "max", layout, **kwargs)


class _AvgPool(_Pooling):
    """The arguments of means over windows, in their order; defaults are those of one axis."""

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        layout: str = "NCW",
        count_include_pad: bool = True,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        pool_size = per_axis(pool_size, self._axes)
        if not hasattr(pool_size, "__len__") or len(pool_size) != self._axes:
            expect_axes(type(self).__name__, "pool_size", pool_size, self._axes)
        super().__init__(pool_size, strides, padding, ceil_mode, False, "avg", layout, count_include_pad, **kwargs)


class _GlobalPool(_Pooling):
    """One window over everything."""

    _pool_type: str

    def __init__(self, layout: str = "NCW", **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__((1,) * self._axes, None, 0, True, True, self._pool_type, layout, **kwargs)


class MaxPool1D(_MaxPool, axes=1):
    """Takes the maximum over windows of sequences."""

    __module__ = "mxnet.gluon.nn.conv_layers"


class MaxPool2D(_MaxPool, axes=2):
    """Takes the maximum over windows of images.

    Example:
        >>> nn.MaxPool2D(pool_size=2, strides=2)(nd.arange(16).reshape((1, 1, 4, 4))).asnumpy()
        array([[[[ 5.,  7.],
                 [13., 15.]]]], dtype=float32)
    """

    __module__ = "mxnet.gluon.nn.conv_layers"


class MaxPool3D(_MaxPool, axes=3):
    """Takes the maximum over windows of volumes."""

    __module__ = "mxnet.gluon.nn.conv_layers"

    def __init__(
        self,
        pool_size: Any = (2, 2, 2),
        strides: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class AvgPool1D(_AvgPool, axes=1):
    """Takes the mean over windows of sequences."""

    __module__ = "mxnet.gluon.nn.conv_layers"

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(pool_size, strides, padding, ceil_mode, layout, count_include_pad, **kwargs)


class AvgPool2D(_AvgPool, axes=2):
    """Takes the mean over windows of images.

    Example:
        >>> nn.AvgPool2D(pool_size=2, strides=2)(nd.arange(16).reshape((1, 1, 4, 4))).asnumpy()
        array([[[[ 2.5,  4.5],
                 [10.5, 12.5]]]], dtype=float32)
    """

    __module__ = "mxnet.gluon.nn.conv_layers"


class AvgPool3D(_AvgPool, axes=3):
    """Takes the mean over windows of volumes."""

    __module__ = "mxnet.gluon.nn.conv_layers"


class GlobalMaxPool1D(_GlobalPool, axes=1):
    """Takes the maximum over whole sequences."""

    __module__ = "mxnet.gluon.nn.conv_layers"

    _pool_type = "max"


class GlobalMaxPool2D(_GlobalPool, axes=2):
    """Takes the maximum over whole images."""

    __module__ = "mxnet.gluon.nn.conv_layers"

    _pool_type = "max"


class GlobalMaxPool3D(_GlobalPool, axes=3):
    """Takes the maximum over whole volumes."""

    __module__ = "mxnet.gluon.nn.conv_layers"

    _pool_type = "max"


class GlobalAvgPool1D(_GlobalPool, axes=1):
    """Takes the mean over whole sequences."""

    __module__ = "mxnet.gluon.nn.conv_layers"

    _pool_type = "avg"


class GlobalAvgPool2D(_GlobalPool, axes=2):
    """Takes the mean over whole images.

    Example:
        >>> nn.GlobalAvgPool2D()(nd.ones((2, 3, 7, 7))).shape
        (2, 3, 1, 1)
    """

    __module__ = "mxnet.gluon.nn.conv_layers"

    _pool_type = "avg"


class GlobalAvgPool3D(_GlobalPool, axes=3):
    """Takes the mean over whole volumes."""

    __module__ = "mxnet.gluon.nn.conv_layers"

    _pool_type = "avg"


class ReflectionPad2D(Layer):
    """Pads images by their mirror image.

    Args:
        padding: how much to add on all four sides, or eight numbers: before and after each axis, zeros for the batch
            and the channels.
        kwargs: `prefix` and `params`, see Block.
    """

    __module__ = "mxnet.gluon.nn.conv_layers"

    def __init__(self, padding: Any = 0, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(**kwargs)
        if isinstance(padding, Number):
            padding = (0, 0, 0, 0, padding, padding, padding, padding)
        if len(padding) != 8:
            raise LayerArgumentError(
                f"[{type(self).__name__}] padding: received {padding!r}; expected a number or a tuple of 8 numbers."
            )
        self._padding = padding

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Pads."""
        return F.pad(x, mode="reflect", pad_width=self._padding)
