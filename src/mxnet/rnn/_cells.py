"""Define the basic, dropout and joined recurrent cells."""

from collections.abc import Callable
from typing import Any

from ..base import numeric_types
from ..initializer import LSTMBias
from ._base_cell import Arrays, BaseRNNCell, CellError, RNNParams, normalize_sequence, symbol

__all__ = [
    "GRUCell",
    "LSTMCell",
    "RNNCell",
    "gru_step",
    "lstm_step",
    "DropoutCell",
    "BidirectionalCell",
    "SequentialRNNCell",
]


def lstm_step(gates: Any, cell_state: Any, name: str, activate: Any, axis: int | None = None) -> tuple[Any, Any]:
    """Output and next cell state of an LSTM.

    Args:
        gates: the sum of what inputs and states say to all four gates.
        cell_state: the last cell state.
        name: the beginning of the names of the step.
        activate: what the new values and the output pass through.
        axis: of the gates; 1 by default.
    """
    where = {} if axis is None else {"axis": axis}
    parts = symbol.SliceChannel(gates, num_outputs=4, **where, name=f"{name}slice")
    in_gate = symbol.Activation(parts[0], act_type="sigmoid", name=f"{name}i")
    forget_gate = symbol.Activation(parts[1], act_type="sigmoid", name=f"{name}f")
    in_transform = activate(parts[2], name=f"{name}c")
    out_gate = symbol.Activation(parts[3], act_type="sigmoid", name=f"{name}o")
    next_c = symbol._internal._plus(forget_gate * cell_state, in_gate * in_transform, name=f"{name}state")
    return symbol._internal._mul(out_gate, activate(next_c), name=f"{name}out"), next_c


def gru_step(from_inputs: Any, from_state: Any, state: Any, name: str, activate: Any) -> Any:
    """Output of a GRU, from what inputs and state say to its three gates."""
    i2h_r, i2h_z, i2h = symbol.SliceChannel(from_inputs, num_outputs=3, name=f"{name}_i2h_slice")
    h2h_r, h2h_z, h2h = symbol.SliceChannel(from_state, num_outputs=3, name=f"{name}_h2h_slice")
    reset_gate = symbol.Activation(i2h_r + h2h_r, act_type="sigmoid", name=f"{name}_r_act")
    update_gate = symbol.Activation(i2h_z + h2h_z, act_type="sigmoid", name=f"{name}_z_act")
    proposed = activate(i2h + reset_gate * h2h, name=f"{name}_h_act")
    return symbol._internal._plus((1.0 - update_gate) * proposed, update_gate * state, name=f"{name}out")


class _DenseCell(BaseRNNCell):
    """A cell whose gates are fully connected to inputs and state."""

    _num_states = 1

    def __init__(self, num_hidden: int, prefix: str, params: RNNParams | None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._num_hidden = num_hidden

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"} for _ in range(self._num_states)]

    def _make_params(self, **kwargs_of_input_bias: Any) -> None:
        self._iW = self.params.get("i2h_weight")
        self._iB = self.params.get("i2h_bias", **kwargs_of_input_bias)
        self._hW = self.params.get("h2h_weight")
        self._hB = self.params.get("h2h_bias")

    def _gates(self, inputs: Any, state: Any, name: str) -> tuple[Any, Any]:
        """What inputs and state say to all gates."""
        size = self._num_hidden * len(self._gate_names)
        i2h = symbol.FullyConnected(data=inputs, weight=self._iW, bias=self._iB, num_hidden=size, name=f"{name}i2h")
        h2h = symbol.FullyConnected(data=state, weight=self._hW, bias=self._hB, num_hidden=size, name=f"{name}h2h")
        return i2h, h2h

    def _tanh(self, inputs: Any, **kwargs: Any) -> Any:
        return symbol.Activation(inputs, act_type="tanh", **kwargs)


class RNNCell(_DenseCell):
    """The simple recurrent cell.

    Args:
        num_hidden: size of the state.
        activation: name of the activation, or a function.
        prefix: the beginning of the names of its parameters.
        params: variables to share with other cells.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(
        self, num_hidden: int, activation: Any = "tanh", prefix: str = "rnn_", params: RNNParams | None = None
    ) -> None:
        super().__init__(num_hidden, prefix, params)
        self._activation = activation
        self._make_params()

    @property
    def _gate_names(self) -> tuple[str, ...]:
        return ("",)

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step."""
        name = self._next_name()
        i2h, h2h = self._gates(inputs, states[0], name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class LSTMCell(_DenseCell):
    """Long short-term memory.

    Args:
        num_hidden: size of the states.
        prefix: the beginning of the names of its parameters.
        params: variables to share with other cells.
        forget_bias: first value of the forget gate's bias.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    _num_states = 2

    def __init__(
        self, num_hidden: int, prefix: str = "lstm_", params: RNNParams | None = None, forget_bias: float = 1.0
    ) -> None:
        super().__init__(num_hidden, prefix, params)
        self._make_params(init=LSTMBias(forget_bias=forget_bias))

    @property
    def _gate_names(self) -> list[str]:
        return ["_i", "_f", "_c", "_o"]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step."""
        name = self._next_name()
        i2h, h2h = self._gates(inputs, states[0], name)
        output, next_c = lstm_step(i2h + h2h, states[1], name, self._tanh)
        return output, [output, next_c]


class GRUCell(_DenseCell):
    """The gated recurrent unit.

    Args:
        num_hidden: size of the state.
        prefix: the beginning of the names of its parameters.
        params: variables to share with other cells.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(self, num_hidden: int, prefix: str = "gru_", params: RNNParams | None = None) -> None:
        super().__init__(num_hidden, prefix, params)
        self._make_params()

    @property
    def _gate_names(self) -> list[str]:
        return ["_r", "_z", "_o"]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step."""
        name = self._next_name()
        i2h, h2h = self._gates(inputs, states[0], f"{name}_")
        output = gru_step(i2h, h2h, states[0], name, self._tanh)
        return output, [output]


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
