"""Detection: random regions keep their promises, and the texts of refusals name the image."""

import logging
from pathlib import Path

import cv2
import numpy as np
import pytest

import mxnet as mx
from mxnet import image, nd
from tools.oracle.image_programs import box_label, picture

FIXTURES = Path(__file__).parents[1] / "fixtures" / "image"
IMAGE = nd.array(picture(0, 40, 60), dtype="uint8")
BOXES = np.array([[1, 0.1, 0.1, 0.6, 0.7], [2, 0.5, 0.5, 0.9, 0.8]], "float32")
SHAPE = (3, 6, 7)


def of_list(batch_size: int, listed: list, **kwargs) -> image.ImageDetIter:
    return image.ImageDetIter(batch_size, SHAPE, imglist=listed, path_root=str(FIXTURES), **kwargs)


def test_the_public_paths():
    assert image.det is image.detection
    assert image.detection.ImageDetIter is image.ImageDetIter
    assert image.image.ImageIter is image.ImageIter


def test_crops_keep_their_promises():
    augmenter = image.DetRandomCropAug(min_object_covered=0.5, area_range=(0.2, 0.9), min_eject_coverage=0.6)
    changed = 0
    for _ in range(30):
        crop, label = augmenter(IMAGE, BOXES)
        changed += crop.shape != IMAGE.shape
        assert 0.15 < crop.shape[0] * crop.shape[1] / 2400 <= 1
        assert len(label) in (1, 2)
        assert label[:, 1:].min() >= 0
        assert label[:, 1:].max() <= 1
    assert changed > 20


def test_borders_shrink_the_objects():
    augmenter = image.DetRandomPadAug(area_range=(2.0, 3.0), pad_val=7)
    padded, label = augmenter(IMAGE, BOXES)
    assert padded.shape[0] * padded.shape[1] > 2 * 2400 * 0.9
    height, width = padded.shape[:2]
    left, top = (label[0, 1:3] * (width, height) - BOXES[0, 1:3] * (60, 40)).round().astype(int)
    np.testing.assert_array_equal(padded.asnumpy()[top : top + 40, left : left + 60], IMAGE.asnumpy())
    outside = np.ones((height, width), bool)
    outside[top : top + 40, left : left + 60] = False
    assert (padded.asnumpy()[outside] == 7).all()


def test_labels_given_are_not_written_to():
    before = BOXES.copy()
    image.DetHorizontalFlipAug(1.0)(IMAGE, BOXES)
    np.testing.assert_array_equal(BOXES, before)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: image.DetRandomCropAug(area_range=(0.9, 0.1)),
            r"Skip DetRandomCropAug due to invalid area_range: \(0.9",
        ),
        (lambda: image.DetRandomCropAug(aspect_ratio_range=(-1, 1)), "invalid aspect_ratio_range"),
        (lambda: image.DetRandomPadAug(area_range=(0.5, 1.0)), "Skip DetRandomPadAug due to invalid area_range"),
    ],
)
def test_impossible_regions_warn_and_do_nothing(make, text: str):
    with pytest.warns(UserWarning, match=text):
        augmenter = make()
    assert not augmenter.enabled
    result, label = augmenter(IMAGE, BOXES)
    assert result is IMAGE
    assert label is BOXES


def test_no_augmenters_to_select_from_do_nothing():
    assert image.DetRandomSelectAug([])(IMAGE, BOXES) == (IMAGE, BOXES)


def test_images_without_valid_objects_after_augmenting_are_left_out(caplog: pytest.LogCaptureFixture):
    class Lose(image.DetAugmenter):
        def __call__(self, src, label):
            return src, label if label[0, 0] == 1 else label * -1

    listed = [[[2, 5, kind, 0.1, 0.1, 0.5, 0.5], "0.png"] for kind in (1, 2, 1)]
    recipe = [Lose(), image.DetBorrowAug(image.ForceResizeAug((7, 6)))]
    batch = next(of_list(2, listed, aug_list=recipe))
    assert batch.label[0][:, 0, 0].asnumpy().tolist() == [1, 1]
    assert "left out the image filename: 0.png: no object of a class" in caplog.text


def test_reading_records_without_an_index():
    iterator = image.ImageDetIter(2, SHAPE, path_imgrec=str(FIXTURES / "boxes.rec"))
    assert iterator.label_shape == (3, 6)
    assert len(list(iterator)) == 4


def test_drawing_reads_the_rest_of_a_pass():
    iterator = of_list(1, [[box_label(number), f"{number}.png"] for number in range(3)])
    next(iterator)
    drawn = list(iterator.draw_next(id2labels={0: "dog"}))
    assert [each.shape for each in drawn] == [(6, 7, 3)] * 2
    assert drawn[0].dtype == np.uint8


