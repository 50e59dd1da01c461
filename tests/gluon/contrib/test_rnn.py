"""Contributed recurrent cells: what the fixtures of the real MXNet (tests/gluon/rnn) cannot show."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.gluon import rnn
from mxnet.gluon.contrib import rnn as contributed
from mxnet.gluon.contrib.rnn.rnn_cell import dynamic_unroll
from mxnet.gluon.rnn._recurrent_cell import CellError
from tests.gluon.rnn.support import draw, made


class Echo(rnn.HybridRecurrentCell):
    """Gives inputs and state back: shows what was dropped on the way."""

    def state_info(self, batch_size=0):
        return [{"shape": (batch_size, 50), "__layout__": "NC"}]

    def hybrid_forward(self, F, inputs, states):
        return inputs, states


@pytest.mark.parametrize(
    "options", [{"drop_inputs": 0.5}, {"drop_outputs": 0.5}, {"drop_inputs": 0.5, "drop_states": 0.1}]
)
@pytest.mark.parametrize("layout", ["NTC", "TNC"])
def test_variational_dropout_drops_the_same_at_all_steps(options, layout):
    cell = contributed.VariationalDropoutCell(Echo(), **options)
    shape, axis = ((4, 3, 50), 1) if layout == "NTC" else ((3, 4, 50), 0)
    with autograd.train_mode():
        outputs, _ = cell.unroll(3, nd.ones(shape), layout=layout, merge_outputs=True)
        again, _ = cell.unroll(3, nd.ones(shape), layout=layout, merge_outputs=True)
    outputs, again = outputs.asnumpy(), again.asnumpy()
    assert set(np.unique(outputs)) == {0, 2}
    assert (outputs == outputs.take([0], axis)).all()
    assert (outputs != again).any()


def test_variational_dropout_of_states_multiplies_at_each_step():
    cell = contributed.VariationalDropoutCell(Echo(), drop_states=0.5)
    with autograd.train_mode():
        _, (state,) = cell.unroll(3, nd.ones((2, 3, 50)), [nd.ones((2, 50))])
    assert set(np.unique(state.asnumpy())) == {0, 8}
    cell.reset()
    assert cell.drop_states_mask is None


def test_variational_dropout_of_both_directions():
    both = rnn.BidirectionalCell(rnn.GRUCell(3), rnn.GRUCell(3))
    cell = made(contributed.VariationalDropoutCell(both, drop_inputs=0.5))
    outputs, states = cell.unroll(4, draw(2, 4, 5))
    assert outputs.shape == (2, 4, 6)
    assert len(states) == 2
    with pytest.raises(CellError, match="cannot be stepped"):
        contributed.VariationalDropoutCell(rnn.BidirectionalCell(rnn.GRUCell(3), rnn.GRUCell(3)), drop_states=0.5)


@pytest.mark.parametrize("layout", ["TNC", "NTC"])
def test_dynamic_unroll_equals_unroll(layout):
    cell, inputs, lengths = made(rnn.LSTMCell(4)), draw(3, 3, 5), nd.array([3, 1, 2])
    for valid in (None, lengths):
        expected, last = cell.unroll(3, inputs, layout=layout, merge_outputs=True, valid_length=valid)
        outputs, states = dynamic_unroll(cell, inputs, cell.begin_state(3), layout=layout, valid_length=valid)
        for a, b in zip([outputs, *states], [expected, *last], strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("drop", ["drop_inputs", "drop_outputs"])
def test_dynamic_unroll_drops_the_same_at_all_steps(drop):
    with autograd.train_mode():
        outputs, _ = dynamic_unroll(Echo(), nd.ones((4, 3, 50)), [nd.zeros((4, 50))], layout="NTC", **{drop: 0.5})
    outputs = outputs.asnumpy()
    assert (outputs == outputs[:, :1]).all()
    assert set(np.unique(outputs)) == {0, 2}


def test_convolutions_with_channels_last_agree_with_channels_first():
    first = made(contributed.Conv2DLSTMCell((2, 5, 4), 3, 3, 3, i2h_pad=1))
    last = made(contributed.Conv2DLSTMCell((5, 4, 2), 3, 3, 3, i2h_pad=1, conv_layout="NHWC"))
    assert last.i2h_weight.shape == (12, 3, 3, 2)
    assert last.state_info(7)[0] == {"shape": (7, 5, 4, 3), "__layout__": "NHWC"}
    assert repr(last) == "Conv2DLSTMCell(2 -> 12, tanh, NHWC)"
    for name in ("i2h_weight", "h2h_weight"):
        getattr(last, name).set_data(getattr(first, name).data().transpose((0, 2, 3, 1)))
    inputs = draw(2, 2, 5, 4)
    expected, _ = first(inputs, first.begin_state(2))
    output, _ = last(inputs.transpose((0, 2, 3, 1)), last.begin_state(2))
    np.testing.assert_allclose(output.transpose((0, 3, 1, 2)).asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda: contributed.Conv2DRNNCell((2, 5, 5), 2, 3, 2), r"h2h_kernel: received 2; expected odd numbers"),
        (
            lambda: contributed.Conv2DRNNCell((2, 5, 5), 2, (3,), 3),
            r"i2h_kernel: received \(3,\); expected one number, or 2",
        ),
        (
            lambda: contributed.Conv2DRNNCell((2, 5), 2, 3, 3),
            r"input_shape: received \(2, 5\); expected 3 lengths.*'NCHW'",
        ),
        (
            lambda: made(contributed.Conv1DLSTMCell((2, 5), 2, 3, 3))(draw(1, 2, 5), [nd.zeros((1, 2, 3))]),
            r"received 1 states; expected 2",
        ),
        (lambda: made(contributed.LSTMPCell(4, 2))(draw(1, 2), [nd.zeros((1, 2))]), r"received 1 states; expected 2"),
    ],
)
def test_misuse_is_explained(use, text):
    with pytest.raises(CellError, match=text):
        use()


@pytest.mark.parametrize("drop_states", [0.0, 0.5])
def test_variational_dropout_of_a_list_of_symbols(drop_states: float):
    cell = contributed.VariationalDropoutCell(rnn.RNNCell(10, prefix="rnn_"), 0.5, drop_states, 0.5)
    outputs, _ = cell.unroll(3, [mx.sym.var(f"t{i}") for i in range(3)], merge_outputs=False)
    assert mx.sym.Group(outputs).infer_shape(t0=(4, 5), t1=(4, 5), t2=(4, 5))[1] == [(4, 10)] * 3
