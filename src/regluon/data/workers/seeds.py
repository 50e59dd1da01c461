"""Random numbers in workers: every batch has a seed of its own, so results do not depend on who reads it."""

import random

import numpy as np
import torch

from ...context import cpu
from ...rng import generator, seed_all


def draw_seed() -> int:
    """A number from the generator that `mx.random.seed` sets: the root of all seeds of one pass."""
    return int(torch.randint(2**62, (), generator=generator(cpu())))


def batch_seed(root: int, number: int) -> int:
    """The seed of one batch of a pass."""
    return int(np.random.SeedSequence((root, number)).generate_state(1, np.uint64)[0]) >> 1


def seed_process(seed: int) -> None:
    """Seeds all that a transform may draw from, in a process where nobody else draws."""
    seed_all(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)
