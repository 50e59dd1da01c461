"""Functions of elements, with torch's rules of dtypes and broadcasting."""

import pytest
import torch

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn, used

UNARY = [
    *("abs", "neg", "sign", "ceil", "floor", "trunc", "round", "exp", "expm1", "sqrt", "square"),
    *("erf", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "atanh"),
    *("tanh", "reciprocal", "rsqrt", "log", "log2", "log10", "log1p", "acosh"),
]


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.sample(one_in=4)
def test_unary(name: str):
    shift = 1.0 if name == "acosh" else 0.01
    x = torch.rand(2, 5, generator=torch.Generator().manual_seed(1)) * 0.98 + shift
    check(getattr(torch, name), x)


@pytest.mark.parametrize("other", [(2, 3, 4), (4,), (3, 1), (1, 3, 4)], ids=str)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "minimum"])
def test_binary(name: str, other):
    layer = getattr(torch, name)
    y = randn(*other, seed=1) + 3
    if len(other) == 3 and other[0] == 2:
        check(layer, randn(2, 3, 4), y)
    else:
        check(lambda x: layer(x, y), randn(2, 3, 4))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + 2,
        lambda x: 2 - x,
        lambda x: x * 2.5 - 1,
        lambda x: 1 / (x * x + 1),
        lambda x: torch.add(x, x * x, alpha=3),
        lambda x: torch.sub(x, 2, alpha=3),
        lambda x: x**2 + x**3,
        lambda x: x.abs() ** 0.5 + (x.abs() + 1) ** -0.5,
        lambda x: 2**x,
        lambda x: (x.abs() + 1) ** x,
        lambda x: x * torch.tensor(2.5),
        lambda x: torch.remainder(x, 2),
        lambda x: torch.div(x, 0.3, rounding_mode="floor"),
        lambda x: torch.div(x, 0.3, rounding_mode="trunc"),
        lambda x: torch.addcmul(x, x, x, value=0.5),
        lambda x: torch.addcdiv(x, x, x * x + 1, value=0.5),
        lambda x: torch.lerp(x, x * x, 0.3),
        lambda x: x - x.mean(),
        lambda x: torch.rsub(x, 1),
    ],
)
def test_numbers(function):
    check(function, randn(2, 3), other_batch=False)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.clamp(-0.5, 0.5),
        lambda x: x.clamp(min=-0.5),
        lambda x: x.clamp(max=0.5),
        lambda x: torch.clamp_min(x, 0),
        lambda x: torch.clamp_max(x, 0),
        torch.nn.functional.relu6,
    ],
)
def test_limits(function):
    check(function, randn(2, 3))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x > y,
        lambda x, y: x.eq(y),
        lambda x, y: (x > 0) & (y > 0),
        lambda x, y: ~(x > 0) | (y <= 0.5),
        lambda x, y: torch.logical_xor(x > 0, y >= 0),
        lambda x, y: (x != 0).float() * (y < 1),
        lambda x, y: (x > y).sum(1),
        lambda x, y: torch.isnan(x / (y * 0)),
        lambda x, y: torch.logical_not(x.round() * y),
        lambda x, y: x + y > 0,
    ],
)
def test_comparisons(function):
    check(function, randn(2, 3), randn(2, 3, seed=1))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.float64])
def test_dtypes_are_promoted_as_torch_does(dtype):
    x = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=dtype)
    check(lambda x: (x + 1, x / 2, x * 2.5, x > 2, x == 2.5, x.float() + x), x)


def test_arrays_of_one_shape_are_added_as_mxnet_adds_them():
    symbol, _, _ = check(lambda x: x + x.relu(), randn(2, 3))
    assert used(symbol) == ["Activation", "elemwise_add"]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: torch.bitwise_and(x, x), r"bitwise_and.Tensor, once: it combines the bits of whole numbers"),
        (lambda x: ~x, "inverts the bits of whole numbers"),
        (lambda x: x // 2, "divides whole numbers; MXNet has no such division"),
        (lambda x: torch.rsub(x, 1, alpha=2), "alpha=2 has no counterpart"),
    ],
)
def test_refused(function, text: str):
    with pytest.raises(UnsupportedProgram, match=text):
        from_exported_program(exported(function, torch.tensor([1, 2])))
