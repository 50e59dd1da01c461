"""CIFAR-10 and CIFAR-100, in their binary version: no pickle is opened."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from regluon.array.kinds import in_force

from ....base import data_dir
from ....error import FileFormatError
from ....ndarray import array
from ...utils import _repo_file_urls
from ..dataset import _DownloadedDataset
from ._sources import Source, fetch, unpack

__all__ = ["CIFAR10", "CIFAR100"]

_ROOT_10 = os.path.join(data_dir(), "datasets", "cifar10")
_ROOT_100 = os.path.join(data_dir(), "datasets", "cifar100")
_AUTHORS = "https://www.cs.toronto.edu/~kriz/"
_PIXELS = 3 * 32 * 32


class CIFAR10(_DownloadedDataset):
    """Photographs of 10 kinds: 50000 for training, 10000 for testing, of shape (32, 32, 3).

    Files in `root` are used, the archive too; what is missing is fetched.

    Args:
        root: the folder of the files.
        train: the images for training, or those for testing.
        transform: called with image and label of each sample that is read.
    """

    __module__ = "mxnet.gluon.data.vision.datasets"

    _namespace = "cifar10"
    _archive_file = ("cifar-10-binary.tar.gz", "fab780a1e191a7eda0f345501ccd62d20f7ed891")
    _folder = "cifar-10-batches-bin"  # in the authors' own archive
    _train_data: tuple[tuple[str, str], ...] = (
        ("data_batch_1.bin", "aadd24acce27caa71bf4b10992e9e7b2d74c2540"),
        ("data_batch_2.bin", "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795"),
        ("data_batch_3.bin", "1dd00a74ab1d17a6e7d73e185b69dbf31242f295"),
        ("data_batch_4.bin", "aab85764eb3584312d3c7f65fd2fd016e36a258e"),
        ("data_batch_5.bin", "26e2849e66a845b7f1e4614ae70f4889ae604628"),
    )
    _test_data: tuple[tuple[str, str], ...] = (("test_batch.bin", "67eb016db431130d61cd03c7ad570b013799c88c"),)
    _label_bytes = 1  # before each image
    _label_place = 0
    _num_labels = 10

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT_10,
        train: bool = True,
        transform: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        self._train = train
        super().__init__(root, transform)

    def _get_data(self) -> None:
        wanted = dict(self._train_data if self._train else self._test_data)
        if not all(self._existing(name) for name in wanted):
            self._unpack(wanted)
        batches = [self._read_batch(self._existing(name)) for name in wanted]
        self._data = in_force(array(np.concatenate([images for images, _ in batches]), dtype="uint8"))
        self._label = np.concatenate([labels for _, labels in batches])

    def _existing(self, name: str) -> str:
        """The path of a file, or '' if it is not there."""
        paths = (os.path.join(self._root, name), os.path.join(self._root, self._folder, name))
        return next((path for path in paths if os.path.exists(path)), "")

    def _unpack(self, wanted: dict[str, str]) -> None:
        who = type(self).__name__
        name, sha1 = self._archive_file
        archive = os.path.join(self._root, name)
        is_ours = os.path.exists(archive)
        if not is_ours:
            repository = _repo_file_urls(f"gluon/dataset/{self._namespace}", name)
            # The authors' archive has the same files, which are checked one by one.
            fetch(who, archive, [Source(repository, sha1), Source([_AUTHORS + name], None)])
        unpack(who, archive, self._root, wanted, check=not is_ours)

    def _read_batch(self, filename: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Images and labels of a file."""
        who, each = type(self).__name__, self._label_bytes + _PIXELS
        size = os.path.getsize(filename)
        if size == 0 or size % each:
            raise FileFormatError(
                f"[{who}] {filename}: {size} bytes; expected a multiple of {each}, the size of a label and an image. "
                "The file is incomplete: remove it to fetch it again."
            )
        records = np.fromfile(filename, dtype=np.uint8).reshape(-1, each)
        labels = records[:, self._label_place].astype(np.int32)
        if labels.max() >= self._num_labels:
            raise FileFormatError(
                f"[{who}] {filename}: sample {int(labels.argmax())} has the label {labels.max()}; expected less than "
                f"{self._num_labels}. This is not the binary version of the data set, or it is damaged."
            )
        images = records[:, self._label_bytes :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return images, labels


class CIFAR100(CIFAR10):
    """Photographs of 100 kinds in 20 groups: 50000 for training, 10000 for testing, of shape (32, 32, 3).

    Files in `root` are used, the archive too; what is missing is fetched.

    Args:
        root: the folder of the files.
        fine_label: labels are the kinds, rather than the groups.
        train: the images for training, or those for testing.
        transform: called with image and label of each sample that is read.
    """

    __module__ = "mxnet.gluon.data.vision.datasets"

    _namespace = "cifar100"
    _archive_file = ("cifar-100-binary.tar.gz", "a0bb982c76b83111308126cc779a992fa506b90b")
    _folder = "cifar-100-binary"
    _train_data = (("train.bin", "e207cd2e05b73b1393c74c7f5e7bea451d63e08e"),)
    _test_data = (("test.bin", "8fb6623e830365ff53cf14adec797474f5478006"),)
    _label_bytes = 2

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT_100,
        fine_label: bool = False,
        train: bool = True,
        transform: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        self._fine_label = fine_label
        self._label_place = int(bool(fine_label))
        self._num_labels = 100 if fine_label else 20
        super().__init__(root, train, transform)
