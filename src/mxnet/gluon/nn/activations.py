"""Activation layers."""

from typing import Any

from ..block import HybridBlock

__all__ = ["Activation"]


class Activation(HybridBlock):
    """Applies an activation function to the input.

    Args:
        activation: 'relu', 'sigmoid', 'softrelu', 'softsign' or 'tanh'.
        prefix: see Block.
        params: see Block.
    """

    def __init__(self, activation: str, prefix: str | None = None, params: Any = None) -> None:
        self._act_type = activation
        super().__init__(prefix, params)

    def _alias(self) -> str:
        return self._act_type

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Applies the function."""
        return F.Activation(x, act_type=self._act_type, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"
