"""Face recognition as insightface does it: record files, a margin loss, and the question "are these two the same?".

Handwritten digits stand for faces, so that it runs anywhere in seconds. Needs `pip install 'regluon[image]'`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from samples import digits

import mxnet as mx
from mxnet import autograd, gluon, nd, recordio
from mxnet.gluon import nn


def write_records(folder: Path, limit: int | None) -> tuple[str, str]:
    """Images in a folder for each person, packed by im2rec, then numbered and headed as insightface wants them."""
    images, people = digits(train=True)
    for number, person in enumerate(people[:limit].asnumpy()):
        path = folder / "images" / f"person{int(person)}" / f"{number:04}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((255 * images[number, 0].asnumpy()).astype("uint8")).save(path)
    for options in (["--list", "--recursive"], ["--encoding", ".png", "--quality", "3"]):
        arguments = [*options, str(folder / "packed"), str(folder / "images")]
        subprocess.run([sys.executable, "-m", "mxnet.tools.im2rec", *arguments], check=True)
    with recordio.MXIndexedRecordIO(folder / "packed.idx", folder / "packed.rec", "r") as packed:
        faces = [recordio.unpack(packed.read_idx(key)) for key in packed.keys]
    faces.sort(key=lambda face: face[0].label)
    names = str(folder / "train.idx"), str(folder / "train.rec")
    with recordio.MXIndexedRecordIO(*names, "w") as file:
        people = np.array([header.label for header, _ in faces])
        end = len(faces) + 1  # images have the keys 1 to end - 1, people the keys from end on
        meta = recordio.IRHeader(2, [end, end + len(set(people))], 0, 0)
        file.write_idx(0, recordio.pack(meta, b""))
        for key, (header, image) in enumerate(faces, 1):
            file.write_idx(key, recordio.pack(recordio.IRHeader(2, [header.label, 1], key, 0), image))
        for person in sorted(set(people)):
            first, last = np.flatnonzero(people == person)[[0, -1]] + 1
            header = recordio.IRHeader(2, [first, last + 1], end + int(person), 0)
            file.write_idx(end + int(person), recordio.pack(header, b""))
    return names


class FaceDataset(gluon.data.Dataset):
    """Reads what `write_records` wrote; worker processes open the file for themselves."""

    def __init__(self, index: str, records: str) -> None:
        self._file = recordio.MXIndexedRecordIO(index, records, "r")
        header, _ = recordio.unpack(self._file.read_idx(0))
        self._end, self.people = int(header.label[0]), int(header.label[1] - header.label[0])

    def __len__(self) -> int:
        return self._end - 1

    def __getitem__(self, idx: int) -> tuple[nd.NDArray, np.float32]:
        header, content = recordio.unpack(self._file.read_idx(idx + 1))
        image = mx.image.imdecode(content, flag=0)
        return image.transpose((2, 0, 1)).astype("float32") / 255, header.label[0]
