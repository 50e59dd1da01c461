"""Batches of images: what MXNet gives for the same records, whatever threads do."""

import gc
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import mxnet.io as io
from mxnet import nd
from mxnet.base import MXNetError
from mxnet.error import FileFormatError, OpParamError
from mxnet.recordio import IRHeader, MXIndexedRecordIO, MXRecordIO, pack, pack_img
from tests.io.recorded import FIXTURES, NOTES, VALUES, assert_recorded, make, passes

# OpenCV's way of calculating these changed between the versions that MXNet and we have.
TOLERANCE = {"rotate": 3, "scale": 1, "stretch": 1, "limits": 1}


def images(name: str = "ImageRecordIter", **arguments):
    given = {"path_imgrec": "images.rec", "data_shape": (3, 16, 16), "batch_size": 4, "verbose": False}
    return make(name, {**given, **arguments})


@pytest.mark.parametrize("name", NOTES["images"])
def test_batches_are_those_of_mxnet(name):
    case = NOTES["images"][name]
    found = assert_recorded(make("ImageRecordIter", case["arguments"]), case["passes"])
    if f"images_{name}" in VALUES:
        expected = VALUES[f"images_{name}"]
        assert found[0][0][0].dtype == expected.dtype
        np.testing.assert_allclose(found[0][0][0], expected, rtol=0, atol=TOLERANCE.get(name, 0))


def test_the_mean_image_is_made_and_used(tmp_path: Path):
    path = tmp_path / "mean.bin"
    for _ in range(2):
        batch = next(images(mean_img=str(path)))
        np.testing.assert_allclose(batch.data[0].asnumpy(), VALUES["mean_img"], atol=1e-4)
    np.testing.assert_allclose(
        nd.load(str(path))["mean_img"].asnumpy(), nd.load(str(FIXTURES / "mean.bin"))["mean_img"].asnumpy(), atol=1e-4
    )
    with pytest.raises(
        FileFormatError, match=r"received arrays of shapes \[\(3, 16, 16\)\]; expected one of data_shape"
    ):
        images(mean_img=str(path), data_shape=(3, 8, 8))


def test_other_names():
    assert next(images("ImageRecordUInt8Iter")).data[0].dtype == np.uint8
    assert next(images("ImageRecordUInt8Iter_v1", mirror=True)).data[0].dtype == np.uint8
    assert next(images("ImageRecordInt8Iter", mean_r=100)).data[0].dtype == np.int8
    batch = next(images("ImageRecordIter_v1"))
    np.testing.assert_array_equal(batch.data[0].asnumpy(), VALUES["images_plain"])
    assert batch.index.tolist() == [0, 2, 4, 6]
    assert isinstance(images(), io.MXDataIter)


RANDOM = {
    "crop": {"rand_crop": True},
    "mirror": {"rand_mirror": True},
    "area": {"random_resized_crop": True, "min_random_area": 0.3, "max_aspect_ratio": 1.33, "min_aspect_ratio": 0.75},
    "ratio": {"random_resized_crop": True, "min_random_area": 0.5, "max_aspect_ratio": 0.2},
    "warp": {"max_rotate_angle": 20, "max_shear_ratio": 0.2, "max_aspect_ratio": 0.2, "max_random_scale": 1.2},
    "square": {"min_crop_size": 8, "max_crop_size": 16, "rand_crop": True},
    "jitter": {"brightness": 0.3, "contrast": 0.3, "saturation": 0.3},
    "hls": {"random_h": 20, "random_s": 20, "random_l": 20},
    "pca": {"pca_noise": 0.1},
    "light": {"max_random_contrast": 0.3, "max_random_illumination": 20},
    "method": {"resize": 20, "inter_method": 10},
}


@pytest.mark.parametrize("name", RANDOM)
def test_chance_depends_on_the_seed_alone(name):
    def first(**arguments):
        return next(images(**RANDOM[name], **arguments)).data[0].asnumpy()

    one = first(preprocess_threads=1, seed_aug=1)
    assert one.shape == (4, 3, 16, 16)
    assert np.isfinite(one).all()
    np.testing.assert_array_equal(one, first(preprocess_threads=5, seed_aug=1, prefetch_buffer=0))
    assert not np.array_equal(one, first(seed_aug=2))
    several = passes(images(**RANDOM[name]), 2)
    assert not np.array_equal(several[0][0][0], several[1][0][0]), "another pass is another draw"


@pytest.mark.parametrize("name", ["jitter", "hls", "pca", "crop"])
def test_gray_images_take_part(name):
    assert next(images(**RANDOM[name], data_shape=(1, 16, 16))).data[0].shape == (4, 1, 16, 16)


