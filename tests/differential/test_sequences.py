"""A network gives the same however it is run, whatever happens between the calls."""

from typing import Any

from hypothesis import given

from .budget import bounded
from .compare import check
from .modes import BLOCKS
from .program import Program
from .sequences import sequences


@bounded(60)
@given(sequences())
def test_changes_between_calls_are_seen_in_every_mode(program: Program) -> None:
    eager: dict[int, Any] = {}
    for mode in BLOCKS:
        check(program, mode, eager)
