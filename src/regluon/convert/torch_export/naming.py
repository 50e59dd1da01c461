"""MXNet's names for the parameters and buffers of a torch module."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from torch.export.graph_signature import InputKind

from ...symbol.name_scope import NameManager

_NORM = {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean", "running_var": "moving_var"}
_RECURRENT = re.compile(r"(?P<kind>weight|bias)_(?P<source>ih|hh)_l(?P<layer>\d+)(?P<reverse>_reverse)?\Z")
_SOURCES = {"ih": "i2h", "hh": "h2h"}
_STORED = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
_NORM_OPERATOR = re.compile(r"\baten\.\w*(batch|layer|group|instance)_norm\w*\.")
_LAYER_NAME = re.compile(r"(.+)_(?:weight|gamma)\Z")


class NodeNames(NameManager):
    """Names the operators that a node is written with after the node."""

    def __init__(self, node: str) -> None:
        super().__init__()
        self._node = node

    def get(self, name: str | None, hint: str) -> str:
        """`name` if given, else the node's name, the kind of the operator and a number."""
        return name if name else f"{self._node}_{super().get(None, hint)}"


def parameter_names(program: Any, taken: Iterable[str]) -> dict[str, str]:
    """MXNet's names of parameters, buffers and constants, by the names of their nodes.

    `layer1.0.conv1.weight` becomes `layer1_0_conv1_weight`; what a norm takes is named as MXNet names it.

    Args:
        program: the program.
        taken: names that inputs have.
    """
    norms = _users(program, _NORM_OPERATOR)
    used, names = set(taken), {}
    for spec in program.graph_signature.input_specs:
        if spec.kind not in _STORED:
            continue
        owner, _, own = str(spec.target).rpartition(".")
        if spec.arg.name in norms:
            own = _NORM.get(own, own)
        name = re.sub(r"\W", "_", f"{owner}.{_recurrent(own)}" if owner else _recurrent(own))
        unique, count = name, 0
        while unique in used:
            count += 1
            unique = f"{name}_{count}"
        used.add(unique)
        names[spec.arg.name] = unique
    return names


def layer_name(node: Any, names: Mapping[str, str], used: Iterable[str]) -> str:
    """The name of a node: that of its layer if it takes a weight of one, else its own."""
    for source in node.all_input_nodes[1:]:
        found = _LAYER_NAME.match(names.get(source.name, ""))
        if found and found[1] not in used:
            return found[1]
    name: str = node.name
    return name if name not in used else f"{name}_1"


def _recurrent(own: str) -> str:
    found = _RECURRENT.match(own)
    if found is None:
        return own
    return f"{'r' if found['reverse'] else 'l'}{found['layer']}_{_SOURCES[found['source']]}_{found['kind']}"


def _users(program: Any, operators: re.Pattern[str]) -> set[str]:
    """The names of all nodes that operators take, besides their data."""
    found: set[str] = set()
    for node in program.graph.nodes:
        if node.op == "call_function" and operators.search(str(node.target)):
            found.update(source.name for source in node.all_input_nodes[1:])
    return found
