"""Operators that read from, or write to, places given by an array of indices, and that count."""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...config import process
from ...errors import OpIndexError, OpParamError, OpShapeError, OpTypeError
from ...torch_private import embedding_dense_backward
from ..common import expect_shape, normal_axis, one_element, same_dtype
from ..dtype_rules import DATA, PARAM, DtypeRule
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import DType, Floats, Shape
from ..partial_shapes import PartialShapes, row_by_row
from ..precision import fitted
from ..registry import operator, partial_shapes_of, shape_of
from ..shape_rules import Params, Result, Specs, axis_from_front


def places_on(indices: Tensor, length: int, mode: str = "clip") -> Tensor:
    """Indices of any dtype as places on an axis: those out of range go to the nearest end, or start over."""
    if process.check_indices and mode == "clip":
        check_range(indices, length)
    if indices.dtype is torch.int64:
        places = indices.detach()
        return places.remainder(length) if mode == "wrap" else places.clamp(0, length - 1)
    places = indices.detach().to(torch.int64)  # a copy, so the rest can be done in place
    return places.remainder_(length) if mode == "wrap" else places.clamp_(0, length - 1)


def check_range(indices: Tensor, length: int, otherwise: str = "the nearest would be taken") -> None:
    """Refuses indices out of range: what `mx.util.check_labels()` asks for.

    Args:
        indices: the indices.
        length: of the axis.
        otherwise: what the operator does with such an index when it is not asked to refuse it.
    """
    if indices.is_meta:
        return
    values = indices.detach()
    wrong = ~((values > -1) & (values < length)).reshape(-1)
    if bool(wrong.any()):
        place = int(wrong.nonzero()[0])
        raise OpIndexError(
            f"index {values.reshape(-1)[place].item():g}, number {place} of {values.numel()}, is out of range: "
            f"expected 0 to {length - 1}; {int(wrong.sum())} are. Without check_labels() {otherwise}"
        )


def classes_on(indices: Tensor, length: int, mode: str = "clip") -> Tensor:
    """As `places_on`; real numbers beyond 32 bits, infinite ones included, count as the first place.

    MXNet's `pick`, which losses choose a class with, converts to 32 bits; what does not fit becomes the least of them.
    """
    is_real = indices.is_floating_point()
    return places_on(indices.detach().to(torch.int32) if is_real else indices, length, mode)


@operator("take", "_npi_take", zero_inputs=("indices",), reads_values=True, dtypes=DtypeRule(free=("indices",)))
def take(a: Tensor, indices: Tensor, *, axis: int = 0, mode: Literal["clip", "raise", "wrap"] = "clip") -> Tensor:
    """Takes slices of an array along an axis.

    Args:
        a: the array.
        indices: which ones; the axes of the indices take the place of `axis` in the result.
        axis: the axis.
        mode: what an index out of range does: it goes to the nearest end, starts over, or raises an error.
    """
    axis = normal_axis(axis, a.dim())
    length = a.shape[axis]
    if mode == "raise" and not indices.is_meta and bool(((indices < 0) | (indices > length - 1)).any()):
        raise OpIndexError(f"indices are out of range; expected 0 to {length - 1} on axis {axis}")
    places = places_on(indices, length, mode)
    return a.index_select(axis, places.reshape(-1)).reshape((*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]))


@operator("pick", "_npx_pick", "choose_element_0index", zero_inputs=("index",), dtypes=DtypeRule(free=("index",)))
def pick(
    data: Tensor,
    index: Tensor,
    *,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal["clip", "wrap"] = "clip",
) -> Tensor:
    """Takes one element from each line along an axis.

    Args:
        data: the array.
        index: which one, in the shape of the data without the axis, or with length 1 on it.
        axis: the axis.
        keepdims: keep the axis with length 1.
        mode: what an index out of range does: it goes to the nearest end, or starts over.
    """
    if axis is None:
        raise OpParamError("axis=None; expected the axis to take one element from")
    axis = normal_axis(axis, data.dim())
    kept = (*data.shape[:axis], 1, *data.shape[axis + 1 :])
    dropped = (*data.shape[:axis], *data.shape[axis + 1 :])
    if index.shape not in (kept, dropped):
        raise OpShapeError(f"expected index of shape {dropped} or {kept}, got {tuple(index.shape)}")
    places = classes_on(index, data.shape[axis], mode)
    picked = data.gather(axis, places if index.shape == kept else places.unsqueeze(axis))
    if keepdims:
        return picked
    return picked.squeeze(axis) if dropped else one_element(picked)


