"""mx.np: two operands, an operand and a scalar, and choices, in every dtype and mix of dtypes that MXNet takes."""

from ..case import array, case, full, integers, ones, uniform, zeros

_INF, _NAN = float("inf"), float("nan")
_FLOATING = ("_npi_add", "_npi_subtract", "_npi_multiply", "_npi_true_divide", "_npi_mod", "_npi_power")
_FLOATING += ("_npi_copysign", "_npi_ldexp", "_npi_arctan2", "_npi_hypot")
_FLOATS_ONLY = ("_npi_arctan2", "_npi_hypot")
_FREE_MIX = ("_npi_add", "_npi_multiply", "_npi_power")
_FLOAT_MIX = ("_npi_add", "_npi_multiply", "_npi_power", "_npi_subtract", "_npi_mod")
_WHOLE = ("_npi_lcm", "_npi_bitwise_and", "_npi_bitwise_or", "_npi_bitwise_xor")
_TESTS = ("_npi_equal", "_npi_not_equal", "_npi_greater", "_npi_greater_equal", "_npi_less", "_npi_less_equal")
_SCALAR = ("_npi_add_scalar", "_npi_subtract_scalar", "_npi_rsubtract_scalar", "_npi_multiply_scalar")
_SCALAR += ("_npi_mod_scalar", "_npi_rmod_scalar", "_npi_power_scalar", "_npi_rpower_scalar")
_SCALAR += ("_npi_true_divide_scalar", "_npi_rtrue_divide_scalar", "_npi_copysign_scalar", "_npi_rcopysign_scalar")
_SCALAR += ("_npi_arctan2_scalar", "_npi_rarctan2_scalar", "_npi_ldexp_scalar", "_npi_rldexp_scalar")
# MXNet fails in their backward pass, or its gradient there is not the derivative: see test_np_arithmetic.py.
_NO_BACKWARD = ("_npi_copysign_scalar", "_npi_rcopysign_scalar", "_npi_rarctan2_scalar")
# MXNet's logarithm of 2 has single precision.
_PRECISION = {"_npi_ldexp": (1e-8, 1e-10), "_npi_rldexp_scalar": (1e-8, 1e-10)}

# Sign combinations, zeros, infinities and NaN against each other.
_CORNERS = (
    array([5.5, -5.5, 5.5, -5.5, 3.0, 0.0, -0.0, _NAN, 1.0, 5.0, 0.0, _INF]),
    array([2.0, 2.0, -2.0, -2.0, 1.0, 3.0, 3.0, 2.0, _INF, _NAN, 0.0, 2.0]),
)
_SIGNS = ([7, -7, 7, -7, 5, 3, 2, -2, 0], [2, 2, -2, -2, 3, -1, -1, 3, 4])


def _operands(shape: tuple, other: tuple, dtype: str = "float32", other_dtype: str | None = None) -> tuple:
    """Away from zero and from each other's multiples, so that no gradient jumps."""
    return (
        uniform(*shape, low=0.6, high=0.9, dtype=dtype),
        uniform(*other, low=1.1, high=1.4, dtype=other_dtype or dtype),
    )


def _floating_cases(op: str) -> list:
    return [
        case(op, *_operands((2, 3), (2, 3))),
        case(op, *_operands((2, 1, 3), (1, 4, 1))),
        case(op, *_operands((3,), (2, 3), "float64"), tolerance=_PRECISION.get(op)),
        case(op, *_operands((2, 3), (), "float16")),
        case(op, *_operands((), ())),
        case(op, ones(0, 3), ones(1, 3)),
        case(op, *_CORNERS, grad=False),
        case(op, ones(2, 3), ones(2), error=True),
        case(op, ones(2, 0), ones(3), error=True),
    ]


def _integer_cases(op: str) -> list:
    return [
        *(
            case(op, array(_SIGNS[0], dtype=dtype), array(_SIGNS[1], dtype=dtype))
            for dtype in ("int8", "int32", "int64")
        ),
        case(op, integers(2, 3, low=1, high=4, dtype="uint8"), integers(3, low=1, high=4, dtype="uint8")),
    ]


