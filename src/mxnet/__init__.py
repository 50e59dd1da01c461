"""Regluon: Apache MXNet and Gluon alive again, on PyTorch's kernels."""

from . import attribute, autograd, base, context, error, name, ndarray, ops
from . import ndarray as nd
from .attribute import AttrScope
from .base import MXNetError
from .context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from .libinfo import __version__