@operator("batch_take", zero_inputs=("indices",), dtypes=DtypeRule(free=("indices",), takes={"indices": torch.int32}))
def batch_take(a: Tensor, indices: Tensor) -> Tensor:
    """Takes one element from each row; an index out of range takes the nearest.

    Args:
        a: an array whose last axis holds the rows.
        indices: the place in each row, int32.
    """
    if indices.dtype is not torch.int32:
        raise OpTypeError("expected indices of dtype int32; convert them with astype('int32')")
    if a.dim() < 2 or indices.numel() != a.numel() // max(a.shape[-1], 1):
        raise OpShapeError(f"expected one index for each row of {tuple(a.shape)}, got {tuple(indices.shape)}")
    rows = a.reshape(-1, a.shape[-1])
    return rows.gather(1, places_on(indices, a.shape[-1]).reshape(-1, 1)).reshape(indices.shape)


def _coordinates(indices: Tensor, shape: tuple[int, ...]) -> tuple[Tensor, ...]:
    """The index array of each axis; torch counts negative ones from the end, and refuses those out of range."""
    if indices.dim() < 2:
        raise OpShapeError(f"expected indices of at least 2 axes, coordinates first, got {tuple(indices.shape)}")
    if indices.shape[0] > len(shape):
        raise OpShapeError(
            f"indices have {indices.shape[0]} coordinates, the array of shape {shape} has {len(shape)} axes"
        )
    return indices.detach().to(torch.int64).unbind(0)


@operator(
    "gather_nd", "_npi_gather_nd", "_npx_gather_nd", zero_inputs=("indices",), dtypes=DtypeRule(free=("indices",))
)
def gather_nd(data: Tensor, indices: Tensor) -> Tensor:
    """Takes elements, or slices, at the places given by coordinates.

    Args:
        data: the array.
        indices: along its first axis, the coordinates on the first axes of the data.
    """
    places = _coordinates(indices, tuple(data.shape))
    try:
        return data[places]
    except IndexError as error:
        raise OpIndexError(f"{error}; expected indices of places in {tuple(data.shape)}") from None


def _scattered(target: Tensor, values: Tensor, indices: Tensor, accumulate: bool = False) -> Tensor:
    places = _coordinates(indices, tuple(target.shape))
    expect_shape("values", values, (*indices.shape[1:], *target.shape[len(places) :]))
    try:
        return target.index_put(places, values, accumulate)
    except IndexError as error:
        raise OpIndexError(f"{error}; expected indices of places in {tuple(target.shape)}") from None


@operator("scatter_nd", zero_inputs=("indices",), dtypes=DtypeRule(free=("indices",)))
def scatter_nd(data: Tensor, indices: Tensor, *, shape: Shape) -> Tensor:
    """Writes elements, or slices, into an array of zeros at the places given by coordinates.

    Args:
        data: what to write.
        indices: along its first axis, the coordinates on the first axes of the result; of equal ones the last counts.
        shape: of the result.
    """
    return _scattered(data.new_zeros(shape), data, indices)


@operator("_backward_gather_nd")
def backward_gather_nd(data: Tensor, indices: Tensor, *, shape: Shape) -> Tensor:
    """Adds elements, or slices, to an array of zeros at the places given by coordinates: the gradient of `gather_nd`.

    Args:
        data: what to add.
        indices: along its first axis, the coordinates on the first axes of the result; equal ones add up.
        shape: of the result.
    """
    return _scattered(data.new_zeros(shape), data, indices, accumulate=True)


@operator("_scatter_set_nd", "_npi_scatter_set_nd")
def scatter_set_nd(lhs: Tensor, rhs: Tensor, indices: Tensor, *, shape: Shape) -> Tensor:
    """A copy of `lhs` with `rhs` written at the places given by coordinates."""
    same_dtype(lhs=lhs, rhs=rhs)
    expect_shape("lhs", lhs, shape)
    return _scattered(lhs, rhs, indices)


@operator("one_hot", "_npx_one_hot", zero_gradient=True, dtypes=DtypeRule(outputs=(PARAM,)), names_input=True)
def one_hot(
    indices: Tensor,
    *,
    depth: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DType = torch.float32,
) -> Tensor:
    """Marks each index in a vector of its own.

    Args:
        indices: the indices; one out of range is marked nowhere.
        depth: the length of the vectors, which are the last axis of the result.
        on_value: the number at the index.
        off_value: the number everywhere else.
        dtype: of the result.
    """
    if depth < 0:
        raise OpParamError(f"depth={depth}; expected a length, at least 0")
    on, off = fitted(on_value, dtype), fitted(off_value, dtype)
    result = torch.full((*indices.shape, depth), off, dtype=dtype, device=indices.device)
    if process.check_indices:
        check_range(indices, depth, "it would be marked nowhere")
    if depth == 0:
        return result
    places = indices.detach().to(torch.int64).unsqueeze(-1)
    inside = places.clamp(0, depth - 1)
    marks = torch.full_like(places, off, dtype=dtype).masked_fill_(inside == places, on)
    return result.scatter_(-1, inside, marks)


