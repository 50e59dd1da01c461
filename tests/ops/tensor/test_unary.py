"""Element by element, beyond the recorded cases: mixed precision, lists of arrays, error texts, second derivatives."""

import numpy as np
import pytest

import mxnet as mx
from tests.ops.base import check_bad_input


@pytest.mark.parametrize(("narrow", "expected"), [(False, "float32"), (True, "float16")])
def test_amp_multicast(narrow: bool, expected: str) -> None:
    """Recorded for float32 only: MXNet's CPU build cannot mix the precisions it is made for."""
    arrays = [mx.nd.ones((2, 3), dtype=kind) for kind in ("float16", "float32", "int32", "float16")]
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record():
        results = mx.nd.amp_multicast(*arrays, num_outputs=4, cast_narrow=narrow)
    assert [np.dtype(result.dtype).name for result in results] == [expected, expected, "int32", expected]
    results[0].backward()
    assert arrays[0].grad.dtype == np.float16
    assert arrays[0].grad.asnumpy().tolist() == [[1.0] * 3] * 2


def test_amp_multicast_of_one_array() -> None:
    assert mx.nd.amp_multicast(mx.nd.ones(2, dtype="float16"), num_outputs=1).dtype == np.float16


@pytest.mark.parametrize(("given", "expected"), [("float32", "bfloat16"), ("int32", "int32"), ("bool", "bool")])
def test_amp_cast_converts_floats_only(given: str, expected: str) -> None:
    result = mx.nd.amp_cast(mx.nd.ones(2, dtype=given), dtype="bfloat16")
    assert str(np.dtype(result.dtype).name if expected != "bfloat16" else result.dtype) == expected


def test_results_are_copies() -> None:
    x = mx.nd.ones(3)
    copies = [
        mx.nd.identity(x),
        mx.nd.stop_gradient(x),
        mx.nd.make_loss(x),
        mx.nd.add_n(x),
        mx.nd.cast(x, dtype="float32"),
    ]
    copies += [mx.nd.round(x), mx.nd.trunc(x)]
    x[:] = 5
    assert all(copy.asnumpy().tolist() == [1.0] * 3 for copy in copies)


@pytest.mark.parametrize("name", ["ceil", "floor", "trunc", "fix", "round", "rint", "abs"])
def test_rounded_integers_are_copies(name: str) -> None:
    x = mx.nd.ones(3, dtype="int32")
    copy = getattr(mx.nd, name)(x)
    x[:] = 5
    assert copy.asnumpy().tolist() == [1, 1, 1]


def test_reset_arrays() -> None:
    x, y = mx.nd.ones((2, 3)), mx.nd.ones((2, 3))
    assert mx.nd.reset_arrays(x[0], y, num_arrays=2) == []
    assert x.asnumpy().tolist() == [[0.0] * 3, [1.0] * 3]
    assert not y.asnumpy().any()


def test_sparse_regularizer() -> None:
    """Formulas checked against MXNet's symbol, the only place where it can be called."""
    values = np.random.RandomState(0).uniform(0.1, 0.9, (4, 3)).astype("float32")
    average = np.array([0.3, 0.4, 0.5], "float32")
    x, state = mx.nd.array(values), mx.nd.array(average)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.IdentityAttachKLSparseReg(x, state, penalty=0.1)
    y.backward()
    moved = 0.9 * average + 0.1 * values.mean(0)
    np.testing.assert_array_equal(y.asnumpy(), values)
    np.testing.assert_allclose(state.asnumpy(), moved, rtol=1e-5)
    pull = 1 + 0.1 * (0.9 / (1 - moved) - 0.1 / moved)
    np.testing.assert_allclose(x.grad.asnumpy(), np.broadcast_to(pull, (4, 3)), rtol=1e-5)


def test_sparse_regularizer_rests_in_prediction() -> None:
    state = mx.nd.array([0.5, 0.5])
    assert mx.nd.IdentityAttachKLSparseReg(mx.nd.ones((3, 2)), state).asnumpy().tolist() == [[1.0, 1.0]] * 3
    assert state.asnumpy().tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("cbrt", lambda x: -2 / 9 * np.abs(x) ** (-5 / 3)),
        ("square", lambda x: 2 + 0 * x),
        ("exp", np.exp),
        ("sigmoid", lambda x: np.exp(-x) * (np.exp(-x) - 1) / (1 + np.exp(-x)) ** 3),
        ("log", lambda x: -1 / x**2),
        ("hard_sigmoid", lambda x: 0 * x),
    ],
)
def test_second_derivative(name: str, second: object) -> None:
    values = np.array([0.5, 1.5, 2.0], "float32")
    x = mx.nd.array(values)
    x.attach_grad()
    with mx.autograd.record():
        (first,) = mx.autograd.grad(getattr(mx.nd, name)(x), [x], create_graph=True)
        total = first + 0 * x  # a constant derivative has no graph of its own
    total.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), second(values), rtol=1e-4)


@pytest.mark.parametrize(
    ("kind", "limits", "passes"),
    [
        ("float32", (-1, 2), [0, 1, 1, 1, 1, 0]),
        ("float16", (0.1, 1.7), [0, 0, 1, 1, 0, 0]),
        ("float64", (2, -1), [0, 0, 1, 0, 0, 0]),
        ("float32", (-np.inf, 1), [1, 1, 1, 1, 0, 0]),
        ("int32", (-1, 2), [0, 1, 1, 1, 1, 0]),
    ],
)
def test_clip_passes_the_gradient_of_what_it_keeps(kind: str, limits: tuple[float, float], passes: list[int]) -> None:
    """NaN and both ends included; MXNet 1.9.1 gives the same."""
    x = mx.nd.array([-3, -1, 0 if kind == "int32" else np.nan, 1, 2, 5], dtype=kind)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.clip(x, *limits)
    y.backward(mx.nd.full(6, 3, dtype=kind))
    assert x.grad.dtype == np.dtype(kind)
    assert (x.grad.asnumpy() / 3).tolist() == passes


def test_bad_input() -> None:
    flags, whole = mx.nd.ones(2, dtype="bool"), mx.nd.ones(2, dtype="int32")
    check_bad_input(lambda: mx.nd.sqrt(flags), r"\[sqrt\] received data bool\(2,\): expected numbers, got a bool array")
    check_bad_input(lambda: mx.nd.hard_sigmoid(whole), r"expected a floating-point array; convert it with astype")
    check_bad_input(lambda: mx.nd.add_n(mx.nd.ones(2), mx.nd.ones(3)), r"\(2,\) for args\[0\] and \(3,\) for args\[1\]")
    check_bad_input(lambda: mx.nd.add_n(mx.nd.ones(2), whole), r"data\[0\] float32, data\[1\] int32")
    check_bad_input(
        lambda: mx.nd.multi_sum_sq(mx.nd.ones(2), num_arrays=2), r"num_arrays=2, but 1 array\(s\) were given"
    )
    check_bad_input(lambda: mx.nd.clip(mx.nd.ones(2), a_min=0), "parameter a_max is required")
    regularizer = mx.nd.IdentityAttachKLSparseReg
    check_bad_input(lambda: regularizer(mx.nd.ones((2, 3)), mx.nd.ones(2)), r"moving_avg of shape \(3,\), got \(2,\)")
    check_bad_input(lambda: regularizer(mx.nd.ones(3), mx.nd.ones(3)), r"data of shape \(batch, units\), got \(3,\)")