def _mixed_cases(op: str) -> list:
    whole = {"low": 1, "high": 4}
    cases = [
        case(op, *_operands((2, 3), (3,), "float32", "float64")),
        case(op, *_operands((2, 3), (2, 1), "float16", "float32")),
        case(op, uniform(2, 3, low=1.1, high=1.4), integers(3, **whole)),
        case(op, integers(2, 3, dtype="int64", **whole), uniform(3, low=1.1, high=1.4, dtype="float16")),
        case(op, uniform(2, 3, low=1.1, high=1.4, dtype="float64"), ones(3, dtype="bool")),
        case(op, ones(2, dtype="bool"), uniform(2, low=1.1, high=1.4)),
        case(op, ones(2, dtype="int8"), ones(2, dtype="uint8"), error=True),
    ]
    if op in _FREE_MIX:
        flags = (array([1, 1, 0, 0], dtype="bool"), array([1, 0, 1, 0], dtype="bool"))
        cases += [
            case(op, integers(2, 3, dtype="int64", **whole), integers(3, dtype="int32", **whole)),
            case(op, integers(2, 3, dtype="uint8", **whole), integers(3, dtype="int32", **whole)),
            case(op, integers(4, dtype="int8", **whole), flags[0]),
            case(op, *flags),
        ]
    else:
        cases += [
            case(op, ones(2, dtype="int32"), ones(2, dtype="int64"), error=True),
            case(op, ones(2, dtype="int32"), ones(2, dtype="bool"), error=True),
            case(op, ones(2, dtype="bool"), ones(2, dtype="bool"), error=True),
        ]
    return cases


def _division_cases() -> list:
    op = "_npi_true_divide"
    return [
        case(op, array(_SIGNS[0], dtype="int32"), array(_SIGNS[1], dtype="int32")),
        case(op, array([1, 0, -1], dtype="int64"), zeros(3, dtype="int64")),
        case(op, array([7, 200], dtype="uint8"), array([3, 7], dtype="uint8")),
        case(op, array([1, 0], dtype="bool"), array([1, 0], dtype="bool")),
        case(op, uniform(2, 3), integers(3, low=1)),
        case(op, integers(2, 3, low=1, dtype="int8"), uniform(3, low=1, high=2, dtype="float64")),
        case(op, uniform(3, dtype="float16"), ones(3, dtype="bool")),
        case(op, ones(2), ones(2, dtype="float64"), error=True),
        case(op, ones(2, dtype="int32"), ones(2, dtype="int64"), error=True),
        case(op, ones(2, dtype="bool"), ones(2, dtype="int32"), error=True),
    ]


def _whole_cases(op: str) -> list:
    return [
        *_integer_cases(op),
        case(op, array([4, 6, -4, 0, 0, 7], dtype="int32"), array([6, 4, 6, 5, 0, -3], dtype="int32")),
        case(op, array([1, 1, 0, 0], dtype="bool"), array([1, 0, 1, 0], dtype="bool")),
        case(op, array([100, -100, 77], dtype="int8"), array([99, 9, -3], dtype="int8")),
        case(op, zeros(0, 2, dtype="int32"), array(5, dtype="int32")),
        case(op, ones(2), ones(2), error=True),
        case(op, ones(2, dtype="int32"), ones(2, dtype="int64"), error=True),
        case(op, ones(2, dtype="int32"), ones(3, dtype="int32"), error=True),
    ]


def _test_cases(op: str) -> list:
    return [
        case(op, *_CORNERS),
        case(op, uniform(2, 1, 3, dtype="float64"), zeros(4, 1, dtype="float64")),
        case(op, array([1, 2, 3], dtype="float16"), array(2, dtype="float16")),
        *_integer_cases(op),
        case(op, array([1, 1, 0, 0], dtype="bool"), array([1, 0, 1, 0], dtype="bool")),
        case(op, zeros(0, 2), ones(2)),
        case(op, ones(2), ones(2, dtype="float64"), error=True),
        case(op, ones(2, dtype="int32"), ones(2, dtype="bool"), error=True),
        case(op, ones(2), ones(3), error=True),
    ]


