"""Small programs about datasets, samplers, loaders and transforms; each leaves its result in `out`.

They find `folder`, which `make_files` filled, and names that the recorder and the test put there: mx, nd, np, gluon,
data, vision, T (the transforms) and `os`.
"""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import cv2
import numpy as np


def _idx(array: Any) -> bytes:
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()


def make_files(folder: Path, mx: Any) -> None:
    """Writes small data sets of every kind."""
    random = np.random.RandomState(0)
    for name in ("mnist", "fashion"):
        (folder / name).mkdir()
        for part, count in (("train", 5), ("t10k", 3)):
            images = random.randint(0, 256, (count, 28, 28)).astype("uint8")
            labels = random.randint(0, 10, count).astype("uint8")
            (folder / name / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(_idx(images), mtime=0))
            (folder / name / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(_idx(labels), mtime=0))
    for name, label_bytes, files in (
        ("cifar10", 1, [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]),
        ("cifar100", 2, ["train.bin", "test.bin"]),
    ):
        (folder / name).mkdir()
        for file in files:
            records = random.randint(0, 256, (2, label_bytes + 3072)).astype("uint8")
            records[:, :label_bytes] %= 10
            (folder / name / file).write_bytes(records.tobytes())
    for kind in ("cat", "dog"):
        (folder / "images" / kind).mkdir(parents=True)
        for number in range(2):
            pixels = random.randint(0, 256, (4, 5, 3)).astype("uint8")
            cv2.imwrite(str(folder / "images" / kind / f"{number}.png"), pixels)
    writer = mx.recordio.MXIndexedRecordIO(str(folder / "data.idx"), str(folder / "data.rec"), "w")
    for number in range(3):
        pixels = random.randint(0, 256, (4, 5, 3)).astype("uint8")
        label = float(number) if number < 2 else [1.0, 2.0]
        header = mx.recordio.IRHeader(0, label, number, 0)
        writer.write_idx(number, mx.recordio.pack_img(header, pixels, quality=3, img_fmt=".png"))
    writer.close()


IMAGE = "x = nd.array(np.arange(6 * 5 * 3).reshape((6, 5, 3)) * 2 % 256, dtype='uint8')\n"
TENSOR = "x = nd.array(np.arange(3 * 6 * 5).reshape((3, 6, 5)) / 90)\n"
PAIRS = "pairs = data.ArrayDataset(nd.arange(14).reshape((7, 2)), np.arange(7))\n"

