"""Functions of elements, shapes, reductions and indices."""

from functools import reduce
from math import prod
from typing import Any

import numpy as np

import regluon.symbol

from ..node import NotImportable, OnnxNode, imports

S: Any = regluon.symbol  # operators are chosen by name and called with what the file says

_UNARY = {
    "Abs": "abs",
    "Neg": "negative",
    "Sign": "sign",
    "Ceil": "ceil",
    "Floor": "floor",
    "Exp": "exp",
    "Log": "log",
    "Sqrt": "sqrt",
    "Reciprocal": "reciprocal",
    "Erf": "erf",
    "Sin": "sin",
    "Cos": "cos",
    "Tan": "tan",
    "Asin": "arcsin",
    "Acos": "arccos",
    "Atan": "arctan",
    "Sinh": "sinh",
    "Cosh": "cosh",
    "Tanh": "tanh",
    "Asinh": "arcsinh",
    "Acosh": "arccosh",
    "Atanh": "arctanh",
    "Relu": "relu",
    "Sigmoid": "sigmoid",
    "Softsign": "softsign",
    "Identity": "identity",
    "Shape": "shape_array",
}
_BINARY = {
    "Add": "broadcast_add",
    "Sub": "broadcast_sub",
    "Mul": "broadcast_mul",
    "Div": "broadcast_div",
    "Pow": "broadcast_power",
    "Equal": "broadcast_equal",
    "Greater": "broadcast_greater",
    "Less": "broadcast_lesser",
    "GreaterOrEqual": "broadcast_greater_equal",
    "LessOrEqual": "broadcast_lesser_equal",
    "And": "broadcast_logical_and",
    "Or": "broadcast_logical_or",
    "Xor": "broadcast_logical_xor",
}
_MANY = {"Max": "broadcast_maximum", "Min": "broadcast_minimum", "Sum": "broadcast_add"}
_REDUCTIONS = {"ReduceSum": "sum", "ReduceMean": "mean", "ReduceMax": "max", "ReduceMin": "min", "ReduceProd": "prod"}
_DTYPES = {1: "float32", 2: "uint8", 3: "int8", 6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64"}
_FAR = 2**31 - 1
_MOST_ONES = 1 << 24  # elements of an array that only stretches another


@imports(*_UNARY)
def unary(node: OnnxNode) -> Any:
    """One operator for each."""
    return getattr(S, _UNARY[node.op])(node.symbol())


@imports(*_BINARY)
def binary(node: OnnxNode) -> Any:
    """Both broadcast; a single number stays one."""
    number = node.known(1)
    if number is not None and number.size == 1 and number.ndim < 2 and node.known(0) is None and node.op in _NUMBERS:
        return _NUMBERS[node.op](node.symbol(), float(number.reshape(())))
    return getattr(S, _BINARY[node.op])(node.symbol(0), node.symbol(1))


_NUMBERS: dict[str, Any] = {
    "Add": lambda x, number: x + number,
    "Sub": lambda x, number: x - number,
    "Mul": lambda x, number: x * number,
    "Div": lambda x, number: x / number,
    "Pow": lambda x, number: x**number,
}


@imports(*_MANY)
def many(node: OnnxNode) -> Any:
    """Any number of arrays, two at a time."""
    return reduce(getattr(S, _MANY[node.op]), node.symbols())


@imports("Not")
def logical_not(node: OnnxNode) -> Any:
    """logical_not."""
    return S.logical_not(node.symbol())


@imports("Softplus")
def softplus(node: OnnxNode) -> Any:
    """Activation softrelu."""
    return S.Activation(node.symbol(), act_type="softrelu")


@imports("LeakyRelu", "Elu", "Selu")
def leaky(node: OnnxNode) -> Any:
    """LeakyReLU."""
    if node.op == "Selu":
        return S.LeakyReLU(node.symbol(), act_type="selu")
    kind, slope = ("elu", 1.0) if node.op == "Elu" else ("leaky", 0.01)
    return S.LeakyReLU(node.symbol(), act_type=kind, slope=node.real("alpha", slope))


@imports("HardSigmoid")
def hard_sigmoid(node: OnnxNode) -> Any:
    """hard_sigmoid."""
    return S.hard_sigmoid(node.symbol(), alpha=node.real("alpha", 0.2), beta=node.real("beta", 0.5))


@imports("Softmax", "LogSoftmax")
def softmax(node: OnnxNode) -> Any:
    """Along one axis; before opset 13 over all axes from one on."""
    function = S.softmax if node.op == "Softmax" else S.log_softmax
    if node.opset >= 13:
        return function(node.symbol(), axis=node.integer("axis", -1))
    axis = node.integer("axis", 1)
    if axis == -1:
        return function(node.symbol(), axis=-1)
    if axis != 1:
        raise NotImportable(f"axis={axis} in opset {node.opset} means several axes")
    return S.reshape_like(function(S.Flatten(node.symbol()), axis=-1), node.symbol())


@imports("Clip")
def clip(node: OnnxNode) -> Any:
    """clip; limits are attributes in old files, inputs in new ones."""
    low = node.scalar(1, "minimum") if node.has(1) else node.real("min", -np.inf)
    high = node.scalar(2, "maximum") if node.has(2) else node.real("max", np.inf)
    limit = float(np.finfo(np.float32).max)
    return S.clip(node.symbol(), max(low, -limit), min(high, limit))


@imports("Cast")
def cast(node: OnnxNode) -> Any:
    """Cast."""
    target = node.integer("to")
    if target not in _DTYPES:
        raise NotImportable(f"casts to ONNX's dtype {target}")
    return S.cast(node.symbol(), _DTYPES[target])


@imports("Dropout")
def dropout(node: OnnxNode) -> Any:
    """Nothing, in inference."""
    return S.identity(node.symbol())


@imports("Where")
def where(node: OnnxNode) -> Any:
    """where, for arrays of one shape."""
    return S.where(*node.symbols(3, 3))


@imports("Flatten")
def flatten(node: OnnxNode) -> Any:
    """Flatten."""
    if node.integer("axis", 1) != 1:
        raise NotImportable(f"axis={node.attrs['axis']}; only 1 can be imported")
    return S.Flatten(node.symbol())


@imports("Reshape")
def reshape(node: OnnxNode) -> Any:
    """Reshape; 0 and -1 mean the same."""
    shape = node.ints("shape", 1)
    if shape is None:
        raise NotImportable("its shape is missing")
    return S.Reshape(node.symbol(), shape=tuple(shape))


@imports("Transpose")
def transpose(node: OnnxNode) -> Any:
    """transpose."""
    return S.transpose(node.symbol(), axes=tuple(node.ints("perm") or ()))


@imports("Concat")
def concat(node: OnnxNode) -> Any:
    """Concat."""
    return S.Concat(*node.symbols(), dim=node.integer("axis", 1))


@imports("Squeeze")
def squeeze(node: OnnxNode) -> Any:
    """squeeze."""
    axes = node.ints("axes", 1)
    return S.squeeze(node.symbol(), axis=None if axes is None else tuple(axes))


@imports("Unsqueeze")
def unsqueeze(node: OnnxNode) -> Any:
    """expand_dims, one axis after the other."""
    axes = node.ints("axes", 1) or []
    if len(axes) > 1 and min(axes) < 0:
        raise NotImportable(f"axes={axes}: several, counted from the end")
    return reduce(lambda data, axis: S.expand_dims(data, axis=axis), sorted(axes), node.symbol())


@imports("Slice")
def slice_(node: OnnxNode) -> Any:
    """slice_axis for each axis, forwards in steps of one."""
    starts = node.ints("starts", 1) or []
    count = len(starts)
    ends = node.ints("ends", 2, count) or []
    axes, steps = node.ints("axes", 3, count) or list(range(count)), node.ints("steps", 4, count) or [1] * count
    if set(steps) - {1}:
        raise NotImportable(f"steps={steps}; only 1 can be imported")
    data = node.symbol()
    for start, end, axis in zip(starts, ends, axes, strict=True):
        data = S.slice_axis(data, axis=axis, begin=start, end=None if end >= _FAR else end)
    return data


@imports("Split")
def split(node: OnnxNode) -> Any:
    """split_v2."""
    axis, lengths = node.integer("axis", 0), node.ints("split", 1)
    if lengths is None:
        return list(S.split_v2(node.symbol(), len(node.outputs), axis=axis))
    return list(S.split_v2(node.symbol(), tuple(int(n) for n in np.cumsum(lengths)[:-1]), axis=axis))


@imports("Gather")
def gather(node: OnnxNode) -> Any:
    """take; a single place takes the axis away."""
    axis, places = node.integer("axis", 0), node.known(1)
    if places is not None and places.ndim == 0:
        return S.squeeze(S.take(node.symbol(), node.symbol(1), axis=axis, mode="wrap"), axis=axis)
    return S.take(node.symbol(), node.symbol(1), axis=axis, mode="wrap")


@imports(*_REDUCTIONS)
def reduction(node: OnnxNode) -> Any:
    """sum, mean, max, min, prod."""
    axes = node.ints("axes", 1)
    function = getattr(S, _REDUCTIONS[node.op])
    return function(
        node.symbol(), axis=None if axes is None else tuple(axes), keepdims=bool(node.integer("keepdims", 1))
    )


@imports("ReduceL1", "ReduceL2")
def norm(node: OnnxNode) -> Any:
    """norm, as the sum of sizes or the root of the sum of squares."""
    axes, keep = node.ints("axes", 1), bool(node.integer("keepdims", 1))
    axis = None if axes is None else tuple(axes)
    if node.op == "ReduceL1":
        return S.sum(S.abs(node.symbol()), axis=axis, keepdims=keep)
    return S.sqrt(S.sum(S.square(node.symbol()), axis=axis, keepdims=keep))


@imports("ArgMax", "ArgMin")
def extreme_place(node: OnnxNode) -> Any:
    """argmax or argmin, as whole numbers."""
    function = S.argmax if node.op == "ArgMax" else S.argmin
    found = function(node.symbol(), axis=node.integer("axis", 0), keepdims=bool(node.integer("keepdims", 1)))
    return S.cast(found, "int64")


@imports("Tile")
def tile(node: OnnxNode) -> Any:
    """tile."""
    return S.tile(node.symbol(), reps=tuple(node.ints("repeats", 1) or ()))


@imports("Expand")
def expand(node: OnnxNode) -> Any:
    """The product with ones, which broadcasts in both ways."""
    shape = node.ints("shape", 1)
    if shape is None or min(shape, default=0) < 0 or prod(shape) > _MOST_ONES:
        raise NotImportable(f"its shape is {shape}; expected lengths of at most {_MOST_ONES} elements in all")
    return S.broadcast_mul(node.symbol(), node.parameter("ones", np.ones(tuple(shape), np.float32)))


@imports("Pad")
def pad(node: OnnxNode) -> Any:
    """Pad, of height and width."""
    amounts = node.ints("pads", 1) or []
    half = len(amounts) // 2
    if len(amounts) % 2:
        raise NotImportable(f"its pads are {amounts}; expected two for each axis")
    widths = [n for pair in zip(amounts[:half], amounts[half:], strict=True) for n in pair]
    value = node.scalar(2, "value") if node.has(2) else node.real("value", 0.0)
    return S.Pad(node.symbol(), mode=node.text("mode", "constant"), pad_width=tuple(widths), constant_value=value)


@imports("DepthToSpace", "SpaceToDepth")
def blocks(node: OnnxNode) -> Any:
    """depth_to_space or space_to_depth."""
    if node.text("mode", "DCR") != "DCR":
        raise NotImportable(f"mode={node.attrs['mode']!r} has no counterpart")
    function = S.depth_to_space if node.op == "DepthToSpace" else S.space_to_depth
    return function(node.symbol(), block_size=node.integer("blocksize"))
