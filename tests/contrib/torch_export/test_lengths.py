"""Lengths at two sizes, and the codes of reshapes."""

import pytest
import torch

from regluon.convert.torch_export.batch_axis import DynamicSizes, reshape_codes
from tests.contrib.torch_export.support import exported, randn

B, T = (2, 5), (3, 7)


def lengths(*given):
    return tuple((each, each) if isinstance(each, int) else each for each in given)


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ((6, 4), (2, 12), (2, 12)),
        ((B, 6, 4), (B, 24), (0, 24)),
        ((B, 6, 4), (B, 3, 2, 4), (0, 3, 2, 4)),
        ((B, 6, 4), ((12, 30), 4), (-1, 4)),
        (((12, 30), 4), (B, 6, 4), (-1, 6, 4)),
        ((6, B, 4), (6, B, 2, 2), (6, 0, 2, 2)),
        ((B, T, 8), (B, T, 2, 4), (0, 0, 2, 4)),
        ((B, T, 2, 4), (B, T, 8), (0, 0, 8)),
        ((B, 2, T, 4), (B, T, 8), (0, -1, 8)),
        ((B, T, 8), ((6, 35), 8), (-1, 8)),
        ((B, 8, T), ((16, 40), T), (-3, 0)),
        (((16, 40), T), (B, 8, T), (-4, -1, 8, 0)),
        (((6, 35), 8), (B, T, 8), None),
        ((0, 4), (4, 0), None),
    ],
    ids=str,
)
def test_codes(before, after, codes):
    assert reshape_codes(lengths(*before), lengths(*after)) == codes


def test_dynamic_sizes():
    dims = {"inputs": ({0: torch.export.Dim("a"), 1: torch.export.Dim("b", min=9, max=20)},)}["inputs"]
    program = exported(lambda x: torch.cat([x, x], 1), randn(3, 10), dynamic=dims)
    sizes = DynamicSizes(program)
    assert sizes
    node = list(program.graph.nodes)[-2]
    (a, b) = sizes.lengths(node.meta["val"])
    assert a[0] != a[1]
    assert all(18 <= each <= 40 and each % 2 == 0 for each in b)


def test_fixed_programs_have_none():
    assert not DynamicSizes(exported(torch.relu, randn(3, 10)))
