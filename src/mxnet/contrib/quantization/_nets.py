"""Quantized blocks from Gluon networks."""

import warnings
from collections.abc import Sequence
from typing import Any

from ...context import Context, cpu
from ...gluon import HybridBlock, SymbolBlock
from ...io import DataDesc
from ...module import Module
from ...ndarray import NDArray, zeros
from ...symbol import Symbol, var
from ._calibration import _as_data_iter, calib_graph, quantize_graph
from ._checks import (
    CALIBRATIONS,
    QuantizationError,
    expect_choices,
    expect_context,
    expect_one_of,
    name_list,
)
from ._collectors import _collect_layer_statistics, say
from ._equalization import Equalization, compensate

Params = dict[str, NDArray]


def quantize_net_v2(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    exclude_layers: list[str] | None = None,
    exclude_layers_match: list[str] | None = None,
    exclude_operators: list[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[DataDesc | Sequence[Any]] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Context = cpu(0),  # noqa: B008  # a constant
    LayerOutputCollector: Any = None,  # MXNet's name
    logger: Any = None,
) -> SymbolBlock:
    """A block that computes in 8 bits what a network computes in float32.

    On a CPU, MXNet joins layers to nodes of its own kind here (`_sg_mkldnn_conv`). This package keeps plain quantized
    operators, which are joined when the block is compiled, and moves biases and scales of convolutions into batch
    normalization, where 8 bits do them no harm: see `equalizing.py`.

    Args:
        network: the network, initialized; it is hybridized.
        quantized_dtype: 'int8', 'uint8', or 'auto' for uint8 where no number is negative.
        quantize_mode: 'full' for everything that can be, 'smart' for layers with weights and what lies between them.
        quantize_granularity: 'tensor-wise' or 'channel-wise'.
        exclude_layers: names of nodes that stay in float32.
        exclude_layers_match: parts of such names.
        exclude_operators: names of operators that stay in float32.
        calib_data: a DataIter, a DataLoader, or another iterable of batches; labels may be among them.
        data_shapes: a DataDesc or a shape for each input, if there is no `calib_data`.
        calib_mode: see `quantize_model`; 'customize' takes a collector of one's own.
        num_calib_examples: how many examples to look at; all of them by default.
        ctx: where to run.
        LayerOutputCollector: see `quantize_graph`.
        logger: where to say what is done.

    Example:
        >>> qnet = quantize_net_v2(net, calib_data=loader, calib_mode="naive", num_calib_examples=256)
        >>> qnet(batch)
    """
    who = "quantize_net"
    if not isinstance(network, HybridBlock):
        raise QuantizationError(f"[{who}] network: received {type(network).__name__}; expected a HybridBlock.")
    expect_choices(who, quantized_dtype, quantize_mode, quantize_granularity)
    expect_context(who, ctx)
    expect_one_of(who, "calib_mode", "none" if calib_mode is None else calib_mode, CALIBRATIONS)
    is_calibrated = calib_mode is not None and calib_mode != "none"
    if is_calibrated and calib_data is None:
        raise QuantizationError(f"[{who}] calib_data: received None; calib_mode={calib_mode!r} needs data.")
    say(logger, "Export HybridBlock")
    if calib_data is not None:
        calib_data, found = _as_data_iter(calib_data)
        data_shapes = data_shapes or found
    descriptions = _traced(network, data_shapes, ctx)
    sym, args, auxs = _exported(network)
    data_names = [str(each.name) for each in descriptions]
    excluded = _excluded(sym, exclude_layers, exclude_layers_match)
    say(logger, f"These layers have been excluded {excluded}")
    operators = list(name_list(who, "exclude_operators", exclude_operators))
    if not is_calibrated:
        operators.append("BatchNorm")  # in 8 bits it needs ranges that are known
    equalization = Equalization(sym, args, auxs, excluded, operators)
    sym, args, auxs = equalization.run(), equalization.args, equalization.auxs
    qsym, qargs, qauxs, collector = quantize_graph(
        *(sym, args, auxs, ctx, excluded, operators, calib_mode, quantized_dtype, quantize_mode),
        *(quantize_granularity, LayerOutputCollector, logger),
    )
    if is_calibrated:
        _collect(sym, (args, auxs), descriptions, calib_data, collector, num_calib_examples, ctx, logger)
        qsym, qargs, qauxs = calib_graph(qsym, args, auxs, collector, calib_mode, quantized_dtype, logger)
    qsym = compensate(qsym, qargs)
    block = SymbolBlock(qsym, [var(name) for name in data_names])
    block.collect_params().load_dict({**qargs, **qauxs}, ctx=ctx, cast_dtype=True, dtype_source="saved")
    return block


def _traced(network: HybridBlock, shapes: Sequence[Any] | None, ctx: Context) -> list[DataDesc]:
    """Runs the network once; returns what describes the data that it takes, without the labels that loaders add."""
    if not shapes:
        raise QuantizationError(
            "[quantize_net] data_shapes: received none; expected calib_data, or data_shapes=[mx.io.DataDesc('data', "
            "shape)]."
        )
    network.hybridize()
    names = ["data"] if len(shapes) == 1 else [f"data{place}" for place in range(len(shapes))]  # as in the graph
    descriptions = [_described(name, each) for name, each in zip(names, shapes, strict=True)]
    while True:
        try:
            network(*(zeros(each.shape, ctx=ctx, dtype=each.dtype) for each in descriptions))
        except TypeError:
            if len(descriptions) == 1:
                raise
            descriptions.pop()
        else:
            return descriptions


def _described(name: str, given: Any) -> DataDesc:
    """An input as a DataDesc: from one, from a name and a shape, or from a shape alone."""
    if isinstance(given, DataDesc):
        return given
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], str):
        name, given = given
    if not isinstance(given, (tuple, list)) or not all(isinstance(length, int) for length in given):
        raise QuantizationError(
            f"[quantize_net] data_shapes: received {given!r} in the list; expected mx.io.DataDesc('data', shape), or a "
            "shape such as (1, 3, 224, 224)."
        )
    return DataDesc(name, tuple(given))


