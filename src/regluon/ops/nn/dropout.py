"""Dropout."""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...errors import OpIndexError, OpParamError
from ..common import expect_floating
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Rng, Shape, Training
from ..registry import operator


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
