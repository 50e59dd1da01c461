"""Every layer recorded from the real MXNet, made and run here."""

from typing import Any

import pytest

import mxnet as mx
from tests.gluon.nn.base import RECORDED, RUNNING, Recorded, by_id, check_close, load, make, parameters
from tools.oracle import layer_cases


def test_recorded_from_the_present_cases() -> None:
    """Fails when the cases were changed without recording them again."""
    cases = [(case.make, case.given, [list(shape) for shape in case.shapes]) for case in layer_cases.CASES]
    assert [(each.make, each.given, each.shapes) for each in RECORDED] == cases
    assert [each["make"] for each in load("refused")] == [expression for expression, _ in layer_cases.REFUSED]
    assert [each["make"] for each in load("summaries")] == [expression for expression, _ in layer_cases.SUMMARIES]


# Where MXNet's gradient is not that of its own forward: the mean of a partial window is divided by a whole one.
WRONG_GRADIENT = {"nn.AvgPool1D(2, ceil_mode=True)"}


@pytest.mark.parametrize("recorded", RECORDED, ids=by_id)
def test_is_made_alike(recorded: Recorded) -> None:
    layer = make(recorded.make)
    assert layer.name == recorded.name
    assert repr(layer) == recorded.repr
    assert parameters(layer) == recorded.parameters
    if recorded.given is not None:
        given = make(recorded.given)
        assert repr(given) == recorded.given_repr
        assert parameters(given) == recorded.given_parameters


@pytest.mark.parametrize("recorded", RECORDED, ids=by_id)
def test_has_the_attributes_others_read(recorded: Recorded) -> None:
    layer = make(recorded.make)
    ours = {name: getattr(layer, name, "missing") for name in recorded.attributes}
    for name, value in ours.items():
        theirs = recorded.attributes[name]
        if isinstance(value, dict):  # the order of names does not matter to who reads them
            assert value == eval(theirs), name
        else:
            assert repr(value) == theirs, name


@pytest.mark.parametrize("recorded", RUNNING, ids=by_id)
def test_predicts_alike(recorded: Recorded) -> None:
    layer = recorded.with_weights(make(recorded.make))
    assert repr(layer) == recorded.repr_after
    assert parameters(layer) == recorded.parameters_after
    check_close(layer(*recorded.inputs()), recorded.arrays["predicted"], "prediction")


@pytest.mark.parametrize("recorded", [each for each in RUNNING if each.grad], ids=by_id)
def test_trains_alike(recorded: Recorded) -> None:
    layer = recorded.with_weights(make(recorded.make))
    inputs = recorded.inputs()
    arrays = recorded.arrays
    has_input_gradient = "grad0" in arrays
    for array in inputs if has_input_gradient else ():
        array.attach_grad()
    with mx.autograd.record():
        out = layer(*inputs)
    check_close(out, arrays["trained"], "output in training")
    out.backward(mx.nd.array(arrays["head"], dtype=out.dtype))
    for i, array in enumerate(inputs if has_input_gradient and recorded.make not in WRONG_GRADIENT else ()):
        check_close(array.grad, arrays[f"grad{i}"], f"gradient of input {i}")
    for name, parameter in layer.collect_params().items():
        if f"grad.{name}" in arrays:
            check_close(parameter.grad(), arrays[f"grad.{name}"], f"gradient of {name}")
        elif not (name.endswith("gamma") and layer._kwargs.get("fix_gamma")):  # a fixed gamma: MXNet writes 1 into it
            check_close(parameter.data(), arrays[f"after.{name}"], f"{name} after training")


@pytest.mark.parametrize("refused", load("refused"), ids=lambda each: f"{each['make']} on {each['shape']}")
def test_refuses_what_mxnet_refuses(refused: dict[str, Any]) -> None:
    builtin = {kind.__name__: kind for kind in (TypeError, ValueError, AssertionError)}
    expected = builtin.get(refused["error"], mx.base.MXNetError)

    def use() -> None:
        layer = make(refused["make"])
        layer.initialize()
        layer(mx.nd.ones(refused["shape"]))

    with pytest.raises(expected, match=r"^\[") as caught:
        use()
    if refused["shape"] is not None:
        assert isinstance(caught.value, mx.base.MXNetError)
