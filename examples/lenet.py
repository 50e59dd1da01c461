"""Trains LeNet on real pictures, saves it, loads it again and shows what it sees: what `make demo` runs.

`python examples/lenet.py` learns clothing; `--data digits` makes it handwritten digits.
"""

import argparse
import tempfile
from pathlib import Path

from samples import CLOTHES, clothes, digits, draw
from tqdm import tqdm

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


def make_lenet() -> nn.HybridSequential:
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(
            nn.Conv2D(channels=20, kernel_size=5, activation="relu"),
            nn.MaxPool2D(pool_size=2, strides=2),
            nn.Conv2D(channels=50, kernel_size=5, activation="relu"),
            nn.MaxPool2D(pool_size=2, strides=2),
            nn.Flatten(),
            nn.Dense(128, activation="relu"),
            nn.Dense(10),
        )
    return net


def accuracy(net: gluon.Block, images: nd.NDArray, labels: nd.NDArray) -> float:
    return nd.mean(net(images).argmax(axis=1) == labels).asscalar()


def train(net: gluon.Block, images: nd.NDArray, labels: nd.NDArray, epochs: int, batch_size: int = 64) -> None:
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(images, labels), batch_size, shuffle=True)
    criterion = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    for epoch in range(epochs):
        total = nd.zeros((1,))
        bar = tqdm(loader, desc=f"epoch {epoch + 1}", unit="batch")
        for data, label in bar:
            with autograd.record():
                loss = criterion(net(data), label)
            loss.backward()
            trainer.step(data.shape[0])
            total += loss.sum()
        print(f"epoch {epoch + 1}: average loss {total.asscalar() / len(labels):.3f}")


def main(
    data: str = "clothes", epochs: int | None = None, limit: int | None = None, folder: str | None = None
) -> float:
    mx.random.seed(0)
    load, names = (clothes, CLOTHES) if data == "clothes" else (digits, tuple("0123456789"))
    images, labels = (array[:limit] for array in load(train=True))
    test_images, test_labels = load(train=False)
    net = make_lenet()
    net.initialize(mx.init.Xavier())
    train(net, images, labels, epochs or (4 if data == "clothes" else 8))
    path = Path(folder or tempfile.mkdtemp()) / "lenet.params"
    net.save_parameters(path)
    again = make_lenet()
    again.load_parameters(path)
    right = accuracy(again, test_images, test_labels)
    guesses = again(test_images[:8]).argmax(axis=1).asnumpy()
    draw(test_images[:8], [names[int(guess)] for guess in guesses], path.with_suffix(".png"))
    print(f"saved to {path}, loaded again: {right:.1%} of {len(test_labels)} test pictures right")
    print(f"some of them, with what the network takes them for: {path.with_suffix('.png')}")
    return right


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=("clothes", "digits"), default="clothes")
    parser.add_argument("--epochs", type=int)
    main(**vars(parser.parse_args()))
