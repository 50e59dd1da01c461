"""Data sets and files that tests and examples use: those that are there, or fetched."""

import bz2
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from regluon.formats import idx

from ..gluon.data.vision import MNIST
from ..gluon.utils import DownloadError
from ..gluon.utils import download as fetch
from ..io import DataIter, MNISTIter

__all__ = [
    "DummyIter",
    "download",
    "download_model",
    "get_bz2_data",
    "get_cifar10",
    "get_im2rec_path",
    "get_mnist",
    "get_mnist_iterator",
    "get_mnist_pkl",
    "get_mnist_ubyte",
    "get_zip_data",
]

_HOST = "http://data.mxnet.io"
_MODELS = {
    "imagenet1k-inception-bn": "imagenet/inception-bn/Inception-BN",
    **{f"imagenet1k-resnet-{n}": f"imagenet/resnet/{n}-layers/resnet-{n}" for n in (18, 34, 50, 101, 152)},
    **{f"imagenet1k-resnext-{n}": f"imagenet/resnext/{n}-layers/resnext-{n}" for n in ("50", "101", "101-64x4d")},
    "imagenet11k-resnet-152": "imagenet-11k/resnet-152/resnet-152",
    "imagenet11k-place365ch-resnet-152": "imagenet-11k-place365-ch/resnet-152",
    "imagenet11k-place365ch-resnet-50": "imagenet-11k-place365-ch/resnet-50",
}


def download(
    url: str, fname: str | None = None, dirname: str | None = None, overwrite: bool = False, retries: int = 5
) -> str:
    """Fetches a file, unless it is there already.

    Args:
        url: its address.
        fname: what to call it; by default the address's last part.
        dirname: the folder; by default the current one.
        overwrite: fetch it even if it exists.
        retries: how often to try.

    Returns:
        The file's path.
    """
    if retries < 0:
        raise AssertionError(f"[download] retries: received {retries}; expected a number of at least 0.")
    path = url.rsplit("/", maxsplit=1)[-1] if fname is None else fname
    if dirname is not None:
        path = os.path.join(dirname, path)
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path) and not overwrite:
        return path
    return fetch(url, path=path, overwrite=overwrite, retries=max(retries, 1))


def download_model(
    model_name: str, dst_dir: str = "./", meta_info: dict[str, dict[str, str]] | None = None
) -> tuple[str | None, int]:
    """Fetches the symbol and the parameters of a trained network.

    Args:
        model_name: its name.
        dst_dir: the folder.
        meta_info: from names to dicts with the addresses 'symbol' and 'params'; those of MXNet's host by default.

    Returns:
        What `load_checkpoint` takes: prefix and epoch; (None, 0) for a name that is not known.
    """
    known = meta_info if meta_info is not None else {name: _addresses(name) for name in _MODELS}
    if model_name not in known:
        return None, 0
    addresses = known[model_name]
    missing = [part for part in ("symbol", "params") if part not in addresses]
    if missing:
        raise AssertionError(f"[download_model] {model_name}: the address of {' and '.join(missing)} is missing.")
    prefix = os.path.join(dst_dir, model_name)
    download(addresses["symbol"], f"{prefix}-symbol.json")
    download(addresses["params"], f"{prefix}-0000.params")
    return prefix, 0


def _addresses(model_name: str) -> dict[str, str]:
    stem = f"{_HOST}/models/{_MODELS[model_name]}"
    epoch = "0126" if model_name == "imagenet1k-inception-bn" else "0000"
    return {"symbol": f"{stem}-symbol.json", "params": f"{stem}-{epoch}.params"}


def get_mnist() -> dict[str, np.ndarray[Any, Any]]:
    """MNIST from files in the current folder, which are fetched if they are not there.

    Returns:
        'train_data' and 'test_data' of float32 from 0 to 1 and shape (n, 1, 28, 28), 'train_label' and 'test_label'.
    """
    found: dict[str, np.ndarray[Any, Any]] = {}
    for part, is_train in (("train", True), ("test", False)):
        digits = MNIST(root=".", train=is_train)
        images = digits._data.asnumpy()
        found[f"{part}_data"] = images.reshape(-1, 1, 28, 28).astype(np.float32) / 255
        found[f"{part}_label"] = digits._label.astype(np.int8)
    return found


def get_mnist_pkl() -> None:
    """Fetches `data/mnist.pkl.gz`. Nothing here opens it: a pickle from elsewhere can run any code."""
    download("http://deeplearning.net/data/mnist/mnist.pkl.gz", dirname="data")


