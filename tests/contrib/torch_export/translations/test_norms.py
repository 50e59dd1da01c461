"""Normalizations, with and without factors."""

import pytest
import torch
from torch import nn

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, decomposed, exported, randn, used


def stirred(layer: nn.Module) -> nn.Module:
    for seed, value in enumerate(layer.parameters()):
        value.data = randn(*value.shape, seed=seed) + 1
    return layer


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.BatchNorm2d(4), (2, 4, 5, 5)),
        (nn.BatchNorm2d(4, eps=1e-3, affine=False), (2, 4, 5, 5)),
        (nn.BatchNorm1d(4), (3, 4)),
        (nn.BatchNorm1d(4), (3, 4, 5)),
        (nn.BatchNorm3d(4), (2, 4, 3, 3, 3)),
        (nn.InstanceNorm2d(4), (2, 4, 5, 5)),
        (nn.InstanceNorm2d(4, affine=True), (2, 4, 5, 5)),
        (nn.InstanceNorm1d(4, affine=True), (2, 4, 9)),
        (nn.InstanceNorm2d(4, affine=True, track_running_stats=True), (2, 4, 5, 5)),
        (nn.GroupNorm(2, 6), (2, 6, 5, 5)),
        (nn.GroupNorm(3, 6, affine=False), (2, 6, 5, 5)),
        (nn.GroupNorm(2, 6), (2, 6, 7)),
        (nn.LayerNorm(5), (2, 3, 5)),
        (nn.LayerNorm(5, elementwise_affine=False), (2, 3, 5)),
        (nn.LayerNorm(5, bias=False), (2, 3, 5)),
        (nn.LayerNorm((3, 5), eps=1e-3), (2, 3, 5)),
        (nn.RMSNorm(5), (2, 3, 5)),
    ],
    ids=str,
)
def test_norms(layer, shape):
    check(stirred(layer), randn(*shape))


def test_names_are_those_of_mxnet():
    net = nn.Sequential(nn.BatchNorm2d(4), nn.InstanceNorm2d(4, affine=True), nn.GroupNorm(2, 4), nn.LayerNorm(5))
    symbol, arguments, states = check(stirred(net), randn(2, 4, 5, 5))
    assert set(states) == {"0_moving_mean", "0_moving_var"}
    assert set(arguments) == {f"{place}_{kind}" for place in range(4) for kind in ("gamma", "beta")}
    assert used(symbol)[0] == "BatchNorm"


def test_momentum_is_that_of_the_old_value():
    symbol, _, _ = check(nn.BatchNorm2d(4, momentum=0.3), randn(2, 4, 5, 5))
    attributes = next(each for each in symbol.attr_dict().values() if "momentum" in each)
    assert float(attributes["momentum"]) == pytest.approx(0.7)
    assert attributes["fix_gamma"] == "False"


def test_decomposed_norms():
    net = stirred(nn.Sequential(nn.BatchNorm2d(4), nn.GroupNorm(2, 4), nn.LayerNorm(5)))
    program = decomposed(exported(net, randn(2, 4, 5, 5)))
    assert {"BatchNorm", "GroupNorm", "LayerNorm"} <= set(used(from_exported_program(program)[0]))


def test_training_is_refused():
    layer = nn.BatchNorm2d(4).train()
    program = torch.export.export(layer, (randn(2, 4, 5, 5),))
    with pytest.raises(UnsupportedProgram, match=r"(?s)changes running_mean.*statistics of the batch.*module.eval\(\)"):
        from_exported_program(program)
