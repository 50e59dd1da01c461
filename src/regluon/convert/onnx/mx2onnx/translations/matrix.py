"""Products of matrices."""

from ..call import Call
from ..table import Untranslatable, translates


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
