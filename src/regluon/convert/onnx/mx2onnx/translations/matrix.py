"""Translate matrix products and reductions."""

from ..call import Call, Untranslatable, translates


def _turned(call: Call, value: str, place: int, wanted: bool) -> str:
    """An operand with its last two axes exchanged, if asked for."""
    rank = call.rank(place)
    if not wanted or rank < 2:
        return value
    return call.transpose(value, [*range(rank - 2), rank - 1, rank - 2])


@translates("dot")
def dot(call: Call) -> str:
    """The last axis of one with the first of the other."""
    left, right = call.inputs
    ranks, params = (call.rank(0), call.rank(1)), call.params
    if max(ranks) > 2 and (params["transpose_a"] or params["transpose_b"]):
        raise Untranslatable(f"has transposed operands of {ranks[0]} and {ranks[1]} axes")
    left, right = _turned(call, left, 0, params["transpose_a"]), _turned(call, right, 1, params["transpose_b"])
    if ranks[1] > 2:
        right = call.reshape(right, (call.length(0, 1), -1))
    product = call.op("MatMul", left, right)
    if ranks == (1, 1):
        return call.reshape(product, (1,))
    return call.reshape_to_output(product) if ranks[1] > 2 else product


@translates("batch_dot")
def batch_dot(call: Call) -> str:
    """MatMul."""
    left, right = call.inputs
    return call.op(
        "MatMul",
        _turned(call, left, 0, call.params["transpose_a"]),
        _turned(call, right, 1, call.params["transpose_b"]),
    )


def _product(call: Call) -> str:
    if call.params["axis"] != -2:
        raise Untranslatable(f"axis={call.params['axis']}; only -2 is translated")
    product = batch_dot(call) if len(call.inputs) == 2 else _of_first_two(call)
    alpha = call.params["alpha"]
    return product if alpha == 1 else call.op("Mul", product, call.number(alpha))


def _of_first_two(call: Call) -> str:
    left, right, _ = call.inputs
    return call.op(
        "MatMul",
        _turned(call, left, 0, call.params["transpose_a"]),
        _turned(call, right, 1, call.params["transpose_b"]),
    )


@translates("_linalg_gemm2")
def gemm2(call: Call) -> str:
    """MatMul times a number."""
    return _product(call)


@translates("_linalg_gemm")
def gemm(call: Call) -> str:
    """MatMul times a number, plus an array times another."""
    return call.op("Add", _product(call), call.op("Mul", call.inputs[2], call.number(call.params["beta"])))


def _heads(call: Call, value: str, place: int, parts: int, part: int) -> str:
    """One of the interleaved projections: (time, batch, heads * parts * width) to (batch * heads, time, width)."""
    time, batch, width = call.sizes(place)
    heads = call.params["heads"]
    each = width // (heads * parts)
    apart = call.reshape(value, (time, batch * heads, parts, each))
    own = call.op("Gather", apart, call.constant(part, "int64"), axis=2)
    return call.op("Transpose", own, perm=[1, 0, 2])


def _scores(call: Call, queries: str, keys: str, width: int) -> str:
    scaled = call.op("Div", queries, call.number(width**0.5))
    return call.op("MatMul", scaled, call.op("Transpose", keys, perm=[0, 2, 1]))


def _values(call: Call, values: str, attention: str) -> str:
    product = call.op("MatMul", attention, values)
    time, batch, width = call.output_sizes()
    return call.reshape(call.op("Transpose", product, perm=[1, 0, 2]), (time, batch, width))


@translates("_contrib_interleaved_matmul_selfatt_qk")
def selfatt_qk(call: Call) -> str:
    """Scores of self-attention."""
    width = call.length(2) // (3 * call.params["heads"])
    return _scores(call, _heads(call, call.x, 0, 3, 0), _heads(call, call.x, 0, 3, 1), width)


@translates("_contrib_interleaved_matmul_selfatt_valatt")
def selfatt_valatt(call: Call) -> str:
    """What self-attention gives."""
    return _values(call, _heads(call, call.x, 0, 3, 2), call.inputs[1])


@translates("_contrib_interleaved_matmul_encdec_qk")
def encdec_qk(call: Call) -> str:
    """Scores of attention on another sequence."""
    width = call.length(2) // call.params["heads"]
    return _scores(call, _heads(call, call.x, 0, 1, 0), _heads(call, call.inputs[1], 1, 2, 0), width)


@translates("_contrib_interleaved_matmul_encdec_valatt")
def encdec_valatt(call: Call) -> str:
    """What attention on another sequence gives."""
    return _values(call, _heads(call, call.x, 0, 2, 1), call.inputs[1])


