"""Every metric against what a real MXNet said: see tools/oracle/record_metrics.py."""

import json
from pathlib import Path

import pytest

from mxnet import metric, nd, registry

FIXTURE = json.loads(
    (Path(__file__).resolve().parents[1] / "fixtures" / "metrics" / "metrics.json").read_text(encoding="utf-8")
)
ANSWERS = ("get", "get_global", "get_name_value", "get_global_name_value")

# Where MXNet only asserts, a bad argument is a ValueError here.
BUILTIN = {"ValueError": ValueError, "AssertionError": ValueError}


class Package:
    """Stands for `mx` in the recorded expressions."""

    metric = metric


def len_of_label(label, pred):
    return float(label[0] + len(pred))


def make(expression):
    return eval(expression, {"mx": Package, "len_of_label": len_of_label})


def arrays(content):
    if isinstance(content, dict):
        return nd.array(content["values"], dtype=content["dtype"])
    return None if content is None else [arrays(entry) for entry in content]


def perform(made, step):
    if isinstance(step, str):
        getattr(made, step)()
    else:
        made.update(*(arrays(content) for content in step["update"]))


def flat(answer):
    """Names and numbers of an answer, one after the other."""
    if isinstance(answer, (list, tuple)):
        return [part for entry in answer for part in flat(entry)]
    return [answer]


def check_same(got, expected):
    got, expected = flat(got), flat(expected)
    assert len(got) == len(expected)
    for mine, theirs in zip(got, expected):
        if isinstance(theirs, str):
            assert mine == theirs
        else:
            assert type(mine) is float  # a plain number, whatever the sums are kept in
            assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-9, nan_ok=True)


def global_is_mended(case):
    """MXNet answers 0 where the correlation of all batches is asked for; see test_correlation.py."""
    return "PearsonCorrelation(average='micro')" in case["made_by"]


@pytest.mark.parametrize("case", FIXTURE["cases"], ids=lambda case: case["made_by"].removeprefix("mx.metric."))
def test_as_mxnet(case):
    made = make(case["made_by"])
    assert str(made) == case["str"]
    if case["config"] is None:
        with pytest.raises(NotImplementedError, match="keep the function"):
            made.get_config()
    else:
        assert made.get_config() == case["config"]
    for step in case["steps"]:
        perform(made, step["step"])
        for answer in ANSWERS:
            if not ("global" in answer and global_is_mended(case)):
                check_same(getattr(made, answer)(), step[answer])


@pytest.mark.parametrize("case", FIXTURE["refused"], ids=lambda case: case["made_by"].removeprefix("mx.metric."))
def test_refused_as_by_mxnet(case):
    def run():
        perform(make(case["made_by"]), case["step"])

    with pytest.raises(BUILTIN[case["error"]], match=r"^\[\w+(\.\w+)?\] .*(received|top_k)"):
        run()


@pytest.mark.parametrize(
    "case",
    [case for case in FIXTURE["cases"] if not any(name in case["made_by"] for name in ("lambda", "np("))],
    ids=lambda case: case["made_by"].removeprefix("mx.metric."),
)
def test_update_reads_nothing_back(case, monkeypatch):
    """Only `get` may wait for the device."""
    made = make(case["made_by"])
    batches = [
        [arrays(content) for content in step["step"]["update"]]
        for step in case["steps"]
        if isinstance(step["step"], dict)
    ]
    with monkeypatch.context() as patch:
        for reader in ("asnumpy", "asscalar", "item", "__bool__", "__float__", "__int__", "__array__", "wait_to_read"):
            patch.setattr(nd.NDArray, reader, lambda *args, reader=reader: pytest.fail(f"update called {reader}"))
        for batch in batches:
            made.update(*batch)
    made.get()


def test_every_metric_has_a_case():
    registered = {klass.__name__ for klass in registry.get_registry(metric.EvalMetric).values()}
    seen = {type(make(case["made_by"])).__name__ for case in FIXTURE["cases"]}
    assert {name for name in registered if name in metric.__all__} <= seen
