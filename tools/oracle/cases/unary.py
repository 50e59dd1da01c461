"""Functions of one array, element by element: real functions, rounding, limits, conversions; and lists of arrays."""

from ..case import array, case, distinct, full, integers, normal, ones, uniform, zeros

_INF, _NAN = float("inf"), float("nan")
# Operators by the interval in which their values and gradients are tame.
_REAL = {
    (-2.0, 2.0): "cbrt rcbrt exp expm1 sin cos arctan degrees radians sinh cosh tanh arcsinh erf reciprocal sigmoid "
    "softsign",
    (0.2, 3.0): "sqrt rsqrt log log10 log2 log1p gamma gammaln",
    (-0.9, 0.9): "tan arcsin arccos arctanh erfinv",
    (1.2, 4.0): "arccosh",
}
# MXNet computes the gradient of these with single-precision constants.
_SINGLE = ("erf", "erfinv", "gamma", "gammaln")
_ROUNDING = ("round", "rint", "ceil", "floor", "trunc", "fix", "sign")
_ANY = (*_ROUNDING, "abs", "square", "negative", "relu", "logical_not")
_HALVES = [[-2.5, -1.5, -1.0, -0.7, -0.5, -0.3, -0.0], [0.0, 0.3, 0.5, 0.7, 1.0, 1.5, 2.5]]


def _real_cases(op: str, low: float, high: float) -> list:
    return [
        case(op, uniform(2, 3, low=low, high=high, avoid=(0.0,), margin=0.2)),
        case(
            op,
            uniform(2, 1, 3, low=low, high=high, dtype="float64", avoid=(0.0,), margin=0.2),
            tolerance=(1e-6, 1e-7) if op in _SINGLE else None,
        ),
        case(op, uniform(5, low=low, high=high, dtype="float16", avoid=(0.0,), margin=0.2)),
        case(op, ones(2, 2, dtype="bool"), error=True),
    ]


def _number_cases(op: str) -> list:
    return [
        case(op, array(_HALVES)),
        case(op, uniform(2, 3, low=-4, high=4, avoid=(0.0,), dtype="float64")),
        case(op, normal(2, 3, scale=3, avoid=(0.0,), dtype="float16")),
        case(op, integers(2, 3, low=-9)),
        case(op, array([0, 1, 3, 15], dtype="uint8")),
        case(op, integers(4, low=-9, dtype="int64")),
        case(op, ones(2, 2, dtype="bool"), error=True),
    ]


