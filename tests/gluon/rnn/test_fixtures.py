"""Recurrent cells and layers do what the real MXNet did: texts, names, numbers, gradients, refusals, files."""

import json
from pathlib import Path

import numpy as np
import pytest

from mxnet import nd
from mxnet.gluon import nn, rnn
from mxnet.gluon.rnn._recurrent_cell import CellError
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


# The texts of the errors, in the order of REFUSED.
TEXTS = [
    r"\[LSTM lstm0\] layout: received 'CNT'; expected 'TNC' or 'NTC'",
    r"\[RNN\] activation: received 'sigmoid'; expected 'relu' or 'tanh'",
    r"\[LSTM lstm0\] received a state of shape \(1, 2, 3\); expected \(1, 2, 4\)",
    r"\[LSTM lstm0\] received 1 states; expected 2, in a list",
    r"\[LSTM lstm0\] received inputs of shape \(3, 2, 5\); expected \(time, batch, 3\)",
    r"\[LSTM lstm0\] received inputs of shape \(2, 3\); expected \(time, batch, 3\)",
    r"\[LSTM lstm0\] was made with use_sequence_length=True and received no sequence_length",
    r"\[LSTM lstm0\] has a projection or a clipped cell state; there are no cells of this kind",
    r"\[LSTM lstm0\] has a projection or a clipped cell state; there are no cells of this kind",
    r"\[LSTMCell lstm0\] received 1 states; expected 2, in a list",
    r"\[LSTMCell lstm0\] received length=4 and inputs of 3 steps in the layout 'NTC'",
    r"\[LSTMCell lstm0\] received length=2 and inputs of 3 steps in the layout 'NTC'",
    r"\[LSTMCell lstm0\] received inputs of type NoneType; expected an array, or a list",
    r"\[DropoutCell dropout0\] rate: received 'half'; expected a number",
    r"\[ZoneoutCell\] received a BidirectionalCell that reads in both directions",
    r"\[BidirectionalCell\] cannot be stepped: .* Use unroll\(\)",
    r"\[ResidualCell\] received GRUCell gru0, which belongs to another modifier cell already",
    r"\[GRUCell gru0\] belongs to a modifier cell now .*; call begin_state and unroll on that one",
    r"\[RecurrentCell\] write a state_info method",
    r"\[HybridRecurrentCell\] write a hybrid_forward method",
    r"\[VariationalDropoutCell\] received a BidirectionalCell that reads in both directions",
    r"\[Conv2DRNNCell conv_rnn0\] h2h_kernel: received 2; expected odd numbers",
    r"\[Conv2DRNNCell conv_rnn0\] i2h_kernel: received \(3, 3, 3\); expected one number, or 2",
]


@pytest.mark.parametrize(("expression", "text"), list(zip(REFUSED, TEXTS, strict=True)))
def test_what_mxnet_refuses_is_refused(expression, text):
    """A CellError is an MXNetError, a ValueError and an AssertionError: MXNet raises these, and KeyError once."""
    recorded = RECORDED["refused"][expression]
    kind = NotImplementedError if recorded == "NotImplementedError" else CellError
    with pytest.raises(kind, match=text) as caught:
        evaluate(expression)
    assert recorded in {each.__name__ for each in type(caught.value).__mro__} or recorded == "KeyError"


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
