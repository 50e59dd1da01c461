"""Products of matrices."""

from typing import Any

import regluon.symbol

from ..lengths import Lengths
from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates

S: Any = regluon.symbol
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
