"""Convert scalars to dtypes as C does, and choose the precision of sums."""

import ctypes
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..base import MXNetError
from .common import cast
from .registry import Operator, names
from .shape_rules import Spec

LARGEST_SINGLE = torch.finfo(torch.float32).max
_SMALLEST_SINGLE = torch.finfo(torch.float32).tiny
_BITS = {torch.uint8: 8, torch.int8: 8, torch.int32: 32, torch.int64: 64}


def single(value: float) -> float:
    """A number as MXNet's parameters of single precision hold it; beyond its range it is infinite."""
    return ctypes.c_float(value).value


def fitted(value: float, dtype: torch.dtype) -> float | int | bool:
    """A number as an element of this dtype: floats are rounded or infinite, integers cut off and run over."""
    if dtype.is_floating_point:
        return as_float(value, dtype)
    return value != 0 if dtype is torch.bool else as_integer(value, dtype)


def as_float(value: float, dtype: torch.dtype) -> float:
    """A number as an element of a floating dtype. Double and single precision are left to torch where they fit."""
    if dtype is torch.float32:
        fits = _SMALLEST_SINGLE <= value <= LARGEST_SINGLE or -LARGEST_SINGLE <= value <= -_SMALLEST_SINGLE
        return value if fits or value == 0 else single(value)
    if dtype is torch.float64:
        return value
    value = single(value)
    if dtype is torch.float16:
        try:
            return float(struct.unpack("e", struct.pack("e", value))[0])
        except OverflowError:
            return math.copysign(math.inf, value)
    return float(torch.tensor(value, dtype=torch.float32).to(dtype))


def as_integer(value: float, dtype: torch.dtype) -> int:
    """A number as an element of an integer dtype, as a cast on x86 does it."""
    if 0 <= value < 128:  # the common case, which every dtype holds
        return int(value)
    bits = _BITS[dtype]
    width = max(bits, 32)  # smaller integers are cut out of 32 bits
    bound = 1 << (width - 1)
    whole = math.trunc(value) if math.isfinite(value) else bound
    if not -bound <= whole < bound:
        whole = -bound
    whole &= (1 << bits) - 1
    return whole - (1 << bits) if dtype is not torch.uint8 and whole >> (bits - 1) else whole


def number(value: float, dtype: torch.dtype, device: torch.device) -> Tensor:
    """A number as an array without axes."""
    return torch.scalar_tensor(fitted(value, dtype), dtype=dtype, device=device)


HALF = (torch.float16, torch.bfloat16)
_CAST = (*HALF, torch.float32)  # wider numbers and integers are left alone
_NO_KERNEL = ("not implemented for 'Half'", "not implemented for 'BFloat16'")


def is_met(conditions: Sequence[tuple[str, Sequence[str]]], params: Mapping[str, Any]) -> bool:
    """Whether one of some parameters has one of the values that are named for it."""
    return any(str(params.get(name)) in values for name, values in conditions)


class CastRule:
    """How the inputs of one operator are cast.

    Args:
        dtype: what to cast to; None for the widest among the inputs.
        conditions: parameters and those of their values that the rule holds for, one of them; none for always.
        kept: names of inputs that are left alone.
        loss_scale: what a loss written as an operator multiplies its gradient by.
    """

    def __init__(
        self,
        dtype: torch.dtype | None,
        conditions: Sequence[tuple[str, Sequence[str]]] = (),
        kept: Sequence[str] = (),
        loss_scale: Callable[[], float] | None = None,
    ) -> None:
        self.dtype, self.conditions, self.kept, self.loss_scale = dtype, tuple(conditions), tuple(kept), loss_scale

    def holds(self, params: Mapping[str, Any]) -> bool:
        """Whether inputs are cast under these parameters."""
        return not self.conditions or is_met(self.conditions, params)

    def positions(self, operator: Operator, count: int, params: Mapping[str, Any]) -> list[int]:
        """Which of so many inputs are cast: not those that the operator updates."""
        kept = set(operator.auxiliary_positions(count, params))
        if not operator.variadic:
            kept.update(place for place, name in enumerate(operator.inputs) if name in self.kept)
        return [place for place in range(count) if place not in kept]

    def dtypes(
        self, operator: Operator, given: Sequence[torch.dtype | None], params: Mapping[str, Any]
    ) -> list[torch.dtype | None]:
        """What the inputs become, from what they are."""
        found = list(given)
        if not self.holds(params):
            return found
        target = self.dtype
        if target is None:
            if torch.float32 not in given:
                return found
            target = torch.float32
        for place in self.positions(operator, len(given), params):
            if found[place] in _CAST:
                found[place] = target
        return found

    def specs(self, operator: Operator, given: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec | None]:
        """The shapes of inputs with the dtypes that they become."""
        dtypes = self.dtypes(operator, [None if spec is None else spec[1] for spec in given], params)
        return [None if spec is None else (spec[0], dtype) for spec, dtype in zip(given, dtypes, strict=True)]  # type: ignore[misc]


def set_rule(operator: Operator, rule: CastRule) -> None:
    """Puts casts in force for an operator."""
    operator.precision, operator.casting = rule, _casting(operator, rule)
    operator.renew_eager()


def clear_rules() -> None:
    """Takes all casts back."""
    for _, operator in names():
        operator.precision = operator.casting = None
        operator.renew_eager()


def _casting(operator: Operator, rule: CastRule) -> Callable[..., Any]:
    function = operator.function

    def eager(*tensors: torch.Tensor | None, **params: Any) -> Any:
        dtypes = rule.dtypes(operator, [None if tensor is None else tensor.dtype for tensor in tensors], params)
        inputs = [
            tensor if tensor is None or dtype is None or dtype is tensor.dtype else cast(tensor, dtype)
            for tensor, dtype in zip(tensors, dtypes, strict=True)
        ]
        if rule.loss_scale is not None:
            params["grad_scale"] = params.get("grad_scale", 1.0) * rule.loss_scale()
        try:
            return function(*inputs, **params)
        except RuntimeError as error:
            if any(text in str(error) for text in _NO_KERNEL):
                raise _without_kernel(inputs) from error
            raise

    return eager


def _without_kernel(inputs: Sequence[torch.Tensor | None]) -> MXNetError:
    half = next((tensor for tensor in inputs if tensor is not None and tensor.dtype in HALF), None)
    if half is None:
        return MXNetError("mixed precision: there is no kernel for these inputs in low precision.")
    name, other = ("float16", "bfloat16") if half.dtype is torch.float16 else ("bfloat16", "float16")
    return MXNetError(
        f"mixed precision: torch has no {name} kernel for this on {half.device.type}. Take another low precision: "
        f"amp.init(target_dtype={other!r}), or leave the operator out: amp.init(target_precision_ops=[...])."
    )
