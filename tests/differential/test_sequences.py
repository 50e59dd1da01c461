"""A network gives the same however it is run, whatever happens between the calls."""

from typing import Any

import pytest

from .budget import run
from .compare import check
from .modes import BLOCKS
from .program import Program
from .sequences import KINDS, sequences


@pytest.mark.parametrize(("seed", "kind"), list(enumerate(KINDS)))
def test_changes_between_calls_are_seen_in_every_mode(seed: int, kind: str) -> None:
    def test(program: Program) -> None:
        eager: dict[int, Any] = {}
        for mode in BLOCKS:
            check(program, mode, eager)

    run(sequences(kind), test, seed, max_examples=10)
