"""Reductions: over all axes, some, or all but some; ties, NaN, integers and bools."""

from ..case import array, case, distinct, full, integers, ones, uniform, zeros

_ALL = ("sum", "mean", "prod", "nansum", "nanprod", "max", "min")
_NAN = float("nan")


def _every_reduction(op: str) -> list:
    return [
        case(op, distinct(2, 3, 4, low=0.5, high=1.5)),
        case(op, distinct(2, 3, 4, low=-1.5, high=1.6), axis=1),
        case(op, distinct(2, 3, 4, low=0.5, high=1.5), axis=(0, -1), keepdims=True),
        case(op, distinct(2, 3, 4, low=0.5, high=1.5), axis=1, exclude=True),
        case(op, distinct(2, 3, 4, low=0.5, high=1.5), axis=(2, 0), exclude=True, keepdims=True),
        case(op, distinct(2, 3, low=0.5, high=1.5), axis=(0, 1), exclude=True),
        case(op, distinct(2, 3, low=0.5, high=1.5), axis=()),
        case(op, distinct(2, 3, low=0.5, high=1.5), keepdims=True),
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


CASES = [
    *(each for op in _ALL for each in _every_reduction(op)),
    case("sum_axis", uniform(2, 3), axis=0),
    case("max_axis", distinct(2, 3), axis=0),
    case("min_axis", distinct(2, 3), axis=0),
    # Every element that ties gets the whole gradient.
    case("max", array([[1, 3, 3], [3, 0, 1]])),
    case("max", array([[1, 3, 3], [2, 2, 2]]), axis=1),
    case("min", array([[1, 3, 1], [2, 2, 2]]), axis=-1, keepdims=True),
    case("max", array([[1, _NAN, 3], [2, 2, 4]]), axis=1, grad=False),
    case("min", array([[_NAN, 1, 3], [2, 2, 4]]), axis=1, grad=False),
    case("sum", array([[1, _NAN], [2, 3]]), axis=1, grad=False),
    case("nansum", array([[1, _NAN, 2], [_NAN, _NAN, _NAN]]), axis=1),
    case("nanprod", array([[1.5, _NAN, 2], [_NAN, _NAN, _NAN]]), axis=1),
    case("nanprod", array([[1.5, _NAN, 2], [3, 4, _NAN]])),
    # The product is divided by each factor.
    case("prod", array([[0, 2, 3], [0, 0, 2], [1, 2, 4]]), axis=1),
    case("nanprod", array([[0, _NAN, 3], [0, 0, 2]])),
    case("norm", zeros(2, 3), axis=1),
    case("norm", uniform(2, 3, 4)),
    case("norm", uniform(2, 3, 4), axis=1),
    case("norm", uniform(2, 3, 4), axis=(0, -1), keepdims=True),
    case("norm", uniform(2, 3, 4, avoid=(0.0,)), ord=1),
    case("norm", array([[3, -4, 0], [1, 0, -1]]), ord=1, axis=1),
    case("norm", uniform(2, 3), axis=(), out_dtype="float32"),
    case("norm", uniform(2, 3, dtype="float64"), axis=-1),
    case("norm", uniform(2, 3, dtype="float16"), axis=0, out_dtype="float16"),
    # Only with one non-zero element: MXNet cuts off intermediate results, so its integer norms are too small.
    case("norm", array([[0, -7, 0], [0, 0, 5]], dtype="int32"), axis=1),
    case("norm", integers(2, 3, low=-9, dtype="int8"), ord=1, axis=1),
    case("norm", array([[1, 0], [0, 0]], dtype="bool"), axis=1),
    case("norm", uniform(2, 3), ord=3, error=True),
    case("norm", uniform(2, 3), axis=2, error=True),
    *(
        each
        for op in ("argmax", "argmin")
        for each in (
            case(op, distinct(2, 3, 4)),
            case(op, distinct(2, 3, 4), axis=1),
            case(op, distinct(2, 3, 4), axis=-1, keepdims=True),
            case(op, distinct(2, 3), keepdims=True),
            case(op, distinct(5, dtype="float64"), axis=0),
            case(op, distinct(2, 5, dtype="float16"), axis=1),
            case(op, integers(3, 5), axis=1),
            case(op, integers(3, 5, dtype="uint8"), axis=0),
            case(op, integers(3, 5, dtype="int64")),
            case(op, array([[1, 3, 3, 1], [0, 0, 0, 0], [2, 1, 1, 2]]), axis=1),
            case(op, array([[_NAN, 3, 1], [3, _NAN, 1], [1, _NAN, _NAN]]), axis=1),
            case(op, uniform(2, 3), axis=2, error=True),
            case(op, ones(2, 3, dtype="bool"), axis=1, error=True),
        )
    ),
    case("argmax_channel", distinct(3, 4), grad=False),
    case("argmax_channel", distinct(2, 3, 4, dtype="float64"), grad=False),
    case("argmax_channel", integers(2, 3), grad=False),
    case("argmax_channel", uniform(3), error=True),
    case("moments", uniform(2, 3, 4), axes=(0, 2)),
    case("moments", uniform(2, 3, 4), axes=(-1,), keepdims=True),
    case("moments", uniform(2, 3, dtype="float64"), axes=(0, 1)),
    case("moments", uniform(4, 3, dtype="float16"), axes=(0,)),
    case("moments", array([[3, 1, 2], [0, 5, 5]], dtype="int32"), axes=(1,)),
    case("moments", uniform(2, 3), error=True),
    case("moments", uniform(2, 3), axes=(2,), error=True),
    case("moments", full(2, 3, value=1, dtype="bool"), axes=(0,), error=True),
    case("cumsum", uniform(2, 3, 4)),
    case("cumsum", uniform(2, 3, 4), axis=1),
    case("cumsum", uniform(2, 3, dtype="float64"), axis=0),
    case("cumsum", uniform(2, 3), axis=1, dtype="float64"),
    case("cumsum", integers(2, 3), axis=1),
    case("cumsum", integers(2, 3, dtype="int8"), axis=1, dtype="int32"),
    case("cumsum", array([[1, 0, 1]], dtype="bool"), axis=1),
    case("cumsum", uniform(2, 3), axis=2, error=True),
]
