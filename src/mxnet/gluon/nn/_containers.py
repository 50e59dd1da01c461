"""Blocks that run other blocks in a row."""

import functools
import warnings
from collections import OrderedDict
from typing import Any

from regluon.operators import Operators

from ...error import OpTypeError
from ..block import Block, HybridBlock
from ._lambdas import Lambda

__all__ = ["HybridSequential", "Sequential"]


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
