"""Train LeNet on real images with any number of processes; the batch that they share keeps its size.

    python examples/distributed.py                                            one process
    python -m mxnet.launch -n 4 python examples/distributed.py                four
    python -m mxnet.launch -n 4 --max-restarts 3 python examples/distributed.py --folder run
                                                                              four that come back when one is killed

`torchrun --nproc-per-node=4 examples/distributed.py` does the same; docs/DISTRIBUTED.md says more.
"""

import argparse

from lenet import make_lenet
from samples import dataset
from tqdm import tqdm

import mxnet as mx
from mxnet import autograd, gluon
from mxnet.gluon.contrib import Checkpoint
from mxnet.gluon.data import DataLoader, DistributedSampler
from regluon.distributed import launched


def main(
    data: str = "clothes",
    epochs: int = 4,
    batch_size: int = 64,
    limit: int | None = None,
    folder: str | None = None,
) -> float | None:
    launch = launched()
    rank, size = (launch.rank, launch.size) if launch else (0, 1)
    mx.random.seed(0)
    net = make_lenet()
    net.initialize(mx.init.Xavier())
    net(mx.nd.zeros((1, 1, 28, 28) if data == "clothes" else (1, 1, 24, 24)))
    kvstore = "dist_sync" if launch else "device"
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3}, kvstore=kvstore)
    samples = dataset(data, train=True).take(limit)
    sampler = DistributedSampler(samples, seed=1)
    loader = DataLoader(samples, batch_size // size, sampler=sampler)
    criterion = gluon.loss.SoftmaxCrossEntropyLoss()
    checkpoint = Checkpoint(folder, net, trainer) if folder else None
    progress = (checkpoint.restore() if checkpoint else None) or {"epoch": 0}
    sampler.set_epoch(progress["epoch"])
    for epoch in range(progress["epoch"], epochs):
        for images, labels in tqdm(loader, desc=f"epoch {epoch + 1}", unit="batch", disable=rank > 0):
            with autograd.record():
                loss = criterion(net(images), labels)
            loss.backward()
            trainer.step(len(images) * size)  # gradients are added up over all processes
        if checkpoint:
            checkpoint.save(epoch=epoch + 1)
    return accuracy(net, data, size) if rank == 0 else None


def accuracy(net: gluon.Block, data: str, size: int) -> float:
    metric = mx.metric.Accuracy()
    test = dataset(data, train=False)
    for images, labels in DataLoader(test, batch_size=500):
        metric.update(labels, net(images))
    right = metric.get()[1]
    print(f"trained by {size} process{'es' * (size > 1)}: {right:.1%} of {len(test)} test images right")
    return right


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=("clothes", "digits"), default="clothes")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64, help="of all processes together")
    parser.add_argument("--folder", help="where checkpoints go, from which a run that was interrupted goes on")
    main(**vars(parser.parse_args()))
