"""Workloads on MXNet's interface that have no counterpart in PyTorch; on this project and the real MXNet alike.

Operators of detection, sequences and sparse arrays, the growth of costs with the size of a network or file, record
files, `Module.fit`, and int8 on this project.
"""

import logging
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import constants
import inputs
import numpy as np
from adapter import Adapter
from networks_mxnet import fill, prepare
from worker import Job, Task, Timed, peak_memory
from workloads import STEPS

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.data.vision import ImageRecordDataset, transforms

# -- Operators: each function makes the inputs and returns the call ----------------------------------------------------

Call = Callable[[], list]


def _boxes(random: np.random.RandomState, *shape: int) -> np.ndarray:
    """Return corners of boxes in a unit square."""
    start = random.rand(*shape, 2) * 0.9
    return np.concatenate([start, start + 0.02 + random.rand(*shape, 2) * 0.08], axis=-1)


def _box_nms() -> Call:
    random = np.random.RandomState(0)
    head = [random.randint(0, 20, (1, 10000, 1)), random.permutation(10000).reshape(1, 10000, 1) / 10000]
    boxes = nd.array(np.concatenate([*head, _boxes(random, 1, 10000)], axis=-1))
    return lambda: [nd.contrib.box_nms(boxes, overlap_thresh=0.5, valid_thresh=0.01, id_index=0)]


def _roi_align() -> Call:
    random = np.random.RandomState(0)
    features = nd.array(random.rand(2, 256, 38, 50))
    start = random.rand(256, 2) * 300
    corners = [random.randint(0, 2, (256, 1)), start, start + 20 + random.rand(256, 2) * 300]
    regions = nd.array(np.concatenate(corners, axis=1))
    arguments = {"pooled_size": (7, 7), "spatial_scale": 1 / 16, "sample_ratio": 2}
    return lambda: [nd.contrib.ROIAlign(features, regions, **arguments)]


def _multibox_target() -> Call:
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
    return lambda: nd.contrib.MultiBoxTarget(anchors, labels, predictions, **mining)


def _ctc_loss() -> Call:
    random = np.random.RandomState(0)
    scores, labels = nd.array(random.randn(50, 32, 60)), nd.array(random.randint(1, 60, (32, 15)))
    scores.attach_grad()

    def run():
        with autograd.record():
            loss = nd.CTCLoss(scores, labels)
        loss.backward()
        return [loss, scores.grad]

    return run


def _million() -> nd.NDArray:
    return nd.array(np.random.RandomState(0).permutation(1000000))


def _topk() -> Call:
    x = _million()
    return lambda: nd.topk(x, k=100, ret_typ="both")


def _sort() -> Call:
    x = _million()
    return lambda: [nd.sort(x)]


def _sparse_dot(transpose_a: bool) -> Call:
    random, rows, width = np.random.RandomState(0), 10000, 100
    columns = np.concatenate([np.sort(random.choice(rows, width, replace=False)) for _ in range(rows)])
    stored = random.rand(rows * width), columns, np.arange(0, rows * width + 1, width)
    matrix = nd.sparse.csr_matrix(stored, shape=(rows, rows), dtype="float32")
    dense = nd.array(random.rand(rows, 64))
    return lambda: [nd.sparse.dot(matrix, dense, transpose_a=transpose_a)]


def _sparse_embedding() -> Call:
    random = np.random.RandomState(0)
    layer = gluon.nn.Embedding(100000, 64, sparse_grad=True)
    layer.initialize(mx.init.One())
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    words, target = nd.array(random.permutation(100000)[:2000]), nd.array(random.rand(2000, 64))

    def run():
        with autograd.record():
            loss = (layer(words) - target).square().sum()
        loss.backward()
        trainer.step(1)
        return [loss, layer.weight.data()[:2000]]

    return run


def _multi_sgd() -> Call:
    random = np.random.RandomState(0)
    weights = [nd.array(random.rand(64, 64)) for _ in range(160)]
    gradients = [nd.array(random.rand(64, 64)) for _ in range(160)]
    update = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=1e-3, momentum=0.9, wd=1e-4))
    numbers = list(range(160))

    def run():
        update(numbers, gradients, weights)
        return [weights[0], weights[-1]]

    return run


OPERATORS: dict[str, tuple[int, Callable[[], Call]]] = {  # calls per measurement
    "box_nms": (1, _box_nms),
    "ROIAlign": (1, _roi_align),
    "MultiBoxTarget": (2, _multibox_target),
    "CTCLoss": (5, _ctc_loss),
    "topk": (5, _topk),
    "sort": (1, _sort),
    "sparse_dot": (2, partial(_sparse_dot, transpose_a=False)),
    "sparse_dot_transposed": (2, partial(_sparse_dot, transpose_a=True)),
    "sparse_embedding_step": (5, _sparse_embedding),
    "multi_sgd": (5, _multi_sgd),
}


def _operator(name: str, argument: str) -> Job:
    loops, make = OPERATORS[name]
    return Job(make(), nd.waitall, loops)


# -- Growth of costs ---------------------------------------------------------------------------------------------------

