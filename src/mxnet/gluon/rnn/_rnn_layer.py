"""Define the base of recurrent layers: parameters, states, and the call of the operator RNN."""

import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

import mxnet.ndarray as arrays
import mxnet.symbol as symbol
from regluon.compiler.fused.table import OPERATORS
from regluon.operators import ArrayOrSymbol, Operators
from regluon.runtime.invoke import invoke

from ...ndarray import NDArray
from ...symbol import Symbol
from .._block_inputs import BlockOptions
from ..block import HybridBlock
from ..nn._arguments import (
    check_at_call,
    expect_count,
    expect_given,
    expect_integer,
    expect_rate,
    expect_size,
)
from ..parameter import Parameter
from ._basic_cells import GRUCell, Initializers, LSTMCell, RNNCell
from ._joined_cells import BidirectionalCell, HybridSequentialRNNCell
from ._modifier_cells import DropoutCell
from ._recurrent_cell import CellError, call_maker, is_sequence_array

if TYPE_CHECKING:
    from typing_extensions import Unpack


_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


_UNLIMITED = (None, None, False)


_PARAMETER = re.compile(r"([lr])(\d+)_([a-z0-9]+_[a-z]+)")


class _RNNLayer(HybridBlock):
    """What the three kinds of layers have in common.

    Args:
        mode: kind of the cells, as the operator calls it.
        hidden_size: size of the states.
        num_layers: number of layers; each reads the output of the one before.
        layout: order of the axes of inputs and outputs: 'TNC' or 'NTC', with time T, batch N, features C.
        dropout: probability that an element of a layer's output is dropped before the next layer, in training.
        bidirectional: whether each layer reads in both directions.
        input_size: size of the input; found from the first data if 0.
        initializers: those of all weights and biases.
        dtype: type of the parameters.
        projection_size: size that a linear map brings the output of each layer to, or None.
        clip: lower and upper limit of the cell state, and whether NaN becomes the lower one.
        use_sequence_length: whether calls give the length of each sequence.
        kwargs: prefix and params, see Block.
    """

    def __init__(
        self,
        mode: str,
        hidden_size: int,
        num_layers: int,
        layout: str,
        dropout: float,
        bidirectional: bool,
        input_size: int,
        initializers: Initializers,
        dtype: Any,
        projection_size: int | None = None,
        clip: tuple[float | None, float | None, bool] = _UNLIMITED,
        use_sequence_length: bool = False,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(**kwargs)
        if layout not in ("TNC", "NTC"):
            raise CellError(f"[{self._who()}] layout: received {layout!r}; expected 'TNC' or 'NTC'.")
        expect_given(self._who(), "hidden_size", hidden_size)
        expect_integer(self._who(), "num_layers", num_layers)
        check_at_call(self, expect_count, "hidden_size", hidden_size)
        check_at_call(self, expect_count, "num_layers", num_layers)
        check_at_call(self, expect_size, "input_size", input_size)
        check_at_call(self, expect_rate, "dropout", dropout)
        self._mode, self._gates = mode, _GATES[mode]
        self._hidden_size, self._num_layers, self._input_size = hidden_size, num_layers, input_size
        self._projection_size = projection_size or None
        self._layout, self._dropout, self._dir = layout, dropout, 2 if bidirectional else 1
        self._initializers, self._dtype, self._clip = initializers, dtype, clip
        self._use_sequence_length = use_sequence_length
        rows, state, width = self._gates * hidden_size, self._projection_size or hidden_size, input_size
        for layer in range(num_layers):
            shapes = {
                "i2h_weight": (rows, width),
                "h2h_weight": (rows, state),
                "i2h_bias": (rows,),
                "h2h_bias": (rows,),
            }
            if self._projection_size:
                shapes["h2r_weight"] = (self._projection_size, hidden_size)
            for side in self._sides:
                for kind, shape in shapes.items():
                    self._register_param(f"{side}{layer}_{kind}", shape, getattr(initializers, kind), dtype)
            width = state * self._dir
        kinds = [
            ("i2h_weight", "h2h_weight") + (("h2r_weight",) if self._projection_size else ()),
            ("i2h_bias", "h2h_bias"),
        ]
        # The operator's order: all weights, then all biases.
        self._order = [
            f"{side}{layer}_{kind}"
            for part in kinds
            for layer in range(num_layers)
            for side in self._sides
            for kind in part
        ]

    @property
    def _sides(self) -> str:
        return "lr"[: self._dir]

    def _register_param(self, name: str, shape: tuple[int, ...], init: Any, dtype: Any) -> Parameter:
        parameter = self.params.get(name, shape=shape, init=init, allow_deferred_init=True, dtype=dtype)
        setattr(self, name, parameter)
        return parameter

    def _who(self) -> str:
        """The layer in error texts."""
        return f"{type(self).__name__} {self._name}".strip()

    def __repr__(self) -> str:
        first = self._reg_params.get("l0_i2h_weight")
        width = first.shape[1] if first is not None and first.shape else self._input_size
        parts = [f"{width or None} -> {self._hidden_size}", self._layout]
        if self._num_layers != 1:
            parts.append(f"num_layers={self._num_layers}")
        if self._dropout != 0:
            parts.append(f"dropout={self._dropout}")
        if self._dir == 2:
            parts.append("bidirectional")
        return f"{type(self).__name__}({', '.join(parts)})"

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Parameters by the names that the unfused cells would have: files of both fit both."""
        prefix = f"{prefix}." if prefix else ""
        found = {}
        for name, parameter in self._reg_params.items():
            match = _PARAMETER.fullmatch(name)
            assert match is not None
            side, layer, kind = match.groups()
            cell = f"{side}_cell." if self._dir == 2 else ""
            found[f"{prefix}_unfused.{layer}.{cell}{kind}"] = parameter
        return found

    def cast(self, dtype: Any) -> None:
        """Converts all parameters, and the states it makes, to another dtype."""
        super().cast(dtype)
        self._dtype = dtype

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape, layout and dtype of each state."""
        count = self._num_layers * self._dir
        sizes = [self._projection_size or self._hidden_size] + [self._hidden_size] * (self._mode == "lstm")
        return [{"shape": (count, batch_size, size), "__layout__": "LNC", "dtype": self._dtype} for size in sizes]

    @overload
    def begin_state(
        self, batch_size: int, func: Callable[..., ArrayOrSymbol], **kwargs: Any
    ) -> list[ArrayOrSymbol]: ...
    @overload
    def begin_state(
        self, batch_size: int = 0, *, func: Callable[..., ArrayOrSymbol], **kwargs: Any
    ) -> list[ArrayOrSymbol]: ...
    @overload
    def begin_state(self, batch_size: int = 0, **kwargs: Any) -> list[NDArray]: ...
    def begin_state(self, batch_size: int = 0, func: Any = arrays.zeros, **kwargs: Any) -> list[Any]:
        """States for the first step.

        Args:
            batch_size: size of the batch.
            func: what makes a state of a given shape; zeros by default.
            kwargs: further arguments of `func`, such as ctx and dtype.
        """
        return [
            call_maker(func, f"{self.prefix}h0_{i}", {**info, **kwargs})
            for i, info in enumerate(self.state_info(batch_size))
        ]

    @overload
    def __call__(
        self, inputs: ArrayOrSymbol, states: None = None, sequence_length: ArrayOrSymbol | None = None, **kwargs: Any
    ) -> ArrayOrSymbol: ...
    @overload
    def __call__(
        self,
        inputs: ArrayOrSymbol,
        states: ArrayOrSymbol | list[ArrayOrSymbol],
        sequence_length: ArrayOrSymbol | None = None,
        **kwargs: Any,
    ) -> tuple[ArrayOrSymbol, list[ArrayOrSymbol]]: ...
    def __call__(self, inputs: Any, states: Any = None, sequence_length: Any = None, **kwargs: Any) -> Any:
        """Applies the layers to a batch of sequences.

        Args:
            inputs: (time, batch, features), or (batch, time, features) with layout 'NTC'.
            states: the states before the first step; zeros by default.
            sequence_length: the length of each sequence, if the layer was made with use_sequence_length=True.
            kwargs: nothing more.

        Returns:
            The outputs; together with the last states if states were given.
        """
        if is_sequence_array(states):
            states = [states]
        if states is None and is_sequence_array(inputs):  # made here, so that an exported layer takes them as inputs
            states, kwargs = self._first_states(inputs), {**kwargs, "outputs_only": True}
        if self._use_sequence_length:
            if sequence_length is None:
                raise CellError(
                    f"[{self._who()}] was made with use_sequence_length=True and received no sequence_length; expected "
                    "the length of each sequence of the batch."
                )
        elif sequence_length is not None:
            warnings.warn(
                f"[{self._who()}] ignores sequence_length; make the layer with use_sequence_length=True.", stacklevel=2
            )
        lengths = [sequence_length] if self._use_sequence_length else []
        return super().__call__(inputs, states, *lengths, **kwargs)

    def _first_states(self, inputs: Any) -> list[Any]:
        """Zeros for a batch; for a symbol, what uses them tells its size."""
        expect_count(self._who(), "hidden_size", self._hidden_size)
        expect_count(self._who(), "num_layers", self._num_layers)
        if isinstance(inputs, Symbol):
            return self.begin_state(0, symbol.zeros)
        self._features(inputs)
        batch_size = inputs.shape[self._layout.index("N")]
        return self.begin_state(batch_size, ctx=inputs.context, dtype=inputs.dtype)

    def _forward_symbolic(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Finds out the one size that only the data tell, which the operator cannot: it sees all parameters as one."""
        if isinstance(args[0], Symbol) and args[0]._known_shape() is not None:
            rows, width = self._gates * self._hidden_size, self._features(args[0])
            for side in self._sides:
                self._reg_params[f"{side}0_i2h_weight"].shape = (rows, width)
        return super()._forward_symbolic(args, kwargs)

    def _features(self, inputs: Any) -> int:
        """The size of the input; refuses what does not fit."""
        expected = max((self._reg_params["l0_i2h_weight"].shape or (0, 0))[1], 0)  # -1 is unknown, too
        if inputs.ndim != 3 or inputs.shape[2] != (expected or inputs.shape[2]):
            axes = {"T": "time", "N": "batch", "C": str(expected or "features")}
            raise CellError(
                f"[{self._who()}] received inputs of shape {inputs.shape}; expected "
                f"({', '.join(axes[letter] for letter in self._layout)}), as the layout {self._layout!r} says."
            )
        return inputs.shape[2]

    def _expect_states(self, states: Any, batch_size: int) -> None:
        expected = self.state_info(batch_size)
        if len(states) != len(expected):
            raise CellError(
                f"[{self._who()}] received {len(states)} states; expected {len(expected)}, in a list. Make them with "
                "layer.begin_state(batch_size)."
            )
        for state, info in zip(states, expected, strict=True):
            if state.shape != info["shape"]:
                raise CellError(
                    f"[{self._who()}] received a state of shape {state.shape}; expected {info['shape']}: layers times "
                    "directions, batch, size."
                )

    def hybrid_forward(
        self,
        F: Operators,
        inputs: Any,
        states: Any,
        sequence_length: Any = None,
        outputs_only: bool = False,
        **params: Any,
    ) -> Any:
        """Runs the operator."""
        if hasattr(inputs, "shape"):  # an array, or a symbol of a network being traced
            self._features(inputs)
            if not outputs_only:
                self._expect_states(states, inputs.shape[self._layout.index("N")])
        if self._layout == "NTC":
            inputs = F.swapaxes(inputs, dim1=0, dim2=1)
        outputs, *after = self._run(F, inputs, states, sequence_length, [params[name] for name in self._order])
        if self._layout == "NTC":
            outputs = F.swapaxes(outputs, dim1=0, dim2=1)
        return outputs if outputs_only else (outputs, after)

    def _run(self, F: Any, inputs: Any, states: Any, sequence_length: Any, parameters: list[Any]) -> Any:
        """What the operator returns."""
        common = {
            "state_size": self._hidden_size,
            "num_layers": self._num_layers,
            "bidirectional": self._dir == 2,
            "mode": self._mode,
            "p": self._dropout,
            "state_outputs": True,
        }
        is_plain = self._clip == _UNLIMITED and not (self._projection_size or self._use_sequence_length)
        if F is arrays and is_plain:  # nobody sees the graph: no need to join the parameters first
            return invoke(OPERATORS["_rnn_by_parts"], (inputs, *states, *parameters), common)
        vector = F._internal._rnn_param_concat(*[parameter.reshape(-1) for parameter in parameters], dim=0)
        return F.RNN(
            inputs,
            vector,
            *states,
            *([sequence_length] if self._use_sequence_length else []),
            projection_size=self._projection_size,
            lstm_state_clip_min=self._clip[0],
            lstm_state_clip_max=self._clip[1],
            lstm_state_clip_nan=self._clip[2],
            use_sequence_length=self._use_sequence_length,
            **common,
        )

    def _unfuse(self) -> HybridSequentialRNNCell:
        """The same network as cells, which share its parameters."""
        if self._projection_size or self._clip != _UNLIMITED:
            raise CellError(
                f"[{self._who()}] has a projection or a clipped cell state; there are no cells of this kind."
            )
        stack = HybridSequentialRNNCell(prefix=self.prefix, params=self.params)
        with stack.name_scope():
            width = self._input_size
            for layer in range(self._num_layers):
                cells = [self._cell(f"{side}{layer}_", width) for side in self._sides]
                stack.add(BidirectionalCell(*cells) if self._dir == 2 else cells[0])
                if self._dropout > 0 and layer != self._num_layers - 1:
                    stack.add(DropoutCell(self._dropout))
                width = self._hidden_size * self._dir
        return stack

    def _cell(self, prefix: str, input_size: int) -> Any:
        own = {
            f"{kind}_initializer": init for kind, init in self._initializers._asdict().items() if kind != "h2r_weight"
        }
        options: Any = {**own, "input_size": input_size, "prefix": prefix}
        if self._mode == "lstm":
            return LSTMCell(self._hidden_size, **options)
        if self._mode == "gru":
            return GRUCell(self._hidden_size, **options)
        return RNNCell(self._hidden_size, self._mode.removeprefix("rnn_"), **options)