def test_shuffled_passes_hold_every_record_once():
    iterator = images(shuffle=True, seed=3, batch_size=5)
    orders = [[label for _, labels, _ in batches for label in labels.tolist()] for batches in passes(iterator)]
    assert all(sorted(order) == list(range(10)) for order in orders)
    assert orders[0] != orders[1]
    again = passes(images(shuffle=True, seed=3, batch_size=5, path_imgidx="images.idx"), 1)
    assert [label for _, labels, _ in again[0] for label in labels.tolist()] == orders[0]


def test_parts_hold_every_record_once():
    for idx in ("", "images.idx"):
        found = []
        for part in range(3):
            batches = passes(images(num_parts=3, part_index=part, batch_size=1, path_imgidx=idx), 1)[0]
            found += [label for _, labels, _ in batches for label in labels.tolist()]
        assert sorted(found) == list(range(10))


def test_labels_names_and_log(tmp_path: Path, caplog):
    path = tmp_path / "a.rec"
    file = MXRecordIO(path, "w")
    for number in range(4):
        file.write(pack_img(IRHeader(0, [number, number + 0.5], number, 0), np.zeros((16, 16, 3), "u1"), 3, ".png"))
    file.close()
    with caplog.at_level(logging.INFO):
        iterator = images(path_imgrec=str(path), label_width=2, data_name="x", label_name="y", verbose=True)
    assert "4 records of" in caplog.text
    assert (iterator.provide_data[0].name, iterator.provide_label[0]) == ("x", ("y", (4, 2)))
    assert next(iterator).label[0].asnumpy().tolist()[1] == [1, 1.5]
    with pytest.raises(
        FileFormatError, match=r"received 2 labels in record \d at byte .* of a.rec; expected label_width=1"
    ):
        images(path_imgrec=str(path))


def test_images_with_alpha(tmp_path: Path):
    path = str(tmp_path / "a.rec")
    pixels = np.random.RandomState(0).randint(0, 256, (16, 16, 4)).astype("u1")
    file = MXRecordIO(path, "w")
    file.write(pack_img(IRHeader(0, 1, 1, 0), pixels, 3, ".png"))
    file.close()
    batch = next(images(path_imgrec=path, data_shape=(4, 16, 16), batch_size=1, mean_a=1))
    expected = pixels[:, :, [2, 1, 0, 3]].transpose(2, 0, 1).astype("f4")
    expected[3] -= 1
    np.testing.assert_array_equal(batch.data[0].asnumpy()[0], expected)
    with pytest.raises(
        OpParamError, match=r"received an image of shape \(30, 20, 3\) in record 0 .*; expected 4 channels"
    ):
        images(data_shape=(4, 16, 16))


