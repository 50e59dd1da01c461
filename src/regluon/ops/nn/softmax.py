"""Softmax and its relatives."""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ...kernels.eligibility import kernels_for
from ...torch_private import log_softmax_backward, softmax_backward
from ..common import expect_floating, expect_shape, normal_axis, one_element, same_dtype
from ..dtype_rules import DtypeRule
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import DType
from ..registry import operator
from ..shape_rules import like_data
from ..tensor.gather import classes_on
from .checks import optional

_SMALLEST_PROBABILITY = 1e-8  # below it softmax_cross_entropy does not take the logarithm


def _scaled(data: Tensor, temperature: float | None, dtype: torch.dtype | None) -> Tensor:
    """The data divided by the temperature, in the wider of its own dtype and that of the result."""
    expect_floating(data)
    if dtype is not None:
        if not dtype.is_floating_point:
            raise OpParamError(f"dtype={NAME_OF_TORCH[dtype]!r}; expected 'float16', 'float32' or 'float64'")
        data = data.to(torch.promote_types(data.dtype, dtype))
    return data if temperature is None else data / temperature


def _finished(result: Tensor, data: Tensor, dtype: torch.dtype | None) -> Tensor:
    return result.to(dtype or data.dtype)


def _valid_positions(data: Tensor, length: Tensor, axis: int) -> Tensor:
    """Where an element lies within the length of its row."""
    if length.dtype not in (torch.int32, torch.int64):
        raise OpTypeError(f"expected length of int32 or int64, got {NAME_OF_TORCH[length.dtype]}")
    rows = tuple(data.shape[:axis] + data.shape[axis + 1 :])
    if rows or length.numel() != 1:  # the one length of a vector may have shape (1,)
        expect_shape("length", length, rows)
    positions = torch.arange(data.shape[axis], device=data.device)
    return positions.reshape([-1] + [1] * (data.dim() - 1 - axis)) < length.reshape(rows).unsqueeze(axis)


@operator(
    "softmax",
    "_npx_softmax",
    takes=optional("data", length="use_length"),
    shape=like_data,
    dtypes=DtypeRule(free=("length",)),
)
def softmax(
    data: Tensor,
    length: Tensor | None = None,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DType | None = None,
    use_length: bool | None = False,
) -> Tensor:
    """Exponentials divided by their sum along an axis.

    Args:
        data: any shape.
        length: with `use_length`, how many elements along the axis count: the shape of the data without the axis, int32
            or int64. The elements after them do not count and come out as 0.
        axis: the axis along which the results sum to 1.
        temperature: divides the data first.
        dtype: of the result; that of the data unless given.
        use_length: whether `length` is given.
    """
    if (length is not None) != bool(use_length):
        word = "without" if length is None else "with"
        raise OpParamError(f"use_length={use_length} {word} input length; expected length exactly with use_length=True")
    axis = normal_axis(axis, data.dim())
    scaled = _scaled(data, temperature, dtype)
    if length is None:
        return _finished(torch.softmax(scaled, axis), data, dtype)
    valid = _valid_positions(data, length, axis)
    # Masked twice: a row of length 0 is 0 / 0 after the first.
    result = torch.softmax(scaled.masked_fill(~valid, -torch.inf), axis).masked_fill(~valid, 0.0)
    return _finished(result, data, dtype)


def _refuse_length(use_length: bool | None) -> None:
    if use_length:
        raise OpParamError("use_length=True, but this operator has no input length; only softmax has")


@operator("log_softmax", "_npx_log_softmax", alike=True, shape=like_data, names_input=True)
def log_softmax(
    data: Tensor,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DType | None = None,
    use_length: bool | None = False,
) -> Tensor:
    """The logarithm of softmax along an axis; the parameters are those of `softmax`, without lengths.

    Args:
        data: any shape.
        axis: the axis along which probabilities sum to 1.
        temperature: divides the data first.
        dtype: of the result; that of the data unless given.
        use_length: must be false: there is no input for lengths.
    """
    _refuse_length(use_length)
    axis = normal_axis(axis, data.dim())
    return _finished(torch.log_softmax(_scaled(data, temperature, dtype), axis), data, dtype)


@operator("softmin", alike=True)
def softmin(
    data: Tensor,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DType | None = None,
    use_length: bool | None = False,
) -> Tensor:
    """Softmax of the negated data along an axis; the parameters are those of `softmax`, without lengths.

    Args:
        data: any shape.
        axis: the axis along which the results sum to 1.
        temperature: divides the data first.
        dtype: of the result; that of the data unless given.
        use_length: must be false: there is no input for lengths.
    """
    _refuse_length(use_length)
    axis = normal_axis(axis, data.dim())
    return _finished(torch.softmax(-_scaled(data, temperature, dtype), axis), data, dtype)


@operator("SoftmaxActivation", alike=True)
def softmax_activation(data: Tensor, *, mode: Literal["channel", "instance"] = "instance") -> Tensor:
    """Softmax along the last axis (`instance`), or for each position along axis 1 (`channel`); prefer `softmax`.

    Args:
        data: floating numbers; 3 axes or more for `channel`.
        mode: which of the two.
    """
    expect_floating(data)
    if mode == "instance":
        return torch.softmax(data, -1)
    if data.dim() < 3:
        raise OpShapeError(f"expected data of 3 dimensions or more with mode='channel', got {data.dim()}")
    return torch.softmax(data, 1)


