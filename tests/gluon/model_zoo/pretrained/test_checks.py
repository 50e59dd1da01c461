"""State dicts that do not fit: everything is said at once, and nothing is loaded."""

import numpy as np
import pytest

from mxnet.gluon.model_zoo import vision
from mxnet.gluon.model_zoo._pretrained.errors import PretrainedError
from regluon.formats.tensors import write_tensors
from tools.counterparts import compare

CASE = "torchvision/squeezenet1.1"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state.safetensors"


def write_names(case, path):
    """A state dict without numbers: what is compared first are names and shapes."""
    names = [name for name, _ in compare.NAMES[case] if "num_batches" not in name]
    write_tensors(path, [np.zeros((0,), "float32") for _ in names], names)


def test_all_differences_at_once(path):
    replaced = {
        "features.0.weight": np.zeros((64, 3, 5, 5), "float32"),
        "features.3.squeeze.bias": None,
        "features.3.squeeze.scale": np.zeros(3, "float32"),
    }
    compare.write_state(CASE, path, replaced)
    with pytest.raises(PretrainedError) as caught:
        vision.squeezenet1_1(pretrained=path)
    first, *problems = str(caught.value).splitlines()
    assert first == f"[squeezenet1.1] pretrained: {path} does not fit the network (3 differences):"
    for problem, text in zip(
        problems,
        [
            "  features.0.weight has the shape (64, 3, 5, 5); expected (64, any, 3, 3), that of features.0.weight",
            "  missing in the file: features.3.squeeze.bias, here features.3.0.0.bias (nearest there: features.",
            "  not in the network: features.3.squeeze.scale (nearest there: features.",
        ],
        strict=True,
    ):
        assert problem.startswith(text)


def test_another_number_of_classes_says_how_to_go_on(path):
    compare.write_state(CASE, path)
    with pytest.raises(PretrainedError) as caught:
        vision.squeezenet1_1(pretrained=path, classes=10)
    text = str(caught.value)
    assert "classifier.1.bias has the shape (1000,); expected (10,), that of output.0.bias" in text
    assert "The weights are for 1000 classes, and the network is for 10. Load all of them" in text
    assert "net.features = trained.features" in text


def test_what_the_error_says_works(path):
    compare.write_state(CASE, path)
    trained = vision.get_model("squeezenet1.1", classes=1000, pretrained=path)
    net = vision.get_model("squeezenet1.1", classes=10)
    net.features = trained.features
    net.output.initialize()
    assert net.features[0].weight.data().shape == (64, 3, 3, 3)


@pytest.mark.parametrize("library", ["torchvision", "timm"])
@pytest.mark.parametrize(
    ("network", "reason"),
    [
        (
            "resnet50_v1",
            r"the stride in the first 1x1 convolution.*resnet18_v1 and resnet34_v1, and GluonCV's resnet50_",
        ),
        ("mobilenetv2_1.0", "no bias in its last layer, and a 1x1 convolution"),
    ],
)
def test_networks_that_differ_are_refused(path, library, network, reason):
    write_names(f"{library}/{network}", path)
    with pytest.raises(PretrainedError, match=f"has the names of a network of torch; .*{reason}.*TorchBlock"):
        vision.get_model(network, pretrained=path)


@pytest.mark.parametrize("network", ["resnet18_v2", "resnet101_v1", "mobilenet1.0", "mobilenetv2_0.5"])
def test_other_networks_refuse_names_of_torch_too(path, network):
    write_names("torchvision/resnet18_v1", path)
    with pytest.raises(PretrainedError, match="has the names of a network of torch"):
        vision.get_model(network, pretrained=path)


def test_weights_of_another_depth(path):
    write_names("torchvision/resnet34_v1", path)
    with pytest.raises(PretrainedError, match=r"has the shape \(0,\); expected \(64, any, 7, 7\)"):
        vision.resnet18_v1(pretrained=path)


def test_changed_layers_have_no_counterpart(path):
    write_names("torchvision/resnet18_v1", path)
    with pytest.raises(PretrainedError, match=r"has layers without a counterpart.*such as features\.1.*thumbnail=True"):
        vision.resnet18_v1(pretrained=path, thumbnail=True)


def test_names_of_gluon_are_known_from_those_of_torchvision(path):
    """AlexNet and VGG share some names with torchvision's: most of them decide."""
    for network in ("alexnet", "vgg11", "vgg11_bn"):
        net = vision.get_model(network)
        names = list(net._collect_params_with_prefix())
        write_tensors(path, [np.zeros((0,), "float32") for _ in names], names)
        with pytest.raises(PretrainedError, match=r"features\.0\.weight has shape .*; the file has"):
            vision.get_model(network, pretrained=path)
