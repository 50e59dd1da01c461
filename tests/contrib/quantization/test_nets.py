"""Gluon networks in 8 bits: near what they are made from, however that is done."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.contrib.quantization import quantize_model_mkldnn, quantize_net, quantize_net_v2
from mxnet.gluon import nn


class _Residual(gluon.HybridBlock):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(nn.Conv2D(8, 3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
            self.body.add(nn.Conv2D(8, 3, padding=1), nn.BatchNorm())

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Activation(self.body(x) + x, act_type="relu")


class _Relu6(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.clip(x, 0, 6)


def _plain() -> list[Any]:
    return [nn.Conv2D(8, 3, activation="relu"), nn.MaxPool2D(), nn.Conv2D(8, 3), nn.Activation("tanh"), nn.Dense(5)]


def _residual() -> list[Any]:
    stem = [nn.Conv2D(8, 3, strides=2), nn.BatchNorm(), nn.Activation("relu")]
    return [*stem, _Residual(), _Residual(), nn.GlobalAvgPool2D(), nn.Dense(5)]


def _mobile() -> list[Any]:
    layers = [nn.Conv2D(8, 3, use_bias=False), nn.BatchNorm(), _Relu6()]
    layers += [nn.Conv2D(8, 3, padding=1, groups=8, use_bias=False), nn.BatchNorm(), _Relu6()]
    return [*layers, nn.Conv2D(6, 1, use_bias=False), nn.BatchNorm(), nn.Dropout(0.5), nn.Flatten(), nn.Dense(5)]


NETWORKS = {"plain": _plain, "residual": _residual, "mobile": _mobile}
DATA = nd.array(np.random.RandomState(0).uniform(-1, 1, (16, 3, 12, 12)))


def _network(name: str) -> gluon.HybridBlock:
    """A network with channels of quite different scales."""
    mx.random.seed(1)
    net = nn.HybridSequential(prefix="")
    net.add(*NETWORKS[name]())
    net.initialize(mx.init.Xavier(magnitude=4))
    net(DATA)
    rng = np.random.RandomState(2)
    for key, parameter in net.collect_params().items():
        if key.endswith(("gamma", "running_var")):
            parameter.set_data(nd.array(rng.uniform(0.2, 2, parameter.shape)))
        elif key.endswith(("beta", "running_mean", "bias")):
            parameter.set_data(nd.array(rng.normal(0, 0.3, parameter.shape)))
    return net


def _error(net: Any, made: Any) -> float:
    expected, found = net(DATA).asnumpy(), made(DATA).asnumpy()
    return float(np.abs(found - expected).mean() / np.abs(expected).mean())


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(
    "options",
    [
        {"calib_mode": "naive", "calib_data": [DATA]},
        {"calib_mode": "naive", "calib_data": [DATA], "quantized_dtype": "int8", "quantize_mode": "smart"},
        {"calib_mode": "none", "data_shapes": [mx.io.DataDesc("data", DATA.shape)]},
    ],
    ids=["auto", "smart", "none"],
)
def test_quantized_networks_are_near(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    net = _network(name)
    made = quantize_net_v2(net, **options)
    assert any(np.dtype(parameter.dtype) == np.int8 for parameter in made.collect_params().values())
    assert _error(net, made) < 0.05
    made.hybridize()
    assert _error(net, made) < 0.05
    monkeypatch.setenv("MXNET_USE_FUSION", "0")
    assert _error(net, quantize_net_v2(net, **options)) < 0.06


def test_recorded_calls_are_near_too() -> None:
    net = _network("plain")
    made = quantize_net_v2(net, calib_data=[DATA], calib_mode="naive")
    expected = made(DATA).asnumpy()
    with autograd.record(train_mode=False):
        recorded = made(DATA).asnumpy()
    np.testing.assert_allclose(recorded, expected, atol=0.05 * np.abs(expected).max())


def test_the_network_stays_as_it_is() -> None:
    net = _network("residual")
    before = {key: value.data().asnumpy() for key, value in net.collect_params().items()}
    quantize_net_v2(net, calib_data=[DATA], calib_mode="naive")
    for key, value in net.collect_params().items():
        np.testing.assert_array_equal(value.data().asnumpy(), before[key])


def test_loaders_with_labels_calibrate() -> None:
    net = _network("plain")
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(DATA, nd.zeros((16,))), batch_size=8)
    made = quantize_net_v2(net, calib_data=loader, calib_mode="naive", num_calib_examples=8)
    assert _error(net, made) < 0.05


def test_layers_are_excluded() -> None:
    net = _network("plain")
    options: dict[str, Any] = {"calib_data": [DATA], "calib_mode": "naive"}
    made = quantize_net_v2(net, exclude_operators=["Convolution"], **options)
    assert "_contrib_quantized_conv" not in made._symbol.tojson()
    first = net[0].name
    made = quantize_net_v2(net, exclude_layers_match=[first], **options)
    assert f"{first}_weight" in made.collect_params()
    assert _error(net, made) < 0.05


class _Halves:
    """A collector of one's own: half of the range that occurs, at most 4."""

    def __init__(self) -> None:
        self.include_layer: list[str] | None = None
        self.min_max_dict: dict[str, tuple[float, float]] = {}

    def collect(self, name: str, arr: nd.NDArray) -> None:
        if name in (self.include_layer or ()):
            most = float(arr.abs().max().asscalar())
            self.min_max_dict[name] = (-most, most)


