"""Cases of sampling at computed places. Grids keep away from where a gradient jumps, or lie right there on purpose."""

from ..case import array, case, distinct, integers, uniform

_AFFINE = {"transform_type": "affine"}
_BILINEAR = {"transform_type": "affine", "sampler_type": "bilinear"}
_THETA = [[0.9, 0.2, 0.05, -0.3, 0.8, 0.1], [1.3, -0.1, 0.2, 0.15, 0.7, -0.3]]

CASES = [
    case("BilinearSampler", uniform(2, 3, 4, 5), uniform(2, 2, 3, 2, low=-1.3, high=1.3)),
    case(
        "BilinearSampler",
        uniform(1, 1, 5, 4, dtype="float64"),
        uniform(1, 2, 2, 6, low=-1.6, high=1.6, dtype="float64"),
    ),
    case(
        "BilinearSampler",
        uniform(1, 2, 3, 3),
        array([[[[-1.0, 0.0, 1.0, 1.5]], [[-1.0, 0.0, 1.0, -3.0]]]]),
        cudnn_off=True,
    ),
    case("BilinearSampler", uniform(1, 2, 4, 4, dtype="float16"), uniform(1, 2, 3, 3, dtype="float16"), grad=False),
    case("BilinearSampler", uniform(1, 2, 4, 4), uniform(2, 2, 3, 5), error=True),
    case("BilinearSampler", uniform(1, 2, 4, 4), uniform(1, 3, 3, 5), error=True),
    case("BilinearSampler", uniform(1, 2, 4), uniform(1, 2, 3, 5), error=True),
    case("GridGenerator", uniform(2, 6), target_shape=(3, 4), **_AFFINE),
    case("GridGenerator", array([[1.0, 0, 0, 0, 1, 0]]), target_shape=(2, 5), **_AFFINE),
    case("GridGenerator", uniform(1, 6), target_shape=(1, 3), grad=False, **_AFFINE),
    case("GridGenerator", uniform(2, 2, 3, 4), transform_type="warp"),
    case("GridGenerator", uniform(1, 2, 2, 2, low=-3, high=3), transform_type="warp", target_shape=(5, 5)),
    case("GridGenerator", uniform(1, 5), target_shape=(2, 3), error=True, **_AFFINE),
    case("GridGenerator", uniform(1, 6), error=True, **_AFFINE),
    case("GridGenerator", uniform(1, 3, 3, 4), transform_type="warp", error=True),
    case("SpatialTransformer", uniform(2, 3, 5, 6), array(_THETA), target_shape=(4, 3), **_BILINEAR),
    case(
        "SpatialTransformer",
        uniform(1, 1, 3, 4, dtype="float64"),
        array(_THETA[1:], "float64"),
        target_shape=(5, 5),
        **_BILINEAR,
    ),
    case("SpatialTransformer", uniform(1, 2, 4, 5), uniform(1, 6), error=True, **_BILINEAR),
    case("SpatialTransformer", uniform(1, 2, 4, 5), uniform(1, 5), target_shape=(2, 2), error=True, **_BILINEAR),
    case("Correlation", uniform(2, 3, 4, 5), uniform(2, 3, 4, 5)),
    case(
        "Correlation",
        uniform(1, 2, 6, 7),
        uniform(1, 2, 6, 7),
        kernel_size=3,
        max_displacement=2,
        stride1=2,
        stride2=2,
        pad_size=2,
    ),
    case("Correlation", distinct(1, 2, 4, 4), distinct(1, 2, 4, 4, high=2), is_multiply=False, pad_size=1),
    case(
        "Correlation",
        integers(1, 2, 4, 4, low=-1, high=2, dtype="float32"),
        integers(1, 2, 4, 4, low=-1, high=2, dtype="float32"),
        is_multiply=False,
        kernel_size=3,
        pad_size=2,
    ),
    case(
        "Correlation",
        uniform(1, 1, 6, 5, dtype="float64"),
        uniform(1, 1, 6, 5, dtype="float64"),
        max_displacement=0,
        stride1=3,
    ),
    case("Correlation", uniform(1, 2, 6, 6), uniform(1, 2, 6, 6), kernel_size=2, error=True),
    case("Correlation", uniform(1, 2, 2, 2), uniform(1, 2, 2, 2), max_displacement=3, error=True),
    case("Correlation", uniform(1, 2, 2), uniform(1, 2, 2), error=True),
]
