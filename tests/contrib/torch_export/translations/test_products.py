"""Products of matrices."""

import pytest
import torch

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn, used


class Factor(torch.nn.Module):
    """A product with a parameter."""

    def __init__(self, *shape: int, turned: bool = False) -> None:
        super().__init__()
        self.factor, self.turned = torch.nn.Parameter(randn(*shape)), turned
        self.shift = torch.nn.Parameter(randn(shape[0] if turned else shape[-1]))

    def forward(self, x):
        return torch.addmm(self.shift, x, self.factor.t()) if self.turned else x @ self.factor


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((2, 3), (3, 4)),
        ((2, 5, 3), (3, 4)),
        ((2, 5, 3), (3,)),
        ((2, 5, 3), (5, 3, 4)[1:]),
        ((2, 6, 5, 3), (6, 3, 4)),
        ((2, 6, 5, 3), (1, 3, 4)),
    ],
    ids=str,
)
def test_matmul(left, right):
    check(Factor(*right), randn(*left))


@pytest.mark.parametrize(
    ("function", "left", "right"),
    [
        (torch.bmm, (2, 5, 3), (2, 3, 4)),
        (torch.matmul, (2, 5, 3), (2, 3, 4)),
        (torch.matmul, (2, 6, 5, 3), (2, 6, 3, 4)),
        (torch.matmul, (2, 1, 5, 3), (2, 6, 3, 4)),
        (lambda x, y: torch.baddbmm(x @ y, x, y, beta=0.5, alpha=2), (2, 5, 3), (2, 3, 4)),
        (lambda x, y: torch.einsum("bij,bjk->bki", x, y), (2, 5, 3), (2, 3, 4)),
    ],
)
def test_of_inputs(function, left, right):
    check(function, randn(*left), randn(*right, seed=1))


def test_mm_and_its_relatives():
    y, v = randn(3, 4, seed=1), randn(3, seed=2)
    check(lambda x: (torch.mm(x, y), torch.mv(x, v), torch.addmm(y[0], x, y, beta=0.5, alpha=2)), randn(2, 3))


def test_a_transposed_weight_makes_a_layer():
    symbol, _, _ = check(Factor(4, 3, turned=True), randn(2, 3))
    assert used(symbol)[-1] == "FullyConnected"


def test_a_vector_with_several_matrices_is_refused():
    with pytest.raises(UnsupportedProgram, match="multiplies a vector with several matrices"):
        from_exported_program(exported(torch.matmul, randn(3), randn(2, 3, 4)))
