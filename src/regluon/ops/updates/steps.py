"""Steps that several update rules share, on whole lists of tensors."""

from collections.abc import Sequence

import torch

from ...torch_private import foreach, fused_adam, fused_sgd
from ..scalars import as_float
from .rule import Rates, Tensors

_FUSED_DEVICES = ("cpu", "cuda")


def rescaled(grads: Tensors, rescale: float) -> Tensors:
    """rescale * grads."""
    return grads if rescale == 1 else foreach.mul(grads, rescale)


def clipped(grads: Tensors, limit: float) -> Tensors:
    """Gradients limited to [-limit, limit]; a negative limit means none."""
    if limit < 0:
        return grads
    limited = foreach.clamp_max(grads, as_float(limit, grads[0].dtype))
    foreach.clamp_min_(limited, as_float(-limit, grads[0].dtype))
    return limited


def clip_(tensors: Tensors, limit: float) -> None:
    """Limits tensors to [-limit, limit] in place."""
    foreach.clamp_max_(tensors, as_float(limit, tensors[0].dtype))
    foreach.clamp_min_(tensors, as_float(-limit, tensors[0].dtype))


def decayed(grads: Tensors, weights: Tensors, wd: Rates) -> Tensors:
    """grads + wd * weights."""
    if isinstance(wd[0], float):
        if not any(wd):
            return grads
        if wd.count(wd[0]) == len(wd):
            return foreach.add(grads, weights, alpha=wd[0])
    return foreach.add(grads, foreach.mul(weights, wd))


def negative(values: Rates) -> Rates:
    """-values."""
    return [-value for value in values]


def move_average(averages: Tensors, values: Tensors, keep: float) -> None:
    """averages = keep * averages + (1 - keep) * values."""
    foreach.mul_(averages, keep)
    foreach.add_(averages, values, alpha=1 - keep)


def move_square_average(averages: Tensors, values: Tensors, keep: float) -> None:
    """averages = keep * averages + (1 - keep) * values ** 2."""
    foreach.mul_(averages, keep)
    foreach.addcmul_(averages, values, values, value=1 - keep)


def roots_plus(values: Tensors, plus: float) -> Tensors:
    """sqrt(values) + plus."""
    roots = foreach.sqrt(values)
    foreach.add_(roots, plus)
    return roots


def can_fuse(*lists: Tensors) -> bool:
    """Whether torch's fused kernels, which do not look at strides, may run on these."""
    if fused_sgd is None or fused_adam is None:
        return False
    is_contiguous = torch.Tensor.is_contiguous
    return lists[0][0].device.type in _FUSED_DEVICES and all(all(map(is_contiguous, tensors)) for tensors in lists)


def by_rates(lr: Sequence[float], wd: Sequence[float], *lists: Tensors) -> list[tuple[float, float, list[Tensors]]]:
    """The lists, split into groups of one learning rate and weight decay, which fused kernels want."""
    if lr.count(lr[0]) == len(lr) and wd.count(wd[0]) == len(wd):
        return [(lr[0], wd[0], list(lists))]
    places: dict[tuple[float, float], list[int]] = {}
    for place, rates in enumerate(zip(lr, wd, strict=True)):
        places.setdefault(rates, []).append(place)
    return [(*rates, [[each[i] for i in chosen] for each in lists]) for rates, chosen in places.items()]
