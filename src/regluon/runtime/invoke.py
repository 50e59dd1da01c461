"""The eager path: calling an operator on arrays."""

from collections.abc import Sequence
from typing import Any

import torch

from ..autograd.recording import Tape, constant, live_node, plain, recorded_input, state
from ..base import MXNetError, NotImplementedForSymbol
from ..config import switches, varies
from ..context import Context, current_context
from ..dtypes import NAME_OF_TORCH
from ..errors import OpShapeError, OpTypeError
from ..ops.common import connected, contiguous_copy, is_view, sources_of
from ..ops.registry import Operator, explained
from ..ops.signatures import Surroundings
from ..rng import generator
from .foreign import wrapping
from .handle import STORAGE_TYPES, Composable, ForeignOperand, Handle, SparseOperand

WRITE_WHILE_RECORDED = (
    "cannot write to an array that is part of a recorded graph: gradients would be wrong. Inside "
    "`with autograd.record():`, write `y = x + 1` instead of `x += 1`, `x[:] = ...` or `out=x`; or change the array "
    "outside of the block, after backward()."
)


def invoke(
    operator: Operator,
    inputs: Sequence[Any],
    params: dict[str, Any],
    out: Any = None,
    array_type: type[Handle] | None = None,
) -> Any:
    """Runs an operator.

    Args:
        operator: which one.
        inputs: arrays, None for optional ones left out.
        params: parsed parameters.
        out: an array, or several, to write the result to.
        array_type: class of the results, where there is no input to take it from.

    Returns:
        An array, or a list of them where the operator has several outputs; `out` if it was given.
    """
    tape = state.tape
    try:
        tensors, context = _read(operator, inputs, tape)
    except (SparseOperand, ForeignOperand) as found:
        return found.array._invoke(operator, inputs, params, out)
    if context is None:
        context = params.get("ctx") or (out._ctx if isinstance(out, Handle) else None) or current_context()
    if operator.needs_surroundings:
        if operator.describes is not None and _tells_storage(params):
            return STORAGE_TYPES["row_sparse"]._invoke_custom(operator, inputs, params, out, context)
        params = _with_surroundings(operator, params, context, out)
    try:
        results = operator.eager(*tensors, **params)
    except Exception as error:
        raise explained(operator, tensors, error) from error
    if operator.auxiliary:
        results, updates = results
        if updates is not None:
            _update_auxiliary(operator, inputs, params, updates)
    first = inputs[0] if inputs else None
    cls = array_type if first is None else first._result_type
    assert cls is not None
    if isinstance(results, torch.Tensor) and out is None:
        return _wrapped(operator, results, cls, context, tensors, tape)
    values = [results] if isinstance(results, torch.Tensor) else list(results)
    arrays = [_wrapped(operator, value, cls, context, tensors, tape) for value in values]
    if out is not None:
        return _write_out(operator, out, arrays, tape)
    return arrays if len(arrays) != 1 else arrays[0]


def _wrapped(
    operator: Operator,
    value: torch.Tensor,
    cls: type[Handle],
    context: Context,
    tensors: Sequence[torch.Tensor | None],
    tape: Tape | None,
) -> Handle:
    """The array for one result."""
    if operator.returns_view and is_view(value, tensors):
        try:
            value = contiguous_copy(value)
        except RuntimeError as error:
            raise explained(operator, tensors, error) from error
    return cls(value, context) if tape is None else recorded_result(operator, value, cls, context, tensors, tape)


def _read(
    operator: Operator, inputs: Sequence[Any], tape: Tape | None
) -> tuple[list[torch.Tensor | None], Context | None]:
    """The tensors an operator works on, and the one context they share."""
    tensors: list[torch.Tensor | None] = []
    context: Context | None = None
    has_constants = has_graph = False
    for position, array in enumerate(inputs):
        if isinstance(array, Handle):
            if context is None:
                context = array._ctx
            elif array._ctx is not context and array._ctx != context and array._t.device != context.device:
                raise mixed_contexts(operator, inputs)
            if tape is not None:
                if array._node is None:
                    has_constants = True
                    tensors.append(array._t)
                else:
                    has_graph = True
                    tensors.append(recorded_input(array, tape))
            else:
                tensor = array._t
                tensors.append(plain(array) if tensor.requires_grad else tensor)
        elif array is None and position >= operator.num_required:
            tensors.append(None)
        elif isinstance(array, Composable):
            raise ForeignOperand(array)
        else:
            raise not_an_array(operator, position, array)
    has_too_few = len(tensors) < operator.num_required or (operator.variadic and not tensors)
    if has_too_few and operator.describes is None:  # of a program's own operation, its description tells
        raise not_an_array(operator, len(tensors), None)
    if has_constants and has_graph:
        tensors = [tensor if tensor is None or tensor.requires_grad else constant(tensor) for tensor in tensors]
    return tensors, context


def _input_name(operator: Operator, position: int) -> str:
    return f"{operator.inputs[0]}[{position}]" if operator.variadic else operator.inputs[position]


