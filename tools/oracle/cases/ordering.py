"""Cases of the operators that sort."""

from ..case import array, case, distinct, full, integers, uniform

TIES = [[3, 1, 2, 3], [1, 3, 3, 1]]

CASES = [
    *(
        case("topk", distinct(3, 4), ret_typ=ret_typ, **params)
        for ret_typ in ("value", "indices", "mask", "both")
        for params in (
            {"k": 2},
            {"k": 0, "axis": 0},
            {"k": 3, "is_ascend": True},
            {"k": 5, "axis": None},
        )
    ),
    case("topk", distinct(2, 3, 4, dtype="float64"), k=2, axis=1, ret_typ="both", dtype="int32"),
    case("topk", distinct(2, 3, dtype="float16"), k=1, ret_typ="both", dtype="float64"),
    case("topk", integers(3, 5, high=100, dtype="int64"), k=2, ret_typ="value"),
    case("topk", integers(3, 5, high=100, dtype="uint8"), k=2, ret_typ="mask"),
    case("topk", array(TIES), k=3, ret_typ="both"),
    case("topk", array(TIES), k=2, ret_typ="value", is_ascend=True),
    case("topk", full(1, 15, value=1.0), k=4, ret_typ="mask"),
    case("topk", distinct(300, low=0, high=1), k=3, dtype="uint8"),
    case("topk", distinct(2, 40), k=4, ret_typ="both"),
    case("topk", distinct(2, 40), k=4, ret_typ="value", is_ascend=True, axis=-1),
    case("topk", uniform(2, 3), k=-1, ret_typ="value"),
    case("topk", uniform(2, 3), k=4, error=True),
    case("topk", uniform(2, 3), axis=2, error=True),
    # Without an axis given, MXNet cannot differentiate.
    case("sort", distinct(3, 4), axis=-1),
    case("sort", distinct(3, 4), axis=0, is_ascend=False),
    case("sort", distinct(2, 3, 4, dtype="float64"), axis=1),
    case("sort", array(TIES), axis=None),
    case("sort", integers(3, 5, low=-50, high=50, dtype="int8")),
    case("sort", distinct(3, 4), grad=False),
    case("sort", uniform(2, 3), axis=5, error=True),
    case("argsort", distinct(3, 4)),
    case("argsort", distinct(3, 4, dtype="float64"), axis=0, is_ascend=False, dtype="int32"),
    case("argsort", array(TIES), axis=None),
    case("argsort", array(TIES), is_ascend=False, dtype="int64"),
    case("argsort", integers(3, 5), dtype="uint8"),
    case("argsort", uniform(2, 3), axis=3, error=True),
]
