"""Attributes: what is stored, what is shown, what is refused."""

import pytest

from mxnet import sym
from mxnet.base import MXNetError
from regluon.graph.attributes import shown, stored


def test_stored_and_shown() -> None:
    kept = stored({"lr_mult": "2", "__mood__": "good", "kind": "a"})
    assert kept == {"__lr_mult__": "2", "__mood__": "good", "kind": "a"}
    assert shown(kept) == {**kept, "lr_mult": "2"}


def test_factor_of_an_input_is_refused() -> None:
    with pytest.raises(MXNetError, match=r"'weight_lr_mult'; expected 'lr_mult' at the variable"):
        sym.FullyConnected(sym.var("x"), num_hidden=2, attr={"weight_lr_mult": "2"})


def test_misspelt_attribute_is_refused() -> None:
    with pytest.raises(MXNetError, match=r"received the attribute 'num_hiden'; expected a parameter .*'__num_hiden__'"):
        sym.FullyConnected(sym.var("x"), num_hidden=2, attr={"num_hiden": "2"})


def test_state_must_be_a_variable() -> None:
    with pytest.raises(MXNetError, match=r"input moving_mean: received the result of 'r'; expected a variable"):
        sym.BatchNorm(sym.var("x"), moving_mean=sym.relu(sym.var("y"), name="r"))
