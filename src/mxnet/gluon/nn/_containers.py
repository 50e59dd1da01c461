"""Define containers of layers and layers from functions."""

import functools
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mxnet.ndarray as nd
from regluon.arguments import did_you_mean
from regluon.operators import ArrayOrSymbol, Operators

from ...error import OpTypeError
from ..block import Block, HybridBlock
from ._arguments import LayerArgumentError

__all__ = ["Layer", "HybridLambda", "Lambda", "HybridSequential", "Sequential"]


if TYPE_CHECKING:

    class Layer(HybridBlock):
        """A HybridBlock that returns an array for an array, and a symbol for a symbol."""

        def __call__(self, x: ArrayOrSymbol, *args: Any) -> ArrayOrSymbol:
            """Applies the layer."""
            ...
else:
    Layer = HybridBlock


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


class _Row:
    """What both kinds of rows have in common: adding, counting and picking blocks."""

    _is_row = True
    _children: OrderedDict[str, Any]
    prefix: str

    def add(self, *blocks: Any) -> None:
        """Puts blocks at the end of the row."""
        for block in blocks:
            if isinstance(block, type) or not hasattr(block, "collect_params"):
                block = self._as_block(block)
            self.register_child(block)  # type: ignore[attr-defined]

    def _as_block(self, given: Any) -> Block:
        """Return a block in place of anything else that a program adds, or raise OpTypeError."""
        raise _no_block(self, given)

    def __repr__(self) -> str:
        lines = [f"  ({key}): " + repr(block).replace("\n", "\n  ") for key, block in self._children.items()]
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"

    def __getitem__(self, key: Any) -> Any:
        try:
            layers = list(self._children.values())[key]
        except IndexError:
            raise IndexError(f"[{type(self).__name__}] there is no block {key} among {len(self)}.") from None
        if not isinstance(layers, list):
            return layers
        row = type(self)(prefix=self.prefix)  # type: ignore[call-arg]
        with row.name_scope():  # type: ignore[attr-defined]
            row.add(*layers)
        return row

    def __len__(self) -> int:
        return len(self._children)


def _no_block(row: Any, given: Any) -> OpTypeError:
    kind = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
    name = getattr(given, "__name__", None) or type(given).__name__
    way = f"nn.{name}(...)" if isinstance(given, type) else f"nn.HybridLambda({name!r})"
    advice = f" Write net.add({way})." if callable(given) else ""
    return OpTypeError(f"[{type(row).__name__}] add: received {kind}; expected blocks.{advice}")


def _refuse(text: str, *inputs: Any) -> None:
    raise OpTypeError(text)


class Sequential(_Row, Block):
    """Runs blocks one after the other.

    Example:
        >>> net = nn.Sequential()
        >>> with net.name_scope():
        ...     net.add(nn.Dense(10, activation="relu"), nn.Dense(20))
    """

    __module__ = "mxnet.gluon.nn.basic_layers"  # where MXNet has it: error texts and pickles say so

    def _as_block(self, given: Any) -> Block:
        """Wrap a function. A class or an object that is not callable is refused when the row runs, as in MXNet."""
        if callable(given) and not isinstance(given, type):
            return Lambda(given)
        refusal = functools.partial(_refuse, str(_no_block(self, given)))
        refusal.__name__ = getattr(given, "__name__", repr(given))  # type: ignore[attr-defined]
        return Lambda(refusal)

    def forward(self, x: Any, *args: Any) -> Any:
        """Each block gets what the one before it returned."""
        for block in self._children.values():
            x = block(x, *args)
            args = ()
            if isinstance(x, (tuple, list)):
                x, args = x[0], tuple(x[1:])
        return x if not args else (x, *args)

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Switches the blocks inside to compiled mode."""
        if self._children and all(isinstance(block, HybridBlock) for block in self._children.values()):
            warnings.warn(
                f"[{self.name}] all blocks of this nn.Sequential are HybridBlocks: nn.HybridSequential compiles "
                "them as one.",
                stacklevel=2,
            )
        super().hybridize(active, **kwargs)


class HybridSequential(_Row, HybridBlock):
    """Runs blocks one after the other; compiles as one.

    Example:
        >>> net = nn.HybridSequential()
        >>> with net.name_scope():
        ...     net.add(nn.Dense(10, activation="relu"), nn.Dense(20))
        >>> net.hybridize()
    """

    __module__ = "mxnet.gluon.nn.basic_layers"

    def hybrid_forward(self, F: Operators, x: Any, *args: Any) -> Any:
        """Each block gets what the one before it returned."""
        for block in self._children.values():
            x = block(x, *args)
            args = ()
            if isinstance(x, (tuple, list)):
                x, args = x[0], tuple(x[1:])
        return x if not args else (x, *args)
