"""Storage types of graphs that the recorded programs do not show."""

from typing import Any

import pytest

import mxnet as mx
from mxnet import sym
from regluon.array.sparse.storage_types import StorageTypes, declared_stype
from regluon.graph.inference import Inference
from regluon.graph.node import variables


def stypes(symbol: Any, given: dict[str, str], **shapes: Any) -> list[str]:
    inference = Inference(symbol._heads, shapes)
    inference.run()
    nodes = {id(node): given[node.name] for node in variables(symbol._heads).arguments if node.name in given}
    found = StorageTypes(symbol._heads, inference, nodes)
    return [found.of(head) for head in symbol._heads]


def test_declared() -> None:
    assert [declared_stype(sym.var("x", stype=stype)._heads[0].node) for stype in ("csr", "default", None)] == [
        *("csr", "default", "default")
    ]


def test_what_does_not_fit() -> None:
    with pytest.raises(mx.MXNetError, match="expected a row_sparse array"):
        stypes(sym.sparse.retain(sym.var("x"), sym.var("rows")), {"x": "csr"}, x=(3, 2), rows=(1,))
