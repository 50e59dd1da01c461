"""Joining and cutting arrays, and inserting and leaving out parts of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base import ShapeLike, integer_types
from ...runtime.repeated import make_repeatable
from .dispatch import as_list, call, expect_arrays, is_array, is_number

if TYPE_CHECKING:
    from .array import ndarray

__all__ = [
    "append",
    "array_split",
    "column_stack",
    "concatenate",
    "delete",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "insert",
    "row_stack",
    "split",
    "stack",
    "vsplit",
    "vstack",
]


def concatenate(seq: "Sequence[ndarray] | ndarray", axis: int | None = 0, out: "ndarray | None" = None) -> "ndarray":
    """Joins arrays along an axis that they have; None joins all elements in one row."""
    return call("_npi_concatenate", as_list("concatenate", seq), {"axis": axis}, out)


def append(arr: "ndarray", values: Any, axis: int | None = None) -> "ndarray":
    """Joins two arrays along an axis, or all elements in one row."""
    return call("_npi_concatenate", (arr, values), {"axis": axis})


def stack(arrays: "Sequence[ndarray] | ndarray", axis: int = 0, out: "ndarray | None" = None) -> "ndarray":
    """Joins arrays of one shape along a new axis.

    Example:
        >>> np.stack([np.array([1, 2]), np.array([3, 4])], axis=1)
        array([[1., 3.],
               [2., 4.]])
    """
    return call("_npi_stack", as_list("stack", arrays), {"axis": axis}, out)


def vstack(arrays: "Sequence[ndarray] | ndarray", out: "ndarray | None" = None) -> "ndarray":
    """Puts arrays below each other; vectors are rows."""
    return call("_npi_vstack", as_list("vstack", arrays), out=out)


def row_stack(arrays: "Sequence[ndarray] | ndarray") -> "ndarray":
    """Puts arrays below each other; see `vstack`."""
    return vstack(arrays)


def column_stack(tup: "Sequence[ndarray] | ndarray") -> "ndarray":
    """Puts arrays side by side; vectors are columns."""
    return call("_npi_column_stack", as_list("column_stack", tup))


def hstack(arrays: "Sequence[ndarray] | ndarray") -> "ndarray":
    """Joins arrays along the second axis; vectors along their only one."""
    return call("_npi_hstack", as_list("hstack", arrays))


def dstack(arrays: "Sequence[ndarray] | ndarray") -> "ndarray":
    """Joins arrays along the third axis."""
    return call("_npi_dstack", as_list("dstack", arrays))


def split(ary: "ndarray", indices_or_sections: ShapeLike, axis: int = 0) -> list["ndarray"]:
    """Cuts an array along an axis, into sections of equal lengths or before the given indices."""
    if isinstance(indices_or_sections, integer_types):
        length = ary.shape[axis]
        if indices_or_sections < 1 or length % indices_or_sections:
            raise ValueError(
                f"[np.split] cannot cut an axis of length {length} into {indices_or_sections} equal sections; "
                "np.array_split allows sections of different lengths."
            )
    return _cut("_npi_split", "split", ary, indices_or_sections, axis)


def array_split(ary: "ndarray", indices_or_sections: ShapeLike, axis: int = 0) -> list["ndarray"]:
    """Cuts an array along an axis, into sections of nearly equal lengths or before the given indices."""
    if isinstance(indices_or_sections, integer_types):
        length, sections = ary.shape[axis], int(indices_or_sections)
        if sections < 1:
            raise ValueError(f"[np.array_split] received {sections} sections; expected at least 1.")
        short, longer = divmod(length, sections)
        if longer:
            # The first sections are one longer than the rest.
            indices_or_sections = [i * short + min(i, longer) for i in range(1, sections)]
    return _cut("_npi_split", "array_split", ary, indices_or_sections, axis)


def hsplit(ary: "ndarray", indices_or_sections: ShapeLike) -> list["ndarray"]:
    """Cuts an array along the second axis; a vector along its only one."""
    _expect_axes("hsplit", ary, 1)
    return split(ary, indices_or_sections, 1 if len(ary.shape) > 1 else 0)


def vsplit(ary: "ndarray", indices_or_sections: ShapeLike) -> list["ndarray"]:
    """Cuts an array along the first axis."""
    _expect_axes("vsplit", ary, 2)
    return split(ary, indices_or_sections, 0)


def dsplit(ary: "ndarray", indices_or_sections: ShapeLike) -> list["ndarray"]:
    """Cuts an array along the third axis."""
    _expect_axes("dsplit", ary, 3)
    return split(ary, indices_or_sections, 2)


def _expect_axes(who: str, ary: Any, least: int) -> None:
    if len(ary.shape) < least:
        raise ValueError(f"[np.{who}] received an array of shape {ary.shape}; expected at least {least} axes.")


def _cut(operator: str, who: str, ary: Any, places: Any, axis: int) -> list[Any]:
    if isinstance(places, integer_types):
        params: dict[str, Any] = {"indices": (), "sections": int(places)}
    elif isinstance(places, (list, tuple, set)):
        params = {"indices": (0, *places)}
    else:
        raise ValueError(
            f"[np.{who}] received {type(places).__name__}; expected a number of sections, or a tuple of indices."
        )
    parts = call(operator, (ary,), {**params, "axis": axis, "squeeze_axis": False})
    return [parts] if is_array(parts) and not _has_parts(parts, params) else list(parts)


def _has_parts(parts: Any, params: dict[str, Any]) -> bool:
    """Whether a symbol stands for several outputs."""
    return max(params.get("sections", 0), len(params["indices"])) > 1


def insert(arr: "ndarray", obj: Any, values: Any, axis: int | None = None) -> "ndarray":
    """Inserts values before indices.

    Args:
        arr: the array.
        obj: an index, a slice, or an array of indices.
        values: a number or an array.
        axis: along which; all elements are in one row if not given.
    """
    expect_arrays("insert", arr=arr)
    params: dict[str, Any] = {"axis": axis}
    if is_number(values):
        params["val"], inputs = values, [arr]
    else:
        expect_arrays("insert", values=values)
        inputs = [arr, values]
    if isinstance(obj, slice):
        params |= {"start": obj.start, "stop": obj.stop, "step": 1 if obj.step is None else obj.step}
        return call("_npi_insert_slice", inputs, params)
    if isinstance(obj, integer_types):
        return call("_npi_insert_scalar", inputs, {**params, "int_ind": obj})
    expect_arrays("insert", obj=obj)
    return call("_npi_insert_tensor", [*inputs, obj], params)


def delete(arr: "ndarray", obj: Any, axis: int | None = None) -> "ndarray":
    """A copy without the elements at an index, a slice, or an array of indices."""
    expect_arrays("delete", arr=arr)
    params: dict[str, Any] = {"axis": axis}
    if isinstance(obj, slice):
        params |= {"start": obj.start, "stop": obj.stop, "step": 1 if obj.step is None else obj.step}
        return call("_npi_delete", (arr,), params)
    if isinstance(obj, integer_types):
        return call("_npi_delete", (arr,), {**params, "int_ind": obj})
    expect_arrays("delete", obj=obj)
    return call("_npi_delete", (arr, obj), params)


make_repeatable(globals(), __all__)
