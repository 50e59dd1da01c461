"""Whole networks: results, names, other batch sizes."""

import numpy as np
import pytest
import torch

import mxnet as mx
from regluon.convert.torch_export import from_exported_program, verify
from tests.contrib.torch_export.networks import MLP, Inverted, ResNet, Transformer, UNet
from tests.contrib.torch_export.support import check, exported, randn, run, same, used

TOKENS = torch.randint(0, 50, (2, 8), generator=torch.Generator().manual_seed(0))
NETWORKS = {
    "resnet": (ResNet, randn(2, 3, 32, 32)),
    "mobilenet": (lambda: Inverted(8, 3), randn(2, 8, 10, 10)),
    "transformer": (Transformer, TOKENS),
    "unet": (UNet, randn(2, 3, 16, 16)),
    "mlp": (MLP, randn(2, 3, 4)),
}


def made(name: str):
    torch.manual_seed(0)
    network, x = NETWORKS[name]
    return network().eval(), x


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name: str):
    network, x = made(name)
    converted = check(network, x)
    difference = verify(exported(network, x), *converted, seed=3)
    assert difference.relative < 1e-5
    assert difference.absolute < 1e-4
    first, second = run(converted, x)[0]
    assert np.abs(first - second).max() > 1e-3  # the results depend on the data


@pytest.mark.parametrize("name", NETWORKS)
def test_dynamic_batch(name: str):
    network, x = made(name)
    argument = "tokens" if name == "transformer" else "x"
    program = exported(network, x, dynamic={argument: {0: torch.export.Dim("batch")}})
    converted = from_exported_program(program)
    for count in (1, 5):
        more = torch.cat([x] * 3)[:count]
        with torch.no_grad():
            same(run(converted, more), network(more))


@pytest.mark.parametrize("name", ["resnet", "mobilenet", "unet", "mlp"])
def test_exported_with_a_single_example(name: str):
    network, x = made(name)
    converted = from_exported_program(exported(network, x[:1]))
    with torch.no_grad():
        same(run(converted, torch.cat([x, x])), network(torch.cat([x, x])))


def test_dynamic_lengths_and_batch():
    network, x = made("transformer")
    dims = {"tokens": {0: torch.export.Dim("batch"), 1: torch.export.Dim("length", min=2, max=8)}}
    converted = from_exported_program(exported(network, x, dynamic=dims))
    with torch.no_grad():
        same(run(converted, x[:1, :5]), network(x[:1, :5]))


def test_dynamic_size_of_images():
    torch.manual_seed(0)
    network = ResNet().eval()
    dims = {
        "x": {0: torch.export.Dim("batch"), 2: torch.export.Dim("height", min=24), 3: torch.export.Dim("width", min=24)}
    }
    converted = from_exported_program(exported(network, randn(2, 3, 32, 32), dynamic=dims))
    x = randn(3, 3, 40, 48)
    with torch.no_grad():
        same(run(converted, x), network(x))


def test_names_and_states():
    network, x = made("resnet")
    symbol, arguments, states = check(network, x)
    assert symbol.list_arguments()[0] == "x"
    assert {"layer1_0_conv1_weight", "layer2_0_downsample_1_gamma", "bn1_beta", "fc_bias"} <= set(arguments)
    assert {"bn1_moving_mean", "bn1_moving_var", "layer2_0_downsample_1_moving_var"} <= set(states)
    assert len(states) == 2 * sum(isinstance(each, torch.nn.BatchNorm2d) for each in network.modules())
    assert symbol.list_outputs() == ["fc_output"]
    inside = symbol.get_internals().list_outputs()
    assert {"layer1_0_conv1_output", "layer1_0_bn1_output", "avgpool_output"} & set(inside) >= {"layer1_0_conv1_output"}
    np.testing.assert_array_equal(arguments["conv1_weight"].asnumpy(), network.conv1.weight.detach().numpy())
    np.testing.assert_array_equal(states["bn1_moving_var"].asnumpy(), network.bn1.running_var.numpy())


def test_a_converted_network_is_trained_further():
    network, x = made("resnet")
    symbol, arguments, states = from_exported_program(exported(network, x))
    block = mx.gluon.SymbolBlock(symbol, [mx.sym.var("x")])
    for name, value in {**arguments, **states}.items():
        block.collect_params()[name]._load_init(value, mx.cpu())
    trainer = mx.gluon.Trainer(block.collect_params(), "sgd", {"learning_rate": 0.01})
    before = block.collect_params()["bn1_moving_mean"].data().copy()
    with mx.autograd.record():
        loss = block(mx.nd.array(x.numpy())).square().sum()
    loss.backward()
    trainer.step(2)
    assert abs(block.collect_params()["conv1_weight"].grad().asnumpy()).max() > 0
    assert (block.collect_params()["bn1_moving_mean"].data() != before).asnumpy().any()


def test_common_layers_become_common_operators():
    symbol, _, _ = check(*made("resnet"))
    assert set(used(symbol)) == {
        *("Convolution", "BatchNorm", "Activation", "Pooling", "elemwise_add", "Flatten", "FullyConnected")
    }
