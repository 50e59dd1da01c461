"""Normalization: over a batch, a layer, groups of channels, an instance, neighbouring channels, to unit length."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ...kernels.eligibility import kernels_for
from ...kernels.layout import to_channels_last
from ...kernels.normalization_sums import (
    LongLayerNorm,
    is_long,
    layer_norm_gradients,
    statistics_of_rows,
    sums_row_by_row,
)
from ...torch_private import native_batch_norm_backward, threshold_backward
from ..common import (
    ZeroGradient,
    expect_floating,
    expect_shape,
    grad_needed,
    normal_axis,
    prod,
    same_dtype,
)
from ..dtype_rules import DtypeRule
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Shape, Training
from ..registry import operator
from ..shape_rules import like_data
from .checks import explain_length

_REDUCED = (torch.float16, torch.bfloat16)
# What all forms of batch normalization declare.
BATCH_NORM: dict[str, Any] = {
    "auxiliary": ("moving_mean", "moving_var"),
    "dtypes": DtypeRule(keeps_single=True),
    "shape": like_data,
    "initializers": {"moving_mean": '["zero", {}]', "moving_var": '["one", {}]'},
}
STATISTICS = ("output", "mean", "var")


def _num_outputs(params: Mapping[str, Any]) -> int:
    return 3 if params["output_mean_var"] else 1


def _batch_norm_shapes(data: Shape, *, axis: int = 1, **_: Any) -> dict[str, Shape]:
    shape = (data[normal_axis(axis, len(data))],)
    return {"gamma": shape, "beta": shape, "moving_mean": shape, "moving_var": shape}


def _check_batch_norm(data: Tensor, axis: int, **inputs: Tensor) -> None:
    expect_floating(data)
    dtype = torch.float32 if data.dtype in _REDUCED else data.dtype
    shape = (data.shape[axis],)
    for name, tensor in inputs.items():
        if tensor.dtype is not dtype:
            raise OpTypeError(f"expected {name} of {NAME_OF_TORCH[dtype]}, got {NAME_OF_TORCH[tensor.dtype]}")
        if tensor.shape != shape:
            _refuse_length(name, tensor, data, axis)


def _refuse_length(name: str, tensor: Tensor, data: Tensor, axis: int) -> None:
    """Says that an input is not as long as the axis that is normalized, and which one is."""
    try:
        expect_shape(name, tensor, (data.shape[axis],))
    except OpShapeError as error:
        length = tensor.shape[0] if tensor.dim() == 1 else 0
        raise explain_length(error, tuple(data.shape), length, axis) from None


def _channels_second(data: Tensor, axis: int) -> Tensor:
    """The data with its channels as axis 1, by joining the axes on either side."""
    if axis == 1:
        return data
    shape = data.shape
    inner = prod(shape[axis + 1 :])
    rows = prod(shape[:axis])
    return data.reshape(rows, shape[axis]) if inner == 1 else data.reshape(rows, shape[axis], inner)


@operator(
    "BatchNorm",
    "_npx_batch_norm",
    outputs=_num_outputs,
    completes=_batch_norm_shapes,
    total_outputs=3,
    output_names=STATISTICS,
    **BATCH_NORM,
)
def batch_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    *,
    eps: float = 0.0010000000474974513,  # 0.001 as a 32-bit float, although the parameter is a double
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    training: Training,
) -> Any:
    """Gives every channel the mean `beta` and the deviation `gamma`, judged by the batch or by moving averages.

    Args:
        data: any number of axes, one of them the channels.
        gamma: (channels,); float32 for float16 data, as are all further inputs.
        beta: (channels,).
        moving_mean: (channels,); average over past batches, updated in training.
        moving_var: (channels,); likewise.
        eps: added to the variance.
        momentum: how much of the old average an update keeps.
        fix_gamma: whether gamma counts as 1 and gets no gradient.
        use_global_stats: whether to use the moving averages in training too, and leave them alone.
        output_mean_var: whether to return the mean and 1 / sqrt(variance + eps) of the channels as well.
        axis: where the channels are.
        cudnn_off: has no effect.
        min_calib_range: has no effect; quantized graphs use it.
        max_calib_range: has no effect; quantized graphs use it.
        training: whether the batch counts.
    """
    axis = normal_axis(axis, data.dim())
    _check_batch_norm(data, axis, gamma=gamma, beta=beta, moving_mean=moving_mean, moving_var=moving_var)
    if fix_gamma:
        unit = torch.ones_like(gamma)
        gamma = ZeroGradient.apply(unit, gamma) if grad_needed(gamma) else unit
    rows = _channels_second(data, axis)
    by_batch = training and not use_global_stats
    if by_batch:
        result, updates = _by_batch(rows, gamma, beta, moving_mean, moving_var, momentum, eps)
    else:
        mean, var = moving_mean.detach(), moving_var.detach()
        if output_mean_var or grad_needed(data, gamma, beta):
            # Later training changes the averages, which torch still needs as they are for the gradient.
            mean, var = mean.clone(), var.clone()
        cudnn = torch.backends.cudnn.enabled
        result, updates = torch.batch_norm(rows, gamma, beta, mean, var, False, 0.0, eps, cudnn), None
    if axis != 1:
        result = result.reshape(data.shape)
    if not output_mean_var:
        return result, updates
    if by_batch:
        axes = [i for i in range(rows.dim()) if i != 1]
        var, mean = torch.var_mean(rows.detach().to(gamma.dtype), axes, correction=0)
    return (result, mean, torch.rsqrt(var + eps)), updates


def _by_batch(
    data: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, var: Tensor, momentum: float, eps: float
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Normalizes by the batch's statistics; returns the new moving averages too."""
    gamma = gamma.contiguous()  # torch's gradient for contiguous data reads what lies between the elements of a view
    count = data.numel() // max(data.shape[1], 1)
    cudnn = torch.backends.cudnn.enabled
    if count == 0:  # nothing that averages could move to
        return torch.batch_norm(data, gamma, beta, None, None, True, 0.0, eps, cudnn), (mean.clone(), var.clone())
    if count < 2:  # no variance, and torch would divide by 0
        # Centered before it is scaled: torch scales first, where digits of large numbers are lost.
        result = torch.batch_norm(data - data.detach(), gamma, beta, None, None, True, 0.0, eps, cudnn)
        new_mean = momentum * mean.detach() + (1 - momentum) * data.detach().reshape(mean.shape).to(mean.dtype)
        return result, (new_mean, momentum * var.detach())
    # Torch averages the unbiased variance, MXNet the biased one: scaled before and after, the two agree.
    ratio = count / (count - 1)
    new_mean, scaled = mean.detach().clone(), var.detach() * ratio
    result = torch.batch_norm(data, gamma, beta, new_mean, scaled, True, 1 - momentum, eps, cudnn)
    return result, (new_mean, scaled / ratio)


