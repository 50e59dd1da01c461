"""Products of matrices by the quickest kernel there is."""

from typing import Any

import pytest
import torch
from torch.nn.functional import linear

from regluon.kernels import dense as products
from regluon.native import kernels


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The work that was offered to a choice; the last way is taken."""
    found: list[tuple[Any, ...]] = []

    def run(work: Any, ways: Any, *args: Any) -> Any:
        found.append(work)
        return ways[-1][1](*args)

    class Ours:
        class product:
            default = staticmethod(torch.mm)

        class dense:
            @staticmethod
            def default(x: Any, weight: Any, bias: Any, is_activated: bool) -> torch.Tensor:
                result = linear(x, weight, bias)
                return result.relu() if is_activated else result

    monkeypatch.setattr(products, "run_best", run)
    monkeypatch.setattr(products, "kernels", lambda: Ours)
    return found


def test_a_product_is_chosen_by_sizes_and_order(chosen: list[tuple[Any, ...]]) -> None:
    lhs, rhs = torch.randn(3, 4), torch.randn(5, 4)
    torch.testing.assert_close(products.product(lhs, rhs.t()), lhs @ rhs.t())
    assert chosen == [("product", 3, 4, 5, True, False)]


@pytest.mark.parametrize(
    "lhs", [torch.randn(3, 4, dtype=torch.float64), torch.randn(6, 8)[::2, ::2], torch.randn(0, 4)]
)
def test_what_our_kernels_do_not_take_goes_to_torch(lhs: torch.Tensor, chosen: list[tuple[Any, ...]]) -> None:
    rhs = torch.randn(4, 5, dtype=lhs.dtype)
    torch.testing.assert_close(products.product(lhs, rhs), lhs @ rhs)
    assert not chosen


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("is_activated", [True, False])
def test_a_dense_layer(
    shape: tuple[int, ...], has_bias: bool, is_activated: bool, chosen: list[tuple[Any, ...]]
) -> None:
    data, weight, bias = torch.randn(shape), torch.randn(5, 4), torch.randn(5) if has_bias else None
    expected = linear(data, weight, bias)
    found = products.dense(data, weight, bias, is_activated)
    torch.testing.assert_close(found, expected.relu() if is_activated else expected)
    assert chosen == [("dense", *shape, 5, has_bias, is_activated)]


def test_without_kernels_torch_does_it() -> None:
    assert kernels() is None
    data, weight = torch.randn(3, 4), torch.randn(5, 4)
    torch.testing.assert_close(products.dense(data, weight, None, True), linear(data, weight).relu())
    torch.testing.assert_close(products.product(data, weight.t()), data @ weight.t())


def test_heads_that_our_kernels_do_not_take_go_to_torch(chosen: list[tuple[Any, ...]]) -> None:
    lhs, rhs = torch.randn(2, 3, 5, 4, dtype=torch.float64), torch.randn(2, 3, 4, 6, dtype=torch.float64)
    torch.testing.assert_close(products.head_products(lhs, rhs, True), lhs @ rhs)
    assert not chosen
