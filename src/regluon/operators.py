"""What `F` is in `hybrid_forward`, for editors and type checkers.

    from regluon.operators import Operators

    class Net(HybridBlock):
        def hybrid_forward(self, F: Operators, x):
            return F.relu(x)

Python hands over the module `mxnet.ndarray` or `mxnet.symbol`; the stub beside this file shows what both have.
"""

from typing import TYPE_CHECKING, Any, TypeVar

from .array import NDArray
from .symbol import Symbol

__all__ = ["ArrayOrSymbol", "Operators", "Result"]

# What a layer takes, and what it returns: symbols where it is given symbols.
ArrayOrSymbol = TypeVar("ArrayOrSymbol", bound=NDArray | Symbol)

if TYPE_CHECKING:

    class Result(NDArray, Any):
        """What a block takes or returns where nothing says it better: mostly an array, so editors offer its methods.

        It may also be a symbol, a tuple, a dict: checkers let it stand for all of them.
        """
else:
    Result = Any


class Operators:
    """The functions and modules that `mx.nd` and `mx.sym` both have."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"[Operators] {name}: it only describes F, which is mx.nd or mx.sym. Use one of these.")
