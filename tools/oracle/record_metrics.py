"""Records what a real MXNet's metrics say about a few batches.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_metrics`.

Each case is an expression that makes a metric, and steps: a batch, or the name of a method to call. After each step
the answers of `get`, `get_global`, `get_name_value` and `get_global_name_value` are noted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "metrics" / "metrics.json"

_DRAW = np.random.RandomState(20240131)


def array(values: Any, dtype: str = "float32") -> dict[str, Any]:
    return {"dtype": dtype, "values": np.asarray(values).tolist()}


def classes(*shape: int, high: int, low: int = 0, dtype: str = "float32") -> dict[str, Any]:
    return array(_DRAW.randint(low, high, shape), dtype)


def numbers(*shape: int, dtype: str = "float32") -> dict[str, Any]:
    return array(np.round(_DRAW.randn(*shape), 3), dtype)


def shares(*shape: int, dtype: str = "float32", axis: int = -1) -> dict[str, Any]:
    """Probabilities of classes, no two of them alike in a row."""
    scores = np.exp(_DRAW.randn(*shape))
    return array(np.round(scores / scores.sum(axis=axis, keepdims=True), 4), dtype)


def batch(labels: Any, preds: Any) -> dict[str, Any]:
    return {"update": [labels, preds]}


def several(make: Any) -> list[Any]:
    """Batches with a local reset and a whole one among them."""
    return [make(), make(), "reset_local", make(), make(), "reset", make()]


def scored(num: int, num_classes: int, **how: Any) -> Any:
    return lambda: batch([classes(num, high=num_classes, **how)], [shares(num, num_classes)])


def measured(*shape: int, label: str = "float32", pred: str = "float32") -> Any:
    return lambda: batch([numbers(*shape, dtype=label)], [numbers(*shape, dtype=pred)])


BINARY = [
    *several(scored(7, 2)),
    batch([array([0, 0, 0])], [array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])]),
    batch([array([1, 1])], [array([[0.9, 0.1], [0.8, 0.2]])]),
    batch([array([1, 1])], [array([[0.1, 0.9], [0.2, 0.8]])]),
    batch([classes(5, high=2), classes(4, high=2)], [shares(5, 2), shares(4, 2)]),
    batch([classes(2, 3, high=2)], [shares(2, 2, 3, axis=1)]),
]

CASES: list[tuple[str, list[Any]]] = [
    ("Accuracy()", several(scored(6, 4))),
    ("Accuracy()", [batch(classes(6, high=3), shares(6, 3)), batch([classes(6, 1, high=3)], [shares(6, 3)])]),
    ("Accuracy()", [batch([classes(5, high=3), classes(4, high=3)], [shares(5, 3), shares(4, 3)])]),
    ("Accuracy()", [batch([classes(8, high=3, dtype="int32")], [classes(8, high=3)])]),
    ("Accuracy(name='right', output_names=['out'], label_names=['label'])", [scored(5, 3)()]),
    ("Accuracy(axis=2)", [batch([classes(2, 3, high=4)], [shares(2, 3, 4)])]),
    ("Accuracy(axis=1)", [batch([classes(2, 3, high=4)], [shares(2, 4, 3, axis=1)])]),
    ("create('acc')", [batch([classes(6, high=4, dtype="int64")], [shares(6, 4, dtype="float64")])]),
    ("TopKAccuracy(top_k=2)", several(scored(6, 5))),
    ("TopKAccuracy(top_k=3, name='near')", [scored(9, 4, dtype="int32")(), scored(9, 3)()]),
    ("create('top_k_acc', top_k=2)", [batch([classes(6, high=4)], [shares(6, 4, dtype="float64")])]),
    ("F1()", BINARY),
    ("F1(average='micro')", BINARY),
    ("F1(name='f', average='macro')", [scored(6, 2, dtype="int32")()]),
    ("MCC()", BINARY),
    ("MCC(average='micro')", BINARY),
    ("PCC()", several(scored(9, 4))),
    ("PCC()", [*several(scored(9, 2)), scored(9, 6)(), batch([classes(9, high=3)], [classes(9, high=8)])]),
    ("PCC(has_global_stats=False)", several(scored(6, 3))),
    ("Perplexity(ignore_label=None)", several(scored(6, 5))),
    ("Perplexity(ignore_label=0)", several(scored(6, 4))),
    ("Perplexity(-1, name='ppl')", [scored(7, 4, low=-1)(), batch([classes(3, 2, high=5)], [shares(6, 5)])]),
    ("Perplexity(None)", [batch([array([0, 1])], [array([[1.0, 0.0], [1.0, 0.0]])])]),
    ("Perplexity(2)", [batch([array([2, 2])], [shares(2, 3)])]),
    ("Perplexity(1)", [batch([classes(4, high=3), classes(5, high=3)], [shares(4, 3), shares(5, 3)])]),
    ("MAE()", several(measured(5))),
    ("MAE()", [measured(3, 4)(), batch([numbers(3)], [numbers(3, 4)]), batch([numbers(4, 1)], [numbers(4)])]),
    ("MAE()", [measured(4, label="float64")(), batch([classes(4, high=5, dtype="int32")], [numbers(4)])]),
    ("MSE()", several(measured(5))),
    ("MSE()", [measured(3, 4)(), batch([numbers(3)], [numbers(3, 4)]), batch([numbers(3, 1, 2)], [numbers(1, 4, 2)])]),
    ("MSE()", [batch([classes(5, high=9, dtype="int32")], [classes(5, high=9, dtype="int32")])]),
    ("RMSE()", several(measured(5))),
    ("RMSE()", [measured(3, 4)(), batch([numbers(3), numbers(5)], [numbers(3, 4), numbers(5)])]),
    ("create('rmse', name='root')", [measured(6, pred="float64")()]),
    ("CrossEntropy()", several(scored(6, 4))),
    ("CrossEntropy(eps=0.1, name='entropy')", [scored(6, 4)(), batch([classes(2, 3, high=4)], [shares(6, 4)])]),
    (
        "CrossEntropy()",
        [batch([array([0, -1, -3])], [shares(3, 3)]), batch([array([0, 1])], [shares(2, 3, 2, axis=1)])],
    ),
    ("create('ce')", [batch([array([1, 0])], [array([[1.0, 0.0], [0.0, 1.0]])])]),
    ("NegativeLogLikelihood()", several(scored(6, 4))),
    ("create('nll_loss', eps=1e-6)", [batch([classes(5, high=3, dtype="int32")], [shares(5, 3, dtype="float64")])]),
    ("PearsonCorrelation()", several(measured(6))),
    ("PearsonCorrelation(average='micro')", [step for step in several(measured(6)) if step != "reset_local"]),
    ("create('pearsonr')", [measured(3, 4)(), batch([array([1, 2, 3])], [array([2, 2, 2])])]),
    ("PearsonCorrelation(average='micro')", [measured(2, 3)(), measured(5)(), measured(1)()]),
    ("Loss()", several(lambda: batch(None, [numbers(3, 4)]))),
    ("Loss(name='total')", [batch(None, numbers(5)), batch(None, [numbers(2), numbers(3, dtype="float64")])]),
    ("Loss()", [batch(None, [array([1, 2, 5], "int32")])]),
    ("Torch()", [batch(None, [numbers(3)])]),
    ("Caffe()", [batch(None, [numbers(3)])]),
    ("create(['acc', 'ce', mx.metric.TopKAccuracy(2)])", several(scored(6, 4))),
    ("CompositeEvalMetric([mx.metric.MAE(), 'mse'], name='both')", several(measured(4))),
    ("create(lambda label, pred: abs(label - pred).sum())", several(measured(4))),
    ("CustomMetric(lambda label, pred: (abs(label - pred).sum(), label.size), name='each')", several(measured(4))),
    ("np(len_of_label)", several(measured(4))),
    (
        "np(len_of_label, name='extra', allow_extra_outputs=True)",
        [batch([numbers(3)], [numbers(3), numbers(2)])],
    ),
]

# Calls that MXNet refuses, by its class of error.
REFUSED: list[tuple[str, Any]] = [
    ("Accuracy()", batch([array([0, 1, 1])], [shares(2, 2)])),
    ("Accuracy()", batch([array([0, 1])], [shares(2, 2), shares(2, 2)])),
    ("Accuracy()", batch(array([0, 1, 1]), shares(2, 2))),
    ("MAE()", batch([numbers(3)], [numbers(2, 2)])),
    ("MSE()", batch([numbers(3)], [numbers(2)])),
    ("RMSE()", batch([numbers(3)], [numbers(3), numbers(3)])),
    ("PearsonCorrelation()", batch([numbers(3)], [numbers(3, 1)])),
    ("F1()", batch([array([0, 1])], [shares(3, 2)])),
    ("CrossEntropy()", batch([array([0, 1, 1])], [shares(2, 2)])),
    ("NegativeLogLikelihood()", batch([array([0, 1, 1])], [shares(2, 2)])),
    ("Perplexity(None)", batch([array([0, 1, 1])], [shares(2, 2)])),
    ("TopKAccuracy(2)", batch([array([0, 1])], [shares(2, 3, 4)])),
    ("TopKAccuracy(1)", None),
    ("create('nothing')", None),
    ("create(mx.metric.Accuracy(), axis=1)", None),
]


def len_of_label(label: Any, pred: Any) -> float:
    return float(label[0] + len(pred))


def make(expression: str) -> Any:
    return eval(f"mx.metric.{expression}", {"mx": mx, "len_of_label": len_of_label})


def on_mxnet(content: Any) -> Any:
    """Descriptions of arrays, and lists of them, as arrays."""
    if isinstance(content, dict):
        return mx.nd.array(content["values"], dtype=content["dtype"])
    return None if content is None else [on_mxnet(entry) for entry in content]


def plain(value: Any) -> Any:
    """Numbers that JSON can hold, whatever NumPy calls them."""
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value.item() if isinstance(value, np.generic) else value


def perform(metric: Any, step: Any) -> dict[str, Any]:
    if isinstance(step, str):
        getattr(metric, step)()
    else:
        metric.update(*(on_mxnet(content) for content in step["update"]))
    answers = ("get", "get_global", "get_name_value", "get_global_name_value")
    return {"step": step, **{answer: plain(getattr(metric, answer)()) for answer in answers}}


def config_of(metric: Any) -> Any:
    try:
        return plain(metric.get_config())
    except NotImplementedError:
        return None


def refusal(expression: str, step: Any) -> str:
    try:
        metric = make(expression)
        perform(metric, step)
    except Exception as error:  # the class of any error is what is asked for
        return type(error).__name__
    raise AssertionError(f"MXNet takes {expression} with {step}")


def main() -> None:
    cases = []
    for expression, steps in CASES:
        metric = make(expression)
        case = {"made_by": f"mx.metric.{expression}", "str": str(metric), "config": config_of(metric)}
        cases.append({**case, "steps": [perform(metric, step) for step in steps]})
    refused = [
        {"made_by": f"mx.metric.{expression}", "step": step, "error": refusal(expression, step)}
        for expression, step in REFUSED
    ]
    FIXTURE.parent.mkdir(parents=True, exist_ok=True)
    text = ",\n".join(json.dumps(case) for case in cases)
    errors = ",\n".join(json.dumps(case) for case in refused)
    FIXTURE.write_text(
        f'{{"mxnet": "{mx.__version__}",\n"cases": [\n{text}\n],\n"refused": [\n{errors}\n]}}\n', encoding="utf-8"
    )
    print(f"{len(cases)} metrics, {sum(len(case['steps']) for case in cases)} steps, {len(refused)} refusals")


if __name__ == "__main__":
    main()
