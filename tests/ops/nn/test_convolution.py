"""Convolution, beyond the recorded cases: layouts that MXNet refuses on a CPU, shape completion, refusals."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from regluon.ops import registry
from tests.ops.base import check_bad_input


def _draw(*shape: int) -> np.ndarray:
    return np.random.RandomState(sum(shape)).uniform(-1, 1, shape).astype("float32")


def _channels_last(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(values, 1, -1))


def _run(name: str, inputs: list[np.ndarray], **params: Any) -> list[np.ndarray]:
    """The output and the gradients of data and weight, under a head gradient of ones."""
    arrays = [mx.nd.array(values) for values in inputs]
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record():
        output = getattr(mx.nd, name)(*arrays, **params)
    output.backward()
    return [output.asnumpy(), arrays[0].grad.asnumpy(), arrays[1].grad.asnumpy()]


@pytest.mark.parametrize("name", ["Convolution", "Deconvolution"])
@pytest.mark.parametrize(("layout", "sizes"), [("NHWC", (5, 4)), ("NDHWC", (3, 4, 3))])
def test_channels_last(name: str, layout: str, sizes: tuple[int, ...]) -> None:
    ndim = len(sizes)
    params = {"kernel": (3, 2, 2)[:ndim], "stride": (2,) * ndim, "pad": (1,) * ndim, "num_group": 2, "num_filter": 6}
    weight = _draw(*((6, 2) if name == "Convolution" else (4, 3)), *params["kernel"])
    data, bias = _draw(2, 4, *sizes), _draw(6)
    expected = _run(name, [data, weight, bias], no_bias=False, **params)
    inputs = [_channels_last(data), _channels_last(weight), bias]
    actual = _run(name, inputs, no_bias=False, layout=layout, **params)
    for last, first in zip(actual, expected, strict=True):
        np.testing.assert_allclose(last, _channels_last(first), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_floats(dtype: str) -> None:
    data, weight = _draw(1, 2, 4, 4), _draw(3, 2, 3, 3)
    params = {"kernel": (3, 3), "num_filter": 3, "no_bias": True}
    expected = mx.nd.Convolution(mx.nd.array(data), mx.nd.array(weight), **params).asnumpy()
    actual = mx.nd.Convolution(mx.nd.array(data, dtype=dtype), mx.nd.array(weight, dtype=dtype), **params)
    assert actual.dtype == np.dtype(dtype)
    np.testing.assert_allclose(actual.asnumpy(), expected, rtol=1e-2, atol=1e-2)


def test_columns_of_sequences() -> None:
    """MXNet documents them, but fails on them."""
    data = mx.nd.array(np.arange(10).reshape(1, 2, 5))
    columns = mx.nd.im2col(data, kernel=(2,), stride=(2,), pad=(1,))
    assert columns.asnumpy()[0].tolist() == [[0, 1, 3], [0, 2, 4], [0, 6, 8], [5, 7, 9]]
    back = mx.nd.col2im(columns, output_size=(5,), kernel=(2,), stride=(2,), pad=(1,))
    assert back.asnumpy().tolist() == data.asnumpy().tolist()


def _completed(name: str, shape: tuple[int, ...], **params: Any) -> dict[str, tuple[int, ...]]:
    operator = registry.find(name)
    assert operator.completes is not None
    return operator.completes(shape, **operator.full_params(operator.parse(params)))


def test_completes_weight_and_bias() -> None:
    conv = {"kernel": (3, 2), "num_filter": 6, "num_group": 2}
    assert _completed("Convolution", (1, 4, 5, 5), **conv) == {"weight": (6, 2, 3, 2), "bias": (6,)}
    assert _completed("Convolution", (1, 5, 5, 4), layout="NHWC", no_bias=True, **conv) == {"weight": (6, 3, 2, 2)}
    assert _completed("Deconvolution", (1, 4, 5, 5), **conv) == {"weight": (4, 3, 3, 2)}
    assert _completed("Deconvolution", (1, 5, 5, 4), layout="NHWC", no_bias=False, **conv) == {
        "weight": (4, 3, 2, 3),
        "bias": (6,),
    }


def test_refused_convolutions() -> None:
    data, weight, bias = mx.nd.ones((1, 4, 5, 5)), mx.nd.ones((6, 4, 3, 3)), mx.nd.ones((6,))

    def check(match: str, *inputs: Any, **params: Any) -> None:
        params = {"kernel": (3, 3), "num_filter": 6, **params}
        check_bad_input(lambda: mx.nd.Convolution(*(inputs or (data, weight, bias)), **params), match)

    check("needs data of 3 dimensions \\(NCW\\), got 4", kernel=(3,))
    check("expected the sizes of 1, 2 or 3 spatial axes", kernel=())
    check("expected weight of shape \\(6, 4, 2, 2\\)", kernel=(2, 2))
    check("window of size \\(9, 9\\) exceeds the data, whose size is \\(5, 5\\)", dilate=(4, 4))
    check("stride=\\(2,\\) has 1 numbers; expected 2", stride=(2,))
    check("pad=\\(-1, 0\\); expected numbers not below 0", pad=(-1, 0))
    check("num_group=3 divides the 4 channels or num_filter=6 unevenly", num_group=3)
    check("num_filter=0", num_filter=0)
    check("layout='NCW' is for 1 spatial axes, got 2", layout="NCW")
    check("bias is missing", data, weight)
    check("one dtype", data, weight.astype("float64"), bias)


def test_refused_deconvolutions() -> None:
    data, weight = mx.nd.ones((1, 1, 4, 4)), mx.nd.ones((1, 1, 3, 3))

    def check(match: str, **params: Any) -> None:
        check_bad_input(lambda: mx.nd.Deconvolution(data, weight, kernel=(3, 3), num_filter=1, **params), match)

    check("adj=\\(1, 1\\); expected less than the stride \\(1, 1\\)", adj=(1, 1))
    check("target_shape=\\(7, 7\\) is too large", target_shape=(7, 7))
    check("target_shape=\\(7,\\); expected 2 sizes", target_shape=(7,))
    check("pad=\\(3, 3\\) cuts off the whole result", pad=(3, 3))


def test_refused_columns() -> None:
    data = mx.nd.ones((1, 4, 4))
    check_bad_input(lambda: mx.nd.im2col(data, kernel=(2, 2)), "needs data of 4 dimensions, got 3")
    check_bad_input(lambda: mx.nd.im2col(data, kernel=(2, 2, 2)), "1 or 2 spatial axes")
    check_bad_input(
        lambda: mx.nd.col2im(data, output_size=(3, 4), kernel=(2, 2)),
        "expected data of shape \\(batch, a multiple of 4, 6\\)",
    )
