"""Update operators: what fixtures cannot say. Those on many weights are in tests/optimizer/test_trajectories.py."""

import re

import numpy as np
import pytest
import torch

import regluon.runtime.invoke
from mxnet import nd
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from regluon.array.update import adamw_update, copy_arrays, fused_update, multi_lamb_update
from regluon.ops import registry
from regluon.ops.registry import Operator
from regluon.ops.updates.operators import operators
from regluon.ops.updates.rule import RULES, rule
from tests.ops.base import check_bad_input

ONES = [nd.ones((2,)) for _ in range(8)]


def fresh(count: int, value: float = 1.0) -> list[nd.NDArray]:
    return [nd.full((2,), value) for _ in range(count)]


def test_variadic_operators_name_their_states_by_position():
    def double(*data, num: int = 1):
        return data[0] * 1, [state * 2 for state in data[1::2]]

    operator = Operator("double", (), double, auxiliary=lambda count: tuple(range(1, count, 2)))
    assert operator.auxiliary_positions(5) == (1, 3)
    arrays = fresh(4)
    regluon.runtime.invoke.invoke(operator, arrays, {}, None, nd.NDArray)
    assert [array.asnumpy()[0] for array in arrays] == [1, 2, 1, 2]


def test_weights_change_only_through_out():
    weight, grad, mom = fresh(3)
    result = nd.sgd_mom_update(weight, grad, mom, lr=0.5, momentum=0.5)
    assert (result.asnumpy()[0], weight.asnumpy()[0], mom.asnumpy()[0]) == (1.0, 1.0, 0.0)
    assert nd.sgd_update(weight, grad, lr=0.5, out=weight) is weight
    assert weight.asnumpy()[0] == 0.5


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: nd.sgd_update(ONES[0], nd.ones((3,)), lr=0.1),
            OpShapeError,
            r"grad of shape \(2,\), as the weight, got",
        ),
        (lambda: nd.sgd_update(ONES[0], nd.ones((2,), dtype="float64"), lr=1), OpTypeError, "grad of float32, as the"),
        (lambda: nd.sgd_update(*ONES[:2]), OpParamError, "parameter lr is required"),
        (
            lambda: nd.mp_sgd_update(*ONES[:2], nd.ones((3,)), lr=1),
            OpShapeError,
            r"weight32 of shape \(2,\), got \(3,\)",
        ),
        (lambda: nd.multi_sgd_update(*ONES[:3], lrs=[1], wds=[0]), OpShapeError, "2 inputs for each of num_weights=1"),
        (lambda: nd.multi_sgd_update(*ONES[:2], lrs=[1, 2], wds=[0]), OpParamError, "lrs has 2 numbers; expected 1"),
        (
            lambda: nd.preloaded_multi_sgd_update(*ONES[:2], nd.ones((2,)), nd.ones((1,))),
            OpShapeError,
            "lrs of 1 elements, one for each weight",
        ),
        (lambda: nd.multi_lars(*[nd.ones((2,), dtype="float64")] * 4, eta=1, eps=0), OpTypeError, "rates of float32"),
        (lambda: nd.lamb_update_phase2(*ONES[:4], lr=1), OpShapeError, r"r1 of shape \(1,\), got \(2,\)"),
        (
            lambda: nd._internal._contrib_group_adagrad_update(*ONES[:3], lr=1),
            OpShapeError,
            "a weight of two or more axes",
        ),
        (
            lambda: nd._internal._contrib_group_adagrad_update(nd.ones((2, 3)), nd.ones((2, 3)), nd.ones((3, 1)), lr=1),
            OpShapeError,
            r"history of shape \(2, 1\), got \(3, 1\)",
        ),
    ],
)
def test_bad_input_is_refused(call, error, text):
    check_bad_input(call, match=text, error=error)


@pytest.mark.parametrize("factor", [0.0, float("nan"), float("inf")])
def test_adamw_skips_a_step_whose_scale_overflowed(factor: float):
    weight, grad, mean, var = fresh(4)
    adamw_update(weight, grad, mean, var, factor, lr=0.1, eta=1.0, wd=0.1, out=weight)
    assert [array.asnumpy().tolist() for array in (weight, mean, var)] == [[1, 1]] * 3


def test_adamw_leaves_the_gradient_alone():
    """MXNet's overwrites it with the scaled one."""
    weight, grad, mean, var = fresh(4)
    adamw_update(weight, grad, mean, var, nd.array([0.5]), lr=0.1, eta=1.0, out=weight)
    assert grad.asnumpy().tolist() == [1, 1]
    assert mean.asnumpy()[0] == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("params", "weight", "momentum"),
    [
        ({}, [0.87819427, -2.0227926, 0.6296487], [-0.031484954, -0.0091865733, 0.017037027]),
        (
            {"clip_gradient": 0.5, "rescale_grad": 2},
            [0.87819427, -2.1367552, 0.4017232],
            [-0.031484954, -0.055119447, -0.074828722],
        ),
    ],
)
def test_nag_adds_the_decay_of_the_new_weight_to_the_momentum(params, weight, momentum):
    """The numbers are those of MXNet 1.9.1, whose operator reads the weight again after it wrote it through `out`."""
    given = nd.array([1.0, -2.0, 0.5]), nd.array([0.5, 0.25, -1.0]), nd.array([0.1, 0.0, -0.2])
    for _ in range(2):
        nd.nag_mom_update(*given, lr=0.1, momentum=0.9, wd=0.1, out=given[0], **params)
    np.testing.assert_allclose(given[0].asnumpy(), weight, rtol=1e-6)
    np.testing.assert_allclose(given[2].asnumpy(), momentum, rtol=1e-6)


