"""Operators that join arrays and cut them into several."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import normal_axis
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Shape
from ..partial_shapes import PartialShapes, common, from_results, joined_along, stacked, unknown
from ..registry import operator, partial_shapes_of, shape_of
from ..shape_rules import Params, Result, Specs, axis_from_front


def _one_dtype(arrays: Sequence[Tensor]) -> None:
    for place, array in enumerate(arrays):
        if array.dtype is not arrays[0].dtype:
            raise OpTypeError(
                f"expected arrays of one dtype, got {NAME_OF_TORCH[arrays[0].dtype]} and, at place {place}, "
                f"{NAME_OF_TORCH[array.dtype]}; convert one with astype()"
            )


def _concat(arrays: Sequence[Tensor], dim: int) -> Tensor:
    _one_dtype(arrays)
    first = arrays[0].shape
    axis = normal_axis(dim, len(first), "dim")
    for place, array in enumerate(arrays):
        shape = array.shape
        if len(shape) != len(first) or shape[:axis] != first[:axis] or shape[axis + 1 :] != first[axis + 1 :]:
            raise OpShapeError(
                f"expected arrays that differ in the length of axis {axis} only, got {tuple(first)} and, at place "
                f"{place}, {tuple(shape)}"
            )
    return torch.cat(list(arrays), axis)


@operator("Concat", "_sparse_concat", "concat", count_param="num_args", partial_shapes=joined_along("dim"))
def concat(*data: Tensor, dim: int = 1) -> Tensor:
    """Joins arrays along an axis they have.

    Args:
        data: arrays that differ in the length of this axis only.
        dim: the axis.
    """
    return _concat(data, dim)


@operator("_rnn_param_concat", "_npi_rnn_param_concat", count_param="num_args")
def rnn_param_concat(*data: Tensor, dim: int = 1) -> Tensor:
    """Joins the parameters of a recurrent layer to the one array that `RNN` takes."""
    return _concat(data, dim)


@operator("stack", count_param="num_args", partial_shapes=stacked)
def stack(*data: Tensor, axis: int = 0) -> Tensor:
    """Joins arrays of the same shape along a new axis.

    Args:
        data: the arrays.
        axis: where the new axis is put.
    """
    _one_dtype(data)
    first = data[0].shape
    for place, array in enumerate(data):
        if array.shape != first:
            raise OpShapeError(
                f"expected arrays of the same shape, got {tuple(first)} and, at place {place}, {tuple(array.shape)}"
            )
    return torch.stack(data, normal_axis(axis, len(first) + 1))


@operator(
    "SliceChannel",
    "split",
    returns_view=True,
    outputs=lambda params: params["num_outputs"],
    numbers_output=True,
    names_input=True,
)
def split(data: Tensor, *, num_outputs: int, axis: int = 1, squeeze_axis: bool = False) -> tuple[Tensor, ...]:
    """Cuts an array into equal parts along an axis.

    Args:
        data: the array.
        num_outputs: the number of parts.
        axis: the axis to cut.
        squeeze_axis: leave the axis out of the parts, which then must have length 1 on it.
    """
    axis = normal_axis(axis, data.dim())
    length = data.shape[axis]
    if num_outputs < 1:
        raise OpParamError(f"num_outputs={num_outputs}; expected at least 1")
    if squeeze_axis:
        if length != num_outputs:
            raise OpShapeError(
                f"squeeze_axis leaves out an axis of length 1, but axis {axis} of length {length} was to be cut into "
                f"{num_outputs} parts; expected num_outputs={length}"
            )
        return data.unbind(axis)
    if length % num_outputs:
        raise OpShapeError(f"cannot cut axis {axis} of length {length} into {num_outputs} equal parts")
    return data.chunk(num_outputs, axis)


def _num_parts(params: Mapping[str, Any]) -> int:
    return params["sections"] if params["sections"] > 0 else len(params["indices"])


@operator("_split_v2", "_npi_split", returns_view=True, outputs=_num_parts, names_input=True)
def split_v2(
    data: Tensor, *, indices: Shape, axis: int = 1, squeeze_axis: bool = False, sections: int = 0
) -> tuple[Tensor, ...]:
    """Cuts an array along an axis at the given places.

    Args:
        data: the array.
        indices: where each part starts; the first number is 0.
        axis: the axis to cut.
        squeeze_axis: leave the axis out of the parts, which then must have length 1 on it.
        sections: the number of parts, instead of `indices`; the first ones are longer by one if it does not divide.
    """
    axis = normal_axis(axis, data.dim())
    length = data.shape[axis]
    if sections > 0:
        parts = data.tensor_split(sections, axis)
    elif length == 0:  # whatever the places, all parts are empty
        parts = tuple(data.narrow(axis, 0, 0) for _ in indices)
    else:
        edges = [*indices, length]
        # Parts of nothing may start anywhere.
        if not indices or indices[0] != 0 or (length and edges != sorted(edges)):
            raise OpParamError(
                f"indices={indices}; expected the starts of the parts of an axis of length {length}, in order, 0 first"
            )
        parts = data.tensor_split(indices[1:], axis)
    if not squeeze_axis:
        return parts
    for part in parts:
        if part.shape[axis] != 1:
            raise OpShapeError(f"squeeze_axis leaves out an axis of length 1, but a part has length {part.shape[axis]}")
    return tuple(part.squeeze(axis) for part in parts)


@shape_of("Concat", "_rnn_param_concat")
def _concat_shape(specs: Specs, params: Params) -> Result:
    first = specs[0]
    if first is None or len({spec and spec[1] for spec in specs}) > 1:
        return None
    shapes = [spec[0] for spec in specs if spec is not None]
    axis = params["dim"] + len(first[0]) if params["dim"] < 0 else params["dim"]
    if not 0 <= axis < len(first[0]) or len({(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}) > 1:
        return None
    if len({len(shape) for shape in shapes}) > 1:
        return None
    return [((*first[0][:axis], sum(shape[axis] for shape in shapes), *first[0][axis + 1 :]), first[1])]


@shape_of("stack")
def _stack_shape(specs: Specs, params: Params) -> Result:
    first = specs[0]
    if first is None or any(spec != first for spec in specs):
        return None
    shape, axis = first[0], params["axis"] + len(first[0]) + 1 if params["axis"] < 0 else params["axis"]
    return [((*shape[:axis], len(specs), *shape[axis:]), first[1])] if 0 <= axis <= len(shape) else None


@gradient_of("Concat")
class Concat(Rule):
    """Parts joined along an axis."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = concat(*arguments, **params)
        axis = normal_axis(params.get("dim", 1), result.dim())
        return result, (axis, [part.shape[axis] for part in arguments if part is not None])

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (axis, lengths), grad = saved, grads[0]
        assert grad is not None
        return torch.split(grad, lengths, axis)


