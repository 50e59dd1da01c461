"""Networks that a real MXNet fused and quantized for oneDNN: `tools/oracle/record_fused_graphs.py`."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fused_graphs"
KINDS = ("tensor-wise", "channel-wise")


def graph(kind: str) -> dict:
    return json.loads((FIXTURES / f"{kind}-symbol.json").read_text())


def first_fused(found: dict) -> dict:
    return next(node for node in found["nodes"] if node["op"] == "_sg_mkldnn_conv")


@pytest.mark.parametrize("kind", KINDS)
def test_network_predicts_what_it_did(kind):
    recorded = {key: np.array(value) for key, value in json.loads((FIXTURES / f"{kind}.json").read_text()).items()}
    files = (str(FIXTURES / f"{kind}-symbol.json"), ["data"], str(FIXTURES / f"{kind}-0000.params"))
    net = gluon.SymbolBlock.imports(*files)
    found = net(nd.array(recorded["data"])).asnumpy()
    # As near to MXNet's as MXNet's 8 bits are to single precision: weights are not rounded here.
    error = np.abs(recorded["int8"] - recorded["float32"]).max()
    np.testing.assert_allclose(found, recorded["int8"], atol=1.2 * error)
    net.hybridize()
    np.testing.assert_allclose(net(nd.array(recorded["data"])).asnumpy(), found, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_results_between_layers_have_8_bits_and_their_names(kind):
    internals = mx.sym.load(str(FIXTURES / f"{kind}-symbol.json")).get_internals()
    outputs = [f"quantized_sg_mkldnn_conv_bn_add_act_2_output{number}" for number in range(3)]
    assert set(outputs) <= set(internals.list_outputs())
    assert internals[outputs[0]].infer_type(data="float32")[1] == [np.uint8]
    assert not any("sg_mkldnn" in (node.get("op") or "") for node in json.loads(internals.tojson())["nodes"])


def test_a_network_that_was_not_calibrated_is_refused():
    found = graph(KINDS[0])
    del first_fused(found)["attrs"]["max_calib_range"]
    with pytest.raises(mx.MXNetError, match=r"was quantized without calibration.*Quantize the network again"):
        mx.sym.load_json(json.dumps(found))


def test_inputs_that_do_not_fit_the_body_are_refused():
    found = graph(KINDS[0])
    first_fused(found)["inputs"].pop()
    with pytest.raises(mx.MXNetError, match=r"has 8 inputs, and 7 variables in its body; expected one input for each"):
        mx.sym.load_json(json.dumps(found))


def test_a_body_is_needed():
    found = graph(KINDS[0])
    del first_fused(found)["subgraphs"]
    with pytest.raises(mx.MXNetError, match="has no body with one result"):
        mx.sym.load_json(json.dumps(found))