@operator("_onehot_encode", zero_gradient=True)
def onehot_encode(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Marks each index of `lhs` in a row of a matrix of the shape of `rhs`."""
    if lhs.dim() != 1 or rhs.dim() != 2 or lhs.shape[0] != rhs.shape[0]:
        raise OpShapeError(f"expected indices and a matrix with a row for each, got {lhs.shape} and {rhs.shape}")
    return one_hot(lhs, depth=rhs.shape[1], dtype=rhs.dtype)


@operator("fill_element_0index", zero_inputs=("rhs",))
def fill_element_0index(lhs: Tensor, mhs: Tensor, rhs: Tensor) -> Tensor:
    """A copy of the matrix `lhs` with one element of each row replaced.

    Args:
        lhs: the matrix.
        mhs: the new element of each row.
        rhs: its column; nothing is replaced where it is out of range.
    """
    same_dtype(lhs=lhs, mhs=mhs, rhs=rhs)
    if lhs.dim() != 2:
        raise OpShapeError(f"expected a matrix lhs, got {tuple(lhs.shape)}")
    expect_shape("mhs", mhs, (lhs.shape[0],))
    expect_shape("rhs", rhs, (lhs.shape[0],))
    columns = torch.arange(lhs.shape[1], device=lhs.device)
    return torch.where(columns == rhs.detach().to(torch.int64).unsqueeze(1), mhs.unsqueeze(1), lhs)


def _weight_shape(data: Shape, *, input_dim: int, output_dim: int, **_: Any) -> dict[str, Shape]:
    return {"weight": (input_dim, output_dim)}


@operator(
    "Embedding",
    "_npx_embedding",
    "_sparse_Embedding",
    completes=_weight_shape,
    zero_inputs=("data",),
    dtypes=DtypeRule(free=("data",)),
    partial_shapes=row_by_row,
)
def embedding(
    data: Tensor,
    weight: Tensor,
    *,
    input_dim: int,
    output_dim: int,
    dtype: DType = torch.float32,
    sparse_grad: bool = False,
) -> Tensor:
    """Replaces every index by a row of the weight.

    Args:
        data: the indices; one out of range takes the first or last row.
        weight: (input_dim, output_dim).
        input_dim: the number of rows.
        output_dim: their length.
        dtype: of a weight that is yet to be made.
        sparse_grad: whether the gradient of the weight may hold only the rows that were used.
    """
    expect_shape("weight", weight, (input_dim, output_dim))
    # A sparse gradient is for the slot of a variable; the operators before a computed weight would not know it.
    sparse = sparse_grad and weight.is_leaf
    return torch.nn.functional.embedding(places_on(data, input_dim), weight, sparse=sparse)


@operator("_ravel_multi_index", "ravel_multi_index", zero_gradient=True)
def ravel_multi_index(data: Tensor, *, shape: Shape = ()) -> Tensor:
    """Turns coordinates, one column for each place, into places in the flat array.

    The first length in `shape` has no influence and may be -1.

    Args:
        data: coordinates, a row for each axis.
        shape: the shape of the array.
    """
    if not shape or data.dim() != 2 or data.shape[0] != len(shape):
        raise OpShapeError(f"expected a matrix with a row for each axis of shape={shape}, got {tuple(data.shape)}")
    coordinates = data.detach().to(torch.int64)
    flat = coordinates[0]
    for length, coordinate in zip(shape[1:], coordinates[1:], strict=True):
        flat = flat * length + coordinate
    return flat.to(data.dtype, copy=True)


@operator("_unravel_index", "unravel_index", zero_gradient=True)
def unravel_index(data: Tensor, *, shape: Shape = ()) -> Tensor:
    """Turns places in the flat array into coordinates, one column for each place.

    The first length in `shape` has no influence and may be -1.

    Args:
        data: places in the flat array.
        shape: the shape of the array.
    """
    if not shape:
        raise OpParamError("parameter shape is empty; expected the shape of the array, such as shape=(2, 3)")
    flat = data.detach().reshape(-1).to(torch.int64)
    coordinates: list[Tensor] = []
    for length in shape[:0:-1]:
        coordinates.append(flat.fmod(length))
        flat = flat.div(length, rounding_mode="trunc")
    return torch.stack([flat, *coordinates[::-1]]).to(data.dtype)


@operator("_histogram", "_npi_histogram", outputs=2, zero_gradient=True, dtypes=DtypeRule(outputs=(torch.int64, DATA)))
def histogram(
    data: Tensor, bins: Tensor | None = None, *, bin_cnt: int | None = None, range: Floats | None = None
) -> tuple[Tensor, Tensor]:
    """Counts the elements in bins; the last one includes its upper edge.

    Args:
        data: the elements.
        bins: the edges of the bins, in order.
        bin_cnt: the number of bins of equal width, instead of edges.
        range: lower and upper end of these.

    Returns:
        The counts as int64, and the edges in the dtype of the data.
    """
    if data.dtype is torch.bool:
        raise OpTypeError("expected numbers, got a bool array; convert it with astype('int32')")
    if bins is not None and bin_cnt is None and range is None:
        same_dtype(data=data, bins=bins)
        if bins.dim() != 1 or bins.shape[0] < 2:
            raise OpShapeError(f"expected bins to be a vector of at least 2 edges, got {tuple(bins.shape)}")
        edges = bins.detach().clone(memory_format=torch.contiguous_format)
        return _counted(data, edges, edges[0], edges[-1]), edges
    if bins is not None or bin_cnt is None or range is None:
        raise OpParamError("expected either the edges, bins, or both bin_cnt and range")
    if bin_cnt < 1 or len(range) != 2 or range[0] > range[1]:
        raise OpParamError(f"bin_cnt={bin_cnt}, range={range}; expected at least one bin, and a lower and an upper end")
    low, high = range if range[0] < range[1] else (range[0] - 0.5, range[1] + 0.5)
    steps = torch.arange(bin_cnt + 1, dtype=torch.float64, device=data.device)
    edges = ((steps * high + (bin_cnt - steps) * low) / bin_cnt).to(data.dtype)
    return _counted(data, edges, low, high), edges


def _counted(data: Tensor, edges: Tensor, low: float | Tensor, high: float | Tensor) -> Tensor:
    """How many elements of [low, high] lie between each two edges."""
    elements = data.detach().reshape(-1)
    exact = elements if isinstance(low, Tensor) else elements.to(torch.float64)
    counted = ((exact >= low) & (exact <= high)).to(torch.int64)
    num_bins = edges.shape[0] - 1
    places = (torch.searchsorted(edges, elements.contiguous(), right=True) - 1).clamp(0, num_bins - 1)
    return torch.zeros(num_bins, dtype=torch.int64, device=data.device).scatter_add_(0, places, counted)


@shape_of("Embedding")
def _embedding_shape(specs: Specs, params: Params) -> Result:
    data, weight = specs[0], specs[1]
    if data is None or weight is None or weight[0] != (params["input_dim"], params["output_dim"]):
        return None
    return [((*data[0], params["output_dim"]), weight[1])]


@shape_of("take")
def _take_shape(specs: Specs, params: Params) -> Result:
    data, indices = specs
    if data is None or indices is None or not -len(data[0]) <= params["axis"] < len(data[0]):
        return None
    axis = params["axis"] % len(data[0])
    return [((*data[0][:axis], *indices[0], *data[0][axis + 1 :]), data[1])]


@shape_of("pick")
def _picked_shape(specs: Specs, params: Params) -> Result:
    data, index = specs
    if data is None or index is None or params["axis"] is None or len(data[0]) < 2:
        return None
    if not -len(data[0]) <= params["axis"] < len(data[0]):
        return None
    axis = params["axis"] % len(data[0])
    kept = (*data[0][:axis], 1, *data[0][axis + 1 :])
    dropped = (*data[0][:axis], *data[0][axis + 1 :])
    if index[0] not in (kept, dropped):
        return None
    return [(kept if params["keepdims"] else dropped, data[1])]


@gradient_of("Embedding")
class Embedding(Rule):
    """A row of the weight for each index; its gradient has all rows."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return not params["sparse_grad"]

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data, weight = arguments
        assert data is not None
        assert weight is not None
        places = places_on(data, weight.shape[0]) if weight.dim() == 2 else data
        return embedding(places, weight, **params), (places, weight.shape[0])

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (places, length), grad = saved, grads[0]
        return None, embedding_dense_backward(grad, places, length, -1, False) if needs[1] else None


@shape_of("one_hot")
def _one_hot_shape(specs: Specs, params: Params) -> Result:
    if specs[0] is None or params["depth"] < 1 or not isinstance(params["dtype"], torch.dtype):
        return None
    return [((*specs[0][0], params["depth"]), params["dtype"])]


@shape_of("gather_nd")
def _gather_shape(specs: Specs, params: Params) -> Result:
    data, indices = specs
    if data is None or indices is None or not indices[0] or not 1 <= indices[0][0] <= len(data[0]):
        return None
    shape = (*indices[0][1:], *data[0][indices[0][0] :])
    return [(shape, data[1])] if shape and 0 not in (*data[0], *indices[0]) else None


@partial_shapes_of("scatter_nd")
def _scatter_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    return [*inputs, tuple(params["shape"])]


@partial_shapes_of("pick")
def _pick_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    data, index = inputs
    axis = None if data is None or params["axis"] is None else axis_from_front(params["axis"], len(data))
    if data is None or axis is None or len(data) < 2 or (index is not None and len(index) == len(data)):
        return []
    return [data, (*data[:axis], *data[axis + 1 :])]
