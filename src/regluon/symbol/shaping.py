"""Methods of symbols that differ from the operators they call, and `sym.split_v2`."""

from typing import TYPE_CHECKING, Any

from ..ops.registry import find
from .building import apply_operator

if TYPE_CHECKING:
    from .symbol import Symbol


class Shaping:
    """Methods for shape and dtype."""

    __slots__ = ()

    def squeeze(self, axis: Any = None, **kwargs: Any) -> "Symbol":
        """Leaves out axes of length 1."""
        return apply_operator(find("squeeze"), "squeeze", (self,), {"axis": axis, **_unnamed(kwargs)}, **_named(kwargs))

    def astype(self, dtype: Any, **kwargs: Any) -> "Symbol":
        """Converts the dtype."""
        return apply_operator(find("Cast"), "cast", (self,), {"dtype": dtype}, **_named(kwargs))

    def split_v2(self, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> "Symbol":
        """Cuts along an axis; see `sym.split_v2`."""
        return split_v2(self, indices_or_sections, axis, squeeze_axis)


def split_v2(ary: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> "Symbol":
    """Cuts a symbol along an axis.

    Args:
        ary: what to cut.
        indices_or_sections: into how many equal pieces, or the places of the cuts.
        axis: which axis.
        squeeze_axis: whether to leave out the axis where the pieces have length 1.
    """
    if isinstance(indices_or_sections, int):
        indices, sections = [], indices_or_sections
    elif isinstance(indices_or_sections, (tuple, list)):
        indices, sections = [0, *indices_or_sections], 0
    else:
        raise ValueError(
            f"[split_v2] indices_or_sections: received {indices_or_sections!r}; expected a number of pieces, or a "
            "tuple of places."
        )
    params = {"indices": indices, "axis": axis, "squeeze_axis": squeeze_axis, "sections": sections}
    return apply_operator(find("_split_v2"), "_split_v2", (ary,), params)


def _named(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {key: kwargs[key] for key in ("name", "attr") if key in kwargs}


def _unnamed(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in kwargs.items() if key not in ("name", "attr", "out")}
