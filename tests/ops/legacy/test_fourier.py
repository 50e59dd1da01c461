"""Fourier transforms and sketches against NumPy: a real MXNet has them on a GPU only."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError
from regluon.ops import registry
from regluon.ops.inference import infer
from tests.ops.base import check_bad_input, to_strided_array

STATE = np.random.RandomState(5)


def _pairs(values: np.ndarray) -> np.ndarray:
    return np.stack([values.real, values.imag], -1).reshape(*values.shape[:-1], -1)


@pytest.mark.parametrize("shape", [(3, 8), (2, 1, 3, 5)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fft(shape: tuple[int, ...], dtype: str) -> None:
    signal = STATE.randn(*shape).astype(dtype)
    result = mx.nd.contrib.fft(to_strided_array(signal), compute_size=2)
    assert result.dtype == np.dtype(dtype)
    np.testing.assert_allclose(result.asnumpy(), _pairs(np.fft.fft(signal)), 1e-4, 1e-5)


@pytest.mark.parametrize("shape", [(3, 8), (2, 1, 3, 6)])
def test_ifft_is_not_divided(shape: tuple[int, ...]) -> None:
    parts = STATE.randn(*shape)
    length = shape[-1] // 2
    expected = np.fft.ifft(parts[..., ::2] + 1j * parts[..., 1::2]).real * length
    result = mx.nd.contrib.ifft(to_strided_array(parts))
    np.testing.assert_allclose(result.asnumpy(), expected, 1e-10, 1e-12)


def test_ifft_undoes_fft() -> None:
    signal = mx.nd.array(STATE.randn(2, 6))
    np.testing.assert_allclose(
        (mx.nd.contrib.ifft(mx.nd.contrib.fft(signal)) / 6).asnumpy(), signal.asnumpy(), atol=1e-5
    )


@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_gradients_are_the_transposed_transform(name: str) -> None:
    """Both transforms are linear, so the gradient is the transposed matrix times the head."""
    data = mx.nd.array(STATE.randn(1, 6), dtype="float64")
    transform = getattr(mx.nd.contrib, name)
    matrix = np.stack([transform(mx.nd.array(row[None], dtype="float64")).asnumpy()[0] for row in np.eye(6)])
    head = STATE.randn(matrix.shape[1])
    data.attach_grad()
    with mx.autograd.record():
        result = transform(data)
    result.backward(mx.nd.array(head[None], dtype="float64"))
    np.testing.assert_allclose(data.grad.asnumpy()[0], matrix @ head, atol=1e-10)


@pytest.mark.parametrize("shape", [(3, 5), (2, 2, 1, 5)])
def test_count_sketch(shape: tuple[int, ...]) -> None:
    values, places, signs = STATE.randn(*shape), np.array([[0, 3, 0, 2, 3]]), np.array([[1, -1, -1, 1, 1]])
    expected = np.zeros((*shape[:-1], 4))
    for i in range(5):
        expected[..., places[0, i]] += signs[0, i] * values[..., i]
    data, h, s = (mx.nd.array(each, dtype="float64") for each in (values, places, signs))
    data.attach_grad()
    with mx.autograd.record():
        result = mx.nd.contrib.count_sketch(data, h, s, out_dim=4)
    np.testing.assert_allclose(result.asnumpy(), expected)
    head = STATE.randn(*expected.shape)
    result.backward(mx.nd.array(head, dtype="float64"))
    np.testing.assert_allclose(data.grad.asnumpy(), head[..., places[0]] * signs[0])


def test_shapes_are_inferred_as_mxnet_does() -> None:
    """MXNet infers these shapes on a CPU too, where it then refuses to compute."""
    dtype = mx.nd.ones(1).as_torch().dtype
    for name, shapes, params, expected in (
        ("_contrib_fft", [(2, 4)], {}, (2, 8)),
        ("_contrib_fft", [(2, 3, 4, 5)], {}, (2, 3, 4, 10)),
        ("_contrib_ifft", [(2, 3, 4, 6)], {}, (2, 3, 4, 3)),
        ("_contrib_count_sketch", [(2, 4), (1, 4), (1, 4)], {"out_dim": 5}, (2, 5)),
        ("_contrib_count_sketch", [(2, 3, 3, 4), (1, 4), (1, 4)], {"out_dim": 5}, (2, 3, 3, 5)),
    ):
        inferred = infer(registry.find(name), [(shape, dtype) for shape in shapes], params)
        assert inferred == [(expected, dtype)]


def test_texts_of_errors() -> None:
    contrib = mx.nd.contrib
    check_bad_input(
        lambda: contrib.fft(mx.nd.ones((2, 3, 4))), r"expected data of 2 or 4 dimensions, got shape", OpShapeError
    )
    check_bad_input(lambda: contrib.ifft(mx.nd.ones((2, 5))), "expected pairs of numbers", OpShapeError)
    check_bad_input(
        lambda: contrib.count_sketch(mx.nd.ones((2, 4)), mx.nd.ones((1, 3)), mx.nd.ones((1, 4)), out_dim=5),
        r"expected h of shape \(1, 4\), got \(1, 3\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: contrib.count_sketch(mx.nd.ones((2, 1)), mx.nd.ones((1, 1)), mx.nd.ones((1, 1)), out_dim=0),
        "out_dim=0; expected at least 1",
        OpParamError,
    )
