"""Every kernel of a fused convolution computes the same."""

import numpy as np
import pytest
import torch

from regluon.kernels import prepacked_convolution as fused
from regluon.kernels.tuning import _TURNS, tuner

pytestmark = pytest.mark.skipif(not fused.is_available(), reason="this build of torch has no oneDNN")

CASES = {  # kernel, stride, pad, groups
    "one by one": (1, (1, 1), (0, 0), 1),
    "one by one, strides": (1, (2, 1), (0, 0), 1),
    "three by three": (3, (1, 1), (1, 1), 1),
    "strides": (3, (2, 2), (1, 1), 1),
    "groups": (3, (1, 1), (1, 1), 16),
}


@pytest.fixture(autouse=True)
def _fresh(monkeypatch, tmp_path):
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    monkeypatch.setenv("MXNET_AUTOTUNE", "1")
    tuner.forget()
    yield
    tuner.forget()


def _made(case, unary="none", limits=()):
    side, stride, pad, groups = CASES[case]
    generator = torch.Generator().manual_seed(3)
    data = torch.randn(2, 16, 9, 8, generator=generator)
    weight = torch.randn(16, 16 // groups, side, side, generator=generator)
    bias = torch.randn(16, generator=generator)
    form = fused.Form(stride, (1, 1), pad, groups, unary, limits, tuple(data.shape))
    return data, weight, bias, form


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("unary", "limits"), [("none", ()), ("relu", ()), ("hardtanh", (-0.5, 2.0))])
@pytest.mark.parametrize(("with_bias", "with_addend"), [(True, True), (True, False), (False, True), (False, False)])
def test_kernels_agree(case, unary, limits, with_bias, with_addend):
    data, weight, bias, form = _made(case, unary, limits)
    expected = torch.conv2d(data, weight, bias if with_bias else None, form.stride, form.pad, 1, form.groups)
    addend = torch.randn_like(expected) if with_addend else None
    expected = form.activated(expected if addend is None else expected + addend)
    names = fused._fitting(weight, form)
    assert names[0] == "packed"
    for name in names:
        found = fused._MAKERS[name](weight, form)(data, bias if with_bias else None, addend)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_the_quickest_kernel_is_found_and_the_rest_dropped():
    data, weight, bias, form = _made("three by three")
    filters = fused.Filters(weight, form, True)
    expected = torch.conv2d(data, weight, bias, padding=1).numpy()
    for _ in range(2 * _TURNS + 1):
        np.testing.assert_allclose(filters.kernel(data, bias, None).numpy(), expected, rtol=1e-4, atol=1e-4)
    assert filters.kernel != filters._trying
    assert not filters._made
    assert filters._weight.numel() == 0


def test_a_known_kernel_is_taken_at_once_and_the_weight_let_go_of():
    data, weight, bias, form = _made("one by one")
    first = fused.Filters(weight, form, True)
    for _ in range(3 * 2 * _TURNS + 1):
        first.kernel(data, bias, None)
    assert first.kernel != first._trying
    again = fused.Filters(weight, form, True)
    assert again.kernel.__qualname__ == first.kernel.__qualname__
    assert again._weight.numel() == 0
    adding = fused.Filters(weight, form._replace(adds=True), True)
    assert adding.kernel == adding._trying  # other work


def test_fixed_kernels_are_the_usual_ones():
    _, weight, _, form = _made("three by three")
    filters = fused.Filters(weight, form, False)
    assert filters.kernel.__qualname__.startswith("_packed.")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("is_tuned", [True, False])
def test_low_precision_is_not_packed(dtype, is_tuned):
    data, weight, bias, form = _made("three by three", "relu")
    expected = torch.conv2d(data, weight, bias, padding=1).add(1).relu()
    filters = fused.Filters(weight.to(dtype), form, is_tuned)
    found = filters.kernel(data.to(dtype), bias, torch.ones_like(expected, dtype=dtype))
    assert found.dtype is dtype
    torch.testing.assert_close(found.float(), expected, rtol=0.05, atol=0.3)
