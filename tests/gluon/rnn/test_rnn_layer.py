"""Recurrent layers: fused and unfused agree, and what the fixtures of the real MXNet cannot show."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.gluon import Trainer, contrib, nn, rnn
from mxnet.gluon.rnn._recurrent_cell import CellError
from tests.gluon.rnn.support import check_same, draw, made

KINDS = [
    lambda **options: rnn.RNN(4, activation="relu", **options),
    lambda **options: rnn.RNN(4, activation="tanh", **options),
    lambda **options: rnn.LSTM(4, **options),
    lambda **options: rnn.GRU(4, **options),
]


def gradients(block, inputs, compute):
    """What a computation gives, and the gradients of its parameters and inputs for one fixed head."""
    block.collect_params().zero_grad()
    inputs.attach_grad()
    with autograd.record():
        outputs = compute()
    outputs.backward(draw(*outputs.shape, seed=9))
    return [outputs, inputs.grad.copy(), *(p.grad().copy() for p in block.collect_params().values())]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
def test_fused_and_unfused_give_the_same(kind, bidirectional, layout):
    layer = made(kind(num_layers=2, bidirectional=bidirectional, layout=layout, input_size=5))
    cells = layer._unfuse()
    inputs = draw(3, 3, 5)
    fused = gradients(layer, inputs, lambda: layer(inputs))
    unfused = gradients(layer, inputs, lambda: cells.unroll(3, inputs, layout=layout, merge_outputs=True)[0])
    for a, b in zip(fused, unfused, strict=True):
        check_same(a, b, rtol=1e-4, atol=1e-5)


def test_unfused_cells_share_the_parameters_and_have_dropout_between_layers():
    layer = made(rnn.LSTM(4, 3, dropout=0.5))
    cells = layer._unfuse()
    assert [type(cell).__name__ for cell in cells] == ["LSTMCell", "DropoutCell", "LSTMCell", "DropoutCell", "LSTMCell"]
    assert list(cells.collect_params()) == list(layer.collect_params())
    cells.unroll(2, draw(2, 2, 5))
    assert layer.l0_i2h_weight.shape == (16, 5)
    assert cells[0].i2h_weight is layer.l0_i2h_weight


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bidirectional", [False, True])
def test_sequence_lengths_mean_what_they_mean_to_cells(kind, bidirectional):
    layer = made(kind(num_layers=2, bidirectional=bidirectional, use_sequence_length=True))
    inputs, lengths = draw(4, 3, 5), nd.array([4, 1, 3])
    states = layer.begin_state(3)
    outputs, last = layer(inputs, states, lengths)
    expected, cell_states = layer._unfuse().unroll(4, inputs, layout="TNC", merge_outputs=True, valid_length=lengths)
    check_same(outputs, expected)
    per_cell = len(last)
    for i, state in enumerate(last):
        check_same(state, nd.stack(*cell_states[i::per_cell]))
    check_same(layer(inputs, sequence_length=lengths), expected)


def test_projection_agrees_with_the_cell():
    layer = made(rnn.LSTM(4, projection_size=2, input_size=3))
    cell = contrib.rnn.LSTMPCell(4, 2, input_size=3, prefix="l0_")
    cell.initialize()
    for name in ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias", "h2r_weight"):
        getattr(cell, name).set_data(getattr(layer, f"l0_{name}").data())
    inputs = draw(3, 2, 3)
    fused = gradients(layer, inputs, lambda: layer(inputs))
    unfused = gradients(cell, inputs, lambda: cell.unroll(3, inputs, layout="TNC", merge_outputs=True)[0])
    for a, b in zip(fused[:2], unfused[:2], strict=True):
        check_same(a, b)
    assert {p.name.removeprefix(layer.prefix): p.shape for p in layer.collect_params().values()} == {
        p.name: p.shape for p in cell.collect_params().values()
    }


def test_the_cell_state_can_be_clipped():
    layer = made(rnn.LSTM(4, state_clip_min=-0.01, state_clip_max=0.01))
    _, (_, cell) = layer(draw(5, 2, 3), layer.begin_state(2))
    assert abs(cell.asnumpy()).max() == pytest.approx(0.01)


def test_states_come_back_only_if_given():
    layer = made(rnn.GRU(4, 2))
    inputs = draw(3, 2, 5)
    outputs = layer(inputs)
    again, states = layer(inputs, layer.begin_state(2))
    check_same(outputs, again)
    assert [state.shape for state in states] == [(2, 2, 4)]
    alone, _ = layer(inputs, nd.zeros((2, 2, 4)))  # one array instead of a list
    check_same(outputs, alone)


def test_begin_state():
    layer = rnn.LSTM(4, 2, bidirectional=True, projection_size=3, prefix="mine_", dtype="float64")
    assert [state.shape for state in layer.begin_state(5)] == [(4, 5, 3), (4, 5, 4)]
    assert all(state.dtype == np.float64 for state in layer.begin_state(5))
    assert layer.begin_state(5, func=lambda name, **_: name) == ["mine_h0_0", "mine_h0_1"]
    assert layer.begin_state(5, nd.ones, dtype="float32")[0].dtype == np.float32


def test_cast_changes_parameters_and_states():
    layer = made(rnn.GRU(4, input_size=3))
    layer.cast("float64")
    outputs, states = layer(draw(3, 2, 3, dtype="float64"), layer.begin_state(2))
    assert outputs.dtype == states[0].dtype == np.float64
    assert layer(draw(3, 2, 3, dtype="float64")).dtype == np.float64


def test_dropout_is_between_layers_in_training_only():
    layer = made(rnn.LSTM(20, 2, dropout=0.5))
    inputs = draw(3, 2, 5)
    check_same(layer(inputs), layer(inputs))
    drawn = []
    for _ in range(2):
        mx.random.seed(3)
        with autograd.train_mode():
            drawn.append(layer(inputs))
    check_same(*drawn)
    assert abs((drawn[0] - layer(inputs)).asnumpy()).max() > 1e-3


def test_more_than_ten_layers_are_saved_and_loaded(tmp_path):
    layer = made(rnn.GRU(2, 12, input_size=3))  # MXNet reads one digit only, and fails
    layer.save_parameters(tmp_path / "deep.params")
    assert "_unfused.11.i2h_weight" in nd.load(tmp_path / "deep.params")
    other = rnn.GRU(2, 12)
    other.load_parameters(tmp_path / "deep.params")
    check_same(layer(draw(2, 2, 3)), other(draw(2, 2, 3)))


def test_a_layer_inside_a_network_learns_its_input_size():
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Dense(6, flatten=False), rnn.LSTM(4, bidirectional=True), nn.Dense(2, flatten=False))
    made(net)
    net.infer_shape(draw(3, 2, 5))
    assert net[1].l0_i2h_weight.shape == net[1].r0_i2h_weight.shape == (16, 6)
    assert net(draw(3, 2, 5)).shape == (3, 2, 2)


def test_shared_parameters():
    first = made(rnn.LSTM(4, input_size=3))
    second = rnn.LSTM(4, input_size=3, params=first.params)
    check_same(first(draw(2, 2, 3)), second(draw(2, 2, 3)))


def test_a_network_learns_to_remember():
    mx.random.seed(1)
    net = nn.HybridSequential()
    net.add(rnn.GRU(8, layout="NTC"), nn.HybridLambda(lambda F, x: F.SequenceLast(x, axis=1)), nn.Dense(1))
    net.initialize(mx.init.Xavier())
    inputs = nd.array(np.random.default_rng(0).choice([-1.0, 1.0], (64, 4, 1)))
    trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    losses = []
    for _ in range(40):
        with autograd.record():
            loss = ((net(inputs) - inputs[:, 0]) ** 2).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    assert losses[-1] < 0.2 * losses[0]


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda: rnn.LSTM(4, layout="CNT"), r"layout: received 'CNT'; expected 'TNC' or 'NTC'"),
        (lambda: rnn.RNN(4, activation="sigmoid"), r"activation: received 'sigmoid'; expected 'relu' or 'tanh'"),
        (lambda: made(rnn.LSTM(4))(draw(3, 2, 5), [nd.zeros((1, 2, 4))]), r"received 1 states; expected 2, in a list"),
        (
            lambda: made(rnn.GRU(4))(draw(3, 2, 5), [nd.zeros((1, 3, 4))]),
            r"state of shape \(1, 3, 4\); expected \(1, 2, 4\)",
        ),
        (lambda: made(rnn.GRU(4, input_size=3))(draw(3, 2, 5)), r"shape \(3, 2, 5\); expected \(time, batch, 3\)"),
        (lambda: made(rnn.GRU(4, layout="NTC"))(draw(3, 2)), r"shape \(3, 2\); expected \(batch, time, features\)"),
        (
            lambda: made(rnn.GRU(4, use_sequence_length=True))(draw(3, 2, 5)),
            r"received no sequence_length; expected the length",
        ),
        (lambda: rnn.LSTM(4, projection_size=2)._unfuse(), r"has a projection or a clipped cell state"),
    ],
)
def test_misuse_is_explained(use, text):
    with pytest.raises(CellError, match=text) as caught:
        use()
    assert str(caught.value).startswith("[")


def test_ignored_lengths_are_mentioned():
    layer = made(rnn.GRU(4))
    with pytest.warns(UserWarning, match=r"ignores sequence_length; make the layer with use_sequence_length=True"):
        layer(draw(3, 2, 5), sequence_length=nd.array([3, 2]))


def test_unfused_cells_share_parameters_that_come_later():
    layer = rnn.LSTM(2, num_layers=2, bidirectional=True)
    cells = layer._unfuse()
    layer.initialize(mx.init.One())
    x = mx.nd.ones((3, 2, 2))
    unrolled = cells.unroll(3, x, layout="TNC", merge_outputs=True)[0]
    np.testing.assert_allclose(layer(x).asnumpy(), unrolled.asnumpy(), rtol=1e-5)


class _CellsThenLayer(mx.gluon.HybridBlock):
    def __init__(self, length):
        super().__init__()
        self.length = length
        with self.name_scope():
            self.first, self.second, self.layer = rnn.LSTMCell(3), rnn.GRUCell(3), rnn.LSTM(2, layout="NTC")

    def hybrid_forward(self, F, x):
        for cell in (self.first, self.second):
            x = cell.unroll(self.length, x, layout="NTC", merge_outputs=True)[0]
        return self.layer(x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [1, 4])
def test_is_compiled_behind_cells_whose_first_states_tell_no_batch_size(length, dtype):
    net, x = _CellsThenLayer(length), nd.random.normal(shape=(2, length, 5)).astype(dtype)
    net.initialize()
    net.cast(dtype)
    eager = net(x).asnumpy()
    net.hybridize()
    np.testing.assert_allclose(net(x).asnumpy(), eager, rtol=1e-5, atol=1e-6)
    assert net._cached_op is not None
