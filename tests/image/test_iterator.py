"""`ImageIter`: broken and unfitting images, lists, orders, small data sets; the texts name the image."""

import logging
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet import image
from mxnet.error import FileFormatError
from tools.oracle.image_programs import SIZES, picture, png_bytes

FIXTURES = Path(__file__).parents[1] / "fixtures" / "image"
RECORDS = {"path_imgrec": str(FIXTURES / "pictures.rec"), "path_imgidx": str(FIXTURES / "pictures.idx")}
SHAPE = (3, 4, 5)


def of_list(batch_size: int, count: int, **kwargs) -> image.ImageIter:
    listed = [[number, f"{number}.png"] for number in range(count)]
    return image.ImageIter(batch_size, SHAPE, imglist=listed, path_root=str(FIXTURES), **kwargs)


def labels(iterator: image.ImageIter) -> list[list[float]]:
    return [batch.label[0].asnumpy().tolist() for batch in iterator]


@pytest.mark.parametrize("batch_size", [3, 8])
def test_small_sets_fill_a_batch_more_than_once(batch_size: int):
    batches = list(of_list(batch_size, 1))
    assert len(batches) == 1
    assert batches[0].pad == batch_size - 1
    np.testing.assert_array_equal(batches[0].data[0].asnumpy(), batches[0].data[0][:1].asnumpy().repeat(batch_size, 0))


def test_hard_reset_forgets_what_rolled_over():
    iterator = of_list(2, 3, last_batch_handle="roll_over")
    assert labels(iterator) == [[0, 1]]
    iterator.hard_reset()
    assert labels(iterator) == [[0, 1]]
    iterator.reset()
    assert labels(iterator) == [[2, 0], [1, 2]]


def test_shuffling_follows_the_seed():
    mx.random.seed(4)
    first = labels(of_list(7, 7, shuffle=True))
    mx.random.seed(4)
    assert labels(of_list(7, 7, shuffle=True)) == first
    assert sorted(first[0]) == list(range(7))


def test_parts_cover_all():
    parts = [labels(image.ImageIter(1, SHAPE, num_parts=3, part_index=i, **RECORDS)) for i in range(3)]
    assert [batch for part in parts for batch in part] == [[number] for number in range(6)]


def test_steps_can_be_replaced():
    class Dark(image.ImageIter):
        def augmentation_transform(self, data):
            return super().augmentation_transform(data) * 0

        def check_valid_image(self, data):
            if data[0].shape[0] == SIZES[1][0]:
                raise RuntimeError("too tall")

    iterator = Dark(2, SHAPE, **RECORDS)
    assert labels(iterator) == [[0, 2], [3, 4], [5, 6]]
    iterator.reset()
    assert not next(iterator).data[0].asnumpy().any()


def test_left_out_images_are_named(caplog: pytest.LogCaptureFixture):
    iterator = of_list(2, 2)
    iterator.check_valid_image = lambda data: (_ for _ in ()).throw(RuntimeError("no"))
    with caplog.at_level(logging.WARNING), pytest.raises(StopIteration):
        iterator.next()
    assert "left out the image filename: 0.png: no" in caplog.text


def test_list_files(tmp_path: Path):
    path = tmp_path / "a.lst"
    path.write_text("7\t1.5\t2\t0.png\n\n9\t3\t4\t1.png\n")
    iterator = image.ImageIter(2, SHAPE, 2, path_imglist=str(path), path_root=str(FIXTURES))
    assert labels(iterator) == [[[1.5, 2], [3, 4]]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\t0.png\n", "line 1: received .* expected key, label"),
        ("1\t1\ta.png\nx\t1\tb.png\n", "line 2: invalid literal"),
        ("1\t\udcff\ta.png\n", "line 1: could not convert"),
    ],
)
def test_bad_lines_of_list_files_are_named(tmp_path: Path, text: str, expected: str):
    path = tmp_path / "a.lst"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(FileFormatError, match=rf"a\.lst, {expected}"):
        image.ImageIter(1, SHAPE, path_imglist=str(path))


