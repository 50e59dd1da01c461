"""Train LeNet on images of clothing, save it, load it again and draw its predictions. `make demo` runs this program.

`python examples/lenet.py --data digits` trains on handwritten digits instead.
"""

import argparse
import time
from pathlib import Path

from lenet_report import History, describe_kernels, make_figure
from samples import CLOTHES, dataset
from tqdm import tqdm

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.data import DataLoader, Dataset

FOLDER = Path(__file__).parents[1] / "build" / "demo"
INTERVAL = 8  # batches for each point of the loss curve


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


def evaluate(net: gluon.Block, data: Dataset) -> float:
    """Return the share of images that the network classifies correctly."""
    accuracy = mx.metric.Accuracy()
    for images, labels in DataLoader(data, batch_size=500):
        accuracy.update(labels, net(images))
    return accuracy.get()[1]


def train(net: gluon.Block, data: Dataset, test: Dataset, epochs: int, batch_size: int = 64) -> History:
    loader = DataLoader(data, batch_size, shuffle=True, last_batch="discard")
    criterion = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    history, total = History(), nd.zeros((1,))
    for epoch in range(epochs):
        progress = tqdm(loader, desc=f"epoch {epoch + 1} of {epochs}", unit="batch", disable=None)  # on a terminal only
        for batch, (images, labels) in enumerate(progress, epoch * len(loader) + 1):
            with autograd.record():
                loss = criterion(net(images), labels)
            loss.backward()
            trainer.step(batch_size)
            total += loss.mean()
            if batch % INTERVAL == 0:
                history.losses.append((batch / len(loader), total.asscalar() / INTERVAL))
                total[:] = 0
        history.accuracies.append((epoch + 1, evaluate(net, test)))
        last_loss, accuracy = history.losses[-1][1], history.accuracies[-1][1]
        print(f"epoch {epoch + 1}: training loss {last_loss:.3f}, test accuracy {accuracy:.1%}", flush=True)
    return history


def main(kind: str = "clothes", epochs: int = 4, limit: int | None = None, folder: Path = FOLDER) -> float:
    mx.random.seed(0)
    names = CLOTHES if kind == "clothes" else tuple("0123456789")
    data, test = dataset(kind, train=True).take(limit), dataset(kind, train=False)
    print(f"Training LeNet on {len(data):,} images, testing on {len(test):,}.", flush=True)
    net, start = make_lenet(), time.perf_counter()
    net.initialize(mx.init.Xavier())
    history = train(net, data, test, epochs)
    seconds = time.perf_counter() - start

    folder.mkdir(parents=True, exist_ok=True)
    net.save_parameters(folder / "lenet.params")
    reloaded = make_lenet()
    reloaded.load_parameters(folder / "lenet.params")
    accuracy = evaluate(reloaded, test)
    print(f"Trained in {seconds:.1f} s; {accuracy:.1%} of the test images are correct after saving and loading again.")
    title = f"LeNet after {seconds:.0f} s of training: {accuracy:.1%} of {len(test):,} test images correct"
    make_figure(history, reloaded, test, names, title).savefig(folder / "lenet.png")
    print(describe_kernels())
    print(f"Curves and predictions: {folder / 'lenet.png'}")
    return accuracy


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", dest="kind", choices=("clothes", "digits"), default="clothes")
    parser.add_argument("--epochs", type=int, default=4)
    main(**vars(parser.parse_args()))
