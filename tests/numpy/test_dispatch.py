"""One set of functions serves arrays and whatever else composes operators."""

import threading

import pytest

from mxnet import np, npx
from regluon.array.numpy.dispatch import call, making
from regluon.runtime.handle import Composable


class Recorder(Composable):
    """Stands for a symbol: remembers which operator was asked for."""

    def __init__(self, shape=(2, 3), story=None) -> None:
        self.shape, self.story = shape, story

    def _invoke(self, operator, inputs, params, out):
        return Recorder(self.shape, (operator.name, len(inputs), dict(params)))


@pytest.mark.parametrize(
    ("act", "name", "count", "params"),
    [
        (np.sin, "_npi_sin", 1, {}),
        (lambda s: np.add(s, 1), "_npi_add_scalar", 1, {"scalar": 1}),
        (lambda s: np.subtract(1, s), "_npi_rsubtract_scalar", 1, {"scalar": 1}),
        (lambda s: np.multiply(s, s), "_npi_multiply", 2, {}),
        (lambda s: np.multiply(np.ones((3,)), s), "_npi_multiply", 2, {}),
        (lambda s: np.matmul(s, s), "_npi_matmul", 2, {}),
        (lambda s: np.sum(s, axis=1), "_np_sum", 1, {"axis": (1,), "keepdims": False}),
        (lambda s: np.reshape(s, (3, 2)), "_np_reshape", 1, {"newshape": (3, 2)}),
        (lambda s: np.stack([s, s]), "_npi_stack", 2, {"axis": 0}),
        (lambda s: np.where(s, s, 0.5), "_npi_where_rscalar", 2, {"scalar": 0.5}),
        (lambda s: np.random.normal(s, 2), "_npi_normal", 1, {"loc": None, "scale": 2}),
        (npx.relu, "_npx_relu", 1, {}),
    ],
)
def test_symbols_are_composed(act, name, count, params) -> None:
    operator, inputs, given = act(Recorder()).story
    assert (operator, inputs) == (name, count)
    assert params.items() <= given.items()


def test_what_has_no_inputs_asks_the_creator() -> None:
    asked = []
    making.creator = lambda name, params: asked.append((name, params))
    try:
        np.zeros((2, 3))
        np.random.uniform(size=(2,))
        np.arange(3)
        seen_elsewhere = []
        thread = threading.Thread(target=lambda: seen_elsewhere.append(np.ones((1,)).item()))
        thread.start()
        thread.join()
    finally:
        making.creator = None
    assert [name for name, _ in asked] == ["_npi_zeros", "_npi_uniform", "_npi_arange"]
    assert asked[0][1]["shape"] == (2, 3)
    assert seen_elsewhere == [1.0]
    assert np.zeros((2,)).tolist() == [0, 0]


def test_out_is_written() -> None:
    target = np.zeros((2,))
    assert call("_npi_sin", (np.array([0.0, 0.0]),), out=target) is target
