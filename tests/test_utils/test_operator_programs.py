"""The helpers at work, as tests of operators use them: numeric gradients, forward and backward expectations."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.test_utils import (
    check_consistency,
    check_numeric_gradient,
    check_symbolic_backward,
    check_symbolic_forward,
    rand_ndarray,
)

sym = mx.sym
A, B = sym.var("a"), sym.var("b")


def draws(*shapes: tuple[int, ...], low: float = 0.3, high: float = 1.2) -> list[np.ndarray]:
    random = np.random.RandomState(len(shapes) + sum(map(sum, shapes)))
    return [random.uniform(low, high, shape) for shape in shapes]


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# Symbol, shapes of its arguments, and what it computes.
Program = tuple[Any, list[tuple[int, ...]], Callable[..., Any]]
PROGRAMS: dict[str, Program] = {
    "plus": (A + B, [(2, 3), (2, 3)], lambda a, b: a + b),
    "minus": (A - B, [(2, 3), (2, 3)], lambda a, b: a - b),
    "times": (A * B, [(2, 3), (2, 3)], lambda a, b: a * b),
    "divide": (A / B, [(2, 3), (2, 3)], lambda a, b: a / b),
    "power": (A**B, [(2, 2), (2, 2)], lambda a, b: a**b),
    "scalars": (2 * A + 1 / A - 3, [(2, 3)], lambda a: 2 * a + 1 / a - 3),
    "broadcast_add": (sym.broadcast_add(A, B), [(2, 3), (1, 3)], lambda a, b: a + b),
    "broadcast_mul": (sym.broadcast_mul(A, B), [(2, 1), (2, 3)], lambda a, b: a * b),
    "broadcast_div": (sym.broadcast_div(A, B), [(2, 3), (2, 1)], lambda a, b: a / b),
    "broadcast_maximum": (sym.broadcast_maximum(A, B), [(2, 3), (1, 3)], np.maximum),
    "exp": (sym.exp(A), [(2, 3)], np.exp),
    "log": (sym.log(A), [(2, 3)], np.log),
    "sqrt": (sym.sqrt(A), [(2, 3)], np.sqrt),
    "rsqrt": (sym.rsqrt(A), [(2, 3)], lambda a: a**-0.5),
    "square": (sym.square(A), [(2, 3)], np.square),
    "sin": (sym.sin(A), [(2, 3)], np.sin),
    "tanh": (sym.tanh(A), [(2, 3)], np.tanh),
    "sigmoid": (sym.sigmoid(A), [(2, 3)], lambda a: 1 / (1 + np.exp(-a))),
    "softsign": (sym.softsign(A), [(2, 3)], lambda a: a / (1 + abs(a))),
    "abs": (sym.abs(A), [(2, 3)], np.abs),
    "relu": (sym.Activation(A, act_type="relu"), [(2, 3)], lambda a: np.maximum(a, 0)),
    "softrelu": (sym.Activation(A, act_type="softrelu"), [(2, 3)], lambda a: np.log1p(np.exp(a))),
    "leaky": (sym.LeakyReLU(A, act_type="leaky", slope=0.1), [(2, 3)], lambda a: np.where(a > 0, a, 0.1 * a)),
    "sum": (sym.sum(A, axis=1), [(2, 3)], lambda a: a.sum(1)),
    "mean": (sym.mean(A, axis=(0, 2), keepdims=True), [(2, 3, 2)], lambda a: a.mean((0, 2), keepdims=True)),
    "prod": (sym.prod(A, axis=0), [(2, 3)], lambda a: a.prod(0)),
    "norm": (sym.norm(A, axis=1), [(2, 3)], lambda a: np.sqrt(np.square(a).sum(1))),
    "dot": (sym.dot(A, B), [(2, 3), (3, 2)], np.dot),
    "batch_dot": (sym.batch_dot(A, B), [(2, 2, 3), (2, 3, 1)], np.matmul),
    "transpose": (sym.transpose(A, axes=(1, 0, 2)), [(2, 3, 1)], lambda a: a.transpose(1, 0, 2)),
    "reshape": (sym.reshape(A, shape=(3, -1)), [(2, 3)], lambda a: a.reshape(3, 2)),
    "slice": (sym.slice(A, begin=(0, 1), end=(2, 3)), [(2, 4)], lambda a: a[0:2, 1:3]),
    "slice_axis": (sym.slice_axis(A, axis=1, begin=1, end=None), [(2, 3)], lambda a: a[:, 1:]),
    "concat": (sym.concat(A, B, dim=1), [(2, 1), (2, 2)], lambda a, b: np.concatenate([a, b], 1)),
    "stack": (sym.stack(A, B, axis=1), [(2, 2), (2, 2)], lambda a, b: np.stack([a, b], 1)),
    "tile": (sym.tile(A, reps=(2, 2)), [(2, 2)], lambda a: np.tile(a, (2, 2))),
    "flip": (sym.flip(A, axis=1), [(2, 3)], lambda a: a[:, ::-1]),
    "clip": (sym.clip(A, a_min=0.5, a_max=1.0), [(2, 3)], lambda a: np.clip(a, 0.5, 1.0)),
    "softmax": (sym.softmax(A), [(2, 3)], _softmax),
    "log_softmax": (sym.log_softmax(A), [(2, 3)], lambda a: np.log(_softmax(a))),
    "FullyConnected": (
        sym.FullyConnected(A, B, sym.var("c"), num_hidden=2),
        [(3, 4), (2, 4), (2,)],
        lambda a, b, c: a @ b.T + c,
    ),
    "LayerNorm": (
        sym.LayerNorm(A, B, sym.var("c")),
        [(2, 4), (4,), (4,)],
        lambda a, b, c: (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5) * b + c,
    ),
    "average pooling": (
        sym.Pooling(A, kernel=(2, 2), stride=(2, 2), pool_type="avg"),
        [(1, 1, 4, 4)],
        lambda a: a.reshape(1, 1, 2, 2, 2, 2).mean((3, 5)),
    ),
    "pad": (
        sym.pad(A, mode="constant", pad_width=(0, 0, 0, 0, 1, 1, 1, 1)),
        [(1, 1, 2, 2)],
        lambda a: np.pad(a, [(0, 0), (0, 0), (1, 1), (1, 1)]),
    ),
}


def test_there_are_enough():
    assert len(PROGRAMS) >= 40


@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_and_numeric_gradient(name: str):
    symbol, shapes, function = PROGRAMS[name]
    location = draws(*shapes)
    check_symbolic_forward(symbol, location, [function(*location)], rtol=1e-5, atol=1e-6)
    with mx.util.np_shape(False):
        check_numeric_gradient(symbol, location, dtype=np.float64, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["times", "FullyConnected", "softmax", "tanh"])
def test_single_precision(name: str):
    symbol, shapes, _ = PROGRAMS[name]
    check_numeric_gradient(symbol, draws(*shapes), rtol=1e-2, atol=1e-2)


def test_convolution():
    symbol = sym.Convolution(A, kernel=(2, 2), num_filter=2, name="conv")
    check_numeric_gradient(symbol, draws((1, 2, 3, 3), (2, 2, 2, 2), (2,)), dtype=np.float64, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("train", [True, False])
def test_states(train: bool):
    symbol = sym.BatchNorm(A, name="bn", fix_gamma=False)
    location = dict(zip(["a", "bn_gamma", "bn_beta"], draws((4, 2), (2,), (2,))))
    states = {"bn_moving_mean": np.array([0.5, 0.6]), "bn_moving_var": np.array([1.0, 2.0])}
    check_symbolic_forward(
        symbol,
        location,
        [
            (location["a"] - [0.5, 0.6]) / np.sqrt(np.array([1.0, 2.0]) + 1e-3) * location["bn_gamma"]
            + location["bn_beta"]
        ],
        aux_states=states,
    )
    if train:
        check_numeric_gradient(symbol, location, list(states.values()), dtype=np.float64, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("request_kind", ["write", "add", "null", {"a": "add", "b": "write"}, ["null", "add"]])
def test_backward_requests(request_kind: Any):
    a, b, out_grad = draws((2, 3), (2, 3), (2, 3))
    check_symbolic_backward(A * B, [a, b], [out_grad], [out_grad * b, out_grad * a], grad_req=request_kind)


def test_backward_by_name():
    a, b, out_grad = draws((2, 3), (2, 3), (2, 3))
    symbol = sym.elemwise_mul(A, B, name="product")
    starts, expected = {"product_output": out_grad}, {"a": out_grad * b, "b": out_grad * a}
    found = check_symbolic_backward(symbol, {"a": a, "b": b}, starts, expected)
    assert sorted(found) == ["a", "b"]


def test_numeric_gradient_requests():
    check_numeric_gradient(A * B, draws((2,), (2,)), grad_nodes={"a": "add", "b": "null"}, dtype=np.float64, rtol=1e-3)
    check_numeric_gradient(A * B, draws((2,), (2,)), grad_nodes=["b"], dtype=np.float64, rtol=1e-3)


def test_own_dtypes():
    outputs = check_symbolic_forward(
        A + B, [np.array([1, 2], "int32"), np.array([3, 4], "int32")], [[4, 6]], dtype="asnumpy"
    )
    assert outputs[0].dtype == np.int32


def test_custom_operator_against_finite_differences():
    class Cube(mx.operator.CustomOp):
        factor = 3.0

        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] ** 3)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] * self.factor * in_data[0] ** 2)

    @mx.operator.register("cube")
    class CubeProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Cube()

    symbol = sym.Custom(A, op_type="cube")
    check_numeric_gradient(symbol, draws((2, 2)), dtype=np.float64, rtol=1e-3)
    Cube.factor = 2.0
    with pytest.raises(AssertionError, match=r"exceeds tolerance.*\n.*NUMERICAL_a=.*BACKWARD_a="):
        check_numeric_gradient(symbol, draws((2, 2)), dtype=np.float64, rtol=1e-3)


def test_consistency():
    symbol = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    kinds = [np.float64, np.float32]
    bindings = [{"ctx": mx.cpu(i), "data": (2, 4), "type_dict": {"data": kind}} for i, kind in enumerate(kinds)]
    for request in ("write", "add", "null"):
        truth = check_consistency(symbol, bindings, grad_req=request)
    assert list(truth) == ["fc_output"]
    check_consistency([symbol, symbol], bindings, use_uniform=True, scale=0.1)
    with pytest.raises(AssertionError, match="exceeds tolerance"):
        check_consistency(
            symbol, bindings, ground_truth={"fc_output": mx.nd.ones((2, 3)) * 9, "data": None, "fc_weight": None}
        )


def test_consistency_may_only_print(capsys):
    symbol = sym.var("data") * 2
    bindings = [{"ctx": mx.cpu(i), "data": (2,)} for i in range(2)]
    truth = {"data": mx.nd.ones(2) * 2, symbol.list_outputs()[0]: mx.nd.ones(2) * 99}
    check_consistency(symbol, bindings, ground_truth=truth, raise_on_err=False)
    assert "Predict Err: ctx 1 vs ctx 0" in capsys.readouterr().out


def test_random_arrays_of_all_kinds():
    for stype in ("default", "row_sparse", "csr"):
        drawn = rand_ndarray((4, 5), stype, density=0.5)
        assert (drawn.stype, drawn.shape, drawn.dtype) == (stype, (4, 5), np.float32)