def batch_norm_by_batch(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    *,
    eps: float = 0.0010000000474974513,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    **_: Any,
) -> tuple[Any, Any]:
    """What `batch_norm` returns in training for channels in axis 1, and what its gradient needs."""
    _check_batch_norm(data, 1, gamma=gamma, beta=beta, moving_mean=moving_mean, moving_var=moving_var)
    scale = torch.ones_like(gamma) if fix_gamma else gamma
    count = data.numel() // max(data.shape[1], 1)
    if count == 0:  # nothing that averages could move to, and torch refuses some of these shapes
        averages = moving_mean.clone(), moving_var.clone()
        return (data.clone(), averages), (data, scale, averages[0], torch.rsqrt(averages[1] + eps), eps, fix_gamma)
    if count == 1:
        mean, inverse = data.reshape(-1).to(moving_mean.dtype), torch.rsqrt(torch.full_like(moving_var, eps))
        result = torch.native_batch_norm(data - data, scale, beta, None, None, True, 0.0, eps)[0]
        averages = torch.lerp(moving_mean, mean, 1 - momentum), momentum * moving_var
        return (result, averages), (data, scale, mean, inverse, eps, fix_gamma)
    if sums_row_by_row(data):
        mean, var = statistics_of_rows(data)
        inverse = torch.rsqrt(var + eps)
        result = torch.native_batch_norm(data, scale, beta, mean, var, False, 0.0, eps)[0]
        averages = torch.lerp(moving_mean, mean, 1 - momentum), torch.lerp(moving_var, var, 1 - momentum)
        return (result, averages), (data, scale, mean, inverse, eps, fix_gamma)
    # Torch averages the unbiased variance, MXNet the biased one: scaled before and after, the two agree.
    ratio = count / (count - 1)
    new_mean, scaled = moving_mean.clone(), moving_var * ratio
    result, mean, inverse = torch.native_batch_norm(data, scale, beta, new_mean, scaled, True, 1 - momentum, eps)
    return (result, (new_mean, scaled / ratio)), (data, scale, mean, inverse, eps, fix_gamma)


