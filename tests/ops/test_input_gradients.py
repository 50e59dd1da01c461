"""Inputs without a gradient: after `backward` their buffers hold what MXNet leaves there."""

import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from regluon.compiler import autodiff
from tests.ops.base import Fixture, Run, compiled, load_family, to_array
from tools.oracle import case as cases
from tools.oracle.record_input_gradients import FIXTURES, OUTCOMES, chosen_heads

_EARLIER = (7, 5)  # contents of the gradient buffers before each of two calls
_UNSPECIFIED = "?x-"  # MXNet leaves uninitialized memory, ends the process, or refuses the call


class Recorded(NamedTuple):
    """What MXNet leaves in the gradient buffers of one case: a character of OUTCOMES per input."""

    fixture: Fixture
    case: cases.Case
    alone: str
    together: str
    as_float: Sequence[int]

    @property
    def variables(self) -> list[int]:
        return [place for place, outcome in enumerate(self.alone) if outcome != "-"]


@functools.cache
def recorded(family: str) -> list[Recorded]:
    path = FIXTURES / f"{family}.json"
    facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    fixtures = {fixture.facts["index"]: fixture for fixture in load_family(family)}
    described = cases.load_family(family)
    return [
        Recorded(fixtures[n], described[n], each["alone"], each["together"], each.get("as_float", ()))
        for each in facts
        for n in [each["index"]]
    ]


_RECORDED = [each for path in sorted(FIXTURES.glob("*.json")) for each in recorded(Path(path).stem)]

