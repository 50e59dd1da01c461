"""Quantized graphs, parameters and predictions, against what a real MXNet makes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd, sym
from mxnet.contrib import quantization
from tools.oracle.quantization_programs import calls, graph, histograms, predictions, quantized, runs

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "quantization"
RECORDED = json.loads((FIXTURES / "graphs.json").read_text())
RANGES = ("min_calib_range", "max_calib_range")


def _without_ranges(found: dict[str, Any]) -> tuple[Any, list[float]]:
    """A graph without the ranges in it, and these."""
    nodes, ranges = [], []
    for op, name, attrs, inputs in found["nodes"]:
        ranges += [float(attrs[each]) for each in RANGES if each in attrs]
        nodes.append([op, name, {key: text for key, text in attrs.items() if key not in RANGES}, inputs])
    return [nodes, found["heads"]], ranges


@pytest.mark.parametrize("name", RECORDED)
def test_graphs_parameters_and_thresholds_are_those_of_mxnet(name: str) -> None:
    network, options = calls()[name]
    found, expected = json.loads(json.dumps(quantized(network, **options))), RECORDED[name]
    nodes, ranges = _without_ranges(found["graph"])
    expected_nodes, expected_ranges = _without_ranges(expected["graph"])
    assert nodes == expected_nodes
    # Sums of products differ in their last digits.
    np.testing.assert_allclose(ranges, expected_ranges, rtol=1e-5, atol=2e-6)
    assert found["params"] == expected["params"]
    assert found["states"] == expected["states"]


@pytest.mark.parametrize("name", runs())
def test_predictions_are_those_of_mxnet(name: str) -> None:
    expected = json.loads((FIXTURES / "predictions.json").read_text())[name]
    np.testing.assert_allclose(predictions(name, **runs()[name]), expected, atol=0.01)


def test_histograms_grow_as_in_mxnet() -> None:
    assert json.loads(json.dumps(histograms())) == json.loads((FIXTURES / "histograms.json").read_text())


def _operators(symbol: Any) -> list[str]:
    return [each[0] for each in graph(symbol)["nodes"] if each[0] != "null"]


def test_a_recurrent_layer_is_quantized_asymmetrically() -> None:
    inputs = [sym.var(each) for each in ("data", "weights", "state", "cell")]
    net = sym.RNN(*inputs, mode="lstm", state_size=3, num_layers=1, name="rnn")
    made, names = quantization._quantize_symbol(net, mx.cpu(), quantize_mode="full")
    assert _operators(made) == ["_contrib_quantize_asym", "_contrib_quantized_rnn"]
    assert names == ["data"]


def test_what_has_no_form_in_8_bits_stays() -> None:
    data = sym.var("data")
    gru = sym.RNN(data, sym.var("weights"), sym.var("state"), mode="gru", state_size=3, num_layers=1)
    assert _operators(quantization._quantize_symbol(gru, mx.cpu(), quantize_mode="full")[0]) == ["RNN"]
    pooled = sym.Pooling(data, kernel=(2, 2), pool_type="sum")
    assert _operators(quantization._quantize_symbol(pooled, mx.cpu(), quantize_mode="full")[0]) == ["Pooling"]


def test_an_output_that_others_read_is_dequantized_once() -> None:
    fc = sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True, name="fc")
    made, _ = quantization._quantize_symbol(sym.Group([sym.exp(fc), fc]), mx.cpu(), offline_params=["fc_weight"])
    assert _operators(made).count("_contrib_dequantize") == 1


def test_parameters_outside_of_layers_are_quantized_too() -> None:
    total = sym.elemwise_add(sym.var("data"), sym.var("table"), name="total")
    made, _ = quantization._quantize_symbol(total, mx.cpu(), offline_params=["table"], quantize_mode="full")
    params = quantization._quantize_params(made, {"table": nd.array([1.0, -2.0])}, {})
    assert sorted(params) == ["table_quantize", "table_quantize_max", "table_quantize_min"]
    np.testing.assert_array_equal(params["table_quantize"].asnumpy(), [64, -127])


def test_ranges_become_parameters_of_variables_named_after_results() -> None:
    made = sym.Group([sym.var("conv_output_min"), sym.var("conv_output_max"), sym.var("other_min")])
    params = quantization._quantize_params(made, {}, {"conv_output": (-1, 2)})
    assert {name: value.asscalar() for name, value in params.items()} == {"conv_output_min": -1, "conv_output_max": 2}
