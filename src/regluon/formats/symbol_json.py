"""Symbol files: the JSON text of a graph to plain records and back.

Every generation from MXNet 0.8 to 1.9 (and 2.0, whose layout is the same) is read; what is written is, byte for byte,
what `Symbol.tojson()` of MXNet 1.9.1 writes. Reading checks everything that can be checked without knowing operators,
in time linear in the text. What MXNet changes in graphs of old versions is done in `graph/upgrade.py`.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NoReturn

from ..errors import FileFormatError

VARIABLE = "null"  # the operator's name that stands for a variable
VERSION = 10901  # MXNet 1.9.1, the generation that is written
OLDEST_VERSION = 800  # what a text without a version is taken for

MAX_TEXT = 64 << 20  # bytes; a graph of 100,000 nodes has about 20 MB
MAX_NODES = 1_000_000
MAX_ATTRIBUTES = 1_024  # of one node or graph
MAX_DEPTH = 32  # of subgraphs within subgraphs
_MAX_INDEX = 2**31 - 1
_SHOWN = 60  # characters of a name or value that an error text repeats

_GRAPH_KEYS = ("nodes", "arg_nodes", "heads", "node_row_ptr", "attrs")
_NODE_KEYS = ("op", "name", "inputs", "attrs", "attr", "param", "control_deps", "subgraphs", "backward_source_id")
_GRAPH_ATTRIBUTES: dict[str, type] = {"int": int, "str": str, "list_int": list, "list_str": list}


@dataclass(slots=True)
class NodeRecord:
    """A node as a file has it.

    Attributes:
        op: the operator's name, `VARIABLE` for a variable.
        name: the node's name.
        attrs: parameters and attributes as text.
        inputs: for each input the index of a node and of one of its outputs.
        subgraphs: the bodies of a control flow operator.
        num_outputs: how many outputs the node has. A file says it through `node_row_ptr`, and may be silent.
        versions: for each input how often its variable had been written; empty if never. BatchNorm and the like count
            the writes to their auxiliary states.
        control_deps: indices of nodes that must run before this one.
    """

    op: str
    name: str
    attrs: dict[str, str] = field(default_factory=dict)
    inputs: list[tuple[int, int]] = field(default_factory=list)
    subgraphs: list["GraphRecord"] = field(default_factory=list)
    num_outputs: int = 1
    versions: list[int] = field(default_factory=list)
    control_deps: list[int] = field(default_factory=list)


@dataclass(slots=True)
class GraphRecord:
    """A graph as a file has it: its nodes stand after those they depend on.

    Attributes:
        nodes: the nodes.
        heads: for each output of the graph the index of a node and of one of its outputs.
        attrs: attributes of the graph, such as `mxnet_version` and `is_np_shape`: ints, texts and lists of them.
        head_versions: for each head how often its variable had been written; empty if never.
    """

    nodes: list[NodeRecord] = field(default_factory=list)
    heads: list[tuple[int, int]] = field(default_factory=list)
    attrs: dict[str, Any] = field(default_factory=dict)
    head_versions: list[int] = field(default_factory=list)

    @property
    def version(self) -> int:
        """The MXNet version that wrote it, as in 10901 for 1.9.1."""
        version: int = self.attrs.get("mxnet_version", OLDEST_VERSION)
        return version


def read_symbol_json(text: str | bytes) -> GraphRecord:
    """The graph in the text of a symbol file, checked.

    Raises:
        FileFormatError: the text is damaged, too large, or not a graph; the message names the node.
    """
    return _Reader().graph(_parse(text), "", 0)


def write_symbol_json(record: GraphRecord) -> str:
    """The text that MXNet 1.9.1 writes for this graph."""
    return _graph_text(record, 0, {**record.attrs, "mxnet_version": VERSION})


# Reading.


class _Object(dict[str, Any]):
    """A JSON object that remembers a key given twice."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated: str | None = None
        if len(self) < len(pairs):
            self.repeated = Counter(key for key, _ in pairs).most_common(1)[0][0]


def _refuse(where: str, problem: str) -> NoReturn:
    raise FileFormatError(f"[symbol JSON] {where + ': ' if where else ''}{problem}")


def _shown(value: Any) -> str:
    """A value from the file, short enough for an error text."""
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value[: _SHOWN + 1]) if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN + 2 else f"{text[:_SHOWN]}..."


