"""Cells made of cells: one after the other, or in two directions."""

from collections.abc import Callable
from typing import Any

from ._base_cell import Arrays, BaseRNNCell, CellError, RNNParams, normalize_sequence, symbol

__all__ = ["BidirectionalCell", "SequentialRNNCell"]


class _Joined(BaseRNNCell):
    """A cell with other cells in `_cells`."""

    _cells: list[Any]

    def _adopt(self, *cells: BaseRNNCell) -> None:
        """Shares variables with cells: both know all of them."""
        for cell in cells:
            if self._override_cell_params:
                if not cell._own_params:
                    raise CellError(
                        f"[{type(self).__name__}] Either specify params for {type(self).__name__} or child cells, not "
                        "both."
                    )
                cell.params._params.update(self.params._params)
        for cell in cells:
            self.params._params.update(cell.params._params)

    _override_cell_params = False

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the states of all cells."""
        return [info for cell in self._cells for info in cell.state_info]

    def begin_state(self, func: Callable[..., Any] | None = None, **kwargs: Any) -> list[Any]:
        """The states of all cells to begin with; see `BaseRNNCell.begin_state`."""
        self._check_not_modified()
        return [state for cell in self._cells for state in cell.begin_state(func=func, **kwargs)]

    def unpack_weights(self, args: Arrays) -> Arrays:
        """See `BaseRNNCell.unpack_weights`."""
        for cell in self._cells:
            args = cell.unpack_weights(args)
        return args

    def pack_weights(self, args: Arrays) -> Arrays:
        """See `BaseRNNCell.pack_weights`."""
        for cell in self._cells:
            args = cell.pack_weights(args)
        return args


class SequentialRNNCell(_Joined):
    """Cells one after the other.

    Args:
        params: variables to share with other cells.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(self, params: RNNParams | None = None) -> None:
        super().__init__(prefix="", params=params)
        self._override_cell_params = params is not None
        self._cells = []

    def add(self, cell: BaseRNNCell) -> None:
        """Adds a cell at the end."""
        self._cells.append(cell)
        self._adopt(cell)

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step through all cells."""
        self._counter += 1
        following: list[Any] = []
        begin = 0
        for cell in self._cells:
            if isinstance(cell, BidirectionalCell):
                raise CellError("[SequentialRNNCell] a BidirectionalCell cannot be stepped. Please use unroll.")
            end = begin + len(cell.state_info)
            inputs, found = cell(inputs, states[begin:end])
            following.extend(found)
            begin = end
        return inputs, following

    def unroll(
        self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC", merge_outputs: bool | None = None
    ) -> tuple[Any, list[Any]]:
        """Unrolls cell by cell; see `BaseRNNCell.unroll`."""
        self.reset()
        states = self.begin_state() if begin_state is None else begin_state
        following: list[Any] = []
        begin = 0
        for place, cell in enumerate(self._cells):
            end = begin + len(cell.state_info)
            inputs, found = cell.unroll(
                length,
                inputs=inputs,
                begin_state=states[begin:end],
                layout=layout,
                merge_outputs=merge_outputs if place == len(self._cells) - 1 else None,
            )
            following.extend(found)
            begin = end
        return inputs, following


class BidirectionalCell(_Joined):
    """Two cells, one of which reads the sequence backwards; outputs are joined.

    Args:
        l_cell: reads forwards.
        r_cell: reads backwards.
        params: variables to share with other cells.
        output_prefix: the beginning of the names of the outputs.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(
        self, l_cell: BaseRNNCell, r_cell: BaseRNNCell, params: RNNParams | None = None, output_prefix: str = "bi_"
    ) -> None:
        super().__init__("", params=params)
        self._output_prefix = output_prefix
        self._override_cell_params = params is not None
        self._adopt(l_cell, r_cell)
        self._cells = [l_cell, r_cell]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """Refused: the second cell begins at the end."""
        raise NotImplementedError("[BidirectionalCell] cannot be stepped. Please use unroll.")

    def unroll(
        self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC", merge_outputs: bool | None = None
    ) -> tuple[Any, list[Any]]:
        """Unrolls both cells; the states are a list for each of them. See `BaseRNNCell.unroll`."""
        self.reset()
        steps, axis = normalize_sequence(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        forwards, backwards = self._cells
        count = len(forwards.state_info)
        l_outputs, l_states = forwards.unroll(
            length, inputs=steps, begin_state=states[:count], layout=layout, merge_outputs=merge_outputs
        )
        r_outputs, r_states = backwards.unroll(
            length, inputs=steps[::-1], begin_state=states[count:], layout=layout, merge_outputs=merge_outputs
        )
        if merge_outputs is None:
            merge_outputs = isinstance(l_outputs, symbol.Symbol) and isinstance(r_outputs, symbol.Symbol)
            if not merge_outputs:
                l_outputs, r_outputs = _steps(l_outputs, axis, length), _steps(r_outputs, axis, length)
        if merge_outputs:
            turned = symbol.reverse(r_outputs, axis=axis)
            joined: Any = symbol.Concat(l_outputs, turned, dim=2, name=f"{self._output_prefix}out")
        else:
            joined = [
                symbol.Concat(left, right, dim=1, name=f"{self._output_prefix}t{place}")
                for place, (left, right) in enumerate(zip(l_outputs, reversed(r_outputs), strict=True))
            ]
        return joined, [l_states, r_states]


def _steps(outputs: Any, axis: int, length: int) -> Any:
    if not isinstance(outputs, symbol.Symbol):
        return outputs
    return list(symbol.SliceChannel(outputs, axis=axis, num_outputs=length, squeeze_axis=1))
