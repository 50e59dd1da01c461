"""Choose the precision of operators and convert graphs to it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from regluon.dtypes import FLAG_OF_NAME, NAME_OF_TORCH, TORCH_OF_NAME, dtype_name
from regluon.graph.dtype_inference import input_dtype, output_dtypes
from regluon.graph.node import Entry, Node, in_order, node_of
from regluon.ops.precision import is_met
from regluon.ops.registry import Operator, names

from ...base import MXNetError
from ...error import OpTypeError
from .lists.symbol_bf16 import BF16_FP32_FUNCS, BF16_FUNCS, BF16_USE_FP32_PARAMS
from .lists.symbol_bf16 import CONDITIONAL_FP32_FUNCS as BF16_CONDITIONAL
from .lists.symbol_bf16 import FP32_FUNCS as BF16_AS_FP32
from .lists.symbol_bf16 import LOSS_OUTPUT_FUNCTIONS as BF16_LOSSES
from .lists.symbol_bf16 import WIDEST_TYPE_CASTS as BF16_WIDEST
from .lists.symbol_fp16 import CONDITIONAL_FP32_FUNCS as FP16_CONDITIONAL
from .lists.symbol_fp16 import FP16_FP32_FUNCS, FP16_FUNCS
from .lists.symbol_fp16 import FP32_FUNCS as FP16_AS_FP32
from .lists.symbol_fp16 import LOSS_OUTPUT_FUNCTIONS as FP16_LOSSES
from .lists.symbol_fp16 import WIDEST_TYPE_CASTS as FP16_WIDEST

Condition = tuple[str, str, list[str]]


class AmpError(MXNetError, ValueError, AssertionError):
    """Mixed precision was asked for what it cannot do: MXNet raised an AssertionError there."""


class _Lists(NamedTuple):
    low: list[str]
    single: list[str]
    either: list[str]
    conditional: list[Condition]
    widest: list[str]
    losses: list[str]
    single_params: dict[str, list[str]] | None


_LISTS = {
    "float16": _Lists(FP16_FUNCS, FP16_AS_FP32, FP16_FP32_FUNCS, FP16_CONDITIONAL, FP16_WIDEST, FP16_LOSSES, None),
    "bfloat16": _Lists(
        *(BF16_FUNCS, BF16_AS_FP32, BF16_FP32_FUNCS, BF16_CONDITIONAL, BF16_WIDEST, BF16_LOSSES),
        BF16_USE_FP32_PARAMS,
    ),
}


def low_precision(target_dtype: Any, who: str) -> str:
    """The name of a low precision, given in any way."""
    try:
        name = dtype_name(target_dtype)
    except OpTypeError:
        name = ""
    if name not in _LISTS:
        raise AmpError(f"[{who}] target_dtype: received {target_dtype!r}; expected 'float16' or 'bfloat16'.")
    return name


def list_lp16_ops(target_dtype: Any) -> list[str]:
    """The operators that run in low precision."""
    return _LISTS[low_precision(target_dtype, "list_lp16_ops")].low


def list_fp32_ops(target_dtype: Any) -> list[str]:
    """The operators that run in float32."""
    return _LISTS[low_precision(target_dtype, "list_fp32_ops")].single


def list_lp16_fp32_ops(target_dtype: Any) -> list[str]:
    """The operators that run in the precision of their inputs."""
    return _LISTS[low_precision(target_dtype, "list_lp16_fp32_ops")].either


def list_conditional_fp32_ops(target_dtype: Any) -> list[Condition]:
    """The operators that run in float32 where a parameter has one of some values: (operator, parameter, values)."""
    return _LISTS[low_precision(target_dtype, "list_conditional_fp32_ops")].conditional


def list_widest_type_cast(target_dtype: Any) -> list[str]:
    """The operators that run in the widest precision among their inputs."""
    return _LISTS[low_precision(target_dtype, "list_widest_type_cast")].widest


def list_loss_output_functions(target_dtype: Any) -> list[str]:
    """The operators that start the backward pass themselves."""
    return _LISTS[low_precision(target_dtype, "list_loss_output_functions")].losses


def list_lp16_use_fp32_params(target_dtype: Any) -> dict[str, list[str]] | None:
    """Inputs that stay float32 where their operator runs in low precision; None if there are no such."""
    return _LISTS[low_precision(target_dtype, "list_lp16_use_fp32_params")].single_params


class Precision(NamedTuple):
    """What is to happen to the inputs of an operator.

    Attributes:
        kind: 'low', 'single', 'conditional' or 'widest'; 'either' to leave them alone.
        conditions: of 'conditional': parameters and those of their values that make it 'single'.
    """

    kind: str
    conditions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def at(self, params: Mapping[str, Any]) -> "Precision":
        """What it comes to under these parameters: an operator whose condition does not hold is left alone."""
        return self if self.kind != "conditional" or is_met(self.conditions, params) else EITHER


EITHER = Precision("either")


def check_names(who: str, argument: str, given: Any) -> list[str]:
    """A user's list of operators."""
    if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given):
        raise AmpError(f"[{who}] {argument}: received {given!r}; expected a list of names of operators.")
    known = dict(names())
    unknown = [name for name in given if name not in known and not _is_listed(name)]
    if unknown:
        raise AmpError(f"[{who}] {argument}: there is no operator {', '.join(map(repr, unknown))}.")
    return list(given)


