"""Activation layers."""

from typing import Any

from regluon.operators import Operators

from ...initializer import Constant
from ._arguments import LayerArgumentError, check_at_call, expect_activation
from ._containers import Layer

__all__ = ["ELU", "GELU", "SELU", "Activation", "LeakyReLU", "PReLU", "Swish"]

_QUARTER = Constant(0.25)


class Activation(Layer):
    """Applies an activation function to the input.

    Args:
        activation: 'relu', 'sigmoid', 'softrelu', 'softsign' or 'tanh'.
        prefix: see Block.
        params: see Block.

    Example:
        >>> nn.Activation("relu")(nd.array([-1, 2])).asnumpy()
        array([0., 2.], dtype=float32)
    """

    def __init__(self, activation: str, prefix: str | None = None, params: Any = None) -> None:
        self._act_type: Any = activation  # F checks it
        super().__init__(prefix, params)
        if type(self).hybrid_forward is Activation.hybrid_forward:
            check_at_call(self, expect_activation, activation)

    def _alias(self) -> str:
        return self._act_type if isinstance(self._act_type, str) else super()._alias()

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Applies the function."""
        return F.Activation(x, act_type=self._act_type, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"


class LeakyReLU(Layer):
    """Multiplies negative elements by a small slope.

    Args:
        alpha: the slope, not below 0.
        prefix: see Block.
        params: see Block.

    Example:
        >>> nn.LeakyReLU(0.1)(nd.array([-1, 2])).asnumpy()
        array([-0.1,  2. ], dtype=float32)
    """

    def __init__(self, alpha: float, prefix: str | None = None, params: Any = None) -> None:
        if alpha < 0:
            raise LayerArgumentError(f"[{type(self).__name__}] alpha: received {alpha}; expected a slope not below 0.")
        super().__init__(prefix, params)
        self._alpha = alpha

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Applies the function."""
        return F.LeakyReLU(x, act_type="leaky", slope=self._alpha, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"


class PReLU(Layer):
    """Multiplies negative elements by slopes that are learned.

    Args:
        alpha_initializer: initializer of the slopes, 0.25 by default.
        in_channels: number of slopes: one for each channel (axis 1), or one for all.
        prefix: see Block.
        params: see Block.
    """

    def __init__(
        self,
        alpha_initializer: Any = _QUARTER,
        in_channels: int = 1,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix, params)
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=alpha_initializer)

    def hybrid_forward(self, F: Operators, x: Any, alpha: Any) -> Any:
        """Applies the function."""
        return F.LeakyReLU(x, gamma=alpha, act_type="prelu", name="fwd")


class ELU(Layer):
    """Replaces negative elements by `alpha * (exp(x) - 1)`.

    Args:
        alpha: how far below zero the result can get.
        prefix: see Block.
        params: see Block.
    """

    def __init__(self, alpha: float = 1.0, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix, params)
        self._alpha = alpha

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Applies the function."""
        return F.LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(Layer):
    """The exponential unit with the two factors that keep mean 0 and variance 1 from layer to layer."""

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Applies the function."""
        return F.LeakyReLU(x, act_type="selu", name="fwd")


class GELU(Layer):
    """x times the normal distribution function of x."""

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Applies the function."""
        return F.LeakyReLU(x, act_type="gelu", name="fwd")


class Swish(Layer):
    """`x * sigmoid(beta * x)`.

    Args:
        beta: the factor.
        prefix: see Block.
        params: see Block.
    """

    def __init__(self, beta: float = 1.0, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix, params)
        self._beta = beta

    def hybrid_forward(self, F: Operators, x: Any) -> Any:
        """Applies the function."""
        return x * F.sigmoid(self._beta * x, name="fwd")
