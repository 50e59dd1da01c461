"""ONNX files become networks that give what onnxruntime gives."""

import os

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mxnet as mx
from mxnet.contrib.onnx import export_model, get_model_metadata, import_model, import_to_gluon
from mxnet.gluon.model_zoo import vision
from regluon.formats import commits
from tests.contrib.onnx.support import computed, ran, random_params
from tests.contrib.onnx.test_operators import CASES, network

# Cases whose exported file is read back.
ROUND = {
    "Convolution": (0, 1, 2, 3),
    "Deconvolution": (0, 1),
    "FullyConnected": (0, 1, 2),
    "Pooling": (0, 1, 5, 15, 20),
    "BatchNorm": (0, 1, 2),
    "LayerNorm": (0,),
    "InstanceNorm": (0,),
    "LRN": (0,),
    "LeakyReLU": (0, 1, 2, 3, 4),
    "Activation": (0, 1, 2, 3, 4),
    "softmax": (0, 1),
    "Flatten": (0,),
    "Reshape": (0, 1),
    "transpose": (0, 1),
    "expand_dims": (0,),
    "squeeze": (1,),
    "Concat": (0,),
    "SliceChannel": (0,),
    "_split_v2": (0,),
    "tile": (0,),
    "Pad": (0, 1, 2),
    "slice_axis": (0,),
    "sum": (0,),
    "mean": (0,),
    "max": (0,),
    "norm": (0, 1),
    "clip": (0,),
    "take": (0,),
    "argmax": (0,),
    "depth_to_space": (0,),
    "space_to_depth": (0,),
    "UpSampling": (0,),
    "add_n": (0,),
    "batch_dot": (0,),
    "Dropout": (0,),
    "hard_sigmoid": (0,),
    "_plus_scalar": (0,),
    "_power_scalar": (0,),
    "exp": (0,),
    "L2Normalization": (0,),
    "broadcast_maximum": (0,),
    "broadcast_div": (0,),
    "log_softmax": (0,),
    "_rdiv_scalar": (0,),
}
PARAMS = [pytest.param(name, number, id=f"{name}-{number}") for name, numbers in ROUND.items() for number in numbers]


def imported(path, feeds):
    symbol, arguments, states = import_model(path)
    return computed(symbol, {**arguments, **states}, feeds)


@pytest.mark.parametrize(("name", "number"), PARAMS)
def test_there_and_back(name: str, number: int, tmp_path):
    make, *arrays = CASES[name][number]
    symbol, feeds = network(make, tuple(arrays))
    params = random_params(symbol, {key: value.shape for key, value in feeds.items()})
    path = export_model(symbol, params, [value.shape for value in feeds.values()], onnx_file_path=str(tmp_path / "n"))
    for mine, theirs in zip(imported(path, feeds), ran(path, feeds), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


def test_a_network_of_the_zoo_as_a_block(tmp_path):
    mx.random.seed(3)
    net = vision.resnet18_v1(classes=10)
    net.initialize(mx.init.Xavier())
    x = mx.nd.random.uniform(shape=(2, 3, 32, 32))
    expected = net(x).asnumpy()
    params = {name: value.data() for name, value in net.collect_params().items()}
    path = export_model(net(mx.sym.var("data")), params, [(2, 3, 32, 32)], onnx_file_path=str(tmp_path / "net.onnx"))
    block = import_to_gluon(path, mx.cpu())
    np.testing.assert_allclose(block(x).asnumpy(), expected, rtol=1e-3, atol=1e-5)
    metadata = get_model_metadata(path)
    assert metadata["input_tensor_data"] == [("data", (2, 3, 32, 32))]
    assert [shape for _, shape in metadata["output_tensor_data"]] == [(2, 10)]


@pytest.mark.skipif(os.name != "posix", reason="hard links and locks of POSIX")
def test_a_file_whose_save_was_interrupted_is_read_as_promised(tmp_path, monkeypatch):
    path = tmp_path / "net.onnx"

    def save(width):
        net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=width, no_bias=True, name="fc")
        export_model(net, {"fc_weight": mx.nd.ones((width, 2))}, [(1, 2)], onnx_file_path=str(path))

    class Death(BaseException):
        """Stands for the end of the process."""

    def die(move):
        raise Death

    save(3)
    os.link(path, tmp_path / "other name")  # a file with two names is written in place, after a record of it
    with monkeypatch.context() as patch:
        patch.setattr(commits, "_finish", die)
        with pytest.raises(Death):
            save(5)
    assert onnx.load_model(str(path)).graph.initializer[0].dims[0] == 3
    _, parameters, _ = import_model(path)
    assert [value.shape for value in parameters.values()] == [(5, 2)]
    assert get_model_metadata(path)["output_tensor_data"][0][1] == (1, 5)


def test_data_in_a_file_of_its_own(tmp_path):
    weight = np.arange(512, dtype=np.float32).reshape(256, 2)
    nodes = [helper.make_node("Gemm", ["x", "w"], ["y"], transB=1)]
    path = str(tmp_path / "net.onnx")
    onnx.save(
        model(nodes, [("x", (3, 2))], ["y"], [("w", weight)]), path, save_as_external_data=True, location="weights"
    )
    assert "weights" in os.listdir(tmp_path)
    x = np.ones((3, 2), np.float32)
    np.testing.assert_allclose(imported(path, {"x": x})[0], x @ weight.T)