def test_collectors_of_ones_own() -> None:
    net, collector = _network("residual"), _Halves()
    made = quantize_net_v2(net, calib_data=[DATA], calib_mode="customize", LayerOutputCollector=collector)
    assert collector.min_max_dict
    assert set(collector.min_max_dict) <= set(collector.include_layer or ())
    assert _error(net, made) < 0.05


@pytest.mark.parametrize("calib_mode", ["naive", "none"])
def test_models_for_a_cpu_are_near(calib_mode: str) -> None:
    net = _network("residual")
    net.hybridize()
    expected = net(DATA).asnumpy()
    graph = net._traced("test")
    auxs = {name: graph.arrays()[name] for name in graph.symbol.list_auxiliary_states()}
    args = {name: value for name, value in graph.arrays().items() if name not in auxs}
    batches = mx.io.NDArrayIter(DATA, batch_size=16)
    qsym, qargs, qauxs = quantize_model_mkldnn(
        *(graph.symbol, args, auxs),
        label_names=None,
        calib_mode=calib_mode,
        calib_data=batches,
        quantized_dtype="auto",
        quantize_mode="full",
    )
    executor = qsym.bind(mx.cpu(), {**qargs, "data": DATA}, aux_states=qauxs, grad_req="null")
    found = executor.forward(is_train=False)[0].asnumpy()
    assert np.abs(found - expected).mean() / np.abs(expected).mean() < 0.05


def test_the_former_name_warns() -> None:
    net = _network("plain")
    with pytest.warns(UserWarning, match="use quantize_net_v2"):
        made = quantize_net(net, calib_data=[DATA], calib_mode="naive")
    assert _error(net, made) < 0.05


def test_quantized_networks_are_saved_and_read(tmp_path: Path) -> None:
    net = _network("mobile")
    made = quantize_net_v2(net, calib_data=[DATA], calib_mode="naive")
    expected = made(DATA).asnumpy()
    made.export(str(tmp_path / "net"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params"))
    np.testing.assert_allclose(read(DATA).asnumpy(), expected, atol=1e-5)


@pytest.mark.parametrize("shape", [DATA.shape, ("data", DATA.shape), list(DATA.shape)])
def test_shapes_alone_describe_the_data(shape: Any) -> None:
    net = _network(next(iter(NETWORKS)))
    assert _error(net, quantize_net_v2(net, calib_mode="none", data_shapes=[shape])) < 0.05
