"""The text of functions and methods in typed stubs, from the declarations of operators."""

import ast
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import torch

from regluon.dtypes import NAME_OF_TORCH
from regluon.ops import registry
from regluon.ops.registry import REQUIRED, Operator, Param

HEAD = '''"""{title} Made by tools/stubs.py from the operator registry; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

from regluon.base import ShapeLike as _Shape
from regluon.context import Context
from regluon.dtypes import DTypeLike as _DType
from {module} import {name}

_Floats: TypeAlias = float | Sequence[float]
_Ends: TypeAlias = int | None | Sequence[int | None]
'''
ATTRIBUTES = """from typing_extensions import Unpack

from regluon.symbol.attribute_scope import Attributes as _Attributes
"""
# Kinds of parameters by what params.py calls them; names of a stub that are no functions begin with an underscore.
ALIASES = {"Shape": "_Shape", "Floats": "_Floats", "DTypeLike": "_DType"}
OPEN_ENDS = ("begin", "end", "step")  # of slices: None stands for an end that is left open


class World(NamedTuple):
    """Where operators work, on arrays or on symbols, and what their functions look like there.

    Attributes:
        folder: whose stubs these are.
        things: what the operators work on, in words.
        module: where the class of inputs and results is defined.
        name: that class.
        several: what an operator with several outputs returns.
        last: the arguments after the operator's own.
        methods: names of the methods that call an operator.
        fills_in: whether inputs that are left out become variables.
        attributes: the type of further keywords, which become attributes of a node of a graph.
    """

    folder: str
    things: str
    module: str
    name: str
    several: str
    last: tuple[str, ...]
    methods: tuple[str, ...] = ()
    fills_in: bool = False
    attributes: str | None = None

    def head(self, title: str) -> str:
        """The beginning of a stub that defines functions."""
        text = HEAD.format(title=title, module=self.module, name=self.name)
        return f"{text}\n{ATTRIBUTES}" if self.attributes else text

    @property
    def either(self) -> str:
        """What an operator returns of which nobody knows how many outputs it has."""
        return self.name if self.name == self.several else f"{self.name} | {self.several}"


class Signature(NamedTuple):
    """Arguments of a function, what it then returns, and a note for mypy at the head of it."""

    arguments: list[str]
    result: str
    note: str = ""


class Decider(NamedTuple):
    """A parameter that says whether an operator has one output or several.

    Attributes:
        name: of the parameter.
        single: its values, as they are written, for one output.
        several: its values for more; empty for all other numbers.
    """

    name: str
    single: list[str]
    several: list[str]


def _default(param: Param) -> str:
    if param.default is REQUIRED:
        return "..."
    if isinstance(param.default, torch.dtype):
        return repr(NAME_OF_TORCH[param.default])
    return repr(param.default)


def _type(param: Param) -> str:
    if param.name in OPEN_ENDS and param.kind.stub == "Shape":
        return "_Ends"
    written = re.sub(r"\b(" + "|".join(ALIASES) + r")\b", lambda found: ALIASES[found[0]], param.kind.stub)
    is_optional = param.default is None and written != "Any" and "None" not in written.split(" | ")
    return f"{written} | None" if is_optional else written


def _candidates(param: Param) -> list[Any]:
    """The values of a parameter that can decide how many outputs there are."""
    if param.kind.stub == "bool":
        return [False, True]
    if param.kind.stub == "int":
        return [1, 2] if param.default in (1, REQUIRED) else []
    choices = re.fullmatch(r"Literal(\[.*\])( \| None)?", param.kind.stub)
    return list(ast.literal_eval(choices[1])) if choices else []


def decider(operator: Operator) -> Decider | None:
    """The parameter that decides between one output and several; None if it takes more than one to say."""
    count = operator.outputs
    if isinstance(count, int):
        return None
    known: dict[str, Any] = {name: param.default for name, param in operator.params.items()}
    for param in operator.params.values():
        if param.default is REQUIRED:
            known[param.name] = (1, 2) if param.kind.stub == "Shape" else 1
    if operator.count_param:
        known[operator.count_param] = 1
    found = []
    for param in operator.params.values():
        values = _candidates(param)
        if operator.variadic and param.kind.stub != "int":
            continue  # the inputs have a say as well
        single = [count({**known, param.name: value}) == 1 for value in values]
        if len(set(single)) == 2:
            shown = (
                ["1"] if param.kind.stub == "int" else [repr(value) for value, is_one in zip(values, single) if is_one]
            )
            others = [] if param.kind.stub == "int" else [repr(value) for value in values if repr(value) not in shown]
            found.append(Decider(param.name, shown, others))
    return found[0] if len(found) == 1 else None


