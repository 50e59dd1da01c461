"""Operators with bodies: which inputs of a loop or branch reach which variables of its bodies."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..base import MXNetError

FOREACH, WHILE_LOOP, COND = "_foreach", "_while_loop", "_cond"
CONTROL_FLOW = (FOREACH, WHILE_LOOP, COND)
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


def check_wiring(op_name: str, params: Mapping[str, Any], num_inputs: int, bodies: Sequence[tuple[int, int]]) -> None:
    """Refuses parameters that do not fit the bodies: a damaged file may say anything.

    Args:
        op_name: the operator.
        params: its parameters.
        num_inputs: how many inputs the node has.
        bodies: for each body, the numbers of its variables and of its outputs.
    """
    try:
        wires = wiring(op_name, params)
    except (ValueError, IndexError):
        raise MXNetError(f"[{op_name}] the places of its body's variables do not list each of them once.") from None
    if len(bodies) != len(wires.sources):
        raise MXNetError(f"[{op_name}] received {len(bodies)} subgraphs; expected {len(wires.sources)}.")
    for index, (sources, (num_variables, num_results)) in enumerate(zip(wires.sources, bodies, strict=True)):
        if len(sources) != num_variables or any(not 0 <= source < num_inputs for source in sources):
            raise MXNetError(
                f"[{op_name}] subgraph {index} has {num_variables} variables; its parameters send it the inputs "
                f"{sources} of {num_inputs}."
            )
        expected = params["num_outputs"] if index in wires.main else 1
        if num_results != expected:
            raise MXNetError(f"[{op_name}] subgraph {index} gives {num_results} results; expected {expected}.")
    num_states = params["num_outputs"] - wires.num_data
    if op_name != COND and (num_states != len(wires.states) or wires.num_data < 0):
        raise MXNetError(
            f"[{op_name}] received {len(wires.states)} states; expected {num_states}, one for each result."
        )


def item_shape(shape: Sequence[int]) -> Shape:
    """The shape of one slice along the first axis; an element of a row has the shape (1,), as everywhere."""
    return tuple(shape[1:]) or (1,)
