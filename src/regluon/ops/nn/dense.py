"""Implement fully connected layers, dropout and normalization without weights."""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...config import switches
from ...errors import OpIndexError, OpParamError, OpShapeError
from ...kernels.dense import dense, product
from ...kernels.eligibility import kernels_for
from ..common import expect_floating, expect_shape, grad_needed, prod, same_dtype
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Rng, Shape, Training
from ..partial_shapes import row_by_row
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, like_data, one_float_dtype
from .activation import DERIVATIVES, IN_PLACE
from .checks import expect_bias, weighted

_WORTH_A_CHOICE = 1 << 20  # multiplications; for fewer, looking the choice up costs more than it gains


def _weight_shapes(data: Shape, *, num_hidden: int, no_bias: bool, flatten: bool, **_: Any) -> dict[str, Shape]:
    width = prod(data[1:]) if flatten else data[-1]
    shapes: dict[str, Shape] = {"weight": (num_hidden, width)}
    if not no_bias:
        shapes["bias"] = (num_hidden,)
    return shapes


@operator(
    "FullyConnected",
    "_npx_fully_connected",
    "_sparse_FullyConnected",
    completes=_weight_shapes,
    takes=weighted("data"),
    partial_shapes=row_by_row,
)
def fully_connected(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_hidden: int,
    no_bias: bool = False,
    flatten: bool = True,
) -> Tensor:
    """Multiplies by a weight matrix and adds a bias.

    Args:
        data: a batch; all axes but the first are joined, unless `flatten` is False: then the last axis is transformed.
        weight: (num_hidden, width of the data).
        bias: (num_hidden,) or (num_hidden, 1); left out with `no_bias`.
        num_hidden: number of outputs.
        no_bias: whether there is no bias.
        flatten: whether to join all axes but the first.
    """
    rows = data.reshape(data.shape[0], prod(data.shape[1:])) if flatten and data.dim() != 2 else data
    dtype = weight.dtype
    fits = weight.shape == (num_hidden, rows.shape[-1]) and data.dtype is dtype and dtype.is_floating_point
    if bias is not None:
        fits = fits and not no_bias and bias.shape == (num_hidden,) and bias.dtype is dtype
    if not fits or num_hidden < 1 or (bias is None and not no_bias):
        if bias is not None and bias.shape == (num_hidden, 1):
            shared = {"num_hidden": num_hidden, "no_bias": no_bias, "flatten": flatten}
            return fully_connected(data, weight, bias.reshape(-1), **shared)
        _refuse(data, weight, bias, num_hidden, no_bias, flatten, rows.shape[-1])
    if not switches.as_written and rows.numel() * num_hidden >= _WORTH_A_CHOICE and not grad_needed(rows, weight, bias):
        return dense(rows, weight, bias, False)
    return torch.nn.functional.linear(rows, weight, bias)


def _refuse(
    data: Tensor, weight: Tensor, bias: Tensor | None, num_hidden: int, no_bias: bool, flatten: bool, width: int
) -> None:
    """Says what does not fit; the quick test above has found that something does not."""
    expect_bias(bias, no_bias)
    if num_hidden < 1:
        raise OpParamError(f"num_hidden={num_hidden}; expected a number not below 1")
    expect_floating(data)
    same_dtype(data=data, weight=weight, bias=bias)
    if weight.dim() == 2 and weight.shape[0] == num_hidden and weight.shape[1] != width:
        text = f"expects {weight.shape[1]} features per sample, received {width}"
        if data.dim() > 2 and flatten:
            text += (
                f": flatten=True joins the axes {tuple(data.shape[1:])} of each sample, flatten=False takes the last"
            )
        elif data.dim() > 2:
            text += ": flatten=False takes the last axis"
        elif data.dim() == 1 and flatten:
            text += f": each element is a sample, and expand_dims(axis=0) makes one sample of {len(data)} features"
        raise OpShapeError(text)
    expect_shape("weight", weight, (num_hidden, width))
    if bias is not None:
        expect_shape("bias", bias, (num_hidden,))


