"""The base of layers that make one array of one array, which checkers know by what they return."""

from typing import TYPE_CHECKING, Any

from regluon.operators import ArrayOrSymbol

from ..block import HybridBlock

__all__ = ["Layer"]

if TYPE_CHECKING:

    class Layer(HybridBlock):
        """A HybridBlock that returns an array for an array, and a symbol for a symbol."""

        def __call__(self, x: ArrayOrSymbol, *args: Any) -> ArrayOrSymbol:
            """Applies the layer."""
            ...
else:
    Layer = HybridBlock
