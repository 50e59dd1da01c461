"""ONNX files that are damaged: the error names the node, what it has and what was expected."""

import numpy as np
import pytest

import mxnet as mx

onnx = pytest.importorskip("onnx")
helper = pytest.importorskip("onnx.helper")


def saved(tmp_path, nodes, constants=(), outputs=("z",)) -> str:
    values = [helper.make_tensor_value_info(name, 1, (2, 3, 8, 8)) for name in ("x", "y")]
    results = [helper.make_tensor_value_info(name, 1, None) for name in outputs]
    graph = helper.make_graph(nodes, "g", values, results, list(constants))
    path = tmp_path / "net.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    return str(path)


def node(op, *inputs, **attributes):
    return helper.make_node(op, inputs, ["z"], **attributes)


def constant(name, values):
    return onnx.numpy_helper.from_array(np.asarray(values), name)


@pytest.mark.parametrize(
    ("broken", "constants", "text"),
    [
        (node("Cast", "x"), [], r"z \(Cast\): attribute to is missing; expected an integer"),
        (node("Cast", "x", to=[1, 2]), [], r"z \(Cast\): attribute to is \[1, 2\]; expected an integer"),
        (node("LRN", "x"), [], r"z \(LRN\): attribute size is missing; expected an integer"),
        (node("DepthToSpace", "x", blocksize="a"), [], r"attribute blocksize is 'a'; expected an integer"),
        (node("Elu", "x", alpha="a"), [], r"z \(Elu\): attribute alpha is 'a'; expected a number"),
        (node("Pad", "x", mode=1, pads=[0, 0]), [], r"z \(Pad\): attribute mode is 1; expected a text"),
        (node("Transpose", "x", perm=3), [], r"attribute perm is 3; expected a list of integers"),
        (node("Relu"), [], r"z \(Relu\): it has 0 inputs; expected input 0 as well"),
        (node("Add", "x"), [], r"z \(Add\): it has 1 inputs; expected input 1 as well"),
        (node("Where", "x", "y"), [], r"z \(Where\): it has 2 inputs; expected 3"),
        (node("Sum"), [], r"z \(Sum\): it has 0 inputs; expected at least 1"),
        (node("Relu", "w"), [], r"z \(Relu\): it takes 'w', which nothing before it gives"),
        (
            node("Conv", "x", "w"),
            [constant("w", np.ones(3, np.float32))],
            r"z \(Conv\): input 1, its weight, has the shape \(3,\); expected 1 to 3 axes of a kernel",
        ),
        (
            node("Conv", "x", "w", pads=[1, 1]),
            [constant("w", np.ones((4, 3, 3, 3), np.float32))],
            r"z \(Conv\): its pads has 2 numbers, \[1, 1\]; expected 4",
        ),
        (
            node("Slice", "x", "a", "b"),
            [constant("a", [0, 1]), constant("b", [1])],
            r"z \(Slice\): its ends has 1 numbers, \[1\]; expected 2",
        ),
        (
            node("Expand", "x", "s"),
            [constant("s", [1 << 40, 1 << 20])],
            r"z \(Expand\): its shape is \[1099511627776, 1048576\]; expected lengths of at most",
        ),
        (
            node("Clip", "x", "low"),
            [constant("low", np.ones((2, 2), np.float32))],
            r"z \(Clip\): input 1, its minimum, has the shape \(2, 2\); expected a single number",
        ),
        (
            node("Reshape", "x", "s"),
            [constant("s", np.ones(2, np.float32))],
            r"z \(Reshape\): input 1, its shape, is of float32; expected integers",
        ),
        (helper.make_node("Relu", ["x"], []), [], r"a node without a name \(Relu\): it has no output with a name"),
        (helper.make_node("Constant", [], ["z"]), [], r"z \(Constant\): it has 0 attributes; expected its value"),
    ],
)
def test_nodes(broken, constants, text: str, tmp_path):
    with pytest.raises(mx.MXNetError, match=text):
        mx.contrib.onnx.import_model(saved(tmp_path, [broken], constants))


def test_all_damaged_nodes_are_listed(tmp_path):
    nodes = [
        helper.make_node("Cast", ["x"], ["a"]),
        helper.make_node("LRN", ["y"], ["b"]),
        helper.make_node("Add", ["a", "b"], ["z"]),
    ]
    with pytest.raises(mx.MXNetError, match=r"2 of 3 nodes cannot be imported:\n  a \(Cast\).*\n  b \(LRN\)"):
        mx.contrib.onnx.import_model(saved(tmp_path, nodes))


def test_a_constant_that_claims_more_than_it_has(tmp_path):
    claims = constant("w", np.ones(3, np.float32))
    claims.dims[0] = 1 << 62
    path = saved(tmp_path, [node("Add", "x", "w")], [claims])
    with pytest.raises(mx.MXNetError, match=r"the constant 'w' has the shape \(4611686018427387904,\) and takes"):
        mx.contrib.onnx.import_model(path)


def test_a_constant_without_a_type(tmp_path):
    bad = constant("w", np.ones(3, np.float32))
    bad.data_type = 0
    with pytest.raises(mx.MXNetError, match=r"the constant 'w' cannot be read"):
        mx.contrib.onnx.import_model(saved(tmp_path, [node("Add", "x", "w")], [bad]))


def test_names_that_are_no_text(tmp_path):
    path = saved(tmp_path, [node("Relu", "some_name")])
    with open(path, "rb") as stream:
        data = stream.read()
    with open(path, "wb") as stream:
        stream.write(data.replace(b"some_name", b"some_nam\xff"))
    with pytest.raises(mx.MXNetError, match=r"received no valid ONNX file"):
        mx.contrib.onnx.import_model(path)
