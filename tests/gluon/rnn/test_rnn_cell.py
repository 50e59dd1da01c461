"""Recurrent cells: what the fixtures of the real MXNet cannot show."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.gluon import HybridBlock, nn, rnn
from mxnet.gluon.rnn._recurrent_cell import CellError
from tests.gluon.rnn.support import check_same, draw, made

# -- states --------------------------------------------------------------------------------------------------------


def test_begin_state_takes_any_function_of_a_shape():
    cell = rnn.LSTMCell(3)
    assert [state.shape for state in cell.begin_state(2)] == [(2, 3), (2, 3)]
    assert all((state == 1).asnumpy().all() for state in cell.begin_state(batch_size=2, func=nd.ones))
    drawn = cell.begin_state(4, func=nd.random.uniform, low=2, high=3, dtype="float64")
    assert all(state.dtype == np.float64 and state.min().asscalar() >= 2 for state in drawn)
    assert cell.begin_state(2, func=lambda shape: shape) == [(2, 3), (2, 3)]
    assert [state.shape for state in cell.begin_state(2, func=np.zeros)] == [(2, 3), (2, 3)]


def test_begin_state_tells_names_to_those_who_ask():
    cell = rnn.LSTMCell(3, prefix="mine_")
    assert cell.begin_state(2, func=lambda **info: info) == [{"shape": (2, 3)}] * 2
    assert cell.begin_state(2, func=lambda shape, name: name) == ["mine_begin_state_2", "mine_begin_state_3"]


def test_unroll_makes_states_of_the_dtype_and_context_of_the_inputs():
    cell = rnn.GRUCell(3)
    cell.cast("float64")
    made(cell)
    outputs, states = cell.unroll(2, draw(2, 2, 4, dtype="float64"), merge_outputs=True)
    assert outputs.dtype == states[0].dtype == np.float64


def test_modifiers_make_the_states_of_their_cells():
    cell = rnn.ZoneoutCell(rnn.ResidualCell(rnn.LSTMCell(3)))
    assert [state.shape for state in cell.begin_state(batch_size=2)] == [(2, 3), (2, 3)]
    assert cell.base_cell._modified
    assert cell.base_cell.base_cell._modified


def test_a_failure_in_begin_state_leaves_the_cell_modified():
    cell = rnn.ZoneoutCell(rnn.LSTMCell(3))
    with pytest.raises(TypeError):
        cell.begin_state(batch_size=2, func=lambda: None)
    assert cell.base_cell._modified


def test_steps_are_counted_and_reset():
    cell = made(rnn.SequentialRNNCell())
    cell.add(made(rnn.GRUCell(3)))
    states = cell.begin_state(batch_size=2)
    for _ in range(3):
        _, states = cell(draw(2, 4), states)
    assert cell._counter == cell[0]._counter == 2
    cell.reset()
    assert cell._counter == cell[0]._counter == -1


# -- unrolling -----------------------------------------------------------------------------------------------------


def test_the_length_may_be_left_to_the_inputs():
    cell = made(rnn.RNNCell(3))
    outputs, _ = cell.unroll(None, draw(2, 5, 4))
    assert len(outputs) == 5


def test_lengths_mean_the_same_as_shorter_sequences():
    cell = made(rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(2)))
    inputs, lengths = draw(3, 4, 5), [4, 1, 3]
    outputs, states = cell.unroll(4, inputs, merge_outputs=True, valid_length=nd.array(lengths))
    for i, length in enumerate(lengths):
        alone, last = cell.unroll(length, inputs[i : i + 1, :length], merge_outputs=True)
        check_same(outputs[i : i + 1, :length], alone)
        assert not outputs[i, length:].asnumpy().any()
        for state, expected in zip(states, last):
            check_same(state[i : i + 1], expected)


def test_lengths_in_ntc_without_merging_are_right():
    # MXNet joins the two directions along the wrong axes there, and fails or mixes up samples.
    cell = made(rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.LSTMCell(3)))
    inputs, lengths = draw(3, 3, 5), nd.array([3, 1, 2])
    expected, _ = cell.unroll(3, inputs, merge_outputs=True, valid_length=lengths)
    outputs, _ = cell.unroll(3, inputs, valid_length=lengths)
    check_same(outputs, expected)


def test_hidden_states_are_carried_from_batch_to_batch():
    cell = made(rnn.LSTMCell(3))
    states = cell.begin_state(2)
    for i in range(3):
        with autograd.record():
            outputs, states = cell.unroll(2, draw(2, 2, 4, seed=i), states, merge_outputs=True)
            loss = outputs.sum()
        loss.backward()
    assert np.isfinite(cell.i2h_weight.grad().asnumpy()).all()


def test_unrolling_equals_stepping():
    cells = rnn.SequentialRNNCell()
    cells.add(rnn.LSTMCell(4))
    cells.add(rnn.ResidualCell(rnn.GRUCell(4)))
    made(cells)
    inputs = draw(3, 2, 5)
    states = cells.begin_state(batch_size=2)
    stepped = []
    for step in inputs:
        output, states = cells(step, states)
        stepped.append(output)
    outputs, last = cells.unroll(3, inputs, layout="TNC")
    for a, b in zip([*stepped, *states], [*outputs, *last]):
        check_same(a, b)


# -- composition ---------------------------------------------------------------------------------------------------


def test_stacks_are_rows_of_cells():
    for kind in (rnn.SequentialRNNCell, rnn.HybridSequentialRNNCell):
        cells = kind()
        first, second = rnn.LSTMCell(2), rnn.DropoutCell(0.5)
        cells.add(first)
        cells.add(second)
        assert len(cells) == 2
        assert cells[0] is first
        assert cells[-1] is second
        assert list(cells) == [first, second]


def test_hooks_fire_on_stacks():
    cells = rnn.SequentialRNNCell()
    cells.add(rnn.GRUCell(3))
    made(cells)
    seen = []
    cells.register_forward_hook(lambda block, inputs, outputs: seen.append(outputs[0].shape))
    cells(draw(2, 4), cells.begin_state(batch_size=2))
    assert seen == [(2, 3)]


def test_an_activation_may_be_a_block_or_a_function():
    cell = made(rnn.RNNCell(3, activation=nn.LeakyReLU(0.5), input_size=2))
    plain = rnn.RNNCell(3, activation=lambda x: nd.LeakyReLU(x, act_type="leaky", slope=0.5), params=cell.params)
    states = [draw(2, 3)]
    check_same(cell(draw(2, 2), states)[0], plain(draw(2, 2), states)[0])


def test_a_cell_of_ones_own():
    class Sum(rnn.HybridRecurrentCell):
        def state_info(self, batch_size=0):
            return [{"shape": (batch_size, 2)}]

        def hybrid_forward(self, F, inputs, states):
            total = inputs + states[0]
            return total, [total]

    outputs, _ = Sum().unroll(3, nd.ones((2, 3, 2)), merge_outputs=True)
    assert outputs.asnumpy()[0, :, 0].tolist() == [1, 2, 3]


def test_finding_out_shapes_leaves_no_trace_in_cells():
    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.cell = rnn.ZoneoutCell(rnn.GRUCell(3), 0.2, 0.2)
                self.weight = self.params.get("weight", shape=(2, 0), allow_deferred_init=True)

        def hybrid_forward(self, F, x, state, weight):
            output, _ = self.cell(x, [state])
            return F.FullyConnected(output, weight, num_hidden=2, no_bias=True)

    net = made(Net())
    assert net(draw(2, 4), nd.zeros((2, 3))).shape == (2, 2)
    assert net.cell._counter == 0
    assert net(draw(2, 4), nd.zeros((2, 3))).shape == (2, 2)


# -- what is random ------------------------------------------------------------------------------------------------


def test_dropout_drops_in_training_only():
    cell, ones = rnn.DropoutCell(0.5), nd.ones((50, 50))
    assert (cell(ones, [])[0] == 1).asnumpy().all()
    with autograd.train_mode():
        dropped = cell(ones, [])[0].asnumpy()
    assert set(np.unique(dropped)) == {0, 2}
    assert 0.4 < (dropped == 0).mean() < 0.6


def test_dropout_shares_decisions_along_axes():
    with autograd.train_mode():
        outputs, _ = rnn.DropoutCell(0.5, axes=(1,)).unroll(4, nd.ones((20, 4, 10)), merge_outputs=True)
    outputs = outputs.asnumpy()
    assert (outputs == outputs[:, :1]).all()
    assert set(np.unique(outputs)) == {0, 2}


def test_zoneout_keeps_outputs_and_states():
    cell = made(rnn.ZoneoutCell(rnn.RNNCell(200, input_size=3), zoneout_outputs=0.5, zoneout_states=0.25))
    before = nd.full((1, 200), 5.0)
    with autograd.train_mode():
        first, (state,) = cell(draw(1, 3), [before])
        second, _ = cell(draw(1, 3, seed=1), [state])
    assert 0.3 < (first == 0).mean().asscalar() < 0.7  # before the first step there is nothing to keep but zeros
    assert 0.1 < (state == 5).mean().asscalar() < 0.4
    assert 0.3 < (second == first).mean().asscalar() < 0.7
    cell.reset()
    assert cell._prev_output is None


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (
            lambda: made(rnn.LSTMCell(4))(nd.ones((2, 3)), [nd.zeros((2, 4))]),
            r"received 1 states; expected 2, in a list",
        ),
        (lambda: made(rnn.GRUCell(4))(nd.ones((2, 3)), None), r"received 0 states; expected 1"),
        (
            lambda: made(rnn.GRUCell(4)).unroll(3, nd.ones((2, 4, 3))),
            r"received length=3 and inputs of 4 steps .*'NTC'",
        ),
        (lambda: made(rnn.GRUCell(4)).unroll(3, [nd.ones((2, 3))] * 2), r"received length=3 and inputs of 2 steps"),
        (
            lambda: made(rnn.GRUCell(4)).unroll(3, nd.ones((2, 3, 3)), layout="NC"),
            r"layout: received 'NC'; expected letters",
        ),
        (lambda: made(rnn.GRUCell(4)).unroll(3, nd.ones(3)), r"inputs of shape \(3,\); expected time on axis 1"),
        (lambda: made(rnn.GRUCell(4)).unroll(0, []), r"inputs without steps; expected at least one"),
        (lambda: made(rnn.GRUCell(4)).unroll(3, None), r"inputs of type NoneType; expected an array, or a list"),
        (lambda: rnn.DropoutCell("half"), r"rate: received 'half'; expected a number"),
        (
            lambda: rnn.ResidualCell(rnn.ZoneoutCell(rnn.GRUCell(2)).base_cell),
            r"belongs to another modifier cell already",
        ),
        (
            lambda: rnn.ZoneoutCell(rnn.GRUCell(2)).base_cell.begin_state(2),
            r"belongs to a modifier cell now .* on that one",
        ),
        (
            lambda: rnn.ZoneoutCell(stack_of_both()),
            r"reads in both directions, which cannot be stepped; wrap the cells",
        ),
    ],
)
def test_misuse_is_explained(use, text):
    with pytest.raises(CellError, match=text) as caught:
        use()
    assert isinstance(caught.value, mx.MXNetError)
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).startswith("[")


def stack_of_both():
    cells = rnn.SequentialRNNCell()
    cells.add(rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2)))
    return cells


def test_a_bidirectional_cell_cannot_be_stepped():
    with pytest.raises(NotImplementedError, match=r"cannot be stepped.*Use unroll"):
        rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2))(nd.ones((2, 3)), [])


def test_only_cells_can_be_stacked():
    with pytest.raises(TypeError, match=r"received a LSTM; expected a recurrent cell.*nn.Sequential"):
        rnn.SequentialRNNCell().add(rnn.LSTM(3))


def test_unwritten_methods_say_what_to_write():
    with pytest.raises(NotImplementedError, match="write a state_info method"):
        rnn.RecurrentCell().state_info()
    with pytest.raises(NotImplementedError, match="write a hybrid_forward method"):
        rnn.HybridRecurrentCell()(nd.ones((2, 3)), [])
