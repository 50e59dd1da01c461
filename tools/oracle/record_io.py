"""Records the batches that a real MXNet's data iterators give.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_io`.

The files they read are recorded as well. Each case is the name of an iterator and its arguments; names of files in them
stand for files of the fixture's folder.
"""

from __future__ import annotations

import json
import shutil
import struct
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import mxnet as mx

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "io"
SHAPE = (3, 16, 16)

IMAGES: dict[str, dict[str, Any]] = {
    "plain": {},
    "mean": {"mean_r": 10, "mean_g": 3, "std_r": 2, "std_b": 4, "scale": 0.5},
    "mirror": {"mirror": True},
    "resize": {"resize": 18},
    "nearest": {"resize": 18, "inter_method": 0},
    "area": {"resize": 18, "inter_method": 3},
    "pad": {"pad": 6, "fill_value": 9, "data_shape": (3, 26, 26)},
    "larger": {"data_shape": (3, 32, 32)},
    "wider": {"data_shape": (3, 24, 40)},
    "taller": {"data_shape": (3, 40, 24)},
    "crop": {"max_crop_size": 14, "min_crop_size": 14},
    "rotate": {"rotate": 30},
    "scale": {"max_random_scale": 0.9, "min_random_scale": 0.9},
    "stretch": {"max_aspect_ratio": 1.5, "min_aspect_ratio": 1.5},
    "limits": {"max_img_size": 20, "min_img_size": 19},
    "gray": {"data_shape": (1, 16, 16), "mean_r": 10},
    "int8": {"dtype": "int8", "mean_r": 100},
    "uint8": {"dtype": "uint8", "mean_r": 100},
    "part": {"num_parts": 3, "part_index": 1, "batch_size": 2},
    "last_part": {"num_parts": 4, "part_index": 3, "batch_size": 2},
    "indexed_part": {"num_parts": 3, "part_index": 2, "batch_size": 2, "path_imgidx": "images.idx"},
    "list": {"path_imglist": "images.lst", "label_width": 2},
    "whole": {"batch_size": 10},
    "more": {"batch_size": 12},
}
WITH_VALUES = set(IMAGES) - {"part", "last_part", "indexed_part", "list", "whole", "more"}

DETECTION: dict[str, dict[str, Any]] = {
    "plain": {},
    "padded": {"label_pad_width": 20, "label_pad_value": 7},
    "mirror": {"rand_mirror_prob": 1},
    "shrink": {"resize_mode": "shrink"},
    "fit": {"resize_mode": "fit", "data_shape": (3, 40, 32)},
    "mean": {"mean_r": 10, "std_r": 2, "scale": 0.5},
}

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("CSVIter", {"data_csv": "data.csv", "data_shape": (3,), "batch_size": 3}),
    ("CSVIter", {"data_csv": "data.csv", "data_shape": (3,), "batch_size": 3, "round_batch": False}),
    ("CSVIter", {"data_csv": "data.csv", "data_shape": (3,), "batch_size": 2, "label_csv": "label.csv"}),
    ("CSVIter", {"data_csv": "data.csv", "data_shape": (3, 1), "batch_size": 3, "dtype": "int32"}),
    ("CSVIter", {"data_csv": "data.csv", "data_shape": (3,), "batch_size": 5}),
    ("LibSVMIter", {"data_libsvm": "data.svm", "data_shape": (3,), "batch_size": 3}),
    ("LibSVMIter", {"data_libsvm": "data.svm", "data_shape": (3,), "batch_size": 1, "num_parts": 2, "part_index": 0}),
    ("LibSVMIter", {"data_libsvm": "data.svm", "data_shape": (3,), "batch_size": 2, "num_parts": 2, "part_index": 1}),
    (
        "LibSVMIter",
        {
            "data_libsvm": "data.svm",
            "data_shape": (3,),
            "batch_size": 3,
            "label_libsvm": "label.svm",
            "label_shape": (3,),
        },
    ),
    ("MNISTIter", {"image": "digits", "label": "digit_labels", "batch_size": 3, "shuffle": False, "flat": True}),
    ("MNISTIter", {"image": "digits", "label": "digit_labels", "batch_size": 3, "shuffle": False}),
    (
        "MNISTIter",
        {
            "image": "digits",
            "label": "digit_labels",
            "batch_size": 2,
            "shuffle": False,
            "num_parts": 2,
            "part_index": 1,
        },
    ),
]

ARRAYS: list[dict[str, Any]] = [
    {"batch_size": size, "last_batch_handle": handle, "shuffle": shuffle}
    for handle in ("pad", "discard", "roll_over")
    for size in (3, 7, 9)
    for shuffle in (False, True)
] + [{"batch_size": 20, "last_batch_handle": "pad", "shuffle": False}]


