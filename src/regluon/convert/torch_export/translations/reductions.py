"""Sums, means and extremes over axes."""

from typing import Any

import torch

import regluon.symbol

from ..lengths import Length, product
from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates

S: Any = regluon.symbol
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