def test_nag_without_out_takes_the_same_step():
    """MXNet's momentum has the decay of the old weight then."""
    weight, grad, mom = nd.array([1.0]), nd.array([0.5]), nd.array([0.1])
    new = nd.nag_mom_update(weight, grad, mom, lr=0.1, momentum=0.5, wd=0.2)
    expected = 1.0 - 0.5 * 0.1 + 1.5 * (0.5 * 0.1 - 0.1 * (0.5 + 0.2 * 1.0))
    np.testing.assert_allclose(new.asnumpy(), [expected], rtol=1e-6)
    np.testing.assert_allclose(mom.asnumpy(), [0.5 * 0.1 - 0.1 * (0.5 + 0.2 * expected)], rtol=1e-6)


def test_mixed_lamb_takes_norms_of_the_float32_weights():
    """MXNet takes those of the rounded weights."""
    values, slopes = np.array([1.0004, -2.0007, 0.3], "float32"), np.array([0.5, 0.25, -1.0], "float32")
    copy, mean, var = nd.array(values), nd.zeros(3), nd.zeros(3)
    weight, grad = copy.astype("float16"), nd.array(slopes, dtype="float16")
    rates = {"learning_rates": (0.1,), "wds": (0.01,), "step_count": (1,)}
    nd._internal._multi_mp_lamb_update(weight, grad, mean, var, copy, **rates, num_tensors=1, out=[weight])
    direction = slopes / (np.abs(slopes) + 1e-6) + 0.01 * values
    expected = values - 0.1 * np.linalg.norm(values) / np.linalg.norm(direction) * direction
    np.testing.assert_allclose(copy.asnumpy(), expected, rtol=2e-6)
    np.testing.assert_array_equal(weight.asnumpy(), copy.asnumpy().astype("float16"))


def test_mixed_lamb_moves_the_copy():
    """MXNet's phase 2 on a CPU does not, so that its training stands still."""
    weight, direction, copy = nd.ones((2,), dtype="float16"), nd.ones((2,)), nd.ones((2,))
    norms = nd.array([2.0]), nd.array([4.0])
    nd.mp_lamb_update_phase2(weight, direction, *norms, copy, lr=0.5, out=weight)
    assert copy.asnumpy().tolist() == [0.75, 0.75]
    assert weight.asnumpy().tolist() == [0.75, 0.75]
    with pytest.raises(OpShapeError, match=r"weight32 of shape \(2,\), got \(3,\)"):
        nd.mp_lamb_update_phase2(weight, direction, *norms, nd.ones((3,)), lr=0.5)


def test_contrib_lamb_takes_lists():
    weights, grads, means, variances = (fresh(2) for _ in range(4))
    multi_lamb_update(weights, grads, means, variances, [1, 1], [0.1, 0.2], [0, 0], out=weights)
    assert [weight.asnumpy()[0] for weight in weights] == pytest.approx([0.9, 0.8])


def test_fused_updates_are_those_of_single_weights():
    rng = np.random.RandomState(0)
    values = [[rng.rand(*shape).astype("float32") for shape in ((3, 4), (5,), (1,))] for _ in range(4)]
    params = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8, "rescale_grad": 0.5}
    rates = {"lr": [0.1, 0.2, 0.1], "wd": [0.0, 0.1, 0.0]}
    together = [[nd.array(value) for value in column] for column in values]
    fused_update("adam", *together, **rates, **params)
    for i in range(3):
        single = [nd.array(column[i]) for column in values]
        nd.adam_update(*single, lr=rates["lr"][i], wd=rates["wd"][i], out=single[0], **params)
        for column, array in zip(together, single):
            np.testing.assert_allclose(column[i].asnumpy(), array.asnumpy(), rtol=1e-6)


def test_fused_updates_check_lengths_and_kinds():
    with pytest.raises(OpShapeError, match=r"\[sgd\] expected one grad for each of 2 weights, got 1"):
        fused_update("sgd", fresh(2), fresh(1), lr=[0.1, 0.1], wd=[0.0, 0.0])
    with pytest.raises(OpTypeError, match="expected weights of one dtype on one device"):
        fused_update("sgd", [*fresh(1), nd.ones((2,), dtype="float64")], fresh(2), lr=[1.0, 1.0], wd=[0.0, 0.0])


def test_copies_change_the_dtype():
    target = nd.zeros((2,), dtype="float16")
    copy_arrays([nd.full((2,), 0.5)], [target])
    assert target.asnumpy().tolist() == [0.5, 0.5]


