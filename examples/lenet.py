"""Trains LeNet on real pictures, saves it, loads it again and shows what it sees: what `make demo` runs.

`python examples/lenet.py` learns clothing; `--data digits` makes it handwritten digits.
"""

import argparse
import tempfile
from pathlib import Path

from samples import CLOTHES, DATA, digits, draw
from tqdm import tqdm

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.data import ArrayDataset, DataLoader, Dataset
from mxnet.gluon.data.vision import FashionMNIST, transforms


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
    net.hybridize()
    return net


def pictures(data: str, train: bool) -> Dataset:
    if data == "digits":
        return ArrayDataset(*digits(train))
    return FashionMNIST(DATA / "fashion", train).transform_first(transforms.ToTensor())


def train(net: gluon.Block, data: Dataset, epochs: int, batch_size: int = 64) -> None:
    loader = DataLoader(data, batch_size, shuffle=True)
    criterion = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    for epoch in range(epochs):
        total = nd.zeros((1,))
        for images, labels in tqdm(loader, desc=f"epoch {epoch + 1}", unit="batch"):
            with autograd.record():
                loss = criterion(net(images), labels)
            loss.backward()
            trainer.step(len(images))
            total += loss.sum()
        print(f"epoch {epoch + 1}: average loss {total.asscalar() / len(data):.3f}")


def main(
    data: str = "clothes", epochs: int | None = None, limit: int | None = None, folder: str | None = None
) -> float:
    mx.random.seed(0)
    names = CLOTHES if data == "clothes" else tuple("0123456789")
    net = make_lenet()
    net.initialize(mx.init.Xavier())
    train(net, pictures(data, train=True).take(limit), epochs or (4 if data == "clothes" else 8))
    path = Path(folder or tempfile.mkdtemp()) / "lenet.params"
    net.save_parameters(path)
    again = make_lenet()
    again.load_parameters(path)
    accuracy = mx.metric.Accuracy()
    test = pictures(data, train=False)
    for images, labels in DataLoader(test, batch_size=500):
        accuracy.update(labels, again(images))
    images, _ = test[:8]
    draw(images, [names[int(guess)] for guess in again(images).argmax(axis=1).asnumpy()], path.with_suffix(".png"))
    right = accuracy.get()[1]
    print(f"saved to {path}, loaded again: {right:.1%} of {len(test)} test pictures right")
    print(f"some of them, with what the network takes them for: {path.with_suffix('.png')}")
    return right


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=("clothes", "digits"), default="clothes")
    parser.add_argument("--epochs", type=int)
    main(**vars(parser.parse_args()))
