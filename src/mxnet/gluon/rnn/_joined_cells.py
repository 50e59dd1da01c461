"""Cells made of cells: one upon the other, or one in each direction."""

from typing import Any

import mxnet.ndarray as F
from regluon.operators import Operators

from ._recurrent_cell import (
    CellError,
    HybridRecurrentCell,
    RecurrentCell,
    TimeLayout,
    first_states,
    front_end,
    is_sequence_array,
    reversed_steps,
)

__all__ = ["BidirectionalCell", "HybridSequentialRNNCell", "SequentialRNNCell"]


class _Joined(RecurrentCell):
    """A cell whose states are those of the cells inside, in a row."""

    def _cells(self) -> list[Any]:
        return list(self._children.values())

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of the states of all cells."""
        return [info for cell in self._cells() for info in cell.state_info(batch_size)]

    def begin_state(self, batch_size: int = 0, func: Any = F.zeros, **kwargs: Any) -> list[Any]:
        """States of all cells for the first step; see RecurrentCell."""
        self._expect_unmodified()
        return [
            state for cell in self._cells() for state in cell.begin_state(batch_size=batch_size, func=func, **kwargs)
        ]

    def _shares(self, states: Any) -> list[list[Any]]:
        """The states that belong to each cell."""
        counts = [len(cell.state_info()) for cell in self._cells()]
        self._expect_states(states, sum(counts))
        ends = [sum(counts[: i + 1]) for i in range(len(counts))]
        return [list(states[end - count : end]) for count, end in zip(counts, ends, strict=True)]


class _Stack(_Joined):
    """Cells one upon the other: each reads the output of the one before."""

    def __repr__(self) -> str:
        lines = [f"({key}): " + repr(cell).replace("\n", "\n  ") for key, cell in self._children.items()]
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"

    def add(self, cell: RecurrentCell) -> None:
        """Puts a cell on top."""
        if not isinstance(cell, RecurrentCell):
            raise TypeError(
                f"[{self._who()}] received a {type(cell).__name__}; expected a recurrent cell, such as rnn.LSTMCell. "
                "Layers (rnn.LSTM, nn.Dense, ...) go into an nn.Sequential."
            )
        self.register_child(cell)

    def __getitem__(self, i: Any) -> Any:
        return self._cells()[i]

    def __len__(self) -> int:
        return len(self._children)

    def _step(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        after = []
        for cell, own in zip(self._cells(), self._shares(states), strict=True):
            inputs, own = cell(inputs, own)
            after.extend(own)
        return inputs, after

    def unroll(
        self,
        length: int | None,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Applies each cell to the whole sequence, then the next one to its outputs; see RecurrentCell."""
        self.reset()
        time = TimeLayout(layout, self._who())
        length = time.check(inputs, length)
        if begin_state is None:
            begin_state = first_states(self, inputs, time.batch_size(inputs))
        after = []
        for i, (cell, own) in enumerate(zip(self._cells(), self._shares(begin_state), strict=True)):
            merge = merge_outputs if i == len(self) - 1 else None
            inputs, own = cell.unroll(length, inputs, own, layout, merge, valid_length)
            after.extend(own)
        return inputs, after


class SequentialRNNCell(_Stack):
    """Several cells one upon the other.

    Args:
        prefix: see Block.
        params: see Block.

    Example:
        >>> cells = rnn.SequentialRNNCell()
        >>> cells.add(rnn.LSTMCell(20))
        >>> cells.add(rnn.DropoutCell(0.5))
        >>> cells.add(rnn.LSTMCell(20))
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    def forward(self, inputs: Any, states: Any) -> Any:
        """One step of all cells."""
        self._counter += 1
        return self._step(inputs, states)


class HybridSequentialRNNCell(_Stack, HybridRecurrentCell):  # type: ignore[misc]
    """Several cells one upon the other; compiles as one.

    Args:
        prefix: see Block.
        params: see Block.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    def hybrid_forward(self, F: Operators, inputs: Any, states: Any) -> Any:
        """One step of all cells."""
        return self._step(inputs, states)


class BidirectionalCell(_Joined, HybridRecurrentCell):
    """One cell that reads forwards and one that reads backwards; their outputs are joined at each step.

    It cannot be stepped, only unrolled.

    Args:
        l_cell: reads from the beginning.
        r_cell: reads from the end.
        output_prefix: beginning of the names of the outputs.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    def __init__(self, l_cell: RecurrentCell, r_cell: RecurrentCell, output_prefix: str = "bi_") -> None:
        super().__init__(prefix="", params=None)
        self.register_child(l_cell, "l_cell")
        self.register_child(r_cell, "r_cell")
        self._output_prefix = output_prefix

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Refuses: the backward cell needs the end of the sequence first."""
        raise NotImplementedError(
            f"[{self._who()}] cannot be stepped: the backward cell begins at the end of the sequence. Use unroll()."
        )

    def __repr__(self) -> str:
        l_cell, r_cell = self._cells()
        return f"{type(self).__name__}(forward={l_cell}, backward={r_cell})"

    def unroll(
        self,
        length: int | None,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Applies both cells to the sequence; see RecurrentCell."""
        self.reset()
        time = TimeLayout(layout, self._who())
        length = time.check(inputs, length)
        steps = time.steps(inputs)
        if begin_state is None:
            begin_state = first_states(self, steps, time.batch_size(inputs))
        (l_cell, r_cell), (l_begin, r_begin) = self._cells(), self._shares(begin_state)
        l_outputs, l_states = l_cell.unroll(length, steps, l_begin, layout, merge_outputs, valid_length)
        backwards = reversed_steps(steps, valid_length)
        r_outputs, r_states = r_cell.unroll(length, backwards, r_begin, layout, False, valid_length)
        r_outputs = reversed_steps(r_outputs, valid_length)
        prefix = self._output_prefix
        outputs: Any
        if is_sequence_array(l_outputs):
            outputs = front_end(l_outputs).concat(l_outputs, time.array(r_outputs), dim=2, name=f"{prefix}out")
        else:
            pairs = enumerate(zip(l_outputs, r_outputs, strict=True))
            concat = front_end(l_outputs).concat
            outputs = [concat(*pair, dim=1, name=f"{prefix}t{i}") for i, pair in pairs]
        if valid_length is not None:
            merge = is_sequence_array(outputs)
            outputs = time.arranged(time.masked(outputs, valid_length), merge)
        return outputs, [*l_states, *r_states]


def is_bidirectional(cell: Any) -> bool:
    """Whether a cell, or one inside a stack, reads in both directions."""
    return isinstance(cell, BidirectionalCell) or (
        isinstance(cell, _Stack) and any(is_bidirectional(inner) for inner in cell._cells())
    )


def expect_steps(cell: Any, what: str) -> None:
    """Refuses a cell that cannot be stepped, for a modifier that works on steps."""
    if is_bidirectional(cell):
        raise CellError(
            f"[{what}] received a {type(cell).__name__} that reads in both directions, which cannot be stepped; wrap "
            f"the cells inside it instead: BidirectionalCell({what}(...), {what}(...))."
        )
