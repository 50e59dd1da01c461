"""Sequences for recurrent cells: one array with an axis of time, or a list with an array for each step."""

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import mxnet.ndarray as ndarray
import mxnet.symbol as symbol
from regluon.array.kinds import in_force
from regluon.dtypes import dtype_name

from ...error import OpParamError
from ...ndarray import NDArray
from ...symbol import Symbol

__all__ = [
    "CellError",
    "TimeLayout",
    "call_maker",
    "first_states",
    "front_end",
    "is_sequence_array",
    "last_valid",
    "reversed_steps",
]


class CellError(OpParamError, AssertionError):
    """A recurrent network was used in a way it does not allow: MXNet raised an AssertionError or a ValueError there."""


def is_sequence_array(value: Any) -> bool:
    """Whether a sequence is one array, or a symbol that stands for one, rather than a list of steps."""
    return isinstance(value, (NDArray, Symbol))


def front_end(value: Any) -> Any:
    """The operators to use on a value, or on a list of steps: those of symbols or of arrays."""
    first = value if is_sequence_array(value) or not value else value[0]
    return symbol if isinstance(first, Symbol) else ndarray


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
        self._length = 0  # of symbols, which do not know it

    def check(self, inputs: Any, length: int | None) -> int:
        """The number of steps; refuses inputs that are no sequence of the length that was asked for."""
        if isinstance(inputs, Symbol) and not hasattr(inputs, "shape"):
            if length is None:
                raise CellError(f"[{self._who}] received a Symbol; expected the number of steps as `length` with it.")
            self._length = length
            return length
        if is_sequence_array(inputs):
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
        self._length = steps
        return steps

    def batch_size(self, inputs: Any) -> int:
        """The size of the batch; in a list it is the first axis of each step."""
        first = inputs if is_sequence_array(inputs) else inputs[0]
        if not hasattr(first, "shape"):
            return 0  # a symbol: what uses the states tells
        return first.shape[self.batch_axis if first is inputs else 0]

    def steps(self, inputs: Any) -> list[Any]:
        """The sequence as a list of steps."""
        if not is_sequence_array(inputs):
            return list(inputs)
        length = inputs.shape[self.axis] if hasattr(inputs, "shape") else self._length
        return _parts(inputs, length, self.axis, 1)

    def array(self, inputs: Any) -> Any:
        """The sequence as one array."""
        return inputs if is_sequence_array(inputs) else front_end(inputs).stack(*inputs, axis=self.axis)

    def arranged(self, sequence: Any, merge: bool | None) -> Any:
        """The sequence as one array (True), as a list of steps (False), or as it is (None)."""
        return sequence if merge is None else self.array(sequence) if merge else self.steps(sequence)

    def masked(self, sequence: Any, valid_length: Any) -> Any:
        """The sequence as one array, with zeros behind the end of each sample."""
        F = front_end(sequence)
        return F.SequenceMask(self.array(sequence), valid_length, use_sequence_length=True, axis=self.axis)


def last_valid(steps: Sequence[Any], valid_length: Any) -> Any:
    """Of arrays for each step, what each sample had at the end of its sequence."""
    F = front_end(steps)
    return F.SequenceLast(F.stack(*steps, axis=0), valid_length, use_sequence_length=True, axis=0)


def reversed_steps(steps: Sequence[Any], valid_length: Any) -> list[Any]:
    """The steps from the end to the beginning; the end is each sample's own if lengths are given."""
    if valid_length is None:
        return list(reversed(steps))
    F = front_end(steps)
    turned = F.SequenceReverse(F.stack(*steps, axis=0), valid_length, use_sequence_length=True)
    return _parts(turned, len(steps), 0, True)


def _parts(sequence: Any, length: int, axis: int, squeeze: bool | int) -> list[Any]:
    """A sequence cut into its steps; `squeeze` is true, in the way that saved graphs show it."""
    F = front_end(sequence)
    if length == 1 and F is ndarray:
        return [F.squeeze(sequence, axis=axis)]
    found = F.split(sequence, num_outputs=length, axis=axis, squeeze_axis=squeeze)
    return [found] if length == 1 else list(found)


def first_states(cell: Any, inputs: Any, batch_size: int) -> list[Any]:
    """Zero states for a cell, on the context of the inputs and, if those are floats, of their dtype."""
    first = inputs if is_sequence_array(inputs) else inputs[0]
    make: Any = front_end(first).zeros
    if isinstance(first, Symbol):  # what uses the states tells the size of the batch: a graph serves every size
        batch_size = 0
    if not hasattr(first, "dtype"):
        return cell.begin_state(func=make, batch_size=batch_size)
    if "float" in dtype_name(first.dtype):
        make = functools.partial(make, dtype=first.dtype)
    with first.context:
        return cell.begin_state(func=make, batch_size=batch_size)


def call_maker(func: Any, name: str, info: dict[str, Any]) -> Any:
    """Makes a state by a function that takes a shape.

    One of `mx.sym` is told the state's name and layout, which saved graphs contain; another one only the name, if it
    has such an argument.
    """
    module = getattr(getattr(func, "func", func), "__module__", None) or ""
    if module.startswith(symbol.__name__):
        return func(name=name, **info)
    given = {key: value for key, value in info.items() if key != "__layout__"}
    try:
        wanted = inspect.signature(func).parameters
    except ValueError:  # a function in C may not tell
        wanted = {}  # type: ignore[assignment]
    if "name" in wanted:
        given["name"] = name
    return in_force(func(**given))
