"""Percentiles and counts of `mx.np`."""

from collections.abc import Iterable
from typing import Literal

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import DynamicShapeError, OpParamError, OpShapeError, OpTypeError
from ..common import expect_shape, prod
from ..dtype_rules import DtypeRule
from ..params import Shape
from ..registry import operator
from .reduction import empty_result, with_axes
from .series import refuse_bool


def _percentile_dtype(data: torch.dtype) -> torch.dtype:
    return torch.float64 if data is torch.float64 else torch.float32


def _count_dtype(dtypes: Iterable[torch.dtype]) -> torch.dtype:
    """That of the numbers counted, or, for sums of weights, that of the weights: the last input."""
    return list(dtypes)[-1]


@operator(
    "_npi_percentile",
    zero_gradient=True,
    reads_values=True,
    takes=lambda params: ("a", "q") if params["q_scalar"] is None else ("a",),
    dtypes=DtypeRule(free=("q",), outputs=(_percentile_dtype,)),
)
def percentile(
    a: Tensor,
    q: Tensor | None = None,
    *,
    axis: Shape | None = None,
    interpolation: Literal["higher", "linear", "lower", "midpoint", "nearest"] = "linear",
    keepdims: bool = False,
    q_scalar: float | None = None,
) -> Tensor:
    """The percentiles of the elements along axes, without gradient; float64 of float64, float32 of anything else.

    Args:
        a: the array.
        q: which percentiles, one number or a vector that becomes the first axis of the result.
        axis: the axes to reduce, one or several; all if there is none.
        interpolation: what to do between two elements.
        keepdims: keep the reduced axes with length 1.
        q_scalar: one percentile, instead of `q`.
    """
    refuse_bool(a, "a")
    wanted = _percents(a, q, q_scalar)
    target = torch.float64 if a.dtype is torch.float64 else torch.float32
    data, axes, keepable = with_axes(a.detach(), axis)
    kept = [each for each in range(data.dim()) if each not in axes]
    count = prod(data.shape[each] for each in axes)
    rows = data.permute(*kept, *axes).reshape(*(data.shape[each] for each in kept), count)
    shape = empty_result(data, axes, keepdims and keepable, torch.bool).shape
    if count == 0:
        raise OpShapeError("expected at least one element to choose from, got none")
    ranks = torch.sort(rows.to(target), -1).values.movedim(-1, 0)
    result = _between(ranks, wanted.reshape(-1) / 100 * (count - 1), interpolation)
    result = result.masked_fill(torch.isnan(ranks[-1]), torch.nan)  # NaN is sorted to the end
    return result.reshape(wanted.shape + shape)


def _percents(a: Tensor, q: Tensor | None, q_scalar: float | None) -> Tensor:
    if q_scalar is not None:
        wanted = torch.full((), q_scalar, dtype=torch.float64, device=a.device)
        valid = 0 <= q_scalar <= 100
    elif q is None:
        raise OpParamError("expected the percentiles as q or as q_scalar, got neither")
    else:
        if q.dim() > 1:
            raise OpShapeError(f"expected q to be a number or a vector, got shape {tuple(q.shape)}")
        wanted = q.detach().to(torch.float64)
        valid = wanted.device.type == "meta" or bool(((wanted >= 0) & (wanted <= 100)).all())
    if not valid:
        raise OpParamError("expected percentiles from 0 to 100")
    return wanted


def _between(ranks: Tensor, places: Tensor, interpolation: str) -> Tensor:
    """The elements of sorted rows, the first axis, at places that may lie between two."""
    if interpolation == "nearest":
        return ranks[torch.floor(places + 0.5).long()]
    low, high = torch.floor(places).long(), torch.ceil(places).long()
    if interpolation == "lower":
        return ranks[low]
    if interpolation == "higher":
        return ranks[high]
    share = (places - low) if interpolation == "linear" else torch.full_like(places, 0.5)
    return torch.lerp(ranks[low], ranks[high], share.to(ranks.dtype).reshape([-1] + [1] * (ranks.dim() - 1)))


@operator(
    "_npi_bincount",
    zero_gradient=True,
    reads_values=True,
    takes=lambda params: ("data", "weights") if params["has_weights"] else ("data",),
    dtypes=DtypeRule(mixed=_count_dtype, takes={"data": torch.int32}),
)
def bincount(data: Tensor, weights: Tensor | None = None, *, minlength: int = 0, has_weights: bool = False) -> Tensor:
    """How often each of the numbers 0, 1, 2, ... occurs, or the sums of their weights, without gradient.

    Args:
        data: a vector of integers, none below 0; counts have its dtype.
        weights: one for each, as which it is counted; sums have their dtype.
        minlength: the least length of the result.
        has_weights: whether there are weights.
    """
    refuse_bool(data, "data")
    if data.is_floating_point():
        raise OpTypeError(f"expected integers, got data of {NAME_OF_TORCH[data.dtype]}; use astype('int32')")
    if data.dim() > 1:
        raise OpShapeError(f"expected data to be a vector, got shape {tuple(data.shape)}")
    if has_weights != (weights is not None):
        raise OpParamError(f"has_weights={has_weights}, but weights {'are not' if has_weights else 'are'} given")
    if weights is not None:
        refuse_bool(weights, "weights")
        expect_shape("weights", weights, tuple(data.shape))
    if data.device.type == "meta":
        raise DynamicShapeError("the length of the result depends on the data, so it cannot be known beforehand")
    places = data.reshape(-1).long()
    length = max(minlength, 0)
    if places.numel():
        least, most = (int(each) for each in torch.aminmax(places))
        if least < 0:
            raise OpParamError(f"expected numbers of at least 0, got {least}")
        length = max(length, most + 1)
    if weights is None:
        return torch.bincount(places, minlength=length).to(data.dtype)
    sums = torch.zeros(length, dtype=weights.dtype, device=data.device)
    return sums.index_add_(0, places, weights.detach().reshape(-1))
