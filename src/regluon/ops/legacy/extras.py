"""Implement rarely used operators that old graphs contain."""

from typing import Any

import torch
from torch import Tensor

from ...errors import DynamicShapeError, OpParamError, OpShapeError
from ..common import expect_floating, expect_shape, grad_needed, in_float, normal_axis, same_dtype, same_shape
from ..dtype_rules import INDICES, SCALAR, DtypeRule
from ..gradient import recomputed
from ..integer_gradients import applied
from ..params import Ctx, DType, Shape, Training
from ..precision import fitted
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, along
from ..tensor.gather import embedding


@operator("_contrib_allclose", has_gradient=False)
def allclose(a: Tensor, b: Tensor, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = True) -> Tensor:
    """1 if |a - b| <= atol + rtol * |b| everywhere, else 0.

    Args:
        a: one array.
        b: the other one, of the same shape and dtype. Where it is infinite, everything finite is close to it.
        rtol: tolerance in proportion to `b`.
        atol: tolerance that is always granted.
        equal_nan: whether two NaN are equal.
    """
    same_shape(a, b)
    same_dtype(a=a, b=b)
    exact = torch.float64 if a.dtype is torch.float64 or not a.is_floating_point() else torch.float32
    lhs, rhs = a.detach().to(exact), b.detach().to(exact)
    near = (lhs == rhs) | ((lhs - rhs).abs() <= atol + rtol * rhs.abs())
    if equal_nan:
        near = near | (lhs.isnan() & rhs.isnan())
    return near.all().to(torch.uint8)


@operator("_contrib_arange_like", "_npx_arange_like", zero_gradient=True)
def arange_like(
    data: Tensor,
    *,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: Ctx | None = None,
    axis: int | None = None,
) -> Tensor:
    """Evenly spaced numbers in the shape and dtype of an array, or as many as one of its axes is long.

    Args:
        data: the array.
        start: the first number.
        step: how much each number is above the one before.
        repeat: how often each number comes in a row; the length stays the same.
        ctx: has no effect: the numbers are where the array is.
        axis: the axis that says how many; all elements are counted if not given.
    """
    if repeat < 1:
        raise OpParamError(f"repeat={repeat}; expected at least 1")
    shape = tuple(data.shape) if axis is None else (data.shape[normal_axis(axis, data.dim())],)
    count = torch.Size(shape).numel()
    dtype = data.dtype
    exact = torch.float64 if dtype.is_floating_point else torch.int64
    places = torch.arange(count, device=data.device)
    if repeat > 1:
        places = places // repeat
    kept = exact if dtype.is_floating_point else dtype
    return (places.to(exact) * fitted(step, kept) + fitted(start, kept)).to(dtype).reshape(shape)


@operator("_contrib_boolean_mask", "_npi_boolean_mask", reads_values=True, dtypes=DtypeRule(free=("index",)))
def boolean_mask(data: Tensor, index: Tensor, *, axis: int = 0) -> Tensor:
    """The rows of an array where a vector is not 0.

    Args:
        data: the array.
        index: as long as the first axis.
        axis: only 0.
    """
    if axis != 0:
        raise OpParamError(f"axis={axis}; expected 0: only whole rows can be chosen")
    if data.dim() == 0 or index.dim() != 1 or index.shape[0] != data.shape[0]:
        raise OpShapeError(f"expected index with one number for each of the rows, got shape {tuple(index.shape)}")
    if data.device.type == "meta":
        raise DynamicShapeError(
            "the shape of the result depends on the data of index, so it cannot be known beforehand"
        )
    return data[index.detach() != 0]


