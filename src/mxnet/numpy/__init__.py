"""`mx.np`: NumPy's interface on arrays that live on devices and carry gradients.

from mxnet import np, npx
npx.set_np()
"""

from . import fallback, fallback_linalg, linalg, random
from .arrayprint import set_printoptions as set_printoptions
from .function_base import meshgrid as meshgrid
from .io import genfromtxt as genfromtxt
from .multiarray import *  # noqa: F403
from .stride_tricks import broadcast_arrays as broadcast_arrays
from .utils import *  # noqa: F403
