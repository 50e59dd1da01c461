"""Recurrent layers."""

import pytest
from torch import nn

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn, used


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("options", [{}, {"num_layers": 2}, {"bidirectional": True}], ids=str)
def test_layers(kind, options):
    layer = kind(4, 3, batch_first=True, **options)
    symbol, _, _ = check(lambda x: layer(x)[0], randn(5, 6, 4))
    assert "RNN" in used(symbol)


def test_states():
    layer = nn.LSTM(4, 3)

    def all_results(x):
        outputs, states = layer(x)
        return outputs, *states

    check(all_results, randn(6, 5, 4), other_batch=False)


def test_names():
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn = nn.GRU(4, 3, bidirectional=True, batch_first=True)

        def forward(self, x):
            return self.rnn(x)[0]

    _, arguments, _ = check(Net(), randn(5, 6, 4))
    assert set(arguments) == {
        f"rnn_{side}0_{part}_{kind}" for side in "lr" for part in ("i2h", "h2h") for kind in ("weight", "bias")
    }


def test_layers_without_biases_are_refused():
    layer = nn.LSTM(4, 3, bias=False)
    with pytest.raises(UnsupportedProgram, match="has no biases"):
        from_exported_program(exported(lambda x: layer(x)[0], randn(6, 5, 4)))