PROGRAMS = {
    "array": PAIRS + "out = [len(pairs), pairs[2], pairs[-1]]",
    "array_of_one": "out = [data.ArrayDataset(nd.arange(4))[1], data.ArrayDataset([5, 6])[0]]",
    "simple": "out = [data.SimpleDataset([1, (2, 3)])[1], len(data.SimpleDataset(nd.ones((3, 2))))]",
    "transform": PAIRS + "out = [pairs.transform(lambda a, b: a * b)[3], pairs.transform_first(lambda a: -a)[3]]",
    "transform_now": PAIRS + "out = [s for s in pairs.transform(lambda a, b: (b, a), lazy=False)]",
    "transform_list": "out = data.SimpleDataset([[1, 2]]).transform(lambda x: x[::-1])[0]",
    "filter": "out = [s for s in data.SimpleDataset(list(range(9))).filter(lambda x: x % 3 == 0)]",
    "shards": "out = [[s for s in data.SimpleDataset(list(range(8))).shard(3, i)] for i in range(3)]",
    "take": "d = data.SimpleDataset(list(range(5)))\nout = [[s for s in d.take(n)] for n in (0, 2, 9, None)]",
    "sample": "out = [s for s in data.SimpleDataset(list('abcdef')).sample(data.SequentialSampler(3, 2))]",
    "lengths": (
        "d = data.SimpleDataset(list(range(7)))\n"
        "out = [len(data.DataLoader(d, 3, last_batch=k)) for k in (None, 'keep', 'discard', 'rollover')]"
    ),
    "sequential": "out = [list(data.SequentialSampler(3, 2)), len(data.RandomSampler(4))]",
    "batches": (
        "out = []\n"
        "for kind in ('keep', 'discard', 'rollover'):\n"
        "    s = data.BatchSampler(data.SequentialSampler(7), 3, kind)\n"
        "    out.append([[len(s), list(s)] for _ in range(3)])"
    ),
    "interval": (
        "from mxnet.gluon.contrib.data import IntervalSampler\n"
        "out = [list(IntervalSampler(13, 3)), list(IntervalSampler(13, 3, rollover=False)), "
        "len(IntervalSampler(13, 3, False)), list(IntervalSampler(3, 3))]"
    ),
    "loader": PAIRS + "out = list(data.DataLoader(pairs, 3))",
    "loader_transformed": PAIRS + "out = list(data.DataLoader(pairs.transform_first(lambda a: a * 2), 3))",
    "loader_nested": "d = data.SimpleDataset([(1, (2.0, np.int8(3)))] * 3)\nout = list(data.DataLoader(d, 2))",
    "loader_numbers": "out = [list(data.DataLoader(d, 2)) for d in ([1, 2, 3], [1.5, 2.5], [True, False])]",
    "loader_lists": "out = list(data.DataLoader([[1, 2], [3, 4]], 2))",
    "loader_array": "out = list(data.DataLoader(nd.arange(3), 2)) + list(data.DataLoader(np.ones((3, 2), 'uint8'), 2))",
    "loader_empty": "out = list(data.DataLoader(data.SimpleDataset([]), 2))",
    "loader_sampler": PAIRS + "out = list(data.DataLoader(pairs, 2, sampler=data.SequentialSampler(3, 1)))",
    "loader_batch_sampler": PAIRS + "out = list(data.DataLoader(pairs, batch_sampler=[[6, 0], [3]]))",
    "loader_batchify": PAIRS + "out = list(data.DataLoader(pairs, 3, batchify_fn=lambda s: [b for a, b in s]))",
    "rollover": (
        "l = data.DataLoader(list(range(5)), 2, last_batch='rollover')\nout = [[len(l), list(l)] for _ in range(3)]"
    ),
    "mnist": "d = vision.MNIST(folder + '/mnist')\nout = [len(d), d[1], d._label, d[2][0].dtype]",
    "mnist_test": "d = vision.MNIST(folder + '/mnist', train=False)\nout = [len(d), d[1]]",
    "mnist_transform": (
        "d = vision.MNIST(folder + '/mnist', transform=lambda x, y: (x.astype('float32') / 255, int(y)))\nout = d[0]"
    ),
    "fashion": "d = vision.FashionMNIST(folder + '/fashion', False)\nout = [len(d), d[0]]",
    "mnist_batches": "out = list(data.DataLoader(vision.MNIST(folder + '/mnist', False), 2))",
    "cifar10": "d = vision.CIFAR10(folder + '/cifar10')\nout = [len(d), d[3], d._label]",
    "cifar10_test": "d = vision.CIFAR10(folder + '/cifar10', train=False)\nout = [len(d), d[0]]",
    "cifar100": "d = vision.CIFAR100(folder + '/cifar100')\nout = [len(d), d[1], d._label]",
    "cifar100_fine": "d = vision.CIFAR100(folder + '/cifar100', True, False)\nout = [len(d), d[1], d._label]",
    "folder": (
        "d = vision.ImageFolderDataset(folder + '/images')\n"
        "out = [len(d), d.synsets, [(os.path.relpath(f, folder), i) for f, i in d.items], d[2]]"
    ),
    "folder_gray": (
        "d = vision.ImageFolderDataset(folder + '/images', 0, lambda x, y: (x, y * 10))\nout = [d[0][0].shape, d[3][1]]"
    ),
    "records": (
        "d = data.RecordFileDataset(folder + '/data.rec')\n"
        "out = [len(d), d[1][:24].hex(), os.path.basename(d.idx_file)]"
    ),
    "image_records": "d = vision.ImageRecordDataset(folder + '/data.rec')\nout = [len(d), d[0], d[2]]",
    "image_records_gray": (
        "d = vision.ImageRecordDataset(folder + '/data.rec', 0, lambda x, y: (x, y + 1))\n"
        "out = [d[0][0].shape, d[1][1]]"
    ),
    "cast": IMAGE + "out = [T.Cast()(x), T.Cast('float16')(x), T.Cast('int32')(x)]",
    "to_tensor": IMAGE + "out = [T.ToTensor()(x), T.ToTensor()(nd.stack(x, x)).shape]",
    "normalize": TENSOR + "out = [T.Normalize(0.5, 0.25)(x), T.Normalize((0, 1, 2), (3, 2, 1))(x), T.Normalize()(x)]",
    "rotate": TENSOR + "out = [T.Rotate(30.0)(x), T.Rotate(30.0, zoom_in=True)(x), T.Rotate(-45.0, zoom_out=True)(x)]",
    "rotate_never": TENSOR + "out = T.RandomRotation((-10, 10), rotate_with_proba=0.0)(x)",
    "crop_resize": IMAGE + "out = [T.CropResize(1, 2, 3, 4)(x), T.CropResize(0, 0, 4, 4, (8, 6), 1)(x)]",
    "center_crop": IMAGE + "out = [T.CenterCrop(3)(x), T.CenterCrop((2, 4))(x), T.CenterCrop(8)(x)]",
    "resize": IMAGE
    + "out = [T.Resize(4)(x), T.Resize((3, 8))(x), T.Resize(10, True)(x), T.Resize(3, interpolation=0)(x)]",
    "sizes": (
        IMAGE + "out = [t(x).shape for t in (T.RandomResizedCrop(4), T.RandomResizedCrop((3, 5)), "
        "T.RandomFlipLeftRight(), T.RandomFlipTopBottom(), T.RandomBrightness(0.3), T.RandomContrast(0.3), "
        "T.RandomSaturation(0.3), T.RandomHue(0.3), T.RandomColorJitter(0.1, 0.2, 0.3, 0.4), T.RandomLighting(0.1))]"
    ),
    "still": (
        IMAGE + "y = T.Cast()(x)\nout = [t(y) for t in (T.RandomBrightness(0.0), T.RandomContrast(0.0), "
        "T.RandomSaturation(0.0), T.RandomLighting(0.0))]"
    ),
    "compose": IMAGE + "out = T.Compose([T.CenterCrop(4), T.ToTensor(), T.Normalize(0.5, 0.5), T.Cast('float16')])(x)",
    "compose_text": "out = repr(T.Compose([T.ToTensor(), T.Normalize(0.1), T.CenterCrop(3), T.Cast()]))",
    "compose_of_none": IMAGE + "out = [repr(T.Compose([])), T.Compose([])(x)]",
    "apply": IMAGE + "out = [T.RandomApply(T.Resize(3), 1.0)(x), T.RandomApply(T.Resize(3), -1.0)(x)]",
    "apply_text": "out = repr(T.RandomApply(T.Compose([T.ToTensor()])))",
    "private": (
        "from mxnet.gluon.data.dataloader import default_batchify_fn, default_mp_batchify_fn, _as_in_context\n"
        "out = [default_batchify_fn([(1, nd.ones(2)), (2, nd.zeros(2))]), "
        "_as_in_context([nd.ones(1), 'x'], mx.cpu())]"
    ),
}