def _parse(text: str | bytes) -> Any:
    if len(text) > MAX_TEXT:
        _refuse("", f"received {len(text)} bytes of text; expected at most {MAX_TEXT}.")
    try:
        if not isinstance(text, str):
            text = bytes(text).decode("utf-8")
        # MXNet writes control characters as they are.
        decoder = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_constant, strict=False)
        return decoder.decode(text.removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        _refuse("", f"received bytes that are not UTF-8 text at byte {error.start}; expected the JSON of a symbol.")
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        _refuse("", f"received text that is no JSON, at {place}: {error.msg}. Is the file complete, and a symbol file?")
    except RecursionError:
        _refuse("", f"received lists or objects nested without end; expected at most {MAX_DEPTH} levels of subgraphs.")
    except ValueError as error:
        _refuse("", f"received a number that cannot be read: {error}.")


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


class _Reader:
    """Walks parsed JSON; `where` is the place in words that error texts begin with."""

    def __init__(self) -> None:
        self.num_nodes = 0

    def graph(self, found: Any, where: str, depth: int) -> GraphRecord:
        self._object(found, where, "a graph", _GRAPH_KEYS, _GRAPH_KEYS[:3])
        if depth > MAX_DEPTH:
            _refuse(where, f"received subgraphs nested more than {MAX_DEPTH} deep.")
        listed = self._list(found["nodes"], where, "nodes")
        self.num_nodes += len(listed)
        if self.num_nodes > MAX_NODES:
            _refuse(where, f"received {self.num_nodes} nodes; expected at most {MAX_NODES}.")
        nodes = [self._node(node, where, index, len(listed), depth) for index, node in enumerate(listed)]
        self._indices(found["arg_nodes"], where, "arg_nodes", len(nodes))
        heads, versions = self._entries(found["heads"], where, "heads", len(nodes))
        self._count_outputs(nodes, found.get("node_row_ptr", []), where)
        record = GraphRecord(nodes, heads, self._graph_attributes(found.get("attrs", _Object([])), where), versions)
        return _in_order(record, where)

    def _node(self, found: Any, graph: str, index: int, num_nodes: int, depth: int) -> NodeRecord:
        where = f"{graph}, node {index}" if graph else f"node {index}"
        if isinstance(found, dict) and isinstance(found.get("name"), str):
            where += f" ({_shown(found['name'])})"
        self._object(found, where, "a node", _NODE_KEYS, _NODE_KEYS[:3])
        inputs, versions = self._entries(found["inputs"], where, "inputs", num_nodes)
        op = self._text(found["op"], where, "op")
        name = self._text(found["name"], where, "name")
        if op == VARIABLE and inputs:
            _refuse(where, f"received {len(inputs)} inputs for a variable; expected none.")
        if "backward_source_id" in found and type(found["backward_source_id"]) is not int:
            _refuse(where, f"received backward_source_id {_shown(found['backward_source_id'])}; expected an integer.")
        subgraphs = self._list(found.get("subgraphs", []), where, "subgraphs")
        return NodeRecord(
            op=op,
            name=name,
            attrs=self._attributes(found, where),
            inputs=inputs,
            subgraphs=[
                self.graph(subgraph, f"{where}, subgraph {place}", depth + 1)
                for place, subgraph in enumerate(subgraphs)
            ],
            versions=versions,
            control_deps=self._indices(found.get("control_deps", []), where, "control_deps", num_nodes),
        )

    def _attributes(self, found: dict[str, Any], where: str) -> dict[str, str]:
        """What `attrs` or `attr` says, the later of the two if both stand there, and what only `param` says."""
        for key in ("param", "attr", "attrs"):
            if key in found:
                self._texts(found[key], where, key)
        named = [found[key] for key in found if key in ("attr", "attrs")]
        return {**found.get("param", {}), **(named[-1] if named else {})}

    def _texts(self, found: Any, where: str, key: str) -> None:
        self._object(found, where, key)
        if len(found) > MAX_ATTRIBUTES:
            _refuse(where, f"received {len(found)} {key}; expected at most {MAX_ATTRIBUTES}.")
        for name, value in found.items():
            self._text(name, where, f"the name of one of the {key}")
            if not isinstance(value, str):
                _refuse(where, f"received {_shown(value)} for {_shown(name)} in {key}; expected text, in quotes.")
            self._text(value, where, name)

    def _graph_attributes(self, found: Any, where: str) -> dict[str, Any]:
        self._object(found, where, "attrs")
        if len(found) > MAX_ATTRIBUTES:
            _refuse(where, f"received {len(found)} attrs of the graph; expected at most {MAX_ATTRIBUTES}.")
        attributes = {}
        for name, pair in found.items():
            kind = pair[0] if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) else None
            expected = _GRAPH_ATTRIBUTES.get(kind or "")
            items = pair[1] if expected is list and isinstance(pair[1], list) else []
            item = int if kind == "list_int" else str
            if expected is None or type(pair[1]) is not expected or any(type(value) is not item for value in items):
                kinds = ", ".join(_GRAPH_ATTRIBUTES)
                problem = f"received {_shown(pair)} for the graph's attribute {_shown(name)}"
                _refuse(where, f'{problem}; expected a pair such as ["int", {VERSION}]; kinds are {kinds}.')
            attributes[name] = pair[1]
        version = attributes.get("mxnet_version", VERSION)
        if type(version) is not int or not 0 <= version <= _MAX_INDEX:
            _refuse(where, f'received mxnet_version {_shown(version)}; expected one such as ["int", {VERSION}].')
        return attributes

    def _entries(self, found: Any, where: str, key: str, num_nodes: int) -> tuple[list[tuple[int, int]], list[int]]:
        """Pairs of node and output, and the versions; these are left out if all are 0."""
        entries, versions, changed = [], [], False
        for place, entry in enumerate(self._list(found, where, key)):
            if not isinstance(entry, list) or len(entry) not in (2, 3) or any(type(part) is not int for part in entry):
                expected = "expected [node, output] or [node, output, version], integers"
                _refuse(where, f"received {_shown(entry)} as {key}[{place}]; {expected}.")
            if not 0 <= entry[0] < num_nodes:
                _refuse(where, f"{key}[{place}] refers to node {_shown(entry[0])}, but there are {num_nodes} nodes.")
            for part in entry[1:]:
                if not 0 <= part <= _MAX_INDEX:
                    _refuse(where, f"{key}[{place}] has {_shown(part)} where an output or a version should be.")
            entries.append((entry[0], entry[1]))
            versions.append(entry[2] if len(entry) == 3 else 0)
            changed = changed or versions[-1] != 0
        return entries, versions if changed else []

    def _indices(self, found: Any, where: str, key: str, num_nodes: int) -> list[int]:
        for place, index in enumerate(self._list(found, where, key)):
            if type(index) is not int or not 0 <= index < num_nodes:
                _refuse(where, f"received {_shown(index)} as {key}[{place}]; expected one of the {num_nodes} nodes.")
        return list(found)

    def _count_outputs(self, nodes: list[NodeRecord], found: Any, where: str) -> None:
        """Takes the numbers of outputs from `node_row_ptr` if it fits the nodes: edited files keep an old one."""
        offsets = self._list(found, where, "node_row_ptr")
        for place, offset in enumerate(offsets):
            if type(offset) is not int:
                _refuse(where, f"received {_shown(offset)} as node_row_ptr[{place}]; expected an integer.")
        counts = [after - before for before, after in pairwise(offsets)]
        if len(counts) == len(nodes) and all(0 <= count <= _MAX_INDEX for count in counts):
            for node, count in zip(nodes, counts, strict=True):
                node.num_outputs = count

    def _object(
        self, found: Any, where: str, what: str, known: tuple[str, ...] = (), required: tuple[str, ...] = ()
    ) -> None:
        if not isinstance(found, _Object):
            _refuse(where, f"received {_shown(found)} as {what}; expected an object.")
        if found.repeated is not None:
            _refuse(where, f"received the key {_shown(found.repeated)} of {what} twice; expected each key once.")
        missing = [key for key in required if key not in found]
        if missing:
            _refuse(where, f"{what} without {', '.join(missing)}; expected {', '.join(required)}.")
        unknown = [key for key in found if known and key not in known]
        if unknown:
            _refuse(where, f"received the unknown key {_shown(unknown[0])} of {what}; expected {', '.join(known)}.")

    def _list(self, found: Any, where: str, what: str) -> list[Any]:
        if not isinstance(found, list):
            _refuse(where, f"received {_shown(found)} as {what}; expected a list.")
        return found

    def _text(self, found: Any, where: str, what: str) -> str:
        if not isinstance(found, str):
            _refuse(where, f"received {_shown(found)} as {what}; expected text.")
        if not found.isascii():
            try:
                found.encode()
            except UnicodeEncodeError:
                _refuse(where, f"received {_shown(what)} with half of a surrogate pair; expected Unicode text.")
        return found


