"""Another batch size for programs of fixed shapes."""

import pytest
import torch

from regluon.convert.torch_export.batch_axis import other_batches
from regluon.convert.torch_export.program import prepare
from tests.contrib.torch_export.support import exported, randn


def at_twice(function, *inputs):
    prepared = prepare(exported(function, *inputs))
    found = next(other_batches(prepared.program, prepared.inputs), None)
    return None if found is None else tuple(length[1] for length in found[prepared.outputs[0]])


@pytest.mark.parametrize(
    ("function", "shape", "expected"),
    [
        (lambda x: x.view(2, -1), (2, 6, 4), (4, 24)),
        (lambda x: x.view(12, 4), (2, 6, 4), (24, 4)),
        (lambda x: x.permute(1, 0, 2).reshape(12, 4).reshape(6, 2, 4), (2, 6, 4), (6, 4, 4)),
        (lambda x: x.view(2, 2, 3, 4).permute(0, 2, 1, 3).reshape(6, 8), (2, 6, 4), (12, 8)),
        (lambda x: x.flatten(1), (1, 6, 4), (2, 24)),
        (lambda x: x.view(4, 6), (2, 12), (8, 6)),
        (lambda x: x + torch.zeros(2, 12), (2, 12), (4, 12)),
        (lambda x: torch.zeros(1, 12).expand(2, -1) + x, (2, 12), (4, 12)),
        (lambda x: x.sum(0), (2, 12), (12,)),
    ],
)
def test_the_batch_is_followed(function, shape, expected):
    assert at_twice(function, randn(*shape)) == expected


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.view(3, 8),  # examples are torn apart
        lambda x: x + torch.arange(2)[:, None],
        lambda x: torch.stack([each * 2 for each in x.unbind(0)]),  # one result for each example
    ],
)
def test_batches_that_stay(function):
    assert at_twice(function, randn(2, 12)) is None


def test_inputs_without_a_batch():
    assert at_twice(lambda x, table: x @ table, randn(2, 12), randn(12, 5)) == (4, 5)
    assert at_twice(lambda x, table: x @ table, randn(2, 2), randn(2, 5)) == (4, 5)
    assert at_twice(lambda x: x + 1, torch.tensor(1.0)) is None


def test_sizes_that_only_happen_to_equal_the_batch():
    prepared = prepare(exported(lambda x: torch.cat([x, torch.zeros(2, 2)], 1), randn(2, 3)))
    found = list(other_batches(prepared.program, prepared.inputs))
    assert [tuple(length[1] for length in each[prepared.outputs[0]]) for each in found] == [(4, 7), (4, 5)]
