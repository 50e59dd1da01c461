"""What `autograd.record()` means: MXNet's recording rules over torch's autograd engine.

An array holds `_t`, its storage, and `_node`, the tensor that stands for it in a recorded graph (None outside of any).
Operators read `_node` while recording and `_t`, detached, otherwise: so nothing made outside `record()` keeps a graph
alive. A Tape belongs to the results of one recorded stretch and knows which of their graphs `backward` has used up:
MXNet lets such arrays take part in later recordings as constants, torch would refuse them.
"""

import threading
from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import torch

from ..base import MXNetError
from ..config import process, switches
from ..dtypes import NAME_OF_TORCH
from ..kernels.vjp import vjp
from ..native import connect
from ..ops.common import ZeroGradient, cast, forget_sources, sources_of
from ..ops.integer_gradients import Integers, carrier_of
from ..scopes import Restoring, ending
from ..torch_private import OUTSIDE, is_shared, is_zero, run_engine, run_number


class Tape:
    """One recorded stretch: from `record()`, or the last `backward`, to the next."""

    __slots__ = ("_freed", "earlier", "spent")

    def __init__(self) -> None:
        self.spent: list[Any] = []  # graph heads whose history backward() has freed
        self.earlier: set[Tape] = set()  # tapes whose arrays were used while this one recorded
        self._freed: set[Any] = set()

    def has_freed(self, function: Any) -> bool:
        """Whether a node of the torch graph rests on one below a spent head: it cannot be differentiated any more.

        It need not lie below the head itself: the state that a recurrent layer returns beside its output does not.
        """
        if self.spent:
            self._freed.update(_below(self.spent))
            self.spent.clear()
        return bool(self._freed) and not self._freed.isdisjoint(_below([function]))

    def lineage(self) -> "set[Tape]":
        """This tape and all whose arrays flowed into it."""
        found, pending = {self}, [self]
        while pending:
            for tape in pending.pop().earlier - found:
                found.add(tape)
                pending.append(tape)
        return found


class _State(threading.local):
    """Recording state of a thread. `tape` is None when nothing is recorded."""

    tape: Tape | None = None
    training = False
    backward_training = True  # the mode in which backward functions written by users run


state = _State()


def _below(functions: Iterable[Any]) -> set[Any]:
    """All nodes of the torch graph that the given ones lead to, themselves included; variables are left out."""
    seen: set[Any] = set()
    pending = list(functions)
    while pending:
        function = pending.pop()
        if function is not None and function not in seen and not _is_variable(function):
            seen.add(function)
            pending.extend(edge for edge, _ in function.next_functions)
    return seen


def _is_variable(function: Any) -> bool:
    """Whether a node of the torch graph is a variable, or one transposed: what torch makes of the weight of a layer.

    Graphs that share no operator of MXNet share the latter: one for the layer's output, one for its gradient.
    """
    if hasattr(function, "variable"):
        return True
    return type(function).__name__ == "TBackward0" and hasattr(function.next_functions[0][0], "variable")


def set_recording(is_recording: bool) -> bool:
    """Turns recording on or off for this thread and returns what it was."""
    before = state.tape is not None
    if is_recording != before:
        state.tape = Tape() if is_recording else None
    return before


def set_training(train_mode: bool) -> bool:
    """Turns training mode (dropout drops, BatchNorm uses the batch) on or off and returns what it was."""
    before, state.training = state.training, bool(train_mode)
    return before


class Scope(Restoring):
    """`with` block that sets recording and training mode, None meaning unchanged, and puts them back."""

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self._recording, self._training = recording, training

    def __enter__(self) -> None:  # type: ignore[override]
        before, grad_mode = state.tape, torch.is_grad_enabled()
        self.close = ending(_put_back(before, state.training, grad_mode))  # type: ignore[method-assign]
        tape, training = before, state.training if self._training is None else bool(self._training)
        if self._recording is not None and self._recording != (before is not None):
            tape = Tape() if self._recording else None
        if self._recording and not grad_mode:  # e.g. inside a custom backward, which torch runs without
            try:
                torch.set_grad_enabled(True)
                state.training, state.tape = training, tape
            except BaseException:
                torch.set_grad_enabled(False)
                raise
        # Assignments without a call after them: see scopes.py.
        state.training, state.tape = training, tape


