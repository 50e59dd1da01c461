"""Activation and LeakyReLU. In training `rrelu` is random (and ends the process of MXNet 1.9.1): not for fixtures."""

from ..case import array, case, integers, normal, uniform

_SPECIAL = [[-2000.0, -90.0, -30.0, -1.0, 0.0, 0.5], [1.0, 19.0, 21.0, 30.0, 90.0, 2000.0]]
# MXNet computes these in float32 whatever the dtype.
_SINGLE = (1e-5, 1e-6)

CASES = [
    *(case("Activation", array(_SPECIAL), act_type=kind) for kind in ("sigmoid", "softrelu", "softsign", "tanh")),
    case("Activation", array(_SPECIAL), act_type="relu"),
    case("Activation", normal(2, 3, 4, dtype="float64", avoid=(0.0,)), act_type="relu"),
    case("Activation", normal(2, 3, 4, scale=3, dtype="float64"), act_type="sigmoid"),
    case("Activation", normal(2, 3, 4, scale=3, dtype="float64"), act_type="softrelu"),
    case("Activation", normal(2, 3, 4, scale=3, dtype="float64"), act_type="softsign"),
    case("Activation", normal(2, 3, 4, scale=3, dtype="float64"), act_type="tanh"),
    case("Activation", normal(5, dtype="float16", avoid=(0.0,)), act_type="relu"),
    case("Activation", normal(5, scale=3, dtype="float16"), act_type="softrelu"),
    case("Activation", normal(2, 3), act_type="softsign", train=True),
    case("Activation", integers(2, 3), act_type="relu", error=True),
    case("Activation", uniform(2, 3), act_type="swish", error=True),
    case("Activation", uniform(2, 3), error=True),
    case("LeakyReLU", array(_SPECIAL)),
    case("LeakyReLU", array(_SPECIAL), act_type="leaky", slope=0.1),
    case("LeakyReLU", normal(2, 3, dtype="float64"), act_type="leaky", slope=0.5, tolerance=_SINGLE),
    case("LeakyReLU", normal(2, 3), act_type="leaky", slope=-0.5),
    case("LeakyReLU", array(_SPECIAL), act_type="elu", slope=0.7),
    case("LeakyReLU", normal(2, 3, dtype="float64"), act_type="elu", slope=1.5),
    case("LeakyReLU", array(_SPECIAL), act_type="selu"),
    case("LeakyReLU", normal(2, 3, dtype="float64"), act_type="selu", tolerance=_SINGLE),
    case("LeakyReLU", normal(2, 3, dtype="float16"), act_type="selu"),
    case("LeakyReLU", normal(2, 3, 4, scale=2), act_type="gelu", tolerance=(1e-5, 2e-6)),
    case("LeakyReLU", normal(2, 3, dtype="float64"), act_type="gelu", tolerance=_SINGLE),
    case("LeakyReLU", normal(2, 3), uniform(3), act_type="prelu"),
    case("LeakyReLU", normal(2, 3, 4), uniform(3), act_type="prelu"),
    case("LeakyReLU", normal(3, 3, 2, 2), uniform(3), act_type="prelu"),
    case("LeakyReLU", normal(2, 3, 4), uniform(1), act_type="prelu"),
    case("LeakyReLU", normal(2, 3, 4), uniform(2), act_type="prelu"),
    case("LeakyReLU", normal(2, 3, 4), uniform(1, 3), act_type="prelu"),
    case("LeakyReLU", normal(2, 3, 4), uniform(2, 3), act_type="prelu"),
    case("LeakyReLU", normal(2, 3, 4), uniform(2, 1), act_type="prelu"),
    case("LeakyReLU", normal(4), uniform(4), act_type="prelu"),
    case(
        "LeakyReLU",
        normal(2, 3, dtype="float64"),
        gamma=uniform(3, dtype="float64"),
        act_type="prelu",
        tolerance=_SINGLE,
    ),
    case("LeakyReLU", normal(2, 3, dtype="float16"), uniform(3, dtype="float16"), act_type="prelu"),
    case("LeakyReLU", array([[0.0, -1.0, 2.0]]), uniform(3), act_type="prelu"),
    case("LeakyReLU", uniform(2, 3), uniform(4), act_type="prelu", error=True),
    case("LeakyReLU", uniform(2, 3, 2), uniform(1, 3, 1), act_type="prelu", error=True),
    case("LeakyReLU", uniform(2, 3), act_type="prelu", error=True),
    case("LeakyReLU", uniform(2, 3), uniform(3), act_type="elu", error=True),
    case("LeakyReLU", uniform(2, 3), uniform(3, dtype="float64"), act_type="prelu", error=True),
    case("LeakyReLU", integers(2, 3), error=True),
]
