"""Recurrent networks: fused layers and cells, with and without states, loops as operators."""

from __future__ import annotations

from typing import Any

import mxnet as mx
from mxnet.gluon import nn, rnn
from tools.oracle.case import integers, uniform, zeros
from tools.oracle.exports.network import block, symbol


class Recurrent(nn.HybridBlock):
    """Words, a recurrent layer, and a score of each word."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(11, 4)
            self.layer = layer()
            self.decoder = nn.Dense(3, flatten=False)

    def hybrid_forward(self, F: Any, words: Any) -> Any:
        return self.decoder(self.layer(self.embedding(words)))


class Stateful(nn.HybridBlock):
    """Takes states and gives new ones."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        with self.name_scope():
            self.layer = layer()

    def hybrid_forward(self, F: Any, x: Any, *states: Any) -> Any:
        out, states = self.layer(x, list(states))
        return (out, *states)


class Cells(nn.HybridBlock):
    """A stack of cells, one step after the other, written out in the graph."""

    def __init__(self, stack: Any, length: int, **options: Any) -> None:
        super().__init__()
        self._length, self._options = length, options
        with self.name_scope():
            self.stack = stack()
            self.decoder = nn.Dense(2, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        outputs, states = self.stack.unroll(self._length, x, layout="NTC", merge_outputs=True, **self._options)
        return (self.decoder(outputs), *states)


def stacked(*kinds: Any) -> Any:
    cell = rnn.HybridSequentialRNNCell()
    with cell.name_scope():
        for kind in kinds:
            cell.add(kind())
    return cell


class Scan(nn.HybridBlock):
    """A recurrence written with `foreach`: a part of the graph inside one node."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.cell = rnn.LSTMCell(3, input_size=4)

    def hybrid_forward(self, F: Any, x: Any, hidden: Any, memory: Any) -> Any:
        outputs, states = F.contrib.foreach(self.cell, x, [hidden, memory])
        return (outputs, *states)


class RunningSum(nn.HybridBlock):
    """A loop over steps, of sums."""

    def hybrid_forward(self, F: Any, x: Any, start: Any) -> Any:
        outputs, last = F.contrib.foreach(lambda step, state: (step * state, state + step), x, start)
        return outputs, last


def unrolled() -> Any:
    """Cells of symbols only, without a block around them."""
    cell = rnn.LSTMCell(3, input_size=4, prefix="lstm_")
    outputs, states = cell.unroll(3, mx.sym.var("data"), layout="TNC", merge_outputs=False)
    return mx.sym.Group([*outputs, states[1]])  # the first state is the last output


def bidirectional() -> Any:
    return rnn.BidirectionalCell(rnn.LSTMCell(2, prefix="left_"), rnn.LSTMCell(2, prefix="right_"))


def words() -> Any:
    return integers(5, 2, high=11, dtype="float32")


def steps(*shape: int, **kwargs: Any) -> Any:
    return uniform(*shape, **kwargs)


NETWORKS = {
    "rnn_relu": block(lambda: Recurrent(lambda: rnn.RNN(3)), words()),
    "rnn_tanh_states": block(
        lambda: Stateful(lambda: rnn.RNN(3, 2, "tanh")), steps(4, 2, 3), steps(2, 2, 3), gradients="train"
    ),
    "lstm": block(lambda: Recurrent(lambda: rnn.LSTM(3, 2)), words(), gradients="train"),
    "lstm_ntc": block(lambda: Recurrent(lambda: rnn.LSTM(3, layout="NTC", dropout=0.3)), words()),
    "lstm_bidirectional": block(lambda: Recurrent(lambda: rnn.LSTM(2, 2, bidirectional=True)), words()),
    "lstm_states": block(
        lambda: Stateful(lambda: rnn.LSTM(3, input_size=2)),
        *(steps(4, 2, 2), steps(1, 2, 3), steps(1, 2, 3)),
        gradients="train",
    ),
    "lstm_ntc_states": block(
        lambda: Stateful(lambda: rnn.LSTM(3, layout="NTC", bidirectional=True)),
        *(steps(2, 4, 2), steps(2, 2, 3), steps(2, 2, 3)),
    ),
    "lstm_projection": block(
        lambda: Stateful(lambda: rnn.LSTM(3, projection_size=2)), steps(4, 2, 2), steps(1, 2, 2), steps(1, 2, 3)
    ),
    "lstm_alone": block(
        lambda: rnn.LSTM(3), steps(4, 2, 2), zeros(1, 2, 3), zeros(1, 2, 3), nesting=lambda x, hidden, memory: (x,)
    ),
    "gru": block(lambda: Recurrent(lambda: rnn.GRU(3)), words(), gradients="train"),
    "gru_bidirectional_ntc": block(lambda: Recurrent(lambda: rnn.GRU(2, layout="NTC", bidirectional=True)), words()),
    "gru_states": block(lambda: Stateful(lambda: rnn.GRU(3, 2)), steps(4, 2, 3), steps(2, 2, 3)),
    "cells_lstm": block(lambda: Cells(lambda: rnn.LSTMCell(3), 3), steps(2, 3, 4), gradients="train"),
    "cells_gru": block(lambda: Cells(lambda: rnn.GRUCell(3), 2), steps(2, 2, 4)),
    "cells_stacked": block(
        lambda: Cells(
            lambda: stacked(
                lambda: rnn.RNNCell(3),
                lambda: rnn.DropoutCell(0.2),
                lambda: rnn.ResidualCell(rnn.LSTMCell(3)),
                lambda: rnn.ZoneoutCell(rnn.RNNCell(2, activation="relu"), 0.1, 0.1),
            ),
            3,
        ),
        steps(2, 3, 4),
    ),
    "cells_bidirectional": block(lambda: Cells(bidirectional, 3), steps(2, 3, 4)),
    "cells_symbols": symbol(unrolled, {"data": steps(3, 2, 4)}, gradients="train"),
    "foreach_lstm": block(Scan, steps(4, 2, 4), steps(2, 3), steps(2, 3), gradients="train"),
    "foreach_sums": block(RunningSum, steps(4, 3), steps(3)),
}