def check_conditions(who: str, given: Any) -> list[Condition]:
    """A user's list of conditions."""
    for each in given if isinstance(given, (list, tuple)) else (given,):
        is_right = isinstance(each, (list, tuple)) and len(each) == 3 and isinstance(each[2], (list, tuple))
        if not is_right or not isinstance(each[0], str) or not isinstance(each[1], str):
            raise AmpError(
                f"[{who}] conditional_fp32_ops: received {each!r}; expected a list of (operator, parameter, list of "
                "values)."
            )
    return [(name, param, [str(value) for value in values]) for name, param, values in given]


def _is_listed(name: str) -> bool:
    return any(name in each for lists in _LISTS.values() for each in (lists.low, lists.single, lists.either))


def precisions(
    target_dtype: str, low: Sequence[str], single: Sequence[str], conditional: Sequence[Condition]
) -> dict[str, Precision]:
    """The precision of every operator by its own name; those that are left alone are left out.

    The lists name operators by their aliases too. Where these disagree, the operator's own name decides; of several
    lists that hold it, the first one here.
    """
    conditions: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for name, param, values in conditional:
        conditions.setdefault(name, []).append((param, tuple(values)))
    listed: dict[str, Precision] = {}

    def enter(these: Iterable[str], precision: Precision) -> None:
        for name in these:
            listed.setdefault(name, precision)

    enter(low, Precision("low"))
    enter(single, Precision("single"))
    for name, found in conditions.items():
        enter([name], Precision("conditional", tuple(found)))
    enter(list_widest_type_cast(target_dtype), Precision("widest"))
    enter(list_lp16_fp32_ops(target_dtype), EITHER)
    resolved: dict[str, Precision] = {}
    for operator in {id(each): each for _, each in names()}.values():
        found_precision = _of_operator(operator, listed)
        if found_precision is not EITHER:
            resolved[operator.name] = found_precision
    return resolved


def _of_operator(operator: Operator, listed: Mapping[str, Precision]) -> Precision:
    return next((listed[name] for name in (operator.name, *operator.aliases) if name in listed), EITHER)


def cast_dtype(target_dtype: str, precision: Precision) -> Any:
    """What inputs are cast to; None for the widest among them."""
    if precision.kind == "widest":
        return None
    return TORCH_OF_NAME[target_dtype if precision.kind == "low" else "float32"]


SINGLE = "float32"
_SHAPES_ONLY = {"rhs", "shape_like"}  # inputs of which an operator takes the shape
_ALIKE = {"LeakyReLU"}  # operators that are left alone, but whose parameters must be of the data's dtype

