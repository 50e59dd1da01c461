"""Reflection over the whole registry: the declarations agree with MXNet's contract, with each other and with the docs.

`fixtures/api/operators.json` was read off a real MXNet 1.9.1: names, aliases, inputs, parameters, types, defaults.
"""

import inspect
import json
import re
from pathlib import Path

import pytest
import torch

import mxnet as mx
from mxnet.dtypes import NAME_OF_TORCH
from mxnet.error import OpParamError
from mxnet.ops import registry
from mxnet.ops.registry import REQUIRED, Operator

FIXTURES = Path(__file__).parents[1] / "fixtures"
CONTRACT = json.loads((FIXTURES / "api" / "operators.json").read_text())
OPERATORS = sorted({operator.name: operator for _, operator in registry.names()}.items())

# What belongs to later work, by the kind of its name.
LATER = re.compile(
    r"_contrib_|_image_|_npi?_|_npx_|_cv|_imdecode|_sparse_|_foreach|_while_loop|_cond|_CustomFunction|"
    r".*_v1$|_backward_|_split_v2_backward"
)
LATER_NAMES = {
    "_set_value",  # writes to `out` only: an old spelling of x[:] = value that no saved graph contains
    *("RNN", "CTCLoss", "Custom", "Correlation", "SVMOutput", "ROIPooling"),
    *("SpatialTransformer", "GridGenerator", "BilinearSampler", "cast_storage"),
}
# Fused steps of our own, for speed: they stand for a few of MXNet's operators and are compared with those.
OWN = {"_pick_log_softmax"}
# Random results have no fixtures: test_sampling.py and test_dropout.py check their statistics.
# Of the others a real MXNet has no dense form, or none that its Python part can call; they have NumPy references.
WITHOUT_FIXTURES = re.compile(
    r"_random_(?!pdf)|_sample_|_shuffle|IdentityAttachKLSparseReg|_scatter_set_nd|_square_sum|_zeros_without_dtype|"
    # recorded with the optimizers, since they need `out=` lists or sparse gradients: tests/optimizer
    r"(_|preloaded_)?multi_(mp_)?[a-z]+(_mom)?_update|_sparse_adagrad|_contrib_group_adagrad|mp_lamb_update_phase2"
)


def _is_later(name: str) -> bool:
    return bool(LATER.match(name)) or name in LATER_NAMES


def test_every_operator_of_the_contract_is_declared():
    declared = {name for name, _ in registry.names()}
    missing = [name for name in CONTRACT if name not in declared and not _is_later(name)]
    assert not missing


def test_every_declared_operator_is_in_the_contract():
    assert [name for name, _ in OPERATORS if name not in CONTRACT and name not in OWN] == []


@pytest.mark.parametrize("operator", [operator for _, operator in OPERATORS], ids=repr)
def test_declaration_agrees_with_the_contract(operator: Operator):
    if operator.name in OWN:
        pytest.skip("an operator of our own")
    contract = CONTRACT[operator.name]
    assert sorted(operator.aliases) == sorted(contract["aliases"])
    states = ["moving_avg"] if operator.name == "IdentityAttachKLSparseReg" else []  # the contract leaves it out
    assert list(operator.inputs) == contract["inputs"] + states
    expected = [param for param in contract["params"] if param["name"] != operator.count_param]
    if operator.name == "_linspace":  # the contract misses what MXNet requires: see the declaration
        expected[1] = {"name": "stop", "type": "double, required"}
        expected += [{"name": "num", "type": "int, required"}, {"name": "endpoint", "type": "boolean, default=1"}]
    assert list(operator.params) == [param["name"] for param in expected]
    for param in expected:
        _check_default(operator, param["name"], param["type"])


def _check_default(operator: Operator, name: str, text: str) -> None:
    declared = operator.params[name].default
    if "default=" not in text:
        return
    assert declared is not REQUIRED, name
    written = text.split("default=", 1)[1].strip().strip("'")
    if isinstance(declared, torch.dtype):
        assert NAME_OF_TORCH[declared] == written, name
    elif isinstance(declared, bool):
        assert declared == bool(int(written)), name
    elif isinstance(declared, (int, float)):
        assert declared == pytest.approx(float(written), rel=1e-6), name
    elif isinstance(declared, tuple):
        assert list(declared) == [float(x) for x in re.findall(r"[-.\de]+", written.replace("None", ""))], name
    else:
        assert str(declared) == written or (declared is None and written in ("", "None")), name


@pytest.mark.parametrize("operator", [operator for _, operator in OPERATORS], ids=repr)
def test_documented_and_callable(operator: Operator):
    first = operator.doc.split("\n")[0]
    assert first.endswith((".", ":")), "the first line of the docstring is a sentence"
    assert len(first) > 10
    for name in (operator.name, *operator.aliases):
        function = getattr(mx.nd._internal if name.startswith("_") else mx.nd.op, name)
        assert function.__doc__ == operator.doc
        names = list(inspect.signature(function).parameters)
        assert names[: len(operator.inputs)] == list(operator.inputs)
        assert names[-2:] == ["out", "name"]


@pytest.mark.parametrize("operator", [operator for _, operator in OPERATORS], ids=repr)
def test_parameters_survive_being_written_as_text(operator: Operator):
    for param in operator.params.values():
        if param.default is not REQUIRED:
            expected = pytest.approx(param.default, rel=1e-6) if isinstance(param.default, float) else param.default
            assert param.kind.parse(param.kind.format(param.default)) == expected


@pytest.mark.parametrize("operator", [operator for _, operator in OPERATORS], ids=repr)
def test_unknown_parameters_are_refused(operator: Operator):
    with pytest.raises(OpParamError, match=rf"\[{operator.name}\] received an unknown parameter 'no_such'"):
        operator.parse({"no_such": 1})


def test_every_operator_has_fixtures():
    recorded: dict[str, int] = {}
    for path in (FIXTURES / "ops").glob("*.json"):
        for case in json.loads(path.read_text()):
            name = registry.find(case["op"]).name if case["op"] in dict(registry.names()) else case["op"]
            recorded[name] = recorded.get(name, 0) + (not case.get("error"))
    few = [name for name, _ in OPERATORS if recorded.get(name, 0) < 2 and not WITHOUT_FIXTURES.match(name)]
    few = [name for name in few if name not in OWN]
    assert not few


def test_find_names_the_nearest():
    with pytest.raises(mx.MXNetError, match=r"there is no operator 'Convoluton'; the nearest are Convolution"):
        registry.find("Convoluton")
