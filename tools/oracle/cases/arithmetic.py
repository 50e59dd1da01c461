"""Two operands: elementwise, broadcasting, and with a scalar on either side, in every dtype."""

from ..case import array, case, integers, ones, uniform

_INF, _NAN = float("inf"), float("nan")
_DIFFERENTIABLE = {
    "elemwise_add": "broadcast_add",
    "elemwise_sub": "broadcast_sub",
    "elemwise_mul": "broadcast_mul",
    "elemwise_div": "broadcast_div",
    "_mod": "broadcast_mod",
    "_power": "broadcast_power",
    "_maximum": "broadcast_maximum",
    "_minimum": "broadcast_minimum",
    "_hypot": "broadcast_hypot",
}
_TESTS = ("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal")
_LOGIC = ("logical_and", "logical_or", "logical_xor")
_SCALAR = ("_plus_scalar", "_minus_scalar", "_mul_scalar", "_div_scalar", "_mod_scalar", "_power_scalar")
_SCALAR += ("_maximum_scalar", "_minimum_scalar", "_hypot_scalar", "_scatter_plus_scalar", "_scatter_minus_scalar")
_REVERSED = ("_rminus_scalar", "_rdiv_scalar", "_rmod_scalar", "_rpower_scalar")

# Sign combinations, zeros, infinities and NaN against each other.
_CORNERS = (
    array([5.5, -5.5, 5.5, -5.5, 3.0, 0.0, -0.0, _NAN, 1.0, 5.0, 0.0, _INF]),
    array([2.0, 2.0, -2.0, -2.0, 1.0, 3.0, 3.0, 2.0, _INF, _NAN, 0.0, 2.0]),
)
_SIGNS = ([7, -7, 7, -7, 5, 3, 2, -2, 0], [2, 2, -2, -2, 3, -1, -1, 3, 4])


def _operands(shape: tuple, other: tuple, dtype: str = "float32") -> tuple:
    """Away from zero and from each other's multiples, so that no gradient jumps."""
    return uniform(*shape, low=0.6, high=0.9, dtype=dtype), uniform(*other, low=1.1, high=1.4, dtype=dtype)


def _elementwise_cases(op: str) -> list:
    return [
        case(op, *_operands((2, 3), (2, 3))),
        case(op, *_operands((2, 1, 3), (2, 1, 3), "float64")),
        case(op, *_operands((5,), (5,), "float16")),
        case(op, *_CORNERS, grad=False),
        case(op, array(_SIGNS[0], dtype="int32"), array(_SIGNS[1], dtype="int32")),
        case(op, array(_SIGNS[0], dtype="int64"), array(_SIGNS[1], dtype="int64")),
        case(op, array(_SIGNS[0], dtype="int8"), array(_SIGNS[1], dtype="int8")),
        case(op, array([7, 3, 5, 0], dtype="uint8"), array([2, 5, 1, 2], dtype="uint8")),
        case(op, uniform(2, 3), uniform(3), error=True),
        case(op, uniform(3), uniform(3, dtype="float64"), error=True),
        case(op, ones(3, dtype="bool"), ones(3, dtype="bool"), error=True),
    ]


def _broadcast_cases(op: str) -> list:
    return [
        case(op, *_operands((2, 3), (2, 3))),
        case(op, *_operands((2, 1, 3), (1, 4, 1))),
        case(op, *_operands((3,), (2, 3), "float64")),
        case(op, *_operands((2, 3), (1,), "float16")),
        case(op, *_CORNERS, grad=False),
        case(op, integers(2, 3, low=1), integers(1, 3, low=1)),
        case(op, integers(2, 3, low=-9, high=-1, dtype="int64"), integers(2, 1, low=1, high=4, dtype="int64")),
        case(op, uniform(2, 3), uniform(2, 2), error=True),
        case(op, uniform(3), integers(3), error=True),
        case(op, ones(3, dtype="bool"), ones(3, dtype="bool"), error=True),
    ]


