"""Read images from folders, record files and lists."""

import hashlib
import logging
import os
import tarfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from regluon.array.array_kind import in_force
from regluon.formats.atomic import atomic_write

from ....base import MXNetError, numeric_types
from ....error import FileFormatError, OpParamError
from ....image._reader import imdecode, imread
from ....ndarray import NDArray, array
from ....recordio import unpack
from ...utils import DownloadError, download
from ..dataset import Dataset, RecordFileDataset

__all__ = ["ImageFolderDataset", "ImageListDataset", "ImageRecordDataset", "Source", "fetch", "sha1_of", "unpack"]


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


_log = logging.getLogger(__name__)


class Source(NamedTuple):
    """Addresses of one version of a file, and its SHA-1 or MD5 hash, if it is known."""

    urls: Sequence[str]
    digest: str | None


def sha1_of(data: bytes) -> str:
    """The SHA-1 hash of bytes, in hexadecimal."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def fetch(who: str, path: str, sources: Iterable[Source]) -> str:
    """Fetches a file from the first source that has it.

    Args:
        who: the data set named in errors.
        path: where to put it.
        sources: where it can be had.
    """
    failures = []
    for source in sources:
        _log.info("%s is fetched from %s.", path, " or ".join(source.urls))
        try:
            return download(list(source.urls), path=path, overwrite=True, sha1_hash=source.digest)
        except DownloadError as error:
            failures.append(str(error))
    folder, name = os.path.split(path)
    raise DownloadError(
        f"[{who}] {name} is not in {folder!r}, and fetching it failed.\n" + "\n".join(failures) + f"\nPut {name} into "
        "that folder, pass root= a folder that has it, or set MXNET_GLUON_REPO to the address of a mirror."
    )


def unpack_archive(who: str, archive: str, folder: str, wanted: dict[str, str], check: bool) -> None:
    """Takes files out of a `.tar.gz` archive, whatever folder they are in there.

    Nothing else in the archive is touched, and nothing is written but these names in this folder.

    Args:
        who: the data set named in errors.
        archive: the archive.
        folder: where to put the files.
        wanted: their names, with their SHA-1 hashes.
        check: refuse files with other hashes.
    """
    found = set()
    try:
        with tarfile.open(archive) as opened:
            for member in opened:
                _check_place(who, archive, member.name)
                name = member.name.replace("\\", "/").rsplit("/", maxsplit=1)[-1]
                if name not in wanted or not member.isreg():
                    continue
                stream = opened.extractfile(member)
                data = stream.read() if stream is not None else b""
                if check and sha1_of(data) != wanted[name]:
                    raise FileFormatError(
                        f"[{who}] {archive}: {name} in it has the SHA-1 hash {sha1_of(data)}; expected {wanted[name]}. "
                        "The archive is another version, or damaged: remove it and fetch it again."
                    )
                with atomic_write(os.path.join(folder, name), who) as target:
                    target.write(data)
                found.add(name)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise FileFormatError(
            f"[{who}] {archive}: expected a .tar.gz archive that can be read: {error}. Remove it and fetch it again."
        ) from error
    missing = sorted(set(wanted) - found)
    if missing:
        raise FileFormatError(f"[{who}] {archive}: the archive has no {', '.join(missing)}.")


def _check_place(who: str, archive: str, name: str) -> None:
    """Refuses an archive with a member that would lie outside of the folder it is unpacked to."""
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or (len(name) > 1 and name[1] == ":"):
        raise FileFormatError(
            f"[{who}] {archive}: it has a member {name!r}, which would be written outside of its folder. The archive "
            "is not to be trusted: remove it."
        )