def _in_order(record: GraphRecord, where: str) -> GraphRecord:
    """The graph with each node after those it depends on, as nearly all files have it."""
    needs = [[*(source for source, _ in node.inputs), *node.control_deps] for node in record.nodes]
    if all(source < index for index, sources in enumerate(needs) for source in sources):
        return record
    place = [-1] * len(needs)  # the new index; -2 while what the node depends on is being placed
    nodes: list[NodeRecord] = []
    for start in range(len(needs)):
        stack = [(start, iter(needs[start]))] if place[start] == -1 else []
        while stack:
            index, sources = stack[-1]
            place[index] = -2
            source = next((source for source in sources if place[source] < 0), None)
            if source is None:
                place[index] = len(nodes)
                nodes.append(record.nodes[index])
                stack.pop()
            elif place[source] == -2:
                name = _shown(record.nodes[source].name)
                at = f"{where}, node {source}" if where else f"node {source}"
                _refuse(f"{at} ({name})", "depends on its own output; expected a graph without cycles.")
            else:
                stack.append((source, iter(needs[source])))
    for node in nodes:
        node.inputs = [(place[source], output) for source, output in node.inputs]
        node.control_deps = [place[source] for source in node.control_deps]
    record.nodes = nodes
    record.heads = [(place[source], output) for source, output in record.heads]
    return record