def _scalar_cases(op: str) -> list:
    return [
        case(op, uniform(2, 3, low=0.5, high=0.9), scalar=2.5),
        case(op, uniform(2, 1, 3, low=2.1, high=2.4, dtype="float64"), scalar=1.5),
        case(op, uniform(4, low=0.5, high=0.9, dtype="float16"), scalar=2.0),
        case(op, array([7, -7, 1, 2], dtype="int32"), scalar=2),
        case(op, array([7, -7, 1, 2], dtype="int32"), scalar=2.5),
        case(op, array([7, -7, 1, 2], dtype="int64"), scalar=-2.5),
        case(op, array([7, -7, 1, 2], dtype="int8"), scalar=-2),
        case(op, array([7, 3, 1, 2], dtype="uint8"), scalar=2),
        case(op, array([1, 0], dtype="bool"), scalar=2),
        case(op, array([1, 0], dtype="bool"), scalar=2.5),
        case(op, array([1, 0], dtype="bool"), scalar=2.0, is_int=False),
        case(op, array([7, -7, 1, 2], dtype="int32"), scalar=2.5, is_int=False),
        case(op, array([1.5, -2.0]), scalar="text", error=True),
    ]


def _comparison_pair(dtype: str) -> tuple:
    return array([[1, 2, 3], [0, 2, 0]], dtype=dtype), array([[1, 3, 2], [0, 0, 2]], dtype=dtype)


def _test_cases(name: str) -> list:
    elementwise, broadcast, scalar = f"_{name}", f"broadcast_{name}", f"_{name}_scalar"
    return [
        *(case(elementwise, *_comparison_pair(dtype)) for dtype in ("float32", "float64", "float16", "int32", "uint8")),
        case(elementwise, *_CORNERS),
        case(elementwise, uniform(2), uniform(3), error=True),
        case(elementwise, ones(3, dtype="bool"), ones(3, dtype="bool"), error=True),
        *(case(broadcast, *_comparison_pair(dtype)) for dtype in ("float32", "float64", "int64", "int8")),
        case(broadcast, integers(2, 1, 3, high=3, dtype="float32"), integers(4, 1, high=3, dtype="float32")),
        case(broadcast, uniform(2, 3), uniform(2), error=True),
        case(broadcast, uniform(3), integers(3), error=True),
        *(case(scalar, array([1, 2, 3, 0], dtype=kind), scalar=2) for kind in ("float32", "float16", "int32", "uint8")),
        case(scalar, array([0.1, 0.2, _NAN, _INF]), scalar=0.1),
        case(scalar, array([0.1, 0.2], dtype="float64"), scalar=0.1),
        case(scalar, array([1, 2, 3], dtype="int32"), scalar=2.5),
        case(scalar, array([1, 2, 3], dtype="int32"), scalar=2.5, is_int=False),
        case(scalar, array([1, 0], dtype="bool"), scalar=0),
        case(scalar, array([1, 0], dtype="bool"), scalar=1.0, is_int=False),
        case(scalar, array([1.0]), scalar="text", error=True),
    ]


