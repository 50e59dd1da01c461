"""Operators of detection, sequences, sparse arrays, training; they run on this library and the real MXNet alike."""

import numpy as np
from workload import Job, Timed

import mxnet as mx
from mxnet import autograd, gluon, nd


def _job(run, loops: int = 1) -> Job:
    return Job(run, nd.waitall, loops)


def _boxes(random, *shape) -> np.ndarray:
    """Corners of boxes in a unit square."""
    start = random.rand(*shape, 2) * 0.9
    return np.concatenate([start, start + 0.02 + random.rand(*shape, 2) * 0.08], axis=-1)


def box_nms(argument: str) -> Job:
    """10,000 boxes of 20 classes."""
    random = np.random.RandomState(0)
    head = [random.randint(0, 20, (1, 10000, 1)), random.permutation(10000).reshape(1, 10000, 1) / 10000]
    boxes = nd.array(np.concatenate([*head, _boxes(random, 1, 10000)], axis=-1))
    return _job(lambda: [nd.contrib.box_nms(boxes, overlap_thresh=0.5, valid_thresh=0.01, id_index=0)])


def roi_align(argument: str) -> Job:
    """256 boxes on two maps of 256 channels, 38 x 50."""
    random = np.random.RandomState(0)
    features = nd.array(random.rand(2, 256, 38, 50))
    start = random.rand(256, 2) * 300
    corners = [random.randint(0, 2, (256, 1)), start, start + 20 + random.rand(256, 2) * 300]
    regions = nd.array(np.concatenate(corners, axis=1))
    arguments = {"pooled_size": (7, 7), "spatial_scale": 1 / 16, "sample_ratio": 2}
    return _job(lambda: [nd.contrib.ROIAlign(features, regions, **arguments)])


def multibox_target(argument: str) -> Job:
    """The anchors of SSD-300, a batch of 8 images with 10 objects each."""
    random = np.random.RandomState(0)
    maps = [(38, 2), (19, 3), (10, 3), (5, 3), (3, 2), (1, 2)]
    anchors = []
    for number, (side, ratios) in enumerate(maps):
        sizes = 0.1 + 0.15 * number, 0.17 + 0.15 * number
        shapes = {"sizes": sizes, "ratios": (1, 2, 0.5, 3, 1 / 3)[: 2 * ratios - 1]}
        anchors.append(nd.contrib.MultiBoxPrior(nd.zeros((1, 1, side, side)), **shapes))
    anchors = nd.concat(*anchors, dim=1)
    assert anchors.shape == (1, 8732, 4), anchors.shape
    labels = nd.array(np.concatenate([random.randint(0, 20, (8, 10, 1)), _boxes(random, 8, 10)], axis=-1))
    predictions = nd.array(random.randn(8, 21, 8732))
    mining = {"negative_mining_ratio": 3, "negative_mining_thresh": 0.5}
    return _job(lambda: nd.contrib.MultiBoxTarget(anchors, labels, predictions, **mining), loops=2)


def ctc_loss(argument: str) -> Job:
    """50 steps, batch 32, 60 classes, labels of 15; forward and backward."""
    random = np.random.RandomState(0)
    scores, labels = nd.array(random.randn(50, 32, 60)), nd.array(random.randint(1, 60, (32, 15)))
    scores.attach_grad()

    def run():
        with autograd.record():
            loss = nd.CTCLoss(scores, labels)
        loss.backward()
        return [loss, scores.grad]

    return _job(run, loops=5)


def _million() -> nd.NDArray:
    return nd.array(np.random.RandomState(0).permutation(1000000))


def topk(argument: str) -> Job:
    """The 100 largest of a million numbers, and where they are."""
    x = _million()
    return _job(lambda: nd.topk(x, k=100, ret_typ="both"), loops=5)


def sort(argument: str) -> Job:
    """A million numbers."""
    x = _million()
    return _job(lambda: [nd.sort(x)])


def _sparse_dot(transpose_a: bool):
    """A sparse matrix of 10,000 x 10,000, 1% of it stored, times a dense one of 10,000 x 64."""

    def made(argument: str) -> Job:
        random, rows, width = np.random.RandomState(0), 10000, 100
        columns = np.concatenate([np.sort(random.choice(rows, width, replace=False)) for _ in range(rows)])
        stored = random.rand(rows * width), columns, np.arange(0, rows * width + 1, width)
        matrix = nd.sparse.csr_matrix(stored, shape=(rows, rows), dtype="float32")
        dense = nd.array(random.rand(rows, 64))
        return _job(lambda: [nd.sparse.dot(matrix, dense, transpose_a=transpose_a)], loops=2)

    return made


def sparse_embedding(argument: str) -> Job:
    """A training step that touches 2,000 of the 100,000 rows of an Embedding; SGD leaves the others alone."""
    random = np.random.RandomState(0)
    layer = gluon.nn.Embedding(100000, 64, sparse_grad=True)
    layer.initialize(mx.init.One())
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    words, wanted = nd.array(random.permutation(100000)[:2000]), nd.array(random.rand(2000, 64))

    def run():
        with autograd.record():
            loss = (layer(words) - wanted).square().sum()
        loss.backward()
        trainer.step(1)
        return [loss, layer.weight.data()[:2000]]

    return _job(run, loops=5)


def multi_sgd(argument: str) -> Job:
    """SGD with momentum over 160 arrays of 64 x 64 in one call of the optimizer."""
    random = np.random.RandomState(0)
    weights = [nd.array(random.rand(64, 64)) for _ in range(160)]
    gradients = [nd.array(random.rand(64, 64)) for _ in range(160)]
    update = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=1e-3, momentum=0.9, wd=1e-4))
    numbers = list(range(160))

    def run():
        update(numbers, gradients, weights)
        return [weights[0], weights[-1]]

    return _job(run, loops=5)


WORKLOADS = {
    "box_nms": Timed(box_nms),
    "ROIAlign": Timed(roi_align),
    "MultiBoxTarget": Timed(multibox_target),
    "CTCLoss": Timed(ctc_loss),
    "topk": Timed(topk),
    "sort": Timed(sort),
    "sparse_dot": Timed(_sparse_dot(transpose_a=False)),
    "sparse_dot_transposed": Timed(_sparse_dot(transpose_a=True)),
    "sparse_embedding_step": Timed(sparse_embedding),
    "multi_sgd": Timed(multi_sgd),
}