REFUSED = {
    "no_batch_size": "data.DataLoader([1, 2])",
    "both_samplers": "data.DataLoader([1, 2], 2, batch_sampler=[[0]])",
    "shuffled_sampler": "data.DataLoader([1, 2], 1, shuffle=True, sampler=data.SequentialSampler(2))",
    "timeout": "data.DataLoader([1, 2], 1, timeout=0)",
    "last_batch": "len(data.DataLoader([1, 2], 1, last_batch='x'))",
    "unlike_lengths": "data.ArrayDataset([1], [1, 2])",
    "no_arrays": "data.ArrayDataset()",
    "shard_out_of_range": "data.SimpleDataset([1, 2]).shard(2, 2)",
    "sample_of_a_list": "data.SimpleDataset([1, 2]).sample([0])",
    "interval_too_long": "from mxnet.gluon.contrib.data import IntervalSampler\nIntervalSampler(2, 3)",
    "rotate_integers": IMAGE + "T.Rotate(3.0)(x)",
    "random_rotate_integers": IMAGE + "T.RandomRotation((1, 3))(x)",
    "angles_in_disorder": "T.RandomRotation((3, 1))",
    "no_probability": "T.RandomRotation((1, 3), rotate_with_proba=2)",
    "no_folder": "vision.ImageFolderDataset(folder + '/nowhere')",
    "no_records": "data.RecordFileDataset(folder + '/nowhere.rec')",
}
