"""Suppression of boxes in C++ against the same by torch's calls."""

import numpy as np
import pytest
import torch

from regluon.ops.detection import suppression


@pytest.mark.parametrize("inclusive", [False, True])
@pytest.mark.parametrize("border", [0.0, 1.0])
@pytest.mark.parametrize(("count", "groups", "limit"), [(1, 1, None), (400, 9, None), (3000, 40, None), (700, 0, 17)])
def test_keeps_what_torch_keeps(native, inclusive, border, count, groups, limit, monkeypatch):
    state = np.random.RandomState(count)
    # Whole pixels on a coarse grid: many overlaps are equal to the threshold.
    low = state.randint(0, 12, (count, 2))
    edges = torch.tensor(np.concatenate([low, low + state.randint(0, 9, (count, 2))], 1), dtype=torch.float32)
    edges[::50, 1] = torch.nan
    areas = (edges[:, 2] - edges[:, 0] + border) * (edges[:, 3] - edges[:, 1] + border)
    numbers = torch.tensor(np.sort(state.randint(0, groups, count))) if groups else None
    found = suppression.keep_best(edges, areas, 0.5, numbers, inclusive=inclusive, border=border, limit=limit)
    monkeypatch.setattr(suppression, "kernels", lambda: None)
    expected = suppression.keep_best(edges, areas, 0.5, numbers, inclusive=inclusive, border=border, limit=limit)
    assert torch.equal(found, expected)
    assert limit is None or found.sum() == limit


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_thresholds_at_the_ends(native, threshold):
    edges = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 2], [1, 1, 3, 3], [5, 5, 6, 6]])
    kept = suppression.keep_best(edges, (edges[:, 2:] - edges[:, :2]).prod(1), threshold)
    assert kept.tolist() == ([True, False, False, True] if threshold == 0 else [True] * 4)


def test_refusals(native):
    numbers = torch.zeros(5, 3)
    with pytest.raises(RuntimeError, match=r"boxes must be contiguous float32 of shape \(5, n\); received Double"):
        native.suppress(numbers.double(), None, 0.5, False, 0.0, -1)
    with pytest.raises(
        RuntimeError, match=r"groups must be contiguous int64 of shape \(3\); received Long of shape \[2\]"
    ):
        native.suppress(numbers, torch.zeros(2, dtype=torch.int64), 0.5, False, 0.0, -1)
