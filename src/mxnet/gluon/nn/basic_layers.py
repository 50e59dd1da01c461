"""Layers for everyday use: fully connected, dropout, embedding, flattening, functions as layers."""

from typing import Any

from ..block import HybridBlock
from .activations import Activation
from .containers import HybridSequential, Sequential

__all__ = ["Dense", "HybridSequential", "Sequential"]


class Dense(HybridBlock):
    """A fully connected layer: `activation(dot(x, weight.T) + bias)`.

    Args:
        units: number of outputs.
        activation: name of an activation function, or None.
        use_bias: whether to add a bias.
        flatten: whether to join all axes of the input but the first; otherwise the last axis is transformed.
        dtype: type of the parameters.
        weight_initializer: initializer of the weight.
        bias_initializer: initializer of the bias.
        in_units: number of inputs; found from the first data if 0.
        prefix: see Block.
        params: see Block.
    """

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_units: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix, params)
        self._flatten = flatten
        with self.name_scope():
            self._units, self._in_units = units, in_units
            self.weight = self.params.get(
                "weight", shape=(units, in_units), init=weight_initializer, dtype=dtype, allow_deferred_init=True
            )
            self.bias = (
                self.params.get("bias", shape=(units,), init=bias_initializer, dtype=dtype, allow_deferred_init=True)
                if use_bias
                else None
            )
            self.act = Activation(activation, prefix=f"{activation}_") if activation is not None else None

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Multiplies, adds, activates."""
        out = F.FullyConnected(
            x, weight, bias, num_hidden=self._units, no_bias=bias is None, flatten=self._flatten, name="fwd"
        )
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        assert self.weight.shape is not None
        width = self.weight.shape[1] or None
        return f"{type(self).__name__}({width} -> {self.weight.shape[0]}, {self.act or 'linear'})"
