"""The fully connected layer."""

from typing import Any

import torch
from torch import Tensor

from ...error import OpParamError
from ...kernels.dense import dense
from ..common import expect_floating, expect_shape, grad_needed, prod, same_dtype
from ..params import Shape
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, one_float_dtype
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
        _refuse(data, weight, bias, num_hidden, no_bias, rows.shape[-1])
    if rows.numel() * num_hidden >= _WORTH_A_CHOICE and not grad_needed(rows, weight, bias):
        return dense(rows, weight, bias, False)
    return torch.nn.functional.linear(rows, weight, bias)


def _refuse(data: Tensor, weight: Tensor, bias: Tensor | None, num_hidden: int, no_bias: bool, width: int) -> None:
    """Says what does not fit; the quick test above has found that something does not."""
    expect_bias(bias, no_bias)
    if num_hidden < 1:
        raise OpParamError(f"num_hidden={num_hidden}; expected a number not below 1")
    expect_floating(data)
    same_dtype(data=data, weight=weight, bias=bias)
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