_REDUCTIONS = {"mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin", "prod": "ReduceProd"}


def _axes(call: Call) -> list[int]:
    axis = call.params["axis"]
    named = {call.axis(each) for each in ((axis,) if isinstance(axis, int) else axis or ())}
    if call.params.get("exclude"):
        return sorted(set(range(call.rank())) - named)
    return sorted(named) or list(range(call.rank()))


def _summed(call: Call, data: str, axes: list[int], keep: int) -> str:
    return _as_output(call, call.op("ReduceSum", data, call.ints(*axes), keepdims=keep), axes, keep)


def _as_output(call: Call, result: str, axes: list[int], keep: int) -> str:
    """MXNet has no arrays without axes: what would be one has the shape (1,)."""
    return call.reshape(result, (1,)) if not keep and len(axes) == call.rank() else result


@translates("sum", "_square_sum")
def sum_(call: Call) -> str:
    """ReduceSum."""
    data = call.op("Mul", call.x, call.x) if call.node.op_name == "_square_sum" else call.x
    return _summed(call, data, _axes(call), int(call.params["keepdims"]))


@translates(*_REDUCTIONS)
def reduction(call: Call) -> str:
    """One ONNX operator for each."""
    axes, keep = _axes(call), int(call.params["keepdims"])
    return _as_output(call, call.op(_REDUCTIONS[call.node.op_name], call.x, axes=axes, keepdims=keep), axes, keep)


@translates("norm")
def norm(call: Call) -> str:
    """ReduceL1 or ReduceL2."""
    axes, keep = _axes(call), int(call.params["keepdims"])
    if call.params["ord"] not in (1, 2):
        raise Untranslatable(f"ord={call.params['ord']} has no counterpart")
    result = call.op(f"ReduceL{call.params['ord']}", call.x, axes=axes, keepdims=keep)
    return _as_output(call, result, axes, keep)


@translates("argmax", "argmin", "argmax_channel")
def extreme_place(call: Call) -> str:
    """ArgMax or ArgMin, as numbers of the output's dtype."""
    axis = call.params.get("axis", 1)
    name = "ArgMin" if call.node.op_name == "argmin" else "ArgMax"
    if axis is None:
        flat = call.reshape(call.x, (-1,))
        found = call.op(name, flat, axis=0, keepdims=1)
        return call.reshape_to_output(call.cast(found, call.output_dtype()))
    found = call.op(name, call.x, axis=call.axis(axis), keepdims=int(call.params.get("keepdims", False)))
    found = call.cast(found, call.output_dtype())
    return call.reshape(found, (1,)) if call.rank() == 1 and not call.params.get("keepdims") else found


def _sorted(call: Call, count: int | None, axis: int, ascending: bool) -> list[str]:
    """Values and places of the largest or smallest elements."""
    number = call.ints(count) if count else call.op("Gather", call.shape_of(call.x), call.ints(axis), axis=0)
    return call.ops("TopK", 2, call.x, number, axis=axis, largest=int(not ascending), sorted=1)


@translates("topk")
def topk(call: Call) -> str | list[str]:
    """TopK."""
    params = call.params
    if params["axis"] is None or params["ret_typ"] == "mask":
        raise Untranslatable("axis=None and ret_typ='mask' have no counterpart")
    axis = call.axis(params["axis"])
    values, places = _sorted(call, params["k"] if params["k"] > 0 else None, axis, params["is_ascend"])
    if params["ret_typ"] == "value":
        return values
    indices = call.cast(places, call.output_dtype(1 if params["ret_typ"] == "both" else 0))
    return [values, indices] if params["ret_typ"] == "both" else indices


@translates("sort", "argsort")
def sort(call: Call) -> str:
    """TopK of all."""
    if call.params["axis"] is None:
        raise Untranslatable("axis=None has no counterpart")
    values, places = _sorted(call, None, call.axis(call.params["axis"]), call.params["is_ascend"])
    return values if call.node.op_name == "sort" else call.cast(places, call.output_dtype())


@translates("_np_cumsum")
def cumsum(call: Call) -> str:
    """CumSum."""
    data, axis = call.x, call.params["axis"]
    if axis is None:
        data, axis = call.reshape(data, (-1,)), 0
    else:
        axis = call.axis(axis)
    if call.output_dtype() != call.dtype():
        data = call.cast(data, call.output_dtype())
    return call.op("CumSum", data, call.constant(axis, "int64"))
