"""The error of this package, and what its functions ask of their arguments."""

from typing import Any

from ...base import MXNetError
from ...context import Context

DTYPES = ("int8", "uint8", "auto")
MODES = ("full", "smart")
GRANULARITIES = ("tensor-wise", "channel-wise")
CALIBRATIONS = ("none", "naive", "entropy", "customize")


class QuantizationError(MXNetError, ValueError):
    """A network cannot be quantized as asked for: MXNet raised a ValueError there."""

    __module__ = "mxnet.contrib.quantization"


def expect_one_of(who: str, argument: str, given: Any, allowed: tuple[str, ...]) -> None:
    """Refuses an argument that is none of some words."""
    if given not in allowed:
        expected = ", ".join(repr(word) for word in allowed[:-1])
        raise QuantizationError(f"[{who}] {argument}: received {given!r}; expected {expected} or {allowed[-1]!r}.")


def name_list(who: str, argument: str, given: Any) -> list[str]:
    """The names in a list; none for None."""
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise QuantizationError(f"[{who}] {argument}: received {given!r}; expected a list of names.")
    return given


def expect_context(who: str, given: Any) -> None:
    """Refuses anything but one context."""
    if not isinstance(given, Context):
        raise QuantizationError(f"[{who}] ctx: received {given!r}; expected one context, such as mx.cpu().")


def expect_choices(who: str, quantized_dtype: str, quantize_mode: str, quantize_granularity: str) -> None:
    """Refuses words that the graph pass does not know."""
    expect_one_of(who, "quantized_dtype", quantized_dtype, DTYPES)
    expect_one_of(who, "quantize_mode", quantize_mode, MODES)
    expect_one_of(who, "quantize_granularity", quantize_granularity, GRANULARITIES)
