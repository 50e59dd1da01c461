"""Augmenters and their recipes: the texts of refusals, and what they write to."""

import numpy as np
import pytest

from mxnet import image, nd
from tools.oracle.image_programs import picture

IMAGE = nd.array(picture(0, 20, 30), dtype="uint8")


def test_casting_keeps_the_original():
    result = image.SequentialAug([image.CastAug(), image.BrightnessJitterAug(0.5)])(IMAGE)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(IMAGE.asnumpy(), picture(0, 20, 30))


def test_own_augmenters_can_be_written_down():
    class Threshold(image.Augmenter):
        def __init__(self, level):
            super().__init__(level=nd.array([level]))

        def __call__(self, src):
            return src > 3

    assert Threshold(2).dumps() == '["threshold", {"level": [2.0]}]'
    assert image.DetBorrowAug(Threshold(2)).dumps() == ["detborrowaug", '["threshold", {"level": [2.0]}]']


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: image.Augmenter()(IMAGE), NotImplementedError, r"\[Augmenter\] write a __call__"),
        (lambda: image.CreateAugmenter((3, 8, 8), rand_resize=True), ValueError, "without rand_crop=True"),
        (lambda: image.CreateAugmenter((3, 8, 8), mean=[1, 2, 3]), ValueError, r"mean: received \[1, 2, 3\]; expected"),
        (lambda: image.CreateAugmenter((3, 8, 8), std=np.ones(2)), ValueError, r"std: received \(2,\)"),
        (lambda: image.RandomSizedCropAug((8, 8), 0.5, (1, 1), aera=1), TypeError, "unexpected arguments aera"),
    ],
)
def test_refusals(call, error: type[Exception], text: str):
    with pytest.raises(error, match=text):
        call()
