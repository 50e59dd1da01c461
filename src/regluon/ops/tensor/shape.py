"""Operators that change the shape of an array, and those that repeat or move its elements."""

from typing import Any

import torch
from torch import Tensor

from ...config import switches
from ...errors import OpIndexError, OpParamError, OpShapeError
from ...kernels.layout import to_channels_first
from ..common import normal_axis, prod
from ..dtype_rules import DtypeRule
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Shape
from ..partial_shapes import PartialShapes, from_results, reshaped, row_by_row, same, transposed
from ..registry import find, operator, partial_shapes_of, shape_of
from ..shape_rules import Params, Result, Specs, axis_from_front, of_one
from .reshape_codes import target_shape


def front_axis(axis: int, ndim: int) -> int:
    """An axis that must be counted from the front: some operators of MXNet know no negative ones."""
    if not 0 <= axis < ndim:
        raise OpIndexError(f"axis={axis} is out of range for an array of {ndim} dimensions; expected 0 to {ndim - 1}")
    return axis


@operator("Reshape", "reshape", returns_view=True)
def reshape(
    data: Tensor, *, shape: Shape = (), reverse: bool = False, target_shape: Shape = (), keep_highest: bool = False
) -> Tensor:
    """Gives the elements another shape; see `NDArray.reshape` for the codes.

    `target_shape` and `keep_highest` are the parameters of graphs saved by very old versions: 0 is worked out there.

    Args:
        data: the array.
        shape: the new lengths, or codes for them.
        reverse: whether codes are read from the last axis backwards.
        target_shape: the new lengths, in old graphs.
        keep_highest: whether the first axis stays, in old graphs.
    """
    if shape:
        return data.reshape(_codes_to_shape(tuple(data.shape), shape, reverse))
    if not target_shape:
        raise OpParamError("parameter shape is empty; expected the new lengths, such as shape=(0, -1)")
    first = (data.shape[0],) if keep_highest else ()
    codes = tuple(-1 if n == 0 else n for n in target_shape[len(first) :])
    return data.reshape(_codes_to_shape(tuple(data.shape), first + codes, False))


_codes_to_shape = target_shape  # `reshape` has a parameter of that name


@operator("Flatten", "_npx_batch_flatten", "flatten", returns_view=True, partial_shapes=row_by_row)
def flatten(data: Tensor) -> Tensor:
    """Joins all axes but the first."""
    if data.dim() == 0:
        raise OpShapeError("expected at least one axis, got an array of shape ()")
    if data.dim() == 4 and data.is_contiguous(memory_format=torch.channels_last):
        data = to_channels_first(data)
    return data.reshape(data.shape[0], prod(data.shape[1:]))


@operator("expand_dims", "_npi_expand_dims", returns_view=True)
def expand_dims(data: Tensor, *, axis: int) -> Tensor:
    """Puts in a new axis of length 1.

    Args:
        data: the array.
        axis: where it is put; negative ones count from the end.
    """
    return data.unsqueeze(normal_axis(axis, data.dim() + 1))


@operator(
    "squeeze",
    returns_view=True,
    names_input=True,
    trial_filter=lambda params, inputs, outputs: [] if params["axis"] is None else outputs,
)
def squeeze(data: Tensor, *, axis: Shape | None = None) -> Tensor:
    """Removes axes of length 1: all of them, or the given ones. One axis is left at least.

    Args:
        data: the array.
        axis: the axes to remove, one or several; all of length 1 if there is none.
    """
    if axis is None:
        axes = [i for i, length in enumerate(data.shape) if length == 1]
    else:
        axes = [normal_axis(a, data.dim()) for a in axis]
        if len(set(axes)) < len(axes):
            raise OpParamError(f"axis={axis} names an axis twice")
        for a in axes:
            if data.shape[a] != 1:
                raise OpShapeError(f"cannot remove axis {a}, which has length {data.shape[a]}; expected 1")
    if len(axes) == data.dim() and not switches.np_shape:
        axes = axes[1:]
    return data.reshape([length for i, length in enumerate(data.shape) if i not in axes])


@operator("transpose", returns_view=True, partial_shapes=transposed)
def transpose(data: Tensor, *, axes: Shape = ()) -> Tensor:
    """Puts the axes in another order, reversed if none is given.

    Args:
        data: the array.
        axes: the axes of the array in their new order.
    """
    order = [front_axis(axis, data.dim()) for axis in axes] or list(range(data.dim()))[::-1]
    if sorted(order) != list(range(data.dim())):
        raise OpShapeError(f"axes={axes} is not an order of the {data.dim()} axes")
    return data.permute(order)


