"""Quantized networks in two steps: the graph first, its ranges later."""

import logging
from collections.abc import Mapping
from typing import Any

from ...context import Context, cpu
from ...ndarray import NDArray
from ...symbol import Symbol
from ._checks import (
    CALIBRATIONS,
    QuantizationError,
    expect_choices,
    expect_context,
    expect_one_of,
    name_list,
)
from ._collectors import _LayerHistogramCollector, _LayerOutputMinMaxCollector, say
from ._parameters import _load_sym, _quantize_params
from ._symbols import _calibrate_quantized_sym, _quantize_symbol
from ._thresholds import _get_optimal_thresholds

Params = dict[str, NDArray]


def quantize_graph(
    sym: Symbol,
    arg_params: Params,
    aux_params: Params,
    ctx: Context = cpu(0),  # noqa: B008  # a constant
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str | None = "entropy",
    quantized_dtype: str = "int8",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    LayerOutputCollector: Any = None,  # MXNet's name
    logger: Any = None,
) -> tuple[Symbol, Params, Params, Any]:
    """A network in 8 bits that is not calibrated yet, and a collector for doing that.

    Run the float32 network with `set_monitor_callback(collector.collect, monitor_all=True)`, then call `calib_graph`.

    Args:
        sym: see `quantize_model` for this and what follows.
        arg_params: see above.
        aux_params: see above.
        ctx: see above.
        excluded_sym_names: see above.
        excluded_op_names: see above.
        calib_mode: as there, or 'customize' for a collector of one's own; 'none' makes no collector.
        quantized_dtype: see above.
        quantize_mode: see above.
        quantize_granularity: see above.
        LayerOutputCollector: the collector for 'customize': its `collect(name, array)` is called with every result, and
            its `min_max_dict` holds ranges by name in the end. Its `include_layer`, if it is None, is set to the names
            that matter.
        logger: where to say what is done.

    Returns:
        The graph, its parameters, its auxiliary states and the collector.
    """
    who = "quantize_graph"
    sym = _load_sym(sym, logger)
    excluded = name_list(who, "excluded_sym_names", excluded_sym_names)
    expect_context(who, ctx)
    expect_choices(who, quantized_dtype, quantize_mode, quantize_granularity)
    say(logger, "Quantizing graph")
    qsym, names = _quantize_symbol(
        sym, ctx, excluded, excluded_op_names, list(arg_params), quantized_dtype, quantize_mode, quantize_granularity
    )
    collector = _collector(calib_mode, names, quantized_dtype, LayerOutputCollector, logger)
    say(logger, "Quantizing parameters")
    return qsym, _quantize_params(qsym, arg_params, {}), aux_params, collector


def _collector(calib_mode: str | None, names: list[str], quantized_dtype: str, given: Any, logger: Any) -> Any:
    if calib_mode is None or calib_mode == "none":
        return None
    expect_one_of("quantize_graph", "calib_mode", calib_mode, CALIBRATIONS)
    if calib_mode == "entropy":
        return _LayerHistogramCollector(include_layer=names, logger=logger)
    if calib_mode == "naive":
        return _LayerOutputMinMaxCollector(quantized_dtype, names, logger)
    if given is None:
        raise QuantizationError(
            "[quantize_graph] LayerOutputCollector: received None; calib_mode='customize' needs an object with "
            "collect(name, array) and min_max_dict."
        )
    if getattr(given, "include_layer", names) is None:
        given.include_layer = names
    return given


def calib_graph(
    qsym: Symbol,
    arg_params: Params,
    aux_params: Params,
    collector: Any,
    calib_mode: str | None = "entropy",
    quantized_dtype: str = "int8",
    logger: Any = logging,
) -> tuple[Symbol, Params, Params]:
    """A quantized network with the ranges that a collector has seen.

    Args:
        qsym: the graph made by `quantize_graph`.
        arg_params: parameters of the float32 network.
        aux_params: its auxiliary states.
        collector: that of `quantize_graph`, after the float32 network has run.
        calib_mode: as given to `quantize_graph`.
        quantized_dtype: likewise.
        logger: where to say what is done.
    """
    if calib_mode is None or calib_mode == "none":
        raise QuantizationError(f"[calib_graph] calib_mode: received {calib_mode!r}; expected 'naive' or 'entropy'.")
    expect_one_of("calib_graph", "calib_mode", calib_mode, CALIBRATIONS)
    if calib_mode == "entropy":
        say(logger, "Calculating optimal thresholds for quantization")
        thresholds: Mapping[str, Any] = _get_optimal_thresholds(collector.hist_dict, quantized_dtype, logger=logger)
    else:
        thresholds = collector.min_max_dict
    qsym = _calibrate_quantized_sym(qsym, thresholds)
    say(logger, "Quantizing parameters")
    return qsym, _quantize_params(qsym, arg_params, thresholds), aux_params
