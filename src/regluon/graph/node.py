"""Nodes: operators applied to other nodes' outputs, and variables.

A node never changes what it computes once it is made, so graphs share nodes freely; a graph is simply a tuple of
`Entry`s, the outputs one is interested in.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..base import MXNetError
from ..ops.registry import Operator, find

MAX_OUTPUTS = 1 << 16  # of one node


class Entry(NamedTuple):
    """One output of a node.

    Attributes:
        node: the node.
        index: which of its outputs.
        version: of a state that was taken out of a graph: how often operators of that graph had written to it. Only
            saved text shows it.
    """

    node: "Node"
    index: int = 0  # type: ignore[assignment]  # tuple.index is of no use here
    version: int = 0


class Node:
    """An operator applied to inputs, or a variable.

    Attributes:
        operator: the operator; None for a variable.
        name: its name, unique where results are looked up by it.
        attrs: what was said about it, as text: parameters of the operator, then attributes such as `__lr_mult__`.
        params: the parameters among them, parsed.
        inputs: where its inputs come from, without gaps.
        input_names: the operator's names for them; empty for operators that take a list.
        subgraphs: bodies of control flow, each a graph of its own.
    """

    __slots__ = ("__weakref__", "attrs", "input_names", "inputs", "name", "operator", "params", "subgraphs")

    def __init__(
        self,
        operator: Operator | None,
        name: str,
        attrs: dict[str, str],
        inputs: Sequence[Entry] = (),
        subgraphs: Sequence[Any] = (),
    ) -> None:
        self.operator, self.name, self.attrs = operator, name, attrs
        self.inputs, self.subgraphs = tuple(inputs), tuple(subgraphs)
        self.params: Mapping[str, Any] = {}
        self.input_names: tuple[str, ...] = ()
        if operator is not None:
            self.params = operator.parse(operator_params(operator, attrs))
            self.input_names = _names_of_inputs(operator, self.params, len(self.inputs), name)
            if callable(operator.outputs):
                _check_count(self)

    def __repr__(self) -> str:
        return f"<{self.op_name} {self.name}>"

    @property
    def is_variable(self) -> bool:
        """Whether it stands for an array given from outside."""
        return self.operator is None

    @property
    def op_name(self) -> str:
        """The operator's registered name; 'null' for a variable, as saved graphs have it."""
        return "null" if self.operator is None else self.operator.name

    @property
    def num_outputs(self) -> int:
        """How many outputs can be used; MXNet's hidden ones, such as Dropout's mask, do not exist here."""
        return 1 if self.operator is None else self.operator.num_outputs(self.params, len(self.inputs))

    @property
    def total_outputs(self) -> int:
        """How many outputs MXNet counts, the hidden ones included: saved graphs number them."""
        if self.operator is None:
            return 1
        total = self.operator.total_outputs
        return max(self.num_outputs, total(self.operator.full_params(self.params)) if callable(total) else total)

    def output_name(self, index: int) -> str:
        """The name of an output: 'fc1_output', 'split0_output1'; of a variable, its own."""
        if self.operator is None:
            return self.name
        if self.operator.describes is not None:
            return f"{self.name}_{self.operator.description(self.params).outputs[index]}"
        names, total = self.operator.output_names, self.total_outputs
        if names is not None:
            return f"{self.name}_{names[index]}"
        return f"{self.name}_output{index if total > 1 or self.operator.numbers_output else ''}"

    @property
    def auxiliary(self) -> tuple[int, ...]:
        """Which of its inputs it updates."""
        if self.operator is None or not self.operator.auxiliary:
            return ()
        return self.operator.auxiliary_positions(len(self.inputs), self.params)

    def input_labels(self) -> list[str]:
        """The names of its inputs as monitors report them: 'fc1_weight'."""
        if self.operator is None:
            return []
        operator, labels = self.operator, self.input_names
        if operator.describes is None:
            if operator.variadic and not labels:
                labels = tuple(f"arg{place}" for place in range(len(self.inputs)))
            elif len(operator.inputs) == 1 and not operator.names_input:
                labels = ("input0",)
        return [f"{self.name}_{label}" for label in labels]

    def arguments(self, values: Sequence[Any]) -> list[Any]:
        """The values of its inputs as its operator's function wants them: None for those that were left out."""
        operator = self.operator
        assert operator is not None
        if operator.variadic or self.input_names == operator.inputs[: len(self.input_names)]:
            return list(values)
        named = dict(zip(self.input_names, values, strict=True))
        return [named.get(name) for name in operator.inputs]


def operator_params(operator: Operator, attrs: Mapping[str, str]) -> dict[str, str]:
    """The parameters among a node's attributes."""
    if operator.free_params:
        return {key: text for key, text in attrs.items() if not key.startswith("__")}
    return {key: text for key, text in attrs.items() if key in operator.params}


