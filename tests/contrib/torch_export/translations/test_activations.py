"""Functions after layers."""

import pytest
import torch
from torch import nn

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn


@pytest.mark.parametrize(
    "layer",
    [
        *(nn.ReLU(), nn.ReLU(inplace=True), nn.ReLU6(), nn.Sigmoid(), nn.Tanh(), nn.GELU(), nn.GELU("tanh")),
        *(nn.SiLU(), nn.Mish(), nn.LeakyReLU(0.1), nn.ELU(0.7), nn.SELU(), nn.Hardtanh(-0.5, 0.25)),
        *(nn.Hardsigmoid(), nn.Hardswish(), nn.Softplus(), nn.Softplus(beta=2), nn.GLU(1), nn.CELU(0.8)),
        *(nn.Softmax(1), nn.Softmax(-1), nn.LogSoftmax(1), nn.Dropout(0.5), nn.Softsign(), nn.Softmin(1)),
        *(nn.PReLU(4), nn.PReLU(), nn.LogSigmoid(), nn.Tanhshrink(), nn.Threshold(0.1, 0.5)),
    ],
    ids=str,
)
@pytest.mark.sample(one_in=4)
def test_activations(layer):
    check(layer, randn(2, 4, 3) * 3)


@pytest.mark.parametrize(
    ("layer", "operators"),
    [
        (nn.ReLU(inplace=True), "Activation"),
        (nn.GELU(), "LeakyReLU"),
        (nn.ReLU6(), "clip"),
        (nn.Softmax(-1), "softmax"),
        (nn.Hardswish(), "hard_sigmoid,elemwise_mul"),
    ],
    ids=str,
)
def test_operators(layer, operators):
    check(layer, randn(2, 4), operators=operators)


def test_softmax_of_another_dtype():
    check(lambda x: torch.softmax(x, -1, dtype=torch.float64), randn(2, 4))


def test_dropout_in_training_is_refused():
    program = torch.export.export(nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).train(), (randn(2, 3),))
    with pytest.raises(UnsupportedProgram, match=r"drops elements, as in training; export after module.eval\(\)"):
        from_exported_program(program)


def test_scaled_elu_is_refused():
    with pytest.raises(UnsupportedProgram, match=r"scale=2 and input_scale=3 have no counterpart"):
        from_exported_program(exported(lambda x: torch.ops.aten.elu(x, 1, 2, 3), randn(2, 3)))
