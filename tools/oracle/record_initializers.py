"""Records how a real MXNet fills arrays.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_initializers`.

Values where nothing is drawn; where numbers are drawn, how they are spread over large arrays.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "initializers" / "initializers.json"

# An expression, the name of the array, its shape, its attributes.
FILLED: list[tuple[str, str, tuple[int, ...], dict[str, str]]] = [
    ("Zero()", "fc_weight", (2, 3), {}),
    ("One()", "fc_weight", (2, 3), {}),
    ("Constant(2.5)", "fc_weight", (2, 3), {}),
    ("Constant([1, 2, 3])", "fc_weight", (2, 3), {}),
    ("Constant(np.arange(6.0).reshape(2, 3))", "fc_weight", (2, 3), {}),
    ("Constant(mx.nd.array([[1], [2]]))", "fc_weight", (2, 3), {}),
    ("Bilinear()", "up_weight", (2, 1, 4, 4), {}),
    ("Bilinear()", "up_weight", (1, 2, 3, 5), {}),
    ("Bilinear()", "up_weight", (1, 1, 2, 1), {}),
    ("LSTMBias()", "lstm_weight", (8,), {}),
    ("LSTMBias(forget_bias=3)", "lstm_i2h_bias", (12,), {"__init__": '["lstmbias", {"forget_bias": 3.0}]'}),
    ("LSTMBias()", "lstm_bias", (8,), {}),
    *(
        ("Constant(7)", name, (3,), {})
        for name in ("bias", "a_bias", "gamma", "b_gamma", "b_beta", "q_min", "q_max", "c_bias_quantize", "weight")
    ),
    ("Xavier()", "some_thing", (3, 2), {"__init__": '["constant", {"value": 4}]'}),
    ("Xavier()", "a_bias", (3,), {"__init__": "ones"}),
    ("FusedRNN(mx.init.One(), 2, 1, 'lstm')", "rnn_weight", (64,), {}),
    ("FusedRNN(mx.init.Constant(3), 2, 2, 'lstm', forget_bias=5.0)", "rnn_weight", (112,), {}),
    ("FusedRNN(mx.init.One(), 2, 2, 'gru', bidirectional=True)", "rnn_weight", (180,), {}),
    ("FusedRNN(mx.init.One(), 3, 1, 'rnn_tanh')", "rnn_weight", (24,), {}),
    ("FusedRNN(mx.init.One(), 3, 2, 'rnn_relu', bidirectional=True)", "rnn_weight", (108,), {}),
    ("Constant(6)", "rnn", (64,), {"__init__": "FusedRNN(None, 2, 1, 'lstm', forget_bias=2.0)"}),
]

# Names that reach an initializer without a description; upsampling and stn_loc have rules of their own.
OLD_NAMES = [
    *("upsampling_weight", "stn_loc_weight", "stn_loc_bias", "a_bias", "a_gamma", "a_beta", "a_weight"),
    *("a_moving_mean", "a_moving_var", "a_moving_inv_var", "a_moving_avg", "a_min", "a_max"),
]

# An expression and the shape of a large array.
DRAWN: list[tuple[str, tuple[int, ...]]] = [
    ("Uniform()", (100, 200)),
    ("Uniform(0.5)", (20000,)),
    ("Normal()", (100, 200)),
    ("Normal(2)", (20000,)),
    ("Xavier()", (50, 400)),
    ("Xavier(factor_type='in')", (50, 400)),
    ("Xavier(factor_type='out', magnitude=2.24)", (50, 400)),
    ("Xavier(rnd_type='gaussian', factor_type='in', magnitude=2)", (50, 400)),
    ("Xavier(magnitude=2)", (40, 20, 5, 5)),
    ("Xavier(factor_type='in')", (40, 20, 5, 5)),
    ("Xavier(rnd_type='gaussian', factor_type='out')", (40, 20, 25)),
    ("MSRAPrelu()", (50, 400)),
    ("MSRAPrelu(factor_type='in', slope=0)", (40, 20, 5, 5)),
    ("Orthogonal()", (100, 200)),
    ("Orthogonal(scale=1, rand_type='normal')", (200, 4, 25)),
]

DUMPED = [
    *("Zero()", "One()", "Constant(1.5)", "Constant(mx.nd.array([1, 2]))", "Constant(np.array([[1, 2]]))"),
    *("Uniform()", "Uniform(scale=1)", "Normal(0.5)", "Orthogonal()", "Xavier()"),
    *("Xavier(factor_type='in', magnitude=2.34)", "MSRAPrelu()", "Bilinear()", "LSTMBias()"),
    "FusedRNN(mx.init.Uniform(0.5), 2, 1, 'lstm')",
    "FusedRNN(None, 2, 1, 'gru', bidirectional=True)",
]

REFUSED = [
    ("Initializer()", "a_weight", (3,), "no rule for weights"),
    ("Zero()", "a_running_mean", (3,), "a name that tells nothing"),
    ("Zero()", "a_moving_var", (3,), "a name that tells nothing"),
    ("Xavier()", "a_weight", (3,), "a vector"),
    ("Xavier(rnd_type='other')", "a_weight", (3, 2), "an unknown distribution"),
    ("Xavier(factor_type='other')", "a_weight", (3, 2), "an unknown fan"),
    ("Mixed(['b'], [mx.init.Zero()])", "a_weight", (3,), "a name that fits nothing"),
]


def make(expression: str) -> Any:
    return eval(f"mx.init.{expression}", {"mx": mx, "np": np})


def described(name: str, attrs: dict[str, str]) -> Any:
    """A description; an initializer that MXNet cannot make from text is given as an object."""
    own = attrs.get("__init__", "")
    return mx.init.InitDesc(name, {"__init__": make(own)} if own.startswith("FusedRNN") else attrs)


def filled(expression: str, name: str, shape: tuple[int, ...], attrs: dict[str, str]) -> list[Any]:
    array = mx.nd.full(shape, -9)
    make(expression)(described(name, attrs), array)
    return array.asnumpy().tolist()


def old(name: str) -> list[Any]:
    array = mx.nd.full((6, 1, 2, 2) if name.startswith("upsampling") else (6,), -9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mx.init.Constant(7)(name, array)
    return array.asnumpy().tolist()


def drawn(expression: str, shape: tuple[int, ...]) -> dict[str, float]:
    mx.random.seed(1)
    array = mx.nd.zeros(shape)
    make(expression)(mx.init.InitDesc("a_weight"), array)
    values = array.asnumpy()
    return {"std": float(values.std()), "largest": float(np.abs(values).max())}


def refusal(expression: str, name: str, shape: tuple[int, ...]) -> str:
    try:
        make(expression)(mx.init.InitDesc(name), mx.nd.zeros(shape))
    except Exception as error:  # the class of any error is what is asked for
        return type(error).__name__
    raise AssertionError(f"MXNet takes {expression} for {name} of shape {shape}")


def main() -> None:
    parts = {
        "filled": [
            {"init": init, "name": name, "shape": shape, "attrs": attrs, "values": filled(init, name, shape, attrs)}
            for init, name, shape, attrs in FILLED
        ],
        "old_names": [{"name": name, "values": old(name)} for name in OLD_NAMES],
        "drawn": [{"init": init, "shape": shape, **drawn(init, shape)} for init, shape in DRAWN],
        "dumped": [{"init": init, "text": make(init).dumps()} for init in DUMPED],
        "refused": [
            {"init": init, "name": name, "shape": shape, "why": why, "error": refusal(init, name, shape)}
            for init, name, shape, why in REFUSED
        ],
    }
    FIXTURE.parent.mkdir(parents=True, exist_ok=True)
    texts = [f'"{part}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]" for part, rows in parts.items()]
    FIXTURE.write_text(f'{{"mxnet": "{mx.__version__}",\n' + ",\n".join(texts) + "}\n", encoding="utf-8")
    print(", ".join(f"{len(rows)} {part}" for part, rows in parts.items()))


if __name__ == "__main__":
    main()