@gradient_of("stack")
class Stack(Rule):
    """Arrays along a new axis."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return stack(*arguments, **params), params.get("axis", 0)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return grads[0].unbind(saved)


@gradient_of("SliceChannel")
class Split(Rule):
    """Equal parts along an axis; those that nobody used have gradients of zeros."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        parts = split(data, **params)
        axis = normal_axis(params.get("axis", 1), data.dim())
        return parts, (torch.stack if params.get("squeeze_axis") else torch.cat, axis, parts[0].shape)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        join, axis, shape = saved
        known = next(grad for grad in grads if grad is not None)
        return (join([known.new_zeros(shape) if grad is None else grad for grad in grads], axis),)


@partial_shapes_of("SliceChannel")
@from_results
def _before_split(params: Params, _: Shape | None, result: Shape) -> Shape | None:
    """Equal parts have the lengths of the array, but for the axis it was cut along."""
    lengths, parts, squeezed = list(result), params["num_outputs"], bool(params["squeeze_axis"])
    axis = axis_from_front(params["axis"], len(result) + squeezed)
    if axis is None:
        return None
    if squeezed:
        lengths.insert(axis, parts)
    elif lengths[axis] != unknown():
        lengths[axis] *= parts
    return tuple(lengths)


@partial_shapes_of("_split_v2")
def _split_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    """Parts have the lengths of the array, but for the axis it was cut along."""
    data, squeezed = inputs[0], bool(params["squeeze_axis"])
    ndim = len(data) if data is not None else next((len(s) + squeezed for s in outputs if s is not None), 0)
    axis = axis_from_front(params["axis"], ndim) if ndim else None
    if axis is None:
        return []
    parts = [None if s is None else (*s[:axis], unknown(), *s[axis + (not squeezed) :]) for s in outputs]
    before = common([data, *parts])
    assert before is not None
    middle = () if squeezed else (unknown(),)
    return [before, *[(*before[:axis], *middle, *before[axis + 1 :])] * len(outputs)]


@partial_shapes_of("_rnn_param_concat")
def _flat_weight_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    """The weights of a recurrent layer in one vector; those of unknown length, one for each direction, are equal."""
    lengths = [shape[0] if shape is not None and len(shape) == 1 else unknown() for shape in inputs]
    total = outputs[0][0] if outputs[0] is not None and len(outputs[0]) == 1 else unknown()
    num_open = lengths.count(unknown())
    rest = total - sum(length for length in lengths if length != unknown())
    if total == unknown() or num_open not in (1, 2) or rest < 0 or rest % num_open:
        return []
    return [(rest // num_open if length == unknown() else length,) for length in lengths]
