"""mx.np: functions of one array, element by element, over their whole range and in every dtype."""

from ..case import array, case, ones, uniform, zeros

_INF, _NAN = float("inf"), float("nan")
_SPECIAL = array([0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 30.0, -30.0, _INF, -_INF, _NAN])
_REAL = ("absolute", "cbrt", "exp", "expm1", "sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh")
_REAL += ("degrees", "radians", "negative", "reciprocal", "square")
_UNIT = ("arcsin", "arccos", "arctanh")
_POSITIVE = ("sqrt", "log", "log10", "log1p", "log2")
_STEPS = ("ceil", "floor", "trunc", "fix", "rint", "sign")
_TESTS = ("logical_not", "isfinite", "isinf", "isnan", "isneginf", "isposinf")


def _cases(op: str, low: float, high: float) -> list:
    """Inside the range with gradients, over all numbers without, and integers, which are cut off."""
    return [
        case(op, uniform(2, 3, low=low, high=high)),
        case(op, uniform(2, 1, 3, low=low, high=high, dtype="float64")),
        case(op, uniform(5, low=low, high=high, dtype="float16")),
        case(op, uniform(low=low, high=high)),
        case(op, ones(0, 2)),
        case(op, _SPECIAL, grad=False),
        case(op, array([1, 0, -1, 3], dtype="int32") if low < 0 else array([1, 4], dtype="int32")),
        case(op, array([1, 4, 2], dtype="int64") if high > 1 else array([1, 0], dtype="int64")),
        case(op, array([1, 2], dtype="uint8") if high > 1 else array([1, 0], dtype="uint8")),
        case(op, ones(2, dtype="bool"), error=True),
    ]


def _test_cases(op: str) -> list:
    return [
        case(op, _SPECIAL),
        case(op, array([[0.0, _INF], [-_INF, _NAN]], dtype="float64")),
        case(op, array([0.0, _INF, -_INF, _NAN], dtype="float16")),
        *(case(op, array([0, 1, 3], dtype=dtype)) for dtype in ("int8", "uint8", "int32", "int64", "bool")),
        case(op, array(2.0)),
        case(op, zeros(0, 2)),
    ]


_REST = [
    case("_npi_abs", uniform(2, 3)),
    case("_npi_bitwise_not", array([6, -7, 0], dtype="int32")),
    case("_npi_bitwise_not", array([[6, -7], [0, 100]], dtype="int64")),
    case("_npi_bitwise_not", array([6, 200], dtype="uint8")),
    case("_npi_bitwise_not", array([6, -100], dtype="int8")),
    case("_npi_bitwise_not", array([1, 0], dtype="bool")),
    case("_npi_bitwise_not", zeros(0, 2, dtype="int32")),
    case("_npi_bitwise_not", ones(2), error=True),
    case("_npi_bitwise_not", ones(2, dtype="float16"), error=True),
    case("_npi_around", _SPECIAL),
    case("_npi_around", array([[123.456, 0.05, 0.15], [55, 15, -25]]), decimals=1),
    case("_npi_around", array([123.456, 0.05, 0.15, 55, 15, -25], dtype="float64"), decimals=2),
    case("_npi_around", array([123.456, 55, 15, -25], dtype="float64"), decimals=-1),
    case("_npi_around", array(123.456), decimals=-2),
    case("_npi_around", zeros(0, 2), decimals=1),
    case("_npi_around", array([123, -123, 55, 15], dtype="int32")),
    case("_npi_around", array([123, -123, 55, 15, -25, 45], dtype="int64"), decimals=-1),
    case("_npi_around", array([123, -123, 55, 15], dtype="int8"), decimals=-2),
    case("_npi_around", array([123, 55, 15], dtype="uint8"), decimals=1),
    case("_npi_around", ones(2, dtype="float16"), error=True),
    case("_npi_around", ones(2, dtype="bool"), error=True),
    case("_npi_nan_to_num", _SPECIAL),
    case("_npi_nan_to_num", _SPECIAL, nan=2.5, posinf=1e300, neginf=-7),
    case("_npi_nan_to_num", array([[1.0, _NAN], [_INF, -_INF]], dtype="float64"), copy=False, neginf=-1),
    case("_npi_nan_to_num", array([1.0, _NAN, _INF, -_INF], dtype="float16"), nan=-1),
    case("_npi_nan_to_num", array(_NAN)),
    case("_npi_nan_to_num", zeros(0, 2)),
    case("_npi_nan_to_num", array([1, 2], dtype="int32"), nan=3.5),
    case("_npi_nan_to_num", array([1, 0], dtype="bool")),
    case("_npi_nan_to_num", ones(2), error=True, posinf="x"),
    case("_npx_relu", uniform(2, 3)),
    case("_npx_relu", array([1.0, 0.0, -1.0], dtype="float64")),
    case("_npx_relu", uniform(4, dtype="float16")),
    case("_npx_relu", _SPECIAL, grad=False),
    case("_npx_relu", array([2, 0, -2], dtype="int32")),
    case("_npx_relu", uniform()),
    case("_npx_relu", zeros(0, 2)),
    case("_npx_relu", ones(2, dtype="bool"), error=True),
    case("_npx_sigmoid", uniform(2, 3, low=-4, high=4)),
    case("_npx_sigmoid", uniform(4, dtype="float64")),
    case("_npx_sigmoid", uniform(4, dtype="float16")),
    case("_npx_sigmoid", _SPECIAL, grad=False),
    case("_npx_sigmoid", array([2, 0, -2], dtype="int32")),
    case("_npx_sigmoid", uniform()),
    case("_npx_sigmoid", zeros(0, 2)),
    case("_npx_sigmoid", ones(2, dtype="bool"), error=True),
    *(case("_np_copy", array([0, 1, 3], dtype=dtype)) for dtype in ("float16", "float32", "float64", "int32", "bool")),
    case("_np_copy", uniform(2, 3)),
    case("_np_copy", uniform()),
    case("_np_copy", zeros(0, 2)),
]

CASES = [
    *(each for name in _REAL for each in _cases(f"_npi_{name}", -0.9, 1.4)),
    *(each for name in _UNIT for each in _cases(f"_npi_{name}", -0.9, 0.9)),
    *(each for name in _POSITIVE for each in _cases(f"_npi_{name}", 0.2, 3.0)),
    *_cases("_npi_arccosh", 1.1, 3.0),
    *(each for name in _STEPS for each in _cases(f"_npi_{name}", -3.0, 3.0)),
    *(each for name in _TESTS for each in _test_cases(f"_npi_{name}")),
    *_REST,
]
