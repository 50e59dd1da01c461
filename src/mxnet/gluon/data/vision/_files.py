"""Data sets of image files: in folders by class, in a list, or in a record file."""

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from regluon.array.kinds import in_force

from ....base import MXNetError, numeric_types
from ....error import FileFormatError, OpParamError
from ....image._reading import imdecode, imread
from ....ndarray import NDArray, array
from ....recordio import unpack
from ..dataset import Dataset, RecordFileDataset

__all__ = ["ImageFolderDataset", "ImageListDataset", "ImageRecordDataset"]

_Transform = Callable[[Any, Any], Any]


def _check_flag(who: str, flag: int) -> None:
    if flag not in (0, 1, -1):
        raise OpParamError(f"[{who}] flag: received {flag!r}; expected 1 for color, 0 for gray, -1 for what is there.")


class ImageRecordDataset(RecordFileDataset):
    """Images and labels of a `.rec` file, which has an index beside it.

    Args:
        filename: the file.
        flag: 1 for three channels, 0 for gray images of one.
        transform: called with image and label of each sample that is read.
    """

    __module__ = "mxnet.gluon.data.vision.datasets"

    def __init__(self, filename: str | os.PathLike[str], flag: int = 1, transform: _Transform | None = None) -> None:
        _check_flag("ImageRecordDataset", flag)
        super().__init__(filename)
        self._flag = flag
        self._transform = transform

    def __getitem__(self, idx: Any) -> Any:
        header, encoded = unpack(super().__getitem__(idx))
        try:
            image = imdecode(encoded, self._flag)
        except MXNetError as error:
            raise FileFormatError(f"[ImageRecordDataset] {self.filename}, sample {idx}: {error}") from error
        return (image, header.label) if self._transform is None else self._transform(image, header.label)


class ImageFolderDataset(Dataset):
    """Image files in one folder for each class.

    Args:
        root: the folder of the folders, whose names are the classes.
        flag: 1 for three channels, 0 for gray images of one.
        transform: called with image and label of each sample that is read.

    Attributes:
        synsets: the classes; label i is the class `synsets[i]`.
        items: the files with their labels.
    """

    __module__ = "mxnet.gluon.data.vision.datasets"

    def __init__(self, root: str | os.PathLike[str], flag: int = 1, transform: _Transform | None = None) -> None:
        _check_flag("ImageFolderDataset", flag)
        self._root = os.path.expanduser(os.fspath(root))
        self._flag = flag
        self._transform = transform
        self._exts = [".jpg", ".jpeg", ".png"]
        self.synsets: list[str] = []
        self.items: list[tuple[str, int]] = []
        self._list_images(self._root)

    def _list_images(self, root: str) -> None:
        if not os.path.isdir(root):
            raise FileNotFoundError(
                f"[ImageFolderDataset] received {root!r}; expected a folder with one folder of images for each class."
            )
        for folder in sorted(os.listdir(root)):
            path = os.path.join(root, folder)
            if not os.path.isdir(path):
                warnings.warn(f"Ignoring {path}, which is not a directory.", stacklevel=4)
                continue
            label = len(self.synsets)
            self.synsets.append(folder)
            self.items += [(file, label) for file in self._images(path)]
        if not self.items:
            raise MXNetError(
                f"[ImageFolderDataset] {root!r} has {len(self.synsets)} folders and no images; expected files like "
                f"{os.path.join(root, 'class', 'image.jpg')!r}, of {', '.join(self._exts)}."
            )

    def _images(self, folder: str) -> list[str]:
        found = []
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            suffix = os.path.splitext(name)[1]
            if suffix.lower() in self._exts:
                found.append(path)
            else:
                warnings.warn(f"Ignoring {path} of type {suffix}. Only support {', '.join(self._exts)}", stacklevel=5)
        return found

    def __getitem__(self, idx: Any) -> Any:
        path, label = self.items[idx]
        image = imread(path, self._flag)
        return (image, label) if self._transform is None else self._transform(image, label)

    def __len__(self) -> int:
        return len(self.items)


class ImageListDataset(Dataset):
    """Image files and labels of a list.

    Args:
        root: the folder that the paths in the list begin at.
        imglist: a `.lst` file, as `im2rec` makes it: a number, labels and a path in each line, separated by
            tabulators; or a list of such entries without the number: `[label, ..., path]`.
        flag: 1 for three channels, 0 for gray images of one.
        transform: called with image and label of each sample that is read.

    Labels are arrays of float32.
    """

    __module__ = "mxnet.gluon.data.vision"

    def __init__(
        self,
        root: str | os.PathLike[str] = ".",
        imglist: str | os.PathLike[str] | Sequence[Sequence[Any]] | None = None,
        flag: int = 1,
        transform: _Transform | None = None,
    ) -> None:
        _check_flag("ImageListDataset", flag)
        self._root = os.path.expanduser(os.fspath(root))
        self._flag = flag
        self._transform = transform
        if isinstance(imglist, (str, os.PathLike)):
            entries = _read_list(os.path.expanduser(os.fspath(imglist)), self._root)
        elif isinstance(imglist, (list, tuple)):
            entries = [_entry(each, f"entry {i} of imglist") for i, each in enumerate(imglist)]
        else:
            raise TypeError(
                f"[ImageListDataset] imglist: received {type(imglist).__name__}; expected the path of a .lst file, or "
                "a list of [label, path]."
            )
        self.items: list[tuple[str, NDArray]] = [
            (os.path.join(self._root, path), in_force(array(labels, dtype="float32"))) for labels, path in entries
        ]

    def __getitem__(self, idx: Any) -> Any:
        path, label = self.items[idx]
        image = imread(path, self._flag)
        return (image, label) if self._transform is None else self._transform(image, label)

    def __len__(self) -> int:
        return len(self.items)


def _read_list(name: str, root: str) -> list[tuple[np.ndarray, str]]:
    """The labels and paths of a `.lst` file, which lies in the root or where the name says."""
    inside = os.path.join(root, name)
    with open(inside if os.path.exists(inside) else name, encoding="utf-8") as stream:
        lines = [(number, line.strip()) for number, line in enumerate(stream, 1)]
    entries = []
    for number, line in lines:
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) < 3:
            raise FileFormatError(
                f"[ImageListDataset] {name}, line {number}: received {len(fields)} columns ({line[:80]!r}); expected "
                "at least 3, separated by tabulators: a number, one label or more, a path."
            )
        entries.append(_entry(fields[1:], f"{name}, line {number}"))
    return entries


def _entry(fields: Any, where: str) -> tuple[np.ndarray, str]:
    """Labels and path of an entry."""
    if not isinstance(fields, (list, tuple)) or len(fields) < 2 or not isinstance(fields[-1], (str, os.PathLike)):
        raise FileFormatError(f"[ImageListDataset] {where}: received {fields!r}; expected [label, ..., path].")
    is_one_list = len(fields) == 2 and not isinstance(fields[0], (str, *numeric_types))
    labels = fields[0] if is_one_list else fields[:-1]
    try:
        return np.asarray(labels, dtype=np.float32), os.fspath(fields[-1])
    except (TypeError, ValueError):
        raise FileFormatError(
            f"[ImageListDataset] {where}: received the labels {list(labels)!r}; expected numbers."
        ) from None
