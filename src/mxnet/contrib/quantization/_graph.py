"""Rewrite graphs to quantized operators."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from regluon.graph.node import Entry, Node, in_order, node_of, variable

from ...context import Context
from ...symbol import Symbol
from ._checks import expect_choices, name_list


def _always(params: Mapping[str, Any]) -> bool:
    return True


class Quantizable(NamedTuple):
    """How an operator is quantized.

    Attributes:
        name: of the operator that takes 8 bits.
        is_wanted: whether it is quantized for its own sake; others only between such, in 'smart' mode.
        sums: whether its results are 32 bits wide, so that they are quantized once more.
        fits: from the parameters, whether there is a form for 8 bits.
        stays_real: from the position of an input, whether it is not quantized.
        is_asymmetric: whether its data are quantized to exactly cover their range, and its results are real numbers.
    """

    name: str
    is_wanted: bool = False
    sums: bool = False
    fits: Callable[[Mapping[str, Any]], bool] = _always
    stays_real: Callable[[int], bool] = lambda position: False
    is_asymmetric: bool = False


QUANTIZABLE = {
    "Activation": Quantizable("_contrib_quantized_act", fits=lambda params: params["act_type"] == "relu"),
    "BatchNorm": Quantizable("_contrib_quantized_batch_norm", stays_real=lambda position: position != 0),
    "Concat": Quantizable("_contrib_quantized_concat", fits=lambda params: params["dim"] > 0),
    "Convolution": Quantizable("_contrib_quantized_conv", is_wanted=True, sums=True),
    "Embedding": Quantizable(
        "_contrib_quantized_embedding",
        fits=lambda params: str(params["dtype"]).endswith("float32"),
        stays_real=lambda position: position == 0,
    ),
    "Flatten": Quantizable("_contrib_quantized_flatten"),
    "FullyConnected": Quantizable("_contrib_quantized_fully_connected", is_wanted=True, sums=True),
    "Pooling": Quantizable("_contrib_quantized_pooling", fits=lambda params: params["pool_type"] in ("max", "avg")),
    "RNN": Quantizable(
        "_contrib_quantized_rnn",
        is_wanted=True,
        fits=lambda params: params["mode"] == "lstm",
        stays_real=lambda position: position != 0,
        is_asymmetric=True,
    ),
    "elemwise_add": Quantizable("_contrib_quantized_elemwise_add", sums=True),
    "elemwise_mul": Quantizable("_contrib_quantized_elemwise_mul", sums=True),
}

# Operators that learn a range from calibration: of their first input, or of their first output.
BY_INPUT = ("_contrib_quantize_v2", "_contrib_quantize_asym", "_contrib_requantize")
BY_OUTPUT = ("_contrib_quantized_batch_norm",)


# Operators whose outputs MXNet has names for; the graph pass numbers those of others.
_NAMED_TEXT = """
    Activation BatchNorm BatchNorm_v1 BilinearSampler Concat Convolution Convolution_v1 Correlation Crop Deconvolution
    Dropout FullyConnected GridGenerator GroupNorm IdentityAttachKLSparseReg InstanceNorm L2Normalization LRN LayerNorm
    LeakyReLU MakeLoss Pad Pooling Pooling_v1 RNN ROIPooling SVMOutput SequenceLast SequenceMask SequenceReverse
    SliceChannel SoftmaxActivation SoftmaxOutput SpatialTransformer SwapAxis UpSampling _contrib_BatchNormWithReLU
    _contrib_DeformableConvolution _contrib_DeformablePSROIPooling _contrib_ModulatedDeformableConvolution
    _contrib_MultiBoxDetection _contrib_MultiBoxPrior _contrib_MultiBoxTarget _contrib_MultiProposal
    _contrib_PSROIPooling _contrib_Proposal _contrib_ROIAlign _contrib_RROIAlign _contrib_SyncBatchNorm
    _contrib_calibrate_entropy _contrib_count_sketch _contrib_fft _contrib_hawkesll _contrib_ifft
    _contrib_index_array _contrib_interleaved_matmul_encdec_qk _contrib_interleaved_matmul_encdec_valatt
    _contrib_interleaved_matmul_selfatt_qk _contrib_interleaved_matmul_selfatt_valatt _npi_concatenate _npi_matmul
    _npi_std _npi_var _rnn_param_concat col2im elemwise_add im2col make_loss softmax softmin
    """
_NAMED = frozenset(_NAMED_TEXT.split())


def output_suffix(entry: Entry) -> str:
    """What stands between the names of a node and of the one that quantizes its result."""
    node = entry.node
    if node.is_variable:
        return ""
    if node.op_name in _NAMED:
        return node.output_name(entry.index)[len(node.name) :]
    return f"_{entry.index}"


def quantizable(node: Node) -> Quantizable | None:
    """How a node is quantized; None if it cannot be."""
    found = QUANTIZABLE.get(node.op_name)
    if found is None or node.operator is None:
        return None
    return found if found.fits(node.operator.full_params(node.params)) else None


def as_text(threshold: Any) -> str:
    """A threshold as saved graphs have it: single precision, six digits behind the point."""
    return f"{float(np.float32(np.asarray(threshold).item())):f}"


_QUANTIZE, _ASYMMETRIC = "_contrib_quantize_v2", "_contrib_quantize_asym"
_REQUANTIZE, _DEQUANTIZE = "_contrib_requantize", "_contrib_dequantize"
_PREFIX = "quantized_"
_Key = tuple[int, int]  # an output: the identity of its node, and its index


def chosen_nodes(
    order: Sequence[Node], excluded_names: Collection[str], excluded_operators: Collection[str], mode: str
) -> dict[int, Quantizable]:
    """How nodes are quantized, by their identity, for those that are.

    Args:
        order: all nodes, inputs before users.
        excluded_names: names of nodes that stay as they are.
        excluded_operators: names of operators that stay as they are.
        mode: 'full' for all that can be, 'smart' for layers with weights and what lies between two of them.
    """
    found: dict[int, Quantizable] = {}
    for node in order:
        how = quantizable(node)
        if how is not None and node.name not in excluded_names and node.op_name not in excluded_operators:
            found[id(node)] = how
    if mode == "full":
        return found
    users: dict[int, list[Node]] = {}
    for node in order:
        for source in node.inputs:
            users.setdefault(id(source.node), []).append(node)
    wanted = [node for node in order if id(node) in found and found[id(node)].is_wanted]
    before = _reached(wanted, found, lambda node: [source.node for source in node.inputs])
    behind = _reached(wanted, found, lambda node: users.get(id(node), []))
    return {key: how for key, how in found.items() if how.is_wanted or (key in before and key in behind)}


def _reached(starts: Iterable[Node], found: Mapping[int, Quantizable], neighbours: Any) -> set[int]:
    """The nodes that can be quantized and that a path of such leads to, from those that are wanted."""
    reached: set[int] = set()
    tasks = list(starts)
    while tasks:
        for node in neighbours(tasks.pop()):
            if id(node) in found and not found[id(node)].is_wanted and id(node) not in reached:
                reached.add(id(node))
                tasks.append(node)
    return reached


class Quantization:
    """A graph on its way to 8 bits.

    Args:
        heads: the graph.
        excluded_names: names of nodes that stay as they are.
        excluded_operators: names of operators that stay as they are.
        offline: names of parameters that are given quantized, as three variables each.
        dtype: 'int8', 'uint8' or 'auto'.
        mode: 'full' or 'smart'.
    """

    def __init__(
        self,
        heads: Sequence[Entry],
        excluded_names: Collection[str] = (),
        excluded_operators: Collection[str] = (),
        offline: Collection[str] = (),
        dtype: str = "int8",
        mode: str = "full",
    ) -> None:
        self._heads, self._dtype, self._offline = tuple(heads), dtype, frozenset(offline)
        self._order = in_order(heads)
        self._chosen = chosen_nodes(self._order, excluded_names, excluded_operators, mode)
        self._made: dict[int, Node] = {}  # by the identity of an old node: the new one
        self._triples: dict[_Key, tuple[Entry, Entry, Entry]] = {}  # quantized arrays and their limits
        self._dequantized: dict[_Key, Entry] = {}
        self._origins: dict[int, Node] = {}  # by the identity of a new node: the old one

    def run(self) -> tuple[tuple[Entry, ...], list[str]]:
        """The graph, and the names of the results whose range calibration must find."""
        for node in self._order:
            how = self._chosen.get(id(node))
            made = self._copied(node) if how is None else self._quantized(node, how)
            self._made[id(node)] = made
            self._origins[id(made)] = node
        heads = tuple(self._real(head) for head in self._heads)
        return heads, self._calibrated_names(heads)

    def _gives_real(self, entry: Entry) -> bool:
        how = self._chosen.get(id(entry.node))
        return how is None or how.is_asymmetric

    def _real(self, entry: Entry) -> Entry:
        """An output in real numbers."""
        made = self._made[id(entry.node)]
        if self._gives_real(entry):
            return Entry(made, entry.index, entry.version)
        key = id(entry.node), entry.index
        if key not in self._dequantized:
            parts = [Entry(made, index) for index in (entry.index, 1, 2)]
            self._dequantized[key] = Entry(node_of(_DEQUANTIZE, f"{entry.node.name}_dequantize", {}, parts))
        return self._dequantized[key]

    def _copied(self, node: Node) -> Node:
        """A node that stays as it is, over real numbers."""
        inputs = tuple(self._real(source) for source in node.inputs)
        if all(new.node is old.node for new, old in zip(inputs, node.inputs, strict=True)):
            return node
        return Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)

    def _quantized(self, node: Node, how: Quantizable) -> Node:
        """A node in 8 bits: data first, then the limits of each of them."""
        data: list[Entry] = []
        limits: list[Entry] = []
        for position, source in enumerate(node.inputs):
            if how.stays_real(position):
                data.append(self._real(source))
                continue
            array, low, high = self._triple(source, how)
            data.append(array)
            limits += [low, high]
        attrs = {**node.attrs, "quantized": "true"} if how.is_asymmetric else dict(node.attrs)
        made = node_of(how.name, _PREFIX + node.name, attrs, (*data, *limits))
        if not how.sums:
            return made
        wide = [Entry(made, index) for index in range(3)]
        return node_of(_REQUANTIZE, f"requantize_{node.name}", {"out_type": self._dtype}, wide)

    def _triple(self, source: Entry, how: Quantizable) -> tuple[Entry, Entry, Entry]:
        """An output in 8 bits, and its limits."""
        made = self._made[id(source.node)]
        if not self._gives_real(source):
            return Entry(made, source.index), Entry(made, 1), Entry(made, 2)
        key = id(source.node), source.index
        if key not in self._triples:
            self._triples[key] = self._new_triple(source, made, how)
        return self._triples[key]

    def _new_triple(self, source: Entry, made: Node, how: Quantizable) -> tuple[Entry, Entry, Entry]:
        name = f"{source.node.name}{output_suffix(source)}_quantize"
        if made.is_variable and made.name in self._offline and not how.is_asymmetric:
            return Entry(variable(name)), Entry(variable(f"{name}_min")), Entry(variable(f"{name}_max"))
        data = [Entry(made, source.index, source.version)]
        if how.is_asymmetric:
            node = node_of(_ASYMMETRIC, name, {}, data)
        else:
            node = node_of(_QUANTIZE, name, {"out_type": self._dtype}, data)
        return Entry(node, 0), Entry(node, 1), Entry(node, 2)

    def _calibrated_names(self, heads: Sequence[Entry]) -> list[str]:
        found = []
        for node in in_order(heads):
            if node.op_name in BY_OUTPUT or node.op_name == _REQUANTIZE:
                found.append(self._origins[id(node)].output_name(0))
            elif node.op_name in BY_INPUT:
                source = node.inputs[0]
                found.append(self._origins[id(source.node)].output_name(source.index))
        return found


def with_thresholds(heads: Sequence[Entry], thresholds: Mapping[str, Sequence[Any]]) -> tuple[Entry, ...]:
    """The graph with ranges as parameters of the nodes that need them.

    Args:
        heads: a quantized graph.
        thresholds: the least and the largest number, by the name of the result in the graph of real numbers.
    """
    made: dict[int, Node] = {}
    for node in in_order(heads):
        inputs = tuple(source._replace(node=made[id(source.node)]) for source in node.inputs)
        attrs = node.attrs
        source = node.inputs[0] if node.op_name in BY_INPUT else Entry(node)
        if node.op_name in BY_INPUT or node.op_name in BY_OUTPUT:
            name = source.node.output_name(source.index)
            limits = thresholds.get(name.removeprefix(_PREFIX))
            if limits is not None:
                low, high = as_text(limits[0]), as_text(limits[1])
                attrs = {**attrs, "min_calib_range": low, "max_calib_range": high}
        is_same = attrs is node.attrs and all(a.node is b.node for a, b in zip(inputs, node.inputs, strict=True))
        made[id(node)] = node if is_same else Node(node.operator, node.name, attrs, inputs, node.subgraphs)
    return tuple(head._replace(node=made[id(head.node)]) for head in heads)


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
