"""Programs that once gave something else than eager execution does, smallest forms; drawn ones may never hit them."""

from dataclasses import replace

import pytest

from .compare import check
from .modes import BLOCKS, Mode
from .program import Network, Program

_DENSE = Network((("layer0", "nn.Dense(3)"),), ("h0 = self.layer0(x0)",), "h0", 1)
_SUM = Network((("layer0", "nn.Dense(3)"),), ("h0 = x0 * 2 + x1", "h1 = self.layer0(h0)"), "h1", 2)
_LEARN = "for _ in range(6):\n    learn(net, inputs, log)"
_PREDICT = "predict(net, inputs, log)"
_X = "array(numbers({}, (2, 4), 'float32'))"

_ONE = Program(_DENSE, "float32", (_X.format(1),), ("write",), ())
_TWO = Program(_SUM, "float32", (_X.format(1), _X.format(2)), ("write", "write"), ())


def _convolution(*lines: str, layers: tuple[str, ...]) -> Network:
    made = tuple((f"layer{i}", text) for i, text in enumerate(layers))
    return Network(made, ("h0 = self.layer0(x0)", *lines), f"h{len(lines)}", 1)


_NAN = "array(numbers(1, (2, 3, 6, 6), 'float32', [np.nan]))"
_RELU = _convolution(layers=("nn.Conv2D(8, 3, padding=1, activation='relu')",))
_FOLDED = _convolution(
    *("h1 = self.layer1(h0)", "h2 = F.relu(h1)"), layers=("nn.Conv2D(8, 3, padding=1)", "nn.BatchNorm()")
)

PROGRAMS = {
    "one array as both inputs, then two": replace(
        _TWO,
        steps=(
            "before, inputs = inputs, [inputs[0], inputs[0]]",
            _LEARN,
            "inputs = before",
            _LEARN,
        ),
    ),
    "two arrays, then one as both inputs": replace(_TWO, steps=(_LEARN, "inputs = [inputs[0], inputs[0]]", _LEARN)),
    "views that overlap": replace(
        _TWO,
        steps=(
            _LEARN,
            f"base = {_X.format(3).replace('(2, 4)', '(3, 4)')}",
            "inputs = attached([base[:2], base[1:]], ['write', 'write'])",
            _LEARN,
        ),
    ),
    "a parameter as an input, then other data": replace(
        _TWO,
        inputs=("array(numbers(1, (3, 4), 'float32'))", "array(numbers(2, (3, 4), 'float32'))"),
        steps=(
            "before, inputs = inputs, [inputs[0], parameters(net)['net_dense0_weight'].data()]",
            _LEARN,
            "inputs = before",
            _LEARN,
        ),
    ),
    "data in Fortran's order": replace(
        _ONE, steps=(_LEARN, "inputs = attached([transposed(numbers(5, (2, 4)))], ['write'])", _LEARN, _PREDICT)
    ),
    "data with gaps": replace(
        _ONE, steps=(_LEARN, "inputs = attached([strided(numbers(5, (2, 4)))], ['write'])", _LEARN, _PREDICT)
    ),
    "a parameter written through NumPy": replace(
        _ONE, steps=(_PREDICT, _PREDICT, "write_numpy(chosen(net, 1))", _PREDICT)
    ),
    "a filter written through NumPy": replace(
        _ONE,
        network=_RELU,
        inputs=("array(numbers(1, (2, 3, 6, 6), 'float32'))",),
        steps=(_PREDICT, _PREDICT, "write_numpy(chosen(net, 1))", _PREDICT),
    ),
    "a filter written through DLPack": replace(
        _ONE,
        network=_RELU,
        inputs=("array(numbers(1, (2, 3, 6, 6), 'float32'))",),
        steps=(_PREDICT, _PREDICT, "write_dlpack(chosen(net, 1))", _PREDICT),
    ),
    "nan through convolution and relu": replace(
        _ONE, network=_RELU, inputs=(_NAN,), steps=(_PREDICT, _PREDICT, _LEARN)
    ),
    "nan through folded normalization": replace(
        _ONE, network=_FOLDED, inputs=(_NAN,), steps=(_PREDICT, _PREDICT, _LEARN)
    ),
    "max-pooling with windows outside, behind relu": replace(
        _ONE,
        network=Network(
            (("layer0", "nn.MaxPool2D(1, 2, ceil_mode=True)"),),
            ("h0 = F.relu(x0)", "h1 = self.layer0(h0)"),
            *("h1", 1),
        ),
        inputs=("array(numbers(1, (2, 3, 6, 6), 'float32'))",),
        steps=(_PREDICT, _LEARN),
    ),
    "a value of parameters alone, written over": replace(
        _ONE,
        network=Network((("layer0", "Scale((1, 4))"),), ("h0 = self.layer0(F.ones((1, 4)))", "h1 = h0 + x0"), "h1", 1),
        inputs=("array(numbers(1, (1, 4), 'float32'))",),
        steps=(_PREDICT,) * 3,
    ),
    "data written between forward and backward": replace(
        _ONE,
        steps=("def write():\n    inputs[0][:] = 2", "for _ in range(6):\n    learn(net, inputs, log, between=write)"),
    ),
}


@pytest.mark.parametrize("mode", BLOCKS, ids=lambda mode: mode.name)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.sample(one_in=4)
def test_gives_the_same_as_eager_execution(name: str, mode: Mode) -> None:
    check(PROGRAMS[name], mode, {})