@operator("SwapAxis", "_npi_swapaxes", "swapaxes", returns_view=True, names_input=True)
def swapaxes(data: Tensor, *, dim1: int = 0, dim2: int = 0) -> Tensor:
    """Exchanges two axes.

    Args:
        data: the array.
        dim1: one of them.
        dim2: the other.
    """
    return data.transpose(normal_axis(dim1, data.dim(), "dim1"), normal_axis(dim2, data.dim(), "dim2"))


@operator("reshape_like", "_npx_reshape_like", returns_view=True, zero_inputs=("rhs",), dtypes=DtypeRule(free=("rhs",)))
def reshape_like(
    lhs: Tensor,
    rhs: Tensor,
    *,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
) -> Tensor:
    """Gives `lhs` the shape of `rhs`, or some of its axes the lengths of some axes of `rhs`.

    Args:
        lhs: the array.
        rhs: the array whose shape is taken.
        lhs_begin: the first axis of `lhs` to be replaced, 0 if not given.
        lhs_end: the axis after the last one; all that follow if not given.
        rhs_begin: the first axis of `rhs` to be taken, 0 if not given.
        rhs_end: the axis after the last one; all that follow if not given.
    """
    begin, end = _axis_range("lhs", lhs.dim(), lhs_begin, lhs_end)
    other = _axis_range("rhs", rhs.dim(), rhs_begin, rhs_end)
    shape = (*lhs.shape[:begin], *rhs.shape[slice(*other)], *lhs.shape[end:])
    if prod(shape) != lhs.numel():
        raise OpShapeError(f"cannot reshape the {lhs.numel()} elements of lhs to {shape}")
    return lhs.reshape(shape)


def _axis_range(name: str, ndim: int, begin: int | None, end: int | None) -> tuple[int, int]:
    first = 0 if begin is None else begin + ndim if begin < 0 else begin
    last = ndim if end is None else end + ndim if end < 0 else end
    if not 0 <= first < last <= ndim:
        raise OpIndexError(
            f"{name}_begin={begin}, {name}_end={end} is not a range of the {ndim} axes; expected the first axis and "
            "the one after the last"
        )
    return first, last


@operator("broadcast_to", returns_view=True)
def broadcast_to(data: Tensor, *, shape: Shape = ()) -> Tensor:
    """Stretches axes of length 1 to the lengths in `shape`, where 0 leaves an axis as it is.

    Args:
        data: the array.
        shape: the new lengths, one for each axis.
    """
    if len(shape) != data.dim():
        raise OpShapeError(f"expected a shape of {data.dim()} lengths, one for each axis, got {shape}")
    wanted = tuple(new or old for old, new in zip(data.shape, shape, strict=True))
    return _stretched(data, wanted)


def _stretched(data: Tensor, shape: Shape) -> Tensor:
    for axis, (old, new) in enumerate(zip(data.shape, shape, strict=True)):
        if old not in (1, new):
            raise OpShapeError(f"cannot stretch axis {axis} from length {old} to {new}; only length 1 can be stretched")
    return data.expand(shape)


@operator("broadcast_axis", "broadcast_axes", returns_view=True)
def broadcast_axis(data: Tensor, *, axis: Shape = (), size: Shape = ()) -> Tensor:
    """Stretches the given axes, which must have length 1, to the given sizes.

    Args:
        data: the array.
        axis: the axes, one or several.
        size: their new lengths.
    """
    if len(axis) != len(size):
        raise OpParamError(f"expected as many axes as sizes, got axis={axis} and size={size}")
    shape = list(data.shape)
    for a, length in zip(axis, size, strict=True):
        if shape[front_axis(a, data.dim())] != 1:
            raise OpShapeError(f"cannot stretch axis {a}, which has length {shape[a]}; expected 1")
        shape[a] = length
    return data.expand(shape)