def test_drawing_in_a_window(monkeypatch: pytest.MonkeyPatch):
    shown = []
    monkeypatch.setattr(cv2, "imshow", lambda name, picture: shown.append(name))
    monkeypatch.setattr(cv2, "waitKey", shown.append)
    iterator = of_list(1, [[box_label(0), "0.png"]])
    next(iterator.draw_next(waitKey=7, window_name="boxes"))
    assert shown == ["boxes", 7]


def test_drawing_leaves_out_invalid_images_and_boxes(caplog: pytest.LogCaptureFixture):
    iterator = of_list(1, [[[2, 6, 1, -0.5, 0, 0.5, 0.5, 0], "0.png"], [box_label(1), "1.png"]])
    iterator.imglist["2"] = (nd.array([1.0, 2.0]), "1.png")
    drawn = list(iterator.draw_next(color=(1, 2, 3)))
    assert len(drawn) == 1
    assert not (drawn[0] == (3, 2, 1)).all(2).any()
    assert "left out the image filename: 1.png" in caplog.text


def test_labels_that_lost_their_numbers_are_left_out(caplog: pytest.LogCaptureFixture):
    class Shorten(image.DetAugmenter):
        def __call__(self, src, label):
            return src, label[:, :3]

    with pytest.raises(StopIteration):
        next(of_list(1, [[box_label(0), "0.png"]], aug_list=[Shorten()]))
    assert "expected a label of (objects, 5 or more) after the augmenters" in caplog.text


def test_equal_label_shapes_are_logged(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO)
    small, large = (of_list(1, [[box_label(number), "0.png"]]) for number in (0, 2))
    assert small.sync_label_shape(large, verbose=True) is large
    assert small.label_shape == large.label_shape == (3, 6)
    assert "Resized label_shape to (3, 6)." in caplog.text


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ([1.0, 2.0], r"filename: 0.png has the label \[1.0, 2.0\]; expected the length of the beginning"),
        ([2, 5, 1, 0, 0, 1, 1, 9], "filename: 0.png has 8 numbers; expected 2 and then 5 for each object"),
        ([2, 5, 1, 0.5, 0.5, 0.5, 0.6], "filename: 0.png has no object with an area"),
    ],
)
def test_bad_labels_are_named(label: list, text: str):
    with pytest.raises(ValueError, match=text):
        of_list(1, [[label, "0.png"]])


def test_labels_of_different_widths_are_refused():
    listed = [[[2, 5, 1, 0, 0, 1, 1], "0.png"], [[2, 6, 1, 0, 0, 1, 1, 0], "1.png"]]
    with pytest.raises(ValueError, match=r"image filename: 1.png has objects of 6 numbers, others of 5"):
        of_list(1, listed)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: image.DetAugmenter()(IMAGE, BOXES), NotImplementedError, r"\[DetAugmenter\] write a __call__"),
        (lambda: image.DetBorrowAug(3), TypeError, "augmenter: received int; expected an image.Augmenter"),
        (lambda: image.DetRandomSelectAug([image.CastAug()]), ValueError, r"received CastAug; .* DetBorrowAug\(augm"),
        (lambda: image.DetRandomCropAug(area_range=(1, 2, 3)), ValueError, r"area_range: received \(1, 2, 3\)"),
        (lambda: image.DetRandomPadAug(pad_val="red"), TypeError, "pad_val: received 'red'"),
        (
            lambda: image.CreateMultiRandCropAugmenter([0.1, 0.2, 0.3], area_range=[(0.1, 1), (0.2, 1)]),
            ValueError,
            "received 2 of area_range; expected 1 or 3 of each",
        ),
        (lambda: image.CreateDetAugmenter(SHAPE, mean=3), ValueError, "mean: received 3; expected True, None"),
        (lambda: of_list(1, []), mx.MXNetError, "there are no images"),
    ],
)
def test_refusals(call, error: type[Exception], text: str):
    with pytest.raises(error, match=text):
        call()


def test_label_shapes_only_grow():
    iterator = of_list(1, [[box_label(2), "0.png"]])
    assert iterator.label_shape == (3, 6)
    for shape in ((2, 6), (3, 5), (3,)):
        with pytest.raises(ValueError, match=r"label_shape: received .* at least 3 objects and 6 numbers"):
            iterator.reshape(label_shape=shape)
    iterator.reshape((3, 6, 7), (5, 6))
    assert next(iterator).label[0].shape == (1, 5, 6)
    with pytest.raises(ValueError, match=r"sync_label_shape\] it: received int; expected an ImageDetIter"):
        iterator.sync_label_shape(3)
