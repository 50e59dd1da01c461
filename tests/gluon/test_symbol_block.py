"""Blocks made from graphs, as parts of other blocks."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd, sym


def _graph(name: str, outputs: int = 1) -> gluon.SymbolBlock:
    data = sym.var("data")
    first = sym.FullyConnected(data, num_hidden=4, name=f"{name}_first")
    heads = [first, sym.BatchNorm(sym.relu(first), name=f"{name}_norm")][-outputs:]
    return gluon.SymbolBlock(heads, data)


class Between(gluon.HybridBlock):
    """A graph between two layers; no shape of a parameter is known before the first call."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.before, self.graph, self.after = gluon.nn.Dense(3), _graph("inner", outputs), gluon.nn.Dense(2)

    def hybrid_forward(self, F, x):
        found = self.graph(self.before(x))
        return self.after(F.concat(*found, dim=1) if isinstance(found, (list, tuple)) else found)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.filterwarnings("error")
def test_shapes_are_found_through_a_graph_inside_a_compiled_block(outputs: int, tmp_path):
    net = Between(outputs)
    net.initialize()
    net.hybridize()
    x = nd.array(np.arange(10).reshape(2, 5) / 10)
    expected = net(x).asnumpy()
    assert net.graph.collect_params()["inner_first_weight"].shape == (4, 3)
    assert net.after.weight.shape == (2, 4 * outputs)
    net.export(str(tmp_path / "net"))
    loaded = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), "data", str(tmp_path / "net-0000.params"))
    np.testing.assert_allclose(loaded(x).asnumpy(), expected, rtol=1e-5)
    net.hybridize(False)
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5)


@pytest.mark.filterwarnings("error")
def test_a_graph_with_weights_stands_before_layers_that_have_none_yet():
    net = gluon.nn.HybridSequential()
    features = _graph("known")
    features.initialize()
    features(nd.ones((1, 3)))
    net.add(features, gluon.nn.Dense(2))
    net[1].initialize()
    net.hybridize()
    assert net(nd.ones((2, 3))).shape == (2, 2)
    assert net[1].weight.shape == (2, 4)


@pytest.mark.filterwarnings("error")
def test_dtypes_pass_through_a_graph_without_data():
    net = Between(1)
    net.cast("float64")
    net.initialize()
    net.hybridize()
    assert net(nd.ones((2, 5), dtype="float64")).dtype == np.float64


def test_data_that_do_not_fit_the_graph_are_named():
    net = Between(1)
    net.graph.initialize()
    net.graph(nd.ones((2, 7)))
    net.before.initialize()
    net.after.initialize()
    net.hybridize()
    with pytest.raises(mx.MXNetError, match=r"inner_first"):
        net(nd.ones((2, 5)))


def test_batch_normalization_stays_in_single_precision_beside_half(tmp_path):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.BatchNorm(), gluon.nn.Dense(2))
    net.initialize()
    net.hybridize()
    net(nd.ones((2, 3)))
    net.export(tmp_path / "net")
    block = gluon.SymbolBlock.imports(tmp_path / "net-symbol.json", ["data"], tmp_path / "net-0000.params")
    block.cast("float16")
    # What MXNet 1.9.1 makes of it.
    assert {name: np.dtype(parameter.dtype).name for name, parameter in block.collect_params().items()} == {
        "net_batchnorm0_gamma": "float32",
        "net_batchnorm0_beta": "float32",
        "net_batchnorm0_running_mean": "float32",
        "net_batchnorm0_running_var": "float32",
        "net_dense0_weight": "float16",
        "net_dense0_bias": "float16",
    }
    assert block(nd.ones((2, 3), dtype="float16")).dtype == np.float16
