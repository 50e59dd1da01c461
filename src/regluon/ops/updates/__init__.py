"""The mathematics of optimizers, and the operators made from it; rule.py says what a rule is."""

from . import adam, adaptive, descent, lamb
from .rule import RULES, Rule, Tensors, run
