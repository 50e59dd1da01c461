"""Records the values and gradients of a real MXNet's losses.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_losses`.

Each case is an expression that makes a loss, and its inputs in order; None stands for an input that is left out.
Inputs marked with `trained` get a gradient. The loss receives a recorded head gradient.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "losses" / "losses.json"

_DRAW = np.random.RandomState(20260131)


def array(values: Any, dtype: str = "float32", trained: bool = False) -> dict[str, Any]:
    numbers = np.asarray(values).astype(dtype)
    return {"dtype": dtype, "shape": list(numbers.shape), "values": plain(numbers), "trained": trained}


def plain(numbers: np.ndarray) -> list[Any]:
    """Values with as many digits as their type needs, in one row; JSON knows no nan."""
    return [float(str(number)) if np.isfinite(number) else str(number) for number in numbers.ravel()]


def numbers(*shape: int, dtype: str = "float32", trained: bool = True, scale: float = 1.5) -> dict[str, Any]:
    return array(np.round(scale * _DRAW.randn(*shape), 3), dtype, trained)


def positive(*shape: int, dtype: str = "float32", trained: bool = True) -> dict[str, Any]:
    return array(np.round(_DRAW.uniform(0.2, 4, shape), 3), dtype, trained)


def shares(*shape: int, dtype: str = "float32", axis: int = -1, trained: bool = False) -> dict[str, Any]:
    """Probabilities of classes."""
    scores = np.exp(_DRAW.randn(*shape))
    return array(np.round(scores / scores.sum(axis=axis, keepdims=True), 4), dtype, trained)


def chances(*shape: int, dtype: str = "float32") -> dict[str, Any]:
    """Probabilities, each of its own."""
    return array(np.round(_DRAW.uniform(0.05, 0.95, shape), 3), dtype, True)


def classes(*shape: int, high: int, low: int = 0, dtype: str = "float32") -> dict[str, Any]:
    return array(_DRAW.randint(low, high, shape), dtype)


def signs(*shape: int, dtype: str = "float32") -> dict[str, Any]:
    return array(2 * _DRAW.randint(0, 2, shape) - 1, dtype)


def weights(*shape: int, dtype: str = "float32") -> dict[str, Any]:
    return array(np.round(_DRAW.uniform(0, 2, shape), 2), dtype)


def between_numbers(name: str) -> list[tuple[str, list[Any]]]:
    """What is asked of every loss of numbers against numbers."""
    return [
        (f"{name}()", [numbers(4, 3), numbers(4, 3)]),
        (f"{name}()", [numbers(4), numbers(4, 1)]),
        (f"{name}()", [numbers(2, 3, 2), numbers(2, 6)]),
        (f"{name}(weight=0.3)", [numbers(4, 3), numbers(4, 3), weights(4, 1)]),
        (f"{name}(weight=2)", [numbers(3, 2), numbers(3, 2), weights(3, 2)]),
        (f"{name}(batch_axis=1)", [numbers(4, 3), numbers(4, 3), weights(1, 3)]),
        (f"{name}()", [numbers(3, 2, dtype="float64"), numbers(3, 2, dtype="float64")]),
        (f"{name}()", [numbers(3, 2, dtype="float16"), numbers(3, 2, dtype="float16"), weights(3, 1, dtype="float16")]),
    ]


def of_signs(name: str) -> list[tuple[str, list[Any]]]:
    return [
        (f"{name}()", [numbers(4, 3), signs(4, 3)]),
        (f"{name}()", [numbers(5), signs(5)]),
        (f"{name}()", [numbers(5, 1), signs(5), weights(5, 1)]),
        (f"{name}(weight=3.0)", [numbers(2, 3), signs(2, 3), weights(2, 3)]),
        (f"{name}(batch_axis=1)", [numbers(2, 3), signs(6)]),
        (f"{name}()", [numbers(3, 2, dtype="float64"), signs(3, 2, dtype="float64")]),
        (f"{name}()", [numbers(3, 2), numbers(3, 2)]),
    ]


CASES: list[tuple[str, list[Any]]] = [
    *between_numbers("L2Loss"),
    *between_numbers("L1Loss"),
    ("L1Loss()", [array([[1, 2]], trained=True), array([[1, 3]], trained=True)]),
    *between_numbers("HuberLoss"),
    ("HuberLoss(rho=0.5)", [numbers(4, 3), numbers(4, 3), weights(4, 1)]),
    ("HuberLoss(rho=1)", [array([[0, 1, 2, 3]], trained=True), array([[0, 0, 1, 5]], trained=True)]),
    ("SigmoidBinaryCrossEntropyLoss()", [numbers(4, 3), classes(4, 3, high=2)]),
    ("SigmoidBinaryCrossEntropyLoss()", [numbers(4, 3), chances(4, 3), weights(4, 1)]),
    ("SigmoidBCELoss()", [numbers(6, 1), classes(6, high=2), None, weights(1, 1)]),
    ("SigmoidBCELoss(weight=0.5)", [numbers(4, 3), chances(4, 3), weights(4, 1), weights(1, 3)]),
    ("SigmoidBCELoss()", [numbers(2, 3, scale=60), classes(2, 3, high=2)]),
    ("SigmoidBCELoss()", [numbers(2, 3, scale=60), classes(2, 3, high=2), None, weights(2, 3)]),
    ("SigmoidBCELoss(batch_axis=1)", [numbers(2, 3), classes(2, 3, high=2)]),
    ("SigmoidBCELoss(from_sigmoid=True)", [chances(4, 3), chances(4, 3)]),
    ("SigmoidBCELoss(from_sigmoid=True, weight=2)", [chances(4, 3), classes(4, 3, high=2), weights(4, 1)]),
    ("SigmoidBCELoss(from_sigmoid=True)", [chances(4, 3), chances(4, 3), weights(4, 3), weights(1, 3)]),
    ("SigmoidBCELoss(True)", [array([[0, 1], [1, 0]], trained=True), array([[0, 1], [0, 1]])]),
    ("SigmoidBCELoss()", [numbers(3, 2, dtype="float64"), classes(3, 2, high=2, dtype="float64")]),
    ("SoftmaxCrossEntropyLoss()", [numbers(5, 4), classes(5, high=4)]),
    ("SoftmaxCrossEntropyLoss()", [numbers(5, 4), classes(5, 1, high=4, dtype="int32")]),
    ("SoftmaxCrossEntropyLoss()", [numbers(5, 4), classes(5, high=4, dtype="int64"), weights(5, 1)]),
    ("SoftmaxCrossEntropyLoss(weight=0.7)", [numbers(5, 4), classes(5, high=4, dtype="uint8")]),
    ("SoftmaxCrossEntropyLoss(weight=0.7)", [numbers(5, 4), classes(5, high=4), weights(5, 1)]),
    ("SoftmaxCrossEntropyLoss()", [numbers(1, 4), classes(1, high=4)]),
    ("SoftmaxCrossEntropyLoss()", [numbers(4), array([2])]),
    ("SoftmaxCrossEntropyLoss()", [numbers(2, 3), array([5, -3])]),
    ("SoftmaxCrossEntropyLoss()", [numbers(2, 3, 4), classes(2, 3, high=4), weights(2, 1, 1)]),
    ("SoftmaxCrossEntropyLoss(axis=1)", [numbers(2, 4, 2, 3), classes(2, 2, 3, high=4), weights(2, 1, 2, 3)]),
    # Weights without the axis of the classes broadcast to all pairs.
    ("SoftmaxCELoss()", [numbers(2, 3), classes(2, high=3), weights(3)]),
    ("SoftmaxCELoss(axis=0)", [numbers(4, 3), classes(3, high=4)]),
    ("SoftmaxCELoss(axis=0, batch_axis=1)", [numbers(4, 3), classes(3, high=4)]),
    ("SoftmaxCELoss(batch_axis=1)", [numbers(2, 3, 4), classes(2, 3, high=4)]),
    ("SoftmaxCELoss(sparse_label=False)", [numbers(5, 4), shares(5, 4, trained=True)]),
    ("SoftmaxCELoss(sparse_label=False, weight=2)", [numbers(5, 4), shares(5, 4), weights(5, 1)]),
    ("SoftmaxCELoss(axis=1, sparse_label=False)", [numbers(2, 4, 3), shares(2, 4, 3, axis=1)]),
    ("SoftmaxCELoss(from_logits=True)", [numbers(5, 4), classes(5, high=4)]),
    ("SoftmaxCELoss(from_logits=True, sparse_label=False)", [numbers(5, 4), shares(5, 4, trained=True)]),
    ("SoftmaxCELoss()", [numbers(3, 4, dtype="float64"), classes(3, high=4, dtype="float64")]),
    ("SoftmaxCELoss()", [numbers(3, 4, dtype="float16"), classes(3, high=4, dtype="float16")]),
    ("KLDivLoss()", [numbers(4, 3), shares(4, 3, trained=True)]),
    ("KLDivLoss(from_logits=False)", [numbers(4, 3), shares(4, 3, trained=True), weights(4, 1)]),
    ("KLDivLoss(from_logits=False, axis=1, weight=0.5)", [numbers(2, 4, 3), shares(2, 4, 3, axis=1)]),
    ("KLDivLoss(batch_axis=1)", [numbers(4, 3), shares(4, 3), weights(1, 3)]),
    ("KLDivLoss()", [numbers(2, 3), array([[0, 0, 1], [0, 1, 0]])]),
    ("KLDivLoss(False)", [numbers(4, 3, dtype="float64"), shares(4, 3, dtype="float64", trained=True)]),
    ("CTCLoss()", [numbers(2, 6, 4), classes(2, 3, high=3)]),
    ("CTCLoss(weight=0.5)", [numbers(2, 6, 4), array([[0, 1, -1], [2, 2, 1]]), None, None, weights(2)]),
    ("CTCLoss(layout='TNC')", [numbers(6, 2, 4), array([[0, 1, -1], [2, -1, -1]])]),
    ("CTCLoss(label_layout='TN')", [numbers(2, 6, 4), classes(3, 2, high=3)]),
    ("CTCLoss('TNC', 'TN')", [numbers(5, 3, 3), classes(2, 3, high=2)]),
    ("CTCLoss()", [numbers(2, 6, 4), classes(2, 3, high=3), array([6, 4])]),
    ("CTCLoss()", [numbers(2, 6, 4), classes(2, 3, high=3), None, array([1, 3])]),
    ("CTCLoss()", [numbers(2, 6, 4), classes(2, 3, high=3), array([6, 5]), array([2, 3]), weights(2)]),
    *of_signs("HingeLoss"),
    ("HingeLoss(margin=0.5)", [numbers(4, 3), signs(4, 3)]),
    ("HingeLoss()", [array([[1, -1, 0]], trained=True), array([[1, -1, 1]])]),
    *of_signs("SquaredHingeLoss"),
    ("SquaredHingeLoss(margin=2)", [numbers(4, 3), signs(4, 3)]),
    *of_signs("LogisticLoss"),
    ("LogisticLoss(label_format='binary')", [numbers(4, 3), classes(4, 3, high=2), weights(4, 1)]),
    ("LogisticLoss()", [numbers(2, 3, scale=60), signs(2, 3)]),
    ("TripletLoss()", [numbers(4, 3), numbers(4, 3), numbers(4, 3)]),
    ("TripletLoss(margin=3, weight=0.5)", [numbers(4, 3), numbers(12), numbers(2, 6)]),
    ("TripletLoss(batch_axis=1)", [numbers(4, 3), numbers(4, 3), numbers(4, 3)]),
    ("TripletLoss()", [numbers(2, 2, 3, dtype="float64") for _ in range(3)]),
    ("PoissonNLLLoss()", [numbers(4, 3), positive(4, 3)]),
    ("PoissonNLLLoss(weight=0.5)", [numbers(4, 3), classes(12, high=5), weights(4, 1)]),
    ("PoissonNLLLoss(from_logits=False)", [positive(4, 3), positive(4, 3)]),
    ("PoissonNLLLoss(from_logits=False)", [positive(2, 3), classes(2, 3, high=5), weights(2, 3), 0.1]),
    ("PoissonNLLLoss(batch_axis=1)", [numbers(2, 3, dtype="float64"), positive(2, 3, dtype="float64")]),
    # While recording, MXNet cannot compute the full loss: it writes to arrays of the graph.
    ("PoissonNLLLoss(compute_full=True)", [numbers(4, 3, trained=False), positive(4, 3, trained=False)]),
    (
        "PoissonNLLLoss(from_logits=False, compute_full=True)",
        [positive(4, 3, trained=False), classes(4, 3, low=1, high=9), weights(4, 1)],
    ),
    ("CosineEmbeddingLoss()", [numbers(4, 3), numbers(4, 3), array([1, -1, 1, -1])]),
    ("CosineEmbeddingLoss(margin=0.3, weight=2)", [numbers(5, 3), numbers(5, 3), signs(5, 1), weights(5, 1)]),
    ("CosineEmbeddingLoss()", [numbers(2, 3, 4), numbers(6, 4), signs(6)]),
    ("CosineEmbeddingLoss(margin=-0.5)", [numbers(4, 3), numbers(12), array([1, -1, 0, 2])]),
    ("SDMLLoss()", [numbers(4, 3, scale=0.5), numbers(4, 3, scale=0.5)]),
    ("SDMLLoss(smoothing_parameter=0.1, weight=5)", [numbers(3, 2), numbers(3, 2)]),
]

# Calls that MXNet refuses, by its class of error.
REFUSED: list[tuple[str, list[Any] | None]] = [
    ("L2Loss()", [numbers(2, 2), numbers(3)]),
    ("L2Loss()", [numbers(2, 2), array([1, 2, 3, 4], "int32")]),
    ("L2Loss()", [numbers(2, 2), numbers(2, 2, dtype="float64")]),
    ("L2Loss()", [numbers(2, 2), numbers(2, 2), weights(3)]),
    ("L2Loss(weight=None)", [numbers(2, 2), numbers(2, 2)]),
    ("L1Loss(weight='a')", [numbers(2, 2), numbers(2, 2)]),
    ("L1Loss(weight=mx.nd.ones(2))", [numbers(2, 2), numbers(2, 2)]),
    ("L1Loss(batch_axis=2)", [numbers(2, 2), numbers(2, 2)]),
    ("SoftmaxCELoss()", [numbers(2, 3), shares(2, 3)]),
    ("SoftmaxCELoss()", [numbers(2, 3), classes(3, high=3)]),
    ("SoftmaxCELoss(sparse_label=False)", [numbers(2, 3), classes(2, high=3)]),
    ("SoftmaxCELoss(axis=2)", [numbers(2, 3), classes(2, high=3)]),
    ("CTCLoss(layout='NCT')", None),
    ("CTCLoss(label_layout='NC')", None),
    ("LogisticLoss(label_format='other')", None),
    ("TripletLoss()", [numbers(2, 2), numbers(2, 2), numbers(2)]),
    ("CosineEmbeddingLoss()", [numbers(2, 2), numbers(2, 2), array([1, -1], "int32")]),
    ("SDMLLoss()", [numbers(2, 2), numbers(1, 2)]),
    ("Loss(1.0, 0)", [numbers(2, 2)]),
]


def make(expression: str) -> Any:
    return eval(f"mx.gluon.loss.{expression}", {"mx": mx})


def on_mxnet(content: Any) -> Any:
    if not isinstance(content, dict):
        return content
    values = np.array(content["values"], dtype=content["dtype"]).reshape(content["shape"])
    found = mx.nd.array(values, dtype=content["dtype"])
    if content["trained"]:
        found.attach_grad()
    return found


def record(expression: str, inputs: list[Any]) -> dict[str, Any]:
    loss = make(expression)
    arrays = [on_mxnet(content) for content in inputs]
    case: dict[str, Any] = {"made_by": f"mx.gluon.loss.{expression}", "repr": repr(loss), "inputs": inputs}
    trained = [i for i, content in enumerate(inputs) if isinstance(content, dict) and content["trained"]]
    if not trained:
        return {**case, "output": array_of(loss(*arrays))}
    with mx.autograd.record():
        output = loss(*arrays)
    head = array(np.round(_DRAW.uniform(0.5, 1.5, output.shape), 2), np.dtype(output.dtype).name)
    output.backward(on_mxnet(head))
    gradients = {str(i): array_of(arrays[i].grad) for i in trained}
    return {**case, "output": array_of(output), "head": head, "gradients": gradients}


def array_of(found: Any) -> dict[str, Any]:
    return array(found.asnumpy(), np.dtype(found.dtype).name)


def refusal(expression: str, inputs: list[Any] | None) -> str:
    try:
        loss = make(expression)
        loss(*(on_mxnet(content) for content in inputs or [])).wait_to_read()
    except Exception as error:  # the class of any error is what is asked for
        return type(error).__name__
    raise AssertionError(f"MXNet takes {expression} with {inputs}")


def main() -> None:
    cases = [record(expression, inputs) for expression, inputs in CASES]
    refused = [
        {"made_by": f"mx.gluon.loss.{expression}", "inputs": inputs, "error": refusal(expression, inputs)}
        for expression, inputs in REFUSED
    ]
    FIXTURE.parent.mkdir(parents=True, exist_ok=True)
    text = ",\n".join(json.dumps(case) for case in cases)
    errors = ",\n".join(json.dumps(case) for case in refused)
    FIXTURE.write_text(
        f'{{"mxnet": "{mx.__version__}",\n"cases": [\n{text}\n],\n"refused": [\n{errors}\n]}}\n', encoding="utf-8"
    )
    print(f"{len(cases)} losses, {len(refused)} refusals")


if __name__ == "__main__":
    main()
