"""Quantized networks from graphs, parameters and data."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...context import Context, cpu
from ...io import DataIter
from ...module import Module
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
from ._collectors import _collect_layer_histogram, _collect_layer_output_min_max, say
from ._equalization import Equalization, compensate
from ._graph import _calibrate_quantized_sym, _quantize_symbol
from ._parameters import _load_sym, _quantize_params
from ._thresholds import _get_optimal_thresholds

Params = dict[str, NDArray]


def quantize_model(
    sym: Symbol,
    arg_params: Params,
    aux_params: Params,
    data_names: Sequence[str] = ("data",),
    label_names: Sequence[str] | None = ("softmax_label",),
    ctx: Context = cpu(0),  # noqa: B008  # a constant
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str | None = "entropy",
    calib_data: DataIter | None = None,
    num_calib_examples: int | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: Any = None,
) -> tuple[Symbol, Params, Params]:
    """A network in 8 bits: graph, parameters and auxiliary states, node for node as MXNet makes them.

    Plain quantized convolutions add the levels of a bias as they are, and take uint8 for twice as much as it stands
    for, as MXNet's do. Use `quantize_model_mkldnn`, or `quantize_net_v2` for a Gluon network, which make up for both.

    Args:
        sym: the graph, or the path of its file.
        arg_params: its parameters by name.
        aux_params: its auxiliary states by name.
        data_names: which of its variables are data.
        label_names: which of them are labels.
        ctx: where to run it for calibration.
        excluded_sym_names: names of nodes that stay in float32.
        excluded_op_names: names of operators that stay in float32.
        calib_mode: 'none' finds ranges anew in every call; 'naive' takes the least and the largest number that occurred
            in the calibration data; 'entropy' cuts off where the histogram of the numbers changes least.
        calib_data: the calibration data.
        num_calib_examples: how many examples to look at; all of them by default.
        quantized_dtype: 'int8', 'uint8', or 'auto' for uint8 where no number is negative.
        quantize_mode: 'full' for everything that can be, 'smart' for layers with weights and what lies between them.
        quantize_granularity: 'tensor-wise' or 'channel-wise'; plain quantized layers have one range for all channels
            either way, in MXNet too.
        logger: where to say what is done.

    Example:
        >>> qsym, qargs, auxs = quantize_model(sym, args, auxs, calib_mode="naive", calib_data=batches)
        >>> mx.model.save_checkpoint("model-int8", 0, qsym, qargs, auxs)
    """
    who = "quantize_model"
    sym = _load_sym(sym, logger)
    excluded = name_list(who, "excluded_sym_names", excluded_sym_names)
    excluded_ops = name_list(who, "excluded_op_names", excluded_op_names)
    expect_choices(who, quantized_dtype, quantize_mode, quantize_granularity)
    say(logger, "Quantizing symbol")
    qsym, names = _quantize_symbol(
        sym, ctx, excluded, excluded_ops, list(arg_params), quantized_dtype, quantize_mode, quantize_granularity
    )
    thresholds: Mapping[str, Any] = {}
    if calib_mode is not None and calib_mode != "none":
        expect_one_of(who, "calib_mode", calib_mode, CALIBRATIONS[:3])
        expect_context(who, ctx)
        module = _calibration_module(sym, calib_mode, calib_data, data_names, label_names, ctx)
        module.set_params(arg_params, aux_params)
        thresholds = _thresholds(module, calib_mode, calib_data, names, num_calib_examples, quantized_dtype, logger)
        qsym = _calibrate_quantized_sym(qsym, thresholds)
    say(logger, "Quantizing parameters")
    return qsym, _quantize_params(qsym, arg_params, thresholds), aux_params


def _calibration_module(
    sym: Symbol, calib_mode: str, data: Any, data_names: Sequence[str], label_names: Any, ctx: Context
) -> Module:
    """A bound module that runs the network over the calibration data."""
    if not isinstance(data, DataIter):
        given = "nothing" if data is None else type(data).__name__
        raise QuantizationError(
            f"[quantize_model] calib_data: received {given}; calib_mode={calib_mode!r} needs a DataIter."
        )
    module = Module(symbol=sym, data_names=data_names, label_names=label_names, context=ctx)
    known = sym.list_arguments()
    labels = [each for each in data.provide_label or () if each.name in known] or None  # the data may have others
    module.bind(for_training=False, data_shapes=data.provide_data, label_shapes=labels)
    return module


def _thresholds(
    module: Module,
    calib_mode: str,
    data: Any,
    names: Sequence[str],
    num_examples: int | None,
    quantized_dtype: str,
    logger: Any,
) -> dict[str, Any]:
    if calib_mode == "entropy":
        histograms, seen = _collect_layer_histogram(module, data, names, num_examples, logger)
        say(logger, f"Collected layer outputs from the float32 model using {seen} examples")
        return _get_optimal_thresholds(histograms, quantized_dtype, logger=logger)
    ranges, seen = _collect_layer_output_min_max(module, data, quantized_dtype, names, num_examples, logger)
    say(logger, f"Collected layer output min/max values from the float32 model using {seen} examples")
    return ranges


def quantize_model_mkldnn(
    sym: Symbol,
    arg_params: Params,
    aux_params: Params,
    data_names: Sequence[str] = ("data",),
    label_names: Sequence[str] | None = ("softmax_label",),
    ctx: Context = cpu(0),  # noqa: B008  # a constant
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str | None = "entropy",
    calib_data: DataIter | None = None,
    num_calib_examples: int | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: Any = None,
) -> tuple[Symbol, Params, Params]:
    """A network in 8 bits for a CPU; arguments as those of `quantize_model`.

    MXNet joins layers to nodes of its own kind here (`_sg_mkldnn_conv`). This package keeps plain quantized operators,
    which are joined when the graph is compiled, and moves biases and scales of convolutions into batch normalization,
    where 8 bits do them no harm: see `equalizing.py`. So there may be parameters that the given network does not have.
    """
    who = "quantize_model_mkldnn"
    expect_context(who, ctx)
    if ctx.device_type != "cpu":
        raise QuantizationError(f"[{who}] ctx: received {ctx}; expected mx.cpu().")
    excluded_ops = list(name_list(who, "excluded_op_names", excluded_op_names))
    equalization = Equalization(_load_sym(sym, logger), arg_params, aux_params, excluded_sym_names or (), excluded_ops)
    sym = equalization.run()
    if calib_mode is None or calib_mode == "none":
        excluded_ops.append("BatchNorm")  # in 8 bits it needs ranges that are known
    qsym, qargs, qauxs = quantize_model(
        *(sym, equalization.args, equalization.auxs, data_names, label_names, ctx, excluded_sym_names, excluded_ops),
        *(calib_mode, calib_data, num_calib_examples, quantized_dtype, quantize_mode, quantize_granularity, logger),
    )
    return compensate(qsym, qargs), qargs, qauxs
