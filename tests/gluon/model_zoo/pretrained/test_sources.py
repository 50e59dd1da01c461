"""Files and folders: which one is meant, and what is refused."""

import json
import logging
import os

import pytest
import torch

from mxnet.gluon.model_zoo import vision
from mxnet.gluon.model_zoo._pretrained.errors import MissingWeightsError, PretrainedError
from mxnet.gluon.model_zoo._pretrained.hub import IMAGENET, INCEPTION, TORCHVISION, preprocessing_of
from mxnet.gluon.model_zoo._pretrained.sources import located
from tools.counterparts import compare

CASE, NETWORK = "torchvision/squeezenet1.1", "squeezenet1.1"
CONFIG = {
    "architecture": "squeezenet1_1",
    "pretrained_cfg": {
        "mean": [0.5, 0.5, 0.5],
        "std": [0.5, 0.5, 0.5],
        "input_size": [3, 299, 299],
        "crop_pct": 0.875,
        "interpolation": "bilinear",
        "license": "bsd-3-clause",
    },
}


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def touch(folder, *names):
    for name in names:
        (folder / name).touch()


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["a.params"], "a.params"),
        (["model.safetensors", "pytorch_model.bin", "config.json"], "model.safetensors"),
        (["squeezenet1.1-33ba0f93.params", "squeezenet1.0-264ba497.params"], "squeezenet1.1-33ba0f93.params"),
        (["squeezenet1.1.safetensors", "squeezenet1.1_old.params"], "squeezenet1.1.safetensors"),
    ],
)
def test_the_file_in_a_folder(folder, names, chosen):
    touch(folder, *names)
    assert located(folder, NETWORK, "").path == str(folder / chosen)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], "with no such file; expected one file that ends with .safetensors or .params"),
        (["a.params", "b.params"], "with a.params, b.params; expected one file"),
        (
            ["squeezenet1.1-1.params", "squeezenet1.1-2.params", "c.params"],
            "with squeezenet1.1-1.params, squeezenet1.1-2.",
        ),
    ],
)
def test_folders_without_one_file(folder, names, text):
    touch(folder, *names)
    with pytest.raises(MissingWeightsError) as caught:
        located(str(folder), NETWORK, "")
    assert text in str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("suffix", [".pth", ".pt", ".bin", ".ckpt", ".pkl", ".pth.tar"])
@pytest.mark.parametrize("is_folder", [True, False])
def test_pickled_files_are_refused(folder, suffix, is_folder):
    path = folder / f"weights{suffix}"
    path.touch()
    with pytest.raises(PretrainedError) as caught:
        vision.squeezenet1_1(pretrained=folder if is_folder else path)
    first, *code = str(caught.value).splitlines()
    assert first.startswith(f"[squeezenet1.1] pretrained: received {str(path)!r}; expected .safetensors or .params.")
    assert "reading one can run any code" in first
    assert len(code) == 2
    assert code[1].startswith(f"    save_file(torch.load({str(path)!r}, weights_only=True), ")


def test_the_conversion_that_is_named_works(folder):
    path = folder / "weights.pth"
    state = {name: torch.from_numpy(compare.weights(name, tuple(shape))) for name, shape in compare.NAMES[CASE]}
    torch.save(state, path)
    with pytest.raises(PretrainedError) as caught:
        vision.squeezenet1_1(pretrained=path)
    exec("\n".join(line.strip() for line in str(caught.value).splitlines()[1:]), {})
    net = vision.squeezenet1_1(pretrained=folder / "weights.safetensors")
    assert (net.features[0].weight.data().asnumpy() == state["features.0.weight"].numpy()).all()


@pytest.mark.parametrize("name", ["nowhere", "no/where.params", "a/b/c", "no.safetensors", "~/nowhere.params", "./x/y"])
def test_paths_that_do_not_exist(name):
    with pytest.raises(MissingWeightsError, match=r"which does not exist; expected True, a file .*'torchvision'\."):
        located(name, NETWORK, "")


def test_home_is_expanded(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    touch(folder, "a.params")
    assert located("~/a.params", NETWORK, "").path == os.path.join(str(folder), "a.params")


def test_a_folder_can_have_the_name_of_a_repository(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "timm" / "net").mkdir(parents=True)
    touch(folder / "timm" / "net", "a.params")
    assert located("timm/net", NETWORK, "").path == os.path.join("timm/net", "a.params")


def test_what_a_folder_says_about_images_is_logged(folder, caplog):
    compare.write_state(CASE, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    with caplog.at_level(logging.WARNING):
        vision.squeezenet1_1(pretrained=folder)
    assert (
        "expect images resized to 342 (bilinear), cropped to 299, scaled to 0..1, then normalized with the means "
        in (caplog.text)
    )


@pytest.mark.parametrize("text", ["[]", "{", '{"architecture": 3, "pretrained_cfg": {"mean": 1}}', "{}"])
def test_a_config_that_says_nothing_is_passed_over(folder, text):
    touch(folder, "model.safetensors")
    (folder / "config.json").write_text(text)
    assert located(folder, NETWORK, "").preprocessing is None


@pytest.mark.parametrize(
    ("network", "stated", "text"),
    [
        (
            "resnet18_v1",
            "resnetblur18",
            "holds weights of 'resnetblur18'; expected those of resnet18 or gluon_resnet18_",
        ),
        ("resnet50_v1", "resnet50", "holds weights of 'resnet50'; expected those of resnet50_v1: Gluon's bottlenecks"),
    ],
)
def test_another_network_is_refused(folder, network, stated, text):
    touch(folder, "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"architecture": stated}))
    with pytest.raises(PretrainedError, match=text):
        located(folder, network, "")


def test_our_own_name_is_accepted(folder):
    touch(folder, "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"architecture": "resnet50_v1"}))
    assert located(folder, "resnet50_v1", "").preprocessing is None


@pytest.mark.parametrize(
    ("network", "text"),
    [
        (
            "alexnet",
            r"save_file\(torchvision.models.alexnet\(weights='DEFAULT'\).state_dict\(\), 'alexnet.safetensors'\)",
        ),
        ("squeezenet1.0", r"torchvision.models.squeezenet1_0\("),
        ("resnet50_v1", "the stride in the first 1x1 convolution.*GluonCV's resnet50_v1b.*TorchBlock"),
        ("resnet18_v2", "normalizes the images first"),
        ("mobilenet0.5", "cuts off values below 0 only"),
        ("mobilenetv2_1.0", "no bias in its last layer"),
    ],
)
def test_networks_without_a_known_repository(network, text):
    with pytest.raises(PretrainedError, match=text):
        vision.get_model(network, pretrained="torchvision")


def test_known_repositories():
    assert all(each.repository.endswith(".tv_in1k") for each in TORCHVISION.values())
    assert TORCHVISION["vgg16_bn"].repository == "timm/vgg16_bn.tv_in1k"
    assert {each.licence for each in TORCHVISION.values()} == {"BSD-3-Clause", "Apache-2.0"}
    assert preprocessing_of(CONFIG) == INCEPTION == TORCHVISION["inceptionv3"].preprocessing
    assert IMAGENET.is_usual
    assert not INCEPTION.is_usual
