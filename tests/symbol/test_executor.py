"""Executors that share memory, and the shapes that variables bring along."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import sym


def _net() -> sym.Symbol:
    return sym.BatchNorm(sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc"), name="bn")


@pytest.mark.parametrize(
    ("parameters", "kept"),
    [
        (None, {"data", "fc_weight", "fc_bias", "bn_gamma", "bn_beta"}),
        (["fc_weight", "fc_bias", "bn_gamma", "bn_beta"], {"data"}),
    ],
    ids=["all", "without parameters"],
)
def test_what_a_shared_buffer_holds(parameters: list[str] | None, kept: set[str]) -> None:
    """Arguments and their gradients; neither states nor those that are shared by name."""
    buffer: dict[str, Any] = {}
    executor = _net().simple_bind(mx.cpu(), data=(2, 4), shared_buffer=buffer, shared_arg_names=parameters)
    assert buffer.keys() == kept | {f"grad of {name}" for name in kept}
    assert all(buffer[name] is executor.arg_dict[name] for name in kept)
    assert all(buffer[f"grad of {name}"] is executor.grad_dict[name] for name in kept)
    again = _net().simple_bind(mx.cpu(), data=(2, 4), shared_buffer=buffer, shared_arg_names=parameters)
    assert again.arg_dict["data"] is executor.arg_dict["data"]
    assert (again.arg_dict["fc_weight"] is executor.arg_dict["fc_weight"]) == (parameters is None)
    assert again.aux_dict["bn_moving_mean"] is not executor.aux_dict["bn_moving_mean"]


@pytest.mark.parametrize(
    ("shape", "text", "expected"),
    [
        (1, "1", (1,)),
        (np.int64(4), "4", (4,)),
        ((2, 3), "(2, 3)", (2, 3)),
        ([2, 3], "[2, 3]", (2, 3)),
        (tuple(np.array([2, 3])), "(2, 3)", (2, 3)),
    ],
    ids=["number", "integer of NumPy", "tuple", "list", "integers of NumPy"],
)
def test_shape_of_a_variable(shape: Any, text: str, expected: tuple[int, ...]) -> None:
    variable = sym.var("x", shape=shape)
    assert variable.attr("__shape__") == text
    assert variable.infer_shape()[0] == [expected]


@pytest.mark.parametrize("shape", ["(2, 3)", 2.5, (2, "3")])
def test_shapes_that_are_none(shape: Any) -> None:
    with pytest.raises(TypeError, match=r"\[var\] shape: received .*; expected a shape, such as \(2, 3\)"):
        sym.var("x", shape=shape)
