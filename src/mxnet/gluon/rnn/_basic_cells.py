"""The cells that learn: plain, LSTM and GRU."""

from typing import Any, NamedTuple

from regluon.operators import Operators

from .._parameter_dict import ParameterDict
from ..nn._arguments import check_at_call, expect_activation, expect_count, expect_given, expect_size
from ._recurrent_cell import HybridRecurrentCell

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class Initializers(NamedTuple):
    """The initializers of a cell's weights and biases."""

    i2h_weight: Any
    h2h_weight: Any
    i2h_bias: Any
    h2h_bias: Any
    h2r_weight: Any = None


class GatedCell(HybridRecurrentCell):
    """A cell whose gates are sums of a linear map of the input (i2h) and one of the first state (h2h).

    Args:
        hidden_size: size of the states.
        input_size: size of the input; found from the first data if 0.
        projection_size: size that a further linear map (h2r) brings the output to, or None.
        initializers: those of all weights and biases.
        prefix: see Block.
        params: see Block.
    """

    num_gates = 1

    def __init__(
        self,
        hidden_size: int,
        input_size: int,
        initializers: Initializers,
        prefix: str | None,
        params: ParameterDict | None,
        projection_size: int | None = None,
    ) -> None:
        expect_given(type(self).__name__, "hidden_size", hidden_size)
        super().__init__(prefix, params)
        check_at_call(self, expect_count, "hidden_size", hidden_size)
        check_at_call(self, expect_size, "input_size", input_size)
        self._hidden_size, self._input_size = hidden_size, input_size
        rows, state = self.num_gates * hidden_size, projection_size or hidden_size
        shapes: dict[str, tuple[int, ...]] = {"i2h_weight": (rows, input_size), "h2h_weight": (rows, state)}
        if projection_size:
            shapes["h2r_weight"] = (projection_size, hidden_size)
        shapes.update(i2h_bias=(rows,), h2h_bias=(rows,))
        for name, shape in shapes.items():
            setattr(
                self,
                name,
                self.params.get(name, shape=shape, init=getattr(initializers, name), allow_deferred_init=True),
            )

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of the hidden state."""
        expect_count(f"{type(self).__name__} {self.name}", "hidden_size", self._hidden_size)
        return [{"shape": (batch_size, self._hidden_size), "__layout__": "NC"}]

    def _mapping(self) -> str:
        rows, width = self._reg_params["i2h_weight"].shape or (0, 0)
        return f"{width or None} -> {rows}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._mapping()})"

    def _maps(self, F: Any, inputs: Any, state: Any, weights: tuple[Any, ...]) -> tuple[Any, Any]:
        """The two linear maps; `weights` are i2h and h2h weight, i2h and h2h bias."""
        rows, step = self.num_gates * self._hidden_size, f"t{self._counter}_"
        i2h = F.FullyConnected(inputs, weights[0], weights[2], num_hidden=rows, name=step + "i2h")
        h2h = F.FullyConnected(state, weights[1], weights[3], num_hidden=rows, name=step + "h2h")
        return i2h, h2h


class RNNCell(GatedCell):
    """The plain cell: `output = activation(i2h(input) + h2h(output before))`.

    Args:
        hidden_size: size of the output.
        activation: name of the activation, or a function or block.
        i2h_weight_initializer: initializer of the weight for the input.
        h2h_weight_initializer: initializer of the weight for the state.
        i2h_bias_initializer: initializer of the bias for the input.
        h2h_bias_initializer: initializer of the bias for the state.
        input_size: size of the input; found from the first data if 0.
        prefix: see Block.
        params: see Block.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    def __init__(
        self,
        hidden_size: int,
        activation: Any = "tanh",
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        initializers = Initializers(
            i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer
        )
        super().__init__(hidden_size, input_size, initializers, prefix, params)
        if isinstance(activation, str):
            check_at_call(self, expect_activation, activation)
        self._activation = activation

    def _alias(self) -> str:
        return "rnn"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._mapping()}, {self._activation})"

    def hybrid_forward(
        self, F: Operators, inputs: Any, states: Any, i2h_weight: Any, h2h_weight: Any, i2h_bias: Any, h2h_bias: Any
    ) -> Any:
        """One step."""
        self._expect_states(states, 1)
        i2h, h2h = self._maps(F, inputs, states[0], (i2h_weight, h2h_weight, i2h_bias, h2h_bias))
        step = f"t{self._counter}_"
        total = F.elemwise_add(i2h, h2h, name=step + "plus0")
        output = self._get_activation(F, total, self._activation, name=step + "out")
        return output, [output]