# Operators whose outputs MXNet names in full when it names a cast after one: `fc1_output_amp_cast_float32`. After the
# others it puts the number of the output: `exp0_0_amp_cast_float32`.
_NAMED_OUTPUTS = frozenset(
    [
        *("Activation", "BatchNorm", "BatchNorm_v1", "BilinearSampler", "Concat", "Convolution", "Convolution_v1"),
        *("Correlation", "Crop", "Deconvolution", "Dropout", "FullyConnected", "GridGenerator", "GroupNorm"),
        *("InstanceNorm", "L2Normalization", "LRN", "LayerNorm", "LeakyReLU", "MakeLoss", "Pad", "Pooling"),
        *("Pooling_v1", "RNN", "ROIPooling", "SVMOutput", "SequenceLast", "SequenceMask", "SequenceReverse"),
        *("SliceChannel", "SoftmaxActivation", "SoftmaxOutput", "SpatialTransformer", "SwapAxis", "UpSampling"),
        *("_contrib_DeformableConvolution", "_contrib_MultiProposal", "_contrib_Proposal", "_contrib_ROIAlign"),
        *("_contrib_SyncBatchNorm", "_contrib_fft", "_contrib_ifft", "_contrib_index_array", "_rnn_param_concat"),
        *("elemwise_add", "make_loss", "softmax", "softmin"),
    ]
)


