"""Operators that a program defines in Python: the part that knows tensors and gradients, but no arrays.

`mxnet.operator` enters here what users register; saved graphs and calls find it by the name under `op_type`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ..arguments import nearest
from ..base import MXNetError
from ..config import process
from ..context import Context
from ..dtypes import NAME_OF_TORCH
from ..errors import OpParamError, OpShapeError, OpTypeError
from .common import grad_needed
from .params import Training
from .registry import operator
from .signatures import BackwardStorage, Description, Inferred, Surroundings


class Operation(ABC):
    """A user's operator made for one place: forward and backward over tensors.

    Tensors to be written hold zeros. Both methods return them, or what the user put in their place.
    """

    @abstractmethod
    def forward(self, training: bool, requests: list[str], inputs: Any, outputs: Any, states: Any) -> list[Tensor]:
        """Writes the outputs."""

    @abstractmethod
    def backward(
        self, requests: list[str], gradients: Any, inputs: Any, outputs: Any, input_gradients: Any, states: Any
    ) -> list[Tensor]:
        """Writes the gradients of the inputs, from those of the outputs."""


class Prepared(NamedTuple):
    """A user's operator for inputs that have been checked, with the shapes and dtypes of all its arrays."""

    operation: Operation
    shapes: Inferred
    dtypes: Inferred


class CustomDescription(Description):
    """A user's property as an operator's description; subclasses say how the user's code is called."""

    @abstractmethod
    def create(self, context: Context, shapes: list[list[int]], dtypes: list[torch.dtype]) -> Operation:
        """A new operation for inputs and states of these shapes and dtypes."""

    @abstractmethod
    def infer_storage(self, arguments: Sequence[str]) -> Inferred:
        """All storage types from those of the arguments."""

    @abstractmethod
    def infer_storage_backward(self, known: BackwardStorage) -> BackwardStorage:
        """All storage types of the backward pass from those that are known."""

    def prepared(self, arrays: Sequence[Any], surroundings: Surroundings) -> Prepared:
        """The operation for arrays of these shapes and dtypes: for anything that has a `shape` and a torch `dtype`."""
        self._check_count(arrays)
        arguments = arrays[: len(self.arguments)]
        shapes = self.infer_shapes([tuple(array.shape) for array in arguments])
        dtypes = self.infer_dtypes([array.dtype for array in arguments])
        self._check_inputs(arrays, shapes, dtypes)
        return Prepared(self._operation(arrays, surroundings), shapes, dtypes)

    def run(
        self, tensors: Sequence[Tensor], training: bool, surroundings: Surroundings, name: str = "Custom"
    ) -> tuple[Any, ...]:
        """Runs the user's operator, in a way that torch can differentiate if it records; profilers show the name."""
        operation, shapes, dtypes = self.prepared(tensors, surroundings)
        count = len(self.arguments)
        arguments, states = tensors[:count], tensors[count:]
        call = _Call(operation, training, shapes.outputs, dtypes.outputs, states, name)
        if grad_needed(*arguments):
            found: tuple[Tensor, ...] = _Differentiable.apply(call, *arguments)
            return found
        return tuple(call.forward(arguments))

    def _operation(self, tensors: Sequence[Any], surroundings: Surroundings) -> Operation:
        """The operation of this place: made for the first call with these shapes, then kept."""
        key = (str(surroundings.context), *((tuple(tensor.shape), tensor.dtype) for tensor in tensors))
        found = surroundings.memory.get(key)
        if found is None:
            shapes = [list(tensor.shape) for tensor in tensors]
            found = self.create(surroundings.context, shapes, [tensor.dtype for tensor in tensors])
            surroundings.memory[key] = found
        operation: Operation = found
        return operation

    def _check_count(self, tensors: Sequence[Any]) -> None:
        if len(tensors) != len(self.inputs):
            raise OpTypeError(f"expected {len(self.inputs)} inputs ({', '.join(self.inputs)}), got {len(tensors)}")

    def _check_inputs(self, tensors: Sequence[Any], shapes: Inferred, dtypes: Inferred) -> None:
        """Refuses inputs other than the property asks for."""
        for name, tensor, shape, dtype in zip(
            self.inputs,
            tensors,
            [*shapes.arguments, *shapes.states],
            [*dtypes.arguments, *dtypes.states],
            strict=True,
        ):
            if tuple(tensor.shape) != shape:
                raise OpShapeError(f"expected {name} of shape {shape} by infer_shape, got {tuple(tensor.shape)}")
            if tensor.dtype != dtype:
                expected, got = (NAME_OF_TORCH.get(kind, str(kind)) for kind in (dtype, tensor.dtype))
                raise OpTypeError(f"expected {name} of {expected} by infer_type, got {got}; convert it with astype()")