# Operators that differ from MXNet, by the pair of its outcome and ours; docs/DIFFERENCES.md has the reasons.
_DIFFERENCES = {
    # MXNet has no gradient of these, or raises for some of their parameters.
    "!g": {
        *("Embedding", "SoftmaxActivation", "_contrib_ModulatedDeformableConvolution", "_contrib_RROIAlign"),
        *("_contrib_SparseEmbedding", "_contrib_backward_gradientmultiplier", "_contrib_hawkesll"),
        *("_contrib_quantized_act", "_crop_assign", "_crop_assign_scalar", "_grad_add", "_image_to_tensor", "_np_prod"),
        *("_npi_delete", "_npi_insert_scalar", "_npi_insert_slice", "_npi_insert_tensor", "_npi_pad"),
        *("_npi_slice_assign", "_npi_slice_assign_scalar", "_npi_solve", "_npi_tensorsolve", "_npi_where"),
        *("_npx_embedding", "_slice_assign", "_slice_assign_scalar", "batch_take", "fill_element_0index"),
        *("khatri_rao", "multi_lars", "multi_sum_sq", "softmax_cross_entropy"),
    },
    # Of operators without a gradient, of indices and of labels: zeros, whether or not other inputs have a gradient.
    "!0": {
        *("Embedding", "_contrib_RROIAlign", "_contrib_SparseEmbedding", "_contrib_quantized_batch_norm", "_histogram"),
        *("_np_max", "_np_min", "_npi_delete", "_npi_histogram", "_npi_insert_scalar", "_npi_insert_tensor"),
        *("_npi_share_memory", "_npi_take", "_npi_where", "_npx_embedding", "_onehot_encode", "argmax_channel"),
        *("batch_take", "fill_element_0index", "multi_lars", "softmax_cross_entropy", "take"),
    },
    # Running statistics, and inputs of operators whose other inputs have a gradient.
    "!k": {
        *("BatchNorm", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm", "_contrib_hawkesll"),
        *("_contrib_quantized_act", "_crop_assign"),
    },
    # MXNet does not write the gradient of a label or of an anchor, nor that of an input if the result is empty.
    "k0": {
        *("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput", "SVMOutput", "Softmax"),
        *("SoftmaxOutput", "_contrib_MultiBoxTarget", "_contrib_quantized_batch_norm"),
        *("_npi_add", "_npi_arctan2", "_npi_broadcast_to", "_npi_copysign", "_npi_diff", "_npi_hypot", "_npi_ldexp"),
        *("_npi_maximum", "_npi_minimum", "_npi_mod", "_npi_multiply", "_npi_polyval", "_npi_power", "_npi_subtract"),
        *("_npi_take", "_npi_tile", "_npi_true_divide", "_npi_where_lscalar", "_npi_where_rscalar"),
    },
    # MXNet writes these gradients only together with those of other inputs.
    "kg": {
        *("FullyConnected", "_contrib_interleaved_matmul_encdec_qk", "_contrib_interleaved_matmul_selfatt_valatt"),
        *("_npi_ediff1d", "_npi_polyval", "_npx_fully_connected"),
    },
    "0g": {
        *("RNN", "_contrib_hawkesll"),  # as above, but zeros
        *("_hypot", "_mod", "broadcast_hypot", "elemwise_div"),  # at infinity, and of integers
    },
    "g0": {"_power"},  # at 0
}
_REFUSED = {"_npi_bincount"}  # whose weights MXNet converts to those of integers


def outcomes(each: Recorded, variables: Sequence[int]) -> str:
    """Return what eager calls leave in the buffers of the variables."""
    left = []
    for earlier in _EARLIER:
        run = Run(each.fixture)
        for place in variables:
            if place in each.as_float:
                run.arrays[place] = run._convert(to_array(each.fixture.inputs[place].astype("float32")))
            attach(run.arrays[place], earlier)
        with autograd.record(train_mode=each.case.train):
            results = run.call()
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        chosen = chosen_heads(each.case, [np.dtype(result.dtype).kind for result in results])
        heads = [run._convert(head_gradient(each.case, i, results[i])) for i in chosen]
        try:
            autograd.backward([results[i] for i in chosen], heads, train_mode=each.case.train)
        except mx.MXNetError:
            return OUTCOMES["error"] * len(variables)
        left.append([run.arrays[place].grad.asnumpy() for place in variables])
    return "".join(outcome(*pair) for pair in zip(*left, strict=True))


def attach(array: Any, earlier: float) -> None:
    array.attach_grad()
    array.grad[:] = earlier


def head_gradient(case: cases.Case, place: int, like: Any) -> Any:
    return to_array(np.asarray(case.head_gradient(place, like.shape, np.dtype(like.dtype))))


def outcome(first: np.ndarray, second: np.ndarray) -> str:
    """Name the contents of a gradient buffer after two calls that began with different contents."""
    if first.size and all((left == earlier).all() for left, earlier in zip((first, second), _EARLIER, strict=True)):
        return OUTCOMES["kept"]
    if not np.array_equal(first, second, equal_nan=first.dtype.kind == "f"):
        return OUTCOMES["garbage"]
    return OUTCOMES["gradient"] if first.any() else OUTCOMES["zeros"]


def differences(each: Recorded) -> set[str]:
    """Return the pairs of MXNet's outcome and ours where they differ."""
    variables = each.variables
    ours = "".join(outcomes(each, [place]) for place in variables) + outcomes(each, variables)
    theirs = [recorded[place] for recorded in (each.alone, each.together) for place in variables]
    pairs = zip(theirs, ours, strict=True)
    return {before + after for before, after in pairs if before != after and before not in _UNSPECIFIED}


_PARAMETERS = [pytest.param(each, id=each.fixture.id) for each in _RECORDED if each.fixture.facts["op"] not in _REFUSED]


@pytest.mark.parametrize("each", _PARAMETERS)
@pytest.mark.sample(one_in=4, group=r"[^-]+$")
def test_buffers_hold_what_mxnet_leaves(each: Recorded) -> None:
    expected = {pair for pair, operators in _DIFFERENCES.items() if each.fixture.facts["op"] in operators}
    assert differences(each) <= expected, each.fixture.facts["call"]


@pytest.mark.parametrize(("pair", "op"), [(pair, op) for pair, ops in _DIFFERENCES.items() for op in sorted(ops)])
@pytest.mark.sample(one_in=4)
def test_listed_differences_exist(pair: str, op: str) -> None:
    assert any(pair in differences(each) for each in _RECORDED if each.fixture.facts["op"] == op)


# -- compiled graphs --------------------------------------------------------------------------------------------------


def _leaves_out_inputs(each: Recorded) -> bool:
    """Return whether parameters say that some of the given inputs are not used."""
    return len(compiled(each.fixture).inputs) != len(each.fixture.inputs)


_COMPILED = [
    pytest.param(each, id=each.fixture.id)
    for each in _RECORDED
    if not each.fixture.facts["named"]
    and not each.fixture.facts["numpy"]
    and set(each.alone) & set("0g")
    and not _leaves_out_inputs(each)
]


def compiled_outcomes(each: Recorded, run: Callable[..., list[np.ndarray]]) -> dict[int, str]:
    """Return what compiled graphs leave in the buffer of each input that has a gradient, or zeros, in MXNet."""
    found = {}
    for place in each.variables:
        if each.alone[place] not in "0g":
            continue
        values = list(each.fixture.inputs)
        if place in each.as_float:
            values[place] = values[place].astype("float32")
        found[place] = outcome(*[run(each, values, place, earlier) for earlier in _EARLIER])
    return found


def in_cached_op(each: Recorded, values: list[np.ndarray], place: int, earlier: float) -> np.ndarray:
    arrays = [to_array(value) for value in values]
    attach(arrays[place], earlier)
    op = compiled(each.fixture)
    with autograd.record(train_mode=each.case.train):
        results = op.run(arrays[: len(op.inputs)])
    chosen = chosen_heads(each.case, [np.dtype(result.dtype).kind for result in results])
    heads = [head_gradient(each.case, i, results[i]) for i in chosen]
    autograd.backward([results[i] for i in chosen], heads, train_mode=each.case.train)
    gradient: np.ndarray = arrays[place].grad.asnumpy()
    return gradient


def in_executor(each: Recorded, values: list[np.ndarray], place: int, earlier: float) -> np.ndarray:
    op = compiled(each.fixture)
    names = [node.name for node in op.inputs]
    arrays = dict(zip(names, [to_array(value) for value in values], strict=False))
    gradient = nd.full(values[place].shape, earlier, dtype=values[place].dtype)
    symbol = mx.sym.Group([mx.sym.Symbol((head,)) for head in op.heads])
    states = {name: arrays.pop(name) for name in symbol.list_auxiliary_states()}
    bound = symbol.bind(mx.cpu(), arrays, {names[place]: gradient}, {names[place]: "write"}, states)
    results = bound.forward(is_train=each.case.train)
    bound.backward([head_gradient(each.case, i, result) for i, result in enumerate(results)])
    left: np.ndarray = gradient.asnumpy()
    return left


@pytest.mark.parametrize("each", _COMPILED)
@pytest.mark.parametrize("is_worthwhile", [False, True], ids=["torch", "written out"])
@pytest.mark.sample(one_in=8, group=r"[^-]+$")
def test_cached_op(each: Recorded, is_worthwhile: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autodiff, "_LEAST_WORTH", -1000 if is_worthwhile else 1000)
    check_compiled(each, in_cached_op)


@pytest.mark.parametrize("each", _COMPILED)
@pytest.mark.sample(one_in=8, group=r"[^-]+$")
def test_executor(each: Recorded) -> None:
    check_compiled(each, in_executor)


def check_compiled(each: Recorded, run: Callable[..., list[np.ndarray]]) -> None:
    listed = {pair for pair, operators in _DIFFERENCES.items() if each.fixture.facts["op"] in operators}
    for place, ours in compiled_outcomes(each, run).items():
        assert ours == each.alone[place] or each.alone[place] + ours in listed, (each.fixture.facts["call"], place)
