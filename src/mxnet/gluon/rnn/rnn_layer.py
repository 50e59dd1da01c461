"""Recurrent layers: several layers, one or both directions, over whole sequences in one operator."""

from typing import TYPE_CHECKING, Any

from .._block_inputs import BlockOptions
from ._basic_cells import Initializers
from ._recurrent_cell import CellError
from ._rnn_layer import _RNNLayer

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = ["RNN", "LSTM", "GRU"]


class RNN(_RNNLayer):
    """Plain recurrent layers, with the activation 'relu' or 'tanh'.

    Args:
        hidden_size: size of the states.
        num_layers: number of layers; each reads the output of the one before.
        activation: 'relu' or 'tanh'.
        layout: order of the axes of inputs and outputs: 'TNC' or 'NTC', with time T, batch N, features C.
        dropout: probability that an element of a layer's output is dropped before the next layer, in training.
        bidirectional: whether each layer reads in both directions, and joins their outputs.
        i2h_weight_initializer: initializer of the weights for the input.
        h2h_weight_initializer: initializer of the weights for the state.
        i2h_bias_initializer: initializer of the biases for the input.
        h2h_bias_initializer: initializer of the biases for the state.
        input_size: size of the input; found from the first data if 0.
        dtype: type of the parameters.
        kwargs: use_sequence_length, and prefix and params of Block.

    Example:
        >>> layer = rnn.RNN(100, 3)
        >>> layer.initialize()
        >>> inputs = nd.random.uniform(shape=(5, 3, 10))
        >>> outputs = layer(inputs)
        >>> outputs, states = layer(inputs, layer.begin_state(batch_size=3))
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        activation: str = "relu",
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        dtype: Any = "float32",
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        if activation not in ("relu", "tanh"):
            raise CellError(f"[RNN] activation: received {activation!r}; expected 'relu' or 'tanh'.")
        initializers = Initializers(
            i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer
        )
        shape = (hidden_size, num_layers, layout, dropout, bidirectional, input_size)
        super().__init__(f"rnn_{activation}", *shape, initializers, dtype, **kwargs)


class LSTM(_RNNLayer):
    """Layers of long short-term memory; the states are the outputs and the cell states.

    Args:
        hidden_size: size of the states.
        num_layers: number of layers; each reads the output of the one before.
        layout: order of the axes of inputs and outputs: 'TNC' or 'NTC', with time T, batch N, features C.
        dropout: probability that an element of a layer's output is dropped before the next layer, in training.
        bidirectional: whether each layer reads in both directions, and joins their outputs.
        input_size: size of the input; found from the first data if 0.
        i2h_weight_initializer: initializer of the weights for the input.
        h2h_weight_initializer: initializer of the weights for the state.
        i2h_bias_initializer: initializer of the biases for the input; 'lstmbias' opens the forget gate.
        h2h_bias_initializer: initializer of the biases for the state.
        projection_size: size that a linear map brings the output of each layer to; no map by default.
        h2r_weight_initializer: initializer of the weights of that map.
        state_clip_min: lower limit of the cell state, together with the upper one.
        state_clip_max: upper limit of the cell state.
        state_clip_nan: whether a NaN in the cell state becomes the lower limit.
        dtype: type of the parameters.
        kwargs: use_sequence_length, and prefix and params of Block.

    Example:
        >>> net = gluon.rnn.LSTM(hidden_size=8, num_layers=2)
        >>> net.initialize()
        >>> output, states = net(nd.ones((5, 3, 10)), net.begin_state(batch_size=3))
        >>> output.shape, [state.shape for state in states]
        ((5, 3, 8), [(2, 3, 8), (2, 3, 8)])
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        projection_size: int | None = None,
        h2r_weight_initializer: Any = None,
        state_clip_min: float | None = None,
        state_clip_max: float | None = None,
        state_clip_nan: bool = False,
        dtype: Any = "float32",
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        weights = (i2h_weight_initializer, h2h_weight_initializer)
        biases = (i2h_bias_initializer, h2h_bias_initializer)
        initializers = Initializers(*weights, *biases, h2r_weight_initializer)
        shape = (hidden_size, num_layers, layout, dropout, bidirectional, input_size)
        clip = (state_clip_min, state_clip_max, state_clip_nan)
        super().__init__("lstm", *shape, initializers, dtype, projection_size, clip, **kwargs)


class GRU(_RNNLayer):
    """Layers of gated recurrent units.

    Args:
        hidden_size: size of the states.
        num_layers: number of layers; each reads the output of the one before.
        layout: order of the axes of inputs and outputs: 'TNC' or 'NTC', with time T, batch N, features C.
        dropout: probability that an element of a layer's output is dropped before the next layer, in training.
        bidirectional: whether each layer reads in both directions, and joins their outputs.
        input_size: size of the input; found from the first data if 0.
        i2h_weight_initializer: initializer of the weights for the input.
        h2h_weight_initializer: initializer of the weights for the state.
        i2h_bias_initializer: initializer of the biases for the input.
        h2h_bias_initializer: initializer of the biases for the state.
        dtype: type of the parameters.
        kwargs: use_sequence_length, and prefix and params of Block.

    Example:
        >>> net = gluon.rnn.GRU(hidden_size=8, layout="NTC")
        >>> net.initialize()
        >>> net(nd.ones((3, 5, 10))).shape
        (3, 5, 8)
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        dtype: Any = "float32",
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        initializers = Initializers(
            i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer
        )
        shape = (hidden_size, num_layers, layout, dropout, bidirectional, input_size)
        super().__init__("gru", *shape, initializers, dtype, **kwargs)
