"""What a network of this collection is: how to build it, and which data it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tools.oracle.case import Input


@dataclass(frozen=True)
class Network:
    """A network to pass from one library to the other.

    Args:
        build: makes a HybridBlock, or a Symbol.
        inputs: data for it, by the names of their variables; a block names them data, or data0, data1, ...
        nesting: puts the arrays together as the block's arguments; each is an argument unless given.
        dtype: what its parameters are cast to.
        gradients: "train" if gradients of all parameters and data are compared too, "predict" if they are those of
            predict mode, because the network drops at random.
        keeps_parameters: False if they follow from their names, and are too large to be stored.
    """

    build: Callable[[], Any]
    inputs: dict[str, Input]
    nesting: Callable[..., tuple[Any, ...]] | None = None
    dtype: str = "float32"
    gradients: str = ""
    keeps_parameters: bool = True


def block(build: Callable[[], Any], *inputs: Input, **options: Any) -> Network:
    """A Gluon network; its inputs get the names that `export` gives them."""
    named = {"data" if len(inputs) == 1 else f"data{place}": each for place, each in enumerate(inputs)}
    return Network(build, named, **options)


def symbol(build: Callable[[], Any], inputs: dict[str, Input], **options: Any) -> Network:
    """A network made of symbols."""
    return Network(build, inputs, **options)
