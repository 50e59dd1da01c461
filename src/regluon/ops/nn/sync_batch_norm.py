"""Normalize batches over several devices, and with a fused activation."""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ...base import MXNetError
from ...context import cpu
from ...distributed import ProcessGroup, joined
from ...distributed.group import timeout_seconds
from ...dtypes import NAME_OF_TORCH
from ...errors import OpTypeError
from ..common import ZeroGradient, expect_floating, expect_shape, grad_needed, normal_axis
from ..params import Shape, Training
from ..registry import operator
from ..signatures import Surroundings
from .normalization import BATCH_NORM, STATISTICS, batch_norm


class MeetingError(MXNetError, TimeoutError):
    """A thread waited for others that did not come."""


class _Round:
    """One meeting: who has come, and what came of it."""

    def __init__(self) -> None:
        self.came: list[tuple[Any, Any]] = []  # where each stands in the order of parts, and its part
        self.results: Sequence[Any] = ()
        self.error: BaseException | None = None
        self.is_over = threading.Event()

    def conclude(self, combine: Callable[[list[Any]], Sequence[Any]]) -> None:
        """Makes the results, in the order of the parts and not of their coming: it must not depend on chance."""
        try:
            order = sorted(range(len(self.came)), key=lambda number: self.came[number][0])
            found = combine([self.came[number][1] for number in order])
            self.results = [found[order.index(number)] for number in range(len(order))]
        except BaseException as error:
            self.error = error
        self.is_over.set()


_lock = threading.Lock()
_open: dict[tuple[str, int], _Round] = {}  # meetings that somebody is still awaited at


def meet(key: str, size: int, place: Any, part: Any, combine: Callable[[list[Any]], Sequence[Any]], who: str) -> Any:
    """Waits until as many threads have come, and returns what was made for this one.

    Args:
        key: the name of the meeting; when all have come, the next one may begin under the same name.
        size: how many threads come.
        place: where this one's part stands among the parts.
        part: what it brings.
        combine: makes a result for each part from all of them; called once, in the thread that comes last.
        who: waits, for errors.

    Raises:
        MeetingError: not all have come in the time of MXNET_KVSTORE_TIMEOUT.
    """
    with _lock:
        own = _open.setdefault((key, size), _Round())
        number = len(own.came)
        own.came.append((place, part))
        is_last = len(own.came) == size
        if is_last:
            del _open[key, size]
    if is_last:
        own.conclude(combine)
    elif not own.is_over.wait(seconds := timeout_seconds()):
        with _lock:
            is_missed = _open.get((key, size)) is own
            if is_missed:
                del _open[key, size]
                own.error = _missed(who, key, size, len(own.came), seconds)
                own.is_over.set()
        if not is_missed:
            own.is_over.wait()  # the last one has come meanwhile, and is at work
    if own.error is not None:
        raise own.error
    return own.results[number]


def _missed(who: str, key: str, size: int, came: int, seconds: float) -> MeetingError:
    return MeetingError(
        f"[{who}] {came} of {size} threads came to the meeting {key!r} in {seconds:g} seconds "
        "(MXNET_KVSTORE_TIMEOUT). Each of the devices needs a thread of its own that runs the network on its part of "
        "the batch at the same time; parts that one thread computes one after the other must be computed by the main "
        f"thread. If there are not {size} devices, say so where the layer is made: SyncBatchNorm(num_devices=...)."
    )


_WHO = "SyncBatchNorm"
_NOWHERE = Surroundings(cpu(), {})  # where shapes are inferred


def _num_outputs(params: Mapping[str, Any]) -> int:
    return 3 if params["output_mean_var"] else 1


def _shapes(data: Shape, **_: Any) -> dict[str, Shape]:
    shape = (data[normal_axis(1, len(data))],)
    return {"gamma": shape, "beta": shape, "moving_mean": shape, "moving_var": shape}