# Writing.

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_LONG_LIST = 10  # numbers beyond which a list gets a line for each


def _graph_text(record: GraphRecord, indent: int, attrs: dict[str, Any]) -> str:
    deeper = indent + 4
    offsets = [0]
    for node in record.nodes:
        offsets.append(offsets[-1] + node.num_outputs)
    variables = [str(index) for index, node in enumerate(record.nodes) if node.op == VARIABLE]
    fields = {
        "nodes": _list_text([_node_text(node, deeper) for node in record.nodes], indent + 2, True),
        "arg_nodes": _numbers_text(variables, indent + 2),
        "node_row_ptr": _numbers_text([str(offset) for offset in offsets], indent + 2),
        "heads": _numbers_text(list(_entry_texts(record.heads, record.head_versions)), indent + 2),
    }
    if attrs:
        values = {name: _attribute_text(attrs[name]) for name in sorted(attrs)}
        fields["attrs"] = _object_text(values, indent + 2, len(values) > 1)
    return _object_text(fields, indent, True)


def _attribute_text(value: Any) -> str:
    """An attribute of a graph with the name of its kind."""
    if isinstance(value, list):
        numbers = all(isinstance(item, int) for item in value)
        items = [str(item) if numbers else _quoted(item) for item in value]
        return f'["{"list_int" if numbers else "list_str"}", {_numbers_text(items, 0)}]'
    return f'["int", {value}]' if isinstance(value, int) else f'["str", {_quoted(value)}]'


def _node_text(node: NodeRecord, indent: int) -> str:
    fields = {"op": _quoted(node.op), "name": _quoted(node.name)}
    if node.attrs:
        attrs = {key: _quoted(node.attrs[key]) for key in sorted(node.attrs)}
        fields["attrs"] = _object_text(attrs, indent + 2, len(attrs) > 1)
    fields["inputs"] = _numbers_text(list(_entry_texts(node.inputs, node.versions)), indent + 2)
    if node.control_deps:
        fields["control_deps"] = _numbers_text([str(index) for index in node.control_deps], indent + 2)
    if node.subgraphs:
        subgraphs = [_graph_text(subgraph, indent + 4, {}) for subgraph in node.subgraphs]
        fields["subgraphs"] = _list_text(subgraphs, indent + 2, True)
    return _object_text(fields, indent, True)


def _entry_texts(entries: list[tuple[int, int]], versions: list[int]) -> Iterator[str]:
    for place, (source, output) in enumerate(entries):
        yield f"[{source}, {output}, {versions[place] if versions else 0}]"


def _numbers_text(items: list[str], indent: int) -> str:
    return _list_text(items, indent, len(items) > _LONG_LIST)


def _list_text(items: list[str], indent: int, lines: bool) -> str:
    return f"[{_joined(items, indent, lines)}]"


def _object_text(fields: dict[str, str], indent: int, lines: bool) -> str:
    items = [f"{_quoted(key)}: {value}" for key, value in fields.items()]
    return f"{{{_joined(items, indent, lines)}}}"


def _joined(items: list[str], indent: int, lines: bool) -> str:
    if not lines or not items:
        return ", ".join(items)
    margin = "\n" + " " * (indent + 2)
    return f"{margin}{f', {margin}'.join(items)}\n{' ' * indent}"


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'
