"""Image files in folders, lists and record files."""

import cv2
import numpy as np
import pytest

import mxnet as mx
from mxnet import recordio
from mxnet.error import FileFormatError, OpParamError
from mxnet.gluon.data import DataLoader, RecordFileDataset
from mxnet.gluon.data.vision import ImageFolderDataset, ImageListDataset, ImageRecordDataset

PIXELS = np.random.RandomState(0).randint(0, 256, (6, 4, 5, 3)).astype("uint8")


@pytest.fixture
def folder(tmp_path):
    for number, pixels in enumerate(PIXELS):
        kind = tmp_path / "images" / "abc"[number // 2]
        kind.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(kind / f"{number}.png"), pixels[..., ::-1])
    return tmp_path / "images"


@pytest.fixture
def records(tmp_path):
    with recordio.MXIndexedRecordIO(tmp_path / "x.idx", tmp_path / "x.rec", "w") as writer:
        for number, pixels in enumerate(PIXELS):
            header = recordio.IRHeader(0, float(number), number, 0)
            writer.write_idx(number * 10, recordio.pack_img(header, pixels[..., ::-1], 3, ".png"))
    return tmp_path / "x.rec"


def test_folders(folder):
    dataset = ImageFolderDataset(folder)
    assert dataset.synsets == ["a", "b", "c"]
    assert [label for _, label in dataset.items] == [0, 0, 1, 1, 2, 2]
    image, label = dataset[3]
    np.testing.assert_array_equal(image.asnumpy(), PIXELS[3])
    assert label == 1
    assert ImageFolderDataset(folder, flag=0)[0][0].shape == (4, 5, 1)
    assert ImageFolderDataset(folder, transform=lambda x, y: (x.shape, -y))[5] == ((4, 5, 3), -2)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_batches_of_files(folder, records, num_workers):
    for dataset in (ImageFolderDataset(folder), ImageRecordDataset(records)):
        images = [batch[0].asnumpy() for batch in DataLoader(dataset, 4, num_workers=num_workers)]
        np.testing.assert_array_equal(np.concatenate(images), PIXELS)


def test_other_things_in_folders(folder):
    (folder / "readme.txt").write_text("text")
    with pytest.warns(UserWarning, match=r"Ignoring .*readme.txt, which is not a directory"):
        assert len(ImageFolderDataset(folder)) == 6
    (folder / "readme.txt").unlink()
    (folder / "a" / "notes.md").write_text("text")
    with pytest.warns(UserWarning, match=r"Ignoring .*notes.md of type .md. Only support .jpg, .jpeg, .png"):
        assert len(ImageFolderDataset(folder)) == 6


def test_empty_folders(tmp_path):
    with pytest.raises(mx.MXNetError, match=r"has 0 folders and no images; expected files like .*image.jpg"):
        ImageFolderDataset(tmp_path)
    (tmp_path / "a").mkdir()
    with pytest.raises(mx.MXNetError, match="has 1 folders and no images"):
        ImageFolderDataset(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"received .*nowhere'; expected a folder with one folder of images"):
        ImageFolderDataset(tmp_path / "nowhere")


@pytest.mark.parametrize("num_workers", [0, 1])
def test_broken_images(folder, num_workers):
    (folder / "b" / "2.png").write_bytes(b"no image")
    with pytest.raises(mx.MXNetError, match=r"2\.png"):
        list(DataLoader(ImageFolderDataset(folder), 6, num_workers=num_workers))


@pytest.mark.parametrize("kind", [ImageFolderDataset, ImageListDataset, ImageRecordDataset])
def test_flags(kind):
    with pytest.raises(OpParamError, match=rf"\[{kind.__name__}\] flag: received 3; expected 1 for color, 0 for gray"):
        kind("x", flag=3)


def test_records(records):
    dataset = RecordFileDataset(records)
    assert len(dataset) == 6
    assert recordio.unpack(dataset[4])[0].label == 4
    images = ImageRecordDataset(records)
    np.testing.assert_array_equal(images[5][0].asnumpy(), PIXELS[5])
    assert images[5][1] == 5
    assert ImageRecordDataset(records, 0)[0][0].shape == (4, 5, 1)
    assert ImageRecordDataset(str(records), transform=lambda x, y: y + 1)[2] == 3


def test_broken_records(tmp_path):
    with recordio.MXIndexedRecordIO(tmp_path / "y.idx", tmp_path / "y.rec", "w") as writer:
        writer.write_idx(0, recordio.pack(recordio.IRHeader(0, 1.0, 0, 0), b"no image at all"))
    with pytest.raises(FileFormatError, match=r"\[ImageRecordDataset\] .*y\.rec, sample 0: "):
        ImageRecordDataset(tmp_path / "y.rec")[0]


def test_lists(folder):
    (folder / "all.lst").write_text("0\t1\ta/0.png\n7\t2\t3\tb/2.png\n\n")
    dataset = ImageListDataset(folder, "all.lst")
    assert len(dataset) == 2
    image, label = dataset[1]
    np.testing.assert_array_equal(image.asnumpy(), PIXELS[2])
    assert label.asnumpy().tolist() == [2, 3]
    assert ImageListDataset(folder, str(folder / "all.lst"), flag=0)[0][0].shape == (4, 5, 1)
    given = ImageListDataset(
        folder, [[1, "a/0.png"], [1, 2.5, "a/1.png"], [[3, 4], "b/2.png"]], transform=lambda x, y: y
    )
    assert [label.asnumpy().tolist() for label in (given[0], given[1], given[2])] == [[1], [1, 2.5], [3, 4]]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("0\ta/0.png", r"all.lst, line 2: received 2 columns \('0\\ta/0.png'\); expected at least 3, separated by tab"),
        ("0 1 a/0.png", "line 2: received 1 columns"),
        ("0\tcat\ta/0.png", r"line 2: received the labels \['cat'\]; expected numbers"),
    ],
)
def test_wrong_lists(folder, line, text):
    (folder / "all.lst").write_text(f"0\t1\ta/0.png\n{line}\n")
    with pytest.raises(FileFormatError, match=text):
        ImageListDataset(folder, "all.lst")


@pytest.mark.parametrize("entry", [["a/0.png"], [1, 2], "a/0.png"])
def test_wrong_entries(folder, entry):
    with pytest.raises(FileFormatError, match=r"entry 0 of imglist: received .*; expected \[label, ..., path\]"):
        ImageListDataset(folder, [entry])
    with pytest.raises(TypeError, match=r"imglist: received NoneType; expected the path of a .lst file"):
        ImageListDataset(folder)
