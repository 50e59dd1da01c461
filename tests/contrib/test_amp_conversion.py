"""Networks for prediction in mixed precision, against what a real MXNet makes of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd, sym
from mxnet.contrib import amp
from mxnet.gluon import nn
from tools.oracle.amp_programs import NETWORKS, conversions, converted, graph

RECORDED = json.loads((Path(__file__).resolve().parents[1] / "fixtures" / "amp" / "conversions.json").read_text())


@pytest.mark.parametrize("name", RECORDED)
def test_graphs_get_the_casts_of_mxnet(name: str) -> None:
    assert json.loads(json.dumps(converted(*conversions()[name]))) == RECORDED[name]


def test_a_parameter_that_others_read_too_stays_single() -> None:
    weight = sym.var("weight")
    low = sym.FullyConnected(sym.var("data"), weight=weight, num_hidden=2, no_bias=True, name="fc")
    both = amp.convert_symbol(low + sym.exp(weight), data_names=["data"], cast_optional_params=True)
    assert both.attr_dict()["weight"]["__dtype__"] == "0"
    assert "weight_amp_cast_float16" in [node[1] for node in graph(both)["nodes"]]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"target_dtype": "int8"},
            r"\[convert_symbol\] target_dtype: received 'int8'; expected 'float16' or 'bfloat16'",
        ),
        ({"target_dtype_ops": ["exp"]}, r"fp32_ops and target_dtype_ops both hold exp; expected each operator in one"),
        ({"fp32_ops": ["amp_cast_nowhere"]}, r"fp32_ops: there is no operator 'amp_cast_nowhere'"),
        ({"fp32_ops": ["_npi_add"]}, r"received _npi_add; expected operators of amp.list_lp16_ops"),
        ({"excluded_sym_names": "fc"}, r"excluded_sym_names: received 'fc'; expected a list of names"),
    ],
)
def test_arguments_are_checked(given: dict[str, Any], text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        amp.convert_symbol(NETWORKS["dense"](), **given)


def test_other_things_are_no_networks() -> None:
    with pytest.raises(AssertionError, match=r"\[convert_symbol\] sym: received int; expected a Symbol"):
        amp.convert_symbol(3)
    with pytest.raises(AssertionError, match=r"\[convert_model\] aux_params: received list; expected a dict"):
        amp.convert_model(sym.var("x"), {}, [])
    with pytest.raises(AssertionError, match=r"block: received int; expected a HybridBlock"):
        amp.convert_hybrid_block(3, ctx=mx.cpu())
    with pytest.raises(RuntimeError, match=r"Please first call block.hybridize\(\)"):
        amp.convert_hybrid_block(nn.Dense(1), ctx=mx.cpu())
    with pytest.raises(AssertionError, match=r"received int; expected a BucketingModule"):
        amp.amp.convert_bucketing_module(3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_checkpoints_compute_nearly_the_same(dtype: str) -> None:
    random = np.random.RandomState(0)
    net = NETWORKS["dense"]()
    shapes = net.infer_shape(data=(2, 5))[0]
    given = zip(net.list_arguments(), shapes, strict=True)
    arrays = {name: nd.array(random.uniform(-0.5, 0.5, shape)) for name, shape in given}
    data = arrays.pop("data")
    expected = net.bind(mx.cpu(), {**arrays, "data": data}).forward()[0].asnumpy()
    made, params, states = amp.convert_model(net, arrays, {}, dtype, cast_optional_params=True)
    assert states == {}
    assert str(np.dtype(params["fc1_weight"].dtype) if dtype == "float16" else params["fc1_weight"].dtype) == dtype
    assert params["norm1_gamma"].dtype == np.float32
    out = made.bind(mx.cpu(), {**params, "data": data}).forward()[0]
    assert out.dtype == np.float32
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_blocks_compute_nearly_the_same(dtype: str) -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.PReLU(), nn.Dense(3))
    mx.random.seed(5)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    data = nd.array(np.random.RandomState(1).rand(2, 3, 6, 6))
    expected = net(data).asnumpy()
    made = amp.convert_hybrid_block(net, dtype, ctx=mx.cpu(), cast_optional_params=True)
    out = made(data)
    assert out.dtype == np.float32
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=0.05, atol=0.05)
    assert {str(parameter.dtype) for parameter in made.collect_params().values()} != {str(np.float32)}


def test_buckets_are_converted_alike() -> None:
    def network(length: int) -> Any:
        out = sym.FullyConnected(sym.var("data"), num_hidden=2, flatten=False, name="fc")
        return sym.exp(out.mean(axis=1), name="exp"), ["data"], None

    module = mx.mod.BucketingModule(network, default_bucket_key=4)
    with pytest.raises(AssertionError, match=r"the module has no parameters yet. Call bind and init_params first"):
        amp.amp.convert_bucketing_module(module)
    module.bind([("data", (1, 4, 3))], for_training=False)
    module.init_params(mx.init.One())
    made = amp.amp.convert_bucketing_module(module, "bfloat16")
    made.bind([("data", (1, 4, 3))], for_training=False)
    made.forward(
        mx.io.DataBatch([nd.ones((1, 4, 3))], bucket_key=4, provide_data=[("data", (1, 4, 3))]), is_train=False
    )
    np.testing.assert_allclose(made.get_outputs()[0].asnumpy(), np.exp([[3.0, 3.0]]), rtol=0.02)