def _names_of_inputs(operator: Operator, params: Mapping[str, Any], count: int, name: str) -> tuple[str, ...]:
    names = operator.takes(params)
    if operator.variadic and operator.describes is None:
        return names if len(names) == count else ()
    if count > len(names) and operator.describes is None:  # some were given although no parameter speaks of them
        names = operator.inputs[:count]
    if count != len(names):
        raise MXNetError(
            f"[{operator.name}] {name}: received {count} inputs; expected {len(names)}: {', '.join(names)}."
        )
    return names


def _check_count(node: "Node") -> None:
    """Refuses a number of outputs that nothing could list: files may contain any."""
    count = node.num_outputs
    if not 0 <= count <= MAX_OUTPUTS:
        raise MXNetError(
            f"[{node.op_name}] {node.name}: its parameters ask for {count} outputs; expected at most {MAX_OUTPUTS}."
        )


def variable(name: str, attrs: dict[str, str] | None = None) -> Node:
    """A node that stands for an array given from outside."""
    return Node(None, name, attrs or {})


def node_of(op: str, name: str, attrs: dict[str, str], inputs: Sequence[Entry]) -> Node:
    """A node by the name of its operator; for passes that build graphs."""
    return Node(find(op), name, attrs, inputs)


def in_order(heads: Iterable[Entry]) -> list[Node]:
    """All nodes that the heads rest on, inputs before users: depth first, in the order in which MXNet lists them."""
    order: list[Node] = []
    seen: set[int] = set()
    for head in heads:
        stack: list[tuple[Node, int]] = [(head.node, 0)]
        while stack:
            node, position = stack.pop()
            if position == 0:
                if id(node) in seen:
                    continue
                seen.add(id(node))
            while position < len(node.inputs) and id(node.inputs[position].node) in seen:
                position += 1
            if position < len(node.inputs):
                stack.append((node, position + 1))
                stack.append((node.inputs[position].node, 0))
            else:
                order.append(node)
    return order


def in_order_above(heads: Iterable[Entry], known: Container[tuple[int, int]]) -> list[Node]:
    """The nodes that the heads rest on, inputs before users, down to outputs that are known.

    Args:
        heads: outputs of the graph.
        known: the outputs that are known, by the identity of their node and their index.
    """
    order: list[Node] = []
    seen: set[int] = set()
    stack = [(head.node, False) for head in heads if (id(head.node), head.index) not in known]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((e.node, False) for e in node.inputs if (id(e.node), e.index) not in known)
    return order


class Writes:
    """How often each variable has been written to, noted node by node: MXNet numbers the uses of states."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def note(self, node: Node) -> None:
        """Counts the states that a node updates."""
        for position in node.auxiliary:
            source = id(node.inputs[position].node)
            self._counts[source] = self._counts.get(source, 0) + 1

    def version(self, entry: Entry) -> int:
        """The number of writes that a use of a variable comes after; 0 for results of operators."""
        return max(entry.version, self._counts.get(id(entry.node), 0)) if entry.node.is_variable else 0

    def versioned(self, entry: Entry) -> Entry:
        """The entry with that number, for one that leaves its graph."""
        return entry._replace(version=self.version(entry))


class Variables(NamedTuple):
    """The variables of a graph."""

    arguments: list[Node]
    auxiliary: list[Node]


def variables(heads: Iterable[Entry]) -> Variables:
    """The variables of a graph in order: arguments, and states that operators update."""
    order = in_order(heads)
    states = {
        id(node.inputs[position].node)
        for node in order
        for position in node.auxiliary
        if node.inputs[position].node.is_variable
    }
    found = [node for node in order if node.is_variable]
    return Variables([n for n in found if id(n) not in states], [n for n in found if id(n) in states])


def replaced(heads: Sequence[Entry], instead: Mapping[int, Entry]) -> tuple[Entry, ...]:
    """The graph with some nodes' first outputs replaced; nodes above them are made anew.

    Args:
        heads: the graph.
        instead: by the identity of a node, what takes its place.
    """
    made: dict[int, Node] = {}

    def entry(old: Entry) -> Entry:
        if id(old.node) in instead:
            return instead[id(old.node)]
        return old._replace(node=made.get(id(old.node), old.node))

    for node in in_order(heads):
        if id(node) in instead or node.is_variable:
            continue
        inputs = tuple(entry(source) for source in node.inputs)
        if any(new.node is not old.node for new, old in zip(inputs, node.inputs, strict=True)):
            made[id(node)] = Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)
    return tuple(entry(head) for head in heads)
