"""First values of parameters: `mx.init`.

An initializer is called with a description of a parameter and the array to fill. The parameter's name decides which of
its methods does it: `_init_weight`, `_init_bias`, `_init_gamma`, `_init_beta`. Your own initializer overrides those it
cares about:

    @mx.init.register
    class Halves(mx.init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = 0.5
"""

from ..ndarray import NDArray, load
from ..util import is_np_array
from ._base import FusedRNN, InitDesc, Initializer, Load, Mixed, alias, create, register
from ._fixed import Bilinear, Constant, LSTMBias, MSRAPrelu, Normal, One, Orthogonal, Uniform, Xavier, Zero

__all__ = [
    "Bilinear",
    "Constant",
    "FusedRNN",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "NDArray",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "is_np_array",
    "load",
    "register",
]
