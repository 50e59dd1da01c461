"""Loops and branches whose bodies are graphs."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..errors import OpParamError, OpShapeError
from .params import Bodies, Shape
from .registry import operator
from .signatures import Wiring


def _check_bodies(bodies: Bodies, count: int, function: str) -> None:
    if len(bodies) != count:
        raise OpParamError(f"expected {count} graph(s) as bodies, got {len(bodies)}; call contrib.{function}")


def _num_outputs(params: dict[str, int]) -> int:
    return params["num_outputs"]


def _slices(data: Tensor) -> Sequence[Tensor]:
    """The parts along the first axis; an element of a row has the shape (1,)."""
    return data.unbind(0) if data.dim() > 1 else data.split(1)


def _foreach_wiring(params: Mapping[str, Any]) -> Wiring:
    places = (*params["in_data_locs"], *params["in_state_locs"], *params["remain_locs"])
    num_sliced, num_states = len(params["in_data_locs"]), len(params["in_state_locs"])
    source = tuple(places.index(variable) for variable in range(len(places)))
    states = tuple(range(num_sliced, num_sliced + num_states))
    return Wiring((source,), num_sliced, states, params["num_out_data"], (0,))


def _while_wiring(params: Mapping[str, Any]) -> Wiring:
    body = params["func_input_locs"]
    states = tuple(body[place] for place in params["func_var_locs"])
    return Wiring((params["cond_input_locs"], body), 0, states, params["num_out_data"], (1,))


def _cond_wiring(params: Mapping[str, Any]) -> Wiring:
    sources = tuple(params[f"{part}_input_locs"] for part in ("cond", "then", "else"))
    return Wiring(sources, 0, (), 0, (1, 2))


@operator("_foreach", outputs=_num_outputs, count_param="num_args", wiring=_foreach_wiring)
def foreach(
    *data: Tensor,
    bodies: Bodies = (),
    num_outputs: int,
    num_out_data: int,
    in_state_locs: Shape,
    in_data_locs: Shape,
    remain_locs: Shape,
) -> tuple[Tensor, ...]:
    """Runs a body on each slice of the data along their first axis, with states that go from step to step.

    Args:
        data: the arrays to slice, the states to begin with, then what the body reads besides.
        bodies: the body: slices, states and the rest to results and new states.
        num_outputs: how many arrays the body gives.
        num_out_data: how many of them, the first, are results to stack; the others are the new states.
        in_state_locs: at which places among the body's variables the states are.
        in_data_locs: the places of the slices.
        remain_locs: the places of the rest.
    """
    _check_bodies(bodies, 1, "foreach")
    num_data, num_states = len(in_data_locs), len(in_state_locs)
    lengths = {tuple(each.shape[:1]) for each in data[:num_data]}
    if len(lengths) != 1 or not all(lengths.copy().pop()):
        raise OpShapeError(f"expected data of one length, at least 1, got {[tuple(d.shape) for d in data[:num_data]]}")
    states, rest = list(data[num_data : num_data + num_states]), data[num_data + num_states :]
    places = (*in_data_locs, *in_state_locs, *remain_locs)
    columns: list[list[Tensor]] = []
    for items in zip(*(_slices(each) for each in data[:num_data]), strict=True):
        placed = dict(zip(places, (*items, *states, *rest), strict=True))
        results = bodies[0]([placed[place] for place in range(len(places))])
        columns.append(results[:num_out_data])
        states = results[num_out_data:]
    return (*(torch.stack(column) for column in zip(*columns, strict=True)), *states)


@operator("_while_loop", outputs=_num_outputs, count_param="num_args", wiring=_while_wiring)
def while_loop(
    *data: Tensor,
    bodies: Bodies = (),
    num_outputs: int,
    num_out_data: int,
    max_iterations: int,
    cond_input_locs: Shape,
    func_input_locs: Shape,
    func_var_locs: Shape,
) -> tuple[Tensor, ...]:
    """Runs a body as long as a condition on the loop's variables holds; unused rows of the results are zeros.

    Args:
        data: all that the condition and the body read.
        bodies: the condition and the body.
        num_outputs: how many arrays the body gives.
        num_out_data: how many of them, the first, are results to stack; the others are the new variables.
        max_iterations: when to stop at the latest, and the number of rows of the results.
        cond_input_locs: for each variable of the condition, which of `data` it is.
        func_input_locs: the same for the body.
        func_var_locs: at which places among the body's variables the loop's variables are.
    """
    _check_bodies(bodies, 2, "while_loop")
    condition, body = bodies
    current = list(data)
    state_places = [func_input_locs[place] for place in func_var_locs]
    columns: list[list[Tensor]] = []
    while len(columns) < max_iterations and _holds(condition([current[place] for place in cond_input_locs])[0]):
        results = body([current[place] for place in func_input_locs])
        columns.append(results[:num_out_data])
        for place, value in zip(state_places, results[num_out_data:], strict=True):
            current[place] = value
    if not columns:  # the shapes of the results are known from a run on copies, which leaves no trace
        with torch.no_grad():
            likes = body([current[place].clone() for place in func_input_locs])[:num_out_data]
        stacked = [like.new_zeros((max_iterations, *like.shape)) for like in likes]
    else:
        stacked = [_padded(column, max_iterations) for column in zip(*columns, strict=True)]
    return (*stacked, *(current[place] for place in state_places))


def _holds(value: Tensor) -> bool:
    if value.numel() != 1:
        raise OpShapeError(f"expected a condition of one element, got the shape {tuple(value.shape)}")
    return bool(value.item())


def _padded(column: Sequence[Tensor], length: int) -> Tensor:
    if any(each.shape != column[0].shape for each in column):
        raise OpShapeError(f"expected results of one shape in all steps, got {[tuple(each.shape) for each in column]}")
    missing = length - len(column)
    stacked = torch.stack(tuple(column))
    return torch.cat((stacked, stacked.new_zeros((missing, *stacked.shape[1:])))) if missing else stacked


@operator("_cond", outputs=_num_outputs, count_param="num_args", wiring=_cond_wiring)
def cond(
    *data: Tensor,
    bodies: Bodies = (),
    num_outputs: int,
    cond_input_locs: Shape,
    then_input_locs: Shape,
    else_input_locs: Shape,
) -> tuple[Tensor, ...]:
    """Runs one of two bodies, as a condition says.

    Args:
        data: all that the condition and the bodies read.
        bodies: the condition, the body for true and the one for false.
        num_outputs: how many arrays either body gives.
        cond_input_locs: for each variable of the condition, which of `data` it is.
        then_input_locs: the same for the body for true.
        else_input_locs: the same for the body for false.
    """
    _check_bodies(bodies, 3, "cond")
    if _holds(bodies[0]([data[place] for place in cond_input_locs])[0]):
        return tuple(bodies[1]([data[place] for place in then_input_locs]))
    return tuple(bodies[2]([data[place] for place in else_input_locs]))
