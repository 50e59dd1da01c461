"""Unrolled recurrent cells as one recurrent layer, in graphs that gradients are asked of.

A cell is described as a small graph of terms (`_OUTPUTS`), and a node is the output of one if the graph
behind it is exactly that. Cells that share their parameters, each of which reads the states of the one before, form a
chain. A chain becomes a node of `_rnn_by_parts` on the sequence of its inputs.

Nothing depends on shapes, which programs with gradients do not know: `FullyConnected` joins all axes but the first, so
the same is done to inputs of a chain that could have more than two, by operators that only change the shape.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...graph.node import Entry, Node, in_order, node_of
from ...graph.placement import PLACE
from ..fused.table import fused_node
from .rewriter import has

_LEAST_CELLS = 4
_NUM_GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


@dataclass(frozen=True, eq=False)
class _Term:
    """A node in the graph of a cell; wherever the same term stands, the same node has to be."""

    kind: str = ""  # see `_kind`; an empty text for any output of any node
    inputs: "tuple[tuple[_Term, int], ...]" = ()  # each with its place among the outputs of what makes it


def _term(kind: str, *inputs: "_Term | tuple[_Term, int]") -> _Term:
    return _Term(kind, tuple((each, 0) if isinstance(each, _Term) else each for each in inputs))


_DATA, _STATE, _CELL = _Term(), _Term(), _Term()
_WEIGHTS = _Term(), _Term(), _Term(), _Term()  # in the order of the vector
_I2H = _term("FullyConnected", _DATA, _WEIGHTS[0], _WEIGHTS[2])
_H2H = _term("FullyConnected", _STATE, _WEIGHTS[1], _WEIGHTS[3])
_SUM = _term("elemwise_add", _I2H, _H2H)

_GATES = _term("cut 4", _SUM)
_KEPT = _term("elemwise_mul", _term("sigmoid", (_GATES, 1)), _CELL)
_ADDED = _term("elemwise_mul", _term("sigmoid", (_GATES, 0)), _term("tanh", (_GATES, 2)))
_NEXT_CELL = _term("elemwise_add", _KEPT, _ADDED)
_LSTM = _term("elemwise_mul", _term("sigmoid", (_GATES, 3)), _term("tanh", _NEXT_CELL))

_LEFT, _RIGHT = _term("cut 3", _I2H), _term("cut 3", _H2H)
_RESET = _term("sigmoid", _term("elemwise_add", (_LEFT, 0), (_RIGHT, 0)))
_UPDATE = _term("sigmoid", _term("elemwise_add", (_LEFT, 1), (_RIGHT, 1)))
_NEW = _term("tanh", _term("elemwise_add", (_LEFT, 2), _term("elemwise_mul", _RESET, (_RIGHT, 2))))
_REST = _term("elemwise_sub", _term("ones_like", _UPDATE), _UPDATE)
_GRU = _term("elemwise_add", _term("elemwise_mul", _REST, _NEW), _term("elemwise_mul", _UPDATE, _STATE))

# By the kind of the node that gives the output of a cell.
_OUTPUTS = {
    "elemwise_mul": ("lstm", _LSTM),
    "elemwise_add": ("gru", _GRU),
    "tanh": ("rnn_tanh", _term("tanh", _SUM)),
    "relu": ("rnn_relu", _term("relu", _SUM)),
}
# Where cells have inputs in common, one node may compute this for several.
_SHARED = (_I2H, _H2H, _LEFT, _RIGHT)


class _Cell(NamedTuple):
    """A cell that was found.

    Attributes:
        layer: what the cells of one layer have in common: kind of cell, number of units, place, weights and biases.
        data: its input.
        states: the hidden state before it and, of lstm, the cell state.
        results: the nodes of the hidden state after it and, of lstm, the cell state.
        shared: its linear maps.
        inner: all other nodes of it.
    """

    layer: tuple[str, int, str | None, tuple[Entry, ...]]
    data: Entry
    states: tuple[Entry, ...]
    results: tuple[Node, ...]
    shared: tuple[Node, ...]
    inner: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class _Chain:
    """Cells, each of which reads the states of the one before."""

    cells: tuple[_Cell, ...]
    data: tuple[Entry, ...]  # the inputs of all steps
    outputs: tuple[Node, ...]  # the hidden states after all steps


_Unit = Node | _Chain


def join_unrolled(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with every chain of unrolled cells replaced by a recurrent layer."""
    order = in_order(heads)
    count = sum(node.op_name == "FullyConnected" for node in order)
    if count < 2 * _LEAST_CELLS or not (chains := _chains(order, heads)):
        return tuple(heads)
    graph = _Contracted(heads, chains)
    if not graph.order:
        # Some chain has to be left alone: its inputs depend on its outputs, or would, once others are one node.
        kept: list[_Chain] = []
        for chain in chains:
            if _Contracted(heads, [*kept, chain]).order:
                kept.append(chain)
        graph = _Contracted(heads, kept)
    return _Builder(graph).run(heads) if graph.chains else tuple(heads)