def _scalar_cases(op: str) -> list:
    grad = op not in _NO_BACKWARD
    data = {"low": 0.6, "high": 0.9}
    # A large power of 2 leaves the range of all integers, and each one in its own way.
    far = 3.0 if "ldexp" in op or "power" in op else -300.5
    return [
        case(op, uniform(2, 3, **data), grad=grad, scalar=1.25),
        case(op, uniform(2, 1, 3, dtype="float64", **data), grad=grad, tolerance=_PRECISION.get(op), scalar=-2.0),
        case(op, uniform(4, dtype="float16", **data), grad=grad, scalar=2.5, is_int=False),
        case(op, uniform(**data), grad=grad, scalar=2),
        case(op, ones(0, 3), grad=grad),
        case(op, _CORNERS[0], grad=False, scalar=2.0),
        case(op, array([5.5, -5.5, 3.0, 0.0, -0.0]), grad=False, scalar=0.0),
        *(case(op, array([7, -7, 5, 3, 1], dtype=dtype), scalar=2.5) for dtype in ("int8", "int32", "int64")),
        case(op, array([1, 3], dtype="uint8"), scalar=2),
        case(op, array([1, 3], dtype="int32"), scalar=far),
        case(op, array([1, 3], dtype="int8"), scalar=far),
        case(op, array([7, -7, 5], dtype="int32"), scalar=2.5, is_int=False),
        case(op, array([7, 5], dtype="uint8"), scalar=2, is_int=False),
        case(op, array([1, 1], dtype="bool"), scalar=2.5),
        case(op, array([1, 1], dtype="bool"), scalar=2.5, is_int=False),
    ]


def _scalar_test_cases(op: str) -> list:
    return [
        case(op, _CORNERS[0], scalar=3.0),
        case(op, array([[0.1, 0.2], [0.3, -0.1]]), scalar=0.1),
        case(op, array([0.1, 2.5], dtype="float64"), scalar=2.5, is_int=False),
        case(op, array([0.1, 2.5], dtype="float16"), scalar=0.1, is_int=False),
        case(op, array([2, 3, 1], dtype="int32"), scalar=2.5),
        case(op, array([2, 3, 1], dtype="int64"), scalar=2.5, is_int=False),
        case(op, array([2, 3, 1], dtype="uint8"), scalar=-1),
        case(op, array([2, -44, 1], dtype="int8"), scalar=-300.5),
        case(op, array([1, 0], dtype="bool"), scalar=0.5),
        case(op, array(2.0), scalar=2),
        case(op, zeros(0, 2)),
        case(op, ones(2), error=True, scalar="x"),
    ]


def _bit_scalar_cases(op: str) -> list:
    return [
        case(op, array([6, -7, 5, 0], dtype="int32"), scalar=3),
        case(op, array([6, -7, 5, 0], dtype="int64"), scalar=10**10),
        case(op, array([6, -7, 5, 0], dtype="int8"), scalar=-300.5),
        case(op, array([6, 7, 5, 0], dtype="uint8"), scalar=2.5, is_int=False),
        case(op, array([1, 0], dtype="bool"), scalar=2),
        case(op, array([1, 0], dtype="bool"), scalar=0),
        case(op, ones(2), error=True),
    ]


_LCM_SCALAR = [
    case("_npi_lcm_scalar", array([4, 6, 0, -6], dtype="int32"), scalar=9),
    case("_npi_lcm_scalar", array([[4, 6], [0, -6]], dtype="int64"), scalar=-9.5),
    case("_npi_lcm_scalar", array([4, 6, 0, 100], dtype="uint8"), scalar=9),
    case("_npi_lcm_scalar", array([4, 6, 0, -100], dtype="int8"), scalar=9),
    case("_npi_lcm_scalar", array([4, 6, 0], dtype="int32"), scalar=0),
    case("_npi_lcm_scalar", ones(2), error=True),
    case("_npi_lcm_scalar", ones(2, dtype="bool"), error=True),
]

