"""Keyword arguments of the iterators over files: declared as dataclasses, read as MXNet reads them."""

import dataclasses
from functools import cache
from typing import Any, TypeVar, cast, get_type_hints

from regluon.ops.params import Kind, kind_of
from regluon.suggestions import nearest

from ..error import OpParamError

_Params = TypeVar("_Params")


def read_params(declared: type[_Params], who: str, given: dict[str, Any]) -> _Params:
    """Values of declared parameters, from Python values or their texts.

    Raises:
        OpParamError: a parameter is unknown, missing, or has a value of another kind.
    """
    kinds = _kinds(cast(Any, declared))
    for name, value in given.items():
        if name not in kinds:
            near = nearest(name, kinds, 3)
            meant = f" Did you mean {' or '.join(near)}?" if near else f" Known: {', '.join(kinds)}."
            raise OpParamError(f"[{who}] received the parameter {name}={value!r}, which does not exist.{meant}")
    values = {name: _parse(who, name, kinds[name], value) for name, value in given.items()}
    for field in dataclasses.fields(declared):  # type: ignore[arg-type]  # a dataclass: all declarations are
        if field.name not in given and field.default is dataclasses.MISSING:
            raise OpParamError(
                f"[{who}] received no {field.name}; expected {kinds[field.name].expects}: it is required."
            )
    return declared(**values)


def _parse(who: str, name: str, kind: Kind, value: Any) -> Any:
    try:
        return kind.parse(value)
    except (ValueError, TypeError, KeyError):
        raise OpParamError(f"[{who}] {name}: received {value!r}; expected {kind.expects}.") from None


@cache
def _kinds(declared: Any) -> dict[str, Kind]:
    hints = get_type_hints(declared)
    return {field.name: kind_of(hints[field.name]) for field in dataclasses.fields(declared)}
