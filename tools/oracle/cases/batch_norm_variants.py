"""Cases of batch normalization across devices and with an activation."""

from ..case import case, ones, uniform

_SYNC, _RELU = "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU"
_STATES = (uniform(3, low=0.5, high=1.5), uniform(3), uniform(3), uniform(3, low=0.5, high=2))

CASES = [
    case(_SYNC, uniform(2, 3, 4), *_STATES, key="a", fix_gamma=False, train=True, no_grad=(3, 4), out=False),
    case(
        _SYNC,
        uniform(2, 3, 2, 4),
        ones(3),
        *_STATES[1:],
        key="b",
        eps=1e-2,
        momentum=0.5,
        train=True,
        no_grad=(3, 4),
        out=False,
    ),
    case(_SYNC, uniform(2, 3), *_STATES, key="c", fix_gamma=False, grad=False),
    case(
        _SYNC,
        uniform(2, 3, 4),
        *_STATES,
        key="d",
        fix_gamma=False,
        output_mean_var=True,
        train=True,
        no_grad=(3, 4),
        head_outputs=(0,),
    ),
    case(_SYNC, uniform(2, 3, 4), *_STATES, fix_gamma=False, grad=False, error=True),
    case(_RELU, uniform(2, 3, 4, 4), *_STATES, fix_gamma=False, train=True, no_grad=(3, 4), out=False),
    case(_RELU, uniform(2, 3, 4, 4), *_STATES, fix_gamma=False, eps=1e-5, grad=False),
    case(_RELU, uniform(2, 3, 4, 4), *_STATES, axis=7, grad=False, error=True),
]