def get_mnist_ubyte() -> None:
    """Puts the four files of MNIST into the folder `data`, uncompressed, unless they are there."""
    folder = Path("data")
    for part, is_train in (("train", True), ("t10k", False)):
        files = [folder / f"{part}-images-idx3-ubyte", folder / f"{part}-labels-idx1-ubyte"]
        if all(file.exists() for file in files):
            continue
        folder.mkdir(exist_ok=True)
        digits = MNIST(root=str(folder), train=is_train)
        for file, values in zip(files, (digits._data.asnumpy()[..., 0], digits._label), strict=True):
            file.write_bytes(idx.encode(values.astype(np.uint8)))


def get_mnist_iterator(
    batch_size: int, input_shape: tuple[int, ...], num_parts: int = 1, part_index: int = 0
) -> tuple[MNISTIter, MNISTIter]:
    """Iterators over the training and the test digits, from the folder `data`.

    Args:
        batch_size: digits in a batch.
        input_shape: of a digit; other than three axes flattens it.
        num_parts: how many workers share the digits.
        part_index: which of them this is.
    """
    get_mnist_ubyte()
    common = {
        "batch_size": batch_size,
        "flat": len(input_shape) != 3,
        "num_parts": num_parts,
        "part_index": part_index,
    }
    return (
        MNISTIter(image="data/train-images-idx3-ubyte", label="data/train-labels-idx1-ubyte", shuffle=True, **common),
        MNISTIter(image="data/t10k-images-idx3-ubyte", label="data/t10k-labels-idx1-ubyte", **common),
    )


def get_cifar10() -> None:
    """Puts CIFAR-10 as RecordIO files into the folder `data/cifar`, unless they are there."""
    wanted = [Path("data/cifar") / name for name in ("train.rec", "test.rec", "train.lst", "test.lst")]
    if all(path.exists() for path in wanted):
        return
    try:
        get_zip_data("data", f"{_HOST}/mxnet/data/cifar10.zip", "cifar10.zip")
    except DownloadError as error:
        names = ", ".join(path.name for path in wanted)
        raise DownloadError(
            f"[get_cifar10] {error}\nPut {names} into data/cifar: `python -m mxnet.tools.im2rec` makes such files from "
            "images, and gluon.data.vision.CIFAR10 reads the set from other places."
        ) from None


def get_zip_data(data_dir: str, url: str, data_origin_name: str) -> None:
    """Fetches a zip archive and unpacks it, unless it is there.

    Args:
        data_dir: the folder.
        url: its address.
        data_origin_name: the archive's name in the folder.
    """
    archive = os.path.join(data_dir, data_origin_name)
    if not os.path.exists(archive):
        download(url, fname=data_origin_name, dirname=data_dir)
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(data_dir)


def get_bz2_data(data_dir: str, data_name: str, url: str, data_origin_name: str) -> None:
    """Fetches a file compressed by bzip2 and unpacks it, unless it is there.

    Args:
        data_dir: the folder.
        data_name: the unpacked file's name.
        url: the address.
        data_origin_name: the compressed file's name.
    """
    target, archive = os.path.join(data_dir, data_name), os.path.join(data_dir, data_origin_name)
    if os.path.exists(target):
        return
    download(url, fname=data_origin_name, dirname=data_dir)
    with bz2.open(archive) as packed, open(target, "wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    os.remove(archive)


def get_im2rec_path(home_env: str = "MXNET_HOME") -> str:
    """The path of the program that packs images into RecordIO files.

    Args:
        home_env: the variable of the environment that names the folder of another MXNet.
    """
    home = Path(os.environ[home_env]) if home_env in os.environ else Path(__file__).parents[1]
    for folder in (home, home.parent.parent):
        path = folder / "tools" / "im2rec.py"
        if path.is_file():
            return str(path)
    raise OSError(f"Could not find path to tools/im2rec.py: {home} has none; {home_env} can name another folder.")


class DummyIter(DataIter):
    """Gives the first batch of another iterator for ever: to measure how long the rest takes."""

    __module__ = "mxnet.test_utils"

    def __init__(self, real_iter: Any) -> None:
        super().__init__(real_iter.batch_size)
        self.real_iter = real_iter
        self.provide_data: Any = real_iter.provide_data
        self.provide_label: Any = real_iter.provide_label
        self.the_batch: Any = next(real_iter)

    def __iter__(self) -> "DummyIter":
        return self

    def next(self) -> Any:
        """The batch."""
        return self.the_batch
