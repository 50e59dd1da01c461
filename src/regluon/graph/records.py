"""Graphs to the records of symbol files and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import MXNetError
from ..config import switches
from ..errors import FileFormatError
from ..formats.symbol_json import VARIABLE, GraphRecord, NodeRecord, read_symbol_json, write_symbol_json
from ..ops.partial_shapes import read_shape
from ..ops.registry import Operator, find, names
from ..scopes import CollectorPaused
from .fused_nodes import expanded
from .node import Entry, Node, Writes, in_order, operator_params
from .upgrade import upgrade

# How many outputs a graph may have: so many, and so many more for each node.
_MANY_OUTPUTS = 1 << 15
_OUTPUTS_OF_A_NODE = 16


def to_json(heads: Sequence[Entry]) -> str:
    """The text of a symbol file, as MXNet 1.9.1 writes it."""
    with CollectorPaused():
        record = to_record(heads)
        if switches.np_shape:  # 0 is a length, not an unknown one
            record.attrs["is_np_shape"] = 1
        return write_symbol_json(record)


def from_json(text: str | bytes) -> tuple[Entry, ...]:
    """The graph in a symbol file of any generation."""
    with CollectorPaused():
        record = expanded(upgrade(read_symbol_json(text)))
        if switches.np_shape and not record.attrs.get("is_np_shape"):
            _mark_unknown_lengths(record)
        return from_record(record)


def _mark_unknown_lengths(record: GraphRecord) -> None:
    """Writes -1 for the 0 that stands for an unknown length in a file from before arrays could be empty."""
    for node in record.nodes:
        if node.op == VARIABLE and (shape := read_shape(node.attrs.get("__shape__", ""))) and 0 in shape:
            node.attrs["__shape__"] = f"[{','.join(str(length or -1) for length in shape)}]"


def to_record(heads: Sequence[Entry]) -> GraphRecord:
    """The record of a graph."""
    order = in_order(heads)
    place = {id(node): index for index, node in enumerate(order)}
    written = Writes()
    nodes = []
    for node in order:
        _expect_operator(node)
        written.note(node)
        versions = [written.version(source) for source in node.inputs]
        nodes.append(
            NodeRecord(
                op=node.op_name,
                name=node.name,
                attrs=dict(node.attrs),
                inputs=[(place[id(source.node)], source.index) for source in node.inputs],
                subgraphs=[to_record(body) for body in node.subgraphs],
                num_outputs=node.total_outputs,
                versions=versions if any(versions) else [],
            )
        )
    versions = [written.version(head) for head in heads]
    entries = [(place[id(head.node)], head.index) for head in heads]
    return GraphRecord(nodes, entries, head_versions=versions if any(versions) else [])


def _expect_operator(node: Node) -> None:
    """Refuses what only programs in memory contain: a file with it could not be read."""
    if node.operator is None:
        return
    try:
        find(node.op_name)
    except MXNetError:
        raise MXNetError(
            f"[Symbol] node {node.name!r} runs Python code ({node.op_name}), which no file can contain. A network with "
            "modules of torch in it is saved by net.export(path), which converts them."
        ) from None


def from_record(record: GraphRecord) -> tuple[Entry, ...]:
    """The graph of a record; refuses operators, parameters and outputs that do not exist, naming the node."""
    nodes: list[Node] = []
    for index, found in enumerate(record.nodes):
        try:
            nodes.append(_node(found, nodes))
        except MXNetError as error:
            raise FileFormatError(f"[symbol JSON] node {index} ({found.name!r}, {found.op}): {error}") from error
    _check_outputs(nodes)
    return tuple(_entry(nodes, head, "an output of the graph") for head in record.heads)


def _check_outputs(nodes: list[Node]) -> None:
    """Refuses counts of outputs that are out of proportion to the text: each of them takes time."""
    total = sum(node.num_outputs for node in nodes if node.operator is not None and callable(node.operator.outputs))
    most = _MANY_OUTPUTS + _OUTPUTS_OF_A_NODE * len(nodes)
    if total > most:
        raise FileFormatError(
            f"[symbol JSON] the parameters of its {len(nodes)} nodes ask for {total} outputs; expected at most {most}."
        )


def _node(found: NodeRecord, nodes: list[Node]) -> Node:
    if found.op == VARIABLE:
        return Node(None, found.name, found.attrs)
    operator = find(found.op)
    inputs = [_entry(nodes, source, f"input {place}") for place, source in enumerate(found.inputs)]
    if not operator.free_params:
        operator.parse(operator_params(operator, found.attrs))
    node = Node(operator, found.name, found.attrs, inputs, [from_record(body) for body in found.subgraphs])
    if operator.wiring is not None:
        bodies = [(sum(each.is_variable for each in in_order(body)), len(body)) for body in node.subgraphs]
        _check_wiring(operator, node.params, len(inputs), bodies)
    elif node.subgraphs:
        having = dict.fromkeys(each.name for _, each in names() if each.wiring is not None)
        raise MXNetError(f"received {len(node.subgraphs)} subgraphs; only {', '.join(having)} have them.")
    return node


def _entry(nodes: list[Node], place: tuple[int, int], what: str) -> Entry:
    entry = Entry(nodes[place[0]], place[1])
    if entry.index >= entry.node.num_outputs:
        usable = entry.node.num_outputs
        raise FileFormatError(
            f"{what} refers to output {entry.index} of {entry.node.name!r} ({entry.node.op_name}), which has {usable} "
            "that can be used."
        )
    return entry


def _check_wiring(
    operator: Operator, params: Mapping[str, Any], num_inputs: int, bodies: Sequence[tuple[int, int]]
) -> None:
    """Refuses parameters that do not fit the bodies: a damaged file may say anything.

    Args:
        operator: a loop or branch.
        params: its parameters.
        num_inputs: how many inputs the node has.
        bodies: for each body, the numbers of its variables and of its outputs.
    """
    assert operator.wiring is not None
    op_name = operator.name
    try:
        wires = operator.wiring(params)
    except (ValueError, IndexError):
        raise MXNetError(f"[{op_name}] the places of its body's variables do not list each of them once.") from None
    if len(bodies) != len(wires.sources):
        raise MXNetError(f"[{op_name}] received {len(bodies)} subgraphs; expected {len(wires.sources)}.")
    for index, (sources, (num_variables, num_results)) in enumerate(zip(wires.sources, bodies, strict=True)):
        if len(sources) != num_variables or any(not 0 <= source < num_inputs for source in sources):
            raise MXNetError(
                f"[{op_name}] subgraph {index} has {num_variables} variables; its parameters send it the inputs "
                f"{sources} of {num_inputs}."
            )
        expected = params["num_outputs"] if index in wires.main else 1
        if num_results != expected:
            raise MXNetError(f"[{op_name}] subgraph {index} gives {num_results} results; expected {expected}.")
    num_states = params["num_outputs"] - wires.num_data
    if len(wires.main) == 1 and (num_states != len(wires.states) or wires.num_data < 0):
        raise MXNetError(
            f"[{op_name}] received {len(wires.states)} states; expected {num_states}, one for each result."
        )
