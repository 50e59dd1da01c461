"""The fully connected layer."""

from typing import Any

import torch
from torch import Tensor

from ...config import switches
from ...errors import OpParamError, OpShapeError
from ...kernels.dense import dense, product
from ...kernels.eligibility import kernels_for
from ..common import expect_floating, expect_shape, grad_needed, prod, same_dtype
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Shape
from ..partial_shapes import row_by_row
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, one_float_dtype
from .activation import DERIVATIVES, IN_PLACE
from .inputs import expect_bias, weighted

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