CASES = [
    *(each for op in _DIFFERENTIABLE for each in _elementwise_cases(op)),
    *(each for op in _DIFFERENTIABLE.values() for each in _broadcast_cases(op)),
    *(each for op in (*_SCALAR, *_REVERSED) for each in _scalar_cases(op)),
    *(each for name in (*_TESTS, *_LOGIC) for each in _test_cases(name)),
    case("_grad_add", uniform(2, 3), uniform(2, 3), grad=False),
    case("_grad_add", integers(2, 3), integers(2, 3)),
    case("_grad_add", uniform(2, 3), uniform(3), error=True),
    case("_scatter_elemwise_div", *_operands((2, 3), (2, 3))),
    case("_scatter_elemwise_div", *_operands((4,), (4,), "float64")),
    case("_scatter_elemwise_div", uniform(2, 3), uniform(3), error=True),
    # Ties: the whole gradient goes to the left operand, and to the array where the other one is a scalar.
    case("_maximum", array([1.0, 1.0, 2.0]), array([1.0, 2.0, 1.0])),
    case("_minimum", array([1.0, 1.0, 2.0]), array([1.0, 2.0, 1.0])),
    case("broadcast_maximum", ones(2, 3), ones(1, 3)),
    case("broadcast_minimum", ones(1, 3), ones(2, 3)),
    case("_maximum_scalar", array([1.0, 0.0, 2.0]), scalar=1),
    case("_minimum_scalar", array([1.0, 0.0, 2.0]), scalar=1),
    case("_maximum_scalar", array([1.0, _NAN, -_INF]), scalar=1, grad=False),
    # Modulo zero is zero, for integers too.
    case("_mod", array([5.5, -5.5, 0.0]), array([0.0, 0.0, 0.0]), grad=False),
    case("_mod", array([5.5, -5.5]), array([0.0, 0.0]), no_grad=(1,)),
    case("_mod", array([5, -5, 0], dtype="int32"), array([0, 0, 0], dtype="int32")),
    case("_mod", array([5, 7], dtype="uint8"), array([0, 2], dtype="uint8")),
    case("_mod", array([5.5, -5.5, 5.5, -5.5]), array([2.0, 2.0, -2.0, -2.0])),
    case("broadcast_mod", array([[5.5], [-5.5]]), array([2.0, -2.0, 3.0])),
    case("_mod", array([5.0, -5.0]), array([-_INF, _INF]), grad=False),
    case("_mod_scalar", array([5.5, -5.5]), scalar=0),
    case("_mod_scalar", array([5, -5], dtype="int32"), scalar=0),
    case("_mod_scalar", array([5.5, -5.5]), scalar=-2),
    case("_rmod_scalar", array([2.0, -3.0, 0.7]), scalar=5),
    case("_rmod_scalar", array([2.0, 0.0]), scalar=5, grad=False),
    case("_rmod_scalar", array([2, 0, -3], dtype="int32"), scalar=5),
    case("elemwise_div", array([1.0, -1.0, 0.0]), array([0.0, 0.0, 0.0]), grad=False),
    case("_div_scalar", array([1.0, -1.0, 0.0]), scalar=0),
    case("_rdiv_scalar", array([2.0, 0.0, -0.0]), scalar=1),
    case("_rdiv_scalar", array([1, -7, 2], dtype="int32"), scalar=7),
    case("_power", array([0.0, 2.0, -2.0, -2.0, 0.0]), array([0.0, 0.0, 2.0, 0.5, -1.0]), grad=False),
    case("_power", array([0.0, 0.0, 0.0, -2.0]), array([1.0, 2.0, 0.5, 3.0]), no_grad=(1,)),
    case("_power_scalar", array([2.0, -3.0, 0.0]), scalar=2),
    case("_power_scalar", array([2.0, -3.0, 0.0]), scalar=0.5),
    case("_power_scalar", array([2.0, -3.0]), scalar=0),
    case("_rpower_scalar", array([2.0, -3.0, 0.0]), scalar=2),
    case("_rpower_scalar", array([2.0, -3.0, 0.0]), scalar=-2),
    case("_power", array([3, 2, 7, -7], dtype="int32"), array([4, 0, -2, 3], dtype="int32")),
    case("_hypot", array([3.0, -3.0, 0.0]), array([4.0, 0.0, 1.0])),
    # Scalars that do not fit the dtype.
    case("_plus_scalar", array([2, 3], dtype="int32"), scalar=3e9),
    case("_plus_scalar", array([2, 3], dtype="uint8"), scalar=-1),
    case("_plus_scalar", array([2, 3], dtype="uint8"), scalar=300),
    case("_plus_scalar", array([2, 3], dtype="int8"), scalar=200),
    case("_rminus_scalar", array([2, 3], dtype="uint8"), scalar=1),
    case("_plus_scalar", array([2.0], dtype="float64"), scalar=0.1),
    case("_plus_scalar", array([127, 1], dtype="int8"), scalar=2),
    # Logic takes NaN and everything else that is not zero as true.
    case("_logical_and_scalar", array([_NAN, 0.0, 1.0]), scalar=_NAN),
    case("_logical_xor_scalar", array([0.5, 0.0, -0.0]), scalar=0.25),
    case("_logical_or_scalar", array([0, 2], dtype="int32"), scalar=0.5),
    case("broadcast_plus", uniform(2, 3), uniform(1, 3)),
    case("broadcast_minus", uniform(2, 3), uniform(1, 3)),
]