@operator("broadcast_like", returns_view=True, zero_inputs=("rhs",), dtypes=DtypeRule(free=("rhs",)))
def broadcast_like(lhs: Tensor, rhs: Tensor, *, lhs_axes: Shape | None = None, rhs_axes: Shape | None = None) -> Tensor:
    """Stretches axes of `lhs` to the lengths of `rhs`: all of them, or `lhs_axes` to the lengths of `rhs_axes`.

    Args:
        lhs: the array.
        rhs: the array whose lengths are taken.
        lhs_axes: the axes to stretch; all if there are none.
        rhs_axes: the axes that their lengths are taken from.
    """
    if lhs_axes is None or rhs_axes is None:
        if lhs.dim() != rhs.dim():
            raise OpShapeError(
                f"expected two inputs with the same number of axes, got {tuple(lhs.shape)} and {tuple(rhs.shape)}; "
                "name the axes with lhs_axes and rhs_axes"
            )
        return _stretched(lhs, tuple(rhs.shape))
    if len(lhs_axes) != len(rhs_axes) or not lhs_axes:
        raise OpParamError(f"expected as many lhs_axes as rhs_axes, got {lhs_axes} and {rhs_axes}")
    shape = list(lhs.shape)
    for mine, other in zip(lhs_axes, rhs_axes, strict=True):
        axis = normal_axis(mine, lhs.dim(), "lhs_axes")
        shape[axis] = rhs.shape[normal_axis(other, rhs.dim(), "rhs_axes")]
        if lhs.shape[axis] != 1:
            raise OpShapeError(f"cannot stretch axis {axis} of lhs, which has length {lhs.shape[axis]}; expected 1")
    return lhs.expand(shape)


@operator("repeat", "_np_repeat", names_input=True)
def repeat(data: Tensor, *, repeats: int, axis: int | None = None) -> Tensor:
    """Repeats every element, or every slice along an axis; without an axis the result is flat.

    Args:
        data: the array.
        repeats: how often.
        axis: the axis, if there is one.
    """
    if repeats < 0:
        raise OpParamError(f"repeats={repeats}; expected a number of repetitions, at least 0")
    if repeats == 0 and not switches.np_shape:
        return data.new_zeros((0,))
    if axis is None:
        data, axis = data.reshape(-1), 0
    axis = normal_axis(axis, data.dim())
    widened = data.unsqueeze(axis + 1).expand(*data.shape[: axis + 1], repeats, *data.shape[axis + 1 :])
    return widened.clone(memory_format=torch.contiguous_format).flatten(axis, axis + 1)


@operator("tile", "_npi_tile", names_input=True)
def tile(data: Tensor, *, reps: Shape) -> Tensor:
    """Puts copies of the whole array side by side, `reps` of them along each axis; missing ones are 1.

    Args:
        data: the array.
        reps: the number of copies, for each of the last axes; further ones make new axes.
    """
    if any(count < 0 or (count == 0 and not switches.np_shape) for count in reps):
        raise OpParamError(f"reps={reps}; expected positive numbers of repetitions")
    return data.repeat((1,) * (data.dim() - len(reps)) + reps)


@operator("reverse", "flip", names_input=True, partial_shapes=same)
def reverse(data: Tensor, *, axis: Shape) -> Tensor:
    """Reverses the order of the elements along the given axes.

    Args:
        data: the array.
        axis: the axes, one or several.
    """
    axes = [front_axis(a, data.dim()) for a in axis]
    # An axis named twice is turned twice.
    return data.flip([a for a in set(axes) if axes.count(a) % 2])


