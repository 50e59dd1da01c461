"""The one place where operators meet sparse arrays: by storage type to a rule, or to the dense form."""

from collections.abc import Sequence
from typing import Any

import torch

from ...autograd.recording import Tape, plain, recorded_input, state
from ...base import MXNetError
from ...config import process
from ...context import Context
from ...ops.registry import Operator, explained
from ...runtime.handle import STORAGE_TYPES
from ...runtime.invoke import enter_graph, invoke, mixed_contexts, not_an_array
from ..dense import NDArray
from .custom import run_custom
from .products import RECORDED_RULES
from .rules import RULES
from .storage import Rows, Store
from .update_rules import update_rows


class _FromPlace(torch.autograd.Function):
    """The dense form of a sparse variable; its gradient goes to the tensor that stands for the variable."""

    @staticmethod
    def forward(ctx: Any, place: torch.Tensor, dense: torch.Tensor) -> torch.Tensor:
        return dense

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return gradient, None


class Dispatcher:
    """How an operator with a sparse input is carried out."""

    __slots__ = ()

    _ctx: Any
    _store: Any
    _tape: Tape | None

    def _dense(self) -> torch.Tensor:
        raise NotImplementedError

    def _live_place(self) -> torch.Tensor | None:
        raise NotImplementedError

    def _as_dense(self, tape: Tape | None) -> NDArray:
        """The dense form as an array, recorded if the sparse one is part of a graph."""
        place = None if tape is None else self._live_place()
        if place is None or tape is None:
            return NDArray(self._dense(), self._ctx)
        if self._tape is None:  # a variable: its place has no values
            place = _FromPlace.apply(place, self._dense())
        elif self._tape is not tape:
            tape.earlier.add(self._tape)
        return NDArray._recorded(place, self._ctx, tape)

    def _invoke(self, operator: Operator, inputs: Sequence[Any], params: dict[str, Any], out: Any) -> Any:
        """Runs an operator of which at least one input is sparse."""
        if process.tracer is None:
            return self._invoke_sparse(operator, inputs, params, out)
        with process.tracer.whole(operator.name):
            return self._invoke_sparse(operator, inputs, params, out)

    def _invoke_sparse(self, operator: Operator, inputs: Sequence[Any], params: dict[str, Any], out: Any) -> Any:
        check_inputs(operator, inputs)
        if operator.describes is not None:
            return self._invoke_custom(operator, inputs, params, out, self._ctx)
        if update_rows(operator, inputs, params, out):
            return out
        tape = state.tape
        result = self._outcome(operator, inputs, params, tape)
        if result is None:
            return _invoke_dense(operator, inputs, params, out, tape)
        if out is None:
            return result
        write_result(result, out, operator.name)
        return out

    @staticmethod
    def _invoke_custom(
        operator: Operator, inputs: Sequence[Any], params: dict[str, Any], out: Any, context: Context
    ) -> Any:
        """Runs an operator in Python that takes or gives sparse arrays."""
        result = run_custom(operator, inputs, params, context, {})
        if out is None:
            return result
        write_result(result, out, operator.name)
        return out

    def _outcome(self, operator: Operator, inputs: Sequence[Any], params: dict[str, Any], tape: Tape | None) -> Any:
        """The result of the rule for these storage types; None if there is none."""
        is_recorded = tape is not None and any(_in_graph(array, tape) for array in inputs)
        operands = [_operand(array) for array in inputs]
        try:
            if is_recorded and operator.name in RECORDED_RULES:
                result = self._recorded_outcome(operator, inputs, operands, params, tape)
                if result is not None:
                    return result
            rule = RULES.get(operator.name)
            outcome = rule(operator, operands, params) if rule else None
        except Exception as error:
            raise explained(operator, operands, error) from error
        if outcome is None:
            return None
        if isinstance(outcome, list):
            arrays = [self._wrapped(part) for part in outcome]
            return arrays if len(arrays) > 1 else arrays[0]
        if not is_recorded:
            return self._wrapped(outcome)
        # The gradient comes from the dense forms; the rule has told the storage type.
        dense = _invoke_dense(operator, inputs, params, None, tape)
        return dense if isinstance(outcome, torch.Tensor) else _recorded_as(_stype(outcome), dense)

    def _recorded_outcome(
        self, operator: Operator, inputs: Sequence[Any], operands: list[Any], params: dict[str, Any], tape: Any
    ) -> Any:
        """The result of a rule that brings its own gradient; None if it does not apply."""
        places = [_place(array, tape) for array in inputs]
        found = RECORDED_RULES[operator.name](operands, places, params)
        if found is None:
            return None
        value, stype = found
        dense = NDArray(value, self._ctx)
        enter_graph(dense, value, places, tape)
        return dense if stype == "default" else _recorded_as(stype, dense)

    def _wrapped(self, outcome: Any) -> Any:
        if isinstance(outcome, torch.Tensor):
            return NDArray(outcome, self._ctx)
        return STORAGE_TYPES[_stype(outcome)](outcome, self._ctx)


