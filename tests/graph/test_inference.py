"""Shapes and dtypes of graphs where not everything is known, and the texts that say what does not fit."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import sym
from mxnet.base import MXNetError
from mxnet.error import OpShapeError, OpTypeError
from regluon.graph.inference import Inference, infer_node
from regluon.ops.partial_shapes import agreed, is_known, joined, read_shape, stretched

X, Y = sym.var("x"), sym.var("y")


def test_partial_shapes() -> None:
    assert joined((2, 0), (0, 3)) == (2, 3)
    assert joined(None, (0, 3)) == (0, 3)
    assert joined((2,), ()) == (2,)
    with pytest.raises(ValueError, match="contradict each other"):
        joined((2, 3), (2, 4))
    with pytest.raises(ValueError, match="contradict each other"):
        joined((2,), (2, 3))
    assert not is_known((2, 0))
    assert not is_known(())
    assert agreed((2, 1009), (2, 2003)) == (2, 0)
    assert stretched((2, 1, 0), (2, 3, 4)) == (2, 3, 0)
    assert stretched((2, 3), (2, 4)) is None
    assert read_shape("[2, 3]") == (2, 3)
    with pytest.raises(OpTypeError, match=r"__shape__: received '\(a,\)'; expected such as"):
        read_shape("(a,)")


def test_lengths_spread_both_ways() -> None:
    net = sym.concat(X, Y, dim=-1)
    inference = Inference(net._heads, {"x": (2, 3), "y": (0, 4)})
    inference.run()
    assert inference.shape(net._heads[0]) == (2, 7)
    assert inference.shape(Y._heads[0]) == (2, 4)


def test_known_outputs_are_not_inferred_again() -> None:
    first = X + Y
    net = first * sym.zeros((0, 3))
    entry = first._heads[0]
    inference = Inference(net._heads, known={(id(entry.node), entry.index): ((2, 3), torch.float32)})
    assert [node.op_name for node in inference.order] == ["_zeros", "elemwise_mul"]
    inference.run()
    assert inference.shape(net._heads[0]) == (2, 3)


@pytest.mark.parametrize(
    ("net", "problem"),
    [
        (X + Y, r"node '_plus0' \(elemwise_add\): its inputs have the shapes x \(2, 3\), y \(4, 3\); expected equal"),
        (sym.concat(X, Y, dim=1), r"expected equal lengths but for axis 1"),
        (sym.where(sym.var("c"), X, Y), r"expected equal ones"),
    ],
    ids=["alike", "concat", "where"],
)
def test_shapes_that_do_not_fit(net: sym.Symbol, problem: str) -> None:
    with pytest.raises(OpShapeError, match=problem.replace("_plus0", net.name or "")):
        net.infer_shape(x=(2, 3), y=(4, 3))


@pytest.mark.parametrize(
    "net",
    [
        sym.softmax(X, Y, use_length=True),
        sym.ctc_loss(X, Y),
        sym.slice_like(X, Y),
        sym.reshape_like(X, Y),
        sym.broadcast_like(X, Y),
    ],
    ids=["softmax", "ctc_loss", "slice_like", "reshape_like", "broadcast_like"],
)
def test_dtypes_that_have_nothing_to_do_with_each_other(net: sym.Symbol) -> None:
    assert net.infer_type(x="float16", y="int32")[:2] == ([np.float16, np.int32], [np.float16])
    assert net.infer_type(y="int32") == (None, None, None)


def test_dtypes_that_do_not_fit() -> None:
    with pytest.raises(OpTypeError, match=r"its inputs have the dtypes x float16, y float32; expected equal ones"):
        (X * Y).infer_type(x="float16", y="float32")
    with pytest.raises(OpTypeError, match="Convert one with cast"):
        sym.broadcast_add(X, Y).infer_type(x="int32", y="float32")


def test_infer_node() -> None:
    node = sym.FullyConnected(X, num_hidden=3)._heads[0].node
    specs = [((2, 4), torch.float64), ((3, 4), torch.float64), ((3,), torch.float64)]
    assert infer_node(node, specs) == [((2, 3), torch.float64)]
    loop = sym.contrib.foreach(lambda x, s: (x * s, s + x), X, Y)[0]._heads[0].node
    assert infer_node(loop, [((5, 2), torch.float32), ((2,), torch.float32)]) == [
        ((5, 2), torch.float32),
        ((2,), torch.float32),
    ]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(MXNetError, match=r"received z; the variables are x, y"):
        (X + Y).infer_shape(z=(2,))


def test_types_of_a_quantized_embedding():
    names = ("indices", "weight", "low", "high")
    net = sym.contrib.quantized_embedding(*(sym.var(name) for name in names), input_dim=3, output_dim=2)
    expected = ([np.float32, np.int8, np.float32, np.float32], [np.int8, np.float32, np.float32], [])
    assert net.infer_type(indices="float32") == expected


@pytest.mark.parametrize("text", ["1" * 5000, "\u00b2", "8", "-2", "float32", ""])
def test_dtype_attributes_are_numbers_of_dtypes(text: str) -> None:
    """Files may have any text there: more digits than Python reads, or digits that are no decimals."""
    x = sym.var("x", attr={"__dtype__": text})
    for use in (x.infer_type, lambda: (x * 2).simple_bind(mx.cpu(), x=(2,))):
        with pytest.raises(OpTypeError, match=r"attribute __dtype__: received '.*; expected the number of a dtype"):
            use()


@pytest.mark.parametrize("text", ["1" * 5000, "\u00b2"])
def test_dtype_attributes_in_modules_and_mixed_precision(text: str) -> None:
    net = sym.var("x", attr={"__dtype__": text}) * sym.var("w", attr={"__dtype__": text})
    module = mx.mod.Module(net, ["x"], None)
    with pytest.raises(OpTypeError, match="expected the number of a dtype"):
        module.bind([("x", (2,))])
    with pytest.raises(OpTypeError, match="expected the number of a dtype"):
        mx.contrib.amp.convert_model(net, {"w": mx.nd.ones(2)}, {})