@operator("diag", returns_view=True, names_input=True)
def diag(data: Tensor, *, k: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The k-th diagonal of the matrices in two axes, or, from one axis, a matrix with it as its k-th diagonal.

    Args:
        data: the array.
        k: which diagonal: 0 is the main one, positive ones lie above it.
        axis1: the axis of the rows.
        axis2: the axis of the columns.
    """
    if data.dim() == 1:
        return torch.diag_embed(data, k)
    first, second = normal_axis(axis1, data.dim(), "axis1"), normal_axis(axis2, data.dim(), "axis2")
    if first == second:
        raise OpParamError(f"axis1={axis1} and axis2={axis2} are the same axis; expected two")
    height, width = data.shape[first], data.shape[second]
    if not -height <= k <= width:
        raise OpParamError(f"k={k}; a matrix of shape {(height, width)} has no such diagonal")
    return data.diagonal(k, first, second)


@shape_of("Flatten")
def _flattened_shape(specs: Specs, params: Params) -> Result:
    if specs[0] is None or not specs[0][0]:
        return None
    shape, dtype = specs[0]
    return [((shape[0], prod(shape[1:])), dtype)]


@shape_of("Reshape")
def _reshaped_shape(specs: Specs, params: Params) -> Result:
    if specs[0] is None or not params["shape"] or params["target_shape"] or 0 in specs[0][0]:
        return None
    try:
        shape = target_shape(specs[0][0], params["shape"], params["reverse"])
    except OpShapeError:
        return None
    return [(shape, specs[0][1])] if prod(shape) == prod(specs[0][0]) else None


@shape_of("reshape_like")
def _reshaped_like_shape(specs: Specs, params: Params) -> Result:
    data, like = specs
    given = (params[name] for name in ("lhs_begin", "lhs_end", "rhs_begin", "rhs_end"))
    if data is None or like is None or any(value is not None for value in given):
        return None
    return [(like[0], data[1])] if prod(data[0]) == prod(like[0]) else None


@shape_of("transpose")
def _transposed_shape(specs: Specs, params: Params) -> Result:
    if specs[0] is None:
        return None
    shape, dtype = specs[0]
    axes = params["axes"] or tuple(reversed(range(len(shape))))
    if sorted(axes) != list(range(len(shape))):
        return None
    return [(tuple(shape[axis] for axis in axes), dtype)]


@shape_of("expand_dims")
@of_one
def _expanded_shape(shape: Shape, params: Params) -> Shape | None:
    axis = axis_from_front(params["axis"], len(shape) + 1)
    return None if axis is None else (*shape[:axis], 1, *shape[axis:])


@shape_of("SwapAxis")
@of_one
def _swapped_shape(shape: Shape, params: Params) -> Shape | None:
    first, second = axis_from_front(params["dim1"], len(shape)), axis_from_front(params["dim2"], len(shape))
    if first is None or second is None or first == second:
        return None
    lengths = list(shape)
    lengths[first], lengths[second] = lengths[second], lengths[first]
    return tuple(lengths)


@shape_of("repeat")
@of_one
def _repeated_shape(shape: Shape, params: Params) -> Shape | None:
    axis = axis_from_front(params["axis"], len(shape))
    if axis is None or params["repeats"] < 1:
        return None
    return (*shape[:axis], shape[axis] * params["repeats"], *shape[axis + 1 :])


def _reshaped(name: str) -> None:
    function = find(name).function

    class Reshaped(Rule):
        """The same elements in another shape; of an array that lends it, nothing else counts."""

        sources = (0,)

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            data = arguments[0]
            assert data is not None
            return function(*arguments, **params), data.shape

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            grad = grads[0]
            assert grad is not None
            return grad.reshape(saved), *(None,) * (len(needs) - 1)

    gradient_of(name)(Reshaped)


for _name in ("Reshape", "Flatten", "expand_dims", "squeeze", "reshape_like"):
    _reshaped(_name)


@gradient_of("transpose")
class Transpose(Rule):
    """Another order of the axes."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        axes = params.get("axes") or tuple(reversed(range(data.dim())))
        back = [0] * len(axes)
        for place, axis in enumerate(axes):
            back[axis % len(axes)] = place
        return transpose(data, **params), back

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        grad = grads[0]
        assert grad is not None
        return (grad.permute(saved),)


@shape_of("tile")
def _tile_shape(specs: Specs, params: Params) -> Result:
    if specs[0] is None or not params["reps"] or min(params["reps"]) < 1:
        return None
    (shape, dtype), reps = specs[0], params["reps"]
    ndim = max(len(shape), len(reps))
    lengths = zip((1,) * (ndim - len(shape)) + shape, (1,) * (ndim - len(reps)) + reps, strict=True)
    return [(tuple(length * count for length, count in lengths), dtype)]


@shape_of("reverse")
def _reverse_shape(specs: Specs, params: Params) -> Result:
    if specs[0] is None or any(not 0 <= axis < len(specs[0][0]) for axis in params["axis"]):
        return None
    return [specs[0]]


@partial_shapes_of("Reshape")
def _reshape_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    # MXNet does not look at the target before it knows how many axes there are.
    codes = () if params["reverse"] or inputs[0] is None else params["shape"] or ()
    return reshaped(codes, 0, inputs[0], outputs[0])


@partial_shapes_of("expand_dims")
@from_results
def _before_expansion(params: Params, _: Shape | None, result: Shape) -> Shape | None:
    axis = axis_from_front(params["axis"], len(result))
    return None if axis is None or len(result) == 1 else (*result[:axis], *result[axis + 1 :])
