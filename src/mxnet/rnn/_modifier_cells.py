"""Cells that change what another cell does, and dropout."""

from collections.abc import Callable
from typing import Any

from ._base_cell import Arrays, BaseRNNCell, CellError, RNNParams, normalize_sequence, symbol
from ._dropout_cell import DropoutCell
from ._fused_cell import FusedRNNCell
from ._joined_cells import BidirectionalCell, SequentialRNNCell

__all__ = ["DropoutCell", "ModifierCell", "ResidualCell", "ZoneoutCell"]


class ModifierCell(BaseRNNCell):
    """The base of cells that change what another cell does; parameters are those of the other cell.

    Args:
        base_cell: the other cell, which is not to be called directly any more.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(self, base_cell: BaseRNNCell) -> None:
        super().__init__()
        base_cell._modified = True
        self.base_cell = base_cell

    @property
    def params(self) -> RNNParams:
        """The variables of the other cell."""
        self._own_params = False
        return self.base_cell.params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the states of the other cell."""
        return self.base_cell.state_info

    def begin_state(  # type: ignore[override]  # MXNet has another name for `func` here
        self, init_sym: Any = None, func: Callable[..., Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        """The states of the other cell to begin with; `init_sym` is another name of `func`."""
        self._check_not_modified()
        self.base_cell._modified = False
        begin = self.base_cell.begin_state(func=func or init_sym, **kwargs)
        self.base_cell._modified = True
        return begin

    def unpack_weights(self, args: Arrays) -> Arrays:
        """See `BaseRNNCell.unpack_weights`."""
        return self.base_cell.unpack_weights(args)

    def pack_weights(self, args: Arrays) -> Arrays:
        """See `BaseRNNCell.pack_weights`."""
        return self.base_cell.pack_weights(args)


class ZoneoutCell(ModifierCell):
    """Keeps some outputs and states of the last step, at random, in training.

    Args:
        base_cell: the cell to change.
        zoneout_outputs: probability to keep an element of the output.
        zoneout_states: probability to keep an element of a state.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(self, base_cell: BaseRNNCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0) -> None:
        cells = base_cell._cells if isinstance(base_cell, SequentialRNNCell) else [base_cell]
        if isinstance(base_cell, FusedRNNCell):
            raise CellError("[ZoneoutCell] FusedRNNCell doesn't support zoneout. Please unfuse first.")
        if any(isinstance(cell, BidirectionalCell) for cell in cells):
            raise CellError(
                "[ZoneoutCell] BidirectionalCell doesn't support zoneout since it doesn't support step. Please add "
                "ZoneoutCell to the cells underneath instead."
            )
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states
        self.prev_output: Any = None

    def reset(self) -> None:
        """Begins a new graph."""
        super().reset()
        self.prev_output = None

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step."""
        output, following = self.base_cell(inputs, states)
        last = symbol.zeros((0, 0)) if self.prev_output is None else self.prev_output
        if self.zoneout_outputs:
            output = _mixed(output, last, self.zoneout_outputs)
        if self.zoneout_states:
            pairs = zip(following, states, strict=True)
            following = [_mixed(new, old, self.zoneout_states) for new, old in pairs]
        self.prev_output = output
        return output, following


def _mixed(new: Any, old: Any, probability: float) -> Any:
    """The new values, with some old ones among them in training."""
    kept = symbol.Dropout(symbol.ones_like(new), p=probability)
    return symbol.where(kept, new, old)


class ResidualCell(ModifierCell):
    """Adds the inputs to the outputs.

    Args:
        base_cell: the cell to change.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step."""
        output, states = self.base_cell(inputs, states)
        return _plus(output, inputs), states

    def unroll(
        self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC", merge_outputs: bool | None = None
    ) -> tuple[Any, list[Any]]:
        """Unrolls the other cell and adds the inputs; see `BaseRNNCell.unroll`."""
        self.reset()
        self.base_cell._modified = False
        outputs, states = self.base_cell.unroll(
            length, inputs=inputs, begin_state=begin_state, layout=layout, merge_outputs=merge_outputs
        )
        self.base_cell._modified = True
        merged = isinstance(outputs, symbol.Symbol) if merge_outputs is None else merge_outputs
        inputs, _ = normalize_sequence(length, inputs, layout, merged)
        if merged:
            return _plus(outputs, inputs), states
        return [_plus(output, each) for output, each in zip(outputs, inputs, strict=True)], states


def _plus(output: Any, inputs: Any) -> Any:
    return symbol.elemwise_add(output, inputs, name=f"{output.name}_plus_residual")
