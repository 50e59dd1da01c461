"""Automatic gradients: recording what is computed, and differentiating it."""

from regluon.array.autograd import *  # noqa: F403
from regluon.array.autograd import __all__ as __all__
from regluon.array.autograd import run_function as run_function
