"""Whole networks to ONNX, and what is refused."""

import sys

import numpy as np
import onnx
import pytest

import mxnet as mx
import mxnet.onnx
from mxnet.contrib.onnx import export_model
from mxnet.gluon import nn, rnn
from mxnet.gluon.model_zoo import vision
from tests.contrib.onnx.support import ran


def small_net():
    data = mx.sym.var("data")
    net = mx.sym.FullyConnected(data, num_hidden=3, name="fc")
    params = {"fc_weight": mx.nd.ones((3, 4)), "fc_bias": mx.nd.ones((3,))}
    return mx.sym.SoftmaxOutput(net, name="softmax"), params


def exported(net, x: np.ndarray, path, **options) -> list[np.ndarray]:
    symbol = net(mx.sym.var("data"))
    params = {name: value.data() for name, value in net.collect_params().items()}
    export_model(symbol, params, [x.shape], [x.dtype], str(path), **options)
    return ran(path, {"data": x})


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("resnet18_v1", 32),
        ("resnet18_v2", 32),
        ("mobilenet0_25", 32),
        ("mobilenet_v2_0_25", 32),
        ("squeezenet1_1", 224),
    ],
)
def test_networks_of_the_zoo(name: str, size: int, tmp_path):
    mx.random.seed(3)
    net = getattr(vision, name)(classes=10)
    net.initialize(mx.init.Xavier(magnitude=2.5))
    x = np.random.RandomState(0).uniform(-1, 1, (2, 3, size, size)).astype(np.float32)
    expected = net(mx.nd.array(x)).asnumpy()
    (found,) = exported(net, x, tmp_path / "net.onnx", dynamic=True, dynamic_input_shapes=[(None, 3, size, size)])
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5)
    one = ran(tmp_path / "net.onnx", {"data": x[:1]})[0]
    np.testing.assert_allclose(one, expected[:1], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", ["vgg", "densenet"])
def test_small_relatives_of_the_zoo(name: str, tmp_path):
    mx.random.seed(3)
    if name == "vgg":
        net = vision.VGG([1, 1], [4, 8], classes=5, batch_norm=True)
    else:
        net = vision.DenseNet(8, 4, [2, 2], classes=5).features[:-2]
    net.initialize(mx.init.Xavier())
    x = np.random.RandomState(0).uniform(-1, 1, (2, 3, 32, 32)).astype(np.float32)
    expected = net(mx.nd.array(x)).asnumpy()
    (found,) = exported(net, x, tmp_path / "net.onnx")
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("layer", [rnn.LSTM, rnn.GRU, rnn.RNN])
@pytest.mark.parametrize("both", [False, True])
def test_recurrent_layers(layer, both: bool, tmp_path):
    net = layer(4, num_layers=2, bidirectional=both, layout="NTC")
    net.initialize(mx.init.Uniform(0.5))
    x = np.random.RandomState(0).uniform(-1, 1, (2, 5, 3)).astype(np.float32)
    expected = net(mx.nd.array(x)).asnumpy()
    (found,) = exported(net, x, tmp_path / "net.onnx", dynamic=True, dynamic_input_shapes=[(None, None, 3)])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_text_classifier(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Embedding(20, 6), nn.LayerNorm(), nn.Dense(4, flatten=False), nn.GELU(), nn.Flatten(), nn.Dense(2))
    net.initialize(mx.init.Uniform(0.5))
    x = np.array([[1, 5, 19], [0, 2, 3]], np.int32)
    expected = net(mx.nd.array(x, dtype="int32")).asnumpy()
    (found,) = exported(net, x, tmp_path / "net.onnx")
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_names_and_shapes_in_the_file(tmp_path):
    symbol, params = small_net()
    path = export_model(symbol, params, [(2, 4)], np.float32, str(tmp_path / "net.onnx"), run_shape_inference=True)
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert [value.name for value in model.graph.input] == ["data"]
    assert [value.name for value in model.graph.output] == ["softmax"]
    assert {value.name for value in model.graph.initializer} == {"fc_weight", "fc_bias"}
    assert [(entry.domain, entry.version) for entry in model.opset_import] == [("", 17)]


def test_a_varying_batch_has_a_name(tmp_path):
    symbol, params = small_net()
    path = export_model(
        symbol,
        params,
        [(2, 4)],
        onnx_file_path=str(tmp_path / "n.onnx"),
        dynamic=True,
        dynamic_input_shapes=[(None, 4)],
    )
    dims = onnx.load(path).graph.input[0].type.tensor_type.shape.dim
    assert (dims[0].dim_param, dims[1].dim_value) == ("batch", 4)


def test_files_marks_and_older_argument_names(tmp_path):
    symbol, params = small_net()
    symbol.save(str(tmp_path / "net-symbol.json"))
    mx.nd.save(str(tmp_path / "net.params"), {f"arg:{name}": value for name, value in params.items()})
    files = (str(tmp_path / "net-symbol.json"), str(tmp_path / "net.params"))
    x = np.ones((2, 4), np.float32)
    results = []
    for given in (files, (symbol, [params, {}])):
        path = export_model(
            *given, input_shape=[(2, 4)], input_type=np.float32, onnx_file_path=str(tmp_path / "a.onnx"), verbose=True
        )
        results.append(ran(path, {"data": x})[0])
    np.testing.assert_array_equal(*results)


def test_heads_that_are_inputs_constants_or_given_twice(tmp_path):
    data, weight = mx.sym.var("data"), mx.sym.var("weight")
    twice = mx.sym.relu(data, name="relu")
    symbol = mx.sym.Group([twice, twice * 1, data * weight])
    path = export_model(symbol, {"weight": mx.nd.array([2.0])}, [(1,)], onnx_file_path=str(tmp_path / "a.onnx"))
    found = ran(path, {"data": np.array([3.0], np.float32)})
    assert [value.tolist() for value in found] == [[3], [3], [6]]


def test_all_that_cannot_be_written_is_listed_at_once(tmp_path):
    data = mx.sym.var("data")
    net = mx.sym.Group(
        [mx.sym.gamma(data, name="one"), mx.sym.erfinv(data, name="two"), mx.sym.topk(data, axis=None, name="three")]
    )
    with pytest.raises(mx.MXNetError) as caught:
        export_model(net, {}, [(2, 3)], onnx_file_path=str(tmp_path / "no.onnx"))
    text = str(caught.value)
    assert isinstance(caught.value, NotImplementedError)
    for part in ("3 of 4 nodes", "one (gamma)", "two (erfinv)", "three (topk): axis=None"):
        assert part in text
    assert not (tmp_path / "no.onnx").exists()


def test_varying_sizes_that_a_node_needs_are_named(tmp_path):
    net = mx.sym.Pooling(mx.sym.var("data"), kernel=(3, 3), pooling_convention="full", name="pool")
    with pytest.raises(mx.MXNetError, match=r"pool \(Pooling\): pooling_convention='full' needs data of a fixed size"):
        export_model(net, {}, [(1, 3, 8, 8)], onnx_file_path=str(tmp_path / "no.onnx"), dynamic=True)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"in_shapes": [(1, 4), (1, 4)]}, "received 2 shapes; expected one for each of the 1 inputs: data"),
        ({"in_shapes": None}, r"in_shapes: received None; expected a list, as in \[\(1, 3, 224, 224\)\]"),
        ({"in_types": [np.float32] * 2}, "received 2 dtypes; expected 1"),
        ({"sym": 3}, "either be files or objects: received int as sym"),
        ({"params": 3}, "either be files or objects: received int as params"),
        ({"dynamic_input_shapes": [(None, 4)]}, "dynamic_input_shapes needs dynamic=True"),
        ({"dynamic": True, "dynamic_input_shapes": [(None, 4, 4)]}, "expected as many shapes, with as many lengths"),
    ],
)
def test_refused(change: dict, text: str, tmp_path):
    symbol, params = small_net()
    given = {"sym": symbol, "params": params, "in_shapes": [(2, 4)], "onnx_file_path": str(tmp_path / "n.onnx")}
    with pytest.raises(ValueError, match=text):
        export_model(**{**given, **change})


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"Onnx and protobuf need to be installed.*pip install 'regluon\[onnx\]'"):
        export_model(*small_net(), [(2, 4)])


def test_both_places():
    assert mx.contrib.onnx.export_model is mxnet.onnx.export_model


def test_outputs_with_the_names_of_inputs(tmp_path):
    """Names are unique in ONNX: an input that is an output too, twice, and a node that has the name of an input."""
    data, state = mx.sym.var("data"), mx.sym.var("state")
    symbol = mx.sym.Group([mx.sym.elemwise_add(data, state, name="state"), data, data])
    shapes, path = [(2, 3), (2, 3)], str(tmp_path / "net.onnx")
    export_model(symbol, {}, shapes, np.float32, path)
    x = np.arange(6, dtype="float32").reshape(2, 3)
    for found, expected in zip(ran(path, {"data": x, "state": x}), (2 * x, x, x), strict=True):
        np.testing.assert_array_equal(found, expected)
