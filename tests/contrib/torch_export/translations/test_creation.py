"""New tensors and other dtypes."""

import pytest
import torch

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn, run, same


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + torch.arange(4),
        lambda x: x * torch.arange(1, 5, dtype=torch.float32),
        lambda x: x + torch.full((4,), 2.5) + torch.zeros(4) + torch.ones(3, 4),
        lambda x: torch.zeros_like(x) + 1,
        lambda x: torch.ones_like(x) * x,
        lambda x: torch.full_like(x, 3),
        lambda x: torch.cat([x, torch.zeros(x.shape[0], 1, 4)], 1),
        lambda x: torch.cat([x[:, 0], x.new_zeros(x.shape[0], 2)], 1),
        lambda x: x.double() + 1,
        lambda x: x.half().float(),
        lambda x: x.round().to(torch.int64),
        lambda x: x.bool(),
        lambda x: (x > 0).to(torch.int32),
        lambda x: (x > 0).float(),
        lambda x: x.to(torch.float32).type_as(x),
    ],
)
def test_creation(function):
    check(function, randn(2, 3, 4))


def test_lengths_that_vary():
    def made(x):
        count = x.shape[0]
        return x + torch.arange(count)[:, None], torch.zeros(count, 2), torch.full((3, count), 2.0), x.new_ones(count)

    program = exported(made, randn(2, 3), dynamic=({0: torch.export.Dim("batch")},))
    converted = from_exported_program(program)
    same(run(converted, randn(6, 3)), made(randn(6, 3)))


def test_random_numbers_are_refused():
    with pytest.raises(UnsupportedProgram, match=r"aten.rand.*draws random numbers; a graph in inference has none"):
        from_exported_program(exported(lambda x: x + torch.rand(3), randn(2, 3)))


def test_a_value_from_an_input_is_refused():
    with pytest.raises(UnsupportedProgram, match="bfloat16; export the module as float32"):
        from_exported_program(exported(lambda x: x.bfloat16() * 2, randn(2, 3)))
