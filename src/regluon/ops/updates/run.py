"""Runs a rule, after checking what it receives."""

import math
import struct
from collections.abc import Sequence
from typing import Any

import torch

from ...config import switches
from ...dtypes import NAME_OF_TORCH
from ...errors import OpShapeError, OpTypeError
from ...native import runner
from ..common import expect_floating
from .rule import RULES, Tensors


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
