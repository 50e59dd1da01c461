"""Products of matrices in C++."""

from typing import Any

import pytest
import torch

from regluon.kernels import dense as products

_SIZES = [
    *((1, 1, 1), (5, 0, 3), (0, 4, 2), (6, 16, 16), (7, 9, 17), (13, 40, 8), (64, 784, 256), (100, 33, 130)),
    (97, 1500, 530),  # more than one block in each direction
]


def _matrix(rows: int, columns: int, is_turned: bool, seed: int) -> torch.Tensor:
    shape = (columns, rows) if is_turned else (rows, columns)
    found = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    return found.t() if is_turned else found


@pytest.mark.parametrize("right_is_turned", [False, True])
@pytest.mark.parametrize("left_is_turned", [False, True])
@pytest.mark.parametrize("size", _SIZES)
def test_a_product(native: Any, size: tuple[int, int, int], left_is_turned: bool, right_is_turned: bool) -> None:
    rows, depth, columns = size
    left, right = _matrix(rows, depth, left_is_turned, 1), _matrix(depth, columns, right_is_turned, 2)
    expected = (left.double() @ right.double()).float()
    torch.testing.assert_close(native.product(left, right), expected, rtol=1e-5, atol=1e-4)


def test_a_part_of_a_matrix(native: Any) -> None:
    left, right = torch.randn(20, 30)[3:17, 5:25], torch.randn(40, 50)[7:27, 9:40]
    torch.testing.assert_close(native.product(left, right), left @ right, rtol=1e-5, atol=1e-4)


def test_what_is_no_number_stays_so(native: Any) -> None:
    left = torch.zeros(7, 5)
    left[3, 2] = float("nan")
    found = native.product(left, torch.ones(5, 20))
    assert found[3].isnan().all()
    assert not found[[0, 1, 2, 4, 5, 6]].isnan().any()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_number_of_threads_does_not_matter(native: Any, threads: int) -> None:
    left, right = torch.randn(130, 90), torch.randn(90, 70)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        found = native.product(left, right)
    finally:
        torch.set_num_threads(before)
    torch.testing.assert_close(found, left @ right, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        (torch.zeros(2, 3), torch.zeros(2, 3), "expected matrices that can be multiplied"),
        (torch.zeros(2, 3, dtype=torch.float64), torch.zeros(3, 3), "expected float32 of 2 dimensions"),
        (torch.zeros(2, 3), torch.zeros(3), "expected float32 of 2 dimensions"),
        (torch.zeros(4, 6)[:, ::2], torch.zeros(3, 3), "rows or columns in one piece"),
    ],
)
def test_refuses(native: Any, left: torch.Tensor, right: torch.Tensor, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        native.product(left, right)


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("size", [(1, 1, 1), (5, 3, 7), (6, 8, 16), (13, 64, 33), (128, 64, 128)])
def test_heads(native: Any, size: tuple[int, int, int], turned: tuple[bool, bool]) -> None:
    rows, depth, columns = size
    batch, heads = 2, 3

    def drawn(height: int, width: int, is_turned: bool) -> torch.Tensor:
        """As the heads of an attention layer lie: side by side in a row."""
        if is_turned:
            return drawn(width, height, False).mT
        return torch.randn(batch, height, heads, width).transpose(1, 2)

    left, right = drawn(rows, depth, turned[0]), drawn(depth, columns, turned[1])
    out = torch.empty(batch, rows, heads, columns).transpose(1, 2)
    native.head_products(left, right, out)
    torch.testing.assert_close(out, left @ right, rtol=1e-5, atol=1e-4)


def test_heads_that_do_not_fit(native: Any) -> None:
    with pytest.raises(RuntimeError, match="can be multiplied"):
        native.head_products(torch.zeros(1, 1, 2, 3), torch.zeros(1, 1, 2, 3), torch.zeros(1, 1, 2, 3))


@pytest.mark.parametrize("in_rows", [True, False])
@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize(("rows", "depth", "columns"), [(5, 4, 3), (300, 20, 300)])
def test_products_of_heads(
    native: Any, rows: int, depth: int, columns: int, way: int, in_rows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = []

    def run(work: Any, ways: Any, *args: Any) -> torch.Tensor:
        offered.append([name for name, _ in ways])
        return ways[way][1](*args)  # type: ignore[no-any-return]

    monkeypatch.setattr(products, "run_best", run)
    lhs = torch.randn(2, rows, 3, depth).transpose(1, 2)  # as the heads of a layer lie in memory
    rhs = torch.randn(2, 3, columns, depth).mT
    found = products.head_products(lhs, rhs, in_rows)
    torch.testing.assert_close(found, lhs @ rhs, rtol=1e-5, atol=1e-5)
    assert (found.transpose(1, 2) if in_rows else found).is_contiguous()
    assert offered == [["native", "torch"] if rows == 5 else ["torch", "native"]]