def not_an_array(operator: Operator, position: int, given: Any) -> MXNetError:
    """The error for an input that is missing or no array."""
    name = _input_name(operator, position)
    if given is None:
        expected = ", ".join(operator.inputs[: max(operator.num_required, 1)])
        return OpTypeError(f"[{operator.name}] input {name} is missing; expected the array(s) {expected}.")
    return OpTypeError(
        f"[{operator.name}] input {name}: received {type(given).__module__}.{type(given).__name__}; expected an "
        f"NDArray. Wrap it: {wrapping(given, operator.name.startswith('_np'))}."
    )


def mixed_contexts(operator: Operator, inputs: Sequence[Any]) -> MXNetError:
    """The error for arrays on different devices."""
    places = ", ".join(
        f"{_input_name(operator, i)} on {array._ctx}" for i, array in enumerate(inputs) if isinstance(array, Handle)
    )
    return MXNetError(
        f"[{operator.name}] received arrays on different devices: {places}; expected one. "
        "Move them with as_in_context(ctx)."
    )


def _tells_storage(params: dict[str, Any]) -> bool:
    """Whether an operator in Python may give sparse arrays for dense ones."""
    return bool(params["description"].tells_storage)


def _with_surroundings(operator: Operator, params: dict[str, Any], context: Context, out: Any) -> dict[str, Any]:
    varies()
    supplied = dict(params)
    if operator.placed:
        _ = context.device  # a GPU that is not there says so itself, not as an error of the operator
        supplied["ctx"] = context
        if isinstance(out, Handle):  # what is made for an array that exists takes its shape and dtype
            for name, value in zip(("shape", "dtype"), out._spec(), strict=True):
                if name in operator.params:
                    supplied.setdefault(name, value)
    if operator.needs_training:
        supplied["training"] = state.training
    if operator.needs_rng:
        if switches.tracing:  # numbers drawn now would stay the same for ever
            raise NotImplementedForSymbol(f"drawing numbers with nd.{operator.name} instead of F", None)
        supplied["rng"] = generator(context)
    if operator.needs_place:
        supplied.setdefault("surroundings", Surroundings(context, {}))
    return supplied


def _update_auxiliary(
    operator: Operator, inputs: Sequence[Any], params: dict[str, Any], updates: Sequence[torch.Tensor | None]
) -> None:
    varies()
    for position, value in zip(operator.auxiliary_positions(len(inputs), params), updates, strict=True):
        if value is not None:
            plain(inputs[position]).copy_(value.detach())


def recorded_result(
    operator: Operator,
    value: torch.Tensor,
    cls: type[Handle],
    context: Context,
    tensors: Sequence[torch.Tensor | None],
    tape: Tape,
) -> Handle:
    """Return the array of a result that was made while recording, in its place in the graph.

    A result without gradient of arrays of the graph counts as recorded and constant: `backward` accepts it and leaves
    gradient buffers alone. If bools or integers among the inputs were computed from variables, these get zeros.
    """
    if operator.reach is not None:
        value = operator.reach(value, tensors)
    if not value.requires_grad:
        value = connected(value, [tensor for tensor in tensors if tensor is not None and not tensor.requires_grad])
    array = cls(value, context)
    if value.requires_grad:
        array._node, array._tape = value, tape
    elif operator.has_gradient and sources_of(tensors):
        array._tape = tape
        array._t = constant(value)  # gradients of other results may read it, and it may be written before `backward`
    return array


def enter_graph(array: Handle, value: torch.Tensor, tensors: Sequence[torch.Tensor | None], tape: Tape) -> None:
    """Gives a result that was made while recording its place in the graph."""
    if value.requires_grad:
        array._node, array._tape = value, tape
    elif sources_of(tensors):
        array._tape = tape  # recorded, but constant: `backward` on it is allowed and does nothing
        array._t = constant(value)  # gradients of other results may read it, and it may be written before `backward`


def check_writable(array: Handle, who: str) -> None:
    """Refuses to change an array while it is part of the graph being recorded."""
    if state.tape is not None and array._node is not None and live_node(array) is not None:
        raise MXNetError(f"[{who}] {WRITE_WHILE_RECORDED}")


def _write_out(operator: Operator, out: Any, arrays: Sequence[Handle], tape: Tape | None) -> Any:
    targets = list(out) if isinstance(out, (list, tuple)) else [out]
    if len(targets) != len(arrays):
        raise OpShapeError(f"[{operator.name}] out: received {len(targets)} array(s); expected {len(arrays)}.")
    for target, array in zip(targets, arrays, strict=True):
        write(target, array._t, tape, operator.name)
    return out


def write(target: Handle, value: torch.Tensor, tape: Tape | None, who: str) -> None:
    """Writes a result into an existing array, which then takes the result's place in the recorded graph."""
    if not isinstance(target, Handle):
        raise OpTypeError(f"[{who}] out: received {type(target).__name__}; expected an NDArray.")
    try:
        check_writable(target, who)
        storage = plain(target)
    except SparseOperand as found:
        found.array._write(value, tape, who)
        return
    if storage.shape != value.shape:
        raise OpShapeError(
            f"[{who}] out: received an array of shape {tuple(storage.shape)}; expected {tuple(value.shape)}."
        )
    if storage.dtype != value.dtype:
        raise OpTypeError(
            f"[{who}] out: received an array of {NAME_OF_TORCH[storage.dtype]}; expected {NAME_OF_TORCH[value.dtype]}."
        )
    storage.copy_(value.detach())
    if tape is not None and value.requires_grad:
        target._node, target._tape = value, tape
