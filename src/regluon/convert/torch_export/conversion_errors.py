"""What cannot be converted: all of it in one error."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base import MXNetError

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)(?:\n\s+(?P<source>[^\n]+))?')
_TORCH_FILE = re.compile(r"\A(?:.*site-packages/)?torch/")
_MOST_PLACES = 3  # of one operator and reason
_ADVICE = (
    "What to do: compute the part in question with operators that can be converted and export again, or leave it out "
    "of the exported module and compute it with mxnet afterwards; the operators with a translation are listed by "
    "regluon.convert.torch_export.supported_operators()."
)


class NotConvertible(Exception):
    """A node cannot be expressed with MXNet's operators; the text says why."""


class UnsupportedProgram(MXNetError, NotImplementedError):
    """A program has nodes that cannot be converted; the text lists all of them."""


class WrongConversion(MXNetError, ArithmeticError):
    """The converted graph gives other results than the program."""


class Problem(NamedTuple):
    """A node that cannot be converted.

    Attributes:
        operator: the ATen operator.
        reason: why.
        place: where in the user's module, or the node's name.
    """

    operator: str
    reason: str
    place: str


def place_of(node: Any) -> str:
    """The line of the user's module that a node comes from; the layer or the node where the program does not tell."""
    frames = list(_FRAME.finditer(node.meta.get("stack_trace") or ""))
    own = [frame for frame in frames if not _TORCH_FILE.search(frame["file"])]
    if not own:
        layers = list((node.meta.get("nn_module_stack") or {}).values())
        path, kind = layers[-1] if layers else ("", "")
        return f"layer {path} ({kind})" if path else f"node {node.name}"
    frame = own[-1]
    source = f": {frame['source'].strip()}" if frame["source"] else ""
    return f"{frame['file']}:{frame['line']} in {frame['function']}{source}"


def report(problems: Sequence[Problem], total: int) -> UnsupportedProgram:
    """One error for all problems: each operator and reason once, with how often and where."""
    groups: dict[tuple[str, str], list[str]] = {}
    for problem in problems:
        groups.setdefault((problem.operator, problem.reason), []).append(problem.place)
    lines = [f"[from_exported_program] {len(problems)} of {total} nodes cannot be converted:"]
    for (operator, reason), places in groups.items():
        often = "once" if len(places) == 1 else f"{len(places)} times"
        lines.append(f"  {operator}, {often}: {reason}")
        shown = list(dict.fromkeys(places))
        lines += [f"    at {place}" for place in shown[:_MOST_PLACES]]
        if len(shown) > _MOST_PLACES:
            lines.append(f"    and at {len(shown) - _MOST_PLACES} more places")
    return UnsupportedProgram("\n".join([*lines, _ADVICE]))
