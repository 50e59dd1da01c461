"""Comparisons of a program with a graph."""

import numpy as np
import pytest
import torch

import mxnet as mx
from regluon.convert.torch_export import WrongConversion, example_inputs, from_exported_program, verify
from regluon.convert.torch_export.verification import difference
from tests.contrib.torch_export.support import exported, randn


def test_differences():
    program = exported(torch.nn.Linear(3, 2), randn(2, 3))
    symbol, arguments, states = from_exported_program(program)
    found = verify(program, symbol, arguments, states)
    assert found.absolute <= 1e-6
    arguments["bias"] = arguments["bias"] + 0.5
    found = verify(program, symbol, arguments, states)
    assert found.absolute == pytest.approx(0.5, rel=1e-4)
    assert found.relative > 0.1


def test_other_shapes_are_an_error():
    program = exported(torch.nn.Linear(3, 2), randn(2, 3))
    symbol, arguments, states = from_exported_program(program)
    with pytest.raises(WrongConversion, match=r"gives the shapes \[\(2, 2\), \(2, 2\)\]; expected \[\(2, 2\)\]"):
        verify(program, mx.sym.Group([symbol, symbol]), arguments, states)


def test_numbers():
    one, nan = np.ones(2), np.array([1.0, np.nan])
    assert difference(one, one + 0.5) == (0.5, 0.5)
    assert difference(one * 100, one * 101) == (1.0, 0.01)
    assert difference(nan, nan) == (0, 0)
    assert difference(nan, one).absolute == float("inf")
    assert difference(np.array([np.inf]), np.array([np.inf])) == (0, 0)
    assert difference(np.zeros((0, 3)), np.zeros((0, 3))) == (0, 0)


def test_inputs_fit_the_program():
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(5, 3)

        def forward(self, tokens, mask, x):
            return self.table(tokens).sum(1) * mask + x

    program = exported(Net(), torch.ones(2, 40, dtype=torch.int64), torch.ones(2, 1, dtype=torch.bool), randn(2, 3))
    found = example_inputs(program)
    assert list(found) == ["tokens", "mask", "x"]
    assert found["tokens"].dtype == np.int64
    assert found["tokens"].min() == 0
    assert found["tokens"].max() == 4
    assert found["mask"].dtype == np.float32
    assert verify(program, *from_exported_program(program)).relative < 1e-5


def test_logarithms_are_compared_where_they_exist():
    program = exported(torch.log, randn(2, 3).abs())
    assert np.isfinite(verify(program, *from_exported_program(program)).relative)
