"""Cases of Hawkes processes. Only the first three inputs have a gradient in MXNet."""

from ..case import array, case, integers, uniform

_NAME = "_contrib_hawkesll"
_FIXED = (3, 4, 5, 6, 7)

CASES = [
    case(
        _NAME,
        array([[1, 2], [2, 1]]),
        array([0.2, 0.3]),
        array([1, 2]),
        array([[0.5, 0.1], [0.2, 0.7]]),
        array([[1, 2, 3], [0.5, 0.2, 0.1]]),
        array([[0, 1, 0], [1, 1, 0]], "int32"),
        array([3, 2]),
        array([7, 1]),
        no_grad=_FIXED,
    ),
    case(
        _NAME,
        uniform(3, 4, low=0.5, high=2, dtype="float64"),
        uniform(4, low=0.1, high=0.9, dtype="float64"),
        uniform(4, low=0.5, high=3, dtype="float64"),
        uniform(3, 4, low=0, high=1, dtype="float64"),
        uniform(3, 6, low=0.1, high=1, dtype="float64"),
        integers(3, 6, high=4),
        array([6, 3, 0], "float64"),
        array([7, 6, 5], "float64"),
        no_grad=_FIXED,
        tolerance=(1e-6, 1e-6),  # MXNet takes exponentials and logarithms of float32
    ),
    case(
        _NAME,
        uniform(2, 1, low=0.5, high=2),
        uniform(1, low=0.1, high=0.9),
        uniform(1, low=0.5, high=3),
        uniform(2, 1, low=0, high=1),
        uniform(2, 5, low=0.1, high=1),
        array([[0, 0, 0, 7, 9], [0, 0, 0, 0, 0]], "int32"),
        array([3, 5]),
        array([4, 6]),
        no_grad=_FIXED,
    ),
    case(
        _NAME,
        uniform(1, 2),
        uniform(2),
        uniform(2),
        uniform(1, 2),
        uniform(1, 3),
        array([[0, 1, 0]]),
        array([3]),
        array([7]),
        error=True,
    ),
    case(
        _NAME,
        uniform(1, 2),
        uniform(3),
        uniform(2),
        uniform(1, 2),
        uniform(1, 3),
        array([[0, 1, 0]], "int32"),
        array([3]),
        array([7]),
        error=True,
    ),
]
