"""Operators of mx.np in graphs: what symbols tell without data beyond the fixtures, and what `backward` reaches."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpTypeError
from tests.ops.base import check_bad_input, numpy_semantics

_sym = mx.sym._internal
_np, _npi = mx.nd.numpy._op, mx.nd.numpy._internal


def _types(symbol: Any, **known: str) -> tuple[list[str], list[str]]:
    arguments, results, _ = symbol.infer_type(**known)
    return [np.dtype(each).name for each in arguments], [np.dtype(each).name for each in results]


@pytest.mark.parametrize(
    ("operator", "known", "arguments", "result"),
    [
        ("_npi_multiply", {"x": "float32"}, ["float32", "float32"], "float32"),
        ("_npi_multiply", {"y": "float64"}, ["float64", "float64"], "float64"),
        ("_npi_multiply", {"x": "bool"}, ["bool", "bool"], "bool"),
        ("_npi_greater", {"y": "float64"}, ["float64", "float64"], "bool"),
    ],
)
def test_dtypes_follow_from_one_operand(operator: str, known: dict, arguments: list, result: str) -> None:
    """As the real MXNet tells them."""
    symbol = getattr(_sym, operator)(mx.sym.var("x"), mx.sym.var("y"))
    assert _types(symbol, **known) == (arguments, [result])


def test_comparisons_refuse_two_dtypes() -> None:
    symbol = _sym._npi_add(_sym._npi_greater(mx.sym.var("x"), mx.sym.var("y")), mx.sym.var("z"))
    assert _types(symbol, x="float32", y="float32", z="float64")[1] == ["float64"]
    eager = (mx.nd.ones(2).as_np_ndarray(), mx.nd.ones(2, dtype="float64").as_np_ndarray())
    check_bad_input(lambda: _npi.greater(*eager), "expected inputs of one dtype", OpTypeError)


def test_scalars_change_dtypes_in_legacy_operators_too() -> None:
    x = mx.sym.var("x")
    assert _types(_sym._plus_scalar(x, scalar=2.5, is_int=False), x="int32")[1] == ["float64"]
    assert _types(_sym._plus_scalar(x, scalar=2), x="bool")[1] == ["int64"]
    assert _types(_sym._plus_scalar(x, scalar=2) + mx.sym.var("y"), y="float16")[0] == ["float16", "float16"]


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "lcm"])
def test_shapes_without_dtypes(name: str) -> None:
    """Where no dtype is given, the shapes follow all the same, although float32 would be refused."""
    symbol = getattr(_sym, f"_npi_{name}")(_sym._np_transpose(mx.sym.var("x")), mx.sym.var("y"))
    with numpy_semantics(True):
        assert symbol.infer_shape(x=(3, 2), y=(3,))[1] == [(2, 3)]


def test_dtypes_of_random_numbers() -> None:
    assert _types(_sym._npi_normal(loc=0, scale=1, size=(2,)))[1] == ["float32"]
    assert _types(_sym._npi_uniform(mx.sym.var("x"), low=None, high=1, dtype="float64"), x="float32")[1] == ["float64"]
    assert _types(_sym._npi_choice(a=4, size=(2,)))[1] == ["int64"]
    assert _types(_sym._npi_gumbel(loc=0, scale=1, size=(2,)))[1] == ["float32"]


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_outputs_as_inputs(count: int) -> None:
    symbol = _sym._np_atleast_2d(*[mx.sym.var(f"x{i}") for i in range(count)])
    assert len(symbol.list_outputs()) == count
    again = mx.sym.load_json(symbol.tojson())
    assert len(again.list_outputs()) == count
    with numpy_semantics(True):
        assert again.infer_shape(**{f"x{i}": (2,) * i for i in range(count)})[1] == [(1, 1), (1, 2), (2, 2)][:count]
    check_bad_input(
        lambda: _sym._np_atleast_2d(mx.sym.var("x"), num_args=2), "num_args=2, but received 1", OpParamError
    )


@pytest.mark.parametrize("active", [False, True])
def test_shape_of_one_determinant(active: bool) -> None:
    expected = () if active else (1,)
    with numpy_semantics(active):
        legacy = mx.nd.array([[2.0, 0.0], [0.0, 3.0]])
        for matrix, space in ((legacy, mx.nd.linalg), (legacy.as_np_ndarray(), _npi)):
            sign, logarithm = space.slogdet(matrix)
            assert space.det(matrix).shape == sign.shape == logarithm.shape == expected
        assert _sym._npi_det(mx.sym.var("x")).infer_shape(x=(2, 2))[1] == [expected]
        assert mx.nd.linalg.sumlogdiag(legacy).shape == (1,)


_REACHED: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda x, y: _npi.multiply(_npi.greater_scalar(x, scalar=0), y),
    "choice": lambda x, y: _npi.where(_npi.greater_scalar(x, scalar=0), y, y),
    "negation": lambda x, y: _npi.multiply(_npi.logical_not(_npi.greater_scalar(x, scalar=0)), y),
    "cast": lambda x, y: _npi.add(_npi.cast(_npi.greater_scalar(x, scalar=0), dtype="float32"), y),
    "count": lambda x, y: _npi.add(_np.sum(_npi.greater_scalar(x, scalar=0)), y),
    "mean": lambda x, y: _npi.add(_npi.mean(_npi.isnan(x)), y),
    "any": lambda x, y: _npi.multiply(_np.any(_npi.less_scalar(x, scalar=0)), y),
    "scaled": lambda x, y: _npi.add(_npi.multiply_scalar(_npi.greater_scalar(x, scalar=0), scalar=2), y),
    "position": lambda x, y: _npi.multiply(_npi.argmax(x), y),
    "bits": lambda x, y: _npi.multiply(
        _npi.bitwise_and(_npi.greater_scalar(x, scalar=0), _npi.isfinite(_npi.exp(x))), y
    ),
    "quotient": lambda x, y: _npi.true_divide(_npi.greater_scalar(x, scalar=0), y),
    "nothing else": lambda x, y: _npi.greater_scalar(x, scalar=0),
    "nothing but numbers": lambda x, y: _npi.add_scalar(_npi.greater_scalar(x, scalar=0), scalar=1.5, is_int=False),
}


@pytest.mark.parametrize("name", _REACHED)
def test_zeros_arrive_through_bools_and_integers(name: str) -> None:
    x, y = (mx.nd.array(values).as_np_ndarray() for values in ([1.0, -2.0, 3.0], [1.0, 2.0, 3.0]))
    x.attach_grad()
    y.attach_grad()
    x.grad[:] = 7  # must not stay
    with mx.autograd.record():
        result = _REACHED[name](x, y)
    result.backward()
    assert x.grad.asnumpy().tolist() == [0, 0, 0]


def test_bools_of_a_used_up_graph_are_constants() -> None:
    x, y = (mx.nd.array(values).as_np_ndarray() for values in ([1.0, -2.0], [1.0, 2.0]))
    x.attach_grad()
    y.attach_grad()
    with mx.autograd.record():
        mask = _npi.greater_scalar(_npi.exp(x), scalar=1)
        loss = _npi.multiply(mask, y)
    loss.backward()
    x.grad[:] = 7
    with mx.autograd.record():
        loss = _npi.multiply(mask, y)
    loss.backward()
    assert y.grad.asnumpy().tolist() == [1, 0]
    assert x.grad.asnumpy().tolist() == [7, 7]


def test_zeros_arrive_through_bools_of_a_graph() -> None:
    x, y = mx.sym.var("x"), mx.sym.var("y")
    symbol = _sym._npi_multiply(_sym._npi_greater_scalar(x, scalar=0), y)
    arrays = {"x": mx.nd.array([1.0, -2.0]), "y": mx.nd.array([1.0, 2.0])}
    grads = {name: mx.nd.array([7.0, 7.0]) for name in arrays}
    executor = symbol.bind(mx.cpu(), arrays, grads)
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones(2))
    assert grads["x"].asnumpy().tolist() == [0, 0]
    assert grads["y"].asnumpy().tolist() == [1, 0]


@pytest.mark.parametrize("name", ["_npi_unique", "_npx_nonzero"])
def test_lengths_that_only_the_data_tell_stay_unknown(name: str) -> None:
    symbol = getattr(_sym, name)(mx.sym.var("x"))
    with numpy_semantics(True):
        assert symbol.infer_shape(x=(4, 2)) == (None, None, None)
        assert symbol.infer_shape_partial(x=(4, 2))[0] == [(4, 2)]
