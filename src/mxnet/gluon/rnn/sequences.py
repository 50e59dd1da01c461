"""Sequences for recurrent cells: one array with an axis of time, or a list with an array for each step."""

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

import mxnet.ndarray as F

from ...error import OpParamError
from ...ndarray import NDArray

__all__ = ["CellError", "TimeLayout", "call_maker", "first_states", "last_valid", "reversed_steps"]


class CellError(OpParamError, AssertionError):
    """A recurrent network was used in a way it does not allow: MXNet raised an AssertionError or a ValueError there."""


class TimeLayout:
    """Where time and batch are in a sequence.

    Args:
        layout: letters of the axes, such as 'NTC': T is time, N the batch.
        who: the block, for error texts.
    """

    def __init__(self, layout: str, who: str) -> None:
        if not isinstance(layout, str) or "T" not in layout or "N" not in layout:
            raise CellError(
                f"[{who}] layout: received {layout!r}; expected letters with T and N, such as 'NTC' or 'TNC'."
            )
        self.axis, self.batch_axis = layout.index("T"), layout.index("N")
        self._layout, self._who = layout, who

    def check(self, inputs: Any, length: int | None) -> int:
        """The number of steps; refuses inputs that are no sequence of the length that was asked for."""
        if isinstance(inputs, NDArray):
            if inputs.ndim <= self.axis:
                raise CellError(
                    f"[{self._who}] received inputs of shape {inputs.shape}; expected time on axis {self.axis}, as the "
                    f"layout {self._layout!r} says."
                )
            steps = inputs.shape[self.axis]
        elif isinstance(inputs, Sequence) and not isinstance(inputs, str):
            steps = len(inputs)
        else:
            raise CellError(
                f"[{self._who}] received inputs of type {type(inputs).__name__}; expected an array, or a list with an "
                "array for each step."
            )
        if length is not None and length != steps:
            raise CellError(
                f"[{self._who}] received length={length} and inputs of {steps} steps in the layout {self._layout!r}; "
                "expected the same number."
            )
        if not steps:
            raise CellError(f"[{self._who}] received inputs without steps; expected at least one.")
        return steps

    def batch_size(self, inputs: Any) -> int:
        """The size of the batch; in a list it is the first axis of each step."""
        return inputs.shape[self.batch_axis] if isinstance(inputs, NDArray) else inputs[0].shape[0]

    def steps(self, inputs: Any) -> list[Any]:
        """The sequence as a list of steps."""
        if not isinstance(inputs, NDArray):
            return list(inputs)
        parts = F.split(inputs, num_outputs=inputs.shape[self.axis], axis=self.axis, squeeze_axis=True)
        return parts if isinstance(parts, list) else [parts]

    def array(self, inputs: Any) -> Any:
        """The sequence as one array."""
        return inputs if isinstance(inputs, NDArray) else F.stack(*inputs, axis=self.axis)

    def arranged(self, sequence: Any, merge: bool | None) -> Any:
        """The sequence as one array (True), as a list of steps (False), or as it is (None)."""
        return sequence if merge is None else self.array(sequence) if merge else self.steps(sequence)

    def masked(self, sequence: Any, valid_length: Any) -> Any:
        """The sequence as one array, with zeros behind the end of each sample."""
        return F.SequenceMask(self.array(sequence), valid_length, use_sequence_length=True, axis=self.axis)


def last_valid(steps: Sequence[Any], valid_length: Any) -> Any:
    """Of arrays for each step, what each sample had at the end of its sequence."""
    return F.SequenceLast(F.stack(*steps, axis=0), valid_length, use_sequence_length=True, axis=0)


def reversed_steps(steps: Sequence[Any], valid_length: Any) -> list[Any]:
    """The steps from the end to the beginning; the end is each sample's own if lengths are given."""
    if valid_length is None:
        return list(reversed(steps))
    turned = F.SequenceReverse(F.stack(*steps, axis=0), valid_length, use_sequence_length=True)
    parts = F.split(turned, num_outputs=len(steps), axis=0, squeeze_axis=True)
    return parts if isinstance(parts, list) else [parts]


def first_states(cell: Any, inputs: Any, batch_size: int) -> list[Any]:
    """Zero states for a cell, on the context of the inputs and, if those are floats, of their dtype."""
    first = inputs if isinstance(inputs, NDArray) else inputs[0]
    make: Any = F.zeros
    if np.dtype(first.dtype).kind == "f":
        make = functools.partial(make, dtype=first.dtype)
    with first.context:
        return cell.begin_state(func=make, batch_size=batch_size)


def call_maker(func: Any, name: str, info: dict[str, Any]) -> Any:
    """Makes a state by a function that takes a shape; one with an argument `name` is told the state's name."""
    given = {key: value for key, value in info.items() if key != "__layout__"}
    try:
        wanted = inspect.signature(func).parameters
    except ValueError:  # a function in C may not tell
        wanted = {}  # type: ignore[assignment]
    if "name" in wanted:
        given["name"] = name
    return func(**given)