def broken_records(folder: Path, indexed: bool) -> image.ImageIter:
    paths = str(folder / "a.idx"), str(folder / "a.rec")
    with mx.recordio.MXIndexedRecordIO(*paths, "w") as file:
        for key, data in ((5, png_bytes(picture(0, 9, 9))), (8, b"\xff\xd8 broken"), (9, b"")):
            file.write_idx(key, mx.recordio.pack(mx.recordio.IRHeader(0, 1.0, key, 0), data))
    return image.ImageIter(1, SHAPE, path_imgrec=paths[1], path_imgidx=paths[0] if indexed else None)


@pytest.mark.parametrize(("indexed", "names"), [(True, (8, 9)), (False, (1, 2))])
def test_broken_records_are_named(tmp_path: Path, indexed: bool, names: tuple[int, int]):
    iterator = broken_records(tmp_path, indexed)
    next(iterator)
    for name in names:
        with pytest.raises(FileFormatError, match=rf"\[ImageIter\] Broken image index: {name}, "):
            next(iterator)


def test_broken_files_are_named(tmp_path: Path):
    (tmp_path / "bad.png").write_bytes(b"no image")
    iterator = image.ImageIter(1, SHAPE, imglist=[[0, "bad.png"], [1, "none.png"]], path_root=str(tmp_path))
    with pytest.raises(RuntimeError, match=r"Broken image filename: bad\.png, .*beginning b'no image'"):
        next(iterator)
    with pytest.raises(FileNotFoundError, match=r"none\.png"):
        next(iterator)


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({}, "received no images; expected path_imgrec, path_imglist"),
        ({"path_imgrec": RECORDS["path_imgrec"], "shuffle": True}, "received shuffle=True, .*; expected path_imgidx"),
        ({**RECORDS, "num_parts": 2, "part_index": 2}, "part_index: received 2; expected 0 to num_parts - 1 = 1"),
        ({**RECORDS, "dtype": "uint8"}, "dtype: received 'uint8'; expected one of 'int32'"),
        ({**RECORDS, "last_batch_handle": "keep"}, "last_batch_handle: received 'keep'; expected one of 'pad'"),
        ({**RECORDS, "data_shape": (1, 4, 5)}, r"data_shape: received \(1, 4, 5\); expected \(3, height, width\)"),
        ({**RECORDS, "batch_size": 0}, "batch_size: received 0"),
        ({"imglist": [[1]]}, r"imglist: received \[1\] as item 0; expected \[label, path\]"),
    ],
)
def test_refusals(kwargs: dict, text: str):
    with pytest.raises(ValueError, match=rf"\[ImageIter\] {text}"):
        image.ImageIter(**{"batch_size": 1, "data_shape": SHAPE, **kwargs})


def test_unfitting_images_and_labels_are_named():
    with pytest.raises(ValueError, match=r"image index: 0 has shape \(3, 14, 18\) after the augmenters; expected"):
        next(image.ImageIter(1, SHAPE, aug_list=[], **RECORDS))
    with pytest.raises(ValueError, match=r"image index: 0 has 1 label\(s\); expected label_width=2"):
        next(image.ImageIter(1, SHAPE, label_width=2, **RECORDS))


def test_labels_of_lists():
    listed = [[10.0, 11, "a.png"], [[20.0, 21], "b.png"], [30, "c.png"]]
    iterator = image.ImageIter(1, SHAPE, imglist=listed, path_root=str(FIXTURES), dtype="int64")
    assert iterator.num_image == 3
    assert [label.asnumpy().tolist() for label, _ in iterator.imglist.values()] == [[10, 11], [20, 21], [30]]
    assert all(label.dtype == np.int64 for label, _ in iterator.imglist.values())