_CONDITION = array([[1, 0, 1], [0, 0, 1]], dtype="bool")
_WHERE = [
    case("_npi_where", _CONDITION, uniform(2, 3), uniform(2, 3)),
    case("_npi_where", array([[1.0], [0.0]]), uniform(3), uniform(4, 1, 1)),
    case(
        "_npi_where",
        array([_NAN, 0.0, -0.0, -2.0], dtype="float64"),
        uniform(4, dtype="float64"),
        zeros(1, dtype="float64"),
    ),
    case("_npi_where", array([2, 0, -1], dtype="int32"), uniform(dtype="float16"), uniform(3, dtype="float16")),
    case("_npi_where", _CONDITION, integers(3), integers(2, 1)),
    case("_npi_where", array([1, 0], dtype="uint8"), integers(2, dtype="int8"), integers(2, dtype="int8")),
    case("_npi_where", array([1, 0], dtype="int64"), ones(2, dtype="bool"), zeros(2, dtype="bool")),
    case("_npi_where", array(1.0), uniform(), uniform()),
    case("_npi_where", zeros(0, 3), uniform(0, 3), uniform(0, 3), grad=False),
    case("_npi_where", ones(2), ones(3), ones(3), error=True),
    case("_npi_where", ones(3), ones(3), ones(3, dtype="float64"), error=True),
    case("_npi_where", ones(3), ones(3), ones(3, dtype="int32"), error=True),
]


def _where_scalar_cases(op: str) -> list:
    # MXNet's gradient goes to the elements that were not taken: see test_np_arithmetic.py.
    return [
        case(op, _CONDITION, uniform(2, 3), grad=False, scalar=2.5),
        case(op, array([[1.0], [0.0]]), uniform(3), grad=False, scalar=-1),
        case(op, array([1, 0], dtype="int64"), uniform(4, 1, dtype="float64"), grad=False, scalar=1e300),
        case(op, array([1, 0], dtype="int8"), uniform(2, dtype="float16"), grad=False, scalar=1e10),
        case(op, array([1, 0, 2], dtype="int32"), uniform(3), grad=False, scalar=1e300),
        *(case(op, _CONDITION, integers(3, dtype=dtype), scalar=-300.5) for dtype in ("int8", "int32", "int64")),
        case(op, _CONDITION, integers(3, low=0, dtype="uint8"), scalar=300),
        case(op, _CONDITION, zeros(3, dtype="bool"), scalar=0.5),
        case(op, zeros(0, 1), uniform(3), grad=False),
        case(op, ones(2), ones(3), error=True),
    ]


_WHERE_SCALAR2 = [
    case("_npi_where_scalar2", _CONDITION, x=2.5, y=-1),
    case("_npi_where_scalar2", array([[1.0], [0.0], [_NAN]]), x=2, y=1e300),
    case("_npi_where_scalar2", array([1, 0], dtype="float64"), x=0.1),
    case("_npi_where_scalar2", array(0, dtype="int64"), y=3.0),
    case("_npi_where_scalar2", full(0, 2, value=1)),
    case("_npi_where_scalar2", ones(2), error=True, x="a"),
]

CASES = [
    *(each for op in _FLOATING for each in _floating_cases(op)),
    *(each for op in _FLOATING if op not in (*_FLOATS_ONLY, "_npi_true_divide") for each in _integer_cases(op)),
    *(each for op in _FLOAT_MIX for each in _mixed_cases(op)),
    *_division_cases(),
    *(case(op, ones(2, dtype="int32"), ones(2, dtype="int32"), error=True) for op in _FLOATS_ONLY),
    *(case(op, ones(2), ones(2, dtype="float64"), error=True) for op in (*_FLOATS_ONLY, "_npi_copysign", "_npi_ldexp")),
    *(case(op, ones(2, dtype="bool"), ones(2, dtype="bool"), error=True) for op in ("_npi_copysign", "_npi_ldexp")),
    *(each for op in _WHOLE for each in _whole_cases(op)),
    *(each for op in _TESTS for each in _test_cases(op)),
    *(each for op in _SCALAR for each in _scalar_cases(op)),
    *(each for op in _TESTS for each in _scalar_test_cases(f"{op}_scalar")),
    *(each for name in ("and", "or", "xor") for each in _bit_scalar_cases(f"_npi_bitwise_{name}_scalar")),
    *_LCM_SCALAR,
    *_WHERE,
    *(each for op in ("_npi_where_lscalar", "_npi_where_rscalar") for each in _where_scalar_cases(op)),
    *_WHERE_SCALAR2,
]
