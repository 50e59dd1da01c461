"""A language model: an LSTM learns to continue a text letter by letter, its state carried from batch to batch."""

from typing import Any

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn

TEXT = "how much wood would a woodchuck chuck if a woodchuck could chuck wood? as much as a woodchuck could. " * 20


class LanguageModel(gluon.Block):
    def __init__(self, vocabulary: int, hidden: int = 64, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.Embedding(vocabulary, 16)
            self.lstm = rnn.LSTM(hidden)
            self.output = nn.Dense(vocabulary, flatten=False)

    def forward(self, letters: nd.NDArray, state: list[nd.NDArray]) -> tuple[nd.NDArray, list[nd.NDArray]]:
        features, state = self.lstm(self.embedding(letters), state)
        return self.output(features), state


def main(epochs: int = 12, batch_size: int = 8, length: int = 25) -> float:
    mx.random.seed(4)
    letters = sorted(set(TEXT))
    codes = nd.array([letters.index(c) for c in TEXT])
    rows = codes[: len(codes) // batch_size * batch_size].reshape((batch_size, -1)).T
    net = LanguageModel(len(letters))
    net.initialize(mx.init.Xavier())
    criterion = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-2})
    average = float("inf")
    for epoch in range(epochs):
        state = net.lstm.begin_state(batch_size)
        total, count = nd.zeros((1,)), 0
        for start in range(0, len(rows) - 1 - length, length):
            x, y = rows[start : start + length], rows[start + 1 : start + 1 + length]
            with autograd.record():
                scores, state = net(x, state)
                loss = criterion(scores.reshape((-3, -1)), y.reshape((-1,)))
            loss.backward()
            gradients = [p.grad() for p in net.collect_params().values()]
            gluon.utils.clip_global_norm(gradients, 5 * batch_size * length)
            trainer.step(batch_size * length)
            total, count = total + loss.sum(), count + loss.size
        average = (total / count).asscalar()
        print(f"epoch {epoch + 1}: {average:.3f} nats a letter")
    return average


if __name__ == "__main__":
    main()