def make_files(folder: Path) -> None:
    draw = np.random.RandomState(8)
    file = mx.recordio.MXIndexedRecordIO(str(folder / "images.idx"), str(folder / "images.rec"), "w")
    for number in range(10):
        width, height = [(20, 30), (30, 20), (24, 24), (35, 17)][number % 4]
        small = draw.randint(0, 256, (4, 4, 3)).astype(np.uint8)
        pixels = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
        header = mx.recordio.IRHeader(0, float(number), number * 2, 0)
        file.write_idx(number * 2, mx.recordio.pack_img(header, pixels, quality=9, img_fmt=".png"))
    file.close()
    lines = [f"{i * 2}\t{100 + i}\t{200 + i}\tfolder/{i}.png\n" for i in range(10)]
    (folder / "images.lst").write_text("".join(lines))
    file = mx.recordio.MXIndexedRecordIO(str(folder / "boxes.idx"), str(folder / "boxes.rec"), "w")
    for number in range(5):
        width, height = [(20, 30), (30, 20), (24, 24)][number % 3]
        pixels = cv2.resize(draw.randint(0, 256, (4, 4, 3)).astype(np.uint8), (width, height))
        objects = [[k, 0.125 * k, 0.25, 0.125 * k + 0.5, 0.75] for k in range(1 + number % 3)]
        header = mx.recordio.IRHeader(0, [2, 5, *np.ravel(objects)], number, 0)
        file.write_idx(number, mx.recordio.pack_img(header, pixels, quality=9, img_fmt=".png"))
    file.close()
    np.savetxt(folder / "data.csv", np.arange(12).reshape(4, 3), delimiter=",", fmt="%g")
    np.savetxt(folder / "label.csv", np.arange(4) * 10, fmt="%g")
    (folder / "data.svm").write_text("1.0 0:0.5 2:1.2\n-2.0\n-3.0 0:0.6 1:2.4 2:1.2\n4 2:-1.2\n")
    (folder / "label.svm").write_text("1.0\n-2.0 0:0.125\n-3.0 2:1.2\n4 1:1.0 2:-1.2\n")
    digits = draw.randint(0, 256, (7, 4, 4)).astype(np.uint8)
    (folder / "digits").write_bytes(struct.pack(">IIII", 2051, 7, 4, 4) + digits.tobytes())
    (folder / "digit_labels").write_bytes(struct.pack(">II", 2049, 7) + bytes(range(7)))


def run(name: str, arguments: dict[str, Any], passes: int = 3) -> list[Any]:
    paths = {
        key: str(FIXTURES / value) if isinstance(value, str) and (FIXTURES / value).exists() else value
        for key, value in arguments.items()
    }
    iterator = getattr(mx.io, name)(**paths)
    log: list[Any] = [[[desc.name, list(desc.shape)] for desc in (*iterator.provide_data, *iterator.provide_label)]]
    for _ in range(passes):
        log.append([])
        for batch in iterator:
            log[-1].append((batch.data[0].asnumpy(), batch.label[0].asnumpy(), batch.pad))
        iterator.reset()
    return log


def noted(log: list[Any], with_data: bool) -> list[Any]:
    """The log as JSON; padding only of a pass's last batch.

    MXNet reads it off the thread that makes batches ahead, which may be at a later one by then.
    """
    notes = [log[0]]
    for batches in log[1:]:
        last = len(batches) - 1
        notes.append(
            [
                [data.tolist() if with_data else None, label.tolist(), pad if i == last else None]
                for i, (data, label, pad) in enumerate(batches)
            ]
        )
    return notes


def run_arrays(arguments: dict[str, Any]) -> list[Any]:
    np.random.seed(5)
    iterator = mx.io.NDArrayIter(np.arange(7), np.arange(7) * 10, **arguments)
    log = []
    for _ in range(3):
        log.append(
            [[batch.data[0].asnumpy().tolist(), batch.label[0].asnumpy().tolist(), batch.pad] for batch in iterator]
        )
        iterator.reset()
    return log


def main() -> None:
    shutil.rmtree(FIXTURES, ignore_errors=True)
    FIXTURES.mkdir(parents=True)
    make_files(FIXTURES)
    values = {}
    notes: dict[str, Any] = {"images": {}, "detection": {}, "tables": [], "arrays": []}
    for name, arguments in IMAGES.items():
        given = {"path_imgrec": "images.rec", "data_shape": SHAPE, "batch_size": 4, "verbose": False, **arguments}
        log = run("ImageRecordIter", given)
        notes["images"][name] = {"arguments": given, "passes": noted(log, False)}
        if name in WITH_VALUES:
            values[f"images_{name}"] = log[1][0][0]
    with tempfile.TemporaryDirectory() as folder:
        mean = {"path_imgrec": "images.rec", "data_shape": SHAPE, "batch_size": 4, "verbose": False}
        values["mean_img"] = run("ImageRecordIter", {**mean, "mean_img": f"{folder}/mean.bin"})[1][0][0]
        shutil.copy(f"{folder}/mean.bin", FIXTURES / "mean.bin")
    for name, arguments in DETECTION.items():
        given = {"path_imgrec": "boxes.rec", "data_shape": SHAPE, "batch_size": 2, "verbose": False, **arguments}
        log = run("ImageDetRecordIter", given)
        notes["detection"][name] = {"arguments": given, "passes": noted(log, False)}
        values[f"detection_{name}"] = log[1][0][0]
    for name, arguments in TABLES:
        notes["tables"].append([name, arguments, noted(run(name, arguments), True)])
    notes["arrays"] = [[arguments, run_arrays(arguments)] for arguments in ARRAYS]
    np.savez_compressed(FIXTURES / "values.npz", **values)
    (FIXTURES / "iterators.json").write_text(json.dumps(notes, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
