"""What all recurrent cells have in common."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, overload

import mxnet.ndarray as F
from regluon.operators import ArrayOrSymbol, Operators, Result
from regluon.symbol.tracing import is_inferring

from ...base import any_parameters
from ...ndarray import NDArray
from .._parameter_dict import ParameterDict
from ..block import Block, HybridBlock
from ._sequences import CellError, TimeLayout, call_maker, first_states, last_valid

__all__ = ["HybridRecurrentCell", "RecurrentCell"]


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
