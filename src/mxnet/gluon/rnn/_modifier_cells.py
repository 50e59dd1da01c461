"""Cells that change what other cells do: dropout, zoneout, residual connections."""

from numbers import Number
from typing import Any

import mxnet.ndarray as F
from regluon.operators import Operators
from regluon.symbol.tracer import is_inferring

from .._parameter_dict import ParameterDict
from ._joined_cells import expect_steps
from ._recurrent_cell import (
    CellError,
    HybridRecurrentCell,
    RecurrentCell,
    TimeLayout,
    front_end,
    is_sequence_array,
    released,
)

__all__ = ["DropoutCell", "ModifierCell", "ResidualCell", "ZoneoutCell"]


class DropoutCell(HybridRecurrentCell):
    """Drops elements of the input, in training; has no states.

    Args:
        rate: probability that an element is dropped.
        axes: axes on which all elements share one decision.
        prefix: see Block.
        params: see Block.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    def __init__(
        self, rate: float, axes: Any = (), prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        super().__init__(prefix, params)
        if not isinstance(rate, Number):
            raise CellError(f"[{self._who()}] rate: received {rate!r}; expected a number.")
        self._rate, self._axes = rate, axes

    def _alias(self) -> str:
        return "dropout"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rate={self._rate}, axes={self._axes})"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Nothing."""
        return []

    def hybrid_forward(self, F: Operators, inputs: Any, states: Any) -> Any:
        """One step."""
        if self._rate > 0:
            inputs = F.Dropout(inputs, p=self._rate, axes=self._axes, name=f"t{self._counter}_fwd")
        return inputs, states

    def unroll(
        self,
        length: int | None,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Drops elements of the whole sequence, at once if it is one array; see RecurrentCell."""
        self.reset()
        time = TimeLayout(layout, self._who())
        length = time.check(inputs, length)
        sequence = time.arranged(inputs, merge_outputs)
        if is_sequence_array(sequence):
            return self.hybrid_forward(front_end(sequence), sequence, begin_state or [])
        return super().unroll(length, sequence, begin_state or [], layout, merge_outputs)


class ModifierCell(HybridRecurrentCell):
    """Base of cells that change what another cell does; it has that cell's states and parameters.

    Args:
        base_cell: the cell; from now on it is to be used through this one only.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    def __init__(self, base_cell: RecurrentCell) -> None:
        if base_cell._modified:
            raise CellError(
                f"[{type(self).__name__}] received {base_cell._who()}, which belongs to another modifier cell already; "
                "wrap that one instead."
            )
        base_cell._modified = True
        object.__setattr__(self, "base_cell", base_cell)  # `params` must answer before there can be children
        super().__init__(prefix=base_cell.prefix + self._alias(), params=None)
        self.base_cell: Any = base_cell

    @property
    def params(self) -> ParameterDict:
        """The parameters of the cell inside."""
        return self.base_cell.params

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of the states of the cell inside."""
        return self.base_cell.state_info(batch_size)

    def begin_state(self, batch_size: int = 0, func: Any = F.zeros, **kwargs: Any) -> list[Any]:
        """States of the cell inside for the first step; see RecurrentCell."""
        self._expect_unmodified()
        with released(self.base_cell):
            return self.base_cell.begin_state(batch_size=batch_size, func=func, **kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_cell})"


class RememberingCell(ModifierCell):
    """Base of cells whose step depends on the steps before, which a graph of one step does not know.

    A network that unrolls one is compiled as a whole; on its own it runs as written, and the cell inside is compiled.
    """

    def hybridize(self, active: bool = True, *args: Any, **kwargs: Any) -> None:
        """Compiles the cell inside."""
        super().hybridize(active, *args, **kwargs)
        self._active = False


class ZoneoutCell(RememberingCell):
    """Lets, in training, a random part of the outputs and states keep its values of the step before.

    Args:
        base_cell: the cell.
        zoneout_outputs: probability that an element of the output is kept.
        zoneout_states: probability that an element of a state is kept.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    def __init__(self, base_cell: RecurrentCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0) -> None:
        expect_steps(base_cell, type(self).__name__)
        super().__init__(base_cell)
        self.zoneout_outputs, self.zoneout_states = zoneout_outputs, zoneout_states

    def _alias(self) -> str:
        return "zoneout"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out={self.zoneout_outputs}, p_state={self.zoneout_states}, {self.base_cell})"

    def reset(self) -> None:
        """Forgets the output of the step before, too."""
        super().reset()
        self._prev_output = None

    def hybrid_forward(self, F: Operators, inputs: Any, states: Any) -> Any:
        """One step."""
        output, after = self.base_cell(inputs, states)

        def mixed(probability: float, new: Any, old: Any) -> Any:
            return F.where(F.Dropout(F.ones_like(new), p=probability), new, old)

        if self.zoneout_outputs != 0:
            before = self._prev_output
            output = mixed(self.zoneout_outputs, output, F.zeros_like(output) if before is None else before)
        if self.zoneout_states != 0:
            after = [mixed(self.zoneout_states, new, old) for new, old in zip(after, states, strict=True)]
        if not is_inferring():
            self._prev_output = output
        return output, after


class ResidualCell(ModifierCell):
    """Adds the input to the output of a cell; both must have the same size.

    Args:
        base_cell: the cell.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    def hybrid_forward(self, F: Operators, inputs: Any, states: Any) -> Any:
        """One step."""
        output, states = self.base_cell(inputs, states)
        return F.elemwise_add(output, inputs, name=f"t{self._counter}_fwd"), states

    def unroll(
        self,
        length: int | None,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Unrolls the cell inside and adds the whole sequence; see RecurrentCell."""
        self.reset()
        time = TimeLayout(layout, self._who())
        length = time.check(inputs, length)
        with released(self.base_cell):
            outputs, states = self.base_cell.unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        merge = is_sequence_array(outputs)
        if valid_length is not None:
            inputs = time.masked(inputs, valid_length)
        inputs = time.arranged(inputs, merge)
        add = front_end(outputs).elemwise_add
        if merge:
            return add(outputs, inputs), states
        return [add(*pair) for pair in zip(outputs, inputs, strict=True)], states
