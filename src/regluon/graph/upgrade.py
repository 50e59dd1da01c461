"""Brings graphs that old versions of MXNet saved to the form of 1.9.1, silently, as its loader does."""

from dataclasses import replace

from ..base import MXNetError
from ..errors import FileFormatError
from ..formats.symbol_json import VARIABLE, VERSION, GraphRecord, NodeRecord
from ..ops import registry
from .attributes import HIDDEN_KEYS, is_marked


def upgrade(record: GraphRecord) -> GraphRecord:
    """The graph as MXNet 1.9.1 would have saved it; the given one stays as it is.

    Raises:
        FileFormatError: a node that must be changed has an unknown operator or parameters; the message names it.
    """
    version = record.version
    nodes = [replace(node, attrs=dict(node.attrs), inputs=list(node.inputs)) for node in record.nodes]
    changed = replace(record, nodes=nodes, attrs={**record.attrs, "mxnet_version": VERSION})
    if version < VERSION:
        for index, node in enumerate(nodes):
            _hide_keys(node, index, nodes)
    if version < 900:
        changed = _with_missing_inputs(changed)
    if version < 904:
        for index, node in enumerate(changed.nodes):
            _initialize_inputs(node, index, changed.nodes)
    if version < 905:
        for node in changed.nodes:
            # No axis was written as -1; since then -1 is the last axis.
            if node.op in ("argmax", "argmin") and node.attrs.get("axis") == "-1":
                del node.attrs["axis"]
    return changed


def _operator(node: NodeRecord, index: int) -> registry.Operator:
    try:
        return registry.find(node.op)
    except MXNetError as error:
        raise _fault(node, index, error) from None


def _fault(node: NodeRecord, index: int, error: MXNetError) -> FileFormatError:
    return FileFormatError(f"[symbol JSON] node {index} ({node.name!r}): {error}")


def _hide_keys(node: NodeRecord, index: int, nodes: list[NodeRecord]) -> None:
    """Adds the underscores that these attributes had not until 0.9.

    `lr_mult` becomes `__lr_mult__`; `weight_lr_mult` becomes `__lr_mult__` of the variable that is the weight.
    """
    for key in list(node.attrs):
        hidden = next((hidden for hidden in HIDDEN_KEYS if key.endswith(hidden)), None)
        if hidden is None:
            continue
        if key == hidden:
            node.attrs[f"__{hidden}__"] = node.attrs.pop(key)
        elif node.op != VARIABLE:
            target = _variable_at(node, index, key[: -len(hidden) - 1], nodes)
            if target is not None:
                target.attrs[f"__{hidden}__"] = node.attrs.pop(key)


def _variable_at(node: NodeRecord, index: int, name: str, nodes: list[NodeRecord]) -> NodeRecord | None:
    """The variable that is a node's input of this name, if there is one."""
    operator = _operator(node, index)
    place = operator.inputs.index(name) if name in operator.inputs and not operator.variadic else len(node.inputs)
    if place >= len(node.inputs):
        return None
    source = nodes[node.inputs[place][0]]
    return source if source.op == VARIABLE else None


def _input_names(node: NodeRecord, index: int) -> tuple[str, ...]:
    operator = _operator(node, index)
    given = {key: value for key, value in node.attrs.items() if not is_marked(key) and key != operator.count_param}
    try:
        return operator.takes(operator.parse(given))
    except MXNetError as error:
        raise _fault(node, index, error) from None


def _with_missing_inputs(record: GraphRecord) -> GraphRecord:
    """The graph with variables for inputs that are not there: files before 0.9 do not list auxiliary states."""
    nodes: list[NodeRecord] = []
    place: list[int] = []  # the new index of each old node
    for index, node in enumerate(record.nodes):
        node.inputs = [(place[source], output) for source, output in node.inputs]
        node.control_deps = [place[source] for source in node.control_deps]
        if node.op != VARIABLE:
            for name in _input_names(node, index)[len(node.inputs) :]:
                node.inputs.append((len(nodes), 0))
                nodes.append(NodeRecord(VARIABLE, f"{node.name}_{name}" if node.name else name, dict(node.attrs)))
            node.versions = []
        place.append(len(nodes))
        nodes.append(node)
    heads = [(place[source], output) for source, output in record.heads]
    return replace(record, nodes=nodes, heads=heads)


def _initialize_inputs(node: NodeRecord, index: int, nodes: list[NodeRecord]) -> None:
    initializers = None if node.op == VARIABLE else _operator(node, index).initializers
    if not initializers:
        return
    for name, (source, _) in zip(_input_names(node, index), node.inputs, strict=False):
        if name in initializers and nodes[source].op == VARIABLE:
            nodes[source].attrs.setdefault("__init__", initializers[name])
