"""Sums, means and extremes."""

import pytest
import torch

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.mean(1),
        lambda x: x.mean((1, 2), keepdim=True),
        lambda x: x.mean((-1, -2)),
        lambda x: x.sum(-1, keepdim=True),
        lambda x: x.sum((1, 2)),
        lambda x: x.amax(1),
        lambda x: x.amin((1, 2), keepdim=True),
        lambda x: x.prod(1),
        lambda x: x.max(1),
        lambda x: x.min(1, keepdim=True),
        lambda x: x.argmax(1),
        lambda x: x.argmin(-1, keepdim=True),
        lambda x: x.var(1),
        lambda x: x.var((1, 2), unbiased=False, keepdim=True),
        lambda x: x.var(1, correction=2),
        lambda x: x.std(-1),
        lambda x: torch.var_mean(x, 1),
        lambda x: torch.nn.functional.normalize(x, dim=1),
        lambda x: x.norm(dim=1),
        lambda x: torch.linalg.vector_norm(x, 1, dim=1),
        lambda x: x.cumsum(1),
        lambda x: x.topk(2, dim=1),
        lambda x: x.topk(2, largest=False),
        lambda x: (x > 0).any(1),
        lambda x: (x > 0).all(1, keepdim=True),
        lambda x: x.logsumexp(1),
        lambda x: (x > 0).sum(1),
        lambda x: (x > 0).float().mean(1),
    ],
)
@pytest.mark.sample(one_in=4)
def test_axes(function):
    check(function, randn(2, 6, 4))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.mean(),
        lambda x: x.sum(),
        lambda x: x.max(),
        lambda x: x.min(),
        lambda x: x.argmax(),
        lambda x: x.std(),
        lambda x: (x > 0).any(),
        lambda x: x / x.max(),
        lambda x: x.sum(0),
        lambda x: x.mean() + x.min(),
    ],
)
def test_everything(function):
    check(function, randn(2, 6, 4), other_batch=False)


def test_other_norms_are_refused():
    with pytest.raises(UnsupportedProgram, match=r"linalg_vector_norm.*ord=3; MXNet's norm has the orders 1 and 2"):
        from_exported_program(exported(lambda x: torch.linalg.vector_norm(x, 3, dim=1), randn(2, 6)))
