"""What quantization refuses, and the parts around it: collectors, thresholds, data, files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd, sym
from mxnet.base import MXNetError
from mxnet.contrib import quantization
from mxnet.gluon import nn


def _network() -> Any:
    return sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")


PARAMS = {"fc_weight": nd.ones((2, 3)), "fc_bias": nd.ones((2,))}


def _batches() -> mx.io.NDArrayIter:
    return mx.io.NDArrayIter(np.ones((4, 3), np.float32), batch_size=2)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"excluded_sym_names": "fc"},
            r"\[quantize_model\] excluded_sym_names: received 'fc'; expected a list of names",
        ),
        ({"excluded_op_names": ("fc",)}, r"excluded_op_names: received \('fc',\); expected a list of names"),
        ({"quantized_dtype": "int4"}, r"quantized_dtype: received 'int4'; expected 'int8', 'uint8' or 'auto'"),
        ({"quantize_mode": "quick"}, r"quantize_mode: received 'quick'; expected 'full' or 'smart'"),
        ({"quantize_granularity": "row"}, r"quantize_granularity: received 'row'; expected 'tensor-wise' or 'channel-"),
        ({"calib_mode": "best"}, r"calib_mode: received 'best'; expected 'none', 'naive' or 'entropy'"),
        ({"calib_data": None}, r"calib_data: received nothing; calib_mode='naive' needs a DataIter"),
        ({"calib_data": [1]}, r"calib_data: received list; calib_mode='naive' needs a DataIter"),
        ({"ctx": [mx.cpu()]}, r"ctx: received \[cpu\(0\)\]; expected one context"),
    ],
)
def test_arguments_of_models_are_checked(given: dict[str, Any], text: str) -> None:
    options = {"calib_mode": "naive", "calib_data": _batches(), "label_names": None, **given}
    with pytest.raises(ValueError, match=text) as caught:
        quantization.quantize_model(_network(), PARAMS, {}, **options)
    assert isinstance(caught.value, MXNetError)


def test_other_functions_check_theirs() -> None:
    with pytest.raises(ValueError, match=r"\[quantize_model_mkldnn\] ctx: received gpu\(0\); expected mx.cpu\(\)"):
        quantization.quantize_model_mkldnn(_network(), PARAMS, {}, ctx=mx.gpu(0))
    with pytest.raises(
        ValueError, match=r"LayerOutputCollector: received None; calib_mode='customize' needs an object"
    ):
        quantization.quantize_graph(_network(), PARAMS, {}, calib_mode="customize")
    with pytest.raises(ValueError, match=r"\[calib_graph\] calib_mode: received 'none'; expected 'naive' or 'entropy'"):
        quantization.calib_graph(_network(), PARAMS, {}, None, calib_mode="none")
    with pytest.raises(ValueError, match=r"sym: received int; expected a Symbol or a path"):
        quantization.quantize_model(3, PARAMS, {})
    with pytest.raises(ValueError, match=r"params: received int; expected a path or a pair of dictionaries"):
        quantization._load_params(3)
    with pytest.raises(ValueError, match=r"data: received list; expected a DataIter"):
        quantization._collect_layer_statistics(None, [], None)
    with pytest.raises(ValueError, match=r"hist_dict: received list; expected a dict"):
        quantization._get_optimal_thresholds([], "int8")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"network": 3}, r"\[quantize_net\] network: received int; expected a HybridBlock"),
        ({}, r"data_shapes: received none; expected calib_data, or data_shapes"),
        ({"calib_mode": "naive"}, r"calib_data: received None; calib_mode='naive' needs data"),
        ({"calib_mode": "best"}, r"calib_mode: received 'best'; expected 'none', 'naive', 'entropy' or 'customize'"),
        ({"exclude_layers": "fc", "data_shapes": [mx.io.DataDesc("data", (2, 3))]}, r"exclude_layers: received 'fc'"),
        (
            {"data_shapes": ["data"]},
            r"data_shapes: received 'data' in the list; expected mx.io.DataDesc\('data', shape\)",
        ),
        ({"calib_data": []}, r"calib_data: received no batch; expected at least one"),
    ],
)
def test_arguments_of_networks_are_checked(given: dict[str, Any], text: str) -> None:
    net = nn.Dense(2)
    net.initialize()
    with pytest.raises(ValueError, match=text):
        quantization.quantize_net_v2(**{"network": net, **given})


def test_data_must_be_iterable() -> None:
    with pytest.raises(TypeError, match=r"calib_data: received int; expected a DataIter, a DataLoader or another"):
        quantization._as_data_iter(3)


def test_loaders_become_iterators() -> None:
    data = gluon.data.ArrayDataset(nd.ones((6, 2, 3)), nd.zeros((6,)))
    batches, shapes = quantization._as_data_iter(gluon.data.DataLoader(data, batch_size=2))
    assert [(each.name, each.shape) for each in shapes] == [("data", (2, 2, 3)), ("data0", (2,))]
    assert sum(batch.data[0].shape[0] for batch in batches) == 6
    _, shapes = quantization._as_data_iter([[nd.ones((2, 1)), nd.ones((2, 2)), nd.ones((2,))]])
    assert [each.name for each in shapes] == ["data0", "data1", "data2"]
    _, shapes = quantization._as_data_iter([nd.ones((2, 3, 4, 5, 5))])
    assert shapes[0].shape == (6, 4, 5, 5)


def test_collectors_look_at_the_chosen_results() -> None:
    ranges = quantization._LayerOutputMinMaxCollector("int8", ["fc_output"])
    counts = quantization._LayerHistogramCollector(num_bins=5, include_layer=["fc_output"])
    for collector in (ranges, counts):
        for values in ([1.0, -2.0], [0.5, 3.0]):
            collector.collect("fc_output", nd.array(values))
            collector.collect("other", nd.array([100.0]))
    assert ranges.min_max_dict == {"fc_output": (-2.0, 3.0)}
    assert list(counts.hist_dict) == ["fc_output"]
    assert counts.hist_dict["fc_output"].counts.sum() == 4


def test_thresholds_of_numbers_without_sign_have_more_levels() -> None:
    numbers = np.abs(np.random.RandomState(0).normal(size=2000)).astype(np.float32)
    counts, edges = np.histogram(numbers, bins=801, range=(-numbers.max(), numbers.max()))
    histogram = (counts, edges, numbers.min(), numbers.max(), numbers.max())
    signed = quantization._get_optimal_thresholds({"x": histogram}, "int8")["x"]
    unsigned = quantization._get_optimal_thresholds({"x": histogram}, "auto")["x"]
    assert signed[0] == -signed[1]
    assert unsigned[0] == 0
    assert unsigned[1] > 0
    assert quantization._get_optimal_threshold(histogram, "int8")[2] == signed[1]


def test_distributions_are_smoothed() -> None:
    smooth = quantization._smooth_distribution(np.array([0, 2, 0, 2.0]), eps=0.5)
    np.testing.assert_allclose(smooth, [0.5, 1.5, 0.5, 1.5])
    with pytest.raises(ValueError, match="the histogram has no numbers in it"):
        quantization._smooth_distribution(np.zeros(3))
    with pytest.raises(ValueError, match=r"3 of 4 bins are empty, too many for eps=0\.5"):
        quantization._smooth_distribution(np.array([0, 0, 0, 1.0]), eps=0.5)


def test_files_are_read(tmp_path: Path) -> None:
    path, stored = tmp_path / "net.json", tmp_path / "net.params"
    _network().save(str(path))
    nd.save(str(stored), {"arg:fc_weight": PARAMS["fc_weight"], "aux:mean": nd.ones(1)})
    assert quantization._load_sym(str(path)).list_arguments() == ["data", "fc_weight", "fc_bias"]
    args, auxs = quantization._load_params(str(stored))
    assert (list(args), list(auxs)) == (["fc_weight"], ["mean"])
    assert quantization._load_params((PARAMS, {})) == (PARAMS, {})


def test_labels_that_the_network_does_not_take() -> None:
    sym = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    data = mx.io.NDArrayIter(mx.nd.ones((4, 3)), mx.nd.zeros(4), 2)
    args = {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros(2)}
    made, _, _ = mx.contrib.quantization.quantize_model(
        sym, args, {}, calib_mode="naive", calib_data=data, num_calib_examples=4, label_names=None
    )
    assert "softmax_label" not in made.list_arguments()
