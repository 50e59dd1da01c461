"""MNIST and Fashion-MNIST."""

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import FileFormatError
from mxnet.gluon.data import DataLoader
from mxnet.gluon.data.vision import MNIST, FashionMNIST, _image_files
from mxnet.gluon.utils import DownloadError
from regluon.formats import idx

IMAGES = np.random.RandomState(0).randint(0, 256, (6, 28, 28)).astype("uint8")
LABELS = np.array([3, 1, 4, 1, 5, 9], dtype="uint8")
ZALANDO = Path("/usr/share/datasets/fashion-mnist")


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Fetching fails at once, unless a test gives a mirror."""
    monkeypatch.setenv("MXNET_GLUON_REPO", "file:///nowhere")
    monkeypatch.setattr(MNIST, "_mirrors", ("file:///nowhere/",))
    monkeypatch.setattr(FashionMNIST, "_mirrors", ("file:///nowhere/",))


def write(folder, images=IMAGES, labels=LABELS, part="train", suffix=".gz"):
    folder.mkdir(exist_ok=True)
    pack = gzip.compress if suffix else bytes
    (folder / f"{part}-images-idx3-ubyte{suffix}").write_bytes(pack(idx.encode(images)))
    (folder / f"{part}-labels-idx1-ubyte{suffix}").write_bytes(pack(idx.encode(labels)))


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("kind", [MNIST, FashionMNIST])
def test_files_that_are_there(tmp_path, kind, suffix):
    write(tmp_path, suffix=suffix)
    dataset = kind(tmp_path)
    image, label = dataset[2]
    assert len(dataset) == 6
    assert (image.shape, image.dtype, label, type(label)) == ((28, 28, 1), np.uint8, 4, np.int32)
    np.testing.assert_array_equal(dataset._data.asnumpy()[..., 0], IMAGES)
    with pytest.raises(DownloadError, match=rf"\[{kind.__name__}\] t10k-images-idx3-ubyte.gz is not in"):
        kind(tmp_path, train=False)


def test_transforms_and_batches(tmp_path):
    write(tmp_path)
    dataset = MNIST(str(tmp_path), transform=lambda image, label: (image.astype("float32"), label * 2))
    assert dataset[5][1] == 18
    plain = next(iter(DataLoader(MNIST(tmp_path), 4)))
    changed = next(iter(DataLoader(dataset, 4)))
    np.testing.assert_array_equal(plain[0].asnumpy(), changed[0].asnumpy())
    assert changed[1].asnumpy().tolist() == [6, 2, 8, 2]


def test_fetched_files(tmp_path, monkeypatch, caplog):
    mirror = tmp_path / "mirror" / "gluon" / "dataset" / "mnist"
    mirror.mkdir(parents=True)
    write(mirror)
    files = {
        name: (mirror / name).read_bytes() for name in ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz")
    }
    for attribute, (name, content) in zip(("_train_data", "_train_label"), files.items(), strict=True):
        monkeypatch.setattr(MNIST, attribute, (name, hashlib.sha1(content).hexdigest()))
    monkeypatch.setenv("MXNET_GLUON_REPO", (tmp_path / "mirror").as_uri())
    root = tmp_path / "root"
    assert len(MNIST(root)) == 6
    assert {path.name for path in root.iterdir()} == files.keys()
    # A damaged file is fetched anew.
    (root / "train-images-idx3-ubyte.gz").write_bytes(files["train-images-idx3-ubyte.gz"][:100])
    assert len(MNIST(root)) == 6
    assert "It is fetched anew" in caplog.text
    assert (root / "train-images-idx3-ubyte.gz").read_bytes() == files["train-images-idx3-ubyte.gz"]


def test_the_published_files_are_accepted_too(tmp_path, monkeypatch):
    published = tmp_path / "published"
    write(published)
    for attribute, name in (
        ("_train_data", "train-images-idx3-ubyte.gz"),
        ("_train_label", "train-labels-idx1-ubyte.gz"),
    ):
        content = (published / name).read_bytes()
        monkeypatch.setattr(FashionMNIST, attribute, (name, "0" * 40, hashlib.md5(content).hexdigest()))
    monkeypatch.setattr(FashionMNIST, "_mirrors", (published.as_uri() + "/",))
    assert len(FashionMNIST(tmp_path / "root")) == 6
    monkeypatch.setattr(FashionMNIST, "_train_data", ("train-images-idx3-ubyte.gz", "0" * 40, "1" * 32))
    with pytest.raises(DownloadError, match="the hash of the file is"):
        FashionMNIST(tmp_path / "other")


def test_hashes_of_fashion_mnist():
    assert [len(digest) for digest in FashionMNIST._train_data[1:]] == [40, 32]
    assert FashionMNIST._test_label[2] == "bb300cfdad3c16e7a12a480ee83cd310"


def test_without_a_connection(tmp_path):
    with pytest.raises(DownloadError) as caught:
        MNIST(tmp_path)
    text = str(caught.value)
    assert "train-images-idx3-ubyte.gz is not in" in text
    assert str(tmp_path) in text
    assert "pass root= a folder that has it, or set MXNET_GLUON_REPO" in text
    assert isinstance(caught.value, mx.MXNetError)
    assert isinstance(caught.value, OSError)


@pytest.mark.parametrize(
    ("images", "labels", "text"),
    [
        (IMAGES[:, :27], LABELS, r"images of shape \(6, 27, 28\) and 6 labels"),
        (IMAGES, LABELS[:5], r"images of shape \(6, 28, 28\) and 5 labels; expected as many"),
        (IMAGES.astype("int16"), LABELS, "an array of int16 .*expected uint8 with 3 axes"),
        (IMAGES, LABELS[None], r"shape \(1, 6\); expected uint8 with 1 axis"),
    ],
)
def test_files_that_do_not_fit(tmp_path, images, labels, text):
    write(tmp_path, images, labels)
    with pytest.raises(FileFormatError, match=text):
        MNIST(tmp_path)


def test_damaged_files_without_a_connection(tmp_path):
    write(tmp_path)
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(b"<html>no such page</html>")
    with pytest.raises(
        FileFormatError, match=r"expected the header of an idx file(.|\n)*Fetching it anew failed as well"
    ):
        MNIST(tmp_path)


def test_default_folders():
    assert _image_files.Source(["x"], None).digest is None
    for kind, name in ((MNIST, "mnist"), (FashionMNIST, "fashion-mnist")):
        default = kind.__init__.__defaults__[0]
        assert Path(default).parts[-2:] == ("datasets", name)


@pytest.mark.skipif(not ZALANDO.is_dir(), reason="the data set is not installed")
def test_the_real_data_set():
    dataset = FashionMNIST(ZALANDO, train=False)
    assert len(dataset) == 10000
    assert np.bincount(dataset._label).tolist() == [1000] * 10
    assert dataset[0][1] == 9