def _put_back(tape: Tape | None, training: bool, grad_mode: bool) -> Generator[None, None, None]:
    """Waits for the end of a block, and puts back what was before it, first of all without a call."""
    try:
        yield
    except GeneratorExit:  # the block was entered by hand, and forgotten
        return
    except BaseException:
        state.training = training
        if (tape is None) != (state.tape is None):
            state.tape = tape
        _go_on(tape, grad_mode)
        raise
    state.training = training
    if (tape is None) != (state.tape is None):
        state.tape = tape
    _go_on(tape, grad_mode)


def _go_on(tape: Tape | None, grad_mode: bool) -> None:
    if state.tape is tape and tape is not None and (tape.spent or tape._freed):
        state.tape = Tape()  # a backward() in a paused block has used the tape up: go on as `_use_up` does
    if torch.is_grad_enabled() != grad_mode:
        torch.set_grad_enabled(grad_mode)


def plain(array: Any) -> torch.Tensor:
    """The array's storage, cut from any graph."""
    tensor = array._t
    if tensor.requires_grad:
        # Not detach(): torch would count writes through it as damage to the graph. MXNet's rule is that a gradient
        # reads what stands in memory when backward() runs, and programs rely on it (two losses, two trainers).
        tensor = array._t = tensor.data
    return tensor


def live_node(array: Any) -> torch.Tensor | None:
    """The array's place in a recorded graph, or None if it has none or `backward` used its graph up."""
    node, tape = array._node, array._tape
    if node is None or tape is None:
        return node
    if tape.has_freed(node.grad_fn):
        array._leave_graph()
        return None
    return node


