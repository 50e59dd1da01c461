"""Reading data: loaders, record files, images. Runs on this library and on the real MXNet 1.9.1 alike."""

import inputs
import numpy as np
from workload import Job, Timed

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon.data.vision import ImageRecordDataset, transforms

_READS = 10000
_RECORD_BATCH = 40


def _reading(loader, count: int) -> Job:
    """Seconds for an image, of a whole pass."""

    def run():
        for batch in loader:
            batch[0].wait_to_read()  # a batch is there when its numbers are
        return batch

    return Job(run, nd.waitall, share=count)


def _memory_loader(workers: int) -> Timed:
    """Images in memory, turned into numbers around 0 one by one."""

    def made(argument: str) -> Job:
        images, labels = inputs.digits()
        normal = transforms.Compose([transforms.ToTensor(), transforms.Normalize(inputs.MEAN, inputs.DEVIATION)])
        dataset = gluon.data.ArrayDataset(nd.array(images, dtype="uint8"), labels).transform_first(normal)
        loader = gluon.data.DataLoader(dataset, inputs.BATCH, sampler=inputs.order(), num_workers=workers)
        return _reading(loader, inputs.READ)

    return Timed(made)


def _record_iter(threads: int) -> Timed:
    """`ImageRecordIter` over a record file: resize 256, crop 224."""

    def made(argument: str) -> Job:
        iterator = mx.io.ImageRecordIter(
            path_imgrec=f"{argument}.rec",
            data_shape=(3, 224, 224),
            batch_size=_RECORD_BATCH,
            resize=256,
            preprocess_threads=threads,
        )

        def run():
            iterator.reset()
            for batch in iterator:
                batch.data[0].wait_to_read()
            return [batch.data[0], batch.label[0]]

        return Job(run, nd.waitall, share=_count(argument))

    return Timed(made)


def _record_loader(argument: str) -> Job:
    """The same file as a dataset of Gluon with two workers."""
    crop = transforms.Compose(
        [transforms.Resize(256, keep_ratio=True), transforms.CenterCrop(224), transforms.ToTensor()]
    )
    dataset = ImageRecordDataset(f"{argument}.rec").transform_first(crop)
    return _reading(gluon.data.DataLoader(dataset, _RECORD_BATCH, num_workers=2), _count(argument))


def _random_reads(argument: str) -> Job:
    """Records of an indexed file by their keys, in random order; seconds for each."""
    records = mx.recordio.MXIndexedRecordIO(f"{argument}.idx", f"{argument}.rec", "r")
    keys = np.random.RandomState(4).choice(records.keys, _READS).tolist()
    return Job(lambda: [[len(records.read_idx(key)) for key in keys]], share=_READS)


def _count(prefix: str) -> int:
    with open(f"{prefix}.idx", encoding="utf-8") as lines:
        return sum(1 for _ in lines)


WORKLOADS = {
    "loader_0_workers": _memory_loader(0),
    "loader_2_workers": _memory_loader(2),
    "ImageRecordIter_1_thread": _record_iter(1),
    "ImageRecordIter_2_threads": _record_iter(2),
    "ImageRecordDataset_2_workers": Timed(_record_loader),
    "read_idx": Timed(_random_reads),
}
