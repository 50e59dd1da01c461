"""Other shapes and orders of axes, also with more examples than at export."""

import pytest
import torch

from tests.contrib.torch_export.support import check, randn, used


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.view(x.shape[0], -1),
        lambda x: x.reshape(-1, 4),
        lambda x: x.reshape(-1),
        lambda x: x.flatten(1),
        lambda x: x.flatten(1, 2),
        lambda x: x.flatten(),
        lambda x: x.unflatten(1, (3, 2)),
        lambda x: x.reshape(x.shape[0] * 3, 2, 4).reshape(x.shape[0], 3, 8),
        lambda x: x.permute(1, 0, 2).reshape(-1, 4).reshape(6, -1, 4).transpose(0, 1),
        lambda x: x.transpose(1, 2),
        lambda x: x.permute(0, 2, 1),
        lambda x: x.mT,
        lambda x: x.movedim(1, 2),
        lambda x: x.unsqueeze(1).unsqueeze(-1),
        lambda x: x[:, None].squeeze(1).unsqueeze(3).squeeze(),
        lambda x: x.unsqueeze(1).squeeze(0),
        lambda x: x[:, :, :1].expand(-1, -1, 3),
        lambda x: x[:, :1].expand_as(x),
        lambda x: torch.arange(4.0).expand(x.shape[0], 6, 4) + x,
        lambda x: torch.arange(4.0).expand_as(x) * x,
        lambda x: x.repeat(1, 2, 1),
        lambda x: x.tile(1, 1, 3),
        lambda x: x.repeat_interleave(2, dim=1),
        lambda x: x.flip(1),
        lambda x: x.contiguous().clone().detach() + 0,
        lambda x: torch.nn.functional.pixel_shuffle(x[:, :, :2].reshape(-1, 4, 3, 1), 2),
        lambda x: torch.nn.functional.pixel_unshuffle(x[:, None], 2),
    ],
)
def test_shapes(function):
    check(function, randn(2, 6, 4))


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_flatten_at_any_exported_batch(batch: int):
    symbol, _, _ = check(lambda x: x.flatten(1), randn(batch, 3, 4, 5))
    assert used(symbol) == ["Flatten"]


def test_reshapes_keep_the_batch_with_codes():
    symbol, _, _ = check(lambda x: x.view(x.shape[0], 3, 2, 4), randn(2, 6, 4))
    assert next(iter(symbol.attr_dict().values()))["shape"] == "(0, 3, 2, 4)"
    symbol, _, _ = check(lambda x: x.view(x.shape[0] * 6, 4), randn(2, 6, 4))
    assert next(iter(symbol.attr_dict().values()))["shape"] == "(-1, 4)"


def test_what_changes_nothing_leaves_no_operator():
    symbol, _, _ = check(lambda x: x.contiguous().clone().relu().view(x.shape[0], 6), randn(2, 6))
    assert used(symbol) == ["Activation"]


def test_transposed_matrices():
    check(lambda x: x.t(), randn(2, 3), other_batch=False)
    check(lambda x: x.T + 1, randn(2, 3), other_batch=False)