# It asks for its surroundings, so that no captured program runs it: each run has to call the other ranks.
@operator(
    "_contrib_SyncBatchNorm",
    outputs=_num_outputs,
    completes=_shapes,
    total_outputs=3,
    output_names=STATISTICS,
    **BATCH_NORM,
)
def sync_batch_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    *,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    ndev: int = 1,
    key: str,
    training: Training,
    surroundings: Surroundings = _NOWHERE,
) -> Any:
    """Batch normalization of axis 1, judged by the batch that all ranks share, and all devices with a thread each.

    Args:
        data: (batch, channels, *sizes); batches of ranks and devices may differ in length.
        gamma: (channels,).
        beta: (channels,).
        moving_mean: (channels,); average over past batches, updated in training.
        moving_var: (channels,); likewise.
        eps: added to the variance.
        momentum: how much of the old average an update keeps.
        fix_gamma: whether gamma counts as 1 and gets no gradient.
        use_global_stats: whether to use the moving averages in training too, and leave them alone.
        output_mean_var: whether to return the mean and the variance of the channels as well.
        ndev: number of devices that share the batch: as many threads wait for each other. The main thread waits for
            none: what it computes is one part after the other.
        key: name that the layers on all devices share.
        training: whether the batch counts.
        surroundings: where it runs.
    """
    group = joined()
    if group is not None and group.size == 1:
        group = None
    meets = ndev > 1 and threading.current_thread() is not threading.main_thread()
    if not training or use_global_stats or data.is_meta or not (group or meets):
        return _alone(
            (data, gamma, beta, moving_mean, moving_var),
            eps,
            momentum=momentum,
            fix_gamma=fix_gamma,
            use_global_stats=use_global_stats,
            output_mean_var=output_mean_var,
            training=training,
        )
    _check(data, gamma=gamma, beta=beta, moving_mean=moving_mean, moving_var=moving_var)
    if fix_gamma:
        unit = torch.ones_like(gamma)
        gamma = ZeroGradient.apply(unit, gamma) if grad_needed(gamma) else unit
    shared = partial(_shared_statistics, group, gamma.dtype)
    if meets:
        context = surroundings.context
        found = meet(key, ndev, (context.device_typeid, context.device_id), data, shared, _WHO)
    else:
        found = shared([data])[0]
    result = _Normalize.apply(data, found.mean, found.var, gamma, beta, eps)
    with torch.no_grad():
        weight = (1 - momentum) * (found.num_elements > 0).to(moving_mean.dtype)  # an empty batch moves no average
        updates = torch.lerp(moving_mean, found.mean, weight), torch.lerp(moving_var, found.var, weight)
    return ((result, found.mean.detach(), found.var.detach()) if output_mean_var else result), updates


def _alone(tensors: Sequence[Tensor], eps: float, **params: Any) -> Any:
    """Plain batch normalization, but that it returns the variance where that gives 1 / sqrt(variance + eps)."""
    outputs, updates = batch_norm(*tensors, eps=eps, **params)
    if not params["output_mean_var"]:
        return outputs, updates
    result, mean, inverse = outputs
    return (result, mean, inverse.pow(-2) - eps), updates


def _check(data: Tensor, **vectors: Tensor) -> None:
    """Refuses what does not fit before anybody is waited for."""
    expect_floating(data)
    dtype = torch.float32 if data.dtype in (torch.float16, torch.bfloat16) else data.dtype
    shape = (data.shape[normal_axis(1, data.dim())],)
    for name, tensor in vectors.items():
        if tensor.dtype is not dtype:
            raise OpTypeError(f"expected {name} of {NAME_OF_TORCH[dtype]}, got {NAME_OF_TORCH[tensor.dtype]}")
        expect_shape(name, tensor, shape)


class _Shared(NamedTuple):
    """Statistics of the whole batch, for one part of it."""

    mean: Tensor
    var: Tensor
    num_elements: Tensor  # of a channel


def _shared_statistics(group: ProcessGroup | None, dtype: torch.dtype, parts: Sequence[Tensor]) -> list[_Shared]:
    """For each part of this process the statistics of the batch that all parts of all ranks make up."""
    count, *found = _Statistics.apply(group, dtype, *parts)
    return [_Shared(*pair, count.to(pair[0].device)) for pair in zip(found[::2], found[1::2], strict=True)]


class _Moments(NamedTuple):
    """Elements of a channel, their mean, and the sum of squared distances from it; in float64."""

    num_elements: Tensor
    mean: Tensor
    squares: Tensor