def model(nodes, inputs, outputs, constants=(), opset: int = 17):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in constants],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def saved(tmp_path, *args, **options) -> str:
    path = str(tmp_path / "net.onnx")
    onnx.save(model(*args, **options), path)
    return path


X = np.random.RandomState(2).uniform(-1, 1, (2, 3, 7, 7)).astype(np.float32)


@pytest.mark.parametrize(
    ("nodes", "constants"),
    [
        ([helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1])], []),
        ([helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)], []),
        (
            [helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 0, 2, 1])],
            [("w", np.ones((2, 3, 3, 3), np.float32))],
        ),
        (
            [helper.make_node("Flatten", ["x"], ["f"]), helper.make_node("Gemm", ["f", "w", "b"], ["y"], alpha=0.5)],
            [("w", np.ones((147, 4), np.float32)), ("b", np.ones((4,), np.float32))],
        ),
        (
            [
                helper.make_node("Constant", [], ["c"], value_float=2.0),
                helper.make_node("Mul", ["x", "c"], ["y"]),
            ],
            [],
        ),
        ([helper.make_node("Expand", ["x", "s"], ["y"])], [("s", np.array([1, 3, 7, 7], np.int64))]),
        ([helper.make_node("ReduceMean", ["x"], ["y"], axes=[2, 3], keepdims=0)], []),
        ([helper.make_node("Gather", ["x", "i"], ["y"], axis=1)], [("i", np.array(1, np.int64))]),
        ([helper.make_node("MatMul", ["x", "w"], ["y"])], [("w", np.ones((7, 2), np.float32))]),
        (
            [helper.make_node("Slice", ["x", "a", "b", "c"], ["y"])],
            [("a", np.array([1])), ("b", np.array([2**62])), ("c", np.array([2]))],
        ),
    ],
)
def test_files_of_others(nodes, constants, tmp_path):
    path = saved(tmp_path, nodes, [("x", X.shape)], ["y"], constants)
    for mine, theirs in zip(imported(path, {"x": X}), ran(path, {"x": X}), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


def test_old_softmax(tmp_path):
    path = saved(tmp_path, [helper.make_node("Softmax", ["x"], ["y"])], [("x", X.shape)], ["y"], opset=11)
    np.testing.assert_allclose(imported(path, {"x": X})[0], ran(path, {"x": X})[0], rtol=1e-4, atol=1e-6)


def test_all_that_cannot_be_imported_is_listed(tmp_path):
    nodes = [
        helper.make_node("Det", ["x"], ["a"]),
        helper.make_node("Conv", ["x", "x"], ["b"]),
        helper.make_node("Flatten", ["x"], ["c"], axis=2),
    ]
    path = saved(tmp_path, nodes, [("x", X.shape)], ["a", "b", "c"])
    with pytest.raises(mx.MXNetError) as caught:
        import_model(path)
    for part in ("3 of 3 nodes", "a (Det)", "b (Conv): its weight is computed", "c (Flatten): axis=2"):
        assert part in str(caught.value)


def test_damaged_and_missing_files(tmp_path):
    (tmp_path / "bad.onnx").write_bytes(b"not a model")
    with pytest.raises(mx.MXNetError, match="received no valid ONNX file"):
        import_model(tmp_path / "bad.onnx")
    with pytest.raises(mx.MXNetError, match="nothing in the graph gives y"):
        import_model(saved(tmp_path, [], [("x", X.shape)], ["y"]))
    with pytest.raises(mx.MXNetError, match="it takes 'z', which nothing before it gives"):
        import_model(saved(tmp_path, [helper.make_node("Relu", ["z"], ["y"])], [("x", X.shape)], ["y"]))
    (tmp_path / "empty.onnx").write_bytes(b"")
    with pytest.raises(mx.MXNetError, match="its graph has no outputs"):
        import_model(tmp_path / "empty.onnx")
    with pytest.raises(mx.MXNetError, match="expected an existing ONNX file"):
        get_model_metadata(tmp_path / "none.onnx")


def test_graphs_in_memory():
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy")
    weight = numpy_helper.from_array(np.full((2, 3), 2, np.float32), "w")
    graph = helper.make_graph([helper.make_node("Mul", ["x", "w"], ["y"], name="m")], "g", [x], [y], [weight])
    proto = mx.contrib.onnx.onnx2mx.import_onnx.GraphProto()
    symbol, arguments, states = proto.from_onnx(graph, opset_version=13)
    assert symbol.list_arguments() == ["x", "w"]
    assert arguments["w"].asnumpy().tolist() == [[2, 2, 2]] * 2
    assert (states, proto.opset_version) == ({}, 13)
    shapes = {"input_tensor_data": [("x", (2, 3))], "output_tensor_data": [("y", (2, 3))]}
    assert proto.get_graph_metadata(graph) == proto.model_metadata == shapes
    block = proto.graph_to_gluon(graph, mx.cpu(), 13)
    assert block(mx.nd.ones((2, 3))).asnumpy().tolist() == [[2, 2, 2]] * 2
