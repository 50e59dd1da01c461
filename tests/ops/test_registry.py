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
from mxnet.error import OpParamError
from regluon.dtypes import NAME_OF_TORCH
from regluon.ops import registry
from regluon.ops.registry import REQUIRED, Operator

FIXTURES = Path(__file__).parents[1] / "fixtures"
CONTRACT = json.loads((FIXTURES / "api" / "operators.json").read_text())
OPERATORS = sorted({operator.name: operator for _, operator in registry.names()}.items())

# What cannot be an operator here.
MISSING = set(registry.ABSENT)
# Fused steps of our own, for speed: they stand for a few of MXNet's operators and are compared with those.
OWN = {"_pick_log_softmax"}
# Operators of MXNet that the contract leaves out: a gradient that programs call by itself, and copies between groups.
OWN |= {"_backward_gather_nd", "_CrossDeviceCopy"}
# Random results have no fixtures: random/ and test_dropout.py check their
# statistics.
# Of the others a real MXNet has no dense form, or none that its Python part can call; they have NumPy references.
WITHOUT_FIXTURES = re.compile(
    r"_random_(?!pdf)|_sample_|_shuffle|IdentityAttachKLSparseReg|_scatter_set_nd|_square_sum|_zeros_without_dtype|"
    # recorded with the optimizers, since they need `out=` lists or sparse gradients: tests/optimizer
    # of these a real MXNet has no CPU form, or none that its Python part can call; NumPy references
    r"BatchNorm_v1|_contrib_backward_(hawkesll|index_copy|quadratic)|_contrib_count_sketch|_contrib_i?fft|"
    r"_contrib_quantized_elemwise_mul|_split_v2_backward|"
    # random, or read from files: tests/ops/test_image_*.py
    r"_image_random_color_jitter|_image_random_flip_|_cvimread|"
    # recorded as programs with sparse arrays: tests/ndarray/sparse
    r"cast_storage|_sparse_retain|_contrib_getnnz|_contrib_edge_id|_contrib_dgl_|"
    # recorded as programs with functions: tests/symbol
    r"_foreach|_while_loop|_cond|Custom|"
    r"(_|preloaded_)?multi_(mp_)?[a-z]+(_mom)?_update|_sparse_adagrad|_contrib_group_adagrad|mp_lamb_update_phase2|"
    r"_npi_(bernoulli|choice|exponential|gamma|gumbel|logistic|multinomial|normal|pareto|powerd|rayleigh|uniform|weibull)|"
    # gradients of others, and steps of assignments to parts of an array: MXNet's Python part cannot call them alone
    r"_npi_backward_|_npi_hsplit_backward|_npi_boolean_mask_assign_"
)


# Inputs that MXNet requires and the contract leaves out: states, and the gradients that backward operators begin with.
UNLISTED_INPUTS = {
    # bodies are graphs of the node, not inputs
    **{name: ["data"] for name in ("_foreach", "_while_loop", "_cond")},
    "IdentityAttachKLSparseReg": ["data", "moving_avg"],
    "BatchNorm_v1": ["data", "gamma", "beta", "moving_mean", "moving_var"],
    "_contrib_backward_quadratic": ["ograd", "data"],
    "_contrib_backward_index_copy": ["ograd", "old_tensor", "index_vector", "new_tensor"],
    "_contrib_backward_hawkesll": ["ograd", "ograd_state", *CONTRACT["_contrib_hawkesll"]["inputs"]],
    "_split_v2_backward": ["ograds"],
    "_npi_hsplit_backward": ["ograds"],
    "_npi_backward_nan_to_num": ["ograd", "data"],
    "_npi_backward_ediff1d": ["ograd", *CONTRACT["_npi_ediff1d"]["inputs"]],
    "_npi_backward_polyval": ["ograd", *CONTRACT["_npi_polyval"]["inputs"]],
}
# Parameters that MXNet requires and the contract leaves out.
UNLISTED_PARAMS = {"_contrib_backward_quadratic", "_split_v2_backward", "_linalg_potrf", "_linalg_potri"}
UNLISTED_PARAMS |= {"_npi_norm", "_npi_hsplit_backward", "_npi_backward_ediff1d"}
UNLISTED_PARAMS |= {"_contrib_SparseEmbedding"}  # the contract says sparse_grad, MXNet takes deterministic
UNLISTED_PARAMS |= {"_npi_concatenate"}  # the contract says dim, MXNet takes axis


def test_every_operator_of_the_contract_is_declared():
    declared = {name for name, _ in registry.names()}
    assert {name for name in CONTRACT if name not in declared} == MISSING


def test_every_declared_operator_is_in_the_contract():
    assert [name for name, _ in OPERATORS if name not in CONTRACT and name not in OWN] == []


@pytest.mark.parametrize("operator", [operator for _, operator in OPERATORS], ids=repr)
def test_declaration_agrees_with_the_contract(operator: Operator):
    if operator.name in OWN:
        pytest.skip("an operator of our own")
    contract = CONTRACT[operator.name]
    assert sorted(operator.aliases) == sorted(contract["aliases"])
    assert list(operator.inputs) == UNLISTED_INPUTS.get(operator.name, contract["inputs"])
    if operator.name in UNLISTED_PARAMS:
        return
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
        # None as a context is the one in force, which the contract calls cpu.
        unset = ("", "None", "cpu") if name == "ctx" else ("", "None")
        assert str(declared) == written or (declared is None and written in unset), name


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


CHECKED = [operator for _, operator in OPERATORS if not operator.free_params]


@pytest.mark.parametrize("operator", [each for each in CHECKED if each.params or each.variadic], ids=repr)
def test_unknown_parameters_are_refused(operator: Operator):
    with pytest.raises(OpParamError, match=rf"\[{operator.name}\] received an unknown parameter 'no_such'"):
        operator.parse({"no_such": 1})


@pytest.mark.parametrize("operator", [each for each in CHECKED if not each.params and not each.variadic], ids=repr)
def test_without_parameters_none_is_read(operator: Operator):
    """GluonTS multiplies with broadcast_mul(..., axis=...), and MXNet's own files hold such attributes."""
    assert operator.parse({"no_such": 1}) == {}
    with pytest.raises(OpParamError, match=rf"\[{operator.name}\] received an unknown parameter 'no_such'"):
        operator.parse({"no_such": mx.nd.ones((1,))})


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


@pytest.mark.parametrize("name", sorted(registry.ABSENT))
def test_what_is_not_there_says_what_to_do_instead(name: str):
    with pytest.raises(mx.MXNetError, match=rf"\[{name}\] there is no such operator here: .*(Use|Write)"):
        registry.find(name)
    for functions in (mx.nd._internal, mx.sym._internal):
        with pytest.raises(mx.MXNetError, match="there is no such operator here"):
            getattr(functions, name)(1)
