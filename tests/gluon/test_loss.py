"""Losses against what the real MXNet computed."""

import builtins
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.error import OpShapeError
from mxnet.gluon import loss as losses

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "losses" / "losses.json"
RECORDED = json.loads(FIXTURE.read_text(encoding="utf-8"))
TOLERANCES = {"float16": (1e-2, 1e-3), "float32": (1e-5, 1e-6), "float64": (1e-9, 1e-11)}
# MXNet's float32 log_softmax and softrelu on a CPU are approximations: against float64 they are off by up to 7e-6 here,
# ours by at most 1e-6.
APPROXIMATE = ("Softmax", "KLDiv", "SDML", "Sigmoid")


def names(cases: list[dict[str, Any]]) -> list[str]:
    return [f"{i}-{case['made_by'].removeprefix('mx.gluon.loss.')}" for i, case in enumerate(cases)]


def make(case: dict[str, Any]) -> Any:
    return eval(case["made_by"], {"mx": mx})


def numbers(content: dict[str, Any]) -> np.ndarray:
    return np.array(content["values"], dtype=content["dtype"]).reshape(content["shape"])


def on_nd(content: Any) -> Any:
    if not isinstance(content, dict):
        return content
    array = nd.array(numbers(content), dtype=content["dtype"])
    if content["trained"]:
        array.attach_grad()
    return array


def check(found: nd.NDArray, expected: dict[str, Any], loss: gluon.loss.Loss) -> None:
    assert (found.shape, np.dtype(found.dtype).name) == (tuple(expected["shape"]), expected["dtype"])
    rtol, atol = TOLERANCES[expected["dtype"]]
    if expected["dtype"] == "float32" and type(loss).__name__.startswith(APPROXIMATE):
        rtol, atol = 1e-4, 1e-5
    np.testing.assert_allclose(found.asnumpy(), numbers(expected), rtol, atol)


@pytest.mark.filterwarnings("ignore:.* is outside 0..2")  # one case was recorded with labels that are no class
@pytest.mark.parametrize("case", RECORDED["cases"], ids=names(RECORDED["cases"]))
def test_values_and_gradients(case):
    loss = make(case)
    assert repr(loss) == case["repr"]
    arrays = [on_nd(content) for content in case["inputs"]]
    check(loss(*arrays), case["output"], loss)
    if "head" not in case:
        return
    with autograd.record():
        output = loss(*arrays)
    output.backward(on_nd(case["head"]))
    check(output, case["output"], loss)
    for place, gradient in case["gradients"].items():
        check(arrays[int(place)].grad, gradient, loss)


@pytest.mark.parametrize("case", RECORDED["refused"], ids=names(RECORDED["refused"]))
def test_refusals(case):
    error = mx.MXNetError if case["error"] == "MXNetError" else getattr(builtins, case["error"])
    with pytest.raises(error):  # noqa: PT012 - making the loss or calling it may be what is refused
        loss = make(case)
        loss(*(on_nd(content) for content in case["inputs"]))


def test_every_loss_has_a_case():
    used = {case["made_by"].removeprefix("mx.gluon.loss.").split("(")[0] for case in RECORDED["cases"]}
    assert used == set(losses.__all__) - {"Loss"}


def test_names_of_the_package():
    assert losses.SigmoidBCELoss is losses.SigmoidBinaryCrossEntropyLoss
    assert losses.SoftmaxCELoss is losses.SoftmaxCrossEntropyLoss
    assert losses.HybridBlock is gluon.HybridBlock
    assert losses.is_np_array() is False
    # Projects such as gluon-cv import these two.
    x, y = nd.ones((2, 3)), nd.ones((3, 2))
    assert losses._reshape_like(nd, x, y).shape == (3, 2)
    assert losses._apply_weighting(nd, x, 2.0, nd.array([[1], [3]])).asnumpy().tolist() == [[2] * 3, [6] * 3]
    assert losses._apply_weighting(nd, x) is x


def test_losses_are_blocks_without_parameters():
    loss = losses.L2Loss(prefix="error_")
    assert loss.name == "error"
    assert not loss.collect_params().keys()
    loss.hybridize()
    assert loss(nd.ones((2, 2)), nd.zeros((2, 2))).asnumpy().tolist() == [0.5, 0.5]


def test_inputs_by_name():
    pred, label, weight = nd.ones((2, 2)), nd.zeros((2, 2)), nd.array([[1], [0]])
    assert losses.L1Loss()(pred, label, sample_weight=weight).asnumpy().tolist() == [1, 0]
    weighted = losses.SigmoidBCELoss()(pred, pred, pos_weight=nd.array([2.0]))
    np.testing.assert_allclose(weighted.asnumpy(), 2 * losses.SigmoidBCELoss()(pred, pred).asnumpy(), 1e-6)


