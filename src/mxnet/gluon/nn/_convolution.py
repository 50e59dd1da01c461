"""Define convolution layers over one, two and three axes."""

import inspect
from collections.abc import Mapping
from math import inf
from types import FunctionType
from typing import TYPE_CHECKING, Any

from regluon.operators import Operators

from .._block_inputs import BlockOptions
from ..parameter import Parameter
from ._arguments import (
    LayerArgumentError,
    check_at_call,
    expect_activation,
    expect_activation_name,
    expect_axes,
    expect_count,
    expect_layout,
    expect_size,
    per_axis,
)
from ._containers import Layer
from .activations import Activation

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"]


LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class SpatialLayer(Layer):
    """A layer whose subclasses are made for a number of spatial axes: `class Conv2D(_Convolution, axes=2)`.

    Such a subclass has the constructor of its base with defaults for that many axes, and a docstring that goes on with
    the arguments. Subclasses without `axes` are ordinary ones.
    """

    _axes = 0
    _layouts: tuple[str, ...] = ()  # orders of the axes, the default first
    _lengths: tuple[str, ...] = ()  # arguments whose default is a number for each axis; for one axis, a number
    _documents: Mapping[str, str] = {}  # arguments and what they mean, in words for any number of axes

    def __init_subclass__(cls, axes: int = 0, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if axes:
            cls._axes, cls._layouts = axes, cls._layouts_for(axes)
            if "__init__" not in vars(cls):
                cls.__init__ = cls._constructor()  # type: ignore[method-assign]
            cls.__doc__ = f"{inspect.getdoc(cls)}\n\n{cls._arguments()}"

    @classmethod
    def _layouts_for(cls, axes: int) -> tuple[str, ...]:
        return LAYOUTS[axes]

    @classmethod
    def _constructor(cls) -> Any:
        """The constructor with defaults for this many axes: a copy, since defaults belong to a function."""
        base = cls.__init__
        assert isinstance(base, FunctionType)
        defaults = [
            cls._default(each) for each in inspect.signature(base).parameters.values() if each.default is not each.empty
        ]
        made = FunctionType(base.__code__, base.__globals__, "__init__", tuple(defaults), base.__closure__)
        made.__annotations__, made.__module__ = base.__annotations__, cls.__module__
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        return made

    @classmethod
    def _default(cls, argument: inspect.Parameter) -> Any:
        if argument.name == "layout":
            return cls._layouts[0]
        is_repeated = argument.name in cls._lengths and cls._axes > 1
        return (argument.default,) * cls._axes if is_repeated else argument.default

    @classmethod
    def _arguments(cls) -> str:
        words = {
            "lengths": "one number" if cls._axes == 1 else f"one number or a tuple of {cls._axes}",
            "layouts": " or ".join(map(repr, cls._layouts)),
        }
        texts = {"kwargs": "`prefix` and `params`, see Block.", **cls._documents}
        names = list(inspect.signature(cls.__init__).parameters)[1:]
        return "\n".join(["Args:", *(f"    {name}: {texts[name].format(**words)}" for name in names)])


_DOCUMENTS = {
    "channels": "number of output channels.",
    "kernel_size": "size of the filters, {lengths}; so are the next three.",
    "strides": "step of the filters.",
    "padding": "zeros added on both sides of the data.",
    "dilation": "distance between the elements of a filter.",
    "groups": "number of groups of channels that are convolved apart from each other.",
    "layout": "order of the axes, {layouts}.",
    "activation": "name of an activation function, or None.",
    "use_bias": "whether to add a bias.",
    "weight_initializer": "initializer of the weight.",
    "bias_initializer": "initializer of the bias.",
    "in_channels": "number of input channels; found from the first data if 0.",
}


class _Conv(SpatialLayer):
    """What all convolutions have in common, as MXNet's own base class takes it.

    Args:
        channels: number of output channels.
        kernel_size: size of the filters, one number or one for each spatial axis; so are the next three.
        strides: step of the filters.
        padding: zeros added on both sides of the data.
        dilation: distance between the elements of a filter.
        groups: number of groups of channels that are convolved apart from each other.
        layout: order of the axes.
        in_channels: number of input channels; found from the first data if 0.
        activation: name of an activation function, or None.
        use_bias: whether to add a bias.
        weight_initializer: initializer of the weight.
        bias_initializer: initializer of the bias.
        op_name: the operator, 'Convolution' or 'Deconvolution'.
        adj: further size of a transposed convolution's result, one number for each spatial axis.
        prefix: see Block.
        params: see Block.
    """

    @classmethod
    def _layouts_for(cls, axes: int) -> tuple[str, ...]:
        return ("NCW",) if axes == 1 else super()._layouts_for(axes)

    def __init__(
        self,
        channels: int,
        kernel_size: Any,
        strides: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        layout: str,
        in_channels: int = 0,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        op_name: str = "Convolution",
        adj: Any = None,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        who, ndim = type(self).__name__, len(layout) - 2
        expect_layout(who, layout, self._layouts)
        expect_count(who, "channels", channels)
        expect_size(who, "in_channels", in_channels)
        expect_activation_name(who, activation)
        for name, value in (("kernel_size", kernel_size), ("strides", strides), ("dilation", dilation)):
            expect_axes(who, name, value, ndim, 1)
        expect_axes(who, "padding", padding, ndim, -inf)
        super().__init__(prefix, params)
        if activation is not None:
            check_at_call(self, expect_activation, activation)
        check_at_call(self, expect_axes, "padding", padding, ndim)
        self._channels, self._in_channels, self._op_name = channels, in_channels, op_name
        self._kwargs = {
            "kernel": per_axis(kernel_size, ndim),
            "stride": per_axis(strides, ndim),
            "dilate": per_axis(dilation, ndim),
            "pad": per_axis(padding, ndim),
            "num_filter": channels,
            "num_group": groups,
            "no_bias": not use_bias,
            "layout": layout,
        }
        if adj is not None:
            expect_axes(who, "output_padding", adj, ndim, -inf)
            check_at_call(self, expect_axes, "output_padding", adj, ndim)
            self._kwargs["adj"] = per_axis(adj, ndim)
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=self._weight_shape(), init=weight_initializer, allow_deferred_init=True
            )
            self.bias: Parameter | Any = (  # None without a bias
                self.params.get("bias", shape=(channels,), init=bias_initializer, allow_deferred_init=True)
                if use_bias
                else None
            )
            self.act = None if activation is None else Activation(activation, prefix=f"{activation}_")

    def _weight_shape(self) -> tuple[int, ...]:
        """The weight's shape; 0 stands for the input channels if they are not given."""
        inputs, outputs, groups = self._in_channels, self._channels, self._kwargs["num_group"]
        if outputs < 1 or groups < 1 or inputs % groups or outputs % groups:
            raise LayerArgumentError(
                f"[{type(self).__name__}] received channels={outputs}, in_channels={inputs}, groups={groups}; expected "
                "numbers not below 1 of channels and groups, and numbers of channels that the groups divide evenly."
            )
        if self._op_name.lower() == "deconvolution":
            first, second = inputs, outputs // groups
        else:
            first, second = outputs, inputs // groups
        kernel = self._kwargs["kernel"]
        return (first, *kernel, second) if self._kwargs["layout"].endswith("C") else (first, second, *kernel)

    def _alias(self) -> str:
        return "conv"

    def hybrid_forward(self, F: Operators, x: Any, weight: Any, bias: Any = None) -> Any:
        """Convolves and activates."""
        inputs = (x, weight) if bias is None else (x, weight, bias)
        out = getattr(F, self._op_name)(*inputs, name="fwd", **self._kwargs)
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        given, shape = self._kwargs, self.weight.shape or ()
        ndim = len(given["kernel"])
        # Whatever the layout: the numbers on axis 1 and axis 0.
        parts = [f"{shape[1] or None} -> {shape[0]}", f"kernel_size={given['kernel']}", f"stride={given['stride']}"]
        if given["pad"] != (0,) * ndim:
            parts.append(f"padding={given['pad']}")
        if given["dilate"] != (1,) * ndim:
            parts.append(f"dilation={given['dilate']}")
        if given["num_group"] != 1:
            parts.append(f"groups={given['num_group']}")
        if self.bias is None:
            parts.append("bias=False")
        if self.act is not None:
            parts.append(f"{self.act}")
        return f"{type(self).__name__}({', '.join(parts)})"


class _Convolution(_Conv):
    """The arguments of convolutions, in their order; defaults are those of one axis."""

    _lengths = ("strides", "padding", "dilation")
    _documents = _DOCUMENTS

    def __init__(
        self,
        channels: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        layout: str = "NCW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(
            channels,
            kernel_size,
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            **kwargs,
        )


class _Options(BlockOptions, total=False):
    op_name: str


class _TransposedConvolution(_Conv):
    """The arguments of transposed convolutions, in their order; defaults are those of one axis."""

    _lengths = ("strides", "padding", "output_padding", "dilation")
    _documents = {
        **_DOCUMENTS,
        "kernel_size": "size of the filters, {lengths}; so are the next four.",
        "strides": "step of the filters over the result.",
        "padding": "how much is cut off on both sides of the result.",
        "output_padding": "how much of that is kept at the end after all; less than the strides.",
    }

    def __init__(
        self,
        channels: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        layout: str = "NCW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: "Unpack[_Options]",
    ) -> None:
        kwargs.setdefault("op_name", "Deconvolution")
        super().__init__(
            channels,
            kernel_size,
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            adj=output_padding,
            **kwargs,
        )
        self.outpad = self._kwargs["adj"]


class Conv1D(_Convolution, axes=1):
    """Convolves sequences with learned filters.

    Example:
        >>> net = nn.Conv1D(channels=16, kernel_size=3)
        >>> net.initialize()
        >>> net(nd.ones((2, 4, 10))).shape
        (2, 16, 8)
    """

    __module__ = "mxnet.gluon.nn.conv_layers"


class Conv2D(_Convolution, axes=2):
    """Convolves images with learned filters.

    Example:
        >>> net = nn.Conv2D(channels=16, kernel_size=3, padding=1)
        >>> net.initialize()
        >>> net(nd.ones((2, 3, 8, 8))).shape
        (2, 16, 8, 8)
        >>> net.weight.shape
        (16, 3, 3, 3)
    """

    __module__ = "mxnet.gluon.nn.conv_layers"


class Conv3D(_Convolution, axes=3):
    """Convolves volumes with learned filters."""

    __module__ = "mxnet.gluon.nn.conv_layers"


class Conv1DTranspose(_TransposedConvolution, axes=1):
    """The transpose of a convolution of sequences, which enlarges them."""

    __module__ = "mxnet.gluon.nn.conv_layers"


class Conv2DTranspose(_TransposedConvolution, axes=2):
    """The transpose of a convolution of images, which enlarges them.

    Example:
        >>> net = nn.Conv2DTranspose(channels=4, kernel_size=2, strides=2)
        >>> net.initialize()
        >>> net(nd.ones((2, 3, 8, 8))).shape
        (2, 4, 16, 16)
    """

    __module__ = "mxnet.gluon.nn.conv_layers"


class Conv3DTranspose(_TransposedConvolution, axes=3):
    """The transpose of a convolution of volumes, which enlarges them."""

    __module__ = "mxnet.gluon.nn.conv_layers"