@operator("_contrib_index_array", zero_gradient=True, dtypes=INDICES)
def index_array(data: Tensor, *, axes: Shape | None = None) -> Tensor:
    """For every element its place in the array, as int64 along a new last axis.

    Args:
        data: the array; only its shape counts.
        axes: the axes along which the place is given; all if not given.
    """
    ndim = data.dim()
    chosen = range(ndim) if axes is None else [normal_axis(axis, ndim, "axes") for axis in axes]
    if not chosen:
        return torch.empty((*data.shape, 0), dtype=torch.int64, device=data.device)
    places = []
    for axis in chosen:
        along = torch.arange(data.shape[axis], device=data.device)
        places.append(along.reshape([-1 if i == axis else 1 for i in range(ndim)]).expand(data.shape))
    return torch.stack(places, -1)


@operator("_contrib_index_copy", dtypes=DtypeRule(free=("index_vector",)))
def index_copy(old_tensor: Tensor, index_vector: Tensor, new_tensor: Tensor) -> Tensor:
    """A copy of an array with some of its rows replaced.

    Args:
        old_tensor: the array.
        index_vector: which rows are replaced; the last one counts if a row is named twice.
        new_tensor: the new rows.
    """
    if old_tensor.dim() == 0 or index_vector.dim() != 1:
        raise OpShapeError(f"expected a vector as index_vector, got shape {tuple(index_vector.shape)}")
    same_dtype(old_tensor=old_tensor, new_tensor=new_tensor)
    expect_shape("new_tensor", new_tensor, (index_vector.shape[0], *old_tensor.shape[1:]))
    return old_tensor.index_copy(0, index_vector.detach().to(torch.int64), new_tensor)


@operator("_contrib_backward_index_copy", outputs=3)
def backward_index_copy(
    ograd: Tensor, old_tensor: Tensor, index_vector: Tensor, new_tensor: Tensor
) -> tuple[Tensor, ...]:
    """The gradients of `index_copy` from the one of its result: what was replaced gets none."""
    same_shape(ograd, old_tensor)
    expect_shape("new_tensor", new_tensor, (index_vector.shape[0], *old_tensor.shape[1:]))
    places = index_vector.detach().to(torch.int64)
    kept = ograd.index_fill(0, places, 0)
    return kept, torch.zeros_like(index_vector), ograd.index_select(0, places)


