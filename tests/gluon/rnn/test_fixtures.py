"""Recurrent cells and layers do what the real MXNet did: texts, names, numbers, gradients, refusals, files."""

import json
from pathlib import Path

import numpy as np
import pytest

from mxnet import nd
from mxnet.gluon import nn, rnn
from tools.oracle.record_rnn import CASES, REFUSED, evaluate, perform

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "rnn_layers"
RECORDED = json.loads((FIXTURES / "rnn_layers.json").read_text(encoding="utf-8"))
TOLERANCE = {"float32": {"rtol": 1e-4, "atol": 1e-5}, "float64": {"rtol": 1e-9, "atol": 1e-11}}


@pytest.fixture(scope="module")
def arrays():
    with np.load(FIXTURES / "rnn_layers.npz") as archive:
        return {name: archive[name] for name in archive.files}


def test_the_fixtures_are_of_these_cases():
    assert len(RECORDED["cases"]) == len(CASES)
    assert list(RECORDED["refused"]) == REFUSED


@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda i: f"{i}-{CASES[i]['how']}-{CASES[i]['make']}")
def test_case(place, arrays):
    facts, found = perform(CASES[place], place)
    facts = json.loads(json.dumps(facts))
    recorded = RECORDED["cases"][place]
    for key, expected in recorded.items():
        assert facts[key] == expected, key
    prefix = f"{place}/"
    expected = {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].dtype == value.dtype, name
        np.testing.assert_allclose(found[name], value, err_msg=name, **TOLERANCE[value.dtype.name])


@pytest.mark.parametrize("expression", REFUSED)
def test_what_mxnet_refuses_is_refused(expression):
    assert RECORDED["refused"][expression]
    with pytest.raises((ValueError, TypeError, NotImplementedError)):
        evaluate(expression)


def test_a_file_of_mxnet_is_read():
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(rnn.LSTM(3, 2, bidirectional=True), rnn.GRU(2), nn.Dense(2, flatten=False))
    net.load_parameters(FIXTURES / "net.params")
    outputs = net(nd.array(RECORDED["file"]["inputs"]))
    np.testing.assert_allclose(outputs.asnumpy(), RECORDED["file"]["outputs"], rtol=1e-5, atol=1e-6)


def test_a_file_has_the_names_and_shapes_of_mxnet(tmp_path):
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(rnn.LSTM(3, 2, bidirectional=True), rnn.GRU(2), nn.Dense(2, flatten=False))
    net.initialize()
    net(nd.zeros((3, 2, 4)))
    net.save_parameters(tmp_path / "net.params")
    ours, theirs = nd.load(tmp_path / "net.params"), nd.load(FIXTURES / "net.params")
    assert [(name, value.shape) for name, value in ours.items()] == [(n, v.shape) for n, v in theirs.items()]
