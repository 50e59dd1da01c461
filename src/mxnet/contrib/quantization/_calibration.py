"""Calibrate thresholds of quantized networks on data."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...context import Context, cpu
from ...io import DataBatch, DataDesc, DataIter
from ...ndarray import NDArray
from ...symbol import Symbol
from ._checks import CALIBRATIONS, QuantizationError, expect_choices, expect_context, expect_one_of, name_list
from ._collectors import _LayerHistogramCollector, _LayerOutputMinMaxCollector, say
from ._graph import _calibrate_quantized_sym, _quantize_symbol
from ._parameters import _load_sym, _quantize_params
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


def _flat(batch: Any) -> list[NDArray]:
    """The arrays of a batch; of more than four axes the first two become one."""
    arrays = list(batch) if isinstance(batch, (list, tuple)) else [batch]
    if arrays and len(arrays[0].shape) > 4:
        arrays[0] = arrays[0].reshape((-1, *arrays[0].shape[2:]))
    return arrays


class _DataIterWrapper(DataIter):
    """A loader as an iterator of `mx.io`: what it gives is data, up to the labels, which the network may not take.

    Args:
        calib_data: anything that gives batches, each an array or a list of them.
    """

    def __init__(self, calib_data: Iterable[Any]) -> None:
        if not hasattr(calib_data, "__iter__"):
            raise TypeError(
                f"[quantization] calib_data: received {type(calib_data).__name__}; expected a DataIter, a DataLoader "
                "or another iterable of batches."
            )
        self._data = calib_data
        first = next(iter(calib_data), None)
        if first is None:
            raise QuantizationError("[quantization] calib_data: received no batch; expected at least one.")
        example = _flat(first)
        names = [f"data{i}" for i in range(len(example))]
        if len(example) < 3:
            names = ["data", *names[:-1]]
        self.provide_data = [DataDesc(name, array.shape) for name, array in zip(names, example, strict=True)]
        self.batch_size = example[0].shape[0]
        self.reset()

    def reset(self) -> None:
        """Begins anew."""
        self._iter = iter(self._data)

    def next(self) -> DataBatch:
        """The next batch."""
        return DataBatch(data=_flat(next(self._iter))[: len(self.provide_data)])


def _as_data_iter(calib_data: Any) -> tuple[DataIter, Sequence[DataDesc]]:
    """Data for calibration as an iterator of `mx.io`, and the shapes of its batches."""
    data = calib_data if isinstance(calib_data, DataIter) else _DataIterWrapper(calib_data)
    return data, data.provide_data