@shape_of("FullyConnected")
def _fully_connected_shape(specs: Specs, params: Params) -> Result:
    if not one_float_dtype(specs):
        return None
    (data, dtype), (weight, _) = specs[0], specs[1]  # type: ignore[misc]
    units = params["num_hidden"]
    if len(data) < 2 or len(weight) != 2:
        return None
    width = prod(data[1:]) if params["flatten"] else data[-1]
    biases = [spec[0] for spec in specs[2:] if spec is not None]
    if weight != (units, width) or biases != ([] if params["no_bias"] else [(units,)]):
        return None
    return [((data[0], units) if params["flatten"] else (*data[:-1], units), dtype)]


_SMALL = 1 << 18  # multiplications of a layer whose gradients are one call: of more, each is worth a choice of its own


def dense_forward(arguments: Arguments, params: dict[str, Any], needs: Needs, act_type: str | None) -> tuple[Any, Any]:
    """A dense layer and perhaps an activation behind it, and what `dense_backward` needs."""
    data, weight, bias = (*arguments, None)[:3]
    assert data is not None
    assert weight is not None
    units = params["num_hidden"]
    fits = data.dim() > 1 and weight.shape == (units, data.shape[-1]) and data.dtype is weight.dtype
    fits = fits and (bias is None) == params.get("no_bias", False) and (bias is None or bias.shape == (units,))
    if not fits or (data.dim() > 2 and params.get("flatten", True)) or not data.is_floating_point():
        result = fully_connected(data, weight, bias, **params)  # or says what is wrong
        result = result if act_type is None else IN_PLACE[act_type](result)
        return result, (data, weight, None if act_type is None else result, None)
    ours = None
    if data.dim() == 2 and data.numel() * units <= _SMALL and act_type in (None, "relu") and all(needs[1:]):
        ours = kernels_for(*arguments)
    is_cut = act_type == "relu"
    result = dense(data, weight, bias, is_cut) if ours is None else ours.dense.default(data, weight, bias, is_cut)
    if act_type is not None and not is_cut:
        result = IN_PLACE[act_type](result)
    return result, (data, weight, None if act_type is None else result, ours)


def dense_backward(saved: Any, grad: Tensor, needs: Needs, act_type: str | None) -> Grads:
    """Gradients of data, weight and bias."""
    data, weight, result, ours = saved
    if ours is not None:
        found = ours.dense_backward.default(grad.contiguous(), result, data, weight, needs[0])
        return (found[0] if needs[0] else None, *found[1:])[: len(needs)]
    sums = None
    if act_type == "relu" and (kernels := kernels_for(grad, result)) is not None:
        grad, sums = kernels.relu_backward(grad, result)
    elif act_type is not None:
        grad = DERIVATIVES[act_type](grad, result)
    rows = grad.reshape(-1, grad.shape[-1])
    of_data = product(rows, weight).view(data.shape) if needs[0] else None
    of_weight = product(rows.t(), data.reshape(-1, weight.shape[1])) if needs[1] else None
    if len(needs) < 3:
        return of_data, of_weight
    return of_data, of_weight, (rows.sum(0) if sums is None else sums) if needs[2] else None


@gradient_of("FullyConnected")
class FullyConnected(Rule):
    """rows @ weight.T + bias."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return dense_forward(arguments, params, needs, None)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return dense_backward(saved, grads[0], needs, None)


@operator(
    "Dropout",
    "_npx_dropout",
    returns_view=True,
    alike=True,
    total_outputs=2,
    output_names=("output", "mask"),
    names_input=True,
)
def dropout(
    data: Tensor,
    *,
    p: float = 0.5,
    mode: Literal["always", "training"] = "training",
    axes: Shape = (),
    cudnn_off: bool | None = False,
    training: Training,
    rng: Rng,
) -> Tensor:
    """Sets elements to zero at random in training, and scales the others up so that the mean stays.

    Args:
        data: any shape.
        p: the probability that an element becomes zero.
        mode: `training`, or `always`: in prediction as well.
        axes: axes along which all elements share one fate.
        cudnn_off: has no effect here.
        training: whether this is training.
        rng: what the fates are drawn from.
    """
    mask = mask_of(data, p=p, mode=mode, axes=axes, training=training, rng=rng)
    return data if mask is None else data * mask


def mask_of(
    data: Tensor,
    *,
    p: float = 0.5,
    mode: str = "training",
    axes: Shape = (),
    cudnn_off: bool | None = False,
    training: bool,
    rng: torch.Generator | None,
) -> Tensor | None:
    """What the elements are multiplied by; None if they stay as they are."""
    expect_floating(data)
    if not 0 <= p <= 1:
        raise OpParamError(f"p={p}; expected a probability between 0 and 1")
    for axis in axes:
        if not 0 <= axis < data.dim():
            raise OpIndexError(f"axes={axes} is out of range for an array of {data.dim()} dimensions")
    if p == 0 or not (training or mode == "always"):
        return None
    shape = [1 if axis in axes else length for axis, length in enumerate(data.shape)]
    mask = torch.empty(shape, dtype=data.dtype, device=data.device).bernoulli_(1 - p, generator=rng)
    return mask.div_(1 - p)


@gradient_of("Dropout")
class Dropout(Rule):
    """What was dropped gets no gradient."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return params["p"] < 1

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        mask = mask_of(data, **params)
        return (data, None) if mask is None else (data * mask, mask)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        grad = grads[0]
        assert grad is not None
        return (grad if saved is None else grad * saved,)


