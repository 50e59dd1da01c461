"""Cutting symbols, whose lengths are not known yet: functions of `mx.np` that ask arrays for them."""

from typing import Any

from ...array.numpy.dispatch import call
from ...base import integer_types

__all__ = ["array_split", "dsplit", "hsplit", "split", "vsplit"]


def _cut(who: str, operator: str, ary: Any, places: Any, params: dict[str, Any]) -> list[Any]:
    if isinstance(places, integer_types):
        params = {"indices": [], "sections": int(places), **params}
    elif isinstance(places, (list, tuple, set)):
        params = {"indices": [0, *places], "sections": 0, **params}
    else:
        raise ValueError(
            f"[sym.np.{who}] received {type(places).__name__}; expected a number of sections, or a tuple of indices."
        )
    parts = call(operator, (ary,), params)
    return parts if isinstance(parts, list) else [parts]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Cuts along an axis, into sections of equal lengths or before the given indices."""
    return _cut("split", "_npi_split", ary, indices_or_sections, {"axis": axis, "squeeze_axis": False})


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Cuts along an axis before the given indices; as many sections as given must have equal lengths here."""
    return split(ary, indices_or_sections, axis)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Cuts along the second axis; a vector along its only one."""
    return _cut("hsplit", "_npi_hsplit", ary, indices_or_sections, {"axis": 1, "squeeze_axis": False})


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Cuts along the first axis."""
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Cuts along the third axis."""
    return _cut("dsplit", "_npi_dsplit", ary, indices_or_sections, {"axis": 2, "squeeze_axis": False})
