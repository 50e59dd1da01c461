"""What a file of records holds: headers of all records, contents of the first ones."""

import contextlib
import os
from collections import Counter

import numpy as np

from ..errors import FileFormatError
from ..formats.image_headers import Size, read_size
from ..formats.image_record import IRHeader, unpack
from ..formats.record_file import RecordFile
from ..formats.recordio import read_index
from .text import bytes_text, listed

_LOOKED_AT = 1000


def describe_records(path: str, show_all: bool) -> list[str]:
    """Records, labels and images of a `.rec` file."""
    with contextlib.closing(RecordFile(path, "inspect")) as file:
        offsets = file.offsets()
        chosen = offsets if show_all else offsets[:_LOOKED_AT]
        seen = _Seen()
        for number, offset in enumerate(chosen):
            seen.look(number, file.read_at(offset, f"record {number}")[0])
    lines = [
        f"file      {path}, {bytes_text(os.path.getsize(path))}",
        "kind      RecordIO",
        f"records   {len(offsets)}",
    ]
    lines += seen.lines(len(chosen), len(offsets))
    index = os.path.splitext(path)[0] + ".idx"
    if not os.path.exists(index):
        return [*lines, "index     none; `python -m mxnet.tools.rec2idx` makes one"]
    keys, places = read_index(index, who="inspect")
    wrong = set(places.values()) - set(offsets)
    fits = "fits" if not wrong else f"DOES NOT FIT: {len(wrong)} places where no record begins"
    return [*lines, f"index     {index}, {len(keys)} keys, {fits}"]


def describe_index(path: str, show_all: bool) -> list[str]:
    """Keys and places of an `.idx` file."""
    keys, places = read_index(path, who="inspect")
    return [
        f"file      {path}, {bytes_text(os.path.getsize(path))}",
        "kind      index of a RecordIO file",
        f"keys      {len(keys)}, {len(places)} different: {listed([str(key) for key in keys])}",
        f"places    {min(places.values(), default=0)} to {max(places.values(), default=0)}",
    ]


class _Seen:
    """What was found in the records looked at."""

    def __init__(self) -> None:
        self.flags: Counter[int] = Counter()
        self.sizes: Counter[Size] = Counter()
        self.labels: list[float] = []
        self.lengths: list[int] = []
        self.others = self.no_header = 0
        self.meta = ""

    def look(self, number: int, record: bytes) -> None:
        self.lengths.append(len(record))
        try:
            header, content = unpack(record)
        except FileFormatError:
            self.no_header += 1
            return
        size = read_size(content)
        if number == 0 and header.flag > 0 and size is None:
            self.meta = _meta(header)
            return
        self.flags[header.flag] += 1
        self.labels += [float(label) for label in np.atleast_1d(header.label)[:1]]
        if size is None:
            self.others += 1
        else:
            self.sizes[size] += 1

    def lines(self, looked: int, total: int) -> list[str]:
        if not looked:
            return []
        shown = "all" if looked == total else f"the first {looked}"
        lengths = f"{bytes_text(min(self.lengths))} to {bytes_text(max(self.lengths))}"
        lines = [f"looked at {shown}, {lengths} each"]
        if self.meta:
            lines.append(f"record 0  {self.meta}")
        for flag, count in sorted(self.flags.items()):
            lines.append(
                f"labels    {count} with {'a single number' if flag == 0 else f'{flag} numbers'} (flag {flag})"
            )
        if self.labels:
            lines.append(f"values    first numbers from {min(self.labels):g} to {max(self.labels):g}")
        for (kind, width, height), count in self.sizes.most_common(6):
            lines.append(f"images    {count} {kind}, {width}x{height}")
        if len(self.sizes) > 6:
            lines.append(f"images    {len(self.sizes) - 6} further sizes")
        if self.others:
            lines.append(f"contents  {self.others} that are no images")
        if self.no_header:
            lines.append(f"plain     {self.no_header} records without an image header")
        return lines


def _meta(header: IRHeader) -> str:
    """A first record without an image, as insightface writes: where the records of identities begin and end."""
    numbers = [int(label) for label in np.atleast_1d(header.label)[:4]]
    if len(numbers) == 2 and 0 < numbers[0] <= numbers[1]:
        images, identities = numbers[0] - 1, numbers[1] - numbers[0]
        known = f"{identities} identities ({numbers[0]} to {numbers[1] - 1})"
        return f"meta of insightface: {images} images (1 to {images}), {known}"
    return f"a header without image, label {numbers}"
