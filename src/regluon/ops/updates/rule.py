"""Run update rules on whole lists of tensors."""

import math
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from typing import Any, NamedTuple, TypeAlias

import torch

from ...config import switches
from ...dtypes import NAME_OF_TORCH
from ...errors import OpShapeError, OpTypeError
from ...native import runner
from ...torch_private import foreach, fused_adam, fused_sgd
from ..common import expect_floating
from ..precision import as_float

# A list or tuple of Tensor, and one of numbers or tensors of shape (): torch's list functions take and give all these,
# but its types say otherwise.
Tensors: TypeAlias = Any
Rates: TypeAlias = Any


class Rule(NamedTuple):
    """How weights are updated.

    Attributes:
        function: updates lists of weights and states.
        states: names of the lists it takes besides weights and gradients.
        counts: how many of these it may be given.
        alike: whether states have the shape and dtype of their weights.
    """

    function: Callable[..., None]
    states: tuple[str, ...]
    counts: range
    alike: bool


RULES: dict[str, Rule] = {}


def rule(*states: str, alike: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Enters the decorated function in RULES; see Rule."""

    def enter(function: Callable[..., None]) -> Callable[..., None]:
        lists = [each for each in signature(function).parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
        required = sum(each.default is each.empty for each in lists)
        RULES[function.__name__] = Rule(function, states, range(required - 2, len(lists) - 1), alike)
        return function

    return enter


def run(name: str, weights: Tensors, grads: Tensors, *states: Tensors, **params: Any) -> None:
    """Updates weights and states in place by one of RULES.

    Args:
        name: which rule.
        weights: tensors of one dtype on one device.
        grads: one for each weight.
        *states: for each kind of state, one for each weight.
        **params: what the rule needs; numbers are rounded to 32-bit floats, as MXNet's are.
    """
    if _done_natively(name, weights, grads, states, params):
        return
    rule = RULES[name]
    if len(states) not in rule.counts:
        raise OpTypeError(f"received {len(states)} states for each weight; expected {rule.counts[-1]}")
    checked = states if rule.alike else ()
    check_alike(weights, grads, *checked, names=("grad", *rule.states[: len(checked)]))
    rule.function(weights, grads, *states, **{key: rounded(value) for key, value in params.items()})


_NATIVE = {  # by rule: how many states its kernel takes, and its numbers in order
    "sgd": (0, ()),
    "sgd_momentum": (1, ("momentum",)),
    "adam": (2, ("beta1", "beta2", "epsilon")),
}


def _done_natively(name: str, weights: Tensors, grads: Tensors, states: Sequence[Tensors], params: Any) -> bool:
    """Whether a kernel of our own has updated the weights: one that finds anything unusual changes nothing."""
    known = _NATIVE.get(name)
    ours = None if known is None or switches.capturing else runner()
    if ours is None or known is None:
        return False
    count, numbers = known
    lr, wd = params["lr"], params["wd"]
    if len(states) != count or not (isinstance(lr, list) and isinstance(wd, list) and isinstance(lr[0], float)):
        return False
    rescale, limit = params.get("rescale_grad", 1.0), params.get("clip_gradient", -1.0)
    done: bool = getattr(ours, name)(
        weights, grads, *states, lr, wd, *[params[number] for number in numbers], rescale, limit
    )
    return done


def check_alike(weights: Tensors, *lists: Tensors, names: Sequence[str]) -> None:
    """Refuses gradients and states that do not have the shape and dtype of their weights."""
    first = weights[0]
    expect_floating(first, "weight")
    # Whole lists are compared: a network has hundreds of weights, and this runs at every step.
    shapes = [weight.shape for weight in weights]
    dtypes = {first.dtype}
    if {weight.dtype for weight in weights} != dtypes or len({weight.device for weight in weights}) != 1:
        raise OpTypeError("expected weights of one dtype on one device")
    for name, tensors in zip(names, lists, strict=True):
        if [tensor.shape for tensor in tensors] != shapes:
            raise _other_shape(name, shapes, tensors)
        if {tensor.dtype for tensor in tensors} != dtypes:
            wrong = next(tensor.dtype for tensor in tensors if tensor.dtype is not first.dtype)
            raise OpTypeError(
                f"expected {name} of {NAME_OF_TORCH[first.dtype]}, as the weight, got {NAME_OF_TORCH[wrong]}; convert "
                "it with astype()"
            )


def _other_shape(name: str, shapes: Sequence[torch.Size], tensors: Tensors) -> OpShapeError:
    if len(tensors) != len(shapes):
        return OpShapeError(f"expected one {name} for each of {len(shapes)} weights, got {len(tensors)}")
    shape, tensor = next(pair for pair in zip(shapes, tensors, strict=True) if pair[1].shape != pair[0])
    return OpShapeError(f"expected {name} of shape {tuple(shape)}, as the weight, got {tuple(tensor.shape)}")


def rounded(value: Any) -> Any:
    """A number, or a list of numbers, as the nearest 32-bit floats; anything else as it is."""
    if isinstance(value, float):
        return _single(value)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (float, int)):
        if all(isinstance(item, int) for item in value):
            return value
        layout = f"{len(value)}f"
        try:
            return list(struct.unpack(layout, struct.pack(layout, *value)))
        except OverflowError:
            return [_single(item) for item in value]
    return value


def _single(value: float) -> float:
    try:
        nearest: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return nearest


_SIZE = 1 << 19  # elements: a smaller one leaves threads without work, a larger one leaves the cache
_MAX_PLANS = 32  # a program has few sets of weights


class _Scratch(threading.local):
    """A thread's buffers by dtype, and how lists of known shapes are divided over them."""

    def __init__(self) -> None:
        self.buffers: dict[torch.dtype, torch.Tensor] = {}
        self.plans: dict[tuple[object, ...], list[tuple[slice, torch.Tensor, Tensors]]] = {}

    def buffer(self, dtype: torch.dtype) -> torch.Tensor:
        found = self.buffers.get(dtype)
        if found is None:
            found = self.buffers[dtype] = torch.empty(_SIZE, dtype=dtype)
        return found

    def plan(self, grads: Tensors) -> list[tuple[slice, torch.Tensor, Tensors]]:
        """Runs of the list, with the piece of the buffer and its views for each; no views for one that is too large."""
        key = (grads[0].dtype, *[grad.shape for grad in grads])
        found = self.plans.get(key)
        if found is None:
            if len(self.plans) >= _MAX_PLANS:
                self.plans.clear()
            found = self.plans[key] = self._divided(grads)
        return found

    def _divided(self, grads: Tensors) -> list[tuple[slice, torch.Tensor, Tensors]]:
        buffer = self.buffer(grads[0].dtype)
        parts: list[tuple[slice, torch.Tensor, Tensors]] = []
        start = used = 0
        views: Tensors = []
        for place, grad in enumerate(grads):
            size = grad.numel()
            if views and used + size > _SIZE:
                parts.append((slice(start, place), buffer[:used], views))
                views, used = [], 0
            if not views:
                start = place
            if size > _SIZE:
                parts.append((slice(place, place + 1), buffer, []))
                continue
            views.append(buffer[used : used + size].view(grad.shape))
            used += size
        if views:
            parts.append((slice(start, len(grads)), buffer[:used], views))
        return parts


_scratch = _Scratch()


def scaled_parts(factor: float, grads: Tensors, *lists: Tensors) -> Iterator[list[Tensors]]:
    """The lists part by part, with factor * grads in place of the gradients; each part holds until the next one.

    Args:
        factor: what to multiply gradients by.
        grads: contiguous tensors on the CPU, of one dtype.
        *lists: further contiguous tensors, in the same shapes; parts of a large one are flat views of it.
    """
    for run, piece, views in _scratch.plan(grads):
        if views:
            foreach.copy_(views, grads[run])
            piece.mul_(factor)
            yield [views, *[tensors[run] for tensors in lists]]
            continue
        flat = [tensors[run.start].view(-1).split(_SIZE) for tensors in (grads, *lists)]
        for grad, *others in zip(*flat, strict=True):
            scaled = torch.mul(grad, factor, out=piece[: grad.numel()])
            yield [[scaled], *[[other] for other in others]]


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
