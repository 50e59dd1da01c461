"""Layers with weights."""

import pytest
import torch
from torch import nn

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, decomposed, exported, randn, run, same, used


@pytest.mark.parametrize(
    "layer",
    [
        nn.Conv2d(4, 6, 3),
        nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), bias=False),
        nn.Conv2d(4, 8, 3, groups=4, padding=1),
        nn.Conv2d(4, 6, 3, padding="same"),
        nn.Conv2d(4, 6, 4, padding="same"),
        nn.Conv2d(4, 6, 3, padding="valid"),
        nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1),
        nn.ConvTranspose2d(4, 6, 3, groups=2, bias=False),
    ],
    ids=str,
)
def test_convolutions(layer):
    symbol, arguments, _ = check(layer, randn(2, 4, 9, 8))
    kind = "Deconvolution" if isinstance(layer, nn.ConvTranspose2d) else "Convolution"
    assert used(symbol)[-1] == kind
    assert set(arguments) == ({"weight", "bias"} if layer.bias is not None else {"weight"})


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Conv1d(4, 6, 3, padding=1), (2, 4, 9)),
        (nn.Conv1d(4, 6, 4, padding="same"), (2, 4, 9)),
        (nn.Conv3d(2, 3, 3, stride=2), (2, 2, 7, 7, 7)),
        (nn.ConvTranspose1d(4, 6, 3, stride=2), (2, 4, 9)),
    ],
    ids=str,
)
def test_other_numbers_of_axes(layer, shape):
    check(layer, randn(*shape))


@pytest.mark.parametrize("shape", [(3, 5), (3, 4, 5), (2, 3, 4, 5)], ids=str)
@pytest.mark.parametrize("bias", [True, False])
def test_linear(shape, bias):
    check(nn.Linear(5, 7, bias=bias), randn(*shape), operators="FullyConnected")


def test_linear_without_batch():
    check(nn.Linear(5, 7), randn(5), other_batch=False)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_embedding(dtype):
    check(nn.Embedding(11, 4), torch.tensor([[1, 10, 0], [3, 3, 7]], dtype=dtype), operators="Embedding")


def test_embedding_of_doubles():
    check(nn.Embedding(11, 4).double(), torch.tensor([[1, 10, 0], [3, 3, 7]]))


def test_decomposed_programs():
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ConvTranspose2d(4, 2, 3), nn.Flatten(), nn.Linear(128, 5))
    x = randn(2, 3, 8, 8)
    program = decomposed(exported(net, x))
    converted = from_exported_program(program)
    same(run(converted, x), net(x))
    assert used(converted[0])[:2] == ["Convolution", "Deconvolution"]
    assert used(converted[0])[-1] == "FullyConnected"


def test_data_without_a_batch_are_refused():
    with pytest.raises(UnsupportedProgram, match=r"conv2d.default, once: .*\(3, 8, 8\), without a batch; add one"):
        from_exported_program(exported(nn.Conv2d(3, 4, 3), randn(3, 8, 8)))
