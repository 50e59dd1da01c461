"""Load the published data sets MNIST, Fashion-MNIST and CIFAR."""

import logging
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from regluon.array.array_kind import in_force
from regluon.formats import idx

from ....base import data_dir
from ....error import FileFormatError
from ....ndarray import array
from ...utils import DownloadError, _repo_file_urls
from ..dataset import _DownloadedDataset
from ._image_files import Source, fetch, unpack_archive

__all__ = ["CIFAR10", "CIFAR100", "MNIST", "FashionMNIST"]


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
        unpack_archive(who, archive, self._root, wanted, check=not is_ours)

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


_MNIST_ROOT = os.path.join(data_dir(), "datasets", "mnist")
_FASHION_ROOT = os.path.join(data_dir(), "datasets", "fashion-mnist")
_log = logging.getLogger(__name__)


class MNIST(_DownloadedDataset):
    """Handwritten digits: 60000 images for training, 10000 for testing, of shape (28, 28, 1), with labels 0 to 9.

    Files in `root` are used, compressed or not; those that are missing are fetched.

    Args:
        root: the folder of the files.
        train: the images for training, or those for testing.
        transform: called with image and label of each sample that is read.
    """

    __module__ = "mxnet.gluon.data.vision.datasets"

    _namespace = "mnist"
    # Name of the file, its SHA-1 hash in MXNet's repository, and the MD5 hash its authors give where they changed it.
    _train_data: tuple[str, ...] = ("train-images-idx3-ubyte.gz", "6c95f4b05d2bf285e1bfb0e7960c31bd3b3f8a7d")
    _train_label: tuple[str, ...] = ("train-labels-idx1-ubyte.gz", "2a80914081dc54586dbdf242f9805a6b8d2a15fc")
    _test_data: tuple[str, ...] = ("t10k-images-idx3-ubyte.gz", "c3a25af1f52dad7f726cce8cacb138654b760d48")
    _test_label: tuple[str, ...] = ("t10k-labels-idx1-ubyte.gz", "763e7fa3757d93b0cdec073cef058b2004252c17")
    _mirrors: tuple[str, ...] = (
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    )

    def __init__(
        self,
        root: str | os.PathLike[str] = _MNIST_ROOT,
        train: bool = True,
        transform: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        self._train = train
        super().__init__(root, transform)

    def _get_data(self) -> None:
        images = self._array(self._train_data if self._train else self._test_data, 3)
        labels = self._array(self._train_label if self._train else self._test_label, 1)
        if images.shape[1:] != (28, 28) or len(images) != len(labels):
            raise FileFormatError(
                f"[{type(self).__name__}] the files in {self._root!r} have images of shape {images.shape} and "
                f"{len(labels)} labels; expected as many images of 28 x 28."
            )
        self._data = in_force(array(images[..., np.newaxis], dtype="uint8"))
        self._label = labels.astype(np.int32)

    def _array(self, file: tuple[str, ...], ndim: int) -> np.ndarray[Any, Any]:
        """The array of a file, which is fetched if it is missing or cannot be read."""
        path = os.path.join(self._root, file[0])
        plain = path.removesuffix(".gz")
        existing = path if os.path.exists(path) else plain
        if not os.path.exists(existing):
            return self._read(self._fetch(file, path), ndim)
        try:
            return self._read(existing, ndim)
        except FileFormatError as damage:
            _log.warning("%s It is fetched anew.", damage)
            try:
                return self._read(self._fetch(file, path), ndim)
            except DownloadError as error:
                raise FileFormatError(f"{damage}\nFetching it anew failed as well: {error}") from None

    def _fetch(self, file: tuple[str, ...], path: str) -> str:
        name, known, published = file[0], file[1], file[-1]
        repository = _repo_file_urls(f"gluon/dataset/{self._namespace}", name)
        mirrors = [url + name for url in self._mirrors]
        if known == published:
            return fetch(type(self).__name__, path, [Source([*repository, *mirrors], known)])
        return fetch(type(self).__name__, path, [Source(repository, known), Source(mirrors, published)])

    def _read(self, path: str, ndim: int) -> np.ndarray[Any, Any]:
        who = type(self).__name__
        values = idx.read(path, who)
        if values.ndim != ndim or values.dtype != np.uint8:
            raise FileFormatError(
                f"[{who}] {path}: an array of {values.dtype} and shape {values.shape}; expected uint8 with {ndim} "
                f"{'axis' if ndim == 1 else 'axes'}."
            )
        return values


class FashionMNIST(MNIST):
    """Photographs of clothes: 60000 images for training, 10000 for testing, of shape (28, 28, 1), with labels 0 to 9.

    Files in `root` are used, compressed or not; those that are missing are fetched.

    Args:
        root: the folder of the files.
        train: the images for training, or those for testing.
        transform: called with image and label of each sample that is read.
    """

    __module__ = "mxnet.gluon.data.vision.datasets"

    _namespace = "fashion-mnist"
    _train_data = (
        "train-images-idx3-ubyte.gz",
        "0cf37b0d40ed5169c6b3aba31069a9770ac9043d",
        "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    )
    _train_label = (
        "train-labels-idx1-ubyte.gz",
        "236021d52f1e40852b06a4c3008d8de8aef1e40b",
        "25c81989df183df01b3e8a0aad5dffbe",
    )
    _test_data = (
        "t10k-images-idx3-ubyte.gz",
        "626ed6a7c06dd17c0eec72fa3be1740f146a2863",
        "bef4ecab320f06d8554ea6380940ec79",
    )
    _test_label = (
        "t10k-labels-idx1-ubyte.gz",
        "17f9ab60e7257a1620f4ad76bbbaf857c3920701",
        "bb300cfdad3c16e7a12a480ee83cd310",
    )
    _mirrors = (
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/",
    )

    def __init__(
        self,
        root: str | os.PathLike[str] = _FASHION_ROOT,
        train: bool = True,
        transform: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        super().__init__(root, train, transform)