CASES = [
    *(each for (low, high), ops in _REAL.items() for op in ops.split() for each in _real_cases(op, low, high)),
    *(each for op in _ANY for each in _number_cases(op)),
    # Integers are computed as real numbers and cut off.
    *(case(op, array([1, 2, 5, 8, 27, 64, 100], dtype="int32")) for op in ("sqrt", "cbrt", "rsqrt", "rcbrt", "log")),
    *(case(op, array([1, 2, 5, 9, 99], dtype="int64")) for op in ("log10", "log2", "log1p", "arcsinh", "arccosh")),
    *(case(op, array([-3, -1, 0, 1, 2, 4], dtype="int8")) for op in ("exp", "expm1", "sinh", "cosh", "tan", "arctan")),
    *(case(op, array([0, 1, 2, 3, 50], dtype="uint8")) for op in ("sin", "cos", "tanh", "erf", "sigmoid", "softsign")),
    *(case(op, array([1, -2, 60, 400], dtype="int32")) for op in ("degrees", "radians", "reciprocal")),
    case("gamma", array([1, 2, 3, 4, 5, 6, 10], dtype="int32")),
    case("gamma", array([-2.5, -1.5, -0.5, 0.5, 3.5])),
    case("gamma", array([0.0, -0.0, -1.0, -2.0, _INF, _NAN]), grad=False),
    case("gammaln", array([1, 2, 3, 10, 100], dtype="int32")),
    case("gammaln", array([-2.5, -1.5, -0.5, 0.0, -1.0, _INF]), grad=False),
    case("erfinv", array([-1.0, 0.0, 1.0, 2.0, _NAN])),
    case("cbrt", array([-27.0, -8.0, 1e-30, 1e30, 64.0])),
    case("cbrt", array([0.0, -0.0, _INF, -_INF, _NAN])),
    case("rcbrt", array([0.0, _INF, -_INF, _NAN])),
    case("sqrt", array([-1.0, 0.0, _INF, _NAN])),
    case("log", array([-1.0, 0.0, _INF, _NAN]), grad=False),
    case("arccosh", array([-2.5, 0.5, 1.0, _INF])),
    case("abs", array([0.0, -0.0, -3.0, _INF, -_INF])),
    case("sign", array([0.0, -0.0, -3.0, _INF, -_INF, _NAN])),
    case("round", array([0.49999997, -0.49999997, 8388609.0, _INF, _NAN])),
    case("rint", array([0.4999, 8388609.0, -_INF, _NAN])),
    case("relu", array([0.0, -0.0, _INF, -_INF])),
    case("relu", array([_NAN]), grad=False),
    case("logical_not", array([0.0, -0.0, _INF, _NAN])),
    case("sigmoid", array([-100.0, 100.0, _INF, _NAN])),
    case("softsign", array([0.0, -0.0, 1e30])),
    case("hard_sigmoid", uniform(2, 4, low=-4, high=4)),
    case("hard_sigmoid", array([-2.5, -1.0, 0.0, 1.0, 2.5])),
    case("hard_sigmoid", array([-1.0, 0.5, 1.0, _INF, -_INF]), alpha=0.5, beta=0.5),
    case("hard_sigmoid", uniform(3, low=-4, high=4, dtype="float16"), alpha=-0.5, beta=0.25),
    case("hard_sigmoid", uniform(3, low=-4, high=4, dtype="float64"), alpha=0.25),
    case("hard_sigmoid", integers(3), error=True),
    case("clip", array([-2.0, -1.0, -0.5, 0.0, 1.0, 2.0]), a_min=-1, a_max=1),
    case("clip", array([-2.0, -1.0, -0.5, 0.0, 1.0, 2.0]), a_min=1, a_max=-1),
    case("clip", uniform(2, 3, dtype="float64"), a_min=-0.5, a_max=0.25),
    case("clip", uniform(2, 3, dtype="float16"), a_min=-0.5, a_max=0.25),
    case("clip", array([_NAN, _INF, -_INF]), a_min=-1, a_max=1, grad=False),
    case("clip", array([-5, -2, -1, 0, 3, 4, 9], dtype="int32"), a_min=-1.5, a_max=3.7),
    case("clip", array([0, 3, 255], dtype="uint8"), a_min=-1.5, a_max=3.7),
    case("clip", array([0, 3, 255], dtype="uint8"), a_min=1, a_max=300),
    case("clip", uniform(2), a_max=1, error=True),
    case("clip", ones(2, dtype="bool"), a_min=0, a_max=1, error=True),
    case("smooth_l1", uniform(2, 5, low=-3, high=3)),
    case("smooth_l1", array([-2.0, -1.0, -0.5, 0.0, 0.25, 1.0]), scalar=2.0),
    case("smooth_l1", uniform(2, 5, low=-6, high=6, dtype="float64"), scalar=0.5),
    case("smooth_l1", uniform(2, 5, dtype="float16"), scalar=1.5),
    case("smooth_l1", uniform(3), scalar=0.0),
    case("smooth_l1", array([-4, 4, 1, 0], dtype="int32"), scalar=1.5),
    case("smooth_l1", ones(2, dtype="bool"), scalar=1.0, error=True),
    case("Cast", uniform(2, 3), dtype="float64"),
    case("Cast", uniform(2, 3), dtype="float16"),
    case("Cast", uniform(2, 3, dtype="float16"), dtype="float32"),
    case("Cast", uniform(2, 3), dtype="float32"),
    case("Cast", array([1.7, -2.7, 300.2]), dtype="int32"),
    case("Cast", array([1.7, 254.7]), dtype="uint8"),
    case("Cast", array([1.7, -2.7], dtype="float64"), dtype="int8"),
    case("Cast", array([1.7, -0.0, 0.3, _NAN]), dtype="bool"),
    case("Cast", array([300, -1], dtype="int32"), dtype="uint8"),
    case("Cast", array([1, 0], dtype="bool"), dtype="float32"),
    case("Cast", uniform(2), dtype="complex", error=True),
    case("Cast", uniform(2), error=True),
    case("amp_cast", uniform(2, 3), dtype="float16"),
    case("amp_cast", uniform(2, 3), dtype="float32"),
    case("amp_cast", integers(2, 3), dtype="float16"),
    case("amp_cast", uniform(2, 3), error=True),
    case("_copy", uniform(2, 3)),
    case("_copy", integers(2, 3)),
    case("identity", ones(2, dtype="bool")),
    case("BlockGrad", uniform(2, 3)),
    case("BlockGrad", integers(2, 3)),
    case("make_loss", uniform(2, 3)),
    case("make_loss", uniform(4, dtype="float64")),
    case("_identity_with_attr_like_rhs", uniform(2, 3), uniform(2, 3)),
    case("_identity_with_attr_like_rhs", uniform(3, dtype="float64"), uniform(3, dtype="float64")),
    case("_identity_with_attr_like_rhs", uniform(2, 3), uniform(3), error=True),
    case("_identity_with_attr_like_rhs", uniform(3), uniform(3, dtype="float64"), error=True),
    *(
        case(op, descriptor)
        for op in ("zeros_like", "ones_like")
        for descriptor in (uniform(2, 3), uniform(3, dtype="float16"), integers(2, 3), ones(2, dtype="bool"))
    ),
    *(
        case(op, descriptor, grad=False)
        for op in ("shape_array", "size_array")
        for descriptor in (uniform(2, 3, 4), integers(3), ones(2, 1, dtype="bool"))
    ),
    case("add_n", uniform(2, 3), uniform(2, 3), uniform(2, 3)),
    case("add_n", uniform(2, 3, dtype="float64")),
    case("add_n", uniform(2, dtype="float16"), uniform(2, dtype="float16")),
    case("ElementWiseSum", integers(2, 3), integers(2, 3), num_args=2),
    case("add_n", uniform(2, 3), uniform(3), error=True),
    case("add_n", uniform(3), uniform(3, dtype="float64"), error=True),
    case("add_n", ones(3, dtype="bool"), ones(3, dtype="bool"), error=True),
    case("amp_multicast", uniform(2, 3), uniform(3), num_outputs=2),
    case("amp_multicast", uniform(2, 3), integers(3), num_outputs=2, cast_narrow=True),
    case("amp_multicast", uniform(2, 3), uniform(3), num_outputs=3, error=True),
    case("all_finite", uniform(2, 3), grad=False),
    case("all_finite", array([1.0, _NAN]), grad=False),
    case("all_finite", array([1.0, _INF], dtype="float16"), grad=False),
    case("all_finite", array([1.0, -_INF], dtype="float64"), grad=False),
    case("all_finite", integers(3), grad=False, error=True),
    case("multi_all_finite", uniform(2, 3), uniform(2), num_arrays=2, grad=False),
    case("multi_all_finite", uniform(2, 3), array([_NAN, 1.0]), num_arrays=2, grad=False),
    case("multi_all_finite", uniform(2, dtype="float16"), grad=False),
    case("multi_all_finite", uniform(2), uniform(2), grad=False, error=True),
    case("multi_sum_sq", uniform(2, 3), uniform(5), num_arrays=2, grad=False),
    case("multi_sum_sq", uniform(2, 3, dtype="float16"), uniform(5, dtype="float16"), num_arrays=2, grad=False),
    case("multi_sum_sq", uniform(3, dtype="float64"), num_arrays=1, grad=False),
    case("multi_sum_sq", integers(3), num_arrays=1, grad=False, error=True),
    case("multi_sum_sq", uniform(3), uniform(2, dtype="float16"), num_arrays=2, grad=False, error=True),
    case("multi_sum_sq", uniform(3), uniform(2), num_arrays=3, grad=False, error=True),
    case("reset_arrays", full(2, 3, value=2.0), ones(2), num_arrays=2, grad=False, strided=False),
    case("reset_arrays", distinct(3, dtype="float16"), num_arrays=1, grad=False, strided=False),
    case("reset_arrays", zeros(3), ones(2), num_arrays=1, grad=False, error=True),
]
