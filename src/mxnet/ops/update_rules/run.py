"""Runs a rule, after checking what it receives."""

import math
import struct
from collections.abc import Sequence
from typing import Any

from ...dtypes import NAME_OF_TORCH
from ...error import OpShapeError, OpTypeError
from ..common import expect_floating
from .steps import RULES, Tensors


def run(name: str, weights: Tensors, grads: Tensors, *states: Tensors, **params: Any) -> None:
    """Moves weights and states in place by one of RULES.

    Args:
        name: which rule.
        weights: tensors of one dtype on one device.
        grads: one for each weight.
        *states: for each kind of state, one for each weight.
        **params: what the rule needs; numbers are rounded to 32-bit floats, as MXNet's are.
    """
    rule = RULES[name]
    check_alike(weights, grads, *states[: len(rule.states)], names=("grad", *rule.states))
    rule.function(weights, grads, *states, **{key: rounded(value) for key, value in params.items()})


def check_alike(weights: Tensors, *lists: Tensors, names: Sequence[str]) -> None:
    """Refuses gradients and states that do not have the shape and dtype of their weights."""
    first = weights[0]
    expect_floating(first, "weight")
    dtype, device = first.dtype, first.device
    if any(weight.dtype is not dtype or weight.device != device for weight in weights):
        raise OpTypeError("expected weights of one dtype on one device")
    shapes = [weight.shape for weight in weights]
    for name, tensors in zip(names, lists, strict=True):
        if len(tensors) != len(weights):
            raise OpShapeError(f"expected one {name} for each of {len(weights)} weights, got {len(tensors)}")
        for shape, tensor in zip(shapes, tensors, strict=True):
            if tensor.shape != shape:
                raise OpShapeError(f"expected {name} of shape {tuple(shape)}, as the weight, got {tuple(tensor.shape)}")
            if tensor.dtype is not dtype:
                raise OpTypeError(
                    f"expected {name} of {NAME_OF_TORCH[dtype]}, as the weight, got {NAME_OF_TORCH[tensor.dtype]}; "
                    "convert it with astype()"
                )


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
