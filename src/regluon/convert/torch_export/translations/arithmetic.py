"""Translate arithmetic, products and reductions."""

from typing import Any

import torch

import regluon.symbol

from ..batch_axis import Length, Lengths, product
from ..conversion_errors import NotConvertible
from ..node import AtenNode, translates

S: Any = regluon.symbol

_UNARY = {
    "abs": "abs",
    "neg": "negative",
    "sign": "sign",
    "ceil": "ceil",
    "floor": "floor",
    "trunc": "trunc",
    "round": "rint",  # halves to even numbers, as torch does
    "exp": "exp",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "square": "square",
    "reciprocal": "reciprocal",
    "erf": "erf",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "sinh": "sinh",
    "cosh": "cosh",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}
# MXNet's operators for arrays of one shape, for arrays that broadcast, and with a number at the right and at the left.
_BINARY = {
    "add": ("elemwise_add", "broadcast_add", "_plus_scalar", "_plus_scalar"),
    "sub": ("elemwise_sub", "broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "mul": ("elemwise_mul", "broadcast_mul", "_mul_scalar", "_mul_scalar"),
    "div": ("elemwise_div", "broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "pow": ("broadcast_power", "broadcast_power", "_power_scalar", "_rpower_scalar"),
    "maximum": ("broadcast_maximum", "broadcast_maximum", "_maximum_scalar", "_maximum_scalar"),
    "minimum": ("broadcast_minimum", "broadcast_minimum", "_minimum_scalar", "_minimum_scalar"),
    "eq": ("broadcast_equal", "broadcast_equal", "_equal_scalar", "_equal_scalar"),
    "ne": ("broadcast_not_equal", "broadcast_not_equal", "_not_equal_scalar", "_not_equal_scalar"),
    "gt": ("broadcast_greater", "broadcast_greater", "_greater_scalar", "_lesser_scalar"),
    "ge": ("broadcast_greater_equal", "broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar"),
    "lt": ("broadcast_lesser", "broadcast_lesser", "_lesser_scalar", "_greater_scalar"),
    "le": ("broadcast_lesser_equal", "broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar"),
    "remainder": ("broadcast_mod", "broadcast_mod", "_mod_scalar", "_rmod_scalar"),
}
_COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")
_LOGICAL = {"and": "broadcast_logical_and", "or": "broadcast_logical_or", "xor": "broadcast_logical_xor"}


def _family(node: AtenNode) -> str:
    """The name of an operator without its variant."""
    return str(node.target).split(".")[1]


@translates(*_UNARY)
def unary(node: AtenNode) -> Any:
    """One operator for each."""
    data = node.cast(node.symbol("self"), node.dtype("self"), node.result_dtype)
    return getattr(S, _UNARY[_family(node)])(data)


def operand(node: AtenNode, argument: str, dtype: torch.dtype) -> Any:
    """A number, or a symbol converted to a dtype."""
    number = node.number(argument)
    return node.cast(node.symbol(argument), node.dtype(argument), dtype) if number is None else number


def combined(node: AtenNode, name: str, left: str = "self", right: str = "other", alpha: float = 1) -> Any:
    """Two operands, as torch promotes and broadcasts them."""
    dtype = _common_dtype(node, left, right) if name in _COMPARISONS else node.result_dtype
    a, b = operand(node, left, dtype), operand(node, right, dtype)
    if alpha != 1:
        b = b * alpha
    same, broadcast, with_right, with_left = _BINARY[name]
    if node.number(right) is not None:
        found = getattr(S._internal, with_right)(a, scalar=float(b))
    elif node.number(left) is not None:
        found = getattr(S._internal, with_left)(b, scalar=float(a))
    else:
        is_same = node.lengths(left) == node.lengths(right)
        found = getattr(S, same if is_same else broadcast)(a, b)
    # A comparison gives the dtype of its operands; what torch calls bool is float32.
    is_float32 = dtype in (torch.float32, torch.bool)
    return S.Cast(found, dtype="float32") if name in _COMPARISONS and not is_float32 else found


def _common_dtype(node: AtenNode, left: str, right: str) -> torch.dtype:
    """The dtype in which torch compares; numbers do not raise it within a kind."""
    found = [node.dtype(each) for each in (left, right) if node.number(each) is None]
    numbers = [node.number(each) for each in (left, right) if node.number(each) is not None]
    if len(found) == 2:
        return torch.promote_types(*found)
    if isinstance(numbers[0], float) and not found[0].is_floating_point:
        return torch.get_default_dtype()
    return found[0]


@translates("add.Tensor", "add.Scalar", "sub.Tensor", "sub.Scalar")
def add(node: AtenNode) -> Any:
    """Sums and differences, the second operand with a factor."""
    return combined(node, _family(node), alpha=node["alpha"])


@translates("rsub.Tensor", "rsub.Scalar")
def subtract_from(node: AtenNode) -> Any:
    """A difference the other way round."""
    if node["alpha"] != 1:
        raise NotConvertible(f"alpha={node['alpha']} has no counterpart")
    return combined(node, "sub", "other", "self")


@translates(
    *("mul.Tensor", "mul.Scalar", "div.Tensor", "div.Scalar", "maximum", "minimum", "remainder.Tensor"),
    *("remainder.Scalar", *(f"{name}.{kind}" for name in _COMPARISONS for kind in ("Tensor", "Scalar"))),
)
def binary(node: AtenNode) -> Any:
    """One operator for each."""
    return combined(node, _family(node))


@translates("max.other", "min.other")
def larger(node: AtenNode) -> Any:
    """Maximum or minimum."""
    return combined(node, {"max": "maximum", "min": "minimum"}[_family(node)])


@translates("div.Tensor_mode", "div.Scalar_mode")
def rounded_quotient(node: AtenNode) -> Any:
    """A quotient, rounded."""
    if node["rounding_mode"] is None:
        return combined(node, "div")
    if not node.result_dtype.is_floating_point:
        raise NotConvertible("it divides whole numbers; MXNet has no such division. Divide float32 and convert")
    return (S.floor if node["rounding_mode"] == "floor" else S.trunc)(combined(node, "div"))


@translates("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def power(node: AtenNode) -> Any:
    """A power; the common ones by operators of their own."""
    exponent = node.number("exponent")
    if exponent == 2:
        return S.square(operand(node, "self", node.result_dtype))
    if exponent == 0.5:
        return S.sqrt(operand(node, "self", node.result_dtype))
    if exponent == -0.5:
        return S.rsqrt(operand(node, "self", node.result_dtype))
    return combined(node, "pow", "self", "exponent")


@translates("addcmul", "addcdiv")
def add_product(node: AtenNode) -> Any:
    """A sum with a product or quotient."""
    function = S.broadcast_mul if _family(node) == "addcmul" else S.broadcast_div
    product = function(*(node.cast(node.symbol(each), node.dtype(each), node.result_dtype) for each in _FACTORS))
    return S.broadcast_add(operand(node, "self", node.result_dtype), product * node["value"])


_FACTORS = ("tensor1", "tensor2")


@translates("clamp", "clamp_min", "clamp_max")
def clamp(node: AtenNode) -> Any:
    """Clip, or one limit alone."""
    data = node.cast(node.symbol("self"), node.dtype("self"), node.result_dtype)
    low = node["min"] if node.takes("min") else None
    high = node["max"] if node.takes("max") else None
    if low is not None and high is not None:
        return S.clip(data, low, high)
    if low is not None:
        return S._internal._maximum_scalar(data, scalar=float(low))
    return data if high is None else S._internal._minimum_scalar(data, scalar=float(high))


@translates(
    *(f"logical_{name}" for name in _LOGICAL),
    *(f"bitwise_{name}.Tensor" for name in _LOGICAL),
)
def logical(node: AtenNode) -> Any:
    """and, or, xor of truth values."""
    if node.result_dtype is not torch.bool:
        raise NotConvertible("it combines the bits of whole numbers, which MXNet has no operator for")
    function = getattr(S, _LOGICAL[_family(node).split("_")[1]])
    return function(operand(node, "self", torch.bool), operand(node, "other", torch.bool))


@translates("logical_not", "bitwise_not")
def logical_not(node: AtenNode) -> Any:
    """Not."""
    if node.result_dtype is not torch.bool:
        raise NotConvertible("it inverts the bits of whole numbers, which MXNet has no operator for")
    return S.logical_not(node.cast(node.symbol("self"), node.dtype("self"), torch.bool))


@translates("isnan")
def isnan(node: AtenNode) -> Any:
    """What differs from itself."""
    data = node.symbol("self")
    return node.cast(S.broadcast_not_equal(data, data), node.dtype("self"), torch.float32)


_MATRIX, _BATCH = 2, 3  # axes


def product_of(node: AtenNode, a: Any, b: Any, before: tuple[Lengths, Lengths], after: Lengths, **options: Any) -> Any:
    """The products of the matrices in two arrays.

    Args:
        node: for shapes.
        a: the left one.
        b: the right one.
        before: lengths of both.
        after: those of the result.
        **options: of the products.
    """
    left, right = before
    lead = after[:-2]
    a = node.expanded(a, left, (*lead, *left[-2:]))
    b = node.expanded(b, right, (*lead, *right[-2:]))
    if len(after) == _BATCH:
        return S.batch_dot(a, b, **options)
    return S.linalg.gemm2(a, b, **options)


@translates("mm", "mv", "dot")
def mm(node: AtenNode) -> Any:
    """Dot."""
    other = {"mm": "mat2", "mv": "vec", "dot": "tensor"}[str(node.target).split(".")[1]]
    return S.dot(node.symbol("self"), node.symbol(other))


@translates("bmm")
def bmm(node: AtenNode) -> Any:
    """batch_dot."""
    return S.batch_dot(node.symbol("self"), node.symbol("mat2"))


@translates("matmul")
def matmul(node: AtenNode) -> Any:
    """Dot with a single matrix, else the products of all matrices."""
    left, right = node.lengths("self"), node.lengths("other")
    if len(right) <= _MATRIX:
        return S.dot(node.symbol("self"), node.symbol("other"))
    if len(left) < _MATRIX:
        raise NotConvertible("it multiplies a vector with several matrices; add an axis with unsqueeze(0) before it")
    return product_of(node, node.symbol("self"), node.symbol("other"), (left, right), node.result)


@translates("addmm")
def addmm(node: AtenNode) -> Any:
    """FullyConnected if the factor is a weight that was transposed, else a sum with dot."""
    weight = _transposed(node)
    plain = node["alpha"] == 1 and node["beta"] == 1
    if weight is not None and plain and len(node.lengths("self")) == 1:
        symbol, rows = weight
        return S.FullyConnected(node.symbol("mat1"), symbol, node.symbol("self"), num_hidden=rows)
    found = S.dot(node.symbol("mat1"), node.symbol("mat2"))
    return S.broadcast_add(_times(node.symbol("self"), node["beta"]), _times(found, node["alpha"]))


@translates("baddbmm")
def baddbmm(node: AtenNode) -> Any:
    """A sum with batch_dot."""
    found = S.batch_dot(node.symbol("batch1"), node.symbol("batch2"))
    return S.broadcast_add(_times(node.symbol("self"), node["beta"]), _times(found, node["alpha"]))


def _times(data: Any, factor: float) -> Any:
    return data if factor == 1 else data * factor


def _transposed(node: AtenNode) -> Any:
    """The matrix that a factor is the transpose of, and its number of rows; None if it is none."""
    source = node.node("mat2")
    axes = {"aten.t.default": (), "aten.permute.default": ([1, 0],), "aten.transpose.int": (0, 1)}
    if source is None or tuple(source.args[1:]) != axes.get(str(source.target)):
        return None
    return node.symbol_of(source.args[0]), node.shape("mat2")[1]


_REDUCTIONS = {"mean": "mean", "sum": "sum", "amax": "max", "amin": "min", "prod": "prod", "max": "max", "min": "min"}


def _kept(node: AtenNode) -> bool:
    return node.takes("keepdim") and bool(node["keepdim"])


def _axes(node: AtenNode) -> tuple[int, ...]:
    return node.axes("dim") if node.takes("dim") else tuple(range(max(len(node.lengths("self")), 1)))


def _data(node: AtenNode) -> Any:
    return node.cast(node.symbol("self"), node.dtype("self"), node.result_dtype)


@translates(
    *("mean", "mean.dim", "sum", "sum.dim_IntList", "amax", "amin", "prod", "prod.dim_int", "max", "min"),
)
def reduce(node: AtenNode) -> Any:
    """One operator for each."""
    name = str(node.target).split(".")[1]
    return getattr(S, _REDUCTIONS[name])(_data(node), axis=_axes(node), keepdims=_kept(node))


@translates("any", "any.dim", "any.dims", "all", "all.dim", "all.dims")
def any_or_all(node: AtenNode) -> Any:
    """The largest or the smallest truth value."""
    truth = node.cast(node.symbol("self"), node.dtype("self"), torch.bool)
    function = S.max if ".any." in str(node.target) else S.min
    return function(truth, axis=_axes(node), keepdims=_kept(node))


@translates("max.dim", "min.dim")
def extreme_with_index(node: AtenNode) -> Any:
    """The extreme, and where it is."""
    axis, data = node.axis("dim"), node.symbol("self")
    is_max = ".max." in str(node.target)
    places = (S.argmax if is_max else S.argmin)(data, axis=axis, keepdims=_kept(node))
    return [
        (S.max if is_max else S.min)(data, axis=axis, keepdims=_kept(node)),
        S.Cast(places, dtype="int64"),
    ]


@translates("argmax", "argmin")
def argmax(node: AtenNode) -> Any:
    """Where the extreme is; MXNet counts in float32."""
    function = S.argmax if "argmax" in str(node.target) else S.argmin
    data = node.symbol("self")
    if not node.has("dim"):
        return S.Cast(function(S.Reshape(data, shape=(-1,)), axis=0, keepdims=False), dtype="int64")
    return S.Cast(function(data, axis=node.axis("dim"), keepdims=_kept(node)), dtype="int64")


def _variance(node: AtenNode) -> Any:
    data, axes = _data(node), _axes(node)
    centered = S.broadcast_sub(data, S.mean(data, axis=axes, keepdims=True))
    found = S.mean(S.square(centered), axis=axes, keepdims=_kept(node))
    correction = _correction(node)
    if correction == 0:
        return found
    count: Length = product(node.lengths("self")[axis] for axis in axes)
    number = node.fixed(count, "the number of elements of a corrected variance")
    return found * (number / (number - correction))


def _correction(node: AtenNode) -> float:
    """What is taken off the number of elements: 1 by default."""
    if node.takes("correction"):
        return 1 if node["correction"] is None else float(node["correction"])
    return 1 if node["unbiased"] else 0


@translates("var.correction", "var.dim", "var")
def variance(node: AtenNode) -> Any:
    """The variance, written out."""
    return _variance(node)


@translates("std.correction", "std.dim", "std")
def deviation(node: AtenNode) -> Any:
    """The root of the variance."""
    return S.sqrt(_variance(node))


@translates("var_mean.correction")
def variance_and_mean(node: AtenNode) -> Any:
    """Both."""
    return [_variance(node), S.mean(_data(node), axis=_axes(node), keepdims=_kept(node))]


@translates("linalg_vector_norm")
def norm(node: AtenNode) -> Any:
    """Norm, of order 1 or 2."""
    if node["ord"] not in (1, 2):
        raise NotConvertible(f"ord={node['ord']}; MXNet's norm has the orders 1 and 2")
    data, axes = _data(node), _axes(node)
    if node["ord"] == 1:
        return S.sum(S.abs(data), axis=axes, keepdims=_kept(node))
    return S.sqrt(S.sum(S.square(data), axis=axes, keepdims=_kept(node)))


@translates("cumsum")
def cumsum(node: AtenNode) -> Any:
    """Cumsum."""
    return S.cumsum(_data(node), axis=node.axis("dim"))


@translates("topk")
def topk(node: AtenNode) -> Any:
    """The largest or smallest elements and where they are."""
    options = {"k": node["k"], "axis": node.axis("dim"), "is_ascend": not node["largest"], "dtype": "int64"}
    found = S.topk(node.symbol("self"), ret_typ="both", **options)
    return [found[0], found[1]]
