"""Define the fused cell and cells that modify others."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ..initializer import FusedRNN
from ..ndarray import NDArray, zeros
from ._base_cell import Arrays, BaseRNNCell, CellError, RNNParams, normalize_sequence, symbol
from ._cells import BidirectionalCell, DropoutCell, GRUCell, LSTMCell, RNNCell, SequentialRNNCell

__all__ = ["FusedRNNCell", "DropoutCell", "ModifierCell", "ResidualCell", "ZoneoutCell"]


_GATES = {
    "rnn_relu": [""],
    "rnn_tanh": [""],
    "lstm": ["_i", "_f", "_c", "_o"],
    "gru": ["_r", "_z", "_o"],
}


class FusedRNNCell(BaseRNNCell):
    """Layers of recurrent cells as one operator, with all weights in one vector.

    Args:
        num_hidden: size of the states.
        num_layers: number of layers.
        mode: "rnn_relu", "rnn_tanh", "lstm" or "gru".
        bidirectional: whether there are two directions.
        dropout: probability to drop outputs between layers.
        get_next_state: whether `unroll` returns the last states.
        forget_bias: first value of the forget gate's bias.
        prefix: the beginning of the names of its parameters; `<mode>_` by default.
        params: variables to share with other cells.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(
        self,
        num_hidden: int,
        num_layers: int = 1,
        mode: str = "lstm",
        bidirectional: bool = False,
        dropout: float = 0.0,
        get_next_state: bool = False,
        forget_bias: float = 1.0,
        prefix: str | None = None,
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(prefix=f"{mode}_" if prefix is None else prefix, params=params)
        self._num_hidden, self._num_layers, self._mode = num_hidden, num_layers, mode
        self._bidirectional, self._dropout, self._get_next_state = bidirectional, dropout, get_next_state
        self._directions = ["l", "r"] if bidirectional else ["l"]
        initializer = FusedRNN(None, num_hidden, num_layers, mode, bidirectional, forget_bias)
        self._parameter = self.params.get("parameters", init=initializer)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        shape = (len(self._directions) * self._num_layers, 0, self._num_hidden)
        return [{"shape": shape, "__layout__": "LNC"} for _ in range(2 if self._mode == "lstm" else 1)]

    @property
    def _gate_names(self) -> list[str]:
        return _GATES[self._mode]

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    def _parts(self, num_input: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the weights in the vector, in order: all weights, then all biases."""
        size = self._num_hidden
        places = [
            (layer, f"{self._prefix}{side}{layer}_") for layer in range(self._num_layers) for side in self._directions
        ]
        for layer, start in places:
            below = len(self._directions) * size if layer else num_input
            for group, width in (("i2h", below), ("h2h", size)):
                for gate in self._gate_names:
                    yield f"{start}{group}{gate}_weight", (size, width)
        for _, start in places:
            for group in ("i2h", "h2h"):
                for gate in self._gate_names:
                    yield f"{start}{group}{gate}_bias", (size,)

    def _slice_weights(self, arr: NDArray, li: int, lh: int) -> Arrays:
        """Views of the vector, by name, for inputs of size `li`."""
        views = {}
        begin = 0
        for name, shape in self._parts(li):
            end = begin + math.prod(shape)
            views[name] = arr[begin:end].reshape(shape)
            begin = end
        if begin != arr.size:
            raise CellError(
                f"[FusedRNNCell] Invalid parameters size: received {arr.size} elements; expected {begin} for "
                f"{self._num_layers} layers of {self._mode} with {lh} hidden units and {li} inputs."
            )
        return views

    def unpack_weights(self, args: Arrays) -> Arrays:
        """A copy of parameters by name, with an array for each gate in place of the vector."""
        args = args.copy()
        vector = args.pop(self._parameter.name)
        sides, size = len(self._directions), self._num_hidden
        per_gate = vector.size // sides // size // self._num_gates
        num_input = per_gate - (self._num_layers - 1) * (size + sides * size + 2) - size - 2
        views = self._slice_weights(vector, num_input, size)
        return {**args, **{name: view.copy() for name, view in views.items()}}

    def pack_weights(self, args: Arrays) -> Arrays:
        """A copy of parameters by name, with one vector for all gates: undoes `unpack_weights`."""
        args = args.copy()
        first = args[f"{self._prefix}l0_i2h{self._gate_names[0]}_weight"]
        num_input = first.shape[1]
        total = sum(math.prod(shape) for _, shape in self._parts(num_input))
        vector = zeros((total,), ctx=first.context, dtype=first.dtype)
        for name, view in self._slice_weights(vector, num_input, self._num_hidden).items():
            view[:] = args.pop(name)
        args[self._parameter.name] = vector
        return args

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """Refused: the operator takes whole sequences."""
        raise NotImplementedError("[FusedRNNCell] cannot be stepped. Please use unroll, or unfuse().")

    def unroll(
        self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC", merge_outputs: bool | None = None
    ) -> tuple[Any, list[Any]]:
        """The operator on a whole sequence; see `BaseRNNCell.unroll`."""
        self.reset()
        inputs, axis = normalize_sequence(length, inputs, layout, True)
        if axis not in (0, 1):
            raise CellError(f"[FusedRNNCell] Unsupported layout {layout}; expected TNC or NTC.")
        if axis == 1:
            warnings.warn("[FusedRNNCell] the layout TNC is faster than NTC.", stacklevel=2)
            inputs = symbol.swapaxes(inputs, dim1=0, dim2=1)
        states = self.begin_state() if begin_state is None else begin_state
        rnn = symbol.RNN(
            data=inputs,
            parameters=self._parameter,
            state_size=self._num_hidden,
            num_layers=self._num_layers,
            bidirectional=self._bidirectional,
            p=self._dropout,
            state_outputs=self._get_next_state,
            mode=self._mode,
            name=f"{self._prefix}rnn",
            **dict(zip(("state", "state_cell"), states, strict=False)),
        )
        outputs, following = rnn, []
        if self._get_next_state:
            outputs, following = rnn[0], [rnn[place] for place in range(1, len(self.state_info) + 1)]
            for state in following:
                state._set_attr(__layout__="LNC")
        if axis == 1:
            outputs = symbol.swapaxes(outputs, dim1=0, dim2=1)
        return normalize_sequence(length, outputs, layout, merge_outputs)[0], following

    def unfuse(self) -> SequentialRNNCell:
        """The same network of plain cells; weights pass through `unpack_weights` and the other's `pack_weights`."""
        stack = SequentialRNNCell()
        for layer in range(self._num_layers):
            cells = [self._plain_cell(f"{self._prefix}{side}{layer}_") for side in self._directions]
            if self._bidirectional:
                stack.add(BidirectionalCell(cells[0], cells[1], output_prefix=f"{self._prefix}bi_l{layer}_"))
            else:
                stack.add(cells[0])
            if self._dropout > 0 and layer != self._num_layers - 1:
                stack.add(DropoutCell(self._dropout, prefix=f"{self._prefix}_dropout{layer}_"))
        return stack

    def _plain_cell(self, prefix: str) -> BaseRNNCell:
        if self._mode == "lstm":
            return LSTMCell(self._num_hidden, prefix=prefix)
        if self._mode == "gru":
            return GRUCell(self._num_hidden, prefix=prefix)
        return RNNCell(self._num_hidden, activation=self._mode.removeprefix("rnn_"), prefix=prefix)


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