def _inputs(operator: Operator, world: World, skip_inputs: int) -> list[str]:
    if operator.variadic:
        # All in one list will do as well.
        arguments = [f"*{operator.inputs[0]}: {world.name} | Sequence[{world.name}]"] if not skip_inputs else []
        return [*arguments, f"{operator.count_param}: int = ..."] if operator.count_param else arguments
    needed = 0 if world.fills_in else operator.num_required
    return [
        f"{name}: {world.name}" if position < needed else f"{name}: {world.name} | None = None"
        for position, name in list(enumerate(operator.inputs))[skip_inputs:]
    ]


def _arguments(operator: Operator, world: World, skip_inputs: int) -> list[str]:
    arguments = _inputs(operator, world, skip_inputs)
    for param in operator.params.values():
        # Python has none without a default after one that has it.
        is_needed = param.default is REQUIRED and not any(" = " in argument for argument in arguments)
        arguments.append(f"{param.name}: {_type(param)}" + ("" if is_needed else f" = {_default(param)}"))
    arguments += [argument for argument in world.last if argument.split(":")[0] not in operator.params]
    rest = "Any" if operator.free_params else world.attributes
    return [*arguments, f"**kwargs: {rest}"] if rest else arguments


def _with_values(arguments: list[str], name: str, values: list[str], *, given: bool) -> list[str]:
    """The arguments where one has certain values only; one that must be given is given by name."""
    position = next(index for index, argument in enumerate(arguments) if argument.startswith(f"{name}: "))
    _, _, default = arguments[position].partition(" = ")
    written = f"{name}: Literal[{', '.join(values)}]"
    if not given:
        written += f" = {default}" if default else ""
    by_name = given and default and not any(argument.startswith("*") for argument in arguments[:position])
    return [*arguments[:position], *(["*"] if by_name else []), written, *arguments[position + 1 :]]


def signatures(operator: Operator, world: World, skip_inputs: int) -> list[Signature]:
    """The ways to call an operator: one, or several where a parameter decides what is returned."""
    arguments = _arguments(operator, world, skip_inputs)
    if isinstance(operator.outputs, int):
        return [Signature(arguments, world.name if operator.outputs == 1 else world.several)]
    decides = None if world.name == world.several else decider(operator)
    if decides is None:
        return [Signature(arguments, world.either)]
    name, single, several = decides
    if not several:  # a number
        only = _with_values(arguments, name, single, given=False)
        # Of two that differ in a number that must be given, mypy says that the first one is a case of the second.
        note = "  # type: ignore[overload-overlap]" if f"{name}: Literal[1]" in only else ""
        return [Signature(only, world.name, note), Signature(arguments, world.several)]
    default = _default(operator.params[name])
    both = [(single, world.name), (several, world.several)]
    usual, other = both if default in single or default == "..." else both[::-1]
    return [
        Signature(_with_values(arguments, name, usual[0], given=False), usual[1]),
        Signature(_with_values(arguments, name, other[0], given=True), other[1]),
        Signature(arguments, world.either),
    ]


def function(name: str, operator: Operator, world: World, *, method: bool = False, static: bool = False) -> str:
    """The text of a function, or of a method, whose first input is the object itself."""
    doc = textwrap.indent(f'"""{operator.doc}\n"""' if "\n" in operator.doc else f'"""{operator.doc}"""', "    ")
    ways = signatures(operator, world, skip_inputs=int(method))
    decorators = ("@overload\n" if len(ways) > 1 else "") + ("@staticmethod\n" if static else "")
    texts = []
    for way in ways:
        listed = "".join(f"    {argument},\n" for argument in (["self"] if method else []) + way.arguments)
        texts.append(f"{decorators}def {name}({way.note}\n{listed}) -> {way.result}:\n{doc}\n    ...\n")
    return "\n".join(texts)


def functions(named: Mapping[str, str], world: World, title: str) -> str:
    """Each operator in full under one of its names; further names refer to that one."""
    parts = [world.head(title)]
    written: dict[str, str] = {}
    # The registered name first, so that aliases refer to it where it stands in the same file.
    for name in sorted(named, key=lambda name: (registry.find(named[name]).name != name, name)):
        operator = registry.find(named[name])
        first = written.setdefault(operator.name, name)
        parts.append(function(name, operator, world) if first == name else f"{name} = {first}\n")
    return "\n".join([*parts, f"__all__ = {sorted(named)!r}\n"])


def renamed(names: Iterable[str], prefix: str, source: str, title: str) -> str:
    """Functions that stand in a module of their own without the prefix of their registered names."""
    lines = [f"from {source} import {prefix}{name} as {name}" for name in sorted(names)]
    return f'"""{title} Made by tools/stubs.py from the operator registry; do not edit."""\n\n' + "\n".join(
        [*lines, "", f"__all__ = {sorted(names)!r}", ""]
    )
