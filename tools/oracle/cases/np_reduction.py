"""Reductions and statistics of mx.np: all axes, some, none; no elements, a single number; every dtype."""

from ..case import array, case, distinct, full, integers, ones, uniform, zeros

_NAN = float("nan")


def _every_reduction(op: str) -> list:
    return [
        case(op, distinct(2, 3, 4, low=0.5, high=1.5)),
        case(op, distinct(2, 3, 4, low=-1.5, high=1.6), axis=1),
        case(op, distinct(2, 3, 4, low=0.5, high=1.5), axis=(0, -1), keepdims=True),
        case(op, distinct(2, 3, low=0.5, high=1.5), axis=()),
        case(op, distinct(2, 3, low=0.5, high=1.5), keepdims=True),
        case(op, uniform(low=0.5), seed=1),
        case(op, distinct(5, low=0.5, high=1.5, dtype="float64"), axis=0),
        case(op, distinct(2, 5, low=0.5, high=1.5, dtype="float16"), axis=1),
        case(op, integers(2, 3, low=-9, high=9), axis=1),
        case(op, integers(3, 4, low=1, high=100, dtype="int8"), axis=0),
        case(op, integers(3, 4, low=0, high=255, dtype="uint8")),
        case(op, integers(3, 4, low=-99, high=99, dtype="int64"), axis=-1),
        case(op, array([[1, 0, 0], [0, 0, 0], [1, 1, 1]], dtype="bool"), axis=1),
        case(op, uniform(2, 3), axis=2, error=True),
        case(op, uniform(2, 3), axis=-3, error=True),
        case(op, uniform(2, 3), axis=(1, 1), error=True),
    ]


def _every_dtype(op: str) -> list:
    """The `dtype` of a result; sums are made in the wider dtype and converted."""
    return [
        case(op, uniform(2, 3, low=0.5), axis=1, dtype="float64"),
        case(op, uniform(2, 3, low=0.5, dtype="float64"), axis=1, dtype="float32", tolerance=(1e-6, 1e-7)),
        case(op, uniform(2, 3, low=0.5, dtype="float16"), axis=1, dtype="float32"),
        case(op, array([[0.6, 0.6, 0.6], [1.6, 1.6, 1.6]]), axis=1, dtype="int32", grad=False),
        case(op, integers(2, 3, low=-9), axis=1, dtype="float32"),
        case(op, integers(2, 3, low=-9), axis=1, dtype="int64"),
        case(op, integers(2, 3, low=1, high=90, dtype="int8"), axis=1, dtype="int64"),
    ]


def _every_sum(op: str) -> list:
    return [
        *_every_reduction(op),
        *_every_dtype(op),
        case(op, array([0.5, 0, -0.5]), dtype="bool", grad=False),
        case(op, array([[1, _NAN], [2, 3]]), axis=1, grad=False),
        case(op, uniform(), axis=0),
        case(op, zeros(0, 3)),
        case(op, zeros(0, 3), axis=0, keepdims=True),
        case(op, uniform(2, 3), initial=1.0, error=True),
    ]


def _every_extreme(op: str) -> list:
    return [
        *_every_reduction(op),
        # Every element that ties gets the whole gradient.
        case(op, array([[1, 3, 3], [3, 0, 1]])),
        case(op, array([[1, 3, 1], [2, 2, 2]]), axis=-1, keepdims=True),
        case(op, array([[1, _NAN, 3], [2, 2, 4]]), axis=1, grad=False),
        case(op, zeros(0, 3), axis=1, grad=False),
        case(op, zeros(0, 3), error=True),
        case(op, zeros(0, 3), axis=0, error=True),
        case(op, uniform(2, 3), initial=1.0, error=True),
    ]


def _every_truth(op: str) -> list:
    return [
        *_every_reduction(op),
        case(op, array([[1, _NAN, 3], [0, 0, 0]]), axis=1),
        case(op, zeros(0, 3)),
        case(op, zeros(0, 3), axis=0),
        case(op, uniform(), axis=0),
    ]


