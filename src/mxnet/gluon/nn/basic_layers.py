"""Layers for everyday use: fully connected, dropout, embedding, flattening."""

from typing import Any

from regluon.operators import Operators

from ...error import OpShapeError
from ..parameter import Parameter
from ._arguments import (
    check_at_call,
    expect_activation,
    expect_activation_name,
    expect_count,
    expect_rate,
    expect_size,
)
from ._containers import HybridLambda, HybridSequential, Lambda, Layer, Sequential
from ._normalization import (
    BatchNorm,
    BatchNormReLU,
    GroupNorm,
    InstanceNorm,
    LayerNorm,
    _BatchNorm,  # noqa: F401
)
from .activations import Activation

__all__ = [
    "BatchNorm",
    "BatchNormReLU",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "HybridLambda",
    "HybridSequential",
    "InstanceNorm",
    "Lambda",
    "LayerNorm",
    "Sequential",
]


class Dense(Layer):
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

    Example:
        >>> net = nn.Dense(4, activation="relu")
        >>> net.initialize()
        >>> net(nd.ones((2, 3))).shape
        (2, 4)
        >>> net.weight.shape
        (4, 3)
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
        expect_activation_name(type(self).__name__, activation)
        super().__init__(prefix, params)
        check_at_call(self, expect_count, "units", units)
        check_at_call(self, expect_size, "in_units", in_units)
        if activation is not None:
            check_at_call(self, expect_activation, activation)
        self._flatten = flatten
        with self.name_scope():
            self._units, self._in_units = units, in_units
            self.weight = self.params.get(
                "weight", shape=(units, in_units), init=weight_initializer, dtype=dtype, allow_deferred_init=True
            )
            self.bias: Parameter | Any = (  # None without a bias
                self.params.get("bias", shape=(units,), init=bias_initializer, dtype=dtype, allow_deferred_init=True)
                if use_bias
                else None
            )
            self.act = Activation(activation, prefix=f"{activation}_") if activation is not None else None

    def hybrid_forward(self, F: Operators, x: Any, weight: Any, bias: Any = None) -> Any:
        """Multiplies, adds, activates."""
        try:
            out = F.FullyConnected(
                x, weight, bias, num_hidden=self._units, no_bias=bias is None, flatten=self._flatten, name="fwd"
            )
        except OpShapeError as error:
            who = f"[{type(self).__name__} {self.name}] FullyConnected"
            error.args = (str(error).replace("[FullyConnected]", who, 1),)
            raise
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        assert self.weight.shape is not None
        width = self.weight.shape[1] or None
        return f"{type(self).__name__}({width} -> {self.weight.shape[0]}, {self.act or 'linear'})"


class Dropout(Layer):
    """Sets elements to zero at random in training, and scales the others up so that the mean stays.

    Args:
        rate: the probability that an element becomes zero.
        axes: axes along which all elements share one fate.
        prefix: see Block.
        params: see Block.

    Example:
        >>> net = nn.Dropout(0.5)
        >>> net(nd.ones((2, 2))).asnumpy()  # drops in training only
        array([[1., 1.],
               [1., 1.]], dtype=float32)
    """

    def __init__(self, rate: float, axes: tuple[int, ...] = (), prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix, params)
        check_at_call(self, expect_rate, "rate", rate)
        self._rate, self._axes = rate, axes

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Drops elements in training; copies otherwise."""
        if self._rate > 0:
            return F.Dropout(x, p=self._rate, axes=self._axes, name="fwd", cudnn_off=False)
        return F.identity(x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"


class Embedding(Layer):
    """Replaces every index by a vector that is learned.

    Args:
        input_dim: number of vectors.
        output_dim: their length.
        dtype: type of the vectors.
        weight_initializer: initializer of the vectors.
        sparse_grad: whether the gradient is row_sparse and holds only the vectors that were used.
        prefix: see Block.
        params: see Block.

    Example:
        >>> net = nn.Embedding(input_dim=1000, output_dim=8)
        >>> net.initialize()
        >>> net(nd.array([[3, 1, 4], [1, 5, 9]])).shape
        (2, 3, 8)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        sparse_grad: bool = False,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix, params)
        check_at_call(self, expect_count, "input_dim", input_dim)
        check_at_call(self, expect_count, "output_dim", output_dim)
        self._kwargs = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": sparse_grad,
        }
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            allow_deferred_init=True,
            grad_stype="row_sparse" if sparse_grad else "default",
        )

    def hybrid_forward(self, F: Operators, x: Any, weight: Any) -> Any:
        """Looks the vectors up."""
        return F.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        given = self._kwargs
        return f"{type(self).__name__}({given['input_dim']} -> {given['output_dim']}, {given['dtype']})"


class Flatten(Layer):
    """Joins all axes but the first.

    Example:
        >>> nn.Flatten()(nd.ones((2, 3, 4, 5))).shape
        (2, 60)
    """

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Joins the axes."""
        return F.flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__
