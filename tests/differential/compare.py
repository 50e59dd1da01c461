"""Whether two runs computed the same."""

from typing import Any

import numpy as np

from mxnet.base import MXNetError

from .modes import EAGER, Mode
from .program import Program, loaded

# Of the largest number of an array, or a part of the largest of all: sums are taken in another order, and the gradient
# of what a normalization takes out again is nothing but rounding errors.
_TOLERANCES = {"float16": 3e-2, "float32": 2e-4, "float64": 1e-9}
_PART = 0.1
_OTHER_SEEDS = (1, 2)

Log = list[tuple[str, np.ndarray]]


def difference(expected: Log, actual: Log, dtype: str) -> str | None:
    """What differs first between two runs; None if nothing does.

    Args:
        expected: names and values of the eager run.
        actual: those of the other.
        dtype: the least precise type that took part.
    """
    names, others = [name for name, _ in expected], [name for name, _ in actual]
    if names != others:
        return f"computed {others}\neager    {names}"
    least = _PART * max((_largest(values) for _, values in expected), default=0.0)
    for number, ((name, left), (_, right)) in enumerate(zip(expected, actual, strict=True)):
        found = _unlike(left, right, _TOLERANCES[dtype] * max(_largest(left), least))
        if found:
            return f"result {number}, {name}: {found}"
    return None


def _ordinary(values: np.ndarray) -> np.ndarray:
    """Which numbers are compared with a tolerance: not nan, not infinite, not the least or largest there are."""
    if values.dtype.kind != "f":
        return np.ones(values.shape, bool)
    with np.errstate(invalid="ignore"):
        return np.abs(values) < np.finfo(values.dtype).max / 4


def _largest(values: np.ndarray) -> float:
    return float(np.abs(values[_ordinary(values)]).max(initial=0))


def _unlike(left: np.ndarray, right: np.ndarray, tolerance: float) -> str | None:
    if (left.shape, left.dtype) != (right.shape, right.dtype):
        return f"shape {right.shape} and dtype {right.dtype}; eager has {left.shape} and {left.dtype}"
    if left.dtype.kind != "f":
        return None if np.array_equal(left, right) else f"{right}\neager: {left}"
    ordinary = _ordinary(left)
    rest = ~ordinary
    if np.array_equal(ordinary, _ordinary(right)) and np.allclose(left[rest], right[rest], rtol=1e-2, equal_nan=True):
        worst = np.abs(left[ordinary].astype("float64") - right[ordinary]).max(initial=0)
        if worst <= tolerance:
            return None
    with np.printoptions(threshold=64, precision=5):
        return f"\n{right}\neager:\n{left}"


def check(program: Program, mode: Mode, eager: "dict[int, Any]") -> None:
    """Runs a program eagerly and in another way; a difference must stay with other numbers to count.

    A rounding error may turn the sign of a number that `relu` or a maximum looks at, or decide what is larger of two;
    it will not do so again with other numbers.

    Args:
        program: what to run.
        mode: the other way.
        eager: results of the eager run by seed; filled as needed.
    """
    names = loaded(program.source())
    found = None
    for seed in (0, *_OTHER_SEEDS):
        names["SEED"] = seed
        if seed not in eager:
            eager[seed] = _outcome(names, EAGER)
        found = _compared(eager[seed], _outcome(names, mode), program.lowest or program.dtype)
        if found is None:
            return
    raise AssertionError(report(program, mode, str(found)))


def _outcome(names: dict[str, Any], mode: Mode) -> "Log | Exception":
    """The log of a run, or what it raised."""
    prepare = eval(f"lambda net: {mode.prepare}", names)
    finish = eval(mode.finishing(), names)
    with mode.active():
        try:
            log: Log = names["run"](prepare, finish)
        except Exception as error:  # whatever it is, the program that raises it is to be shown
            return error
    return log


def _compared(expected: "Log | Exception", actual: "Log | Exception", dtype: str) -> str | None:
    if "not part of a recorded graph" in str(expected):
        # A result that no variable leads to: as in MXNet, all results of one compiled call belong to one graph.
        return None
    if isinstance(expected, Exception) and not isinstance(expected, MXNetError):
        return f"eager execution raises {expected!r}"
    if isinstance(expected, Exception):
        return None if isinstance(actual, MXNetError) else f"eager execution raises {expected!r}, this does not"
    if isinstance(actual, Exception):
        return f"raises {actual!r}, eager execution does not"
    return difference(expected, actual, dtype)


def report(program: Program, mode: Mode, found: str) -> str:
    """A program that shows the difference."""
    ending = f"""
expected = run(lambda net: None, lambda net, inputs, grad_reqs: net)
{mode.source()}
actual = run(prepare, finish)
for (name, left), (_, right) in zip(expected, actual):
    print(name, np.allclose(left, right, 1e-3, 1e-4, equal_nan=True))
"""
    return f"{mode.name}: {found}\n\n# ---- a program that shows it ----\n{program.source()}\n{ending}"
