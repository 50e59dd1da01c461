"""Borders."""

import pytest
from torch import nn
from torch.nn.functional import pad

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn


@pytest.mark.parametrize(
    ("shape", "arguments"),
    [
        ((2, 3, 4, 5), ((1, 2),)),
        ((2, 3, 4, 5), ((1, 2, 0, 3), "constant", 1.5)),
        ((2, 3, 4, 5), ((1, 2, 2, 1), "reflect")),
        ((2, 3, 4, 5), ((1, 2, 2, 1), "replicate")),
        ((2, 3, 4, 5), ((-1, 2, 2, -1),)),
        ((2, 3, 4, 5), ((-1, -1),)),
        ((2, 3, 4, 5), ((0, 0, 0, 0, 1, 1),)),
        ((2, 3, 4), ((1, 2),)),
        ((2, 3, 4), ((1, 2, 2, 0),)),
        ((2, 3, 4), ((1, 2), "reflect")),
        ((2, 3), ((1, 2),)),
        ((2, 3, 4, 5, 6), ((1, 1, 2, 2, 0, 1),)),
    ],
    ids=str,
)
def test_pad(shape, arguments):
    check(lambda x: pad(x, *arguments), randn(*shape))


@pytest.mark.parametrize("layer", [nn.ZeroPad2d(1), nn.ReflectionPad2d(2), nn.ReplicationPad2d(1)], ids=str)
def test_layers(layer):
    check(layer, randn(2, 3, 4, 5))


def test_around_is_refused():
    with pytest.raises(UnsupportedProgram, match="pads axis 0 of 4; MXNet's Pad reaches the last three at most"):
        from_exported_program(exported(lambda x: pad(x, (0,) * 6 + (1, 1)), randn(2, 3, 4, 5)))
