"""Elements by index."""

from typing import Any

import torch

import regluon.symbol

from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates

S: Any = regluon.symbol


@translates("index_select")
def index_select(node: AtenNode) -> Any:
    """Take."""
    return S.take(node.symbol("self"), node.symbol("index"), axis=node.axis("dim"))


@translates("gather")
def gather(node: AtenNode) -> Any:
    """Pick for one element of each row; for several ones, take from all rows as one."""
    axis = node.axis("dim")
    data, index = node.lengths("self"), node.lengths("index")
    if data[:axis] + data[axis + 1 :] != index[:axis] + index[axis + 1 :]:
        raise NotConvertible("its index has other lengths than the data besides the axis; cut the data before it")
    if index[axis] == (1, 1):
        return S.pick(node.symbol("self"), node.symbol("index"), axis=axis, keepdims=True)
    length = node.fixed(data[axis], "the length of the axis")
    last = len(data) - 1
    rows = S.Reshape(S.swapaxes(node.symbol("self"), dim1=axis, dim2=last), shape=(-1, length))
    turned = S.swapaxes(node.symbol("index"), dim1=axis, dim2=last)
    wanted = S.Reshape(turned, shape=(-1, node.fixed(index[axis], "the number of indices")))
    wanted = S.Cast(wanted, dtype="float64")  # counts the elements of all rows, beyond what float32 can
    starts = S.contrib.arange_like(S.slice_axis(wanted, axis=1, begin=0, end=1), step=float(length))
    places = S.broadcast_add(wanted, starts)
    found = S.reshape_like(S.take(S.Reshape(rows, shape=(-1,)), places), turned)
    return S.swapaxes(found, dim1=axis, dim2=last)


@translates("index.Tensor")
def index(node: AtenNode) -> Any:
    """Take along one axis; gather_nd for indices of the first axes."""
    given = [(axis, each) for axis, each in enumerate(node["indices"]) if each is not None]
    if any(each.meta["val"].dtype is torch.bool for _, each in given):
        raise NotConvertible("it chooses elements with a mask, so that the shape depends on data; use torch.where")
    if len(given) == 1:
        axis, wanted = given[0]
        return S.take(node.symbol("self"), node.symbol_of(wanted), axis=axis, mode="wrap")
    shapes = {node.lengths_of(each) for _, each in given}
    if [axis for axis, _ in given] != list(range(len(given))) or len(shapes) != 1:
        raise NotConvertible("it has several indices of different shapes, or not for the first axes")
    return S.gather_nd(node.symbol("self"), S.stack(*(node.symbol_of(each) for _, each in given), axis=0))


@translates("one_hot")
def one_hot(node: AtenNode) -> Any:
    """one_hot."""
    depth = node.fixed(node.result[-1], "the number of classes")
    return S.one_hot(node.symbol("self"), depth=depth, dtype="int64")
