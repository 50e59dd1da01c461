"""Elements by index."""

import pytest
import torch

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn

ORDER = torch.tensor([3, 0, 5])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.index_select(1, ORDER),
        lambda x: x[:, ORDER],
        lambda x: x[:, ORDER - 4],
        lambda x: x[:, ORDER[:, None] - torch.arange(2)],
        lambda x: x[:, :, torch.tensor([1, 0])],
        lambda x: torch.nn.functional.one_hot(x[..., 0].round().long().clamp(0, 3), 4),
    ],
)
def test_indexing(function):
    check(function, randn(2, 6, 4))


def test_gather():
    x, places = randn(2, 6, 4), torch.tensor([[0, 5, 2], [1, 1, 4]])
    check(lambda x, i: x.gather(1, i[:, :, None].expand(-1, -1, 4)), x, places)
    check(lambda x, i: x[..., 0].gather(1, i[:, :1]), x, places)
    check(lambda x, i: x[..., 0].gather(1, i), x, places)


def test_one_row_of_each_example():
    check(lambda x, i: x[torch.arange(x.shape[0]), i], randn(2, 6, 4), torch.tensor([0, 1]), other_batch=False)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: x[x > 0], "."),
        (lambda x: x[:, ORDER, ORDER * 0], "several indices of different shapes, or not for the first axes"),
        (lambda x: x.gather(1, ORDER[None, :, None]), "its index has other lengths than the data besides the axis"),
    ],
)
def test_refused(function, text: str):
    with pytest.raises(UnsupportedProgram, match=text):
        from_exported_program(exported(function, randn(2, 6, 4)))
