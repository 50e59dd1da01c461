"""The edges of many operators: numbers beyond a dtype, ends of intervals, poles, infinity, the order of products."""

from ..case import array, case, integers, ones, uniform

_INF, _NAN = float("inf"), float("nan")
_HALF, _SINGLE, _DOUBLE = "float16", "float32", "float64"
_FAR = (1e300, -1e300, 65519.0, 65520.0, 1e-8)
_WITH_SCALAR = (
    *("_plus_scalar", "_minus_scalar", "_rminus_scalar", "_mul_scalar", "_div_scalar", "_rdiv_scalar", "_power_scalar"),
    *("_rpower_scalar", "_maximum_scalar", "_minimum_scalar", "_hypot_scalar", "_mod_scalar", "_equal_scalar"),
    *("_greater_scalar", "_lesser_equal_scalar", "_logical_and_scalar"),
    *("_npi_add_scalar", "_npi_rsubtract_scalar", "_npi_multiply_scalar", "_npi_true_divide_scalar"),
    *("_npi_greater_scalar", "_npi_rpower_scalar"),
)
_LINE = (-2.0, -1.0, -0.5, 0.1, 0.7, 1.0, 2.0, _NAN, _INF, -_INF)
_POLES = (0.0, -0.0, -1.0, -2.5, 0.5, 3.0, _INF)


def _scalars() -> list:
    values = array([0.5, -1.0, 3.0, _INF], dtype=_HALF), array([0.5, -1.0, 3.0, _INF], dtype=_SINGLE)
    made = [case(op, values[0], scalar=far) for op in _WITH_SCALAR for far in _FAR if "rpower" not in op or far > 1]
    made += [case(op, values[1], scalar=far) for op in _WITH_SCALAR for far in _FAR[:2]]
    small = ("_plus_scalar", "_maximum_scalar", "_lesser_scalar", "_slice_assign_scalar")
    for op in small:
        ends = {"begin": (0,), "end": (2,)} if op == "_slice_assign_scalar" else {}
        for dtype in ("int8", "uint8", "int32", "int64"):
            numbers = array([0, 1, 100, 3], dtype=dtype)
            made += [case(op, numbers, scalar=far, grad=False, **ends) for far in (1e300, -300.0, 3e9, 1e19)]
    return made


def _filled() -> list:
    made = []
    for dtype, far in ((_HALF, 1e5), (_HALF, -1e300), (_SINGLE, 1e300), ("int8", 3e9), ("int32", 1e300), ("uint8", -1)):
        made.append(case("_full", shape=(2,), value=far, dtype=dtype))
        made.append(case("one_hot", array([1, 0]), depth=2, on_value=far, off_value=-far, dtype=dtype, grad=False))
        made.append(case("_npi_full_like", array([1, 0]), fill_value=far, dtype=dtype, grad=False))
    steps = array([2, 1, 3])
    for value in (-1e18, 1e5, 0.1):
        masked = uniform(3, 3, dtype=_HALF)
        made.append(case("SequenceMask", masked, steps, use_sequence_length=True, value=value, no_grad=(1,)))
        wide = (0, 0, 0, 0, 1, 0, 0, 1)
        made.append(
            case("Pad", uniform(1, 1, 2, 2, dtype=_HALF), mode="constant", pad_width=wide, constant_value=value)
        )
    made.append(case("_npi_where_lscalar", array([0, 1, 0]), uniform(3, dtype=_HALF), scalar=1e5, grad=False))
    made.append(case("_npi_insert_scalar", uniform(3), val=1e300, int_ind=1, grad=False))
    return made


def _clipped() -> list:
    ends = ((-1, 1), (0.1, 0.7), (1, 1), (1, -1), (-_INF, 1), (_NAN, 1), (-1, _NAN), (-3.4e38, 3.4e38))
    made = [
        case("clip", array(_LINE, dtype=dtype), a_min=low, a_max=high)
        for dtype in (_HALF, _SINGLE, _DOUBLE)
        for low, high in ends
        if dtype != _DOUBLE or low > -1e30 or low == -_INF  # MXNet reads the last digits of such numbers wrong
    ]
    whole = ((-1.5, 1.5), (0.5, 300), (-1e10, 1e10), (_NAN, 1), (1, -1), (_INF, _INF))
    made += [
        case("clip", array([0, 1, 2, 100], dtype=dtype), a_min=low, a_max=high, grad=False)
        for dtype in ("int8", "uint8", "int32", "int64")
        for low, high in whole
    ]
    return made


CASES = [
    *_scalars(),
    *_filled(),
    *_clipped(),
    *(case(op, array(_POLES)) for op in ("gamma", "gammaln", "softsign")),
    case("Activation", array([_INF, -_INF, 0.0]), act_type="softsign"),
    case("smooth_l1", array([_INF, -_INF, 0.0, 1.0, -1.0, 0.2])),
    case("smooth_l1", array([-2, 0, 3, 100], dtype="int32"), scalar=1e5, grad=False),
    *(case("prod", array([[0.0, 1e30], [1e30, 1e30]]), axis=axis, grad=False) for axis in ((), (0, 1), 0, 1)),
    *(
        case("prod", array([[[1e30, 1e-30], [1e30, 1e30]], [[1e-30, 0], [1e-30, 2]]]), axis=axis, grad=False)
        for axis in ((0, 1), (0, 2), (1, 2), (0, 1, 2), ())
    ),
    case("prod", uniform(2, 3, 4), axis=(0, 2)),
    case("prod", integers(2, 3, 4), axis=(0, 2)),
    *(case("_contrib_div_sqrt_dim", integers(2, 5, low=-9, high=9, dtype=d)) for d in ("int8", "int32", "int64")),
    *(
        case("SequenceMask", ones(2, 2, dtype=d), array([1, 2]), use_sequence_length=True, value=-1e18, no_grad=(0, 1))
        for d in (_DOUBLE, "int64")
    ),
    *(case(op, array([1.0, 0.0, 3.0]), scalar=1e-50, grad=False) for op in ("_power_scalar", "_logical_and_scalar")),
    case("_mod_scalar", array([1.0, 0.0, 3.0]), scalar=1e-50, grad=False),
    *(case("_mul_scalar", array([1.0, 0.0, 3.0], dtype=_HALF), scalar=far, grad=False) for far in (1e18, 70000.0)),
    case("_div_scalar", array([1.0, 0.0, 3.0], dtype=_HALF), scalar=70000.0, grad=False),
    case("Pooling_v1", uniform(1, 1, 4, 4), kernel=(1, 1), stride=(2, 2), pooling_convention="full"),
    *(
        case(op, *(uniform(3, low=0.1, dtype=_HALF) for _ in range(n)), lr=0.1, clip_gradient=1e10, grad=False)
        for op, n in (("sgd_update", 2), ("sgd_mom_update", 3), ("adam_update", 4), ("rmsprop_update", 3))
    ),
    case(
        "rmsprop_update", *(uniform(3, low=0.1, dtype=_HALF) for _ in range(3)), lr=0.1, clip_weights=1e10, grad=False
    ),
    *(
        case("GridGenerator", array([[1, 0, 0, 0, 1, 0]]), transform_type="affine", target_shape=(2, n))
        for n in (14, 27)
    ),
]
