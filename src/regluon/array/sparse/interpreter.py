"""Graphs with sparse arrays: carried out operator by operator, as eager code is.

A compiled program knows tensors only. Where storage types matter, each node goes the way that the same call on arrays
goes, so graphs and eager code agree on what stays sparse.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...autograd.recording import plain, recorded_input, state
from ...base import MXNetError
from ...compiler.monitoring import Watcher
from ...compiler.program import Program
from ...context import Context, context_of
from ...graph.node import Entry, Node, in_order, variable
from ...graph.placement import PLACE
from ...ops.registry import find
from ...ops.signatures import BackwardStorage
from ...runtime.invoke import enter_graph, invoke
from ..dense import NDArray
from .custom import run_custom
from .functions import cast_storage, dot

Memory = dict[Any, Any]


def makes_sparse(heads: Sequence[Entry]) -> bool:
    """Whether a graph on dense arrays has sparse ones inside."""
    return any(_gives_sparse(node) for node in in_order(heads))


def _gives_sparse(node: Node) -> bool:
    if node.op_name == "cast_storage":
        return bool(node.params["stype"] != "default")
    if node.op_name == "dot":
        return node.params.get("forward_stype") not in (None, "default")
    operator = node.operator
    return operator is not None and operator.describes is not None and operator.description(node.params).tells_storage


def interpret(
    heads: Sequence[Entry],
    arrays: Mapping[int, NDArray],
    context: Context,
    watch: Watcher | None = None,
    memory: Memory | None = None,
    storage: Mapping[str, BackwardStorage] | None = None,
) -> list[NDArray]:
    """Computes a graph in the current mode, recorded if recording is on.

    Args:
        heads: the graph.
        arrays: those of its variables, by the identities of the nodes.
        context: where results without inputs are made.
        watch: told of every result, in its dense form.
        memory: what operators keep from run to run; None if they keep nothing.
        storage: for operators in Python, by the names of nodes, the storage types of their backward passes.
    """
    values: dict[tuple[int, int], Any] = {(node, 0): array for node, array in arrays.items()}
    for place, node in enumerate(in_order(heads)):
        if node.is_variable:
            continue
        inputs = [values[id(source.node), source.index] for source in node.inputs]
        kept = {} if memory is None else memory.setdefault((node.name, place), {})
        try:
            results = _performed(node, inputs, context, kept, (storage or {}).get(node.name))
        except MXNetError as error:
            raise type(error)(f"{error} In the graph this is node {node.name!r}.") from error
        for index, result in enumerate(results):
            values[id(node), index] = result
        if watch is not None:
            _report(node, inputs, results, watch)
    return _owned([values[id(head.node), head.index] for head in heads], arrays)


def _performed(
    node: Node, inputs: Sequence[Any], context: Context, kept: Memory, storage: BackwardStorage | None
) -> list[Any]:
    operator = node.operator
    assert operator is not None
    if node.subgraphs:
        return _run_bodies(node, inputs, context)
    params = dict(node.params)
    if (place := node.attrs.get(PLACE)) is not None:
        context = context_of(place)
    result: Any
    if operator.name == "_CrossDeviceCopy":
        result = inputs[0].as_in_context(params["to"])
    elif operator.name == "cast_storage":
        result = cast_storage(inputs[0], params["stype"])
    elif operator.name == "dot":
        result = dot(*inputs, **params)
    elif operator.describes is not None:
        result = run_custom(operator, inputs, params, context, kept, storage)
    else:
        if operator.placed:
            params["ctx"] = context
        result = invoke(operator, node.arguments(inputs), params, None, NDArray)
    return result if isinstance(result, list) else [result]


def _run_bodies(node: Node, inputs: Sequence[NDArray], context: Context) -> list[Any]:
    """Loops and branches work on dense forms."""
    tape = state.tape
    places = [variable(f"input{place}") for place in range(len(inputs))]
    alone = Node(node.operator, node.name, node.attrs, [Entry(place) for place in places], node.subgraphs)
    program = Program([Entry(alone, index) for index in range(alone.num_outputs)], places, state.training)
    dense = [array if array.stype == "default" else array.tostype("default") for array in inputs]
    tensors = [plain(array) if tape is None else recorded_input(array, tape) for array in dense]
    values, _ = program.run(tensors, context, tape is not None)
    results = [NDArray(value, context) for value in values]
    if tape is not None:
        for result, value in zip(results, values, strict=True):
            enter_graph(result, value, tensors, tape)
    return results


def _owned(heads: list[NDArray], variables: Mapping[int, NDArray]) -> list[NDArray]:
    """The heads, copied where one is a variable or stands there twice."""
    taken = {id(array) for array in variables.values()}
    for index, head in enumerate(heads):
        if id(head) in taken:
            heads[index] = invoke(find("_copy"), (head,), {}, None, NDArray)
        taken.add(id(heads[index]))
    return heads


def _report(node: Node, inputs: Sequence[Any], results: Sequence[Any], watch: Watcher) -> None:
    if watch.sees_inputs:
        for label, source, array in zip(node.input_labels(), node.inputs, inputs, strict=False):
            if source.node.is_variable:
                watch.report(source.node.name, source.node.op_name, array.as_torch())
            watch.report(label, node.op_name, array.as_torch())
    for index, array in zip(range(node.num_outputs), results, strict=False):
        watch.report(node.output_name(index), node.op_name, array.as_torch())
