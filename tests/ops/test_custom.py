"""The part of operators in Python that knows tensors, but no arrays: a description made by hand."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from mxnet.context import cpu
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from regluon.ops.custom import CustomDescription, Operation, enter
from regluon.ops.inference import infer
from regluon.ops.registry import find
from regluon.ops.signatures import BackwardStorage, Inferred, Surroundings


class Doubling(Operation):
    def forward(self, training, requests, inputs, outputs, states):
        outputs[0].copy_(inputs[0] * 2)
        states[0].add_(1)
        return outputs

    def backward(self, requests, gradients, inputs, outputs, input_gradients, states):
        return [gradients[0] * 2]


class Described(CustomDescription):
    arguments, outputs, states = ("data",), ("twice",), ("count",)

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.made = 0

    def infer_shapes(self, arguments: Sequence[Any]) -> Inferred:
        return Inferred(list(arguments), list(arguments), [(1,)])

    def infer_dtypes(self, arguments: Sequence[Any]) -> Inferred:
        return Inferred(list(arguments), list(arguments), [torch.float32])

    def infer_storage(self, arguments: Sequence[str]) -> Inferred:
        return Inferred(list(arguments), list(arguments), ["default"])

    def infer_storage_backward(self, known: BackwardStorage) -> BackwardStorage:
        return known

    def create(self, context: Any, shapes: list[list[int]], dtypes: list[Any]) -> Operation:
        self.made += 1
        return Doubling()


@pytest.fixture(autouse=True)
def registered():
    enter("described", Described)


CUSTOM = find("Custom")


def params(**given: Any) -> dict[str, Any]:
    return CUSTOM.parse({"op_type": "described", **given})


def test_parameters_are_texts():
    parsed = params(number=1.5, shape=(1, 2), nothing=None)
    assert CUSTOM.description(parsed).texts == {"number": "1.5", "shape": "(1, 2)", "nothing": "None"}
    assert parsed["op_type"] == "described"


def test_every_parse_makes_a_description_of_its_own():
    assert params()["description"] is not params()["description"]


def test_names():
    assert CUSTOM.takes(params()) == ("data", "count")
    assert CUSTOM.num_outputs(params()) == 1
    assert CUSTOM.auxiliary_positions(2, params()) == (1,)
    assert find("_npi_Custom") is CUSTOM


def test_shapes_without_data():
    assert infer(CUSTOM, [((2, 3), torch.float16), ((1,), torch.float32)], params()) == [((2, 3), torch.float16)]
    assert CUSTOM.completed([(2, 3), None], params()) == {0: (2, 3), 1: (1,)}


def run(description: Described, *tensors: torch.Tensor, memory: dict[Any, Any] | None = None) -> torch.Tensor:
    results, updates = CUSTOM.function(
        *tensors,
        op_type="described",
        description=description,
        training=False,
        surroundings=Surroundings(cpu(), {} if memory is None else memory),
    )
    assert updates is None
    return results[0]


def test_run_and_gradient():
    x, count = torch.ones(2, requires_grad=True), torch.zeros(1)
    result = run(Described({}), x, count)
    result.sum().backward()
    assert result.tolist() == x.grad.tolist() == [2, 2]
    assert count.tolist() == [1]


def test_memory_keeps_operations_by_shape():
    description, memory = Described({}), {}
    for shape in ((2,), (2,), (3,)):
        run(description, torch.ones(shape), torch.zeros(1), memory=memory)
    assert description.made == len(memory) == 2
    run(description, torch.ones(2), torch.zeros(1))
    assert description.made == 3


@pytest.mark.parametrize(
    ("tensors", "kind", "text"),
    [
        ([torch.ones(2)], OpTypeError, r"expected 2 inputs \(data, count\), got 1"),
        ([torch.ones(2), torch.zeros(2)], OpShapeError, r"expected count of shape \(1,\) by infer_shape, got \(2,\)"),
        ([torch.ones(2), torch.zeros(1).int()], OpTypeError, "expected count of float32 by infer_type, got int32"),
    ],
)
def test_bad_inputs(tensors: list[torch.Tensor], kind: type[Exception], text: str):
    with pytest.raises(kind, match=text):
        run(Described({}), *tensors)


def test_unknown_name():
    with pytest.raises(OpParamError, match=r"received 'describe', which is not registered.*Did you mean 'described'"):
        params(op_type="describe")