def _exported(network: HybridBlock) -> tuple[Symbol, Params, Params]:
    """The graph of a network that has run, its parameters and its states."""
    symbol, arrays = network._traced("quantize_net").exported()
    states = set(symbol.list_auxiliary_states())
    args = {name: value for name, value in arrays.items() if name not in states}
    return symbol, args, {name: value for name, value in arrays.items() if name in states}


def _excluded(sym: Symbol, layers: list[str] | None, parts: list[str] | None) -> list[str]:
    """Names of nodes that stay in float32: those given, and those that contain one of some parts."""
    found = list(name_list("quantize_net", "exclude_layers", layers))
    names = [name for name in (each.name for each in sym.get_internals()) if name is not None]
    for part in name_list("quantize_net", "exclude_layers_match", parts):
        found += [name for name in names if part in name]
    return found


def _collect(
    sym: Symbol,
    params: tuple[Params, Params],
    descriptions: Sequence[DataDesc],
    data: Any,
    collector: Any,
    num_examples: int | None,
    ctx: Context,
    logger: Any,
) -> None:
    """Shows the results of the float32 network over the calibration data to a collector."""
    del data.provide_data[len(descriptions) :]
    names = [str(each.name) for each in descriptions]
    module = Module(symbol=sym, context=ctx, data_names=names, label_names=None)
    module.bind(for_training=False, data_shapes=list(descriptions))
    module.set_params(*params, allow_missing=False, force_init=True)
    seen = _collect_layer_statistics(module, data, collector, num_examples, logger)
    say(logger, f"Collected layer output values from the float32 model using {seen} examples")


def quantize_net(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    exclude_layers: list[str] | None = None,
    exclude_layers_match: list[str] | None = None,
    exclude_operators: list[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[DataDesc | Sequence[Any]] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Context = cpu(0),  # noqa: B008  # a constant
    logger: Any = None,
) -> SymbolBlock:
    """The former name of `quantize_net_v2`, with the same arguments but for two."""
    warnings.warn("[quantize_net] is the former name; use quantize_net_v2.", stacklevel=2)
    return quantize_net_v2(
        network,
        quantized_dtype,
        quantize_mode,
        "tensor-wise",
        exclude_layers,
        exclude_layers_match,
        exclude_operators,
        calib_data,
        data_shapes,
        calib_mode,
        num_calib_examples,
        ctx,
        None,
        logger,
    )