def test_huge_rates_are_infinite_not_an_error():
    weight = nd.sgd_update(nd.zeros((2,)), nd.ones((2,)), lr=1e300)
    assert np.isneginf(weight.asnumpy()).all()


@pytest.mark.parametrize("clip", [-1.0, 0.2])
def test_fused_adam_scales_gradients_part_by_part(clip: float):
    """Weights larger than the buffer between small ones, and some that fill it together."""
    rng = np.random.RandomState(1)
    shapes = [(3, 5), (400, 400), (7,), (200, 200), (200, 200), (0,), (2, 2)]
    values = [[rng.rand(*shape).astype("float32") for shape in shapes] for _ in range(4)]
    arrays = [[nd.array(value) for value in column] for column in values]
    betas = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8}
    count = len(shapes)
    fused_update("adam", *arrays, lr=[0.1] * count, wd=[0.05] * count, rescale_grad=0.5, clip_gradient=clip, **betas)
    for i, (weight, grad, mean, var) in enumerate(zip(*values)):
        slope = 0.5 * grad + 0.05 * weight
        slope = slope if clip < 0 else slope.clip(-clip, clip)
        mean, var = 0.9 * mean + 0.1 * slope, 0.99 * var + 0.01 * slope**2
        np.testing.assert_allclose(arrays[0][i].asnumpy(), weight - 0.1 * mean / np.sqrt(var), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(arrays[2][i].asnumpy(), mean, rtol=1e-5)
        np.testing.assert_array_equal(arrays[1][i].asnumpy(), grad)


@pytest.mark.parametrize(
    ("rule", "states", "numbers"),
    [
        ("sgd", 0, {}),
        ("sgd_momentum", 1, {"momentum": 0.9}),
        ("adam", 2, {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_updates_count_as_writes(rule: str, states: int, numbers: dict[str, float], dtype: str, scale: float):
    """Compiled networks keep what depends on parameters alone until a parameter is written to."""
    arrays = [nd.ones((3,), dtype=dtype) for _ in range(2 + states)]
    before = [array._plain()._version for array in arrays]
    fused_update(rule, *([array] for array in arrays), lr=[0.1], wd=[0.0], rescale_grad=scale, **numbers)
    written = [array._plain()._version > version for array, version in zip(arrays, before, strict=True)]
    assert written == [True, False, *[True] * states]


FAMILIES = [operator for name, operator in registry.names() if name == operator.name and "_update" in name]


@pytest.mark.parametrize("operator", FAMILIES, ids=repr)
def test_arguments_are_documented(operator: registry.Operator):
    """Of operators that refer to another one instead, the reference must exist."""
    documented = re.findall(r"^    \*?(\w+):", operator.doc, re.MULTILINE)
    if documented:
        assert documented == [*operator.inputs, *operator.params]
    for name in re.findall(r"^`(\w+)` (?:in|of|with)", operator.doc.split("\n")[0]):
        assert registry.find(name)


def test_a_rule_declares_its_operators():
    """A rule and the forms it has are all that operators need."""
    states, forms = ("total",), ("", "mp_", "multi_", "preloaded_multi_mp_")

    def summed(weights, grads, totals, *, lr, wd, keep: float = 0.5):
        """Adds gradients to a total."""
        for weight, grad, total, rate in zip(weights, grads, totals, lr):
            total.mul_(keep).add_(grad)
            weight.sub_(total * rate)

    names = [f"_{form}summed_update" for form in forms]
    try:
        operators("_summed_update", forms=forms, docs={"total": "a sum.", "keep": "how much of it is kept."})(
            rule(*states)(summed)
        )
        assert [registry.find(name).inputs for name in names] == [
            ("weight", "grad", "total"),
            ("weight", "grad", "total", "weight32"),
            ("data",),
            ("data",),
        ]
        assert [list(registry.find(name).params) for name in names] == [
            ["lr", "wd", "keep"],
            ["lr", "wd", "keep"],
            ["lrs", "wds", "keep", "num_weights"],
            ["keep", "num_weights"],
        ]
        # 2 weights: weight, grad, total, weight32 of each, then lrs and wds; totals come before float32 weights.
        assert registry.find(names[3]).auxiliary_positions(10) == (2, 6, 3, 7)
        one = torch.ones(2)
        new, states_after = registry.find(names[0]).function(one, one * 2, one * 4, lr=0.25)
        assert (new.tolist(), [state.tolist() for state in states_after]) == ([0.0, 0.0], [[4.0, 4.0]])
        half = one.half()
        data = [half, half * 2, one * 4, one, half, half, one * 2, one, torch.tensor([0.25, 0.5]), torch.zeros(2)]
        new, states_after = registry.find(names[3]).function(*data, num_weights=2)
        assert [tensor.tolist() for tensor in new] == [[0.0, 0.0], [0.0, 0.0]]
        assert [state.tolist() for state in states_after] == [[4.0, 4.0], [2.0, 2.0], [0.0, 0.0], [0.0, 0.0]]
    finally:
        del RULES["summed"]
        for name in names:
            registry._operators.pop(name, None)
