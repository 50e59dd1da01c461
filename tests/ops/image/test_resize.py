"""Images of another size: texts of errors, and that nothing changes where nothing should."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError
from tests.ops.base import check_bad_input


def test_the_same_size_is_a_copy() -> None:
    image = mx.nd.array(np.random.RandomState(0).rand(1, 2, 3, 4))
    result = mx.nd.contrib.BilinearResize2D(image, height=3, width=4)
    np.testing.assert_array_equal(result.asnumpy(), image.asnumpy())
    result[:] = 0
    assert image.asnumpy().all()


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"scale_height": 2.0}, r"scale_height=2.0, scale_width=None; expected both, or none of them"),
        ({"mode": "odd_scale"}, r"expected both for mode='odd_scale'"),
        ({"mode": "like"}, r"mode='like'; expected the input like in the mode 'like'"),
        ({"height": 0, "width": 2}, r"height and width \(0, 2\); expected none below 1"),
    ],
)
def test_bad_sizes(params: dict[str, Any], text: str) -> None:
    check_bad_input(lambda: mx.nd.contrib.BilinearResize2D(mx.nd.ones((1, 1, 3, 4)), **params), text, OpParamError)


def test_other_texts_of_errors() -> None:
    check_bad_input(
        lambda: mx.nd.contrib.BilinearResize2D(mx.nd.ones((3, 4))),
        r"expected data of shape \(batch, channels, height, width\), got \(3, 4\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.contrib.AdaptiveAvgPooling2D(mx.nd.ones((1, 1, 3, 4)), output_size=(1, 2, 3)),
        r"output_size=\(1, 2, 3\); expected one or two numbers",
        OpParamError,
    )
