"""Shapes of results by arithmetic, for the operators that most networks are made of.

Any operator's result can be found by running it on tensors without data. But torch loads its compiler the first time it
does that, which takes longer than training a small network for a while. So the common operators have rules here. A rule
knows the ordinary case only; it returns None for anything else, and the operator itself decides, or refuses. The
recorded fixtures compare every rule with what really comes out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ..error import OpShapeError
from .reshape_codes import target_shape

Spec = tuple[tuple[int, ...], torch.dtype]  # shape and dtype
Rule = Callable[[Sequence[Spec | None], Mapping[str, Any]], list[Spec] | None]


def like_data(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    """The result is like the first input."""
    first = specs[0]
    if first is None or params.get("output_mean_var") or params.get("dtype") or params.get("act_type") == "rrelu":
        return None
    return [first]


def _fully_connected(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if not one_float_dtype(specs):
        return None
    (data, dtype), (weight, _) = specs[0], specs[1]  # type: ignore[misc]
    units = params["num_hidden"]
    if len(data) < 2 or len(weight) != 2:
        return None
    width = _product(data[1:]) if params["flatten"] else data[-1]
    biases = [spec[0] for spec in specs[2:] if spec is not None]
    if weight != (units, width) or biases != ([] if params["no_bias"] else [(units,)]):
        return None
    return [((data[0], units) if params["flatten"] else (*data[:-1], units), dtype)]


def _convolution(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if not one_float_dtype(specs) or (params["layout"] or "NC")[1] != "C":
        return None
    (data, dtype), (weight, _) = specs[0], specs[1]  # type: ignore[misc]
    kernel, filters, groups = params["kernel"], params["num_filter"], params["num_group"]
    ndim = len(kernel)
    if len(data) != ndim + 2 or data[1] % groups or filters % groups or weight != (filters, data[1] // groups, *kernel):
        return None
    biases = [spec[0] for spec in specs[2:] if spec is not None]
    if biases != ([] if params["no_bias"] else [(filters,)]):
        return None
    window = [params[name] or (default,) * ndim for name, default in (("stride", 1), ("dilate", 1), ("pad", 0))]
    if any(len(numbers) != ndim for numbers in window) or min(window[0]) < 1 or min(window[1]) < 1:
        return None
    sizes = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, d, p in zip(data[2:], kernel, *window, strict=True)]
    return [((data[0], filters, *sizes), dtype)] if min(sizes) > 0 else None


def _pooling(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if not one_float_dtype(specs) or (params["layout"] or "NC")[1] != "C":
        return None
    data, dtype = specs[0]  # type: ignore[misc]
    ndim = len(data) - 2
    if not 1 <= ndim <= 3:
        return None
    if params["global_pool"]:
        return [((*data[:2], *(1,) * ndim), dtype)]
    kernel, stride, pad = params["kernel"], params["stride"] or (1,) * ndim, params["pad"] or (0,) * ndim
    if not len(kernel) == len(stride) == len(pad) == ndim or params["pooling_convention"] == "same" or min(stride) < 1:
        return None
    spans = [(n + 2 * p - k, s) for n, k, s, p in zip(data[2:], kernel, stride, pad, strict=True)]
    if min(span for span, _ in spans) < 0:
        return None
    up = params["pooling_convention"] == "full"
    return [((*data[:2], *(-(-span // s) + 1 if up else span // s + 1 for span, s in spans)), dtype)]


def _embedding(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    data, weight = specs[0], specs[1]
    if data is None or weight is None or weight[0] != (params["input_dim"], params["output_dim"]):
        return None
    return [((*data[0], params["output_dim"]), weight[1])]


def _concat(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
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


def _reduction(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if specs[0] is None:
        return None
    shape, dtype = specs[0]
    axes = set(range(len(shape))) if not params["axis"] else {a % len(shape) for a in params["axis"] if shape}
    if params["exclude"]:
        axes = set(range(len(shape))) - axes
    if any(not -len(shape) <= axis < len(shape) for axis in params["axis"] or ()) or 0 in shape or not shape:
        return None
    kept = [1 if axis in axes else n for axis, n in enumerate(shape) if params["keepdims"] or axis not in axes]
    return [(tuple(kept) or (1,), dtype)]


def _stack(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    first = specs[0]
    if first is None or any(spec != first for spec in specs):
        return None
    shape, axis = first[0], params["axis"] + len(first[0]) + 1 if params["axis"] < 0 else params["axis"]
    return [((*shape[:axis], len(specs), *shape[axis:]), first[1])] if 0 <= axis <= len(shape) else None


def _take(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    data, indices = specs
    if data is None or indices is None or not -len(data[0]) <= params["axis"] < len(data[0]):
        return None
    axis = params["axis"] % len(data[0])
    return [((*data[0][:axis], *indices[0], *data[0][axis + 1 :]), data[1])]


def _batch_dot(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if not one_float_dtype(specs):
        return None
    (lhs, dtype), (rhs, _) = specs  # type: ignore[misc]
    if len(lhs) < 3 or len(lhs) != len(rhs) or lhs[:-2] != rhs[:-2]:
        return None
    rows, inner = lhs[-2:][::-1] if params["transpose_a"] else lhs[-2:]
    other, columns = rhs[-2:][::-1] if params["transpose_b"] else rhs[-2:]
    return [((*lhs[:-2], rows, columns), dtype)] if inner == other else None


def _dot(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if not one_float_dtype(specs) or params["forward_stype"]:
        return None
    (lhs, dtype), (rhs, _) = specs  # type: ignore[misc]
    if len(lhs) != 2 or len(rhs) != 2:
        return None
    rows, inner = lhs[::-1] if params["transpose_a"] else lhs
    other, columns = rhs[::-1] if params["transpose_b"] else rhs
    return [((rows, columns), dtype)] if inner == other else None


def recurrent_result(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    """The outputs of a recurrent network, and its last states if they are asked for."""
    if not one_float_dtype(specs[:3]):
        return None
    (data, dtype), (state, _) = specs[0], specs[2]  # type: ignore[misc]
    if len(data) != 3 or len(state) != 3 or data[1] != state[1]:
        return None
    output = ((*data[:2], state[2] * (2 if params["bidirectional"] else 1)), dtype)
    if not params["state_outputs"]:
        return [output]
    return [output, *(spec for spec in specs[2 : 4 if params["mode"] == "lstm" else 3] if spec is not None)]


def _flattened(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if specs[0] is None or not specs[0][0]:
        return None
    shape, dtype = specs[0]
    return [((shape[0], _product(shape[1:])), dtype)]


def _reshaped(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if specs[0] is None or not params["shape"] or params["target_shape"] or 0 in specs[0][0]:
        return None
    try:
        shape = target_shape(specs[0][0], params["shape"], params["reverse"])
    except OpShapeError:
        return None
    return [(shape, specs[0][1])] if _product(shape) == _product(specs[0][0]) else None


def _reshaped_like(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    data, like = specs
    given = (params[name] for name in ("lhs_begin", "lhs_end", "rhs_begin", "rhs_end"))
    if data is None or like is None or any(value is not None for value in given):
        return None
    return [(like[0], data[1])] if _product(data[0]) == _product(like[0]) else None


def _transposed(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if specs[0] is None:
        return None
    shape, dtype = specs[0]
    axes = params["axes"] or tuple(reversed(range(len(shape))))
    if sorted(axes) != list(range(len(shape))):
        return None
    return [(tuple(shape[axis] for axis in axes), dtype)]


def _picked(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
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


def _made(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    """Arrays of one number."""
    shape = params["shape"]
    if not shape or min(shape) < 1 or not isinstance(params["dtype"], torch.dtype):
        return None
    return [(tuple(shape), params["dtype"])]


def _chosen(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    condition, one, other = specs
    if condition is None or one is None or one != other or condition[0] != one[0]:
        return None
    return [one]


def broadcast(specs: Sequence[Spec | None]) -> list[Spec] | None:
    """The result of two operands of one dtype whose axes of length 1 are stretched."""
    lhs, rhs = specs
    if lhs is None or rhs is None or lhs[1] is not rhs[1] or lhs[1] is torch.bool:
        return None
    shape = _stretched(lhs[0], rhs[0])
    return None if shape is None else [(shape, lhs[1])]


def _stretched(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...] | None:
    longer, shorter = sorted((first, second), key=len, reverse=True)
    padded = (1,) * (len(longer) - len(shorter)) + shorter
    if any(a != b and 1 not in (a, b) for a, b in zip(longer, padded, strict=True)):
        return None
    return tuple(b if a == 1 else a for a, b in zip(longer, padded, strict=True))


def _broadcast_floats(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    """Two operands of one floating dtype, where others become floating."""
    return broadcast(specs) if one_float_dtype(specs) else None


def _compared(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    """A test of two operands, or of one operand and a number."""
    shapes = [spec[0] for spec in specs if spec is not None]
    if not shapes or len({spec and spec[1] for spec in specs}) > 1:
        return None
    shape = shapes[0] if len(shapes) == 1 else _stretched(*shapes)
    return None if shape is None else [(shape, torch.bool)]


def _np_chosen(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    """Elements of two arrays of one dtype, or of an array and a number, chosen by a condition."""
    condition, *arrays = (spec for spec in specs if spec is not None)
    if len({dtype for _, dtype in arrays}) != 1:
        return None
    shape: tuple[int, ...] | None = condition[0]
    for other, _ in arrays:
        shape = None if shape is None else _stretched(shape, other)
    return None if shape is None else [(shape, arrays[0][1])]


def _np_reduction(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    """A reduction of real numbers that leaves no axes if all are reduced."""
    if specs[0] is None or params.get("dtype") or params["initial"] is not None or not specs[0][1].is_floating_point:
        return None
    shape, dtype = specs[0]
    given = params["axis"] if params["axis"] is not None else tuple(range(len(shape)))
    axes = {axis % len(shape) for axis in given if shape}
    if len(axes) < len(given) or any(not -len(shape) <= axis < len(shape) for axis in given) or 0 in shape:
        return None
    return [(tuple(1 if i in axes else n for i, n in enumerate(shape) if params["keepdims"] or i not in axes), dtype)]


def _np_product(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    """The product of two matrices."""
    if not one_float_dtype(specs):
        return None
    (a, dtype), (b, _) = specs  # type: ignore[misc]
    return [((a[0], b[1]), dtype)] if len(a) == len(b) == 2 and a[1] == b[0] else None


def alike(specs: Sequence[Spec | None], count: int) -> list[Spec] | None:
    """The results of an operator whose inputs and outputs are all alike."""
    first = specs[0]
    if first is None or any(spec != first for spec in specs) or not first[1].is_floating_point:
        return None  # integers may become floats
    return [first] * count


def one_float_dtype(specs: Sequence[Spec | None]) -> bool:
    """Whether the first input is there, and all that are have one floating dtype."""
    dtypes = {spec[1] for spec in specs if spec is not None}
    return len(dtypes) == 1 and next(iter(dtypes)).is_floating_point and specs[0] is not None


def _product(numbers: Sequence[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


_COMPARISONS = ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
_TESTS = ("logical_not", "isfinite", "isinf", "isnan", "isneginf", "isposinf")

RULES: dict[str, Rule] = {
    "FullyConnected": _fully_connected,
    "Convolution": _convolution,
    "Pooling": _pooling,
    "Embedding": _embedding,
    "Concat": _concat,
    "_rnn_param_concat": _concat,
    "sum": _reduction,
    "mean": _reduction,
    "max": _reduction,
    "min": _reduction,
    "BatchNorm": like_data,
    "LayerNorm": like_data,
    "InstanceNorm": like_data,
    "LeakyReLU": like_data,
    "SoftmaxOutput": like_data,
    "softmax": like_data,
    "log_softmax": like_data,
    "L2Normalization": like_data,
    "LRN": like_data,
    "stack": _stack,
    "take": _take,
    "batch_dot": _batch_dot,
    "dot": _dot,
    "RNN": recurrent_result,
    "Flatten": _flattened,
    "Reshape": _reshaped,
    "reshape_like": _reshaped_like,
    "transpose": _transposed,
    "pick": _picked,
    "where": _chosen,
    "_zeros": _made,
    "_ones": _made,
    "_full": _made,
    **{f"_npi_{name}": _broadcast_floats for name in ("true_divide", "arctan2", "hypot")},
    **{f"_npi_{name}": _compared for name in (*_COMPARISONS, *_TESTS)},
    **{f"_npi_{name}_scalar": _compared for name in _COMPARISONS},
    **{f"_npi_where{form}": _np_chosen for form in ("", "_lscalar", "_rscalar")},
    **dict.fromkeys(("_np_sum", "_npi_mean", "_np_max", "_np_min"), _np_reduction),
    "_np_dot": _np_product,
    "_npi_matmul": _np_product,
}
