"""Orders in which programs switch NumPy shapes and arrays, for MXNet and this library alike.

A state is two digits, shapes and arrays: "10" is NumPy shapes without NumPy arrays.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from mxnet import npx, util

SCOPES: dict[str, Callable[[], Any]] = {
    "np_shape(1)": lambda: util.np_shape(True),
    "np_shape(0)": lambda: util.np_shape(False),
    "np_shape(None)": lambda: util.np_shape(None),
    "np_array(1)": lambda: util.np_array(True),
    "np_array(0)": lambda: util.np_array(False),
}
CALLS: dict[str, Callable[[], Any]] = {
    "set_np_shape(1)": lambda: util.set_np_shape(True),
    "set_np_shape(0)": lambda: util.set_np_shape(False),
    "set_np(1,1)": util.set_np,
    "set_np(1,0)": lambda: util.set_np(True, False),
    "set_np(0,1)": lambda: util.set_np(False, True),
    "set_np(0,0)": lambda: util.set_np(False, False),
    "reset_np()": util.reset_np,
    "npx.set_np()": npx.set_np,
    "npx.reset_np()": npx.reset_np,
}
DECORATORS: dict[str, Callable[..., Any]] = {
    "use_np": util.use_np,
    "use_np_shape": util.use_np_shape,
    "use_np_array": util.use_np_array,
}
STATES = ("00", "10", "11", "01")


def state() -> str:
    """Return the switches in force."""
    return f"{int(util.is_np_shape())}{int(util.is_np_array())}"


def set_state(wanted: str) -> None:
    """Put the switches into any state, also the one that `set_np` refuses."""
    current = util._NumpyArrayScope._current
    current.value = util._NumpyArrayScope(False)
    util.set_np_shape(wanted[0] == "1")
    current.value = util._NumpyArrayScope(wanted[1] == "1")


def programs() -> dict[str, tuple[str, ...]]:
    """Return programs by name: steps that are nested if they are scopes or decorators, and follow each other if not."""
    scopes = [each for length in (1, 2, 3) for each in itertools.product(SCOPES, repeat=length)]
    calls = [each for length in (1, 2) for each in itertools.product(CALLS, repeat=length)]
    mixed = list(itertools.product((*SCOPES, *DECORATORS), CALLS))
    decorated = [*itertools.product(DECORATORS, SCOPES), *itertools.product(DECORATORS, repeat=2)]
    alone = [(each,) for each in DECORATORS]
    steps = [*scopes, *calls, *mixed, *decorated, *alone]
    return {f"{start}: {', '.join(each)}": (start, *each) for start in STATES for each in steps}


def run(start: str, *steps: str) -> str:
    """Return the states after every step, the errors, and the state at the end, as one text."""
    seen: list[str] = []

    def go(rest: tuple[str, ...]) -> None:
        seen.append(state())
        if not rest:
            return
        name, rest = rest[0], rest[1:]
        if name in SCOPES:
            with SCOPES[name]():
                go(rest)
        elif name in DECORATORS:
            DECORATORS[name](lambda: go(rest))()
        else:
            CALLS[name]()
            go(rest)

    set_state(start)
    try:
        go(steps)
    except ValueError:
        seen.append("ValueError")
    seen.append(state())
    set_state("00")
    return " ".join(seen)
