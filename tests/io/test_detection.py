"""Images with boxes: what MXNet gives, and boxes that stay on their objects."""

from pathlib import Path

import numpy as np
import pytest

from mxnet.error import FileFormatError, OpParamError
from mxnet.recordio import IRHeader, MXRecordIO, pack_img
from tests.io.recorded import NOTES, VALUES, assert_recorded, make


def boxes(**arguments):
    given = {"path_imgrec": "boxes.rec", "data_shape": (3, 16, 16), "batch_size": 2, "verbose": False}
    return make("ImageDetRecordIter", {**given, **arguments})


@pytest.mark.parametrize("name", NOTES["detection"])
def test_batches_are_those_of_mxnet(name):
    case = NOTES["detection"][name]
    found = assert_recorded(make("ImageDetRecordIter", case["arguments"]), case["passes"])
    np.testing.assert_array_equal(found[0][0][0], VALUES[f"detection_{name}"])


@pytest.fixture
def bright(tmp_path: Path) -> str:
    """Records of black images with one white box each, and where it is."""
    path = str(tmp_path / "a.rec")
    file = MXRecordIO(path, "w")
    for number in range(6):
        pixels = np.zeros((64, 80, 3), np.uint8)
        left, top = 0.1 + 0.05 * number, 0.2
        box = [left, top, left + 0.4, top + 0.5]
        columns, rows = [round(n * 80) for n in box[::2]], [round(n * 64) for n in box[1::2]]
        pixels[rows[0] : rows[1], columns[0] : columns[1]] = 255
        file.write(pack_img(IRHeader(0, [2, 5, number, *box], number, 0), pixels, 3, ".png"))
    file.close()
    return path


CHANGES = {
    "mirror": {"rand_mirror_prob": 0.5},
    "pad": {"rand_pad_prob": 1, "max_pad_scale": 3, "fill_value": 0},
    "crop": {"rand_crop_prob": 1, "min_crop_scales": 0.5, "min_crop_aspect_ratios": 0.7, "max_crop_aspect_ratios": 1.5},
    "rules": {
        "rand_crop_prob": 1,
        "num_crop_sampler": 2,
        "min_crop_scales": (0.4, 0.6),
        "max_crop_scales": (0.9, 1.0),
        "min_crop_overlaps": (0.3, 0.1),
        "min_crop_object_coverages": (0.6, 0.6),
        "max_crop_sample_coverages": (0.9, 0.9),
        "max_crop_trials": (20, 20),
        "crop_emit_mode": "overlap",
    },
    "resize": {"resize": 40},
}


@pytest.mark.parametrize("name", CHANGES)
def test_boxes_stay_on_their_objects(bright, name):
    def first(**arguments):
        return next(boxes(path_imgrec=bright, data_shape=(3, 64, 64), batch_size=6, **CHANGES[name], **arguments))

    batch = first()
    for pixels, row in zip(batch.data[0].asnumpy(), batch.label[0].asnumpy()):
        assert row[3] == 7
        left, top, right, bottom = row[7:11]
        rows, columns = np.nonzero(pixels[0] > 127)
        found = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        np.testing.assert_allclose(np.array(found) / 64, [left, top, right, bottom], atol=0.06)
    if name != "resize":
        assert not np.array_equal(batch.label[0].asnumpy(), first(seed=1).label[0].asnumpy())


def test_colors_change_and_boxes_do_not():
    colors = {
        f"{what}_{name}": value
        for name, value in (("hue", 30), ("saturation", 30), ("illumination", 30), ("contrast", 0.4))
        for what, value in (("max_random", value),)
    }
    often = {f"random_{name}_prob": 1 for name in ("hue", "saturation", "illumination", "contrast")}
    plain, changed = next(boxes()), next(boxes(**colors, **often))
    assert not np.array_equal(plain.data[0].asnumpy(), changed.data[0].asnumpy())
    np.testing.assert_array_equal(plain.label[0].asnumpy(), changed.label[0].asnumpy())
    assert next(boxes(**colors, **often, data_shape=(1, 16, 16))).data[0].shape == (2, 1, 16, 16)


def test_a_crop_that_no_rule_allows_is_the_whole_image():
    plain, same = next(boxes()), next(boxes(rand_crop_prob=1, min_crop_overlaps=1.5, max_crop_overlaps=2))
    np.testing.assert_array_equal(plain.data[0].asnumpy(), same.data[0].asnumpy())


def test_the_mean_image(tmp_path: Path):
    batch = next(boxes(mean_img=str(tmp_path / "mean.bin"), batch_size=5))
    np.testing.assert_allclose(batch.data[0].asnumpy().mean(0), 0, atol=1e-3)


def test_an_image_without_objects(tmp_path: Path):
    path = str(tmp_path / "a.rec")
    file = MXRecordIO(path, "w")
    file.write(pack_img(IRHeader(0, [2, 5], 0, 0), np.zeros((8, 8, 3), "u1"), 3, ".png"))
    file.close()
    label = next(boxes(path_imgrec=path, batch_size=1, rand_crop_prob=1)).label[0].asnumpy()
    assert label.tolist() == [[3, 16, 16, 2, 2, 5]]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"label_pad_width": 5}, OpParamError, "label_pad_width: received 5; expected 17 or more"),
        ({"label_width": 7}, FileFormatError, r"received 12 labels in record 1 .*; expected label_width=7"),
        ({"aug_seq": "aug_default"}, OpParamError, "expected 'det_aug_default'"),
        ({"dtype": "uint8"}, OpParamError, "dtype: received 'uint8'; expected 'float32'"),
        ({"rand_pad_prob": 2}, OpParamError, "rand_pad_prob: received 2.0; expected a probability from 0 to 1"),
        ({"min_crop_scales": (1, 2, 3)}, OpParamError, "min_crop_scales: received 3 values; expected one, or one for"),
        (
            {"path_imgrec": "images.rec"},
            FileFormatError,
            r"received the 1 labels \[\d.0\]... in record \d; expected header",
        ),
        ({"resize_mode": "stretch"}, OpParamError, "resize_mode: received 'stretch'; expected one of 'fit', 'force'"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        boxes(**arguments)