def _layer_norm_shapes(data: Shape, *, axis: int, **_: Any) -> dict[str, Shape]:
    shape = (data[normal_axis(axis, len(data))],)
    return {"gamma": shape, "beta": shape}


@operator(
    "LayerNorm",
    "_npx_layer_norm",
    outputs=_num_outputs,
    completes=_layer_norm_shapes,
    shape=like_data,
    total_outputs=3,
    output_names=("output", "mean", "std"),
)
def layer_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, *, axis: int = -1, eps: float = 1e-5, output_mean_var: bool = False
) -> Any:
    """Normalizes along one axis, then multiplies by gamma and adds beta.

    Args:
        data: any number of axes.
        gamma: as long as the axis.
        beta: as long as the axis.
        axis: which axis.
        eps: added to the variance.
        output_mean_var: whether to return the mean and the deviation, sqrt(variance + eps), as well.
    """
    expect_floating(data)
    same_dtype(data=data, gamma=gamma, beta=beta)
    axis = normal_axis(axis, data.dim())
    length = (data.shape[axis],)
    if gamma.shape != length or beta.shape != length:
        _refuse_length("gamma", gamma, data, axis)
        _refuse_length("beta", beta, data, axis)
    is_last = axis == data.dim() - 1
    rows = data if is_last else data.movedim(axis, -1)
    if not output_mean_var:
        if is_long(rows) and grad_needed(gamma, beta):
            result = LongLayerNorm.apply(rows.contiguous(), gamma, beta, eps)
        else:
            result = torch.layer_norm(rows, length, gamma, beta, eps)
        return result if is_last else result.movedim(-1, axis).contiguous()
    results = torch.native_layer_norm(rows, length, gamma, beta, eps)
    result, mean, inverse = (each.movedim(-1, axis).contiguous() for each in results)
    return result, *_statistics(mean, inverse, data.dtype)


