"""Cases of first versions of layers. MXNet's Python part cannot give BatchNorm_v1 its states."""

from ..case import case, distinct, integers, ones, uniform, zeros

_CONV, _POOL = "Convolution_v1", "Pooling_v1"

CASES = [
    case(_CONV, uniform(2, 3, 5, 4), uniform(2, 3, 3, 2), uniform(2), kernel=(3, 2), num_filter=2),
    case(
        _CONV,
        uniform(1, 4, 7, 7, dtype="float64"),
        uniform(2, 2, 3, 3, dtype="float64"),
        kernel=(3, 3),
        num_filter=2,
        num_group=2,
        stride=(2, 1),
        pad=(1, 2),
        no_bias=True,
    ),
    case(_CONV, uniform(1, 2, 7, 7), uniform(2, 2, 3, 3), kernel=(3, 3), num_filter=2, dilate=(2, 2), no_bias=True),
    case(_CONV, uniform(1, 4, 7, 7), uniform(2, 3, 3, 3), kernel=(3, 3), num_filter=2, no_bias=True, error=True),
    case(_CONV, uniform(2, 3, 4), uniform(2, 3, 3), uniform(2), kernel=(3,), num_filter=2, error=True),
    case(
        _CONV,
        uniform(2, 4, 4, 3),
        uniform(2, 3, 3, 3),
        uniform(2),
        kernel=(3, 3),
        num_filter=2,
        layout="NHWC",
        error=True,
    ),
    case(_POOL, distinct(2, 2, 4, 5), kernel=(2, 3)),
    case(_POOL, distinct(1, 1, 4, 4, low=-2, high=-1), kernel=(2, 2), stride=(2, 2), pad=(1, 1)),
    case(_POOL, distinct(1, 1, 4, 4), kernel=(3, 3), stride=(2, 2), pooling_convention="full"),
    case(_POOL, ones(1, 1, 4, 4), kernel=(2, 2), stride=(2, 2)),
    case(_POOL, zeros(1, 1, 4, 4), kernel=(3, 3), stride=(2, 2), pad=(1, 1)),
    case(_POOL, distinct(1, 2, 3, 4, dtype="float64"), global_pool=True),
    case(_POOL, uniform(1, 2, 4, 4), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg"),
    case(
        _POOL,
        uniform(1, 2, 4, 4, dtype="float64"),
        kernel=(3, 3),
        stride=(2, 2),
        pad=(1, 1),
        pool_type="avg",
        pooling_convention="full",
        tolerance=(1e-7, 1e-8),  # MXNet divides by a float32
    ),
    case(_POOL, uniform(1, 2, 4, 5), kernel=(3, 3), stride=(2, 2), pool_type="sum", pooling_convention="full"),
    case(_POOL, uniform(1, 2, 4, 5), kernel=(1, 1), stride=(4, 4), pool_type="sum", pooling_convention="full"),
    case(_POOL, uniform(1, 2, 4, 4), kernel=(3, 3), pad=(1, 1), global_pool=True, pool_type="avg"),
    case(_POOL, distinct(1, 2, 4, 4, dtype="float16"), kernel=(2, 2)),
    case(_POOL, uniform(1, 1, 4, 4), error=True),
    case(_POOL, uniform(1, 1, 4, 4), kernel=(5, 5), error=True),
    case(_POOL, uniform(1, 1, 4), kernel=(2,), error=True),
    case(_POOL, integers(1, 1, 4, 4), kernel=(2, 2), error=True),
]