def _unit_length(data: Tensor, axes: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor]:
    """Return the data divided by their length along axes, and the length."""
    squares = data * data
    length = torch.sqrt((squares.sum(axes, keepdim=True) if axes else squares) + eps)
    return data / length, length


class _UnitLength(torch.autograd.Function):
    """Scales to unit length; its gradient is computed from the result and the length, as in MXNet."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, axes: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor]:
        result, length = _unit_length(data, axes, eps)
        ctx.save_for_backward(result, length)
        ctx.axes = axes
        ctx.set_materialize_grads(False)
        return result, length

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Remove the part of the gradient along the vector, then scale it. The length has one in second derivatives."""
        result, length = ctx.saved_tensors
        of_result, of_length = gradients
        found = None if of_length is None else of_length * result
        if of_result is not None:
            along = of_result * result
            if ctx.axes:
                along = along.sum(ctx.axes, keepdim=True)
            across = (of_result - result * along) / length
            found = across if found is None else found + across
        return found, None, None


@operator("L2Normalization", shape=like_data, total_outputs=2, output_names=("output", "norm"), names_input=True)
def l2_normalization(
    data: Tensor, *, eps: float = 1e-10, mode: Literal["channel", "instance", "spatial"] = "instance"
) -> Tensor:
    """Scales to unit length.

    Args:
        data: (batch, ...); (batch, channels, *sizes) unless the mode is 'instance'.
        eps: added to the sum of squares.
        mode: what becomes a vector of length 1: each sample ('instance'), the channels at each place ('channel'), or
            the places of each channel ('spatial').
    """
    expect_floating(data)
    if mode != "instance" and data.dim() < 3:
        raise OpShapeError(f"mode={mode!r} needs data of at least 3 dimensions, got {data.dim()}")
    axes = {"instance": range(1, data.dim()), "channel": (1,), "spatial": range(2, data.dim())}[mode]
    if grad_needed(data):
        result: Tensor = _UnitLength.apply(data, tuple(axes), eps)[0]
        return result
    return _unit_length(data, tuple(axes), eps)[0]


@operator("LRN", shape=like_data, total_outputs=2, output_names=("output", "tmp_norm"), names_input=True)
def lrn(data: Tensor, *, alpha: float = 1e-4, beta: float = 0.75, knorm: float = 2.0, nsize: int) -> Tensor:
    """Divides every element by a power of the squares of its neighbours in other channels.

    Args:
        data: (batch, channels, *sizes).
        alpha: weight of the mean of the squares.
        beta: the power.
        knorm: added to the weighted mean.
        nsize: number of channels the mean is taken over; odd.
    """
    expect_floating(data)
    if data.dim() < 2:
        raise OpShapeError(f"expected data of at least 2 dimensions (batch, channels, sizes), got {data.dim()}")
    if nsize < 1:
        raise OpParamError(f"nsize={nsize}; expected a number not below 1")
    if data.numel() == 0:  # torch's windows need elements
        return data * 1
    batch, channels = data.shape[:2]
    squares = (data * data).reshape(batch, 1, channels, prod(data.shape[2:]))
    reach = (nsize - 1) // 2  # equally far on both sides, so that an even nsize takes in one channel less
    means = torch.nn.functional.avg_pool2d(squares, (2 * reach + 1, 1), 1, (reach, 0), divisor_override=nsize)
    return data * (knorm + alpha * means.reshape(data.shape)).pow(-beta)