def test_a_loss_of_ones_own():
    class Scaled(losses.Loss):
        def __init__(self, factor, **kwargs):
            super().__init__(None, 0, **kwargs)
            self._factor = factor

        def hybrid_forward(self, F, pred, label, sample_weight=None):
            label = losses._reshape_like(F, label, pred)
            return F.mean(losses._apply_weighting(F, pred - label, self._factor, sample_weight))

    loss = Scaled(3)
    assert repr(loss) == "Scaled(batch_axis=0, w=None)"
    assert loss(nd.ones((2, 2)), nd.zeros((4,))).asscalar() == 3


@pytest.mark.parametrize("recording", [False, True])
def test_full_poisson_loss_of_zero_counts_is_finite(recording):
    pred, target = nd.zeros((1, 3)), nd.array([[0, 1, 2]])
    pred.attach_grad()
    with autograd.record(recording):
        loss = losses.PoissonNLLLoss(compute_full=True)(pred, target)
    stirling = 2 * np.log(2) - 2 + 0.5 * np.log(4 * np.pi)
    np.testing.assert_allclose(loss.asscalar(), 1 + stirling / 3, 1e-6)
    if recording:
        loss.backward()
        np.testing.assert_allclose(pred.grad.asnumpy(), [[1 / 3, 0, -1 / 3]], 1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_embedding_losses_keep_the_dtype(dtype):
    x, y = nd.array([[1, 0], [3, 4]], dtype=dtype), nd.array([[0, 1], [3, 4]], dtype=dtype)
    cosine = losses.CosineEmbeddingLoss()(x, y, nd.array([1, -1], dtype=dtype))
    assert (cosine.dtype, cosine.asnumpy().tolist()) == (np.dtype(dtype).type, [[1], [1]])
    assert losses.SDMLLoss()(x, y).dtype == np.dtype(dtype).type


def test_cosine_of_a_zero_vector():
    x = nd.array([[0, 0], [3, 4]])
    x.attach_grad()
    with autograd.record():
        loss = losses.CosineEmbeddingLoss()(x, nd.ones((2, 2)), nd.array([1, 1]))
    assert loss[0].asscalar() == 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: losses.L2Loss()(nd.ones((2, 2)), nd.ones(3)),
            OpShapeError,
            r"received a label of shape \(3,\) for a prediction of shape \(2, 2\); expected 4 elements",
        ),
        (
            lambda: losses.L2Loss()(nd.ones((2, 2)), nd.ones(5)),
            OpShapeError,
            "expected 4 elements in the label, not 5",
        ),
        (
            lambda: losses.L1Loss(weight="a")(nd.ones(2), nd.ones(2)),
            AssertionError,
            r"\[Loss\] weight: received 'a'; expected a number.*loss\(pred, label, sample_weight\)",
        ),
        (
            lambda: losses.SoftmaxCELoss()(nd.ones((2, 3)), nd.ones((2, 3))),
            OpShapeError,
            r"\[SoftmaxCrossEntropyLoss\] received a label of shape \(2, 3\).*without axis -1.*sparse_label=False",
        ),
        (
            lambda: losses.SoftmaxCELoss(axis=1)(nd.ones((2, 3, 4)), nd.ones((2, 3))),
            OpShapeError,
            r"expected one class number for each sample, so the shape of the prediction without axis 1\.\n",
        ),
        (lambda: losses.CTCLoss(layout="NCT"), AssertionError, "layout: received 'NCT'; expected 'NTC' or 'TNC'"),
        (lambda: losses.CTCLoss(label_layout="C"), AssertionError, "label_layout: received 'C'; expected 'NT' or 'TN'"),
        (
            lambda: losses.LogisticLoss(label_format="x"),
            ValueError,
            "label_format: received 'x'; expected 'signed' .* or 'binary'",
        ),
        (
            lambda: losses.SDMLLoss()(nd.ones((2, 2)), nd.ones((1, 2))),
            AssertionError,
            r"received inputs of shapes \(2, 2\) and \(1, 2\); expected both of one shape",
        ),
        (lambda: losses.Loss(1, 0)(nd.ones(2)), NotImplementedError, r"\[Loss\] write a hybrid_forward method"),
    ],
)
def test_errors_say_what_to_do(call, error, text):
    with pytest.raises(error, match=text):
        call()