def _stype(store: Store) -> str:
    return "row_sparse" if isinstance(store, Rows) else "csr"


def _recorded_as(stype: str, dense: NDArray) -> Any:
    """A sparse array whose place in the recorded graph is that of its dense form."""
    array = STORAGE_TYPES[stype]._from_dense(plain(dense), dense._ctx)
    array._place, array._tape = dense._node, dense._tape
    return array


def is_sparse(array: Any) -> bool:
    """Whether an input is a sparse array."""
    return isinstance(array, Dispatcher)


def _operand(array: Any) -> Any:
    """What rules work on: a storage or a tensor."""
    if array is None:
        return None
    return array._store if isinstance(array, Dispatcher) else plain(array)


def _place(array: Any, tape: Tape) -> torch.Tensor | None:
    """Where an input stands in the graph being recorded."""
    if array is None:
        return None
    return array._live_place() if isinstance(array, Dispatcher) else recorded_input(array, tape)


def _in_graph(array: Any, tape: Tape) -> bool:
    place = _place(array, tape)
    return place is not None and place.requires_grad


def check_inputs(operator: Operator, inputs: Sequence[Any]) -> None:
    """Refuses inputs that are no arrays, and arrays on different devices."""
    devices = set()
    for position, array in enumerate(inputs):
        if isinstance(array, NDArray):
            devices.add(array._ctx.device)
        elif array is not None or position < operator.num_required:
            raise not_an_array(operator, position, array)
    if len(inputs) < operator.num_required:
        raise not_an_array(operator, len(inputs), None)
    if len(devices) > 1:
        raise mixed_contexts(operator, inputs)


def _invoke_dense(
    operator: Operator, inputs: Sequence[Any], params: dict[str, Any], out: Any, tape: Tape | None
) -> Any:
    """Runs an operator on dense forms; states that it changes are written back to the sparse arrays."""
    dense = [array._as_dense(tape) if isinstance(array, Dispatcher) else array for array in inputs]
    result = invoke(operator, dense, params, out, NDArray)
    for position in operator.auxiliary_positions(len(inputs), params):
        array: Any = inputs[position]
        if isinstance(array, Dispatcher):
            array._write(plain(dense[position]), None, operator.name)  # type: ignore[attr-defined]
    return result


def write_result(result: Any, out: Any, who: str) -> None:
    """Writes one result to an array that was given for it."""
    if isinstance(result, list):
        for part, target in zip(result, out, strict=True):
            write_result(part, target, who)
        return
    target = out[0] if isinstance(out, (list, tuple)) and len(out) == 1 else out
    if not isinstance(target, NDArray):
        raise MXNetError(f"[{who}] out: received {type(target).__name__}; expected an NDArray.")
    if is_sparse(result) and is_sparse(target) and result.stype != target.stype:
        result = result.tostype("default")
    result.copyto(target)
