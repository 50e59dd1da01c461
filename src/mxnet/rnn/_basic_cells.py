"""The plain recurrent cells: RNN, LSTM, GRU."""

from typing import Any

from ..initializer import LSTMBias
from ._base_cell import BaseRNNCell, RNNParams, symbol

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "gru_step", "lstm_step"]


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
