"""Names: every parameter of the networks has exactly one counterpart, of the same shape, in torchvision and timm."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon.model_zoo import vision
from mxnet.gluon.model_zoo._pretrained.naming.catalogue import COUNTERPARTS, refusal
from mxnet.gluon.model_zoo._pretrained.naming.layers import layers_of, their_kind
from tools.counterparts.compare import NAMES

CASES = [case for case in NAMES if case.partition("/")[2] in COUNTERPARTS]


def parameters(network):
    """Names and shapes, known without numbers."""
    net = vision.get_model(network)
    side = 299 if network == "inceptionv3" else 224
    net.infer_shape(mx.nd.zeros((1, 3, side, side)))
    return {name: each.shape for name, each in net._collect_params_with_prefix().items()}


@pytest.mark.parametrize("case", CASES)
def test_every_parameter_has_one_counterpart(case):
    network = case.partition("/")[2]
    ours = parameters(network)
    theirs = {
        name: tuple(shape)
        for name, shape in NAMES[case]
        if not name.endswith("num_batches_tracked") and not name.startswith("AuxLogits.")
    }
    fitting = []
    for naming in COUNTERPARTS[network].renaming(layers_of(ours)):
        renamed = {}
        for name, shape in ours.items():
            layer, _, kind = name.rpartition(".")
            renamed[f"{naming.theirs[layer]}.{their_kind(kind)}"] = shape
        assert len(renamed) == len(ours)
        if renamed.keys() == theirs.keys():
            fitting.append((naming, renamed))
    ((naming, renamed),) = fitting
    for name, shape in theirs.items():
        if name.rpartition(".")[0] in naming.flattened and len(shape) == 4:
            shape = (shape[0], int(np.prod(shape[1:])))
        assert renamed[name] == shape, name


def test_all_networks_are_decided_on():
    assert set(COUNTERPARTS) < set(vision._catalogue._MODELS)
    for network in set(vision._catalogue._MODELS) - set(COUNTERPARTS):
        assert "is known to be the same" not in refusal(network), network
    assert refusal("other").startswith("no network of torchvision or timm is known to be the same.")


def test_architectures_are_those_that_were_recorded():
    assert {case.partition("/")[2] for case in CASES} == set(COUNTERPARTS)
