"""Products of 8 bits: oneDNN's kernels and the plain way give what the definition says, to the level."""

from typing import Any

import pytest
import torch

from regluon.kernels import quantized
from regluon.kernels.quantized import Outcome, Window, convolution, dense

RNG = torch.Generator().manual_seed(0)


def _draw(low: int, high: int, *shape: int, dtype: torch.dtype = torch.int8) -> torch.Tensor:
    return torch.randint(low, high, shape, generator=RNG, dtype=dtype)


def _outcome(count: int, **options: Any) -> Outcome:
    factor = (torch.rand(count, generator=RNG) - 0.3) * 0.01
    offset = torch.randn(count, generator=RNG) * 10
    chosen = {"addend_factor": 0.4, "is_activated": False, "dtype": torch.int8, "bound": 100.0, **options}
    return Outcome(factor, offset, **chosen)


@pytest.fixture(params=["oneDNN", "plain"])
def _kernels(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "plain":
        monkeypatch.setattr(quantized, "has_8_bits", False)
    elif not quantized.is_available(torch.zeros(1)):
        pytest.skip("oneDNN has no exact int8 kernels here")


def _expected(sums: torch.Tensor, outcome: Outcome, addend: torch.Tensor | None) -> torch.Tensor:
    shape = (1, -1, *(1,) * (sums.dim() - 2))
    found = sums * outcome.factor.double().view(shape) + outcome.offset.double().view(shape)
    if addend is not None:
        found = found + addend.double() * outcome.addend_factor
    if outcome.is_activated:
        found = found.clamp(min=0)
    if outcome.dtype.is_floating_point:
        return found.clamp(-outcome.bound, outcome.bound)
    limits = torch.iinfo(outcome.dtype)
    return found.round().clamp(limits.min, limits.max)


def _check(found: torch.Tensor, expected: torch.Tensor, outcome: Outcome) -> None:
    assert found.dtype is outcome.dtype
    assert found.shape == expected.shape
    difference = (found.double() - expected).abs()
    if outcome.dtype.is_floating_point:
        assert difference.max() < 1e-3
        return
    assert difference.max() <= 1  # where a number lies between two levels
    assert difference.mean() < 0.01


FORMS = {
    "3x3": (Window((1, 1), (1, 1), (1, 1), 1), (6, 4, 3, 3)),
    "strides": (Window((2, 1), (0, 1), (1, 2), 1), (6, 4, 3, 3)),
    "groups": (Window((1, 1), (1, 1), (1, 1), 2), (6, 2, 3, 3)),
    "depthwise": (Window((2, 2), (1, 1), (1, 1), 4), (4, 1, 3, 3)),
}


@pytest.mark.usefixtures("_kernels")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("data", ["int8", "positive int8", "uint8"])
@pytest.mark.parametrize(
    "options", [{}, {"is_activated": True}, {"dtype": torch.uint8}, {"dtype": torch.float32, "bound": 20.0}]
)
def test_convolutions(form: str, data: str, options: dict[str, Any]) -> None:
    window, shape = FORMS[form]
    weight, outcome = _draw(-127, 128, *shape), _outcome(shape[0], **options)
    low, high = {"int8": (-128, 128), "positive int8": (0, 128), "uint8": (0, 256)}[data]
    levels = _draw(low, high, 2, 4, 8, 8, dtype=torch.uint8 if data == "uint8" else torch.int8)
    kernel = convolution(weight, window, outcome, 128 if data == "int8" else 0)
    sums = torch.conv2d(
        levels.double(), weight.double(), None, *(window.stride, window.pad, window.dilate, window.groups)
    )
    _check(kernel(levels, None), _expected(sums, outcome, None), outcome)


@pytest.mark.usefixtures("_kernels")
@pytest.mark.parametrize("is_activated", [False, True])
def test_sums_leave_what_is_added_as_it_is(is_activated: bool) -> None:
    weight, outcome = _draw(-127, 128, 4, 4, 3, 3), _outcome(4, is_activated=is_activated)
    levels, addend = _draw(-128, 128, 2, 4, 6, 6), _draw(-128, 128, 2, 4, 6, 6)
    before = addend.clone()
    found = convolution(weight, Window((1, 1), (1, 1), (1, 1), 1), outcome, 128)(levels, addend)
    sums = torch.conv2d(levels.double(), weight.double(), None, padding=1)
    _check(found, _expected(sums, outcome, addend), outcome)
    assert torch.equal(addend, before)


@pytest.mark.usefixtures("_kernels")
@pytest.mark.parametrize("dtype", [torch.int8, torch.float32])
def test_products(dtype: torch.dtype) -> None:
    weight, outcome = _draw(-127, 128, 5, 16), _outcome(5, dtype=dtype)
    for levels, zero_point in ((_draw(-128, 128, 3, 16), 128), (_draw(0, 256, 3, 16, dtype=torch.uint8), 0)):
        sums = levels.double() @ weight.double().t()
        _check(dense(weight, outcome, zero_point)(levels, None), _expected(sums, outcome, None), outcome)


def test_long_sums_are_exact() -> None:
    assert quantized.exact_dtype(100) is torch.float32
    assert quantized.exact_dtype(1000) is torch.float64


@pytest.mark.usefixtures("_kernels")
@pytest.mark.parametrize("sign", [1, -1])
def test_largest_products_do_not_saturate(sign: int) -> None:
    outcome = Outcome(torch.ones(16), torch.zeros(16), 0.0, False, torch.float32, float("inf"))
    weight = torch.full((16, 64), sign * 127, dtype=torch.int8)
    rows = torch.full((3, 64), 255, dtype=torch.uint8)
    assert (dense(weight, outcome, 0)(rows, None) == sign * 255 * 127 * 64).all()
    kernel = convolution(weight.view(16, 64, 1, 1), Window((1, 1), (0, 0), (1, 1), 1), outcome, 0)
    assert (kernel(rows.view(3, 64, 1, 1), None) == sign * 255 * 127 * 64).all()


def test_kernels_that_saturate_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    if not quantized.is_available(torch.zeros(1)):
        pytest.skip("oneDNN has no exact int8 kernels here")
    multiply = quantized.multiply_8_bits
    monkeypatch.setattr(quantized, "multiply_8_bits", lambda *args: multiply(*args).clamp(max=32767 * 32))
    quantized._has_exact_products.cache_clear()
    try:
        assert not quantized.is_available(torch.zeros(1))
    finally:
        quantized._has_exact_products.cache_clear()