def _kind(node: Node) -> str:
    """The name of a node's operator, if it is used as cells use it: 'cut 4' is a split of the second axis in four."""
    name, params = node.op_name, node.params
    if name == "Activation":
        return str(params["act_type"])
    if name == "FullyConnected":
        return name if params.get("flatten", True) and not params.get("no_bias") else "other"
    if name == "SliceChannel":
        return "other" if params.get("axis", 1) != 1 or params.get("squeeze_axis") else f"cut {params['num_outputs']}"
    return name


def _matches(term: _Term, entry: Entry, found: dict[_Term, Entry]) -> bool:
    """Whether an output is what a term says; notes which outputs all terms are."""
    if term in found:
        return found[term] == entry
    found[term] = entry
    if not term.kind:
        return True
    node = entry.node
    if _kind(node) != term.kind or len(node.inputs) != len(term.inputs):
        return False
    for (inner, place), source in zip(term.inputs, node.inputs, strict=True):
        output = Entry(source.node) if inner.kind else source
        if (inner.kind and source.index != place) or not _matches(inner, output, found):
            return False
    return True


def _cell(node: Node) -> _Cell | None:
    """The cell whose output a node gives; None if it is none."""
    mode, output = _OUTPUTS.get(_kind(node), ("", None))
    # Most nodes are sorted out by what comes first.
    if output is None or _kind(node.inputs[0].node) != output.inputs[0][0].kind:
        return None
    found: dict[_Term, Entry] = {}
    if not _matches(output, Entry(node), found):
        return None
    nodes = {term: entry.node for term, entry in found.items() if term.kind}
    rows = {nodes[term].params["num_hidden"] for term in (_I2H, _H2H)}
    places = {each.attrs.get(PLACE) for each in nodes.values()}
    if len(rows) > 1 or len(places) > 1 or (num_rows := rows.pop()) % _NUM_GATES[mode]:
        return None
    ends = [term for term in (output, _NEXT_CELL) if term in nodes]
    return _Cell(
        layer=(mode, num_rows // _NUM_GATES[mode], places.pop(), tuple(found[term] for term in _WEIGHTS)),
        data=found[_DATA],
        states=tuple(found[term] for term in (_STATE, _CELL) if term in found),
        results=tuple(nodes[term] for term in ends),
        shared=tuple(nodes[term] for term in _SHARED if term in nodes),
        inner=tuple(each for term, each in nodes.items() if term not in (*ends, *_SHARED)),
    )


def _chains(order: Sequence[Node], heads: Sequence[Entry]) -> list[_Chain]:
    """All chains that are long enough, and of which nobody reads what a layer does not give."""
    cells = {node: cell for node in order if (cell := _cell(node)) is not None}
    followers: dict[Node, list[_Cell]] = {}  # by the node of the output that they go on from
    for cell in cells.values():
        before = cells.get(cell.states[0].node)
        if before is None or cell.layer != before.layer:
            continue
        if cell.states == tuple(Entry(node) for node in before.results):
            followers.setdefault(before.results[0], []).append(cell)
    # Where two cells go on from one, as in two searches with a common beginning, two chains start.
    following = {before: found[0] for before, found in followers.items() if len(found) == 1}
    continued = {cell.results[0] for cell in following.values()}
    chains = []
    for node, cell in cells.items():
        if node not in continued:
            steps = [cell]
            while (after := following.get(steps[-1].results[0])) is not None:
                steps.append(after)
            if len(steps) >= _LEAST_CELLS:
                data, outputs = tuple(step.data for step in steps), tuple(step.results[0] for step in steps)
                chains.append(_Chain(tuple(steps), data, outputs))
    return _closed(chains, cells.values(), order, heads) if chains else []


def _closed(
    chains: Sequence[_Chain], cells: Collection[_Cell], order: Sequence[Node], heads: Sequence[Entry]
) -> list[_Chain]:
    """The chains of which nobody reads anything but the outputs and the last states."""
    readers: dict[Node, set[Node | None]] = {node: set() for node in order}
    for node in order:
        for source in node.inputs:
            readers[source.node].add(node)
    for head in heads:
        readers[head.node].add(None)
    members = {node for cell in cells for node in (*cell.results, *cell.shared, *cell.inner)}

    def is_closed(cell: _Cell, after: _Cell | None) -> bool:
        own = {*cell.results, *cell.inner}
        if not all(readers[node] <= own for node in cell.inner):
            return False
        if not all(readers[node] <= members for node in cell.shared):
            return False
        return after is None or all(readers[node] <= own.union(after.inner) for node in cell.results[1:])

    return [chain for chain in chains if all(map(is_closed, chain.cells, (*chain.cells[1:], None)))]


class _Contracted:
    """A graph in which each chain counts as one unit.

    Args:
        heads: the graph.
        chains: the chains.

    Attributes:
        order: all units, inputs before users; empty if a unit would depend on itself.
    """

    def __init__(self, heads: Sequence[Entry], chains: Sequence[_Chain]) -> None:
        self.chains = list(chains)
        self._owners = {node: chain for chain in chains for cell in chain.cells for node in cell.results}
        self._wholes = {chain.outputs: chain for chain in chains}
        self.order = self._sorted(heads)

    def whole(self, entries: Sequence[Entry]) -> _Chain | None:
        """The chain whose outputs these are, all of them in order."""
        return self._wholes.get(tuple(entry.node for entry in entries))

    def stacked(self, node: Node) -> _Chain | None:
        """The chain all of whose outputs a node joins to one array with time on the first or second axis."""
        if node.op_name != "stack" or node.params.get("axis", 0) not in (0, 1):
            return None
        return self.whole(node.inputs)

    def read_singly(self, heads: Sequence[Entry]) -> set[Node]:
        """The nodes that are read, but for chains' outputs where all are read together."""
        found = {head.node for head in heads}
        for unit in self.order:
            entries = self.inputs(unit)
            if isinstance(unit, _Chain):
                entries = entries[len(unit.cells) if self.whole(unit.data) else 0 :]
            elif self.stacked(unit):
                entries = ()
            found.update(entry.node for entry in entries)
        return found

    @staticmethod
    def inputs(unit: _Unit) -> Sequence[Entry]:
        """What a unit reads; of a chain, the inputs of all steps come first."""
        if isinstance(unit, Node):
            return unit.inputs
        first = unit.cells[0]
        return [*unit.data, *first.states, *first.layer[3]]

    def _unit(self, entry: Entry) -> _Unit:
        return self._owners.get(entry.node, entry.node)

    def _sorted(self, heads: Sequence[Entry]) -> list[_Unit]:
        order: list[_Unit] = []
        is_done: dict[_Unit, bool] = {}
        pending: list[tuple[_Unit, bool]] = [(self._unit(head), False) for head in reversed(heads)]
        while pending:
            unit, inputs_done = pending.pop()
            if inputs_done:
                is_done[unit] = True
                order.append(unit)
                continue
            if unit in is_done:
                if not is_done[unit]:  # it waits for its inputs, and this is one of those that they wait for
                    return []
                continue
            is_done[unit] = False
            pending.append((unit, True))
            pending.extend((self._unit(source), False) for source in reversed(self.inputs(unit)))
        return order


class _Builder:
    """Makes the graph anew, with layers for chains.

    Args:
        graph: the chains, and the order of everything.
    """

    def __init__(self, graph: _Contracted) -> None:
        self._graph = graph
        self._entries: dict[Node, Entry] = {}  # what takes the place of outputs of chains, and of stacks
        self._nodes: dict[Node, Node] = {}  # what takes the place of other nodes
        self._layers: dict[_Chain, Entry] = {}  # all outputs of chains
        self._sequences: dict[tuple[Entry, int], Entry] = {}  # the same by arrays of them, and the axis of time there
        self._flat: set[Node] = set()  # nodes that give arrays of two axes
        self._read: set[Node] = set()
        self._place: dict[str, str] = {}  # the attribute of the nodes to be made

    def run(self, heads: Sequence[Entry]) -> tuple[Entry, ...]:
        """The new graph."""
        self._read = self._graph.read_singly(heads)
        for unit in self._graph.order:
            if isinstance(unit, _Chain):
                self._add_layer(unit)
            elif (chain := self._graph.stacked(unit)) is not None:
                self._add_stack(unit, self._layers[chain])
            else:
                inputs = tuple(map(self._entry, unit.inputs))
                is_new = any(new.node is not old.node for new, old in zip(inputs, unit.inputs, strict=True))
                made = (unit.operator, unit.name, unit.attrs, inputs, unit.subgraphs)
                self._nodes[unit] = Node(*made) if is_new else unit
        return tuple(map(self._entry, heads))

    def _entry(self, old: Entry) -> Entry:
        found = self._entries.get(old.node)
        return Entry(self._nodes[old.node], old.index) if found is None else found

    def _make(self, operator: str, name: str, inputs: Sequence[Entry], **attrs: object) -> Entry:
        texts = {key: str(value) for key, value in attrs.items()}
        return Entry(node_of(operator, name, {**texts, **self._place}, inputs))

    def _add_stack(self, node: Node, layer: Entry) -> None:
        """Outputs that are joined again."""
        if node.params.get("axis", 0) == 1:
            attrs = {key: text for key, text in node.attrs.items() if key == PLACE}
            turned = Entry(node_of("transpose", node.name, {**attrs, "axes": "(1, 0, 2)"}, [layer]))
            self._sequences[turned, 1], layer = layer, turned
        self._entries[node] = layer

    def _add_layer(self, chain: _Chain) -> None:
        """A layer, and what others read of it."""
        mode, units, place, weights = chain.cells[0].layer
        self._place = {} if place is None else {PLACE: place}
        outputs, states, name = chain.outputs, chain.cells[-1].results, chain.outputs[-1].name
        has_steps = not self._read.isdisjoint(outputs[:-1])
        # The last output alone is the last state: a split would have gradients of zeros for all others.
        wanted = [node in self._read for node in states]
        wanted[0] = wanted[0] and not has_steps
        attrs = {"state_size": str(units), "num_layers": "1", "mode": mode, "state_outputs": str(any(wanted))}
        inputs = [self._sequence(chain), *self._first_states(chain), *map(self._entry, weights)]
        layer = Entry(fused_node("_rnn_by_parts", name, {**attrs, **self._place}, inputs))
        self._layers[chain] = self._sequences[layer, 0] = layer
        if has_steps:
            params = {"num_outputs": len(outputs), "axis": 0, "squeeze_axis": True}
            steps = self._make("SliceChannel", f"{name}_steps", [layer], **params)
            self._flat.add(steps.node)
            self._entries.update((node, Entry(steps.node, step)) for step, node in enumerate(outputs))
        for index, (node, is_wanted) in enumerate(zip(states, wanted, strict=True), 1):
            if is_wanted:
                squeezed = self._make("squeeze", f"{node.name}_last", [Entry(layer.node, index)], axis=(0,))
                self._flat.add(squeezed.node)
                self._entries[node] = squeezed

    def _first_states(self, chain: _Chain) -> list[Entry]:
        """The states before the first step, with an axis for the number of layers."""
        hidden, *others = map(self._entry, chain.cells[0].states)
        # What gates are multiplied with has their shape, two axes; what only linear maps read may have more.
        if chain.cells[0].layer[0] != "gru" and hidden not in others:
            hidden = self._flattened(hidden)
        return [self._make("expand_dims", f"{state.node.name}_layers", [state], axis=0) for state in (hidden, *others)]

    def _flattened(self, entry: Entry) -> Entry:
        """An array as linear maps read it: with all axes but the first joined."""
        node = entry.node
        is_dense = node.op_name == "FullyConnected" and has(node, flatten=True)
        is_made = node.op_name == "_zeros" and len(node.params.get("shape", ())) == 2
        is_flat = is_dense or is_made or node in self._flat
        return entry if is_flat else self._make("Flatten", f"{node.name}_flat", [entry])

    def _sequence(self, chain: _Chain) -> Entry:
        """The inputs of all steps as one array: time, batch, channels."""
        if (whole := self._graph.whole(chain.data)) is not None:
            return self._layers[whole]
        data, length, name = [self._entry(entry) for entry in chain.data], len(chain.cells), chain.outputs[0].name
        source = data[0].node
        is_split = source.op_name == "SliceChannel" and has(source, squeeze_axis=True)
        if not is_split or source in self._flat or any(entry.node is not source for entry in data):
            flat = [self._flattened(entry) for entry in data]
            return self._make("stack", f"{name}_data", flat, axis=0, num_args=length)
        axis, array = source.params.get("axis", 1), source.inputs[0]
        if axis not in (0, 1) or [entry.index for entry in data] != list(range(source.params["num_outputs"])):
            # Steps of one array have one shape, and may be joined as they are.
            axis, array = 0, self._make("stack", f"{name}_data", data, axis=0, num_args=length)
        if (layer := self._sequences.get((array, axis))) is not None:
            return layer
        # All axes behind the first two are joined; with -1 for their length, empty batches would be refused.
        joined = self._make("Reshape", f"{name}_rows", [array], shape=(-3, -2))
        joined = self._make("Flatten", f"{name}_flat", [joined])
        if axis == 0:
            return self._make("Reshape", f"{name}_sequence", [joined], shape=(-4, length, -1, -2))
        joined = self._make("Reshape", f"{name}_batches", [joined], shape=(-4, -1, length, -2))
        return self._make("transpose", f"{name}_sequence", [joined], axes=(1, 0, 2))
