"""Shapes found by arithmetic are those that operators give."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from regluon.ops.registry import find

_CASES: list[tuple[str, list[tuple[int, ...]], dict[str, Any]]] = [
    ("_np_reshape", [(2, 6)], {"newshape": (3, -1)}),
    ("_np_reshape", [(2, 6)], {"newshape": (12,)}),
    ("_np_reshape", [(1,)], {"newshape": ()}),
    ("_npx_reshape", [(2, 3, 4)], {"newshape": (-2, -5)}),
    ("_npx_reshape", [(2, 3, 4)], {"newshape": (-6, 1, 2, -4)}),
    ("_npx_reshape", [(1, 3, 4)], {"newshape": (-3, -4)}),
    ("_npx_reshape", [(2, 3, 4)], {"newshape": (-1, -2), "reverse": True}),
    ("_np_transpose", [(2, 3, 4)], {}),
    ("_np_transpose", [(2, 3, 4)], {"axes": (1, -1, 0)}),
    ("expand_dims", [(2, 3)], {"axis": -1}),
    ("expand_dims", [(2, 3)], {"axis": 0}),
    ("SwapAxis", [(2, 3, 4)], {"dim1": 0, "dim2": -1}),
    ("repeat", [(2, 3)], {"repeats": 2, "axis": 1}),
    ("slice", [(4, 5)], {"begin": (1,), "end": (3,)}),
    ("slice", [(4, 5)], {"begin": (None, -2), "end": (None, None), "step": (2, None)}),
    ("slice", [(4, 5)], {"begin": (-1, 3), "end": (-2, None), "step": (-1, -1)}),
    ("SequenceMask", [(4, 5)], {"axis": 1}),
    ("_npi_argmax", [(4, 5)], {"axis": -1}),
    ("_npi_argmax", [(4, 5)], {"axis": 0, "keepdims": True}),
    ("_npi_argmin", [(4, 5)], {}),
    ("_npi_stack", [(2, 3), (2, 3)], {"axis": -1}),
    ("_npi_concatenate", [(2, 3), (2, 1)], {"axis": 1}),
]

_REFUSED: list[tuple[str, list[tuple[int, ...]], dict[str, Any]]] = [
    ("_np_reshape", [(2, 6)], {"newshape": (5, -1)}),
    ("_npx_reshape", [(2, 6)], {"newshape": (-3, -4)}),
    ("_np_transpose", [(2, 6)], {"axes": (0, 0)}),
    ("expand_dims", [(2, 6)], {"axis": 5}),
    ("repeat", [(2, 6)], {"repeats": 2, "axis": 4}),
    ("slice", [(2, 6)], {"begin": (0, 0, 0), "end": (1, 1, 1)}),
    ("_npi_argmax", [(2, 6)], {"axis": 4}),
    ("_npi_stack", [(2, 3), (2, 4)], {"axis": 0}),
    ("_npi_concatenate", [(2, 3), (3, 4)], {"axis": 0}),
    ("_npi_concatenate", [(2, 3), (3, 4)], {"axis": 7}),
]


def _told(name: str, shapes: list[tuple[int, ...]], params: dict[str, Any]) -> Any:
    operator = find(name)
    assert operator.shape is not None
    return operator.shape([(shape, torch.float32) for shape in shapes], operator.full_params(operator.parse(params)))


@pytest.mark.parametrize(("name", "shapes", "params"), _CASES)
def test_rules_agree_with_operators(name: str, shapes: list[tuple[int, ...]], params: dict[str, Any]) -> None:
    operator = find(name)
    result = operator.function(*(torch.ones(shape) for shape in shapes), **operator.parse(params))
    assert _told(name, shapes, params) == [(tuple(result.shape), result.dtype)]


@pytest.mark.parametrize(("name", "shapes", "params"), _REFUSED)
def test_rules_leave_errors_to_operators(name: str, shapes: list[tuple[int, ...]], params: dict[str, Any]) -> None:
    assert _told(name, shapes, params) is None


@pytest.mark.parametrize("name", ["_npi_zeros", "_npi_ones"])
def test_what_is_made(name: str) -> None:
    operator = find(name)
    params = operator.full_params(operator.parse({"shape": (2, 0), "dtype": "int32"}))
    assert operator.shape([], params) == [((2, 0), torch.int32)]


def test_unknown_inputs_tell_nothing() -> None:
    for name in ("_np_reshape", "_npi_argmax", "_npi_stack"):
        assert find(name).shape([None], find(name).full_params({"newshape": (1,), "axis": 0})) is None
