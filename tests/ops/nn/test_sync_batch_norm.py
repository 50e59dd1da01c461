"""The operator under SyncBatchNorm; tests/gluon/contrib/test_sync_batch_norm.py has the layer, ranks and gradients."""

import threading
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd
from mxnet.error import OpShapeError, OpTypeError

PARTS = [np.array([[1.0, 4.0], [3.0, 8.0]]), np.array([[5.0, 6.0]])]
WHOLE = np.concatenate(PARTS)


def _call(number: int, data: np.ndarray, states: Any = None, **params: Any) -> Any:
    context = mx.cpu(number)
    kind = "float32" if data.dtype == np.float16 else data.dtype
    vectors = states or [mx.nd.array(each, ctx=context, dtype=kind) for each in ([2, 3], [0, 1], [0, 0], [1, 1])]
    x = mx.nd.array(data, ctx=context, dtype=data.dtype)
    x.attach_grad()
    with autograd.record():
        found = mx.nd.contrib.SyncBatchNorm(x, *vectors, eps=1e-5, fix_gamma=False, ndev=2, key="op", **params)
    return found, x, vectors


def _in_two_threads(parts: list[np.ndarray], **params: Any) -> list[Any]:
    found: list[Any] = [None] * 2

    def call(number: int) -> None:
        try:
            found[number] = _call(number, parts[number], **params)
        except Exception as error:
            found[number] = error

    threads = [threading.Thread(target=call, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-6), ("float16", 1e-2)])
def test_results_statistics_and_averages(dtype: str, tolerance: float) -> None:
    found = _in_two_threads([part.astype(dtype) for part in PARTS], output_mean_var=True)
    mean, var = WHOLE.mean(0), WHOLE.var(0)
    expected = (WHOLE - mean) / np.sqrt(var + 1e-5) * [2, 3] + [0, 1]
    results = [outputs[0] for outputs, _, _ in found]
    assert {str(np.dtype(result.dtype)) for result in results} == {dtype}
    np.testing.assert_allclose(np.concatenate([each.asnumpy() for each in results]), expected, tolerance, tolerance)
    for (_, own_mean, own_var), _, (_, _, moving_mean, moving_var) in found:
        np.testing.assert_allclose(own_mean.asnumpy(), mean, tolerance)
        np.testing.assert_allclose(own_var.asnumpy(), var, tolerance)  # the variance itself, of the population
        np.testing.assert_allclose(moving_mean.asnumpy(), 0.1 * mean, 1e-6)
        np.testing.assert_allclose(moving_var.asnumpy(), 0.9 + 0.1 * var, 1e-6)
    autograd.backward(results, [mx.nd.ones(part.shape, dtype=dtype, ctx=mx.cpu(n)) for n, part in enumerate(PARTS)])
    for _, x, _ in found:  # a constant added to all outputs changes no sum of normalized values
        np.testing.assert_allclose(x.grad.asnumpy(), 0, atol=tolerance)


def test_gradients_by_differences() -> None:
    weight = np.array([[0.3, -1.0], [2.0, 0.7], [-0.4, 1.1]])

    def total(whole: np.ndarray) -> float:
        normal = (whole - whole.mean(0)) / np.sqrt(whole.var(0) + 1e-5)
        return float(((normal * [2, 3] + [0, 1]) * weight).sum())

    found = _in_two_threads(PARTS)
    autograd.backward(
        [each[0] for each in found],
        [mx.nd.array(weight[:2], dtype="float64"), mx.nd.array(weight[2:], dtype="float64", ctx=mx.cpu(1))],
    )
    expected = np.empty_like(WHOLE)
    for place in np.ndindex(WHOLE.shape):
        step = np.zeros_like(WHOLE)
        step[place] = 1e-5
        expected[place] = (total(WHOLE + step) - total(WHOLE - step)) / 2e-5
    np.testing.assert_allclose(np.concatenate([each[1].grad.asnumpy() for each in found]), expected, 1e-6, 1e-8)


def test_an_empty_whole_moves_no_average() -> None:
    found = _in_two_threads([np.zeros((0, 2))] * 2)
    for result, _, (_, _, moving_mean, moving_var) in found:
        assert result.shape == (0, 2)
        assert (moving_mean.asnumpy().tolist(), moving_var.asnumpy().tolist()) == ([0, 0], [1, 1])


def test_moving_averages_that_are_given_need_nobody() -> None:
    found: list[Any] = []
    states = [mx.nd.array(each, dtype="float64") for each in ([1, 1], [0, 0], [1, 2], [4, 9])]
    thread = threading.Thread(target=lambda: found.append(_call(0, PARTS[0], states, use_global_stats=True)[0]))
    thread.start()
    thread.join()
    np.testing.assert_allclose(found[0].asnumpy(), (PARTS[0] - [1, 2]) / np.sqrt([4 + 1e-5, 9 + 1e-5]))


def test_what_does_not_fit_is_refused_before_anybody_waits() -> None:
    states = [mx.nd.array(each, dtype="float64") for each in ([1, 1, 1], [0, 0], [0, 0], [1, 1])]
    found: list[Any] = []

    def call(states: Any) -> None:
        try:
            _call(0, PARTS[0], states)
        except Exception as error:
            found.append(error)

    for wrong in (states, [mx.nd.ones(2), *states[1:]]):
        thread = threading.Thread(target=call, args=(wrong,))
        thread.start()
        thread.join(30)
    assert [type(error) for error in found] == [OpShapeError, OpTypeError]
    assert "gamma" in str(found[0])
    assert "expected gamma of float64, got float32" in str(found[1])


def test_the_graph_of_a_file_keeps_its_parameters() -> None:
    symbol = mx.sym.contrib.SyncBatchNorm(mx.sym.var("x"), ndev=4, key="k", name="norm")
    assert symbol.attr_dict()["norm"] == {"ndev": "4", "key": "k"}
    assert symbol.list_auxiliary_states() == ["norm_moving_mean", "norm_moving_var"]
    shapes = symbol.infer_shape(x=(2, 3, 4))
    assert shapes[1] == [(2, 3, 4)]
