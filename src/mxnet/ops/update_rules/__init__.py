"""The mathematics of optimizers, apart from the operators and classes that use it; steps.py says how rules look."""

from . import adam, adaptive, descent
from .adam import lamb_direction, lamb_move
from .run import check_alike, rounded, run
from .steps import RULES, Rule, Tensors
