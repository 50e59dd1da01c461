"""Face recognition as insightface does it: record files, a margin loss, and the question "are these two the same?".

`face_files.py` makes and reads the files. Needs OpenCV: `pip install 'regluon[image]'`.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from face_files import FaceDataset, arrange, pack_images
from samples import digits

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


class ArcFace(gluon.HybridBlock):
    """A loss: each face must be nearer to its own person than to all others, by an angle."""

    def __init__(self, people: int, size: int, scale: float = 16, margin: float = 0.3) -> None:
        super().__init__()
        self._people, self._scale, self._margin = people, scale, margin
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(people, size))

    def hybrid_forward(self, F: Any, embedding: Any, person: Any, weight: Any) -> Any:
        cosine = F.dot(F.L2Normalization(embedding), F.L2Normalization(weight), transpose_b=True)
        angle = F.arccos(F.clip(cosine, -0.999, 0.999)) + self._margin * F.one_hot(person, self._people)
        return -F.pick(F.log_softmax(self._scale * F.cos(angle)), person)


def verification(net: gluon.Block) -> float:
    """How often the cosine tells whether two unseen pictures show the same person; guessing gives a half."""
    images, people = digits(train=False)
    embeddings = nd.L2Normalization(net(images))
    pairs = np.triu_indices(len(images), 1)
    cosine = nd.dot(embeddings, embeddings, transpose_b=True).asnumpy()[pairs]
    same = np.equal.outer(people.asnumpy(), people.asnumpy())[pairs]
    return max(
        float(np.mean([(cosine > t)[same].mean(), (cosine <= t)[~same].mean()])) for t in np.linspace(-1, 1, 101)
    )


def main(epochs: int = 4, limit: int | None = None, workers: int = 2, folder: str | None = None) -> float:
    mx.random.seed(6)
    home = Path(folder or tempfile.mkdtemp())
    with pack_images(home, limit) as packed:
        arrange(packed, home)
    faces = FaceDataset(home)
    print(f"{home / 'train.rec'} has {len(faces)} faces of {faces.people} people")
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 3, strides=2, activation="relu"), nn.Conv2D(32, 3, strides=2), nn.BatchNorm())
    net.add(nn.Activation("relu"), nn.Dense(32))
    criterion = ArcFace(faces.people, size=32)
    for block in (net, criterion):
        block.initialize(mx.init.Xavier())
        block.hybridize()
    trainer = gluon.Trainer({**net.collect_params(), **criterion.collect_params()}, "adam", {"learning_rate": 2e-3})
    loader = gluon.data.DataLoader(faces, 64, shuffle=True, num_workers=workers)
    right = verification(net)
    for epoch in range(epochs):
        total = nd.zeros((1,))
        for images, people in loader:
            with autograd.record():
                loss = criterion(net(images), people)
            loss.backward()
            trainer.step(len(images))
            total += loss.sum()
        right = verification(net)
        print(f"epoch {epoch + 1}: loss {total.asscalar() / len(faces):.3f}, verification {right:.1%}")
    return right


if __name__ == "__main__":
    main()
