"""A network gives the same however it is run."""

from typing import Any

import pytest

from .budget import run
from .compare import check
from .layers import EVERY, StepMaker
from .modes import BLOCKS, CHOICES, SYMBOLS
from .program import Program
from .strategies import programs


@pytest.mark.parametrize(("seed", "first"), list(enumerate(EVERY)), ids=lambda value: getattr(value, "__name__", ""))
def test_a_network_gives_the_same_in_every_mode(seed: int, first: StepMaker) -> None:
    def test(program: Program) -> None:
        eager: dict[int, Any] = {}
        for mode in (*BLOCKS, *SYMBOLS) if program.is_symbolic else BLOCKS:
            check(program, mode, eager)

    run(programs(first), test, seed, max_examples=6)


_CHOSEN = [step for step in EVERY if step.__name__ in ("dense", "convolution", "pooling", "attention", "recurrent")]


@pytest.mark.parametrize(("seed", "first"), list(enumerate(_CHOSEN)), ids=lambda value: getattr(value, "__name__", ""))
def test_every_candidate_among_kernels_gives_the_same(seed: int, first: StepMaker) -> None:
    def test(program: Program) -> None:
        eager: dict[int, Any] = {}
        for mode in CHOICES:
            check(program, mode, eager)

    run(programs(first), test, seed + 100, max_examples=5)
