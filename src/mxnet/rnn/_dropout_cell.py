"""Dropout between cells."""

from typing import Any

from ..base import numeric_types
from ._base_cell import BaseRNNCell, CellError, RNNParams, normalize_sequence, symbol

__all__ = ["DropoutCell"]


class DropoutCell(BaseRNNCell):
    """Sets some of its inputs to zero, at random, in training.

    Args:
        dropout: probability of an element.
        prefix: the beginning of names.
        params: variables to share; it has none.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(self, dropout: float, prefix: str = "dropout_", params: RNNParams | None = None) -> None:
        super().__init__(prefix, params)
        if not isinstance(dropout, numeric_types):
            raise CellError(f"[DropoutCell] dropout: received {dropout!r}; dropout probability must be a number.")
        self.dropout = dropout

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """None: the cell has no states."""
        return []

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step."""
        return symbol.Dropout(data=inputs, p=self.dropout) if self.dropout > 0 else inputs, states

    def unroll(
        self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC", merge_outputs: bool | None = None
    ) -> tuple[Any, list[Any]]:
        """A whole sequence at once, if it comes in one symbol; see `BaseRNNCell.unroll`."""
        self.reset()
        inputs, _ = normalize_sequence(length, inputs, layout, merge_outputs)
        if isinstance(inputs, symbol.Symbol):
            return self(inputs, [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)