class Conversion:
    """A graph with casts, its outputs in float32.

    Args:
        heads: a graph that computes in float32.
        target: the low precision.
        precisions: of operators by name.
        excluded: names of nodes that stay in float32.
        params: names of the variables that are parameters; the new graph notes their dtypes.
        casts_params: whether those that only operators in low precision read are to be given in it, without a cast.
    """

    def __init__(
        self,
        heads: Sequence[Entry],
        target: str,
        precisions: Mapping[str, Precision],
        excluded: Collection[str],
        params: Collection[str],
        casts_params: bool,
    ) -> None:
        self._heads, self._target, self._order = heads, target, in_order(heads)
        self._precisions, self._excluded, self._params = precisions, set(excluded), set(params)
        self._only_low = self._read_in_low() if casts_params else set()
        self._made: dict[int, Node] = {}
        # What outputs come in, by node and number, where that is one of the two precisions for certain.
        self._comes_in: dict[tuple[int, int], str] = {}
        self._casts: dict[tuple[int, int, str], Entry] = {}

    def run(self) -> tuple[Entry, ...]:
        """Makes the nodes anew, inputs first, and casts the outputs back."""
        for node in self._order:
            self._made[id(node)] = self._variable(node) if node.is_variable else self._operator(node)
        return tuple(self._moved(head) if self._is(head, SINGLE) else self._cast(head, SINGLE) for head in self._heads)

    def _precision(self, node: Node) -> Precision:
        if node.name in self._excluded:
            return Precision("single")
        return self._precisions.get(node.op_name, EITHER).at(node.attrs)

    def _read_in_low(self) -> set[int]:
        """The parameters that nothing but operators in low precision reads."""
        found = {id(node) for node in self._order if node.is_variable and node.name in self._params}
        for node in self._order:
            is_low = not node.is_variable and self._precision(node).kind == "low"
            for place, source in enumerate(node.inputs):
                if not is_low or place in node.auxiliary:
                    found.discard(id(source.node))
        return found - {id(head.node) for head in self._heads}

    def _variable(self, node: Node) -> Node:
        if node.name not in self._params:
            return node
        noted = node.attrs.get("__dtype__", "-1")
        if id(node) in self._only_low:
            noted = str(FLAG_OF_NAME[self._target])
            self._comes_in[id(node), 0] = self._target
        elif noted == "-1":
            noted = str(FLAG_OF_NAME[SINGLE])
        return Node(None, node.name, {**node.attrs, "__dtype__": noted})

    def _operator(self, node: Node) -> Node:
        kind = self._precision(node).kind
        if kind == "widest":
            inputs = self._widest(node)
        elif kind == "either" or not node.inputs:
            inputs = self._left_alone(node)
            self._follow(node)
        else:
            wanted = self._target if kind == "low" else SINGLE
            inputs = [self._read(node, place, kind, wanted) for place in range(len(node.inputs))]
            self._note(node, wanted)
        return Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)

    def _read(self, node: Node, place: int, kind: str, wanted: str) -> Entry:
        """An input in the precision that its operator runs in; data and parameters are in float32 to begin with."""
        source = node.inputs[place]
        is_there = self._is(source, wanted) or (kind == "single" and source.node.is_variable)
        return self._moved(source) if is_there or place in node.auxiliary else self._cast(source, wanted)

    def _left_alone(self, node: Node) -> list[Entry]:
        inputs = [self._moved(source) for source in node.inputs]
        if node.op_name in _ALIKE and self._is(node.inputs[0], self._target):
            inputs[1:] = [self._read(node, place, "low", self._target) for place in range(1, len(inputs))]
        return inputs

    def _widest(self, node: Node) -> list[Entry]:
        """The inputs of an operator that wants them alike: where it is not known what they are, a node finds out."""
        come_in = {self._comes_in.get((id(source.node), source.index)) for source in node.inputs}
        if len(come_in) == 1 and None not in come_in:
            self._note(node, next(iter(come_in)))
            return [self._moved(source) for source in node.inputs]
        if None not in come_in:
            self._note(node, SINGLE)
            return [self._read(node, place, "widest", SINGLE) for place in range(len(node.inputs))]
        first = node.inputs[0]
        sources = [self._moved(source) for source in node.inputs]
        name = f"{first.node.name}{_suffix(first)}_amp_multicast"
        multicast = node_of("amp_multicast", name, {"num_outputs": str(len(sources))}, sources)
        return [Entry(multicast, index) for index in range(len(sources))]

    def _follow(self, node: Node) -> None:
        """Notes what the results of an operator come in that is left alone: its first input tells."""
        operator = node.operator
        assert operator is not None
        if not node.inputs or _SHAPES_ONLY.intersection(operator.dtypes.free):
            return
        first = node.inputs[0]
        name = self._comes_in.get((id(first.node), first.index))
        if name is None:
            return
        data = TORCH_OF_NAME[name]
        if node.input_names and node.input_names[0] in operator.dtypes.free:  # indices
            data = input_dtype(operator, node.params, None, True)
        for index, dtype in enumerate(output_dtypes(operator, node.params, data, node.num_outputs)):
            if dtype is not None and NAME_OF_TORCH[dtype] in (SINGLE, self._target):
                self._comes_in[id(node), index] = NAME_OF_TORCH[dtype]

    def _note(self, node: Node, name: str | None) -> None:
        if name is not None:
            self._comes_in.update({(id(node), index): name for index in range(node.num_outputs)})

    def _is(self, entry: Entry, name: str) -> bool:
        return self._comes_in.get((id(entry.node), entry.index)) == name

    def _moved(self, entry: Entry) -> Entry:
        return entry._replace(node=self._made[id(entry.node)])

    def _cast(self, entry: Entry, name: str) -> Entry:
        """An output in another precision; all who want it so share the node."""
        key = id(entry.node), entry.index, name
        if key not in self._casts:
            title = f"{entry.node.name}{_suffix(entry)}_amp_cast_{name}"
            self._casts[key] = Entry(node_of("amp_cast", title, {"dtype": name}, [self._moved(entry)]))
        return self._casts[key]


def _suffix(entry: Entry) -> str:
    """What the names of casts have after that of the node whose output is cast."""
    node = entry.node
    if node.is_variable:
        return ""
    if node.op_name in _NAMED_OUTPUTS:
        return node.output_name(entry.index).removeprefix(node.name)
    return f"_{entry.index}"