def _every_spread(op: str) -> list:
    # Squares of 8-bit integers overflow in MXNet, so there are only small ones here.
    return [
        *(each for each in _every_reduction(op) if each.arrays()[0].dtype.name not in ("bool", "int8", "uint8")),
        case(op, integers(3, 4, low=-4, high=5, dtype="int8"), axis=0),
        case(op, integers(3, 4, high=5, dtype="uint8")),
        case(op, uniform(2, 5), axis=1, ddof=1),
        case(op, uniform(2, 5, dtype="float64"), ddof=2, keepdims=True),
        case(op, uniform(2, 3), axis=1, ddof=3),
        case(op, zeros(0, 3)),
        case(op, zeros(0, 3), axis=0),
        case(op, uniform(), axis=0),
        case(op, uniform(2, 3), axis=1, dtype="float64"),
        case(op, uniform(2, 3, dtype="float16"), axis=1, dtype="float32"),
        case(op, uniform(2, 3, high=20), axis=1, dtype="int32", grad=False),
        # The mean of integers is cut off before it is subtracted.
        case(op, integers(2, 3, low=-9), axis=1, dtype="float32"),
        case(op, integers(2, 3, low=-9, dtype="int64"), axis=1, dtype="float64"),
        case(op, ones(2, 3, dtype="bool"), error=True),
        case(op, ones(2, 3), dtype="bool", error=True),
    ]


def _every_position(op: str) -> list:
    return [
        case(op, distinct(2, 3, 4)),
        case(op, distinct(2, 3, 4), axis=1),
        case(op, distinct(2, 3, 4), axis=-1, keepdims=True),
        case(op, distinct(2, 3), keepdims=True),
        case(op, uniform()),
        case(op, uniform(), axis=0),
        case(op, zeros(0, 3), axis=1, grad=False),
        case(op, distinct(5, dtype="float64"), axis=0),
        case(op, distinct(2, 5, dtype="float16"), axis=1),
        case(op, integers(3, 5), axis=1),
        case(op, integers(3, 5, dtype="uint8"), axis=0),
        case(op, integers(3, 5, dtype="int64")),
        case(op, array([[1, 3, 3, 1], [0, 0, 0, 0], [2, 1, 1, 2]]), axis=1),
        case(op, array([[_NAN, 3, 1], [3, _NAN, 1], [1, _NAN, _NAN]]), axis=1),
        case(op, ones(2, dtype="bool"), error=True),
        case(op, uniform(2, 3), axis=2, error=True),
        case(op, zeros(0, 3), error=True),
        case(op, zeros(0, 3), axis=0, error=True),
    ]


