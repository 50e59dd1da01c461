"""Functions as layers."""

from collections.abc import Callable
from typing import Any

import mxnet.ndarray as nd
from regluon.operators import Operators
from regluon.suggestions import did_you_mean

from ..block import Block, HybridBlock
from ._arguments import LayerArgumentError

__all__ = ["HybridLambda", "Lambda"]


def _checked_function(who: str, function: Any) -> Any:
    """The function a layer is made from, or its name; refuses what is neither."""
    if isinstance(function, str):
        if not hasattr(nd, function):
            raise LayerArgumentError(
                f"[{who}] function: there is no nd.{function}; expected a name in mxnet.nd."
                f"{did_you_mean(function, dir(nd))}"
            )
    elif not callable(function):
        raise LayerArgumentError(
            f"[{who}] function: received {function!r} ({type(function).__name__}); expected a function, or the name "
            "of one in mxnet.nd."
        )
    return function


class Lambda(Block):
    """A function as a layer.

    Args:
        function: a function of arrays, or the name of one in `mxnet.nd`.
        prefix: see Block.

    Example:
        >>> nn.Lambda("tanh"), nn.Lambda(lambda x: nd.LeakyReLU(x, slope=0.1))
    """

    __module__ = "mxnet.gluon.nn.basic_layers"  # where MXNet has it: printed types and pickles show it

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix)
        checked = _checked_function(type(self).__name__, function)
        self._func_impl = getattr(nd, checked) if isinstance(checked, str) else checked

    def forward(self, *args: Any) -> Any:
        """Calls the function."""
        return self._func_impl(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({getattr(self._func_impl, '__name__', self._func_impl)})"


class HybridLambda(HybridBlock):
    """A function as a layer that can be compiled.

    Args:
        function: a function `f(F, x, ...)` on operators of `F`, or the name of an operator.
        prefix: see Block.

    Example:
        >>> nn.HybridLambda("tanh"), nn.HybridLambda(lambda F, x: F.LeakyReLU(x, slope=0.1))
    """

    __module__ = "mxnet.gluon.nn.basic_layers"

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix)
        checked = _checked_function(type(self).__name__, function)
        if isinstance(checked, str):
            self._func_name = checked
            self._func = lambda F, *args: getattr(F, checked)(*args)
        else:
            self._func_name, self._func = checked.__name__, checked

    def hybrid_forward(self, F: Operators, x: Any, *args: Any) -> Any:
        """Calls the function."""
        return self._func(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"