def _statistics(mean: Tensor, inverse: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Mean and deviation as MXNet returns them: without gradient, in the dtype of the data."""
    return mean.detach().to(dtype), inverse.detach().reciprocal().to(dtype)


def _group_norm_shapes(data: Shape, *, num_groups: int, **_: Any) -> dict[str, Shape]:
    return {"gamma": (num_groups,), "beta": (num_groups,)}


def _by_group(data: Tensor, gamma: Tensor, beta: Tensor, groups: int, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    batch, channels = data.shape[:2]
    # The kernel reads memory in order without looking at strides.
    data, gamma, beta = data.contiguous(), gamma.contiguous(), beta.contiguous()
    return torch.native_group_norm(data, gamma, beta, batch, channels, prod(data.shape[2:]), groups, eps)


@operator(
    "GroupNorm",
    outputs=_num_outputs,
    completes=_group_norm_shapes,
    shape=like_data,
    total_outputs=3,
    output_names=("output", "mean", "std"),
)
def group_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    *,
    num_groups: int = 1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
) -> Any:
    """Normalizes groups of channels of each sample, then multiplies by gamma and adds beta.

    Args:
        data: (batch, channels, *sizes).
        gamma: (num_groups,), one factor for all channels of a group.
        beta: (num_groups,).
        num_groups: number of groups.
        eps: added to the variance.
        output_mean_var: whether to return the mean and the deviation, sqrt(variance + eps), as well; both
            (batch, num_groups).
    """
    expect_floating(data)
    same_dtype(data=data, gamma=gamma, beta=beta)
    if data.dim() < 3:
        raise OpShapeError(f"expected data of at least 3 dimensions (batch, channels, sizes), got {data.dim()}")
    channels = data.shape[1]
    if num_groups < 1 or channels % num_groups:
        raise OpParamError(f"num_groups={num_groups} does not divide the {channels} channels evenly")
    each = channels // num_groups
    for name, tensor in (("gamma", gamma), ("beta", beta)):
        expect_shape(name, tensor.reshape(-1), (num_groups,))
    weight, bias = (tensor.reshape(-1, 1).expand(-1, each).reshape(-1) for tensor in (gamma, beta))
    result, mean, inverse = _by_group(data, weight, bias, num_groups, eps)
    return (result, *_statistics(mean, inverse, data.dtype)) if output_mean_var else result


def _instance_norm_shapes(data: Shape, **_: Any) -> dict[str, Shape]:
    if len(data) < 2:
        raise OpShapeError(f"data has the shape {data}; expected (batch, channels, *sizes)")
    return {"gamma": (data[1],), "beta": (data[1],)}


@operator("InstanceNorm", completes=_instance_norm_shapes, shape=like_data, total_outputs=3, output_names=STATISTICS)
def instance_norm(data: Tensor, gamma: Tensor, beta: Tensor, *, eps: float = 1e-3) -> Tensor:
    """Normalizes every channel of every sample by itself, then multiplies by gamma and adds beta.

    Args:
        data: (batch, channels, *sizes).
        gamma: (channels,).
        beta: (channels,).
        eps: added to the variance.
    """
    expect_floating(data)
    same_dtype(data=data, gamma=gamma, beta=beta)
    if data.dim() < 3:
        raise OpShapeError(f"expected data of at least 3 dimensions (batch, channels, sizes), got {data.dim()}")
    channels = data.shape[1]
    expect_shape("gamma", gamma, (channels,))
    expect_shape("beta", beta, (channels,))
    if data.numel() == 0:  # torch would divide by 0 on the way back
        return data * gamma.view(-1, *[1] * (data.dim() - 2)) + beta.view(-1, *[1] * (data.dim() - 2))
    return _by_group(data, gamma, beta, channels, eps)[0]


def _channels_last(data: Tensor) -> Tensor:
    return to_channels_last(data) if data.dim() == 4 else data.contiguous()


def _batch_norm_kernels(arguments: Arguments, other: Tensor | None) -> Any:
    """The kernels if they suit these arguments: channels have to be last in memory."""
    data, *vectors = arguments
    assert data is not None
    is_last = data.is_contiguous(memory_format=torch.channels_last) if data.dim() == 4 else data.is_contiguous()
    if not is_last or data.dim() not in (2, 4) or data.dtype is not torch.float32 or not data.is_cpu or 0 in data.shape:
        return None
    if other is not None and (other.shape != data.shape or other.dtype is not data.dtype):
        return None
    if any(vector is None or vector.shape != data.shape[1:2] for vector in vectors):
        return None
    return kernels_for(*vectors)


def batch_norm_forward(
    arguments: Arguments, other: Tensor | None, activated: bool, params: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Result and new averages, as operators return them, and what the gradient needs."""
    data, gamma, beta, mean, var = arguments
    assert data is not None
    if not data.is_contiguous() and not (data.dim() == 4 and data.is_contiguous(memory_format=torch.channels_last)):
        # A part of another array: a copy costs a fraction of what torch's kernel for any strides does.
        data = _channels_last(data) if data.stride(1) == 1 else data.contiguous()
        arguments = [data, *arguments[1:]]
    ours = _batch_norm_kernels(arguments, other)
    if ours is None:
        (result, updates), saved = batch_norm_by_batch(*arguments, **params)  # type: ignore[arg-type]
        if activated:
            result = (result if other is None else result.add_(other)).relu_()
        return (result, updates), (saved, result, None)
    scale = None if params.get("fix_gamma", True) else gamma
    eps, momentum = params.get("eps", 0.0010000000474974513), params.get("momentum", 0.9)
    second = None if other is None else _channels_last(other)
    result, centre, inverse, *updates = ours.batch_norm(data, second, scale, beta, mean, var, eps, momentum, activated)
    return (result, tuple(updates)), ((data, scale, beta, centre, inverse), result, ours)


def batch_norm_backward(saved: Any, grad: Tensor, has_other: bool, activated: bool, needs: Needs) -> Grads:
    """Of data, gamma and beta, of the averages, which have none, and of the other summand."""
    kept, result, ours = saved
    if ours is not None:
        data, scale, beta, centre, inverse = kept
        grad = _channels_last(grad)
        if has_other:
            upper, *found = ours.batch_norm_sum_backward(grad, data, result, scale, centre, inverse)
        else:
            upper, found = None, ours.batch_norm_backward(grad, data, scale, beta, centre, inverse, activated)
        wanted = (needs[0], needs[1] and scale is not None, needs[2])
    else:
        data, gamma, centre, inverse, eps, fixed = kept
        upper = threshold_backward(grad, result, 0) if activated else grad
        wanted = (needs[0], needs[1] and not fixed, needs[2])
        if data.numel() == 0:  # torch divides by their number
            found = torch.zeros_like(data), torch.zeros_like(gamma), torch.zeros_like(gamma)
        else:
            found = native_batch_norm_backward(upper, data, gamma, None, None, centre, inverse, True, eps, wanted)
    grads = [each if want else None for each, want in zip(found, wanted, strict=True)]
    return *grads, None, None, upper if has_other and needs[5] else None


@gradient_of("BatchNorm")
class BatchNorm(Rule):
    """In training, by the statistics of the batch; channels are axis 1."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        is_usual = params["axis"] == 1 and not params["output_mean_var"]
        return is_usual and bool(params.get("training")) and not params["use_global_stats"]

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return batch_norm_forward(arguments, None, False, params)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return batch_norm_backward(saved, grads[0], False, False, needs)


def check_layer_norm(data: Tensor, gamma: Tensor | None, beta: Tensor | None) -> None:
    """Refuses what does not fit, and says why."""
    length = data.shape[-1:]
    is_ordinary = data.dim() > 0 and all(
        each is not None and each.shape == length and each.dtype is data.dtype for each in (gamma, beta)
    )
    if not is_ordinary:
        layer_norm(data, gamma, beta)  # says what is wrong


def layer_norm_forward(data: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> tuple[Tensor, Any]:
    """The result, and what the gradient needs."""
    ours = kernels_for(data, gamma, beta)
    if ours is not None:
        result, mean, inverse = ours.layer_norm(data, gamma, beta, eps)
    else:
        result, mean, inverse = torch.native_layer_norm(data, data.shape[-1:], gamma, beta, eps)
    return result, (data, mean, inverse, gamma, beta, ours)


def layer_norm_backward(saved: Any, grad: Tensor, needs: Needs) -> tuple[Tensor | None, ...]:
    """Of the data, gamma and beta; a fourth for a bias in the data, if one is asked for."""
    data, mean, inverse, gamma, beta, ours = saved
    wants_bias = len(needs) > 3 and needs[3]
    if ours is not None:
        found = ours.layer_norm_backward(grad.contiguous(), data, mean, inverse, gamma)
    else:
        wanted = (needs[0] or wants_bias, *needs[1:3])
        found = layer_norm_gradients(grad, data, mean, inverse, gamma, beta, wanted)
        if wants_bias:
            assert found[0] is not None
            found = (*found, found[0].reshape(-1, data.shape[-1]).sum(0))
    return tuple([each if needed else None for each, needed in zip(found, needs, strict=False)])


@gradient_of("LayerNorm")
class LayerNorm(Rule):
    """Along the last axis."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return params["axis"] == -1 and not params["output_mean_var"]

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data, gamma, beta = arguments
        assert data is not None
        check_layer_norm(data, gamma, beta)
        return layer_norm_forward(data, gamma, beta, params.get("eps", 1e-5))  # type: ignore[arg-type]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        return layer_norm_backward(saved, grads[0], needs)  # type: ignore[arg-type]
