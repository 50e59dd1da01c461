"""Describe files of arrays and records."""

import contextlib
import math
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import FileFormatError
from ..formats import states
from ..formats.atomic import open_mapped
from ..formats.image_record import IRHeader, unpack
from ..formats.images import Size, read_size
from ..formats.params import read
from ..formats.record_file import RecordFile
from ..formats.recordio import read_index
from ..formats.states import Instance
from ..formats.tensors import STORAGE_OF_NAME, Contents, Stored, read_notes, read_tensors
from .output import bytes_text, listed, table

_LINES = 16
_TREE = "tree"  # the first entry of optimizer states


def describe_params(path: str, show_all: bool) -> list[str]:
    """The arrays of a `.params` file, or the optimizer states in one."""
    contents = read(open_mapped(path, "inspect"), path, "inspect")
    if contents.names[:1] == [_TREE] and contents.arrays[0].dtype == "uint8":
        return describe_states(path, show_all)
    return _arrays_text("parameters (.params)", path, contents, show_all)


def describe_tensors(path: str, show_all: bool) -> list[str]:
    """The arrays of a `.safetensors` file."""
    lines = _arrays_text("safetensors", path, read_tensors(path, "inspect"), show_all)
    for key, value in sorted(read_notes(path, "inspect").items()):
        shown = value if len(value) <= 60 else f"{len(value)} characters"
        lines.append(f"note      {key}: {shown}")
    return lines


def _arrays_text(kind: str, path: str, contents: Contents, show_all: bool) -> list[str]:
    names = contents.names or [f"[{place}]" for place in range(len(contents.arrays))]
    count = sum(math.prod(array.shape) for array in contents.arrays if not array.is_none)
    lines = [
        f"file      {path}, {bytes_text(os.path.getsize(path))}",
        f"kind      {kind}{'' if contents.names else ', a list without names'}",
        f"arrays    {len(contents.arrays)}, {count:,} numbers",
        f"dtypes    {_counted([array.dtype for array in contents.arrays if not array.is_none])}",
        f"storage   {_counted([array.stype for array in contents.arrays])}",
    ]
    marks = Counter(name.split(":", 1)[0] for name in contents.names if name.startswith(("arg:", "aux:")))
    if marks:
        lines.append(f"names     {marks['arg']} arg:, {marks['aux']} aux:, {len(names) - marks.total()} without mark")
    rows = [_row(name, array) for name, array in zip(names, contents.arrays, strict=True)]
    return [*lines, *table(rows, 0 if show_all else _LINES)]


def _row(name: str, array: Stored) -> tuple[str, ...]:
    if array.is_none:
        return (name, "no array", "", "", "")
    stored = array.data.nbytes + sum(index.nbytes for index in array.aux)
    stype = "" if array.stype == "default" else f"{array.stype}, {len(array.aux[-1])} stored"
    return (name, array.dtype, "x".join(map(str, array.shape)) or "()", bytes_text(stored), stype)


def _counted(values: Sequence[str]) -> str:
    return ", ".join(f"{count} {value}" for value, count in Counter(values).most_common()) or "none"


def describe_states(path: str, show_all: bool = False) -> list[str]:
    """The optimizer and the number of its states; a pickle of the old MXNet is read without unpickling."""
    data = bytes(open_mapped(path, "inspect"))
    old = states.looks_pickled(data)
    tree = states.read(data, "inspect") if old else states.decode(data, "inspect")
    if isinstance(tree, dict) and {"version", "progress", "net"} <= tree.keys():
        return _checkpoint_text(path, tree, show_all)
    instances: list[Instance] = []
    arrays: list[Stored] = []
    _collect(tree, instances, arrays)
    per_parameter = tree[0] if isinstance(tree, tuple) and tree else tree
    if isinstance(tree, dict) and "states" in tree and "optimizer" in tree:  # saved with its optimizer
        per_parameter = tree["states"]
    lines = [
        f"file      {path}, {bytes_text(os.path.getsize(path))}",
        f"kind      optimizer states{' (a pickle, read without unpickling)' if old else ''}",
        f"states    {len(per_parameter) if isinstance(per_parameter, dict) else 1} parameters, {len(arrays)} arrays, "
        f"{bytes_text(sum(math.prod(array.shape) * STORAGE_OF_NAME[array.dtype].itemsize for array in arrays))}",
    ]
    for instance in instances:
        plain = {str(key): each for key, each in instance.state.items() if isinstance(each, (int, float, str, bool))}
        lines.append(f"{instance.kind.split(':')[0][:9]:<9} {instance.kind.split(':')[-1]}")
        lines += table([(key, value) for key, value in sorted(plain.items())], 0 if show_all else _LINES)
    if isinstance(per_parameter, dict):
        lines.append(f"keys      {listed([str(key) for key in per_parameter])}")
    return lines


def _checkpoint_text(path: str, tree: dict[str, Any], show_all: bool) -> list[str]:
    """A checkpoint of `gluon.contrib.Checkpoint`: where the run was, its parameters, its trainer."""
    progress = ", ".join(f"{key}={value}" for key, value in tree["progress"].items() if not isinstance(value, Stored))
    count = sum(math.prod(array.shape) for array in tree["net"].values())
    lines = [
        f"file      {path}, {bytes_text(os.path.getsize(path))}",
        f"kind      checkpoint of a training run, version {tree['version']}",
        f"progress  {progress or 'none was noted'}",
        f"processes {len(tree.get('ranks') or [None])}",
    ]
    if isinstance(tree.get("trainer"), Stored):
        lines += [f"trainer   {line}" for line in _trainer_text(bytes(tree["trainer"].data.tobytes()))]
    else:
        lines.append("trainer   none")
    lines.append(f"params    {len(tree['net'])}, {count:,} numbers")
    return lines + table([_row(name, array) for name, array in tree["net"].items()], 0 if show_all else _LINES)


def _trainer_text(data: bytes) -> list[str]:
    """The optimizer in a trainer's states, and how many arrays it keeps."""
    old = states.looks_pickled(data)
    tree = states.read(data, "inspect") if old else states.decode(data, "inspect")
    instances: list[Instance] = []
    arrays: list[Stored] = []
    _collect(tree, instances, arrays)
    kinds = [instance.kind.split(":")[-1] for instance in instances]
    return [f"{', '.join(kinds) or 'states'}, {len(arrays)} arrays"]


def _collect(value: Any, instances: list[Instance], arrays: list[Stored]) -> None:
    if isinstance(value, Stored):
        arrays.append(value)
    elif isinstance(value, Instance):
        instances.append(value)
        _collect(value.state, instances, arrays)
    elif isinstance(value, dict):
        _collect(list(value.values()), instances, arrays)
    elif isinstance(value, (list, tuple)):
        for each in value:
            _collect(each, instances, arrays)


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
