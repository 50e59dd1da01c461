"""Records what programs with `mx.image` give, with a real MXNet 1.9.1.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_image                     # writes tests/fixtures/image/
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from tools.oracle.image_programs import PROGRAMS, SIZES, box_label, picture, png_bytes, seed

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "image"


def write_files() -> None:
    """Pictures, lists and record files that the programs read."""
    FIXTURES.mkdir(parents=True, exist_ok=True)
    recordio = mx.recordio
    pictures = recordio.MXIndexedRecordIO(str(FIXTURES / "pictures.idx"), str(FIXTURES / "pictures.rec"), "w")
    boxes = recordio.MXIndexedRecordIO(str(FIXTURES / "boxes.idx"), str(FIXTURES / "boxes.rec"), "w")
    lines = []
    for number, size in enumerate(SIZES):
        data = png_bytes(picture(number, *size))
        (FIXTURES / f"{number}.png").write_bytes(data)
        lines.append(f"{number}\t{number / 2}\t{number}.png\n")
        pictures.write_idx(number, recordio.pack(recordio.IRHeader(0, float(number), number, 0), data))
        label = np.array(box_label(number), "float32")
        boxes.write_idx(number, recordio.pack(recordio.IRHeader(0, label, number, 0), data))
    pictures.close()
    boxes.close()
    (FIXTURES / "pictures.lst").write_text("".join(lines))
    photo = recordio.pack_img(recordio.IRHeader(0, 0.0, 0, 0), picture(9, 24, 32), quality=90, img_fmt=".jpg")
    (FIXTURES / "photo.jpg").write_bytes(recordio.unpack(photo)[1])


def plain(result: Any) -> Any:
    """Arrays as NumPy's; what JSON knows as it is."""
    return result.asnumpy() if isinstance(result, mx.nd.NDArray) else result


def record() -> None:
    """Runs all programs."""
    arrays, others = {}, {}
    for name, program in PROGRAMS.items():
        seed()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = [plain(result) for result in program(mx, FIXTURES)]
        others[name] = [None if isinstance(result, np.ndarray) else result for result in results]
        for position, result in enumerate(results):
            if isinstance(result, np.ndarray):
                arrays[f"{name}:{position}"] = result
        print(f"{name}: {len(results)} results")
    np.savez_compressed(FIXTURES / "results.npz", **arrays)
    (FIXTURES / "results.json").write_text(json.dumps(others, indent=1) + "\n")


if __name__ == "__main__":
    write_files()
    record()
