"""A network gives the same however it is run."""

from typing import Any

from hypothesis import given

from .budget import bounded
from .compare import check
from .modes import BLOCKS, CHOICES, SYMBOLS
from .program import Program
from .strategies import programs


@bounded(60)
@given(programs())
def test_a_network_gives_the_same_in_every_mode(program: Program) -> None:
    eager: dict[int, Any] = {}
    # A length of 0 in the shapes of a symbol means that it is not known, as in MXNet.
    for mode in BLOCKS if program.is_empty else (*BLOCKS, *SYMBOLS):
        check(program, mode, eager)


@bounded(30)
@given(programs())
def test_every_candidate_among_kernels_gives_the_same(program: Program) -> None:
    eager: dict[int, Any] = {}
    for mode in CHOICES:
        check(program, mode, eager)
