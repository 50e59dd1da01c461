"""Operators in Python on sparse arrays: they are called with arrays of the storage types that their properties tell."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from ...autograd.recording import Tape, plain, recorded_input, state
from ...context import Context
from ...errors import OpTypeError
from ...ops.custom import CustomDescription, Operation
from ...ops.registry import Operator, explained
from ...ops.signatures import BackwardStorage, Surroundings
from ...runtime.handle import STORAGE_TYPES
from ...runtime.invoke import enter_graph, invoke
from ..dense import NDArray
from .products import as_gradient


class _Made(NamedTuple):
    """What an array is like."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    stype: str = "default"


def run_custom(
    operator: Operator,
    inputs: Sequence[Any],
    params: dict[str, Any],
    context: Context,
    kept: dict[Any, Any],
    storage: BackwardStorage | None = None,
) -> Any:
    """Calls a user's operator.

    Args:
        operator: `Custom`.
        inputs: arrays of any storage types.
        params: parsed parameters.
        context: where the arrays are.
        kept: what calls from this place keep for each other.
        storage: storage types of the backward pass, where the graph around the call tells them.

    Returns:
        An array, or a list of them if there are several outputs.
    """
    description = operator.description(params)
    assert isinstance(description, CustomDescription)
    surroundings = Surroundings(context, kept)
    if not description.tells_storage and all(array.stype == "default" for array in inputs):
        return invoke(operator, inputs, {**params, "surroundings": surroundings}, None, NDArray)
    try:
        results = _called(description, inputs, surroundings, storage)
    except Exception as error:
        specs: list[Any] = [_spec(array) for array in inputs]
        raise explained(operator, specs, error) from error
    return results if len(results) != 1 else results[0]


def _spec(array: Any) -> _Made:
    shape, dtype = array._spec()
    return _Made(shape, dtype, array.stype)


def _called(
    description: CustomDescription, inputs: Sequence[Any], surroundings: Surroundings, storage: BackwardStorage | None
) -> list[Any]:
    specs = [_spec(array) for array in inputs]
    prepared = description.prepared(specs, surroundings)
    count = len(description.arguments)
    arguments, states = inputs[:count], [array.detach() for array in inputs[count:]]
    stypes = description.infer_storage([array.stype for array in arguments])
    _check_inputs(description, specs, [*stypes.arguments, *stypes.states])
    outputs = [
        _Made(*inferred)
        for inferred in zip(prepared.shapes.outputs, prepared.dtypes.outputs, stypes.outputs, strict=True)
    ]
    tape = state.tape
    call = _Call(prepared.operation, surroundings.context, state.training, arguments, outputs, states)
    places = [None if tape is None else _place(array, tape) for array in arguments]
    if not torch.is_grad_enabled() or all(place is None or not place.requires_grad for place in places):
        return call.forward()
    assert tape is not None
    call.backward_storage = storage or description.infer_storage_backward(_known(arguments, outputs, stypes.states))
    values: tuple[torch.Tensor, ...] = _Differentiable.apply(call, *places)
    return [_recorded(array, value, places, tape) for array, value in zip(call.outputs, values, strict=True)]


def _check_inputs(description: CustomDescription, given: Sequence[_Made], inferred: Sequence[str]) -> None:
    for name, spec, stype in zip(description.inputs, given, inferred, strict=True):
        if spec.stype != stype:
            raise OpTypeError(
                f"expected {name} as a {stype} array by infer_storage_type, got {spec.stype}; convert it with "
                f"tostype({stype!r})"
            )


def _known(arguments: Sequence[Any], outputs: Sequence[_Made], states: list[str]) -> BackwardStorage:
    """What is known of the storage types of a backward pass: gradients come in dense."""
    wanted = ["undefined" if array._slot is None else array._slot.grad.stype for array in arguments]
    stypes = [array.stype for array in arguments]
    return BackwardStorage(["default"] * len(outputs), stypes, [each.stype for each in outputs], wanted, states)


def _place(array: Any, tape: Tape) -> torch.Tensor | None:
    return recorded_input(array, tape) if array.stype == "default" else array._live_place()


def _recorded(array: Any, value: torch.Tensor, places: Sequence[Any], tape: Tape) -> Any:
    """A result with its place in the graph: its dense form."""
    # A new array in either case: the one that the call keeps for backward must not lead to the graph.
    array = NDArray(value, array._ctx) if array.stype == "default" else array.detach()
    enter_graph(array, value, places, tape)
    return array


def _zeros(like: _Made, context: Context) -> Any:
    if like.stype == "default":
        return NDArray(torch.zeros(like.shape, dtype=like.dtype, device=context.device), context)
    return STORAGE_TYPES[like.stype]._zeros(like.shape, like.dtype, context)


class _Call:
    """One call of a user's operator: what its two halves share."""

    def __init__(
        self,
        operation: Operation,
        context: Context,
        training: bool,
        inputs: Sequence[Any],
        outputs: Sequence[_Made],
        states: Sequence[Any],
    ) -> None:
        self._operation, self._context, self._training = operation, context, training
        self._inputs = [array.detach() for array in inputs]
        self._made, self._states = outputs, states
        self.outputs: list[Any] = []
        self.backward_storage: BackwardStorage | None = None

    def forward(self) -> list[Any]:
        """The outputs, as arrays."""
        outputs = [_zeros(each, self._context) for each in self._made]
        requests = ["write"] * len(outputs)
        self.outputs = self._operation.forward(self._training, requests, self._inputs, outputs, self._states)
        return self.outputs

    def backward(self, gradients: Sequence[torch.Tensor], wanted: Sequence[bool]) -> list[Any]:
        """The gradients of the inputs, as arrays."""
        inferred = self.backward_storage
        assert inferred is not None
        starts = []
        for gradient, stype in zip(gradients, inferred.output_gradients, strict=True):
            start = NDArray(gradient.detach().contiguous(), self._context)
            starts.append(start if stype == "default" else start.tostype(stype))
        made = [
            _zeros(_spec(array)._replace(stype=stype), self._context)
            for array, stype in zip(self._inputs, inferred.input_gradients, strict=True)
        ]
        requests = ["write" if is_wanted else "null" for is_wanted in wanted]
        return self._operation.backward(requests, starts, self._inputs, self.outputs, made, self._states)


class _Differentiable(torch.autograd.Function):
    """Puts a call into the graph of torch."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *places: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.call = call
        ctx.are_leaves = [place.is_leaf for place in places]
        outputs = call.forward()
        call.outputs = [array.detach() for array in outputs]
        return tuple(plain(array) if array.stype == "default" else array._dense() for array in outputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[Any, ...]:
        wanted = ctx.needs_input_grad[1:]
        found = ctx.call.backward(gradients, wanted)
        return None, *(
            _gradient(array, is_leaf) if is_wanted else None
            for array, is_leaf, is_wanted in zip(found, ctx.are_leaves, wanted, strict=True)
        )


def _gradient(array: Any, is_leaf: bool) -> torch.Tensor:
    if array.stype == "default":
        return plain(array)
    dense: torch.Tensor = array._dense()
    return as_gradient(array._store, in_order=False) if is_leaf and array.stype == "row_sparse" else dense