@operator("_contrib_quadratic", alike=True)
def quadratic(data: Tensor, *, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> Tensor:
    """a * x * x + b * x + c for every element x."""
    return in_float(lambda values: recomputed(lambda x: (a * x + b) * x + c, values), data)


@operator("_contrib_backward_quadratic", alike=True)
def backward_quadratic(ograd: Tensor, data: Tensor, *, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> Tensor:
    """The gradient of `quadratic` from the one of its result."""
    same_shape(ograd, data)
    same_dtype(ograd=ograd, data=data)
    return in_float(lambda x: 2 * a * x + b, data) * ograd


class _GradientMultiplier(torch.autograd.Function):
    """The identity; its gradient is multiplied."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, factor: float) -> Tensor:
        ctx.factor = factor
        return data.view_as(data)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return grads[0] * ctx.factor, None


@operator("_contrib_gradientmultiplier", returns_view=True, alike=True, dtypes=SCALAR)
def gradient_multiplier(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
    """The data as it is, with its gradient multiplied by a number; a negative one reverses the gradient.

    Args:
        data: any array.
        scalar: the number.
        is_int: has no effect.
    """
    return applied(_GradientMultiplier, data, scalar) if grad_needed(data) else data


@operator("_contrib_backward_gradientmultiplier", alike=True, dtypes=SCALAR)
def backward_gradient_multiplier(data: Tensor, *, scalar: float = 1.0, is_int: bool = True) -> Tensor:
    """A gradient, multiplied as `gradientmultiplier` does."""
    return data * fitted(scalar, data.dtype)


class _StraightThrough(torch.autograd.Function):
    """A value in place of the data, whose gradient passes as if nothing had happened."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, value: Tensor) -> Tensor:
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return grads[0], None


@operator("_contrib_round_ste", "_sparse__contrib_round_ste", returns_view=True, alike=True)
def round_ste(data: Tensor) -> Tensor:
    """The nearest whole number, halves away from zero; the gradient passes unchanged."""
    if not data.is_floating_point():
        return data
    plain = data.detach()
    whole = plain.trunc()
    value = torch.where((plain - whole).abs() >= 0.5, whole + plain.sign(), whole)
    return applied(_StraightThrough, data, value) if grad_needed(data) else value


@operator("_contrib_sign_ste", "_sparse__contrib_sign_ste", alike=True)
def sign_ste(data: Tensor) -> Tensor:
    """-1, 0 or 1 by the sign of every element; the gradient passes unchanged."""
    value = data.detach().sign()
    return applied(_StraightThrough, data, value) if grad_needed(data) else value


@operator("_split_v2_backward")
def split_v2_backward(
    *ograds: Tensor, indices: Shape, axis: int = 1, squeeze_axis: bool = False, sections: int = 0
) -> Tensor:
    """The gradient of `split_v2` from those of the parts: put together again.

    Args:
        ograds: gradients of the parts.
        indices: where each part starts; the first number is 0.
        axis: the axis that was cut.
        squeeze_axis: whether the parts lack the axis.
        sections: the number of parts, if the axis was cut into so many instead.
    """
    same_dtype(**{f"ograds[{i}]": grad for i, grad in enumerate(ograds)})
    count = sections if sections > 0 else len(indices)
    if len(ograds) != count:
        raise OpShapeError(f"expected gradients of {count} parts, got {len(ograds)}")
    first = tuple(ograds[0].shape)
    axis = normal_axis(axis, len(first) + squeeze_axis)
    for grad in ograds:
        if squeeze_axis or grad.dim() != len(first):
            expect_shape("every part", grad, first)
        else:
            expect_shape("every part", grad, (*first[:axis], grad.shape[axis], *first[axis + 1 :]))
    return torch.stack(ograds, axis) if squeeze_axis else torch.cat(ograds, axis)


def _weight_shape(data: Shape, *, input_dim: int, output_dim: int, **_: Any) -> dict[str, Shape]:
    return {"weight": (input_dim, output_dim)}


@operator("_contrib_SparseEmbedding", completes=_weight_shape, zero_inputs=("data",), dtypes=DtypeRule(free=("data",)))
def sparse_embedding(
    data: Tensor,
    weight: Tensor,
    *,
    input_dim: int,
    output_dim: int,
    dtype: DType = torch.float32,
    deterministic: bool = False,
    sparse_grad: bool = False,
) -> Tensor:
    """Replaces every index by a row of the weight, as `Embedding` does, which stands in its place now.

    Args:
        data: the indices; one out of range takes the first or last row.
        weight: (input_dim, output_dim).
        input_dim: the number of rows.
        output_dim: their length.
        dtype: of a weight that is yet to be made.
        deterministic: has no effect; the gradient always adds up in one order.
        sparse_grad: whether the gradient of the weight may hold only the rows that were used.
    """
    return embedding(data, weight, input_dim=input_dim, output_dim=output_dim, dtype=dtype, sparse_grad=sparse_grad)


@shape_of("_contrib_arange_like")
def _range_like_shape(specs: Specs, params: Params) -> Result:
    if specs[0] is None or params["repeat"] < 1 or 0 in specs[0][0]:
        return None
    if params["axis"] is None:
        return [specs[0]]
    found = along(specs, params)
    return None if found is None else [((found[0][found[1]],), found[2])]


def _expect_signals(data: Tensor) -> None:
    expect_floating(data)
    if data.dim() not in (2, 4):
        raise OpShapeError(f"expected data of 2 or 4 dimensions, got shape {tuple(data.shape)}")


def _exact(data: Tensor) -> Tensor:
    return data if data.dtype is torch.float64 else data.float()


@operator("_contrib_fft")
def fft(data: Tensor, *, compute_size: int = 128) -> Tensor:
    """The Fourier transform along the last axis.

    Args:
        data: real signals, with 2 or 4 axes.
        compute_size: has no effect.

    Returns:
        Real and imaginary parts by turns along the last axis, which is twice as long.
    """
    _expect_signals(data)
    transformed = torch.fft.fft(_exact(data))
    return torch.view_as_real(transformed).flatten(-2).to(data.dtype)


@operator("_contrib_ifft")
def ifft(data: Tensor, *, compute_size: int = 128) -> Tensor:
    """The inverse Fourier transform along the last axis, not divided by the length: divide to undo `fft`.

    Args:
        data: real and imaginary parts by turns, with 2 or 4 axes.
        compute_size: has no effect.

    Returns:
        The real parts, half as many.
    """
    _expect_signals(data)
    if data.shape[-1] % 2:
        raise OpShapeError(f"expected pairs of numbers along the last axis, got a length of {data.shape[-1]}")
    pairs = _exact(data).reshape(*data.shape[:-1], data.shape[-1] // 2, 2).contiguous()
    return torch.fft.ifft(torch.view_as_complex(pairs), norm="forward").real.to(data.dtype)


def _hash_shapes(data: Shape, **_: Any) -> dict[str, Shape]:
    return {"h": (1, data[-1]), "s": (1, data[-1])}


@operator("_contrib_count_sketch", completes=_hash_shapes)
def count_sketch(data: Tensor, h: Tensor, s: Tensor, *, out_dim: int, processing_batch_size: int = 32) -> Tensor:
    """Adds up the elements along the last axis in fewer places, each element with a sign of its own.

    Args:
        data: 2 or 4 axes, the last of length n.
        h: (1, n); the place of each element, from 0 to out_dim - 1.
        s: (1, n); its sign, 1 or -1.
        out_dim: number of places.
        processing_batch_size: has no effect.
    """
    _expect_signals(data)
    same_dtype(data=data, h=h, s=s)
    if out_dim < 1:
        raise OpParamError(f"out_dim={out_dim}; expected at least 1")
    expect_shape("h", h, (1, data.shape[-1]))
    expect_shape("s", s, (1, data.shape[-1]))
    places = h.detach().reshape(-1).to(torch.int64)
    sums = data.new_zeros((*data.shape[:-1], out_dim))
    return sums.index_add(-1, places, data * s.detach().reshape(-1))


class _Regularized(torch.autograd.Function):
    """The identity that adds a constant to the gradient."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, extra: Tensor) -> Tensor:
        ctx.save_for_backward(extra)
        return data.view_as(data)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] + ctx.saved_tensors[0], None


def _channel_shape(data: Shape, **_: Any) -> dict[str, Shape]:
    return {"moving_avg": (data[1],)}


@operator(
    "IdentityAttachKLSparseReg",
    returns_view=True,
    auxiliary=("moving_avg",),
    completes=_channel_shape,
    initializers={"moving_avg": '["zero", {}]'},
)
def identity_attach_kl_sparse_reg(
    data: Tensor,
    moving_avg: Tensor,
    *,
    sparseness_target: float = 0.1,
    penalty: float = 0.001,
    momentum: float = 0.9,
    training: Training,
) -> tuple[Tensor, tuple[Tensor | None]]:
    """The identity whose gradient pulls the mean activation of each unit to a target, for sparse autoencoders.

    Args:
        data: activations between 0 and 1, units along axis 1.
        moving_avg: the running mean activation of each unit; a state.
        sparseness_target: the mean activation wanted.
        penalty: weight of the pull.
        momentum: share of the old running mean in the new one.
        training: without it the operator is a plain identity.
    """
    if data.dim() != 2:
        raise OpShapeError(f"expected data of shape (batch, units), got {tuple(data.shape)}")
    same_dtype(data=data, moving_avg=moving_avg)
    expect_shape("moving_avg", moving_avg, (data.shape[1],))
    if not training:
        return data, (None,)
    mean = momentum * moving_avg.detach() + (1 - momentum) * data.detach().mean(0)
    pull = penalty * ((1 - sparseness_target) / (1 - mean) - sparseness_target / mean)
    return _Regularized.apply(data, pull), (mean,)