def test_a_damaged_image_is_named(tmp_path: Path):
    path = str(tmp_path / "a.rec")
    with MXIndexedRecordIO(tmp_path / "a.idx", path, "w") as file:
        for number in range(6):
            file.write_idx(number, pack_img(IRHeader(0, number, number, 0), np.zeros((16, 16, 3), "u1"), 3, ".png"))
        file.write_idx(6, pack(IRHeader(0, 6, 6, 0), b"no image"))
    iterator = images(path_imgrec=path)
    next(iterator)
    for _ in range(2):
        with pytest.raises(
            FileFormatError, match=r"received 8 bytes of record 6 at byte \d+ of a.rec beginning b'no im"
        ):
            next(iterator)
    iterator.reset()
    assert next(iterator).label[0].asnumpy().tolist() == [0, 1, 2, 3]
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[:-20])
    with pytest.raises(FileFormatError, match=r"a.rec, byte \d+: the header says .* bytes; expected at most"):
        images(path_imgrec=path)
    with pytest.raises(FileFormatError, match=r"a.rec, record 6, byte"):
        images(path_imgrec=path, path_imgidx=str(tmp_path / "a.idx"), batch_size=7)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            {"batch_size": 0},
            OpParamError,
            r"\[ImageRecordIter\] batch_size: received 0; expected a whole number from 1",
        ),
        (
            {"data_shape": (3, 16)},
            OpParamError,
            r"data_shape: received \(3, 16\); expected \(channels, height, width\)",
        ),
        ({"data_shape": (2, 16, 16)}, OpParamError, "with 1, 3 or 4 channels"),
        ({"path_imgrec": ""}, OpParamError, r"received no path_imgrec; expected a .rec file"),
        ({"path_imgrec": "/no/such.rec"}, MXNetError, "received '/no/such.rec'; expected a file that can be read"),
        ({"path_imgrec": "data.csv"}, FileFormatError, "data.csv, byte 0: received 0x.*no RecordIO file"),
        ({"path_imgidx": "/no/such.idx"}, FileNotFoundError, "expected an existing index file"),
        ({"part_index": 1}, OpParamError, "expected 0 <= part_index < num_parts"),
        ({"num_parts": 40, "part_index": 39}, FileFormatError, "part 39 of 40 has no records"),
        (
            {"rand_cropp": True},
            OpParamError,
            "the parameter rand_cropp=True, which does not exist. Did you mean rand_crop",
        ),
        ({"mean": 3}, OpParamError, "which does not exist"),
        ({"preprocess_threads": 0}, OpParamError, "preprocess_threads: received 0; expected 1 or more"),
        ({"inter_method": 7}, OpParamError, r"inter_method: received 7; expected 0 \(nearest\)"),
        ({"aug_seq": "mine"}, OpParamError, "aug_seq: received 'mine'; expected 'aug_default'"),
        ({"random_resized_crop": True, "rand_crop": True}, OpParamError, "random_resized_crop: received True together"),
        ({"random_resized_crop": True, "max_aspect_ratio": 2}, OpParamError, "max_aspect_ratio: received 2"),
        (
            {"random_resized_crop": True, "max_aspect_ratio": 2, "min_aspect_ratio": 3},
            OpParamError,
            "min_aspect_ratio: received 3.0; expected above 0 and up to max_aspect_ratio=2.0",
        ),
        ({"min_random_area": 2}, OpParamError, "min_random_area: received 2.0; expected at most max_random_area=1.0"),
        ({"min_crop_size": 9}, OpParamError, "min_crop_size: received 9; expected at most max_crop_size=-1"),
        ({"max_crop_size": 99}, OpParamError, "received an image of 30x20; expected at least max_crop_size=99"),
        ({"max_random_scale": 0.01, "min_random_scale": 0.01}, OpParamError, "that becomes 0x0; expected scales"),
        ({"std_r": 0}, OpParamError, "received a standard deviation of 0 in"),
        ({"dtype": "float64"}, OpParamError, "dtype: received 'float64'; expected one of 'float32', 'uint8', 'int8'"),
        ({"label_width": 2}, FileFormatError, "received 1 labels in record"),
        ({"label_width": 3, "path_imglist": "images.lst"}, FileFormatError, r"images.lst, line 1: received 4 columns"),
        (
            {"path_imglist": "data.csv"},
            FileFormatError,
            r"line 1: received 1 columns, '0,1,2'; expected an id, 1 or more",
        ),
        ({"path_imglist": "/no.lst"}, FileFormatError, "path_imglist='/no.lst'; expected a readable text file"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        images(**arguments)


def test_bad_lists(tmp_path: Path):
    path = tmp_path / "a.lst"
    path.write_text("0\tx\tpath\n")
    with pytest.raises(FileFormatError, match=r"line 1: received '0.*'; expected numbers before the path"):
        images(path_imglist=str(path))
    path.write_text("0\t1\tpath\n\n")
    with pytest.raises(FileFormatError, match=r"received the id 2 in record 1 .*; expected one that .*a.lst lists"):
        images(path_imglist=str(path))


def test_batches_own_their_memory():
    iterator = images()
    first = next(iterator).data[0]
    before = first.asnumpy().copy()
    next(iterator)
    np.testing.assert_array_equal(first.asnumpy(), before)
    first[:] = 0
    iterator.reset()
    np.testing.assert_array_equal(next(iterator).data[0].asnumpy(), before)


FORKS = """
import os, sys
import mxnet.io as io
iterator = io.ImageRecordIter(path_imgrec=sys.argv[1], data_shape=(3, 16, 16), batch_size=4, verbose=False)
next(iterator)
child = os.fork()
labels = next(iterator).label[0].asnumpy().tolist()
if child == 0:
    os._exit(0 if labels == [4, 5, 6, 7] else 1)
assert labels == [4, 5, 6, 7]
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on POSIX systems")
def test_a_forked_process_goes_on():
    command = [sys.executable, "-c", FORKS, str(FIXTURES / "images.rec")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_many_short_passes_leave_no_threads(tmp_path: Path):
    shutil.copy(FIXTURES / "images.rec", tmp_path / "a.rec")
    before = set(threading.enumerate())
    for _ in range(10):
        iterator = images(path_imgrec=str(tmp_path / "a.rec"))
        for _ in range(5):
            next(iterator)
            iterator.reset()
        del iterator
    gc.collect()
    end = time.monotonic() + 10
    while set(threading.enumerate()) - before and time.monotonic() < end:
        time.sleep(0.01)
    assert not set(threading.enumerate()) - before
