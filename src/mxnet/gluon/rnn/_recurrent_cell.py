"""Define the base of recurrent cells and the layout of sequences."""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, overload

import mxnet.ndarray as F
import mxnet.ndarray as ndarray
import mxnet.symbol as symbol
from regluon.array.array_kind import in_force
from regluon.dtypes import dtype_name
from regluon.operators import ArrayOrSymbol, Operators, Result
from regluon.symbol.tracer import is_inferring

from ...base import any_parameters
from ...error import OpParamError
from ...ndarray import NDArray
from ...symbol import Symbol
from .._parameter_dict import ParameterDict
from ..block import Block, HybridBlock

__all__ = [
    "CellError",
    "TimeLayout",
    "call_maker",
    "first_states",
    "front_end",
    "is_sequence_array",
    "last_valid",
    "reversed_steps",
    "HybridRecurrentCell",
    "RecurrentCell",
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
    if module.startswith(("mxnet.symbol", "regluon.symbol")):
        return func(name=name, **info)
    given = {key: value for key, value in info.items() if key != "__layout__"}
    try:
        wanted = inspect.signature(func).parameters
    except ValueError:  # a function in C may not tell
        wanted = {}  # type: ignore[assignment]
    if "name" in wanted:
        given["name"] = name
    return in_force(func(**given))


class RecurrentCell(Block):
    """Base of recurrent cells: `output, states = cell(inputs, states)` is one step of time.

    Subclasses write `state_info` and `forward`.

    Args:
        prefix: see Block.
        params: see Block.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix, params)
        self._modified = False  # a modifier cell has taken it over
        self.reset()

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, inputs: ArrayOrSymbol, states: list[ArrayOrSymbol]
        ) -> tuple[ArrayOrSymbol, list[ArrayOrSymbol]]:
            """One step: the output, and the states after it."""
            ...

    def reset(self) -> None:
        """Forgets what belongs to one sequence; to be called before a new one, as `unroll` does."""
        self._init_counter = -1
        self._counter = -1
        for cell in self._children.values():
            if isinstance(cell, RecurrentCell):
                cell.reset()

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        raise NotImplementedError(f"[{type(self).__name__}] write a state_info method.")

    @overload
    def begin_state(
        self, batch_size: int, func: Callable[..., ArrayOrSymbol], **kwargs: Any
    ) -> list[ArrayOrSymbol]: ...
    @overload
    def begin_state(
        self, batch_size: int = 0, *, func: Callable[..., ArrayOrSymbol], **kwargs: Any
    ) -> list[ArrayOrSymbol]: ...
    @overload
    def begin_state(self, batch_size: int = 0, **kwargs: Any) -> list[NDArray]: ...
    def begin_state(self, batch_size: int = 0, func: Any = F.zeros, **kwargs: Any) -> list[Any]:
        """States for the first step.

        Args:
            batch_size: size of the batch.
            func: what makes a state of a given shape; zeros by default.
            kwargs: further arguments of `func`, such as ctx and dtype.
        """
        self._expect_unmodified()
        states = []
        for info in self.state_info(batch_size):
            self._init_counter += 1
            states.append(
                call_maker(func, f"{self._prefix}begin_state_{self._init_counter}", {**(info or {}), **kwargs})
            )
        return states

    def unroll(
        self,
        length: int | None,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Applies the cell to a sequence, step by step.

        Args:
            length: number of steps; None to take that of the inputs.
            inputs: an array with the axes of `layout`, or a list with an array (batch, ...) for each step.
            begin_state: states before the first step; zeros by default.
            layout: where batch (N) and time (T) are, in `inputs` and in merged outputs.
            merge_outputs: True for one array, False for a list of steps, None for what is at hand.
            valid_length: the length of each sample. Outputs behind it are zero, states are those at its end.

        Returns:
            The outputs of all steps, and the last states.
        """
        self.reset()
        time = TimeLayout(layout, self._who())
        time.check(inputs, length)
        steps = time.steps(inputs)
        states = first_states(self, steps, time.batch_size(inputs)) if begin_state is None else begin_state
        outputs, history = [], []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
            if valid_length is not None:
                history.append(states)
        if valid_length is None:
            return time.arranged(outputs, merge_outputs), states
        states = [last_valid(values, valid_length) for values in zip(*history, strict=True)]
        return time.arranged(time.masked(outputs, valid_length), merge_outputs), states

    def forward(self, inputs: Any, states: Any) -> Any:
        """One step; counts them."""
        if not is_inferring():
            self._counter += 1
        return super().forward(inputs, states)

    def _get_activation(self, F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """Applies an activation that is given by name, or as a function or a block."""
        if activation in ("tanh", "relu", "sigmoid", "softsign"):
            return getattr(F, activation)(inputs, **kwargs)
        if isinstance(activation, str):
            return F.Activation(inputs, act_type=activation, **kwargs)
        return activation(inputs)

    def _who(self) -> str:
        """The cell in error texts."""
        return f"{type(self).__name__} {self._name}".strip()

    def _expect_unmodified(self) -> None:
        if self._modified:
            raise CellError(
                f"[{self._who()}] belongs to a modifier cell now (ZoneoutCell, ResidualCell, ...); call begin_state "
                "and unroll on that one."
            )

    def _expect_states(self, states: Any, count: int) -> None:
        given = 0 if states is None else len(states)
        if given != count:
            raise CellError(
                f"[{self._who()}] received {given} states; expected {count}, in a list. Make the first ones with "
                "cell.begin_state(batch_size)."
            )


@contextmanager
def released(cell: RecurrentCell) -> Iterator[None]:
    """Inside the block a modified cell may be used by its modifier as if it were not."""
    cell._modified = False
    try:
        yield
    finally:
        cell._modified = True


class HybridRecurrentCell(RecurrentCell, HybridBlock):  # type: ignore[misc]
    """A recurrent cell that can be compiled: subclasses write `hybrid_forward(F, inputs, states, ...)`.

    Args:
        prefix: see Block.
        params: see Block.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    if TYPE_CHECKING:

        @any_parameters
        def hybrid_forward(self, F: Operators, inputs: Result, states: list[Result]) -> Any:
            """One step, on operators of `F`; written by subclasses, which may take more."""
    else:

        def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            """One step, on operators of `F`; written by subclasses."""
            raise NotImplementedError(f"[{type(self).__name__}] write a hybrid_forward method.")
