"""Shapes and dtypes found by arithmetic are those that operators give."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import mxnet as mx
from regluon.ops.inference import infer
from regluon.ops.registry import find

Case = tuple[str, list[tuple[int, ...]], dict[str, Any]]

_CASES: list[Case] = [
    ("topk", [(2, 5)], {"k": 3}),
    ("topk", [(2, 5)], {"k": 0, "axis": 0, "ret_typ": "value"}),
    ("topk", [(2, 5)], {"k": 2, "ret_typ": "both", "dtype": "int64"}),
    ("topk", [(2, 5)], {"k": 2, "ret_typ": "mask"}),
    ("sort", [(2, 5)], {"axis": 0}),
    ("argsort", [(2, 5)], {"dtype": "int32"}),
    ("argmax", [(2, 3, 4)], {"axis": 1}),
    ("argmax", [(2, 3, 4)], {"axis": -1, "keepdims": True}),
    ("argmin", [(2, 3, 4)], {"axis": 0}),
    ("argmax_channel", [(2, 3)], {}),
    ("one_hot", [(2, 3)], {"depth": 4, "dtype": "int8"}),
    ("tile", [(2, 3)], {"reps": (2,)}),
    ("tile", [(3,)], {"reps": (2, 1, 3)}),
    ("reverse", [(2, 3)], {"axis": (0, 1)}),
    ("SequenceReverse", [(4, 3, 2)], {}),
    ("SequenceReverse", [(4, 3, 2), (3,)], {"use_sequence_length": True}),
    ("norm", [(2, 3, 4)], {"axis": (0, -1)}),
    ("norm", [(2, 3, 4)], {"axis": (1,), "keepdims": True, "ord": 1}),
    ("norm", [(2, 3)], {}),
    ("prod", [(2, 3, 4)], {"axis": (1,)}),
    ("prod", [(2, 3)], {"axis": (0, 1)}),
    ("nansum", [(2, 3)], {"axis": (1,), "keepdims": True}),
    ("nanprod", [(2, 3)], {"axis": (0,)}),
    ("_arange", [], {"start": 5}),
    ("_arange", [], {"start": 1, "stop": 8.5, "step": 2, "repeat": 3, "dtype": "int32"}),
    ("_arange", [], {"start": 3, "stop": 0, "step": -1}),
    ("_contrib_arange_like", [(2, 3)], {}),
    ("_contrib_arange_like", [(2, 3)], {"axis": -1, "repeat": 2}),
    ("gather_nd", [(2, 3, 4), (2, 5)], {}),
    ("gather_nd", [(2, 3), (1, 5, 6)], {}),
    ("_contrib_box_iou", [(2, 3, 4), (5, 4)], {}),
    ("_contrib_interleaved_matmul_selfatt_qk", [(3, 2, 24)], {"heads": 2}),
    ("_contrib_interleaved_matmul_encdec_qk", [(3, 2, 8), (5, 2, 16)], {"heads": 2}),
    ("_contrib_interleaved_matmul_selfatt_valatt", [(3, 2, 24), (4, 3, 3)], {"heads": 2}),
    ("_contrib_interleaved_matmul_encdec_valatt", [(5, 2, 16), (4, 3, 5)], {"heads": 2}),
]

_REFUSED: list[Case] = [
    ("topk", [(2, 5)], {"k": 6}),
    ("topk", [(2, 5)], {"k": 1, "axis": 2}),
    ("sort", [(2, 5)], {"axis": 3}),
    ("argmax", [(2, 5)], {"axis": -3}),
    ("argmax", [(5,)], {"axis": 0}),
    ("one_hot", [(2,)], {"depth": -1}),
    ("tile", [(2,)], {"reps": (-1,)}),
    ("reverse", [(2,)], {"axis": (-1,)}),
    ("SequenceReverse", [(4, 3, 2), (2,)], {"use_sequence_length": True}),
    ("norm", [(2, 3)], {"axis": (2,)}),
    ("norm", [(2, 3)], {"axis": (0,), "ord": 3}),
    ("_arange", [], {"start": 1, "stop": 0}),
    ("_arange", [], {"start": 1, "infer_range": True}),
    ("_contrib_arange_like", [(2, 3)], {"axis": 2}),
    ("gather_nd", [(2, 3), (3, 5)], {}),
    ("_contrib_box_iou", [(2, 5), (5, 4)], {}),
    ("_contrib_interleaved_matmul_selfatt_qk", [(3, 2, 25)], {"heads": 2}),
    ("_contrib_interleaved_matmul_encdec_qk", [(3, 2, 8), (5, 2, 8)], {"heads": 2}),
    ("_contrib_interleaved_matmul_selfatt_valatt", [(3, 2, 24), (4, 2, 3)], {"heads": 2}),
    ("_contrib_interleaved_matmul_encdec_valatt", [(5, 2, 16), (4, 3, 4)], {"heads": 2}),
]


def _told(name: str, shapes: list[tuple[int, ...]], params: dict[str, Any]) -> Any:
    operator = find(name)
    full = operator.full_params(operator.parse(params))
    return find(name).shape([(shape, torch.float32) for shape in shapes], full)


@pytest.mark.parametrize(("name", "shapes", "params"), _CASES)
def test_rules_agree_with_operators(name: str, shapes: list[tuple[int, ...]], params: dict[str, Any]) -> None:
    operator = find(name)
    supplied = {**operator.parse(params), **({"ctx": mx.cpu()} if operator.placed else {})}
    results = operator.function(*(torch.ones(shape) for shape in shapes), **supplied)
    results = results if isinstance(results, tuple) else (results,)
    assert _told(name, shapes, params) == [(tuple(result.shape), result.dtype) for result in results]


@pytest.mark.parametrize(("name", "shapes", "params"), _REFUSED)
def test_rules_leave_errors_to_operators(name: str, shapes: list[tuple[int, ...]], params: dict[str, Any]) -> None:
    assert _told(name, shapes, params) is None


def test_every_rule_has_a_case() -> None:
    assert all(find(name).shape is not None for name, _, _ in _CASES)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8, torch.int8])
@pytest.mark.parametrize(("scalar", "is_int"), [(2, True), (2.5, True), (-1.5, True), (2.5, False)])
@pytest.mark.parametrize(
    "name", ["_plus_scalar", "_minus_scalar", "_rminus_scalar", "_mul_scalar", "_maximum_scalar", "_minimum_scalar"]
)
def test_integers_and_scalars(name: str, scalar: float, is_int: bool, dtype: torch.dtype) -> None:
    operator = find(name)
    params = operator.parse({"scalar": scalar, "is_int": is_int})
    result = operator.function(torch.ones((2, 3), dtype=dtype), **params)
    assert infer(operator, [((2, 3), dtype)], params) == [(tuple(result.shape), result.dtype)]


_PAIRS = ("elemwise_add", "elemwise_sub", "elemwise_mul")


@pytest.mark.parametrize("name", [*_PAIRS, "_copy", "BlockGrad", "zeros_like", "ones_like"])
def test_integers(name: str) -> None:
    count = 2 if name in _PAIRS else 1
    spec = ((2, 3), torch.int64)
    result = find(name).function(*[torch.ones(spec[0], dtype=spec[1])] * count)
    assert infer(find(name), [spec] * count, {}) == [(tuple(result.shape), result.dtype)] == [spec]