def constant(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor over the same memory, for a graph to keep: writes to the array are not counted as damage to the graph.

    As with `plain`: a gradient reads what stands in memory when backward() runs.
    """
    alias = tensor.data
    if not tensor.is_floating_point() and (noted := getattr(tensor, "_sources", None)) is not None:
        alias._sources = noted  # type: ignore[attr-defined]  # see ops/common.py
    return alias


def recorded_input(array: Any, tape: Tape) -> torch.Tensor:
    """What an operator that is being recorded on `tape` reads of an array."""
    node = array._node
    if node is None:
        return constant(array._t)
    owner = array._tape
    if owner is None:  # a variable made by attach_grad
        return node
    if owner.spent or owner._freed:
        live = live_node(array)
        if live is None:
            return constant(array._t)
    if owner is not tape:
        tape.earlier.add(owner)
    return node


NOT_RECORDED = (
    "[backward] received an array that is not part of a recorded graph. Either it was computed outside "
    "`with autograd.record():`, or nothing it was computed from has `attach_grad()`, or an earlier backward used the "
    "graph up: pass retain_graph=True to that backward to differentiate the same graph again."
)


_locks: dict[torch.device, threading.Lock] = defaultdict(threading.Lock)


def run_backward(heads: Sequence[Any], head_grads: Sequence[Any], retain_graph: bool, train_mode: bool = True) -> None:
    """Write the gradients of the sum of `heads` to the variables they were recorded from.

    Args:
        heads: recorded arrays.
        head_grads: for each an array to start from, or None for ones.
        retain_graph: keep the graph for another backward.
        train_mode: the mode in which backward functions written by users run.
    """
    nodes, grads, tapes = _roots(heads, head_grads)
    if not nodes:
        return
    accumulate_gradients(nodes, grads, retain_graph, train_mode)
    if not retain_graph:
        _use_up(heads, nodes, tapes)


def accumulate_gradients(
    nodes: Sequence[torch.Tensor], grads: Sequence[torch.Tensor], retain_graph: bool, train_mode: bool = True
) -> None:
    """Run torch's engine from some tensors of its graph; hooks deliver the gradients to the slots of variables."""
    # Threads may share variables, and torch's leaves collect one gradient at a time. A backward inside a Function's own
    # backward already has the lock.
    is_inner = run_number() != OUTSIDE
    before = switches.collecting, state.backward_training
    switches.collecting, state.backward_training = False, train_mode
    try:
        with nullcontext() if is_inner else _locks[nodes[0].device]:
            if process.tracer is None:
                run_engine(nodes, grads, retain_graph)
            else:
                with process.tracer.api("backward"):
                    run_engine(nodes, grads, retain_graph)
    except MXNetError:
        raise  # from a Function's own backward
    except RuntimeError as error:
        raise _explained(error) from error
    finally:
        switches.collecting, state.backward_training = before


def _roots(heads: Sequence[Any], head_grads: Sequence[Any]) -> tuple[list[Any], list[Any], "set[Tape]"]:
    nodes, grads, tapes = [], [], set()
    for head, head_grad in zip(heads, head_grads, strict=True):
        node = live_node(head)
        if node is None:
            if head._tape is None:
                raise MXNetError(NOT_RECORDED)
            sources = sources_of((head._t,))
            if not sources:
                continue  # recorded, yet constant
            # A comparison, say: its gradient is zero everywhere, and arrives as that.
            node, head_grad = ZeroGradient.apply(sources[0].new_zeros(()), *sources), None
        if head_grad is None:
            grad = torch.ones_like(node)
        else:
            grad = plain(head_grad) if state.tape is None else recorded_input(head_grad, state.tape)
            _check_head_grad(node, grad)
        if type(node) is Integers:
            node = carrier_of(node)
            grad = grad.to(node.dtype)
        nodes.append(node)
        grads.append(grad)
        if head._tape is not None:
            tapes |= head._tape.lineage()
    return nodes, grads, tapes


def _check_head_grad(node: torch.Tensor, grad: torch.Tensor) -> None:
    if grad.shape != node.shape:
        raise MXNetError(
            f"[backward] received a head gradient of shape {tuple(grad.shape)} for an array of shape "
            f"{tuple(node.shape)}; expected the same shape."
        )
    if grad.dtype != node.dtype:
        raise MXNetError(
            f"[backward] received a head gradient of {NAME_OF_TORCH[grad.dtype]} for an array of "
            f"{NAME_OF_TORCH[node.dtype]}; expected the same dtype. Convert it with astype()."
        )


def _use_up(heads: Sequence[Any], nodes: Sequence[torch.Tensor], tapes: "set[Tape]") -> None:
    forget_sources()
    functions = [node.grad_fn for node in nodes if node.grad_fn is not None]
    for tape in tapes:
        tape.spent.extend(functions)
    for head in heads:
        if head._tape is not None:
            head._leave_graph()
    if state.tape in tapes:
        state.tape = Tape()


def _explained(error: RuntimeError) -> MXNetError:
    text = str(error)
    if "a second time" in text:
        return MXNetError(NOT_RECORDED)
    return MXNetError(f"[backward] {text}")


def run_gradients(
    heads: Sequence[Any],
    variables: Sequence[Any],
    head_grads: Sequence[Any],
    retain_graph: bool,
    create_graph: bool,
    train_mode: bool = True,
) -> list[torch.Tensor]:
    """Return the gradients of the sum of `heads` with respect to `variables`, leaving the variables' buffers alone."""
    sources = []
    for position, variable in enumerate(variables):
        source = live_node(variable)
        if source is None:
            raise MXNetError(
                f"[autograd.grad] variable {position} is not part of a recorded graph; call attach_grad() on it before "
                "`with autograd.record():`."
            )
        sources.append(source)
    dtypes = [source.dtype for source in sources]
    sources = [carrier_of(source) for source in sources]
    nodes, grads, tapes = _roots(heads, head_grads)
    if not nodes:
        return [torch.zeros_like(source, dtype=dtype) for source, dtype in zip(sources, dtypes, strict=True)]
    connect(nodes)
    before = switches.collecting, state.backward_training
    switches.collecting, state.backward_training = True, train_mode
    try:
        found = vjp(nodes, sources, grads, retain_graph=retain_graph, create_graph=create_graph)
    except MXNetError:
        raise  # from a Function's own backward
    except RuntimeError as error:
        raise _explained(error) from error
    finally:
        switches.collecting, state.backward_training = before
    if not retain_graph:
        _use_up(heads, nodes, tapes)
    taken = {_address(grad) for grad in grads}
    made = [
        torch.zeros_like(source) if grad is None or is_zero(grad) else _owned(grad, taken)
        for grad, source in zip(found, sources, strict=True)
    ]
    if create_graph:
        # A gradient that does not depend on its variable stays in the graph: differentiated again it gives zeros.
        made = [
            grad if grad.requires_grad else ZeroGradient.apply(grad, source)
            for grad, source in zip(made, sources, strict=True)
        ]
    return [grad if grad.dtype is dtype else cast(grad, dtype) for grad, dtype in zip(made, dtypes, strict=True)]


def _address(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _owned(grad: torch.Tensor, taken: set[int]) -> torch.Tensor:
    """A gradient in memory of its own: torch hands out head gradients, one tensor twice, and expanded ones."""
    if grad.is_sparse:
        grad = grad.to_dense()
    if _address(grad) in taken or is_shared(grad) or not grad.is_contiguous():
        grad = grad.clone(memory_format=torch.contiguous_format)
    taken.add(_address(grad))
    return grad
