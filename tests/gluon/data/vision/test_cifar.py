"""CIFAR-10 and CIFAR-100."""

import hashlib
import io
import tarfile

import numpy as np
import pytest

from mxnet.error import FileFormatError
from mxnet.gluon.data.vision import CIFAR10, CIFAR100
from mxnet.gluon.utils import DownloadError

NAMES = [f"data_batch_{i}.bin" for i in range(1, 6)]


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    monkeypatch.setenv("MXNET_GLUON_REPO", "file:///nowhere")
    monkeypatch.setattr("mxnet.gluon.data.vision._published._AUTHORS", "file:///nowhere/")


def batch(seed, label_bytes=1, count=2):
    records = np.random.RandomState(seed).randint(0, 256, (count, label_bytes + 3072)).astype("uint8")
    records[:, :label_bytes] = np.arange(count)[:, None] + 10 * np.arange(label_bytes)
    return records.tobytes()


def archive(path, members):
    with tarfile.open(path, "w:gz") as target:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            target.addfile(entry, io.BytesIO(content))


def test_files_that_are_there(tmp_path):
    for number, name in enumerate(NAMES):
        (tmp_path / name).write_bytes(batch(number))
    dataset = CIFAR10(tmp_path)
    image, label = dataset[3]
    assert len(dataset) == 10
    assert (image.shape, image.dtype, label, type(label)) == ((32, 32, 3), np.uint8, 1, np.int32)
    # Planes of red, green and blue in the file.
    pixels = np.frombuffer(batch(1), "uint8").reshape(2, 3073)[1, 1:]
    assert image.asnumpy()[4, 7].tolist() == [pixels[c * 1024 + 4 * 32 + 7] for c in range(3)]
    with pytest.raises(DownloadError, match=r"\[CIFAR10\] cifar-10-binary.tar.gz is not in"):
        CIFAR10(tmp_path, train=False)


@pytest.mark.parametrize(("fine", "labels"), [(False, [0, 1]), (True, [10, 11])])
def test_the_authors_folder(tmp_path, fine, labels):
    (tmp_path / "cifar-100-binary").mkdir()
    (tmp_path / "cifar-100-binary" / "test.bin").write_bytes(batch(0, 2))
    dataset = CIFAR100(tmp_path, fine_label=fine, train=False)
    assert dataset._label.tolist() == labels


@pytest.mark.parametrize("folder", ["", "cifar-10-batches-bin/", "./"])
def test_archives_that_are_there(tmp_path, folder):
    members = {folder + name: batch(number) for number, name in enumerate([*NAMES, "test_batch.bin"])}
    archive(tmp_path / "cifar-10-binary.tar.gz", {**members, folder + "readme.html": b"text"})
    assert len(CIFAR10(tmp_path)) == 10
    assert len(CIFAR10(tmp_path, train=False)) == 2
    assert not (tmp_path / "readme.html").exists()


def test_fetched_archives(tmp_path, monkeypatch):
    mirror = tmp_path / "mirror" / "gluon" / "dataset" / "cifar100"
    mirror.mkdir(parents=True)
    archive(mirror / "cifar-100-binary.tar.gz", {"test.bin": batch(0, 2)})
    digest = hashlib.sha1((mirror / "cifar-100-binary.tar.gz").read_bytes()).hexdigest()
    monkeypatch.setattr(CIFAR100, "_archive_file", ("cifar-100-binary.tar.gz", digest))
    monkeypatch.setenv("MXNET_GLUON_REPO", (tmp_path / "mirror").as_uri())
    with pytest.raises(FileFormatError, match=r"test.bin in it has the SHA-1 hash \w+; expected 8fb6623e"):
        CIFAR100(tmp_path / "root", train=False)
    (tmp_path / "root" / "cifar-100-binary.tar.gz").unlink()
    monkeypatch.setattr(CIFAR100, "_test_data", (("test.bin", hashlib.sha1(batch(0, 2)).hexdigest()),))
    assert len(CIFAR100(tmp_path / "root", train=False)) == 2


def test_the_authors_archive(tmp_path, monkeypatch):
    archive(tmp_path / "cifar-100-binary.tar.gz", {"cifar-100-binary/test.bin": batch(0, 2)})
    monkeypatch.setattr("mxnet.gluon.data.vision._published._AUTHORS", tmp_path.as_uri() + "/")
    monkeypatch.setattr(CIFAR100, "_test_data", (("test.bin", hashlib.sha1(batch(0, 2)).hexdigest()),))
    assert len(CIFAR100(tmp_path / "root", train=False)) == 2


@pytest.mark.parametrize("name", ["../test_batch.bin", "/tmp/test_batch.bin", "a/../../test_batch.bin", "C:/x.bin"])
def test_archives_that_reach_outside(tmp_path, name):
    root = tmp_path / "root"
    root.mkdir()
    archive(root / "cifar-10-binary.tar.gz", {name: batch(0), "test_batch.bin": batch(0)})
    with pytest.raises(FileFormatError, match=r"would be written outside of its folder.*not to be trusted"):
        CIFAR10(root, train=False)
    assert [path.name for path in tmp_path.iterdir()] == ["root"]


def test_links_in_archives_are_ignored(tmp_path):
    with tarfile.open(tmp_path / "cifar-10-binary.tar.gz", "w:gz") as target:
        entry = tarfile.TarInfo("test_batch.bin")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        target.addfile(entry)
    with pytest.raises(FileFormatError, match=r"the archive has no test_batch.bin"):
        CIFAR10(tmp_path, train=False)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (batch(0)[:-1], "6145 bytes; expected a multiple of 3073"),
        (b"", "0 bytes; expected a multiple"),
        (b"\x0b" * 3073, "sample 0 has the label 11; expected less than 10"),
    ],
)
def test_damaged_files(tmp_path, content, text):
    (tmp_path / "test_batch.bin").write_bytes(content)
    with pytest.raises(FileFormatError, match=text):
        CIFAR10(tmp_path, train=False)


def test_damaged_archives(tmp_path):
    (tmp_path / "cifar-10-binary.tar.gz").write_bytes(b"<html>")
    with pytest.raises(FileFormatError, match=r"expected a .tar.gz archive that can be read"):
        CIFAR10(tmp_path)