def _timed(name: str) -> AbstractContextManager[Any]:
    """A range of the profiler around the user's code; nothing while none runs."""
    return nullcontext() if process.tracer is None else process.tracer.custom(name)


class _Call:
    """One call of a user's operator: what its two halves share."""

    def __init__(
        self,
        operation: Operation,
        training: bool,
        shapes: list[Any],
        dtypes: list[Any],
        states: Sequence[Tensor],
        name: str,
    ) -> None:
        self._operation, self._training, self._name = operation, training, name
        self._specs = list(zip(shapes, dtypes, strict=True))
        self._states = [state.detach() for state in states]  # the user's code writes to their memory
        self._inputs: list[Tensor] = []
        self._outputs: list[Tensor] = []

    def forward(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        device = inputs[0].device if inputs else None
        self._inputs = [tensor.detach().contiguous() for tensor in inputs]
        made = [torch.zeros(shape, dtype=dtype, device=device) for shape, dtype in self._specs]
        requests = ["write"] * len(made)
        with _timed(self._name):
            outputs = self._operation.forward(self._training, requests, self._inputs, made, self._states)
        # Other tensors over the same memory: torch's own lead to the graph, which leads back here.
        self._outputs = [tensor.detach() for tensor in outputs]
        return outputs

    def backward(self, gradients: Sequence[Tensor], wanted: Sequence[bool]) -> list[Tensor | None]:
        requests = ["write" if is_wanted else "null" for is_wanted in wanted]
        starts = [gradient.detach().contiguous() for gradient in gradients]
        made = [torch.zeros_like(tensor) for tensor in self._inputs]
        with _timed(f"_backward_{self._name}"):
            found = self._operation.backward(requests, starts, self._inputs, self._outputs, made, self._states)
        return [gradient if is_wanted else None for gradient, is_wanted in zip(found, wanted, strict=True)]


class _Differentiable(torch.autograd.Function):
    """Puts a call into the graph of torch."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *inputs: Tensor) -> tuple[Tensor, ...]:
        ctx.call = call
        return tuple(call.forward(inputs))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        try:
            return None, *ctx.call.backward(gradients, ctx.needs_input_grad[1:])
        except MXNetError as error:
            raise type(error)(f"[backward of Custom] {error}") from error.__cause__


Maker = Callable[[dict[str, str]], CustomDescription]
_registered: dict[str, Maker] = {}


def enter(name: str, maker: Maker) -> None:
    """Makes a user's operator known under a name, in place of one that had it before."""
    _registered[name] = maker


def described(texts: dict[str, str]) -> CustomDescription:
    """The description of what is registered under `op_type`, for the other parameters."""
    name = texts.get("op_type", "")
    maker = _registered.get(name)
    if maker is None:
        near = nearest(name, _registered)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise OpParamError(
            f"[Custom] op_type: received {name!r}, which is not registered. Import the module that decorates it with "
            f"@mx.operator.register({name!r}) first.{hint}"
        )
    try:
        return maker({key: text for key, text in texts.items() if key != "op_type"})
    except MXNetError as error:
        raise type(error)(f"[Custom] {error}") from error.__cause__


@operator("Custom", "_npi_Custom", free_params=True, describes=described, auxiliary=lambda num_inputs: ())
def custom(
    *data: Tensor, op_type: str, description: Description, training: Training, surroundings: Surroundings
) -> tuple[Any, None]:
    """Runs an operator that was registered with `mxnet.operator.register`.

    Args:
        data: the arrays it takes: arguments, then auxiliary states.
        op_type: the name it was registered under; further parameters go to its property as texts.
        description: what the property tells.
        training: whether it runs in training.
        surroundings: where it runs.
    """
    assert isinstance(description, CustomDescription)
    return description.run(data, training, surroundings, op_type), None