CASES = [
    *(each for op in ("_np_sum", "_np_prod", "_npi_mean") for each in _every_sum(op)),
    *(each for op in ("_np_max", "_np_min") for each in _every_extreme(op)),
    *(each for op in ("_np_all", "_np_any") for each in _every_truth(op)),
    *(each for op in ("_npi_std", "_npi_var") for each in _every_spread(op)),
    *(each for op in ("_npi_argmax", "_npi_argmin") for each in _every_position(op)),
    # The product is divided by each factor.
    case("_np_prod", array([[0, 2, 3], [0, 0, 2], [1, 2, 4]]), axis=1),
    case("_np_prod", array([[0, 2, 3], [1, 0, 2]])),
    case("_np_sum", ones(3, dtype="bool"), dtype="float32"),
    case("_np_sum", ones(3, dtype="bool"), dtype="int32"),
    case("_np_sum", ones(3, dtype="bool"), dtype="int8", error=True),
    case("_np_prod", ones(3, dtype="bool"), dtype="float16", error=True),
    case("_npi_mean", ones(3, dtype="bool"), dtype="float64"),
    case("_np_amax", distinct(2, 3), axis=0),
    case("_np_amin", distinct(2, 3), axis=0),
    case("_np_product", uniform(2, 3), axis=0),
    case("_np_sometrue", uniform(2, 3), axis=0),
    case("_npi_average", uniform(2, 3), weighted=False),
    case("_npi_average", uniform(2, 3), axis=1, returned=True, weighted=False, head_outputs=(0,)),
    case("_npi_average", uniform(2, 3, 4), uniform(3, low=0.5), axis=1),
    case("_npi_average", uniform(2, 3, 4), uniform(4, low=0.5), axis=-1, returned=True, head_outputs=(0,)),
    case("_npi_average", uniform(2, 3), uniform(2, 3, low=0.5), axis=1, returned=True, head_outputs=(0,)),
    case("_npi_average", uniform(2, 3, dtype="float64"), uniform(2, 3, low=0.5, dtype="float64"), returned=True),
    case("_npi_average", uniform(2, 3), uniform(2, 3, low=0.5), axis=(0, 1)),
    case("_npi_average", uniform(5, dtype="float16"), uniform(5, low=0.5, dtype="float16"), axis=0),
    case("_npi_average", integers(2, 3), integers(3, low=1), axis=1, returned=True),
    case("_npi_average", integers(2, 3, dtype="int64"), axis=0, returned=True, weighted=False),
    case("_npi_average", uniform(), weighted=False),
    case("_npi_average", uniform(), uniform(low=0.5), returned=True, grad=False),
    case("_npi_average", uniform(2, 3), zeros(3), axis=1, grad=False),
    case("_npi_average", uniform(2, 3), uniform(3), error=True),
    case("_npi_average", uniform(2, 3), uniform(2), axis=1, error=True),
    case("_npi_average", uniform(2, 3), uniform(3), axis=(0, 1), error=True),
    case("_npi_average", uniform(2, 3), uniform(3, dtype="float64"), axis=1, error=True),
    case("_npi_average", ones(2, dtype="bool"), weighted=False, error=True),
    *(
        case("_npi_percentile", distinct(5), array([0, 12.5, 25, 30, 37.5, 62.5, 87.5, 100]), interpolation=way)
        for way in ("linear", "lower", "higher", "midpoint", "nearest")
    ),
    case("_npi_percentile", uniform(2, 3, 4), q_scalar=30),
    case("_npi_percentile", uniform(2, 3, 4), array([10, 60]), axis=1, keepdims=True),
    case("_npi_percentile", uniform(2, 3, 4), array([10, 60, 70]), axis=(0, 2)),
    case("_npi_percentile", uniform(2, 3), array(35.0), axis=-1),
    case("_npi_percentile", uniform(2, 3), array([10, 60], dtype="int32"), axis=0),
    # MXNet finds the places between two elements in float32.
    case("_npi_percentile", uniform(2, 3, dtype="float64"), q_scalar=13, tolerance=(1e-6, 1e-7)),
    case("_npi_percentile", uniform(5, dtype="float16"), array([10, 60])),
    case("_npi_percentile", integers(5), q_scalar=40),
    case("_npi_percentile", integers(2, 5, dtype="uint8"), array([40, 50]), axis=1),
    case("_npi_percentile", array([1, _NAN, 3]), q_scalar=50, grad=False),
    case("_npi_percentile", uniform(5), q_scalar=101, error=True),
    case("_npi_percentile", uniform(5), array([10, -1]), error=True),
    case("_npi_percentile", uniform(5), array([[10, 1]]), error=True),
    case("_npi_percentile", uniform(5), error=True),
    case("_npi_percentile", uniform(5), q_scalar=10, axis=1, error=True),
    case("_npi_percentile", ones(5, dtype="bool"), q_scalar=10, error=True),
    case("_npi_bincount", array([1, 2, 1, 4], dtype="int32"), infer=False),
    case("_npi_bincount", array([1, 2, 1, 4], dtype="uint8"), minlength=7, infer=False),
    case("_npi_bincount", integers(9, dtype="int64"), uniform(9), has_weights=True, infer=False),
    case("_npi_bincount", integers(9), uniform(9, dtype="float64"), has_weights=True, minlength=12, infer=False),
    case("_npi_bincount", integers(9), integers(9), has_weights=True, infer=False),
    case("_npi_bincount", zeros(0, dtype="int32"), minlength=3, infer=False),
    case("_npi_bincount", array([1, 0], dtype="int32"), minlength=-1, infer=False),
    case("_npi_bincount", array([1, -2], dtype="int32"), error=True),
    case("_npi_bincount", uniform(3), error=True),
    case("_npi_bincount", integers(2, 3), error=True),
    case("_npi_bincount", integers(2), uniform(3), has_weights=True, error=True),
    case("_npi_bincount", integers(2), uniform(2), error=True),
    case("_npi_bincount", ones(2, dtype="bool"), error=True),
    case("_npx_constraint_check", ones(2, 3, dtype="bool"), msg="all", out=False),
    case("_npx_constraint_check", zeros(0, dtype="bool"), msg="none", out=False),
    case("_npx_constraint_check", array(1, dtype="bool"), msg="one", out=False),
    case("_npx_constraint_check", array([1, 0, 1], dtype="bool"), msg="one is not", error=True),
    case("_npx_constraint_check", full(2, value=1.0), msg="no truth", error=True),
    case("_npi_share_memory", uniform(2, 3), uniform(2, 3)),
    case("_npi_share_memory", uniform(2), integers(2)),
]