def subtract_classes(probabilities: Tensor, classes: Tensor, weight: float = 1.0) -> Tensor:
    """Subtracts `weight` from the probability of the given class, an index along axis 1, unless there is no such class.

    This is the gradient of cross entropy, without an array of one-hot targets.
    """
    inside = (classes >= 0) & (classes < probabilities.shape[1])
    index = classes.clamp(0, max(probabilities.shape[1] - 1, 0))
    return probabilities.scatter_add(1, index, inside.to(probabilities.dtype) * -weight)


class _SoftmaxCrossEntropy(torch.autograd.Function):
    """The logarithm is bounded, while the gradient is that of the unbounded one."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, label: Tensor) -> Tensor:
        probabilities = torch.softmax(data, 1)
        classes = label.to(torch.int64).unsqueeze(1)
        inside = (classes >= 0) & (classes < data.shape[1])
        chosen = probabilities.gather(1, classes.clamp(0, data.shape[1] - 1))
        ctx.save_for_backward(data, classes)
        return -torch.where(inside, chosen, 0.0).clamp(min=_SMALLEST_PROBABILITY).log().sum()

    @staticmethod
    def backward(ctx: Any, *heads: Tensor) -> tuple[Tensor, Tensor | None]:
        data, classes = ctx.saved_tensors
        no_gradient = torch.zeros_like(data[:, 0]) if ctx.needs_input_grad[1] else None
        # Computed again from the data, so that this can be differentiated once more.
        return subtract_classes(torch.softmax(data, 1), classes) * heads[0], no_gradient


@operator("softmax_cross_entropy")
def softmax_cross_entropy(data: Tensor, label: Tensor) -> Tensor:
    """The cross entropy between the softmax of each row and a class, summed over the rows.

    Args:
        data: one row of scores per example.
        label: the class of each row, of the dtype of the data.
    """
    expect_floating(data)
    same_dtype(data=data, label=label)
    if data.dim() != 2 or data.shape[1] == 0:
        raise OpShapeError(f"expected data of shape (examples, classes), got {tuple(data.shape)}")
    expect_shape("label", label, (data.shape[0],))
    return one_element(_SoftmaxCrossEntropy.apply(data, label))


@operator("_pick_log_softmax")
def pick_log_softmax(data: Tensor, index: Tensor) -> Tensor:
    """The negated log-softmax of one class per row: `-pick(log_softmax(data), index)` in one step.

    An operator of our own for the hot path of training; saved graphs never contain it.

    Args:
        data: one row of scores per example.
        index: a class for each row; one out of range counts as the nearest.
    """
    expect_floating(data)
    if data.dim() != 2 or index.shape not in ((data.shape[0],), (data.shape[0], 1)):
        raise OpShapeError(f"expected data of 2 axes and an index for each row, got index {tuple(index.shape)}")
    classes = classes_on(index, data.shape[1]).reshape(-1)
    return torch.nn.functional.cross_entropy(data, classes, reduction="none")


def _is_plain(params: Mapping[str, Any]) -> bool:
    return params["temperature"] is None and params["dtype"] is None and not params["use_length"]


def scaled_softmax(data: Tensor, axis: int, scale: float, in_place: bool) -> tuple[Tensor, Any]:
    """Softmax of the data times a number, and what its gradient needs."""
    ours = kernels_for(data) if axis == data.dim() - 1 and scale else None
    if ours is None:
        result = torch.softmax(data if scale == 1 else data.mul_(scale) if in_place else data * scale, axis)
    elif in_place:
        ours.scaled_softmax_(data, scale)
        result = data
    else:
        result = ours.scaled_softmax(data, scale)
    return result, (result, axis, scale, ours)


def scaled_softmax_gradient(saved: Any, grad: Tensor) -> Tensor:
    """The gradient of the data, from what `scaled_softmax` returned beside its result."""
    result, axis, scale, ours = saved
    if ours is not None:
        found: Tensor = ours.scaled_softmax_backward(grad.contiguous(), result, scale)
        return found
    found = softmax_backward(grad, result, axis, result.dtype)
    return found if scale == 1 else found.mul_(scale)


@gradient_of("softmax")
class Softmax(Rule):
    """Without lengths and temperature."""

    keeps_output = True
    applies = staticmethod(_is_plain)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = floating_data(arguments)
        return scaled_softmax(data, normal_axis(params.get("axis", -1), data.dim()), 1.0, False)

    @staticmethod
    def forward_in_place(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """Writes the result over the data."""
        data = floating_data(arguments)
        return scaled_softmax(data, normal_axis(params.get("axis", -1), data.dim()), 1.0, True)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return scaled_softmax_gradient(saved, grads[0]), None


def floating_data(arguments: Arguments) -> Tensor:
    """The first argument; refuses integers."""
    data = arguments[0]
    assert data is not None
    expect_floating(data)
    return data


@gradient_of("log_softmax")
class LogSoftmax(Rule):
    """Without temperature."""

    keeps_output = True
    applies = staticmethod(_is_plain)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = log_softmax(*arguments, **params)
        return result, (result, normal_axis(params.get("axis", -1), result.dim()))

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (result, axis), grad = saved, grads[0]
        assert grad is not None
        return (log_softmax_backward(grad, result, axis, result.dtype),)
