"""Convolutions whose filters are moved by offsets that another convolution computes from the same data."""

from math import inf
from typing import Any

from ...block import HybridBlock
from ...nn import Activation
from ...nn._arguments import check_at_call, expect_activation, expect_axes, expect_layout, per_axis
from ...parameter import Parameter

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]


class _DeformableConv(HybridBlock):
    """What both deformable convolutions have in common: arguments, parameters, the convolution of the offsets."""

    offset_weight: Parameter
    offset_bias: Parameter | None
    deformable_conv_weight: Parameter
    deformable_conv_bias: Parameter | None
    _numbers_per_tap: int  # how many numbers the inner convolution makes for each element of the filter

    def __init__(
        self,
        channels: int,
        kernel_size: Any = (1, 1),
        strides: Any = (1, 1),
        padding: Any = (0, 0),
        dilation: Any = (1, 1),
        groups: int = 1,
        num_deformable_group: int = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: int = 0,
        activation: str | None = None,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        offset_weight_initializer: Any = "zeros",
        offset_bias_initializer: Any = "zeros",
        offset_use_bias: bool = True,
        op_name: str | None = None,
        adj: Any = None,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix, params)
        who = type(self).__name__
        expect_layout(who, layout, ("NCHW", "NHWC"))
        self._channels, self._in_channels, self._op_name = channels, in_channels, op_name or who
        for name, value in (("kernel_size", kernel_size), ("strides", strides), ("dilation", dilation)):
            expect_axes(who, name, value, 2, 1)
        expect_axes(who, "padding", padding, 2, -inf)
        check_at_call(self, expect_axes, "padding", padding, 2)
        if activation:
            check_at_call(self, expect_activation, activation)
        kernel = per_axis(kernel_size, 2)
        common = {
            "kernel": kernel,
            "stride": per_axis(strides, 2),
            "dilate": per_axis(dilation, 2),
            "pad": per_axis(padding, 2),
            "num_group": groups,
            "layout": layout,
            **({"adj": adj} if adj else {}),
        }
        taps = kernel[0] * kernel[1] * num_deformable_group
        self._kwargs_offset = {**common, "num_filter": taps * self._numbers_per_tap, "no_bias": not offset_use_bias}
        self._kwargs_deformable_conv = {
            **common,
            "num_filter": channels,
            "num_deformable_group": num_deformable_group,
            "no_bias": not use_bias,
        }
        with self.name_scope():
            self._make_parameters(
                ("offset", offset_weight_initializer, offset_bias_initializer, self._kwargs_offset),
                ("deformable_conv", weight_initializer, bias_initializer, self._kwargs_deformable_conv),
            )
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    def _make_parameters(self, offset: Any, deformable: Any) -> None:
        """Makes weight and bias of both convolutions, each given as the arguments of `_make_pair`."""
        for part in (offset, deformable):
            self._make_pair(*part)

    def _make_pair(self, name: str, weight_initializer: Any, bias_initializer: Any, given: dict[str, Any]) -> None:
        filters, kernel = given["num_filter"], given["kernel"]
        if name == "offset":
            inputs = self._in_channels // given["num_group"]
            shape = (filters, *kernel, inputs) if given["layout"] == "NHWC" else (filters, inputs, *kernel)
        else:
            shape = (filters, 0, *kernel)  # as in MXNet, which waits for the data even if in_channels is given
        weight = self.params.get(f"{name}_weight", shape=shape, init=weight_initializer, allow_deferred_init=True)
        setattr(self, f"{name}_weight", weight)
        bias = None
        if not given["no_bias"]:
            bias = self.params.get(f"{name}_bias", shape=(filters,), init=bias_initializer, allow_deferred_init=True)
        setattr(self, f"{name}_bias", bias)

    def _offset(self, F: Any, x: Any, weight: Any, bias: Any) -> Any:
        inputs = (x, weight) if bias is None else (x, weight, bias)
        return F.Convolution(*inputs, cudnn_off=True, **self._kwargs_offset)


class DeformableConvolution(_DeformableConv):
    """Convolves images with filters whose elements are moved by offsets, which are learned too.

    Args:
        channels: number of output channels.
        kernel_size: height and width of the filters, one number or two; so are the next three.
        strides: step of the filters.
        padding: zeros added on both sides of the data.
        dilation: distance between the elements of a filter.
        groups: number of groups of channels that are convolved apart from each other.
        num_deformable_group: number of groups of channels that have offsets of their own.
        layout: order of the axes; 'NCHW' is the only one that can be computed.
        use_bias: whether to add a bias.
        in_channels: number of input channels; found from the first data if 0.
        activation: name of an activation function, or None.
        weight_initializer: initializer of the weight.
        bias_initializer: initializer of the bias.
        offset_weight_initializer: initializer of the weight of the offsets' convolution.
        offset_bias_initializer: initializer of its bias.
        offset_use_bias: whether that convolution has a bias.
        op_name: has no effect.
        adj: has no use; MXNet has it.
        prefix: see Block.
        params: see Block.
    """

    _numbers_per_tap = 2  # down and right

    def _alias(self) -> str:
        return "deformable_conv"

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        """Computes the offsets, convolves, activates."""
        offset = self._offset(F, x, offset_weight, offset_bias)
        bias = () if deformable_conv_bias is None else (deformable_conv_bias,)
        out = F.contrib.DeformableConvolution(
            x, offset, deformable_conv_weight, *bias, name="fwd", **self._kwargs_deformable_conv
        )
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        given, shape = self._kwargs_deformable_conv, self.deformable_conv_weight.shape or ()
        parts = [f"{shape[1] or None} -> {shape[0]}", f"kernel_size={given['kernel']}", f"stride={given['stride']}"]
        if given["pad"] != (0, 0):
            parts.append(f"padding={given['pad']}")
        if given["dilate"] != (1, 1):
            parts.append(f"dilation={given['dilate']}")
        if given["num_group"] != 1:
            parts.append(f"groups={given['num_group']}")
        if self.deformable_conv_bias is None:
            parts.append("bias=False")
        if self.act is not None:
            parts.append(f"{self.act}")
        return f"{type(self).__name__}({', '.join(parts)})"


class ModulatedDeformableConvolution(_DeformableConv):
    """Convolves images with filters whose elements are moved by offsets and weighted by masks, both learned.

    Arguments as those of DeformableConvolution; the convolution of the offsets computes the masks too.
    """

    _numbers_per_tap = 3  # down, right, and the mask

    def _alias(self) -> str:
        return "modulated_deformable_conv"

    def _make_parameters(self, offset: Any, deformable: Any) -> None:
        """Makes them in the other order, which is that of MXNet's files."""
        super()._make_parameters(deformable, offset)

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        """Computes offsets and masks, convolves, activates."""
        both = self._offset(F, x, offset_weight, offset_bias)
        offset = F.slice_axis(both, axis=1, begin=0, end=self.offset_split_index)
        mask = F.sigmoid(F.slice_axis(both, axis=1, begin=self.offset_split_index, end=None)) * 2
        bias = () if deformable_conv_bias is None else (deformable_conv_bias,)
        out = F.contrib.ModulatedDeformableConvolution(
            x, offset, mask, deformable_conv_weight, *bias, name="fwd", **self._kwargs_deformable_conv
        )
        return out if self.act is None else self.act(out)

    @property
    def offset_split_index(self) -> int:
        """How many of the inner convolution's channels are offsets; the masks follow."""
        return int(self._kwargs_offset["num_filter"]) // 3 * 2
