"""Automatic gradients as they were before `mxnet.autograd`: one switch for recording and training mode."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..autograd import backward as differentiate
from ..autograd import mark_variables, set_recording, set_training
from ..ndarray import NDArray, zeros_like

Result = TypeVar("Result")

__all__ = [
    "TrainingStateScope",
    "backward",
    "compute_gradient",
    "grad",
    "grad_and_loss",
    "mark_variables",
    "set_is_training",
    "test_section",
    "train_section",
]


def set_is_training(is_train: bool) -> bool:
    """Switches recording and training mode on or off together.

    Returns:
        Whether recording was on.
    """
    set_training(bool(is_train))
    return set_recording(bool(is_train))


class TrainingStateScope:
    """`with TrainingStateScope(True):` records, in training mode; with False neither.

    Args:
        enter_state: whether to record.
    """

    def __init__(self, enter_state: bool) -> None:
        self._enter_state = enter_state
        self._previous = enter_state

    def __enter__(self) -> None:
        self._previous = set_is_training(self._enter_state)

    def __exit__(self, *exception: object) -> None:
        if self._previous != self._enter_state:
            set_is_training(self._previous)


def train_section() -> TrainingStateScope:
    """`with train_section():` records what is computed, in training mode."""
    return TrainingStateScope(True)


def test_section() -> TrainingStateScope:
    """`with test_section():` stops recording inside a `train_section`."""
    return TrainingStateScope(False)


test_section.__test__ = False  # type: ignore[attr-defined]  # pytest takes functions of such names for tests


def backward(outputs: Sequence[NDArray], out_grads: Any = None, retain_graph: bool = False) -> None:
    """Writes the gradients of `outputs` to the variables they were recorded from.

    Args:
        outputs: a list or tuple of arrays.
        out_grads: weights of their elements, in which None stands for ones; None for ones throughout.
        retain_graph: keep the graph for another backward.
    """
    if not isinstance(outputs, (list, tuple)):
        raise AssertionError(
            f"[contrib.autograd.backward] outputs: received {type(outputs).__name__}; outputs must be a list or tuple "
            "of NDArrays."
        )
    differentiate(outputs, out_grads, retain_graph)


def compute_gradient(outputs: Sequence[NDArray]) -> None:
    """The same as `backward(outputs)`, under an older name."""
    backward(outputs)


def grad_and_loss(
    func: Callable[..., Result], argnum: int | list[int] | None = None
) -> Callable[..., tuple[list[NDArray], Result]]:
    """A function that returns the gradients of a function's arguments, and its result.

    Args:
        func: from arrays to an array or several.
        argnum: the places of the arguments to differentiate; all by default.
    """

    @functools.wraps(func)
    def with_gradients(*args: Any) -> tuple[list[NDArray], Result]:
        places = range(len(args)) if argnum is None else argnum if isinstance(argnum, list) else [argnum]
        variables = [args[place] for place in places]
        for place, variable in zip(places, variables, strict=True):
            if not isinstance(variable, NDArray):
                raise AssertionError(
                    f"[grad_and_loss] argument {place}: received {type(variable).__name__}; type of autograd input "
                    "should be NDArray."
                )
        gradients = [zeros_like(variable) for variable in variables]
        mark_variables(variables, gradients)
        with train_section():
            outputs = func(*args)
        results: Any = [outputs] if isinstance(outputs, NDArray) else outputs
        compute_gradient(results)
        return gradients, outputs

    return with_gradients


def grad(func: Callable[..., Any], argnum: int | list[int] | None = None) -> Callable[..., list[NDArray]]:
    """A function that returns the gradients of a function's arguments.

    Args:
        func: from arrays to an array or several.
        argnum: the places of the arguments to differentiate; all by default.
    """
    with_result = grad_and_loss(func, argnum)

    @functools.wraps(func)
    def gradients(*args: Any) -> list[NDArray]:
        return with_result(*args)[0]

    return gradients
