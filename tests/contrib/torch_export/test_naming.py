"""Names of parameters and layers."""

import torch
from torch import nn

from regluon.convert.torch_export import from_exported_program
from tests.contrib.torch_export.support import exported, randn


def test_names_are_unique():
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a_b = nn.Linear(4, 4)
            self.a = nn.ModuleDict({"b": nn.Linear(4, 4)})
            self.x = nn.Parameter(torch.ones(4))

        def forward(self, x):
            return self.a_b(self.a["b"](x)) * self.x

    symbol, arguments, _ = from_exported_program(exported(Net(), randn(2, 4)))
    assert set(arguments) == {"a_b_weight", "a_b_bias", "a_b_weight_1", "a_b_bias_1", "x_1"}
    names = [*symbol.list_arguments(), *(each.name for each in symbol.get_internals())]
    assert symbol.list_arguments().count("x") == 1
    operators = [name for name in names if name not in symbol.list_arguments()]
    assert len(operators) == len(set(operators))


def test_names_of_operators_come_from_the_program():
    symbol, _, _ = from_exported_program(exported(nn.Sequential(nn.Linear(4, 4), nn.SiLU()), randn(2, 4)))
    assert symbol.get_internals().list_outputs() == [
        *("input", "0_weight", "0_bias", "0_output", "silu_sigmoid0_output", "silu_output")
    ]


def test_the_same_program_gives_the_same_graph():
    program = exported(nn.Sequential(nn.Linear(4, 4), nn.SiLU()), randn(2, 4))
    assert from_exported_program(program)[0].tojson() == from_exported_program(program)[0].tojson()
