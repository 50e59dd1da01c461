"""What all recurrent cells have: named parameters, states, unrolling over a sequence."""

from collections.abc import Callable, Sequence
from typing import Any

import mxnet.symbol as symbol_module

from ..base import MXNetError
from ..ndarray import NDArray, concatenate

__all__ = ["BaseRNNCell", "RNNParams"]

Arrays = dict[str, NDArray]
symbol: Any = symbol_module  # its functions are made from the registry: type checkers do not see them


class CellError(MXNetError, AssertionError):
    """A cell is used in a way it does not allow."""


class RNNParams:
    """The variables of cells, by name; cells that get the same one share weights.

    Args:
        prefix: the beginning of all names.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._params: dict[str, Any] = {}

    def get(self, name: str, **kwargs: Any) -> Any:
        """The variable of this name, made with `kwargs` if it is new."""
        full_name = self._prefix + name
        if full_name not in self._params:
            self._params[full_name] = symbol.Variable(full_name, **kwargs)
        return self._params[full_name]


class BaseRNNCell:
    """The base of recurrent cells: a step is a call with inputs and states, `unroll` makes many.

    Args:
        prefix: the beginning of the names of its parameters.
        params: variables to share with other cells; its own by default.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    _num_hidden: int

    def __init__(self, prefix: str = "", params: RNNParams | None = None) -> None:
        self._own_params = params is None
        self._prefix = prefix
        self._params = RNNParams(prefix) if params is None else params
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Begins a new graph: names of steps are counted from 0."""
        self._init_counter = -1
        self._counter = -1
        for cell in getattr(self, "_cells", ()):
            cell.reset()

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step.

        Args:
            inputs: symbol of shape (batch, features).
            states: states of the last step, or `begin_state()`.

        Returns:
            The output and the next states.
        """
        raise NotImplementedError(f"[{type(self).__name__}] does not define a step; write __call__.")

    def _next_name(self) -> str:
        """The beginning of the names of a new step."""
        self._counter += 1
        return f"{self._prefix}t{self._counter}_"

    @property
    def params(self) -> RNNParams:
        """Its variables."""
        self._own_params = False
        return self._params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        raise NotImplementedError(f"[{type(self).__name__}] does not define state_info; write it.")

    @property
    def state_shape(self) -> list[tuple[int, ...]]:
        """The shape of each state; the batch is 0."""
        return [info["shape"] for info in self.state_info]

    @property
    def _gate_names(self) -> Sequence[str]:
        """The names of the gates, in the order of their weights."""
        return ()

    def _check_not_modified(self) -> None:
        if self._modified:
            raise CellError(
                f"[{type(self).__name__}] a modifier cell was applied to it, so the base cell cannot be called "
                "directly. Call the modifier cell instead."
            )

    def begin_state(self, func: Callable[..., Any] | None = None, **kwargs: Any) -> list[Any]:
        """The states to begin with.

        Args:
            func: makes a symbol from a name and a shape; `mx.sym.zeros` by default, `mx.sym.Variable` to give them.
            kwargs: further arguments of `func`.
        """
        self._check_not_modified()
        make = func or symbol.zeros
        states = []
        for info in self.state_info:
            self._init_counter += 1
            kwargs.update(info or {})
            states.append(make(name=f"{self._prefix}begin_state_{self._init_counter}", **kwargs))
        return states

    def unpack_weights(self, args: Arrays) -> Arrays:
        """A copy of parameters by name, with an array for each gate in place of one for all."""
        args = args.copy()
        if not self._gate_names:
            return args
        size = self._num_hidden
        for group in ("i2h", "h2h"):
            for kind in ("weight", "bias"):
                whole = args.pop(f"{self._prefix}{group}_{kind}")
                for place, gate in enumerate(self._gate_names):
                    part = whole[place * size : (place + 1) * size]
                    args[f"{self._prefix}{group}{gate}_{kind}"] = part.copy()
        return args

    def pack_weights(self, args: Arrays) -> Arrays:
        """A copy of parameters by name, with one array for all gates: undoes `unpack_weights`."""
        args = args.copy()
        if not self._gate_names:
            return args
        for group in ("i2h", "h2h"):
            for kind in ("weight", "bias"):
                parts = [args.pop(f"{self._prefix}{group}{gate}_{kind}") for gate in self._gate_names]
                args[f"{self._prefix}{group}_{kind}"] = concatenate(parts)
        return args

    def unroll(
        self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC", merge_outputs: bool | None = None
    ) -> tuple[Any, list[Any]]:
        """Makes the graph of many steps.

        Args:
            length: number of steps.
            inputs: a symbol of the whole sequence, or a list with one for each step.
            begin_state: states to begin with; zeros by default.
            layout: what the axes of a whole sequence mean; T are the steps.
            merge_outputs: whether the outputs come in one symbol; None for what is easiest.

        Returns:
            The outputs and the last states.
        """
        self.reset()
        steps, _ = normalize_sequence(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        outputs = []
        for place in range(length):
            output, states = self(steps[place], states)
            outputs.append(output)
        return normalize_sequence(length, outputs, layout, merge_outputs)[0], states

    def _get_activation(self, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """An activation by name, or by calling it."""
        if isinstance(activation, str):
            return symbol.Activation(inputs, act_type=activation, **kwargs)
        return activation(inputs, **kwargs)


def normalize_sequence(length: int | None, inputs: Any, layout: str, merge: bool | None) -> tuple[Any, int]:
    """A sequence as one symbol or as a list with one for each step; and the axis of the steps.

    Args:
        length: number of steps.
        inputs: one symbol, or a list.
        layout: what the axes mean.
        merge: True for one symbol, False for a list, None to leave it as it is.
    """
    axis = layout.find("T")
    if inputs is None:
        raise CellError("[unroll] inputs: received None; make variables and pass them: mx.sym.Variable('data').")
    if isinstance(inputs, symbol.Symbol):
        if merge is False:
            if len(inputs) != 1:
                raise CellError(
                    "[unroll] inputs: received a symbol with several outputs; expected one output, or a list: "
                    "list(inputs)."
                )
            inputs = list(symbol.split(inputs, axis=axis, num_outputs=length, squeeze_axis=1))
        return inputs, axis
    if length is not None and len(inputs) != length:
        raise CellError(f"[unroll] inputs: received {len(inputs)} steps; expected {length}.")
    if merge is True:
        inputs = symbol.Concat(*[symbol.expand_dims(each, axis=axis) for each in inputs], dim=axis)
    return inputs, axis
