"""insightface's record files, written and read: images in folders, im2rec, a record for each face and each person.

Handwritten digits stand for faces, so that it runs anywhere in seconds. `face_records.py` learns from them.
"""

import subprocess
import sys
from itertools import groupby
from pathlib import Path

from PIL import Image
from samples import digits

from mxnet import gluon, image, nd, recordio
from mxnet.recordio import IRHeader, MXIndexedRecordIO


def pack_images(folder: Path, limit: int | None) -> MXIndexedRecordIO:
    """Writes images, in a folder for each person, and has im2rec list them and pack them into one file."""
    images, people = digits(train=True)
    for number, person in enumerate(people[:limit].asnumpy()):
        path = folder / "images" / f"person{int(person)}" / f"{number:04}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((255 * images[number, 0].asnumpy()).astype("uint8")).save(path)
    for options in (["--list", "--recursive"], ["--pass-through", "--num-thread", "2"]):
        command = [sys.executable, "-m", "mxnet.tools.im2rec", *options, str(folder / "packed"), str(folder / "images")]
        subprocess.run(command, check=True)
    return MXIndexedRecordIO(folder / "packed.idx", folder / "packed.rec", "r")


def arrange(packed: MXIndexedRecordIO, folder: Path) -> None:
    """Copies packed images into insightface's order.

    Record 0 has no image: its two labels say where the faces end and where the people behind them end. Faces begin at
    record 1, one person after the other; each person's own record says which of them are hers.
    """
    faces = sorted((recordio.unpack(packed.read_idx(key)) for key in packed.keys), key=lambda face: face[0].label)
    people = [list(group) for _, group in groupby(faces, lambda face: face[0].label)]
    with MXIndexedRecordIO(folder / "train.idx", folder / "train.rec", "w") as file:

        def write(key: int, labels: list[int], content: bytes = b"") -> None:
            file.write_idx(key, recordio.pack(IRHeader(0, labels, key, 0), content))

        key, end = 1, 1 + len(faces)
        write(0, [end, end + len(people)])
        for person, group in enumerate(people):
            write(end + person, [key, key + len(group)])
            for _, content in group:
                write(key, [person, 1], content)  # 1: the face is upright
                key += 1


class FaceDataset(gluon.data.Dataset):
    """Faces with the numbers of their people; each worker process opens the file for itself."""

    def __init__(self, folder: Path) -> None:
        self._file = MXIndexedRecordIO(folder / "train.idx", folder / "train.rec", "r")
        header, _ = recordio.unpack(self._file.read_idx(0))
        self._end, self.people = int(header.label[0]), int(header.label[1] - header.label[0])

    def __len__(self) -> int:
        return self._end - 1

    def __getitem__(self, idx: int) -> tuple[nd.NDArray, float]:
        header, content = recordio.unpack(self._file.read_idx(idx + 1))
        face = image.imdecode(content, flag=0)
        return face.transpose((2, 0, 1)).astype("float32") / 255, header.label[0]
