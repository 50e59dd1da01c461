"""Operators with bodies: which inputs of a loop or branch reach which variables of its bodies."""

from collections.abc import Sequence
from typing import NamedTuple

Shape = tuple[int, ...]


class Wiring(NamedTuple):
    """How a node feeds its bodies.

    Attributes:
        sources: for each body, for each of its variables in order, the position of the node's input that it receives.
        num_sliced: how many of the node's first inputs reach the body in slices along their first axis.
        states: for each of the node's outputs that is a loop's state, the position of the input it begins as.
        num_data: how many of the node's outputs come before the states: results of all steps, stacked.
        main: the bodies whose outputs are the node's.
    """

    sources: tuple[Shape, ...]
    num_sliced: int
    states: Shape
    num_data: int
    main: tuple[int, ...]


def item_shape(shape: Sequence[int]) -> Shape:
    """The shape of one slice along the first axis; an element of a row has the shape (1,), as everywhere."""
    return tuple(shape[1:]) or (1,)