class LSTMCell(GatedCell):
    """Long short-term memory: a cell state that gates write to, forget and read.

    The rows of weights and biases are, in this order, for the input gate, the forget gate, the new values and the
    output gate. The states are the output and the cell state.

    Args:
        hidden_size: size of the output.
        i2h_weight_initializer: initializer of the weight for the input.
        h2h_weight_initializer: initializer of the weight for the state.
        i2h_bias_initializer: initializer of the bias for the input; 'lstmbias' opens the forget gate.
        h2h_bias_initializer: initializer of the bias for the state.
        input_size: size of the input; found from the first data if 0.
        prefix: see Block.
        params: see Block.
        activation: activation of the new values and of the cell state that is read.
        recurrent_activation: activation of the gates.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    num_gates = 4

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
    ) -> None:
        initializers = Initializers(
            i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer
        )
        super().__init__(hidden_size, input_size, initializers, prefix, params)
        self._activation, self._recurrent_activation = activation, recurrent_activation

    def _alias(self) -> str:
        return "lstm"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of the hidden and of the cell state."""
        return [*super().state_info(batch_size), *super().state_info(batch_size)]

    def hybrid_forward(
        self, F: Operators, inputs: Any, states: Any, i2h_weight: Any, h2h_weight: Any, i2h_bias: Any, h2h_bias: Any
    ) -> Any:
        """One step."""
        self._expect_states(states, 2)
        i2h, h2h = self._maps(F, inputs, states[0], (i2h_weight, h2h_weight, i2h_bias, h2h_bias))
        step = f"t{self._counter}_"
        total = F.elemwise_add(i2h, h2h, name=step + "plus0")
        enter, forget, new, leave = F.SliceChannel(total, num_outputs=4, name=step + "slice")
        gate, squash = self._recurrent_activation, self._activation
        enter = self._get_activation(F, enter, gate, name=step + "i")
        forget = self._get_activation(F, forget, gate, name=step + "f")
        new = self._get_activation(F, new, squash, name=step + "c")
        leave = self._get_activation(F, leave, gate, name=step + "o")
        kept = F.elemwise_mul(forget, states[1], name=step + "mul0")
        added = F.elemwise_mul(enter, new, name=step + "mul1")
        cell = F.elemwise_add(kept, added, name=step + "state")
        read = _activated(F, cell, squash, step + "activation0")
        output = F.elemwise_mul(leave, read, name=step + "out")
        return output, [output, cell]


class GRUCell(GatedCell):
    """Gated recurrent unit: one gate resets the state for the new values, one mixes old and new.

    The rows of weights and biases are, in this order, for the reset gate, the update gate and the new values. The bias
    h2h of the new values lies inside the product with the reset gate.

    Args:
        hidden_size: size of the output.
        i2h_weight_initializer: initializer of the weight for the input.
        h2h_weight_initializer: initializer of the weight for the state.
        i2h_bias_initializer: initializer of the bias for the input.
        h2h_bias_initializer: initializer of the bias for the state.
        input_size: size of the input; found from the first data if 0.
        prefix: see Block.
        params: see Block.
    """

    __module__ = "mxnet.gluon.rnn.rnn_cell"

    num_gates = 3

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        initializers = Initializers(
            i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer
        )
        super().__init__(hidden_size, input_size, initializers, prefix, params)

    def _alias(self) -> str:
        return "gru"

    def hybrid_forward(
        self, F: Operators, inputs: Any, states: Any, i2h_weight: Any, h2h_weight: Any, i2h_bias: Any, h2h_bias: Any
    ) -> Any:
        """One step."""
        self._expect_states(states, 1)
        before = states[0]
        i2h, h2h = self._maps(F, inputs, before, (i2h_weight, h2h_weight, i2h_bias, h2h_bias))
        step = f"t{self._counter}_"
        i2h_reset, i2h_update, i2h_new = F.SliceChannel(i2h, num_outputs=3, name=step + "i2h_slice")
        h2h_reset, h2h_update, h2h_new = F.SliceChannel(h2h, num_outputs=3, name=step + "h2h_slice")
        reset = _activated(F, F.elemwise_add(i2h_reset, h2h_reset, name=step + "plus0"), "sigmoid", step + "r_act")
        update = _activated(F, F.elemwise_add(i2h_update, h2h_update, name=step + "plus1"), "sigmoid", step + "z_act")
        shown = F.elemwise_mul(reset, h2h_new, name=step + "mul0")
        new = _activated(F, F.elemwise_add(i2h_new, shown, name=step + "plus2"), "tanh", step + "h_act")
        rest = F.elemwise_sub(F.ones_like(update, name=step + "ones_like0"), update, name=step + "minus0")
        mixed = F.elemwise_mul(rest, new, name=step + "mul1")
        output = F.elemwise_add(mixed, F.elemwise_mul(update, before, name=step + "mul20"), name=step + "out")
        return output, [output]


def _activated(F: Any, inputs: Any, activation: Any, name: str) -> Any:
    """Applies an activation that is given by name as the operator `Activation`, or calls what is given."""
    if isinstance(activation, str):
        return F.Activation(inputs, act_type=activation, name=name)
    return activation(inputs)
