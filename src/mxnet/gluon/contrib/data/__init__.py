"""Contributed samplers."""

from . import sampler
from .sampler import IntervalSampler as IntervalSampler
