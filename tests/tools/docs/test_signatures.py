"""Signatures as the reference shows them."""

import torch

from mxnet.base import _Null
from regluon.ops import registry
from tools.docs.signatures import (
    Argument,
    arguments_of,
    call_text,
    default_text,
    operator_arguments,
    param_type,
    result_of,
    type_text,
)


def function(x: "torch.Tensor", n: int | None = None, *rest: int, key=len, **more) -> dict[str, float]: ...


def test_arguments():
    assert list(map(str, arguments_of(function))) == ["x", "n=None", "*rest", "key=len", "**more"]
    assert [argument.type for argument in arguments_of(function)] == ["Tensor", "int | None", "int", "", ""]
    assert result_of(function) == "dict[str, float]"
    assert arguments_of(dict.__init__, is_method=True) == arguments_of(dict.__init__)[1:]


def test_defaults_do_not_depend_on_the_process():
    assert default_text(torch.float32) == "'float32'"
    assert default_text(object()) == "..."
    assert default_text(_Null) == ""
    assert default_text(1e-5) == "1e-05"


def test_types_lose_their_paths():
    assert type_text("mxnet.context.Context | None") == "Context | None"
    assert type_text("typing.Any") == ""


def test_operators():
    operator = registry.find("Convolution")
    given = {argument.name: argument for argument in operator_arguments(operator)}
    assert given["kernel"] == Argument("kernel", "tuple of int")
    assert given["bias"].default == "None"
    assert given["num_group"].default == "1"
    assert param_type(operator.params["cudnn_tune"]) == "'fastest' | 'limited_workspace' | 'off' | None"
    assert str(operator_arguments(registry.find("Concat"))[0]) == "*data"


def test_long_calls_are_broken():
    text = call_text("f", [Argument(f"argument_{i}") for i in range(20)], result="int")
    assert text.startswith("f(\n    argument_0, ")
    assert text.endswith("\n) -> int")
    assert max(map(len, text.splitlines())) <= 76
