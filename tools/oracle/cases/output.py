"""Output layers."""

from ..case import Input, array, case, integers, normal, uniform

_IGNORING = {"use_ignore": True, "ignore_label": 1}
# MXNet keeps grad_scale divided by the number of outputs in float32.
_SINGLE = (1e-6, 1e-7)


def _classes(*shape: int, high: int, dtype: str = "float32") -> Input:
    return integers(*shape, high=high, dtype=dtype)


CASES = [
    case("SoftmaxOutput", normal(3, 4), array([0, 3, 1])),
    case("SoftmaxOutput", normal(3, 4), array([0, 3, 1]), grad_scale=2.5, train=True),
    case(
        "SoftmaxOutput",
        normal(3, 4, dtype="float64"),
        label=array([0, 3, 1], dtype="float64"),
        normalization="batch",
        tolerance=_SINGLE,
    ),
    case("SoftmaxOutput", normal(3, 4, dtype="float16"), array([0, 3, 1], dtype="float16")),
    case("SoftmaxOutput", normal(3, 4), array([0, 3, 1]), normalization="valid"),
    case("SoftmaxOutput", normal(3, 4), array([0, -1, 1]), normalization="valid"),
    case("SoftmaxOutput", normal(3, 4), array([0, -1, 1]), normalization="valid", use_ignore=True, grad_scale=3.0),
    case("SoftmaxOutput", normal(3, 4), array([-1, -1, -1]), normalization="valid", use_ignore=True),
    case("SoftmaxOutput", normal(3, 4), array([0, 3, 1]), normalization="batch", **_IGNORING),
    case("SoftmaxOutput", normal(3, 4), array([0, 3, 1]), **_IGNORING),
    case("SoftmaxOutput", normal(3, 4), array([0.7, 3.9, 1.2]), **_IGNORING),
    case("SoftmaxOutput", normal(3, 4), array([-1, 4, 1])),
    case("SoftmaxOutput", normal(3, 4), array([0, 3, 1]), smooth_alpha=0.2),
    case("SoftmaxOutput", normal(3, 4), array([0, -1, 7]), smooth_alpha=0.2),
    case("SoftmaxOutput", normal(3, 4), array([0, 3, 1]), smooth_alpha=0.2, normalization="valid", **_IGNORING),
    case("SoftmaxOutput", normal(3, 4), array([0, 3, 1]), out_grad=True),
    case("SoftmaxOutput", normal(2, 3), uniform(2, 3, low=0), grad_scale=2.0, normalization="batch"),
    case("SoftmaxOutput", normal(2, 3), uniform(2, 3, low=0), smooth_alpha=0.3, out_grad=True, use_ignore=True),
    case("SoftmaxOutput", normal(3), array([0, 1, 2])),
    case("SoftmaxOutput", normal(3), array([0, 1, 2]), preserve_shape=True),
    case("SoftmaxOutput", normal(2, 3, 2), array([[0, 4, 1], [2, 2, 1]])),
    case("SoftmaxOutput", normal(2, 3, 2), array([[0, 4, 1], [2, 2, 1]]), normalization="batch"),
    case("SoftmaxOutput", normal(2, 3, 2), array([[0, 4, 1], [2, 2, 1]]), normalization="valid", ignore_label=2),
    case("SoftmaxOutput", normal(2, 3, 2), uniform(2, 3, 2, low=0)),
    case("SoftmaxOutput", normal(2, 3, 4), _classes(2, 3, high=4), preserve_shape=True),
    case(
        "SoftmaxOutput", normal(2, 3, 4), _classes(2, 3, high=4), preserve_shape=True, smooth_alpha=0.1, out_grad=True
    ),
    case(
        "SoftmaxOutput",
        normal(2, 3, 4),
        _classes(2, 3, high=3),
        preserve_shape=True,
        normalization="valid",
        **_IGNORING,
    ),
    case("SoftmaxOutput", normal(2, 3, 4), _classes(2, 3, high=4), preserve_shape=True, normalization="batch"),
    case("SoftmaxOutput", normal(2, 3, 4), uniform(2, 3, 4, low=0), preserve_shape=True),
    case("SoftmaxOutput", normal(2, 3, 4), _classes(2, 4, high=3), multi_output=True),
    case("SoftmaxOutput", normal(2, 3, 2, 2), _classes(2, 2, 2, high=3), multi_output=True, grad_scale=0.5),
    case("SoftmaxOutput", normal(2, 3, 2, 2), _classes(2, 4, high=3), multi_output=True, normalization="batch"),
    case("SoftmaxOutput", normal(2, 3, 2, 2), _classes(2, 1, 2, 2, high=3), multi_output=True, normalization="valid"),
    case(
        "SoftmaxOutput", normal(2, 3, 4), _classes(2, 4, high=3), multi_output=True, normalization="valid", **_IGNORING
    ),
    case("SoftmaxOutput", normal(2, 3, 4), _classes(2, 4, high=3), multi_output=True, smooth_alpha=0.3, **_IGNORING),
    case("SoftmaxOutput", normal(2, 3, 4), _classes(2, 4, high=3), multi_output=True, out_grad=True),
    case("SoftmaxOutput", normal(2, 3, 4), uniform(2, 3, 4, low=0), multi_output=True),
    case("SoftmaxOutput", normal(2, 3), array([0, 2]), multi_output=True),
    case("SoftmaxOutput", normal(2, 3), array([[0], [2]]), multi_output=True, preserve_shape=True),
    case("SoftmaxOutput", normal(2, 3, 4), _classes(2, 4, high=3), multi_output=True, preserve_shape=True),
    case("SoftmaxOutput", uniform(2, 3), array([[0], [2]]), error=True),
    case("SoftmaxOutput", uniform(2, 3), array([0, 1, 2]), error=True),
    case("SoftmaxOutput", uniform(2, 3, 4), array([0, 1]), error=True),
    case("SoftmaxOutput", uniform(2, 3, 4), _classes(8, high=3), multi_output=True, error=True),
    case("SoftmaxOutput", uniform(2, 3), array([0, 1], dtype="int32"), error=True),
    case("SoftmaxOutput", integers(2, 3), array([0, 1], dtype="int32"), error=True),
    case("Softmax", normal(3, 4), array([0, 3, 1])),
    *(
        each
        for op in ("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput")
        for each in (
            case(op, normal(2, 3), normal(2, 3)),
            case(op, normal(2, 1), normal(2), grad_scale=3.0),
            case(op, normal(2), label=normal(2, 1)),
            case(op, normal(2, 3, 2, dtype="float64"), normal(2, 3, 2, dtype="float64"), tolerance=_SINGLE),
            case(op, normal(2, 3, 2), normal(2, 6), grad_scale=0.5, train=True),
            case(op, normal(2, 3, dtype="float16"), normal(2, 3, dtype="float16")),
            case(op, uniform(2, 3), uniform(2), error=True),
            case(op, uniform(2, 3), uniform(3, 2), error=True),
            case(op, uniform(2, 3), uniform(2, 3, dtype="float64"), error=True),
            case(op, integers(2, 3), integers(2, 3), error=True),
        )
    ),
    case("MAERegressionOutput", array([[1.0, 2.0, 3.0]]), array([[1.0, 3.0, 2.0]])),
    case("MakeLoss", normal(2, 3)),
    case("MakeLoss", normal(2, 3, dtype="float64"), grad_scale=0.5, train=True),
    case("MakeLoss", normal(4, 3), normalization="batch", grad_scale=2.0),
    case("MakeLoss", normal(4), normalization="batch", grad_scale=2.0),
    case("MakeLoss", normal(4, 3), normalization="valid"),
    case("MakeLoss", normal(4, 3, dtype="float16"), normalization="valid", valid_thresh=0.5, grad_scale=3.0),
    case("MakeLoss", normal(4, 3), normalization="valid", valid_thresh=50.0),
    case("MakeLoss", integers(2, 3), error=True),
    case("MakeLoss", uniform(2, 3), normalization="all", error=True),
    case("SVMOutput", normal(3, 4), array([0, 3, 1])),
    case("SVMOutput", normal(3, 4), array([0, 3, 1]), use_linear=True),
    case(
        "SVMOutput", normal(2, 3, dtype="float64"), array([2, 7], "float64"), margin=0.5, regularization_coefficient=2.0
    ),
    case("SVMOutput", normal(2, 3, dtype="float16"), array([2, 0], "float16")),
    case("SVMOutput", array([[1.0, -1.0, 0.5], [-1.0, 1.0, 2.0]]), array([0, 1]), use_linear=True, train=True),
    case("SVMOutput", normal(2, 3), array([0, 1, 2]), error=True),
    case("SVMOutput", normal(2, 3), array([0, 1], "float64"), error=True),
    case("SVMOutput", normal(2, 3, 4), array([0, 1]), error=True),
]
