"""Records files that a real MXNet's `recordio` and `im2rec` write.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_recordio`.

The contents are made by the functions below, which the tests call as well: they write the same files and compare bytes.
"""

from __future__ import annotations

import random
import runpy
import shutil
import sys
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "recordio"
MARK = b"\x0a\x23\xd7\xce"


def plain_records() -> list[bytes]:
    """Records of all lengths up to a few words, and with the mark at every place."""
    draw = random.Random(1)
    records = [bytes(draw.randrange(256) for _ in range(length)) for length in range(10)]
    records += [b"x" * before + MARK + b"y" * after for before in (0, 1, 4, 8) for after in (0, 1, 4, 7)]
    records += [MARK * count for count in (1, 2, 3)]
    records += [b"abcd" + MARK + b"ef" + MARK + b"gh" + MARK, MARK[:3], b"1234" + MARK[:3]]
    return records


def labels() -> list[object]:
    """Labels of image records: numbers, vectors, and what insightface's record 0 has."""
    return [3, 2.5, [1.0, 2.0], [11.0, 5.0, 7.0, 0.25], [6.0, 8.0], [4]]


def image_records(recordio: object) -> list[bytes]:
    pack, header = recordio.pack, recordio.IRHeader  # type: ignore[attr-defined]
    return [pack(header(0, label, 10 + i, i), b"image %d" % i) for i, label in enumerate(labels())]


def write_all(recordio: object, folder: Path) -> None:
    """Writes the same files with any implementation of `recordio`."""
    plain = recordio.MXRecordIO(str(folder / "plain.rec"), "w")  # type: ignore[attr-defined]
    for record in plain_records():
        plain.write(record)
    plain.close()
    indexed = recordio.MXIndexedRecordIO(str(folder / "labels.idx"), str(folder / "labels.rec"), "w")  # type: ignore[attr-defined]
    for key, record in enumerate(image_records(recordio)):
        indexed.write_idx(key * 3, record)
    indexed.close()
    named = recordio.MXIndexedRecordIO(str(folder / "named.idx"), str(folder / "named.rec"), "w", key_type=str)  # type: ignore[attr-defined]
    for key in ("b", "a c", "z"):
        named.write_idx(key, key.encode() * 3)
    named.close()


def draw_images(folder: Path) -> None:
    """A few images in two folders."""
    import cv2
    import numpy as np

    draw = np.random.RandomState(4)
    for name in ("cat", "bird"):
        (folder / name).mkdir(parents=True)
        for number in range(3):
            small = draw.randint(0, 256, (4, 5, 3)).astype(np.uint8)
            pixels = cv2.resize(small, (20 + 6 * number, 24), interpolation=cv2.INTER_CUBIC)
            cv2.imwrite(str(folder / name / f"{number}.png"), pixels)


IM2REC = {
    "all": (["--list", "--recursive"], ["--pass-through"]),
    "parts": (
        ["--list", "--recursive", "--chunks", "2", "--train-ratio", "0.5", "--test-ratio", "0.25"],
        ["--pass-through"],
    ),
    "small": (["--list", "--recursive", "--no-shuffle"], ["--resize", "16", "--encoding", ".png", "--quality", "3"]),
    "square": (["--list", "--recursive"], ["--center-crop", "--color", "0", "--encoding", ".png", "--quality", "9"]),
}


def main() -> None:
    import mxnet as mx

    shutil.rmtree(FIXTURES, ignore_errors=True)
    (FIXTURES / "im2rec").mkdir(parents=True)
    write_all(mx.recordio, FIXTURES)
    draw_images(FIXTURES / "images")
    script = Path(mx.__file__).parent / "tools" / "im2rec.py"
    for name, steps in IM2REC.items():
        for options in steps:
            sys.argv = [str(script), *options, str(FIXTURES / "im2rec" / name), str(FIXTURES / "images")]
            runpy.run_path(str(script), run_name="__main__")


if __name__ == "__main__":
    main()
