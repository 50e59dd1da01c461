"""Pieces of data, and data put together."""

import pytest
import torch

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[:, 1:3],
        lambda x: x[:, -2:],
        lambda x: x[:, :-1],
        lambda x: x[:, ::2],
        lambda x: x[:, 1:5:2, 1:],
        lambda x: x[..., 0],
        lambda x: x[:, -1],
        lambda x: x[:, 2].unsqueeze(1),
        lambda x: x.narrow(1, 1, 2),
        lambda x: torch.cat([x, x * 2], 1),
        lambda x: torch.cat([x, x[:, :1]], -2),
        lambda x: torch.cat([x]),
        lambda x: torch.cat([x.round().long(), x], 1),
        lambda x: torch.stack([x, x * 2]),
        lambda x: torch.stack([x, x * 2], -1),
        lambda x: x.split(2, 1),
        lambda x: x.split(4, 1),
        lambda x: x.split([1, 2, 3], 1),
        lambda x: x.chunk(3, 1),
        lambda x: x.chunk(1, 1),
        lambda x: x.tensor_split(3, 1),
        lambda x: x.unbind(1),
        lambda x: x[:, :1].unbind(1),
        lambda x: x.roll(2, 1),
        lambda x: x.roll((1, -1), (1, 2)),
    ],
)
def test_pieces(function):
    check(function, randn(2, 6, 4), other_batch="stack" not in function.__code__.co_names)


def test_pieces_of_the_batch():
    check(lambda x: (x[0], x[1:], x[-1]), randn(3, 4), other_batch=False)
    check(lambda x: x[0, 1], randn(3, 4), other_batch=False)


def test_rolling_all_axes_is_refused():
    with pytest.raises(UnsupportedProgram, match="rolls all axes as one; give dims"):
        from_exported_program(exported(lambda x: torch.ops.aten.roll(x, [1]), randn(2, 3)))
