"""What of a graph does not depend on its inputs, computed once."""

from collections.abc import Mapping, Sequence

from ....array import NDArray, array
from ....graph.node import Node
from ....runtime.invoke import invoke
from .builder import Array

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
