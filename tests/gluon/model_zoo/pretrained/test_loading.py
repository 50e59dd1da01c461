"""Weights of torchvision and timm give our networks their results. See tools/counterparts/record.py."""

import logging

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon.model_zoo import vision
from mxnet.gluon.model_zoo._pretrained.errors import PretrainedError
from regluon.formats.tensors import write_tensors
from tools.counterparts import compare
from tools.counterparts.numbers import weights

# Those of timm have the names and the results of torchvision's, but for VGG. Full VGGs are left to
# tools/counterparts/compare.py: the narrow ones have their layers and names, and a thousandth of their numbers.
COMPUTED = [
    *(case for case in compare.OUTPUTS if case.startswith("torchvision/") and "/vgg" not in case),
    *(case for case in compare.OUTPUTS if case.startswith("timm/narrow_")),
]
CASE, NETWORK = "torchvision/squeezenet1.1", "squeezenet1.1"


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """A file with the names of torchvision."""
    path = tmp_path_factory.mktemp("state") / "squeezenet.safetensors"
    compare.write_state(CASE, path)
    return path


def same(net, other):
    ours, theirs = net._collect_params_with_prefix(), other._collect_params_with_prefix()
    return all(np.array_equal(each.data().asnumpy(), theirs[name].data().asnumpy()) for name, each in ours.items())


@pytest.mark.parametrize("case", COMPUTED)
@pytest.mark.sample(one_in=8)
def test_results_are_theirs(case):
    assert compare.difference(case) < 1e-5


@pytest.mark.parametrize("case", [case for case in compare.OUTPUTS if case.startswith("timm/") and "vgg" not in case])
def test_timm_computes_what_torchvision_computes(case):
    other = case.replace("timm/", "torchvision/")
    assert compare.OUTPUTS[case]["output"] == pytest.approx(compare.OUTPUTS[other]["output"], rel=1e-5)
    entries = [entry for entry in compare.NAMES[other] if not entry[0].startswith("AuxLogits.")]
    assert sorted(compare.NAMES[case]) == sorted(entries)


def test_one_wrong_weight_is_noticed(tmp_path, monkeypatch):
    name = "features.12.expand3x3.weight"
    shape = next(tuple(shape) for each, shape in compare.NAMES[CASE] if each == name)
    wrong = weights(name, shape)[:, ::-1].copy()
    write = compare.write_state
    monkeypatch.setattr(compare, "write_state", lambda case, path: write(case, path, {name: wrong}))
    assert compare.difference(CASE) > 1e-3


def test_names_in_the_files_that_torchvision_offers_for_densenet(tmp_path):
    state = {name: weights(name, tuple(shape)) for name, shape in compare.NAMES["torchvision/densenet121"]}
    old = {name: name for name in state}
    for name in state:
        if "denselayer" in name:
            for part in ("norm1", "norm2", "conv1", "conv2"):
                old[name] = old[name].replace(f".{part}.", f".{part[:-1]}.{part[-1]}.")
    assert "features.denseblock1.denselayer1.norm.1.weight" in old.values()
    write_tensors(tmp_path / "old.safetensors", list(state.values()), [old[name] for name in state])
    write_tensors(tmp_path / "new.safetensors", list(state.values()), list(state))
    before, now = (vision.densenet121(pretrained=tmp_path / f"{age}.safetensors") for age in ("old", "new"))
    assert same(before, now)


def test_half_precision_becomes_the_networks(tmp_path):
    halves = {
        name: weights(name, tuple(shape)).astype("float16") if "num_batches" not in name else weights(name, ())
        for name, shape in compare.NAMES[CASE]
    }
    write_tensors(tmp_path / "half.safetensors", list(halves.values()), list(halves))
    net = vision.squeezenet1_1(pretrained=tmp_path / "half.safetensors")
    first = net.features[0].weight.data()
    assert first.dtype == np.float32
    assert np.array_equal(first.asnumpy(), halves["features.0.weight"].astype("float32"))


@pytest.mark.parametrize("suffix", [".params", ".safetensors"])
@pytest.mark.parametrize("way", ["save_parameters", "save_params", "full_names"])
def test_files_of_gluon_in_every_naming(state, tmp_path, suffix, way):
    net = vision.squeezenet1_1(pretrained=str(state))
    path = str(tmp_path / f"saved{suffix}")
    if way == "full_names":
        net.collect_params().save(path)
    else:
        getattr(net, way)(path)
    assert same(vision.get_model("SqueezeNet1.1", pretrained=path), net)


def test_an_exported_network(state, tmp_path):
    net = vision.squeezenet1_1(pretrained=str(state))
    net.hybridize()
    net(mx.nd.zeros((1, 3, 224, 224)))
    net.export(str(tmp_path / "exported"))
    assert same(vision.squeezenet1_1(pretrained=tmp_path / "exported-0000.params"), net)


def test_contexts(state):
    net = vision.squeezenet1_1(pretrained=state, ctx=[mx.cpu(0), mx.cpu(1)])
    assert net.features[0].weight.list_ctx() == [mx.cpu(0), mx.cpu(1)]


@pytest.mark.parametrize("nothing", [False, None, 0, ""])
def test_nothing_is_loaded_unless_asked_for(nothing):
    with pytest.raises(mx.MXNetError, match="initialize"):
        vision.squeezenet1_1(pretrained=nothing).features[0].weight.data()


def test_the_log_says_where_weights_are_from(state, caplog):
    with caplog.at_level(logging.INFO):
        vision.squeezenet1_1(pretrained=state)
    assert f"squeezenet1.1: weights of {state}." in caplog.text


@pytest.mark.parametrize("suffix", [".params", ".safetensors"])
def test_files_of_gluon_with_another_number_of_classes(state, tmp_path, suffix):
    path = str(tmp_path / f"saved{suffix}")
    vision.squeezenet1_1(pretrained=state).save_parameters(path)
    with pytest.raises(PretrainedError) as caught:
        vision.squeezenet1_1(pretrained=path, classes=3)
    text = str(caught.value)
    assert text.startswith(f"[squeezenet1.1] pretrained: {path} does not fit the network (2 differences):")
    assert "The weights are for 1000 classes, and the network is for 3." in text
    assert "trained = vision.get_model('squeezenet1.1', classes=1000, pretrained=...)" in text


def test_files_of_nothing_known(tmp_path):
    path = tmp_path / "other.safetensors"
    write_tensors(path, [np.zeros(3, "float32")], ["blocks.0.attention"])
    with pytest.raises(PretrainedError, match=r"not in the network: blocks\.0\.attention|and \d+ more") as caught:
        vision.squeezenet1_1(pretrained=path)
    assert "Pass allow_missing" not in str(caught.value)


def test_lists_are_refused(tmp_path):
    path = tmp_path / "list.safetensors"
    write_tensors(path, [np.zeros(3, "float32")])
    with pytest.raises(PretrainedError, match="holds a list; expected names and arrays"):
        vision.squeezenet1_1(pretrained=path)