NODES_PER_LAYER, NUM_CALLS, NUM_ARRAYS = 4, 200, 100
LEAST_SIDE, NUM_SIDES = 8, 40  # of images of many shapes


class _Long(gluon.HybridBlock):
    """A network of so many operators that all share one weight."""

    def __init__(self, nodes: int) -> None:
        super().__init__()
        self._layers = nodes // NODES_PER_LAYER
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=(constants.GROWTH_UNITS, constants.GROWTH_UNITS), init=mx.init.Constant(0.01)
            )
            self.bias = self.params.get("bias", shape=(constants.GROWTH_UNITS,), init="zeros")

    def hybrid_forward(self, F, x, weight, bias):
        for _ in range(self._layers):
            x = F.tanh(F.FullyConnected(x, weight, bias, num_hidden=constants.GROWTH_UNITS)) * 0.5 + x
        return x


def _first_step(argument: str) -> Job:
    """Measure the first recorded call of a new network and its backward: tracing, compiling, running once."""
    data = nd.array(inputs.images(constants.GROWTH_BATCH, constants.GROWTH_UNITS) * 1e-3)

    def run():
        net = _Long(int(argument))
        net.initialize()
        net.hybridize()
        with autograd.record():
            found = net(data)
        found.backward()
        return [found, net.bias.grad()]

    return Job(run, nd.waitall)


def _tojson(argument: str) -> Job:
    """Measure the serialization of a graph; the outcome is its number of nodes."""
    symbol = _Long(int(argument))(mx.sym.Variable("data"))
    return Job(lambda: [[symbol.tojson().count('"op"')]])


