"""Operators with bodies: which inputs of a loop or branch reach which variables of its bodies."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

FOREACH, WHILE_LOOP, COND = "_foreach", "_while_loop", "_cond"
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


def wiring(op_name: str, params: Mapping[str, Any]) -> Wiring:
    """The wiring of a control flow operator, from its parameters."""
    if op_name == FOREACH:
        places = (*params["in_data_locs"], *params["in_state_locs"], *params["remain_locs"])
        num_sliced, num_states = len(params["in_data_locs"]), len(params["in_state_locs"])
        source = tuple(places.index(variable) for variable in range(len(places)))
        states = tuple(range(num_sliced, num_sliced + num_states))
        return Wiring((source,), num_sliced, states, params["num_out_data"], (0,))
    if op_name == WHILE_LOOP:
        body = params["func_input_locs"]
        states = tuple(body[place] for place in params["func_var_locs"])
        return Wiring((params["cond_input_locs"], body), 0, states, params["num_out_data"], (1,))
    sources = tuple(params[f"{part}_input_locs"] for part in ("cond", "then", "else"))
    return Wiring(sources, 0, (), 0, (1, 2))


def item_shape(shape: Sequence[int]) -> Shape:
    """The shape of one slice along the first axis; an element of a row has the shape (1,), as everywhere."""
    return tuple(shape[1:]) or (1,)
