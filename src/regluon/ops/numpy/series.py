"""Differences of neighbours, polynomials and traces of mx.np."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import expect_shape, normal_axis, reaching, same_dtype
from ..precision import fitted
from ..registry import operator


def refuse_bool(data: Tensor, name: str) -> None:
    """Refuses a bool array where numbers are needed."""
    if data.dtype is torch.bool:
        raise OpTypeError(f"expected numbers, got {name} of bool; convert it with astype('int32')")


@operator("_npi_diff", returns_view=True)
def diff(a: Tensor, *, n: int = 1, axis: int = -1) -> Tensor:
    """Differences of neighbours along an axis, taken `n` times."""
    refuse_bool(a, "a")
    if n < 0:
        raise OpParamError(f"n={n}; expected at least 0")
    if a.dim() == 0:
        raise OpShapeError("expected an array of 1 dimension or more")
    return torch.diff(a, n, normal_axis(axis, a.dim()))


def _ediff1d_inputs(params: Mapping[str, Any]) -> tuple[str, ...]:
    return ("input1", "input2", "input3")[: 1 + params["to_begin_arr_given"] + params["to_end_arr_given"]]


@operator("_npi_ediff1d", takes=_ediff1d_inputs)
def ediff1d(
    input1: Tensor,
    input2: Tensor | None = None,
    input3: Tensor | None = None,
    *,
    to_begin_arr_given: bool = False,
    to_end_arr_given: bool = False,
    to_begin_scalar: float | None = None,
    to_end_scalar: float | None = None,
) -> Tensor:
    """Differences of neighbours in the flattened array, with something before and after them.

    Args:
        input1: the array.
        input2: what comes before, or, if that is no array, what comes after.
        input3: what comes after, if both are arrays.
        to_begin_arr_given: whether an array comes before.
        to_end_arr_given: whether an array comes after.
        to_begin_scalar: a number that comes before.
        to_end_scalar: a number that comes after.
    """
    refuse_bool(input1, "input1")
    same_dtype(input1=input1, input2=input2, input3=input3)
    arrays = [array for array in (input2, input3) if array is not None]
    if len(arrays) != to_begin_arr_given + to_end_arr_given:
        raise OpParamError(
            f"to_begin_arr_given={to_begin_arr_given}, to_end_arr_given={to_end_arr_given}, but received "
            f"{len(arrays)} arrays to put before and after"
        )
    parts = [torch.diff(input1.reshape(-1))]
    if to_begin_arr_given:
        parts.insert(0, arrays.pop(0).reshape(-1))
    elif to_begin_scalar is not None:
        parts.insert(0, _one_number(input1, to_begin_scalar))
    if to_end_arr_given:
        parts.append(arrays.pop(0).reshape(-1))
    elif to_end_scalar is not None:
        parts.append(_one_number(input1, to_end_scalar))
    return torch.cat(parts)


def _one_number(like: Tensor, value: float) -> Tensor:
    return torch.full((1,), fitted(value, like.dtype), dtype=like.dtype, device=like.device)


@operator(
    "_npi_backward_ediff1d",
    outputs=lambda params: 1 + params["to_begin_arr_given"] + params["to_end_arr_given"],
    takes=lambda params: ("ograd", *_ediff1d_inputs(params)),
)
def backward_ediff1d(
    ograd: Tensor,
    input1: Tensor,
    input2: Tensor | None = None,
    input3: Tensor | None = None,
    *,
    to_begin_arr_given: bool = False,
    to_end_arr_given: bool = False,
    to_begin_scalar: float | None = None,
    to_end_scalar: float | None = None,
) -> tuple[Tensor, ...]:
    """The gradients of `ediff1d` from the one of its result, one for each of its arrays."""
    first = input2 if to_begin_arr_given else None
    begin = first.numel() if first is not None else int(to_begin_scalar is not None)
    steps = ograd[begin : begin + max(input1.numel() - 1, 0)]
    edge = torch.zeros(1, dtype=ograd.dtype, device=ograd.device)
    gradients = [(torch.cat([edge, steps]) - torch.cat([steps, edge]))[: input1.numel()].reshape(input1.shape)]
    if first is not None:
        gradients.append(ograd[:begin].reshape(first.shape).clone())
    last = (input3 if to_begin_arr_given else input2) if to_end_arr_given else None
    if last is not None:
        gradients.append(ograd[ograd.numel() - last.numel() :].reshape(last.shape).clone())
    return tuple(gradients)


def _check_polynomial(p: Tensor, x: Tensor) -> None:
    same_dtype(p=p, x=x)
    refuse_bool(p, "p")
    if p.dim() != 1:
        raise OpShapeError(f"expected p to be a vector of coefficients, got shape {tuple(p.shape)}")


@operator("_npi_polyval", returns_view=True)
def polyval(p: Tensor, x: Tensor) -> Tensor:
    """The value of a polynomial at every element of `x`; its coefficients begin with that of the highest power."""
    _check_polynomial(p, x)
    if p.numel() <= 1:  # a constant
        return reaching(p[0].expand_as(x) if p.numel() else torch.zeros_like(x), p, x)
    value = p[0].expand_as(x)
    for coefficient in p[1:].unbind():
        value = torch.addcmul(coefficient, value, x)
    return value


@operator("_npi_backward_polyval", outputs=2)
def backward_polyval(ograd: Tensor, p: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of `polyval` from the one of its result: for the coefficients and for `x`."""
    _check_polynomial(p, x)
    expect_shape("ograd", ograd, tuple(x.shape))
    exponents = torch.arange(p.numel() - 1, -1, -1, device=p.device)
    powers = x.reshape(1, -1) ** exponents.reshape(-1, 1)
    slopes = (p * exponents)[:-1]
    return powers.to(p.dtype) @ ograd.reshape(-1), ograd * polyval(slopes.to(p.dtype), x)


@operator("_np_trace")
def trace(data: Tensor, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The sum along a diagonal.

    Args:
        data: the array.
        offset: how far above the main diagonal (below, if negative).
        axis1: the axis of the rows.
        axis2: the axis of the columns.
    """
    refuse_bool(data, "data")
    if data.dim() < 2:
        raise OpShapeError(f"expected an array of 2 dimensions or more, got shape {tuple(data.shape)}")
    rows, columns = normal_axis(axis1, data.dim(), "axis1"), normal_axis(axis2, data.dim(), "axis2")
    if rows == columns:
        raise OpParamError(f"axis1={axis1}, axis2={axis2}; expected two different axes")
    return torch.diagonal(data, offset, rows, columns).sum(-1, dtype=data.dtype)