class _Unused(gluon.HybridBlock):
    """One layer that is called, and many parameters that are not used."""

    def __init__(self, unused: int) -> None:
        super().__init__()
        with self.name_scope():
            self.used, self.unused = nn.Dense(4, in_units=4), nn.HybridSequential()
            for _ in range(unused // 2):  # each has a weight and a bias
                self.unused.add(nn.Dense(1, in_units=1))

    def hybrid_forward(self, F, x):
        return self.used(x)


def _unused_parameters(argument: str) -> Job:
    """Measure a call of a network with so many unused parameters: `10000 hybridized`."""
    count, mode = argument.split()
    net, data = _Unused(int(count)), nd.ones((3, 4))
    net.initialize(mx.init.One())
    if mode == "hybridized":
        net.hybridize()

    def run():
        for _ in range(NUM_CALLS):
            found = net(data)
        return [found]

    return Job(run, nd.waitall, warm_up=2, share=NUM_CALLS)


def _memory(kind: str = "VmRSS") -> float:
    """Return the memory of the process in megabytes; `RssAnon` excludes pages of files, which the system may drop."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition(f"{kind}:")[2].split()[0]) / 1024


def _memory_growth(argument: str) -> float:
    """Return the megabytes by which the process grows over so many recorded steps whose losses are added up."""
    variable, other, total = nd.ones((3, 4)), nd.ones((3, 4)), nd.zeros((1,))
    variable.attach_grad()

    def steps(count: int) -> None:
        nonlocal total
        for _ in range(count):
            with autograd.record():
                loss = (variable * other).sum()
            loss.backward()
            total += loss
        total.wait_to_read()

    steps(2000)
    start = peak_memory("")
    steps(int(argument))
    return peak_memory("") - start


def _save_large(argument: str) -> float:
    """Write a file of so many megabytes, `2000 /tmp/x.params`; not a measurement."""
    megabytes, _, path = argument.partition(" ")
    one = nd.ones((int(megabytes) * 250000 // NUM_ARRAYS,))
    nd.save(path, {f"layer{number}_weight": one for number in range(NUM_ARRAYS)})
    return 0.0


def _load_large(argument: str) -> tuple[float, float, float]:
    """Open a file and read one element of each of its arrays.

    Returns:
        Megabytes by which the process grows without pages of the file, the same with them, and seconds.
    """
    nd.ones(3)[0].asscalar()
    kinds = ("RssAnon", "VmRSS")
    memory, start = [_memory(kind) for kind in kinds], time.perf_counter()
    arrays = nd.load(argument)
    for array in arrays.values():
        assert array[len(array) // 2].asscalar() == 1
    seconds = time.perf_counter() - start
    own, resident = (_memory(kind) - earlier for kind, earlier in zip(kinds, memory, strict=True))
    return own, resident, seconds


def _many_shapes(argument: str) -> tuple[float, float]:
    """Return the megabytes by which the process grows over images of so many shapes, and the seconds for one.

    The first tenth does not count: it fills what every program needs once.
    """
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 3, activation="relu"), nn.Conv2D(16, 3, activation="relu"))
    net.add(nn.GlobalAvgPool2D(), nn.Dense(10))
    net.initialize()
    net.hybridize()
    count = int(argument)
    for number in range(count):
        if number == count // 10:
            memory, start = _memory(), time.perf_counter()
        shape = (1, 3, LEAST_SIDE + number // NUM_SIDES, LEAST_SIDE + number % NUM_SIDES)
        net(nd.array(np.zeros(shape, "float32"))).wait_to_read()
    return _memory() - memory, (time.perf_counter() - start) / (count - count // 10)


# -- Record files ------------------------------------------------------------------------------------------------------

NUM_RECORD_READS, RECORD_BATCH = 10000, 40


def _count_records(prefix: str) -> int:
    with open(f"{prefix}.idx", encoding="utf-8") as lines:
        return sum(1 for _ in lines)


def _record_iter(argument: str, threads: int) -> Job:
    """Measure an image of `ImageRecordIter`: resize 256, crop 224."""
    iterator = mx.io.ImageRecordIter(
        path_imgrec=f"{argument}.rec",
        data_shape=(3, 224, 224),
        batch_size=RECORD_BATCH,
        resize=256,
        preprocess_threads=threads,
    )

    def run():
        iterator.reset()
        for batch in iterator:
            batch.data[0].wait_to_read()
        return [batch.data[0], batch.label[0]]

    return Job(run, nd.waitall, share=_count_records(argument))


def _record_loader(adapter: Adapter, argument: str) -> Job:
    """Measure an image of the same file as a dataset of Gluon with two workers."""
    crop = transforms.Compose(
        [transforms.Resize(256, keep_ratio=True), transforms.CenterCrop(224), transforms.ToTensor()]
    )
    dataset = ImageRecordDataset(f"{argument}.rec").transform_first(crop)
    loader = gluon.data.DataLoader(dataset, RECORD_BATCH, num_workers=2)
    return Job(lambda: adapter.read(loader), nd.waitall, share=_count_records(argument))


def _random_reads(argument: str) -> Job:
    """Measure reading a record of an indexed file by its key, in random order."""
    records = mx.recordio.MXIndexedRecordIO(f"{argument}.idx", f"{argument}.rec", "r")
    keys = np.random.RandomState(4).choice(records.keys, NUM_RECORD_READS).tolist()
    return Job(lambda: [[len(records.read_idx(key)) for key in keys]], share=NUM_RECORD_READS)


# -- Whole jobs --------------------------------------------------------------------------------------------------------


def clothes_iterator() -> mx.io.NDArrayIter:
    """Return an iterator over the normalized images, as `Module.fit` takes it."""
    images, labels = inputs.normalized_clothes()
    return mx.io.NDArrayIter(
        images, labels, constants.CLOTHES_BATCH, last_batch_handle="discard", label_name="softmax_label"
    )


def _module_fit(adapter: Adapter, argument: str) -> Job:
    """Measure an epoch of `Module.fit`."""
    network, iterator, metric = adapter.network(STEPS["lenet_train"]), clothes_iterator(), mx.metric.Accuracy()
    fill(network)
    nd.waitall()
    heads = mx.sym.SoftmaxOutput(network.net(mx.sym.Variable("data")), name="softmax")
    quiet = logging.getLogger("module_fit")
    quiet.setLevel(logging.ERROR)  # `fit` warns that it has been called before
    module = mx.mod.Module(heads, logger=quiet)
    parameters = {name: parameter.data() for name, parameter in network.net.collect_params().items()}

    def run():
        iterator.reset()
        settings = {"learning_rate": constants.CLOTHES_RATE}
        module.fit(iterator, None, metric, optimizer_params=settings, arg_params=parameters, num_epoch=1)
        return [nd.array([metric.get()[1]])]

    return Job(run, nd.waitall, warm_up=2, checked=1)


def _int8_resnet18(adapter: Adapter, argument: str) -> Job:
    """Measure ResNet-18 in int8, calibrated with random images; on this project only."""
    from mxnet.contrib.quantization import quantize_net_v2

    network = adapter.network(STEPS["resnet18_infer_8"])
    prepare(network, "hybridized")
    quantized = quantize_net_v2(network.net, calib_data=network.data, calib_mode="naive")
    quantized.hybridize()
    return Job(lambda: [quantized(*network.data)], nd.waitall, warm_up=40, checked=1)


def _instructions(argument: str) -> str:
    """Return the instruction sets of torch's kernels and of this project's kernels; on this project only."""
    import torch  # the Python of the real MXNet has neither

    from regluon import native

    return f"{torch.backends.cpu.get_cpu_capability()} {native.version() or 'none'}"


def make_own_tasks(adapter: Adapter) -> dict[str, Task]:
    """Return the tasks of this file by the first word of their requests."""
    return {
        **{name: Timed(partial(_operator, name)) for name in OPERATORS},
        "first_step": Timed(_first_step),
        "tojson": Timed(_tojson),
        "unused_parameters": Timed(_unused_parameters),
        "memory_growth": _memory_growth,
        "save_large": _save_large,
        "load_large": _load_large,
        "many_shapes": _many_shapes,
        "ImageRecordIter_1_thread": Timed(partial(_record_iter, threads=1)),
        "ImageRecordIter_2_threads": Timed(partial(_record_iter, threads=2)),
        "ImageRecordDataset_2_workers": Timed(partial(_record_loader, adapter)),
        "read_idx": Timed(_random_reads),
        "module_fit": Timed(partial(_module_fit, adapter)),
        "int8_resnet18": Timed(partial(_int8_resnet18, adapter)),
        "instructions": _instructions,
    }
