"""The kinds of operator parameters: how a value given by a user, or found as text in a saved graph, is read.

A parameter's kind is written as the annotation of a keyword-only argument of the operator's function: `int`, `float`,
`bool`, `str`, `Shape`, `Shapes`, `Floats`, `DType`, `Ctx`, a `Literal[...]` of texts, each with `| None` if it may be
absent.
"""

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NewType, get_args, get_origin

import numpy as np
import torch

from ..base import MXNetError
from ..context import Context, context_of
from ..dtypes import NAME_OF_TORCH, torch_dtype

Shape = tuple[int, ...]
Shapes = tuple[Shape, ...]
Floats = tuple[float, ...]
DType = torch.dtype
Ctx = Context
# Annotations of what the caller's surroundings supply, not the user.
Training = NewType("Training", bool)
Rng = torch.Generator
Bodies = Sequence[Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]]  # graphs of a loop or branch, ready to run


class Kind:
    """How one kind of parameter is read from a value and printed as text."""

    expects = ""
    stub = "Any"
    is_dtype = False

    def parse(self, value: Any) -> Any:
        """The canonical value; raises ValueError or TypeError when it does not fit."""
        raise NotImplementedError

    def format(self, value: Any) -> str:
        """The value as MXNet writes it to symbol JSON."""
        return str(value)


class _Int(Kind):
    expects, stub = "an integer", "int"

    def parse(self, value: Any) -> int:
        if isinstance(value, (float, np.floating)):
            raise TypeError("a float is not an integer")
        number = int(value.__index__()) if hasattr(value, "__index__") else int(value)
        if not -(2**63) <= number < 2**63:
            raise OverflowError("more than 64 bits")
        return number


class _Float(Kind):
    expects, stub = "a number", "float"

    def parse(self, value: Any) -> float:
        if isinstance(value, (str, int, float, np.number, np.bool_)):
            return float(value)
        raise TypeError("not a number")

    def format(self, value: float) -> str:
        return f"{value:.9g}"


class _Bool(Kind):
    expects, stub = "True or False", "bool"
    _texts = {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}

    def parse(self, value: Any) -> bool:
        if isinstance(value, str):
            return self._texts[value]
        if isinstance(value, (bool, int, np.bool_, np.integer)):
            return bool(value)
        raise TypeError("not a boolean")


class _Str(Kind):
    expects, stub = "a text", "str"

    def parse(self, value: Any) -> str:
        return str(value)


def _items(value: Any) -> Iterable[Any]:
    """The elements of a tuple given as a sequence, a single number or text such as '(2, 2)' or '[2,2]'."""
    if isinstance(value, str):
        inner = value.strip()
        if inner[:1] in ("(", "["):
            if inner[-1:] != {"(": ")", "[": "]"}[inner[0]]:
                raise ValueError("unbalanced brackets")
            inner = inner[1:-1]
        return [part.strip() for part in inner.split(",") if part.strip()]
    return value if isinstance(value, (tuple, list, np.ndarray)) else (value,)


class _Shape(Kind):
    expects, stub = "a tuple of integers, such as (2, 2)", "Shape"

    def parse(self, value: Any) -> tuple[int, ...]:
        if value is None or (isinstance(value, str) and value == "None"):
            return ()
        # Slices have open ends: MXNet writes them as None inside the tuple.
        return tuple(None if item in (None, "None") else _INT.parse(item) for item in _items(value))  # type: ignore[misc]

    def format(self, value: tuple[int, ...]) -> str:
        return f"({value[0]},)" if len(value) == 1 else "(" + ", ".join(map(str, value)) + ")"


class _Shapes(Kind):
    expects, stub = "a tuple of tuples of integers, such as ((1, 1), (0, 2))", "Sequence[Shape]"

    def parse(self, value: Any) -> tuple[tuple[int, ...], ...]:
        if isinstance(value, str):
            try:
                value = ast.literal_eval(value.strip())
            except SyntaxError:
                raise ValueError("not a tuple") from None
        items = tuple(value)
        if items and not any(isinstance(item, (tuple, list, np.ndarray)) for item in items):
            items = (items,)  # one tuple may do without the outer brackets
        return tuple(tuple(_INT.parse(number) for number in item) for item in items)

    def format(self, value: tuple[tuple[int, ...], ...]) -> str:
        inner = ", ".join(map(_SHAPE.format, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"


class _Floats(Kind):
    expects, stub = "a tuple of numbers, such as (0.5, 1.0)", "Floats"

    def parse(self, value: Any) -> tuple[float, ...]:
        return tuple(_FLOAT.parse(item) for item in _items(value))

    def format(self, value: tuple[float, ...]) -> str:
        return "(" + ",".join(map(_FLOAT.format, value)) + ")"


class _DTypeKind(Kind):
    expects, stub = "a dtype, such as 'float32' or numpy.int32", "DTypeLike"
    is_dtype = True

    def parse(self, value: Any) -> torch.dtype:
        try:
            return torch_dtype(value)
        except MXNetError as error:
            raise ValueError(str(error)) from None

    def format(self, value: torch.dtype) -> str:
        return NAME_OF_TORCH[value]


class _CtxKind(Kind):
    expects, stub = "a Context, or a text such as 'cpu(0)'", "Context | str"

    def parse(self, value: Any) -> Context:
        return context_of(value)


class Choice(Kind):
    """One of a few texts."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.texts = texts
        self.expects = "one of " + ", ".join(map(repr, texts))
        self.stub = f"Literal[{', '.join(map(repr, texts))}]"

    def parse(self, value: Any) -> str:
        """One of the texts, as it is."""
        if value not in self.texts:
            raise ValueError("not one of the choices")
        return value


class Maybe(Kind):
    """Another kind, or None."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.expects = f"{kind.expects}, or None"
        self.stub = f"{kind.stub} | None"
        self.is_dtype = kind.is_dtype

    def parse(self, value: Any) -> Any:
        """None for None and its text, else what the other kind makes of it."""
        return None if value is None or (isinstance(value, str) and value == "None") else self.kind.parse(value)

    def format(self, value: Any) -> str:
        """The text of None, or that of the other kind."""
        return "None" if value is None else self.kind.format(value)


_INT, _FLOAT, _SHAPE = _Int(), _Float(), _Shape()
_KINDS: dict[Any, Kind] = {
    int: _INT,
    float: _FLOAT,
    bool: _Bool(),
    str: _Str(),
    Shape: _SHAPE,
    Shapes: _Shapes(),
    Floats: _Floats(),
    DType: _DTypeKind(),
    Ctx: _CtxKind(),
}


def kind_of(annotation: Any) -> Kind:
    """The Kind that an annotation of an operator's function stands for."""
    kind = _KINDS.get(annotation)
    if kind is None:
        if get_origin(annotation) is Literal:
            kind = Choice(get_args(annotation))
        else:
            parts = get_args(annotation)
            assert len(parts) == 2, f"an operator parameter cannot be annotated with {annotation}"
            assert parts[1] is type(None), f"an operator parameter cannot be annotated with {annotation}"
            kind = Maybe(kind_of(parts[0]))
        _KINDS[annotation] = kind
    return kind
