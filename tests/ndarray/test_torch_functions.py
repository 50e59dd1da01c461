"""Torch's own functions on arrays: the same numbers, arrays as results, recorded as any operator."""

from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, nd

torch_of_arrays: Any = torch  # whose types do not know that its functions take arrays

_FUNCTIONS: list[tuple[str, Any]] = [
    ("relu", torch.relu),
    ("softmax", lambda x: torch.nn.functional.softmax(x, dim=-1)),
    ("joined", lambda x: torch.cat([x, x], dim=1)),
    ("layer", lambda x: torch.nn.functional.linear(x, torch.ones(3, 2))),
    ("with a tensor", lambda x: torch.ones(2, 2) * x),
    ("turned", lambda x: torch.transpose(x, 0, 1)),
    ("einsum", lambda x: torch.einsum("ij,ij->i", x, x)),
]


def _array() -> Any:
    return nd.array([[1.0, -2.0], [0.5, 3.0]])


@pytest.mark.parametrize("function", [pytest.param(each, id=name) for name, each in _FUNCTIONS])
@pytest.mark.parametrize("is_recorded", [False, True])
def test_like_torch(function: Any, is_recorded: bool) -> None:
    x = _array()
    tensor = torch.tensor(x.asnumpy(), requires_grad=True)
    expected = function(tensor)
    x.attach_grad()
    if is_recorded:
        with autograd.record():
            found = function(x)
        found.backward()
        expected.sum().backward()
        assert tensor.grad is not None
        np.testing.assert_allclose(x.grad.asnumpy(), tensor.grad, rtol=1e-6)
    else:
        found = function(x)
        assert not found._t.requires_grad
    assert type(found) is nd.NDArray
    np.testing.assert_allclose(found.asnumpy(), expected.detach(), rtol=1e-6)
    found[:] = 7  # memory of its own
    assert x.asnumpy().max() == 3


def test_several_results() -> None:
    values, places = torch_of_arrays.max(_array(), dim=1)
    assert values.asnumpy().tolist() == [1, 3]
    assert places.dtype == np.int64
    assert [part.shape for part in torch_of_arrays.split(_array(), 1)] == [(1, 2), (1, 2)]


def test_what_is_no_array_stays() -> None:
    assert torch.allclose(_array(), _array()) is True
    assert torch.numel(_array()) == 4


def test_writing_gives_the_array_itself() -> None:
    x = _array()
    assert torch_of_arrays.relu_(x) is x
    assert x.asnumpy().min() == 0


def test_writing_to_what_is_recorded_is_refused() -> None:
    x = _array()
    x.attach_grad()
    with autograd.record():
        y = x * 2
        with pytest.raises(mx.MXNetError, match=r"torch\.relu_.*cannot write to an array that is part of a recorded"):
            torch.relu_(y)


def test_arrays_of_numpy_semantics() -> None:
    x: Any = mx.np.ones((2,))
    assert type(torch_of_arrays.relu(x)) is mx.np.ndarray


def test_sparse_arrays_are_refused() -> None:
    with pytest.raises(TypeError, match=r"tostype\('default'\)"):
        torch.relu(_array().tostype("csr"))


def test_module_of_torch() -> None:
    layer = torch.nn.Linear(2, 1)
    with autograd.record():
        found: Any = layer(_array()).sum()
    found.backward()
    assert layer.weight.grad is not None
    np.testing.assert_allclose(layer.weight.grad, _array().asnumpy().sum(0, keepdims=True), rtol=1e-6)


def test_conversions_share_memory() -> None:
    x = _array()
    for convert in (torch.as_tensor, torch.from_dlpack, torch.asarray):
        convert(x)[0, 0] = 5
        assert x[0, 0].asscalar() == 5
        x[0, 0] = 1
