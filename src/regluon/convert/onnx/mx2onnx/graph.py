"""Translate a graph to ONNX and fold its constant parts."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from ....array import NDArray, array
from ....base import MXNetError
from ....dtypes import dtype_name
from ....graph.inference import Inference, Shape
from ....graph.node import Entry, Node, in_order
from ....runtime.invoke import invoke
from .call import IR_VERSION, OPSET, TENSOR_TYPES, Array, Builder, Call, Untranslatable
from .translations import TRANSLATIONS

Values = dict[tuple[int, int], Array]


def fold(order: Sequence[Node], params: Mapping[str, Array]) -> Values:
    """The values of all outputs that follow from parameters alone, by node and output.

    Args:
        order: the nodes, inputs before users.
        params: values of variables by name.
    """
    values: Values = {}
    for node in order:
        if node.operator is None:
            if node.name in params:
                values[id(node), 0] = params[node.name]
        elif _is_constant(node, values):
            for index, value in enumerate(_computed(node, values)):
                values[id(node), index] = value
    return values


def _is_constant(node: Node, values: Values) -> bool:
    operator = node.operator
    assert operator is not None
    if operator.needs_rng or operator.auxiliary or operator.free_params or node.subgraphs:
        return False
    if not node.inputs:  # a shape that its users tell is found later
        return "shape" not in operator.params and not node.params.get("infer_range")
    return all((id(source.node), source.index) in values for source in node.inputs)


def _computed(node: Node, values: Values) -> list[Array]:
    assert node.operator is not None
    given = [values[id(source.node), source.index] for source in node.inputs]
    inputs = node.arguments([array(value, dtype=value.dtype) for value in given])
    found = invoke(node.operator, inputs, dict(node.params), array_type=NDArray)
    return [each.asnumpy() for each in (found if isinstance(found, (list, tuple)) else [found])]


_LOG = logging.getLogger("mxnet.onnx")
_ZEROS = ("_zeros", "zeros_like")


class UnsupportedOperators(MXNetError, NotImplementedError):
    """A network has nodes that cannot be written as ONNX; the text lists all of them."""


def _is_ignored(node: Node, place: int) -> bool:
    """Whether an input plays no part in inference: labels, and states that begin with zero."""
    name = node.input_names[place] if place < len(node.input_names) else ""
    source = node.inputs[place].node
    if name == "label" and node.op_name.endswith("Output"):
        return True
    return node.op_name == "RNN" and name in ("state", "state_cell") and source.op_name in _ZEROS


def needed(heads: Sequence[Entry]) -> list[Node]:
    """The nodes that inference rests on, inputs before users."""
    kept = {id(head.node) for head in heads}
    order = in_order(heads)
    for node in reversed(order):
        if id(node) in kept:
            kept.update(id(source.node) for place, source in enumerate(node.inputs) if not _is_ignored(node, place))
    return [node for node in order if id(node) in kept]


def input_names(heads: Sequence[Entry], params: Mapping[str, Any]) -> list[str]:
    """Names of the variables that data are given for, in order."""
    return [node.name for node in needed(heads) if node.is_variable and node.name not in params]


class Exporter:
    """Translates one graph.

    Args:
        onnx: the package.
        heads: the graph.
        params: values of its parameters and states.
        shapes: shapes of the inputs by name; 0 for a length that may differ from run to run.
        dtypes: dtypes of the inputs by name.
        verbose: log every node.
    """

    def __init__(
        self,
        onnx: Any,
        heads: Sequence[Entry],
        params: Mapping[str, Array],
        shapes: Mapping[str, Shape],
        dtypes: Mapping[str, Any],
        verbose: bool = False,
    ) -> None:
        self._onnx, self._heads, self._verbose = onnx, tuple(heads), verbose
        self._order = needed(heads)
        self._shapes, self._params = shapes, params
        self._inference = Inference(
            heads, {**{name: value.shape for name, value in params.items()}, **shapes}, dict(dtypes)
        )
        self._inference.run()
        self.output_names: list[str] = []
        for head in heads:  # names are unique in ONNX: an input may be an output too, or an output have its name
            name = _output_name(head)
            while name in shapes or name in self.output_names:
                name += "_output"
            self.output_names.append(name)
        names = list(dict.fromkeys([*shapes, *self.output_names]))
        self._builder = Builder(onnx, names)
        self._values: dict[tuple[int, int], str] = {}

    def model(self) -> Any:
        """The ONNX model."""
        self._enter_constants()
        self._translate()
        done: set[str] = set()
        for head, name in zip(self._heads, self.output_names, strict=True):
            value = self._values[id(head.node), head.index]
            is_free = value not in done and value not in self._shapes
            self._builder.name_output(value, name, is_free)
            if is_free:
                self._values = {key: name if old == value else old for key, old in self._values.items()}
            done.add(self._values[id(head.node), head.index])
        inputs = [self._info(name, Entry(node)) for name, node in self._inputs()]
        outputs = [self._info(name, head) for name, head in zip(self.output_names, self._heads, strict=True)]
        graph = self._builder.graph("mxnet_converted_model", inputs, outputs)
        opset = self._onnx.helper.make_opsetid("", OPSET)
        made = self._onnx.helper.make_model(
            graph, producer_name="regluon", opset_imports=[opset], ir_version=IR_VERSION
        )
        self._onnx.checker.check_model(made)
        return made

    def _inputs(self) -> list[tuple[str, Node]]:
        return [(node.name, node) for node in self._order if node.is_variable and node.name in self._shapes]

    def _enter_constants(self) -> None:
        kept = {id(node) for node in self._order}
        values = fold(self._order, self._params)
        for node in self._order:
            for index in range(node.num_outputs):
                value = values.get((id(node), index))
                if value is not None and id(node) in kept:
                    name = node.name if node.is_variable else node.output_name(index)
                    self._values[id(node), index] = self._builder.constant(value, name)
        for name, node in self._inputs():
            self._values[id(node), 0] = name

    def _translate(self) -> None:
        problems: list[str] = []
        unknown: set[int] = set()  # what rests on a node that could not be translated is not tried
        for node in self._order:
            if (id(node), 0) in self._values:
                continue
            sources = [source for place, source in enumerate(node.inputs) if not _is_ignored(node, place)]
            if self._verbose:
                _LOG.info("Converting op: %s, name: %s", node.op_name, node.name)
            translation = TRANSLATIONS.get(node.op_name)
            if translation is None:
                problems.append(f"{node.name} ({node.op_name}): there is no translation of this operator")
            elif not any(id(source.node) in unknown for source in sources):
                try:
                    self._enter(node, translation(self._call(node)))
                    continue
                except Untranslatable as reason:
                    problems.append(f"{node.name} ({node.op_name}): {reason}")
            unknown.add(id(node))
        if problems:
            listed = "".join(f"\n  {problem}" for problem in problems)
            raise UnsupportedOperators(
                f"[export_model] {len(problems)} of {len(self._order)} nodes cannot be written as ONNX:{listed}\n"
                "Cut the network before them (get_internals()), or compute these parts outside of the model."
            )

    def _call(self, node: Node) -> Call:
        inputs = [self._values.get((id(source.node), source.index), "") for source in node.inputs]
        return Call(node, inputs, self._builder, self._inference)

    def _enter(self, node: Node, result: str | Sequence[str]) -> None:
        for index, value in enumerate([result] if isinstance(result, str) else result):
            self._values[id(node), index] = value

    def _info(self, name: str, entry: Entry) -> Any:
        shape = self._inference.shape(entry) or ()
        dtype = self._inference.dtype(entry)
        kind = TENSOR_TYPES["float32" if dtype is None else dtype_name(dtype)]
        lengths = [length if length > 0 else f"{name}_{axis}" for axis, length in enumerate(shape)]
        if lengths and not isinstance(lengths[0], int):
            lengths[0] = "batch"
        return self._onnx.helper.make_tensor_value_info(name, kind, lengths)


def _output_name(head: Entry) -> str:
    """MXNet's name of an output in ONNX files: that of the node, and a number if it has several."""
    name = head.node.output_name(head.index)
    before, mark, number = name.rpartition("_output")
    return before + number if mark and not head.node.is_variable else name
