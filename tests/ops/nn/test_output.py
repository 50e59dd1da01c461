"""Output layers: what fixtures cannot show."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpShapeError, OpTypeError
from regluon.ops import registry
from regluon.ops.inference import infer
from tests.ops.base import check_bad_input


@pytest.mark.parametrize(
    ("name", "data", "params", "label"),
    [
        ("SoftmaxOutput", (2, 3), {}, (2,)),
        ("SoftmaxOutput", (2, 3, 4), {"preserve_shape": True}, (2, 3)),
        ("SoftmaxOutput", (2, 3, 4, 5), {"multi_output": True}, (2, 20)),
        ("SoftmaxOutput", (3,), {}, (3,)),
        ("LinearRegressionOutput", (2, 3), {}, (2, 3)),
        ("LogisticRegressionOutput", (2, 1), {}, (2,)),
        ("MAERegressionOutput", (2, 1, 1), {}, (2, 1, 1)),
        ("SVMOutput", (2, 3), {}, (2,)),
    ],
)
def test_completes_label(name: str, data: tuple[int, ...], params: dict[str, Any], label: tuple[int, ...]) -> None:
    operator = registry.find(name)
    assert operator.completes is not None
    assert operator.completes(data, **operator.full_params(params)) == {"label": label}
    infer(operator, [(data, mx.nd.ones(1).as_torch().dtype), (label, mx.nd.ones(1).as_torch().dtype)], params)


def test_gradient_ignores_what_arrives_from_above() -> None:
    data = mx.nd.array([[1.0, 2.0, 3.0]])
    data.attach_grad()
    gradients = []
    for factor in (1, 5):
        with mx.autograd.record():
            scaled = mx.nd.SoftmaxOutput(data, mx.nd.array([0])) * factor
        scaled.backward()
        gradients.append(data.grad.asnumpy())
    np.testing.assert_array_equal(*gradients)


def test_identity_layers_return_copies() -> None:
    data = mx.nd.ones((2, 2))
    for result in (
        mx.nd.LinearRegressionOutput(data, data),
        mx.nd.MAERegressionOutput(data, data),
        mx.nd.MakeLoss(data),
    ):
        result[:] = 7
    np.testing.assert_array_equal(data.asnumpy(), 1)


def test_texts_of_errors() -> None:
    data, integers = mx.nd.ones((2, 3)), mx.nd.ones((2,), dtype="int32")
    check_bad_input(
        lambda: mx.nd.SoftmaxOutput(data, mx.nd.ones((3,))),
        r"expected label of shape \(2,\) or \(2, 3\), got \(3,\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.SoftmaxOutput(mx.nd.ones((3,)), mx.nd.ones((3,)), multi_output=True),
        r"expected data of 2 dimensions or more with multi_output=True, got shape \(3,\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.SoftmaxOutput(data, integers),
        "expected inputs of one dtype, got data float32, label int32",
        OpTypeError,
    )
    check_bad_input(
        lambda: mx.nd.LinearRegressionOutput(data, mx.nd.ones((2,))),
        r"expected label of shape \(2, 3\), got \(2,\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.SVMOutput(mx.nd.ones((2, 3, 4)), mx.nd.ones((2,))),
        r"expected data of shape \(batch, classes\), got \(2, 3, 4\)",
        OpShapeError,
    )
