"""The graph pass on symbols."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...context import Context
from ...symbol import Symbol
from ._checks import expect_choices, name_list
from ._graph import Quantization, with_thresholds


def _quantize_symbol(
    sym: Symbol,
    ctx: Context,
    excluded_symbols: list[str] | None = None,
    excluded_operators: list[str] | None = None,
    offline_params: Sequence[str] | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
) -> tuple[Symbol, list[str]]:
    """A graph in 8 bits, and the names of the results whose range calibration must find.

    Args:
        sym: the graph.
        ctx: where it will run; every device has the same operators here.
        excluded_symbols: names of nodes that stay as they are.
        excluded_operators: names of operators that stay as they are.
        offline_params: names of parameters that will be given quantized, as three variables each.
        quantized_dtype: 'int8', 'uint8' or 'auto'.
        quantize_mode: 'full' or 'smart'.
        quantize_granularity: 'tensor-wise' or 'channel-wise', which makes the same graph.
    """
    who = "quantize_symbol"
    expect_choices(who, quantized_dtype, quantize_mode, quantize_granularity)
    names, operators = (
        name_list(who, "excluded_symbols", excluded_symbols),
        name_list(who, "excluded_operators", excluded_operators),
    )
    quantization = Quantization(sym._heads, names, operators, offline_params or (), quantized_dtype, quantize_mode)
    heads, calibrated = quantization.run()
    return Symbol(heads), calibrated


def _calibrate_quantized_sym(qsym: Symbol, th_dict: Mapping[str, Any] | None) -> Symbol:
    """A quantized graph with ranges, given by the names of results, as parameters of the nodes that need them."""
    return Symbol(with_thresholds(qsym._heads, th_dict)) if th_dict else qsym
