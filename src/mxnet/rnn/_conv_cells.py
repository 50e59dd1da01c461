"""Recurrent cells whose gates are convolutions of inputs and state."""

import functools
from collections.abc import Callable
from typing import Any

from ._base_cell import BaseRNNCell, CellError, RNNParams, symbol
from ._cells import gru_step, lstm_step

__all__ = ["BaseConvRNNCell", "ConvGRUCell", "ConvLSTMCell", "ConvRNNCell"]

Pair = tuple[int, int]
leaky = functools.partial(symbol.LeakyReLU, act_type="leaky", slope=0.2)


class BaseConvRNNCell(BaseRNNCell):
    """The base of convolutional cells.

    Args:
        input_shape: shape of the inputs, batch included.
        num_hidden: channels of the state.
        h2h_kernel: kernel of the state's convolution, odd.
        h2h_dilate: its dilation.
        i2h_kernel: kernel of the inputs' convolution.
        i2h_stride: its stride.
        i2h_pad: its padding.
        i2h_dilate: its dilation.
        i2h_weight_initializer: initializer of its weight.
        h2h_weight_initializer: initializer of the weight of the state's convolution.
        i2h_bias_initializer: initializer of the inputs' bias.
        h2h_bias_initializer: initializer of the state's bias.
        activation: name of the activation, or a function.
        prefix: the beginning of the names of its parameters.
        params: variables to share with other cells.
        conv_layout: what the axes mean.
    """

    __module__ = "mxnet.rnn.rnn_cell"

    def __init__(
        self,
        input_shape: tuple[int, ...],
        num_hidden: int,
        h2h_kernel: Pair,
        h2h_dilate: Pair,
        i2h_kernel: Pair,
        i2h_stride: Pair,
        i2h_pad: Pair,
        i2h_dilate: Pair,
        i2h_weight_initializer: Any,
        h2h_weight_initializer: Any,
        i2h_bias_initializer: Any,
        h2h_bias_initializer: Any,
        activation: Any,
        prefix: str = "",
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        if any(length % 2 == 0 for length in h2h_kernel[:2]):
            raise CellError(
                f"[{type(self).__name__}] h2h_kernel: received {h2h_kernel}; Only support odd number, so that the "
                "state keeps its shape."
            )
        self._h2h_kernel, self._h2h_dilate = h2h_kernel, h2h_dilate
        self._h2h_pad = tuple(d * (k - 1) // 2 for d, k in zip(h2h_dilate[:2], h2h_kernel[:2], strict=True))
        self._i2h_kernel, self._i2h_stride = i2h_kernel, i2h_stride
        self._i2h_pad, self._i2h_dilate = i2h_pad, i2h_dilate
        self._num_hidden, self._input_shape = num_hidden, input_shape
        self._conv_layout, self._activation = conv_layout, activation
        probe = self._from_inputs(symbol.Variable("data"), num_hidden)
        self._state_shape = (0, *probe.infer_shape(data=input_shape)[1][0][1:])
        self._iW = self.params.get("i2h_weight", init=i2h_weight_initializer)
        self._hW = self.params.get("h2h_weight", init=h2h_weight_initializer)
        self._iB = self.params.get("i2h_bias", init=i2h_bias_initializer)
        self._hB = self.params.get("h2h_bias", init=h2h_bias_initializer)

    def _from_inputs(self, data: Any, num_filter: int, **kwargs: Any) -> Any:
        return symbol.Convolution(
            data=data,
            num_filter=num_filter,
            kernel=self._i2h_kernel,
            stride=self._i2h_stride,
            pad=self._i2h_pad,
            dilate=self._i2h_dilate,
            layout=self._conv_layout,
            **kwargs,
        )

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        return [{"shape": self._state_shape, "__layout__": self._conv_layout} for _ in range(2)]

    def _conv_forward(self, inputs: Any, states: Any, name: str) -> tuple[Any, Any]:
        """What inputs and state say to all gates."""
        size = self._num_hidden * self._num_gates
        i2h = self._from_inputs(inputs, size, weight=self._iW, bias=self._iB, name=f"{name}i2h")
        h2h = symbol.Convolution(
            data=states[0],
            num_filter=size,
            kernel=self._h2h_kernel,
            dilate=self._h2h_dilate,
            pad=self._h2h_pad,
            stride=(1, 1),
            weight=self._hW,
            bias=self._hB,
            layout=self._conv_layout,
            name=f"{name}h2h",
        )
        return i2h, h2h

    def _activate(self, inputs: Any, **kwargs: Any) -> Any:
        return self._get_activation(inputs, self._activation, **kwargs)


def _constructor(default_prefix: str) -> Callable[..., None]:
    """A constructor with the defaults that all convolutional cells have, and a prefix of its own."""

    def __init__(
        self: BaseConvRNNCell,
        input_shape: tuple[int, ...],
        num_hidden: int,
        h2h_kernel: Pair = (3, 3),
        h2h_dilate: Pair = (1, 1),
        i2h_kernel: Pair = (3, 3),
        i2h_stride: Pair = (1, 1),
        i2h_pad: Pair = (1, 1),
        i2h_dilate: Pair = (1, 1),
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        activation: Any = leaky,
        prefix: str = default_prefix,
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        BaseConvRNNCell.__init__(
            *(self, input_shape, num_hidden, h2h_kernel, h2h_dilate, i2h_kernel, i2h_stride, i2h_pad, i2h_dilate),
            *(i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer),
            *(activation, prefix, params, conv_layout),
        )

    return __init__


class ConvRNNCell(BaseConvRNNCell):
    """The simple recurrent cell with convolutions; arguments as of BaseConvRNNCell."""

    __module__ = "mxnet.rnn.rnn_cell"

    __init__ = _constructor("ConvRNN_")

    @property
    def _gate_names(self) -> tuple[str, ...]:
        return ("",)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the state."""
        return super().state_info[:1]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step."""
        name = self._next_name()
        i2h, h2h = self._conv_forward(inputs, states, name)
        output = self._activate(i2h + h2h, name=f"{name}out")
        return output, [output]


class ConvLSTMCell(BaseConvRNNCell):
    """Long short-term memory with convolutions; arguments as of BaseConvRNNCell."""

    __module__ = "mxnet.rnn.rnn_cell"

    __init__ = _constructor("ConvLSTM_")

    @property
    def _gate_names(self) -> list[str]:
        return ["_i", "_f", "_c", "_o"]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step."""
        name = self._next_name()
        i2h, h2h = self._conv_forward(inputs, states, name)
        axis = self._conv_layout.find("C")
        output, next_c = lstm_step(i2h + h2h, states[1], name, self._activate, axis)
        return output, [output, next_c]


class ConvGRUCell(BaseConvRNNCell):
    """The gated recurrent unit with convolutions; arguments as of BaseConvRNNCell."""

    __module__ = "mxnet.rnn.rnn_cell"

    __init__ = _constructor("ConvGRU_")

    @property
    def _gate_names(self) -> list[str]:
        return ["_r", "_z", "_o"]

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the state."""
        return super().state_info[:1]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step."""
        name = self._next_name()
        i2h, h2h = self._conv_forward(inputs, states, name)
        output = gru_step(i2h, h2h, states[0], name, self._activate)
        return output, [output]
