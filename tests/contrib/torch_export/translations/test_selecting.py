"""Choices by a condition."""

import pytest
import torch

from tests.contrib.torch_export.support import check, randn

MASK = torch.tensor([True, False, True, False])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.where(x > 0, x, x * 2),
        lambda x: torch.where(x > 0, x, 0.0),
        lambda x: torch.where(x > 0, 1.0, x),
        lambda x: torch.where(x > 0, 1, 2),
        lambda x: torch.where(MASK, x, torch.zeros(1)),
        lambda x: x.masked_fill(MASK, -1e9).softmax(-1),
        lambda x: x.masked_fill(x > 0, 3),
        lambda x: x.masked_fill(x > 0, torch.tensor(3.0)),
        lambda x: x.tril(),
        lambda x: x.triu(1),
        lambda x: x + torch.full((4, 4), float("-inf")).triu(1).exp(),
    ],
)
def test_selecting(function):
    check(function, randn(2, 4, 4))


def test_masks_are_numbers():
    check(lambda x, m: torch.where(m, x, -x), randn(2, 3), torch.tensor([[True, False, True]] * 2))
