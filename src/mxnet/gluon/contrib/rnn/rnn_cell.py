"""Variational dropout, LSTM with projection, and unrolling as one loop."""

from typing import Any

from regluon.symbol.tracer import is_inferring

from ..._parameter_dict import ParameterDict
from ...rnn._basic_cells import GatedCell, Initializers
from ...rnn._joined_cells import expect_steps
from ...rnn._modifier_cells import RememberingCell
from ...rnn._recurrent_cell import RecurrentCell, TimeLayout, first_states, front_end, is_sequence_array, released

__all__ = ["VariationalDropoutCell", "LSTMPCell"]


class VariationalDropoutCell(RememberingCell):
    """Drops, in training, the same elements at all steps of a sequence (Gal and Ghahramani, 2016).

    Args:
        base_cell: the cell.
        drop_inputs: probability that an element of the inputs is dropped.
        drop_states: probability that an element of the first state is dropped.
        drop_outputs: probability that an element of the outputs is dropped.
    """

    def __init__(
        self,
        base_cell: RecurrentCell,
        drop_inputs: float = 0.0,
        drop_states: float = 0.0,
        drop_outputs: float = 0.0,
    ) -> None:
        if drop_states:
            expect_steps(base_cell, type(self).__name__)
        super().__init__(base_cell)
        self.drop_inputs, self.drop_states, self.drop_outputs = drop_inputs, drop_states, drop_outputs

    def _alias(self) -> str:
        return "vardrop"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out = {self.drop_outputs}, p_state = {self.drop_states})"

    def reset(self) -> None:
        """Forgets what is dropped, too; the next step draws it anew."""
        super().reset()
        self.drop_inputs_mask = self.drop_states_mask = self.drop_outputs_mask = None

    def _dropped(self, F: Any, which: str, data: Any) -> Any:
        """The data less what is dropped; drawn at the first step and kept until `reset`."""
        probability, name = getattr(self, which), f"{which}_mask"
        if not probability:
            return data
        mask = getattr(self, name)
        if mask is None:
            mask = F.Dropout(F.ones_like(data), p=probability)
            if not is_inferring():
                setattr(self, name, mask)
        return data * mask

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """One step."""
        if self.drop_states:
            states = [self._dropped(F, "drop_states", states[0]), *states[1:]]
        output, states = self.base_cell(self._dropped(F, "drop_inputs", inputs), states)
        return self._dropped(F, "drop_outputs", output), states

    def unroll(
        self,
        length: int | None,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Applies the cell to a sequence, at once unless states are dropped; see RecurrentCell."""
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        time = TimeLayout(layout, self._who())
        length = time.check(inputs, length)
        sequence = time.array(inputs)
        F = front_end(sequence)
        if begin_state is None:
            begin_state = first_states(self, sequence, time.batch_size(sequence))
        if self.drop_inputs:
            sequence = F.Dropout(sequence, p=self.drop_inputs, axes=(time.axis,))
        with released(self.base_cell):
            outputs, states = self.base_cell.unroll(length, sequence, begin_state, layout, True, valid_length)
        if self.drop_outputs:
            outputs = F.Dropout(outputs, p=self.drop_outputs, axes=(time.axis,))
        return time.arranged(outputs, merge_outputs), states


class LSTMPCell(GatedCell):
    """Long short-term memory whose output a linear map brings to another size (Sak et al., 2014).

    The states are the output, of the size of the projection, and the cell state.

    Args:
        hidden_size: size of the cell state.
        projection_size: size of the output.
        i2h_weight_initializer: initializer of the weight for the input.
        h2h_weight_initializer: initializer of the weight for the state.
        h2r_weight_initializer: initializer of the weight of the projection.
        i2h_bias_initializer: initializer of the bias for the input.
        h2h_bias_initializer: initializer of the bias for the state.
        input_size: size of the input; found from the first data if 0.
        prefix: see Block.
        params: see Block.
    """

    num_gates = 4

    def __init__(
        self,
        hidden_size: int,
        projection_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        h2r_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        weights = (i2h_weight_initializer, h2h_weight_initializer)
        biases = (i2h_bias_initializer, h2h_bias_initializer)
        initializers = Initializers(*weights, *biases, h2r_weight_initializer)
        super().__init__(hidden_size, input_size, initializers, prefix, params, projection_size)
        self._projection_size = projection_size

    def _alias(self) -> str:
        return "lstmp"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of the output and of the cell state."""
        sizes = (self._projection_size, self._hidden_size)
        return [{"shape": (batch_size, size), "__layout__": "NC"} for size in sizes]

    def _mapping(self) -> str:
        return f"{super()._mapping()} -> {self._projection_size}"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        h2r_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """One step."""
        self._expect_states(states, 2)
        i2h, h2h = self._maps(F, inputs, states[0], (i2h_weight, h2h_weight, i2h_bias, h2h_bias))
        enter, forget, new, leave = F.SliceChannel(F.elemwise_add(i2h, h2h), num_outputs=4)
        kept = F.elemwise_mul(F.sigmoid(forget), states[1])
        cell = F.elemwise_add(kept, F.sigmoid(enter) * F.tanh(new), name=f"t{self._counter}_state")
        hidden = F.elemwise_mul(F.sigmoid(leave), F.tanh(cell), name=f"t{self._counter}_hidden")
        size = self._projection_size
        output = F.FullyConnected(hidden, h2r_weight, num_hidden=size, no_bias=True, name=f"t{self._counter}_out")
        return output, [output, cell]


def dynamic_unroll(
    cell: RecurrentCell,
    inputs: Any,
    begin_state: Any,
    drop_inputs: float = 0,
    drop_outputs: float = 0,
    layout: str = "TNC",
    valid_length: Any = None,
) -> tuple[Any, list[Any]]:
    """Applies a cell to a sequence whose length need not be known beforehand.

    Args:
        cell: the cell.
        inputs: an array with the axes of `layout`.
        begin_state: states before the first step.
        drop_inputs: probability that an element of the inputs is dropped, at all steps alike.
        drop_outputs: probability that an element of the outputs is dropped, at all steps alike.
        layout: where batch (N) and time (T) are, in inputs and outputs.
        valid_length: the length of each sample. Outputs behind it are zero, states are those at its end.

    Returns:
        The outputs of all steps as one array, and the last states.
    """
    time = TimeLayout(layout, "dynamic_unroll")
    time.check(inputs, None)
    F = front_end(inputs)
    if drop_inputs:
        inputs = F.Dropout(time.array(inputs), p=drop_inputs, axes=(time.axis,))
    states = [begin_state] if is_sequence_array(begin_state) else list(begin_state)
    outputs = []
    for number, step in enumerate(time.steps(inputs)):
        output, after = cell(step, states)
        if valid_length is not None:
            inside = valid_length > number
            after = [F.where(inside, new, old) for new, old in zip(after, states, strict=True)]
        outputs.append(output)
        states = list(after)
    merged = time.array(outputs)
    if drop_outputs:
        merged = F.Dropout(merged, p=drop_outputs, axes=(time.axis,))
    return merged if valid_length is None else time.masked(merged, valid_length), states
