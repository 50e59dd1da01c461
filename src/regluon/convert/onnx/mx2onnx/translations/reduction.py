"""Reductions, sorting, and places of extremes."""

from ..call import Call
from ..table import Untranslatable, translates

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
