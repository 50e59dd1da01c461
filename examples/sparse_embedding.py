"""Sparse gradients: people rate films, and a step touches only the people and films of its batch.

A table of 200,000 people would otherwise be read and written whole for 256 ratings: `main(sparse=False)` does that.
"""

from time import perf_counter
from typing import Any

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

PEOPLE, FILMS = 200_000, 1_000


class Ratings(gluon.HybridBlock):
    """Taste times character: a rating is the product of two vectors that are learned."""

    def __init__(self, size: int, sparse: bool) -> None:
        super().__init__()
        start = mx.init.Normal(0.1)
        with self.name_scope():
            self.people = nn.Embedding(PEOPLE, size, weight_initializer=start, sparse_grad=sparse)
            self.films = nn.Embedding(FILMS, size, weight_initializer=start, sparse_grad=sparse)

    def hybrid_forward(self, F: Any, person: Any, film: Any) -> Any:
        return F.sum(self.people(person) * self.films(film), axis=1)


def main(steps: int = 300, batch_size: int = 256, sparse: bool = True) -> tuple[float, gluon.Block]:
    mx.random.seed(1)
    tastes, characters = nd.random.normal(shape=(PEOPLE, 2)), nd.random.normal(shape=(FILMS, 2))
    net = Ratings(size=8, sparse=sparse)
    net.initialize()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    criterion = gluon.loss.L2Loss()
    start, error = perf_counter(), 0.0
    for step in range(1, steps + 1):
        person = nd.random.randint(0, 300, shape=(batch_size,))  # only few people rate at this time of the day
        film = nd.random.randint(0, FILMS, shape=(batch_size,))
        rating = (tastes.take(person) * characters.take(film)).sum(axis=1)
        with autograd.record():
            loss = criterion(net(person, film), rating)
        loss.backward()
        trainer.step(batch_size)
        if step % 100 == 0 or step == steps:
            error = loss.mean().asscalar()
            print(f"step {step}: loss {error:.3f}, {1000 * (perf_counter() - start) / step:.1f} ms a step")
    gradient = net.people.weight.grad()
    if isinstance(gradient, nd.sparse.RowSparseNDArray):
        print(f"the gradient is {gradient.stype}: {len(gradient.indices)} rows of {len(gradient)}, the first ones of")
        print("people", gradient.indices[:8].asnumpy())
    return error, net


if __name__ == "__main__":
    main()
