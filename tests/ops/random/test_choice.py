"""Choosing positions and counting outcomes in mx.np: frequencies, shapes, refusals."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from regluon.ops import registry
from regluon.ops.inference import infer
from regluon.ops.random import choice
from tests.ops.base import check_bad_input

COUNT = 20_000
internal = mx.nd.numpy._internal


@pytest.fixture(autouse=True)
def _numpy_shapes():
    mx.random.seed(3)
    with mx.util.np_shape(True), mx.util.np_array(True):
        yield


def _array(values, dtype="float32"):
    return mx.nd.from_torch(torch.from_numpy(np.array(values, dtype))).as_np_ndarray()


def _check_shares(positions, expected):
    shares = np.bincount(positions.reshape(-1), minlength=len(expected)) / positions.size
    np.testing.assert_allclose(shares, expected, atol=0.02)


def test_choice_with_repetition():
    for result in (
        internal.choice(a=5, size=(COUNT,)),
        internal.choice(_array([5, 6, 7, 8, 9]), a=None, size=(COUNT // 2, 2)),
    ):
        assert result.dtype == np.int64
        _check_shares(result.asnumpy(), [0.2] * 5)
    weights = [0.1, 0.2, 0.0, 0.7]
    for dtype in ("float32", "float64", "float16"):
        _check_shares(internal.choice(_array(weights, dtype), a=4, size=(COUNT,), weighted=True).asnumpy(), weights)
    result = internal.choice(_array([[1], [2], [3], [4]]), _array(weights), a=None, size=(COUNT,), weighted=True)
    _check_shares(result.asnumpy(), weights)


def test_choice_without_repetition():
    for _ in range(20):
        plain = internal.choice(a=6, size=(2, 3), replace=False).asnumpy()
        assert sorted(plain.reshape(-1)) == list(range(6))
        weights = _array([0.1, 0.2, 0.7])
        weighted = internal.choice(weights, a=3, size=(3,), replace=False, weighted=True).asnumpy()
        assert sorted(weighted) == [0, 1, 2]
    firsts = np.array(
        [
            internal.choice(_array([0.1, 0.9]), a=2, size=1, replace=False, weighted=True).asnumpy()[0]
            for _ in range(500)
        ]
    )
    assert abs(firsts.mean() - 0.9) < 0.07


def test_choice_of_one():
    for given in ({"size": None}, {"size": ()}):
        result = internal.choice(a=5, **given)
        assert (result.shape, result.dtype) == ((), np.int64)
    assert internal.choice(a=5, size=(0,)).shape == (0,)


def test_multinomial():
    chances = [0.2, 0.5, 0.3]
    for counts in (
        internal.multinomial(n=10, pvals=chances, size=(50, 40)),
        internal.multinomial(_array(chances), n=10, size=(50, 40)),
        internal.multinomial(_array(chances, "float64"), n=10, pvals=None, size=(50, 40)),
    ):
        assert (counts.shape, counts.dtype) == ((50, 40, 3), np.int64)
        assert (counts.asnumpy().sum(-1) == 10).all()
        np.testing.assert_allclose(counts.asnumpy().mean((0, 1)), np.multiply(chances, 10), atol=0.2)
        np.testing.assert_allclose(counts.asnumpy().var((0, 1)), [1.6, 2.5, 2.1], rtol=0.2)


def test_multinomial_gives_the_last_what_is_missing():
    counts = internal.multinomial(n=1000, pvals=(0.1, 0.2, 0.1)).asnumpy()
    assert counts.shape == (3,)
    assert abs(counts[2] - 700) < 90
    assert (internal.multinomial(n=7, pvals=(0.3,), size=2).asnumpy() == [[7], [7]]).all()
    assert not internal.multinomial(n=0, pvals=(0.3, 0.7)).asnumpy().any()
    assert internal.multinomial(n=3, pvals=(0.3, 0.7), size=(0,)).shape == (0, 2)


def test_multinomial_in_parts(monkeypatch):
    monkeypatch.setattr(choice, "_MOST_DRAWS", 100)
    counts = internal.multinomial(n=1001, pvals=(0.5, 0.5), size=(10,)).asnumpy()
    assert (counts.sum(-1) == 1001).all()
    assert abs(counts[:, 0].mean() - 500) < 30


def test_inference():
    choice, multinomial = registry.find("_npi_choice"), registry.find("_npi_multinomial")
    assert infer(choice, [], choice.parse({"a": 5, "size": (2,)})) == [((2,), torch.int64)]
    for replace in (True, False):
        given = choice.parse({"a": 3, "size": (2,), "weighted": True, "replace": replace})
        assert infer(choice, [((3,), torch.float32)], given) == [((2,), torch.int64)]
    given = multinomial.parse({"n": 5, "pvals": (0.1, 0.9), "size": (2,)})
    assert infer(multinomial, [], given) == [((2, 2), torch.int64)]
    assert infer(multinomial, [((3,), torch.float32)], {"n": 5}) == [((3,), torch.int64)]
    assert choice.takes({"a": None, "weighted": True}) == ("input1", "input2")
    assert choice.takes({"a": 3}) == ()
    assert multinomial.takes({}) == ("a",)


def test_refusals():
    half = _array([0.5, 0.5])
    choice, multinomial = internal.choice, internal.multinomial
    check_bad_input(lambda: choice(a=2, size=(3,), replace=False), "3 of 2 positions without repetition", OpParamError)
    check_bad_input(lambda: choice(a=0, size=(3,)), "cannot choose 3 of 0 positions", OpParamError)
    check_bad_input(lambda: choice(half, a=3, size=(3,), weighted=True), "expected 3 weights", OpShapeError)
    check_bad_input(lambda: choice(-half, a=2, size=(3,), weighted=True), "weights of at least 0", OpParamError)
    check_bad_input(lambda: choice(a=2, size=(3,), weighted=True), r"received 0 array.* weighted=True", OpParamError)
    check_bad_input(lambda: choice(_array([1], "int32"), a=1, size=1, weighted=True), "floating-point", OpTypeError)
    check_bad_input(lambda: choice(_array(1.0), a=None, size=1), "array to choose from", OpShapeError)
    check_bad_input(lambda: choice(a=2, size=(-3,)), "lengths of at least 0", OpShapeError)
    check_bad_input(lambda: multinomial(n=3, pvals=(0.9, 0.8)), "whose sum is at most 1", OpParamError)
    check_bad_input(lambda: multinomial(-half, n=3), "of at least 0", OpParamError)
    check_bad_input(lambda: multinomial(n=-1, pvals=(0.5, 0.5)), "n=-1; expected at least 0", OpParamError)
    check_bad_input(lambda: multinomial(n=3), "as an array or as pvals", OpParamError)
    check_bad_input(lambda: multinomial(_array([[0.5, 0.5]]), n=3), "a vector of probabilities", OpShapeError)