def _moments(part: Tensor, dtype: torch.dtype) -> _Moments:
    channels = part.shape[1]
    count = torch.tensor([float(part.numel() // max(channels, 1))], dtype=torch.float64, device=part.device)
    if part.numel() == 0:
        zeros = count.new_zeros(channels)
        return _Moments(torch.zeros_like(count), zeros, zeros)
    var, mean = torch.var_mean(part.to(dtype), [axis for axis in range(part.dim()) if axis != 1], correction=0)
    return _Moments(count, mean.double(), var.double() * count)


def _combined(moments: Sequence[_Moments]) -> _Moments:
    """The moments of several parts together, without the difference of large sums that loses digits."""
    counts, means, squares = (torch.stack(values) for values in zip(*moments, strict=True))
    count = counts.sum(0)
    shares = counts / count.clamp(min=1)
    mean = (shares * means).sum(0)
    return _Moments(count, mean, (squares + counts * (means - mean).square()).sum(0))


def _over_ranks(own: _Moments, group: ProcessGroup) -> _Moments:
    channels = len(own.mean)
    messages = group.all_gather(torch.cat(own), _WHO)
    return _combined([_Moments(*message.split([1, channels, channels])) for message in messages])


def _by_channel(vector: Tensor, data: Tensor) -> Tensor:
    """A vector of the channels in a shape that broadcasts over the data."""
    return vector.to(data.device).view(-1, *[1] * (data.dim() - 2))


class _Statistics(torch.autograd.Function):
    """The count of a channel's elements, then mean and variance once for each part of the batch in this process.

    The pairs are equal. That each part has its own shows on the way back whether all of them have come.
    """

    @staticmethod
    def forward(ctx: Any, group: ProcessGroup | None, dtype: torch.dtype, *parts: Tensor) -> Any:
        ctx.set_materialize_grads(False)
        home = parts[0].device
        own = _combined([_Moments(*(value.to(home) for value in _moments(part, dtype))) for part in parts])
        count, mean, squares = own if group is None else _over_ranks(own, group)
        var = (squares / count.clamp(min=1)).to(dtype)
        mean = mean.to(dtype)
        ctx.group, ctx.dtype = group, dtype
        ctx.save_for_backward(count, mean, *parts)
        ctx.mark_non_differentiable(count)
        pairs = [each.to(part.device, copy=True) for part in parts for each in (mean, var)]
        return count.clone(), *pairs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, _: Any, *grads: Tensor | None) -> Any:
        count, mean, *parts = ctx.saved_tensors
        given = [grad for grad in grads if grad is not None]
        if len(given) < len(grads):
            raise MXNetError(
                f"[{_WHO}] backward has come through {len(given) // 2} of {len(parts)} parts of a batch whose devices "
                "share its statistics. Differentiate all parts at once, autograd.backward([loss0, loss1, ...]) "
                "instead of loss.backward() for each, and leave the layers that run in threads without hybridize()."
            )
        sums = torch.stack([torch.cat([one.to(mean.device), other.to(mean.device)]) for one, other in _pairs(given)])
        total = sums.sum(0)
        if ctx.group is not None:
            ctx.group.all_reduce(total, f"{_WHO}.backward")
        grad_mean, grad_var = (total / count.clamp(min=1).to(total.dtype)).chunk(2)
        found = [
            None if not needed else _of_statistics(part, mean, grad_mean, grad_var, ctx.dtype)
            for part, needed in zip(parts, ctx.needs_input_grad[2:], strict=True)
        ]
        return None, None, *found


def _pairs(values: Sequence[Tensor]) -> list[tuple[Tensor, Tensor]]:
    return list(zip(values[::2], values[1::2], strict=True))


def _of_statistics(part: Tensor, mean: Tensor, grad_mean: Tensor, grad_var: Tensor, dtype: torch.dtype) -> Tensor:
    """What the gradients of mean and variance, divided by the count, make of that of a part."""
    centered = part.to(dtype) - _by_channel(mean, part)
    return centered.mul_(_by_channel(2 * grad_var, part)).add_(_by_channel(grad_mean, part)).to(part.dtype)


class _Normalize(torch.autograd.Function):
    """Centers, scales and shifts by given statistics; keeps nothing but the data for its gradient."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, mean: Tensor, var: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
        inverse = torch.rsqrt(var + eps)
        ctx.save_for_backward(data, mean, inverse, gamma)
        # Centered before it is scaled: digits of large numbers would be lost otherwise.
        centered = data.to(gamma.dtype) - _by_channel(mean, data)
        return centered.mul_(_by_channel(gamma * inverse, data)).add_(_by_channel(beta, data)).to(data.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:
        data, mean, inverse, gamma = ctx.saved_tensors
        axes = [axis for axis in range(data.dim()) if axis != 1]
        grad = grad.to(gamma.dtype)
        product = ((data.to(gamma.dtype) - _by_channel(mean, data)).mul_(grad)).sum(axes)
        total, scale = grad.sum(axes), gamma * inverse
        grad_var = -0.5 * scale * inverse.square() * product
        grad_data = (grad * _by_channel(scale, data)).to(data.dtype) if ctx.needs_input_grad[0] else None
        return grad_data, -scale * total, grad_var, inverse * product, total, None


def _activated_shapes(data: Shape, *, axis: int = 1, **_: Any) -> dict[str, Shape]:
    shape = (data[normal_axis(axis, len(data))],)
    return {"gamma": shape, "beta": shape, "moving_mean": shape, "moving_var": shape}


@operator(
    "_contrib_BatchNormWithReLU",
    outputs=_num_outputs,
    completes=_activated_shapes,
    total_outputs=4,
    output_names=(*STATISTICS, "mask"),
    **BATCH_NORM,
)
def batch_norm_with_relu(
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
    """Batch normalization followed by max(x, 0); parameters as those of `BatchNorm`."""
    outputs, updates = batch_norm(
        data,
        gamma,
        beta,
        moving_mean,
        moving_var,
        eps=eps,
        momentum=momentum,
        fix_gamma=fix_gamma,
        use_global_stats=use_global_stats,
        output_mean_var=output_mean_var,
        axis=axis,
        training=training,
    )
    if not output_mean_var:
        return outputs.relu(), updates
    return (outputs[0].relu(), *outputs[1:]), updates
