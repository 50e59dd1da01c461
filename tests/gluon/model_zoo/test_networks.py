"""The networks are those of a real MXNet: names, shapes, printed forms, results. See tools/oracle/record_zoo.py."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon.model_zoo import vision
from tools.oracle import zoo_networks as zoo

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "zoo"
NETWORKS = json.loads((FIXTURES / "networks.json").read_text(encoding="utf-8"))
PARAMETERS = json.loads(gzip.decompress((FIXTURES / "parameters.json.gz").read_bytes()))
SURFACE = json.loads((FIXTURES / "surface.json").read_text(encoding="utf-8"))

# The results with 1000 classes are compared for one network of each family: only the last layer is another one.
COMPUTED = [
    name
    for name in NETWORKS
    if not name.endswith("/1000")
    or name.split("/")[0]
    in {"alexnet", "mobilenet0.25", "mobilenetv2_0.25", "resnet18_v1", "squeezenet1.1", "vgg11_bn"}
]


def close(ours, real, tolerance):
    """Whether results differ by less than a part of the largest of them: sums of thousands of rounded numbers."""
    np.testing.assert_allclose(ours, real, rtol=tolerance, atol=tolerance * np.abs(real[:-1]).max())


def test_names_and_signatures():
    assert zoo.surface() == SURFACE


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.sample(one_in=4)
def test_printed_forms_names_of_blocks_and_graphs(name):
    case = NETWORKS[name]
    assert zoo.described(zoo.make(case["program"])) == {key: case[key] for key in ("name", "repr", "blocks", "graph")}


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.sample(one_in=4)
def test_parameters(name):
    program, side = zoo.PROGRAMS.get(name) or (zoo.model(name, 1000), max(zoo.MODELS[name], 224))
    assert zoo.parameters(zoo.make(program), side) == PARAMETERS[name]


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.sample(one_in=8)
def test_results(name):
    case = NETWORKS[name]
    close(zoo.output(zoo.make(case["program"]), case["side"]), case["output"], 1e-4)


@pytest.mark.parametrize("name", zoo.TRAINED)
def test_a_training_step(name):
    program, side = zoo.PROGRAMS[name]
    ours, real = zoo.trained(zoo.make(program), side), NETWORKS[name]["trained"]
    assert list(ours) == list(real)
    # Gradients through batches of few pixels pass on rounding errors magnified.
    for key, size in real.items():
        assert ours[key] == pytest.approx(size, rel=5e-3, abs=1e-3), key


def test_the_catalogue_is_complete():
    assert set(zoo.MODELS) == set(vision._catalogue._MODELS) == set(mx.gluon.model_zoo.model_store._model_sha1)


def test_names_are_read_in_any_letters():
    assert repr(vision.get_model("MobileNetV2_0.25")) == repr(vision.mobilenet_v2_0_25())


def test_constructors_say_what_they_are():
    assert vision.resnet18_v1.__name__ == "resnet18_v1"
    assert vision.resnet18_v1.__module__ == "mxnet.gluon.model_zoo.vision.resnet"
    assert vision.vgg11_bn.__doc__.startswith("VGG with 11 layers and batch normalization.")
    assert isinstance(vision.squeezenet1_0(), vision.SqueezeNet)


def test_settings_of_a_variant_are_fixed():
    assert any("batchnorm" in name for name in vision.vgg11_bn(batch_norm=False).collect_params())


def test_results_are_the_same_hybridized():
    net = zoo.make("vision.mobilenet_v2_0_25(classes=4)")
    data = zoo.images(32)
    zoo.fill(net, data)
    before = net(data).asnumpy()
    net.hybridize()
    np.testing.assert_allclose(net(data).asnumpy(), before, rtol=1e-4, atol=1e-5)


def test_layers_of_blocks_can_be_replaced():
    block = vision.BasicBlockV2(4, 1, in_channels=4)
    block.bn1 = mx.gluon.nn.BatchNorm(epsilon=1.0)
    block.initialize()
    data = mx.nd.ones((1, 4, 3, 3))
    block(data)
    assert block.bn1.gamma.shape == (4,)
    assert len(block.collect_params()) == 10


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: vision.get_model("resnet18_v3"), ValueError, r"received 'resnet18_v3'.*Near it: resnet18_v"),
        (lambda: vision.get_model("?"), ValueError, r"received '\?'; expected the name of a network. All names:\n\ta"),
        (lambda: vision.get_model(None), TypeError, "name: received a NoneType; expected the name"),
        (lambda: vision.get_resnet(3, 18), AssertionError, r"\[get_resnet\] version: received 3; expected one of 1, 2"),
        (lambda: vision.get_resnet(1, 19), AssertionError, "num_layers: received 19; expected one of 18, 34, 50, 101"),
        (lambda: vision.get_vgg(12), ValueError, r"\[get_vgg\] num_layers: received 12; expected one of 11, 13, 16, 1"),
        (lambda: vision.densenet.get_densenet(1), ValueError, r"\[get_densenet\] num_layers: received 1; expected one"),
        (lambda: vision.SqueezeNet("1.2"), AssertionError, r"\[SqueezeNet\] version: received '1.2'; .* '1.0', '1.1'"),
        (
            lambda: vision.ResNetV1(vision.BasicBlockV1, [1], [3]),
            AssertionError,
            r"\[ResNetV1\] received channels \[3\] for layers \[1\]; expected 2 numbers of channels",
        ),
        (
            lambda: vision.VGG([1], [3, 4]),
            AssertionError,
            r"\[VGG\] received 1 layers \[1\] and 2 filters \[3, 4\]; expected as many of both",
        ),
        (lambda: vision.alexnet(colour=1), TypeError, "colour"),
    ],
)
def test_refusals(make, error, text):
    with pytest.raises(error, match=text):
        make()
