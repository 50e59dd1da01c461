"""Runs of programs that gradients are asked of: one node to torch's autograd engine."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import torch

from ..config import process, switches
from ..context import Context
from ..kernels.vjp import vjp
from ..native import runner
from ..ops.common import connected
from ..ops.integer_gradients import Integers
from ..rng import generator
from ..torch_private import can_watch, keeps_graph
from .autodiff import GradientProgram, Sink
from .capture.guard import variant
from .capture.recorder import LeftToTorch
from .capture.replay import Record, gradient_pair
from .program import Program, Updates

_VARIANT_LIMIT = 256  # kept per program; data of ever new shapes must not grow it
_USED_UP = "the graph was differentiated already; it cannot be differentiated a second time"


class _Run(torch.autograd.Function):
    """One run of a program, as torch's engine sees it."""

    @staticmethod
    def forward(
        ctx: Any,
        compiled: GradientProgram,
        context: Context,
        updates: Updates,
        sinks: Sequence[Sink | None],
        record: Record | None,
        *tensors: torch.Tensor,
    ) -> Any:
        ctx.set_materialize_grads(False)
        ctx.compiled, ctx.context, ctx.tensors, ctx.sinks = compiled, context, tensors, sinks
        ctx.drawn_from = generator(context).get_state() if compiled.draws else None
        found = None if record is None else _recorded_forward(compiled, record, tensors, context, ctx.drawn_from)
        ctx.record = None if found is None else record
        heads, ctx.saved, changed = found or _forward(compiled, tensors, context)
        updates.extend(changed)
        # Heads apart from what is saved: torch makes them hold this node, which holds what is saved.
        results = tuple(head.data for head in heads)
        fixed = [result for number, result in enumerate(results) if not _has_gradient(compiled, number, result)]
        ctx.mark_non_differentiable(*fixed)
        return results

    @staticmethod
    def backward(ctx: Any, *head_grads: torch.Tensor | None) -> Any:
        if ctx.tensors is None:
            raise RuntimeError(_USED_UP)
        tensors, record = ctx.tensors, ctx.record
        keep = torch.is_grad_enabled() or keeps_graph()
        saved = ctx.saved
        if not keep:
            ctx.saved = ctx.tensors = ctx.record = None
        if torch.is_grad_enabled():
            grads = _differentiable(ctx.compiled, ctx.context, ctx.drawn_from, tensors, head_grads)
        elif record is None or keep or switches.collecting:
            grads = ctx.compiled.backward(saved, head_grads, keep, _open_sinks(ctx.sinks))
        else:
            grads = _recorded_backward(ctx.compiled, record, saved, head_grads, ctx.sinks)
        return None, None, None, None, None, *grads


# What `_Run.apply` does, without a look at transformations of functions that nobody here uses: it costs as much as
# a small operator.
_apply = super(torch.autograd.Function, _Run).apply


def _has_gradient(compiled: GradientProgram, head: int, value: torch.Tensor) -> bool:
    return compiled.is_reached(head) and value.is_floating_point()


def _connected(
    compiled: GradientProgram, number: int, head: torch.Tensor, tensors: Sequence[torch.Tensor]
) -> torch.Tensor:
    """Return a head in its place in the graph: torch connects those that can carry a gradient."""
    return head if head.requires_grad or not compiled.is_reached(number) else connected(head, tensors)


def _open_sinks(sinks: Sequence[Sink | None]) -> Sequence[Sink | None]:
    """Where gradients are delivered to: nowhere while somebody collects them."""
    return [None] * len(sinks) if switches.collecting else sinks


def _forward(compiled: GradientProgram, tensors: Sequence[torch.Tensor], context: Context) -> tuple[Any, Any, Updates]:
    """The heads, what the backward needs, and new values of states."""
    updates: Updates = []
    heads, saved = compiled.forward(tensors, context, updates)
    return heads, saved, updates


def _recorded_forward(
    compiled: GradientProgram,
    record: Record,
    tensors: Sequence[torch.Tensor],
    context: Context,
    drawn_from: torch.Tensor | None,
) -> tuple[Any, Any, Updates] | None:
    """The same, noting what is called; None where it cannot be recorded."""
    try:
        given = record.begin_forward(tensors)
        with record.recorder.recording():
            heads, saved, updates = _forward(compiled, given, context)
    except LeftToTorch:
        compiled.replay.give_up()
        if drawn_from is not None:
            generator(context).set_state(drawn_from)
        return None
    record.end_forward(heads, updates, [_has_gradient(compiled, *each) for each in enumerate(heads)])
    return heads, saved, updates


class _NotedSink(NamedTuple):
    """Delivers the gradient of an input, and notes that it is complete."""

    record: Record
    position: int
    sink: Sink | None
    left: dict[int, torch.Tensor]  # gradients that are not delivered

    def deliver(self, value: torch.Tensor) -> None:
        """Takes the gradient."""
        with self.record.recorder.paused():
            self.record.deliver(self.position, value)
            if self.sink is None:
                self.left[self.position] = value
            else:
                self.sink.deliver(value)


def _recorded_backward(
    compiled: GradientProgram,
    record: Record,
    saved: list[Any],
    head_grads: Sequence[torch.Tensor | None],
    sinks: Sequence[Sink | None],
) -> list[torch.Tensor | None]:
    """Gradients of the inputs, noting what is called for them."""
    head_grads = record.begin_backward(head_grads)
    left: dict[int, torch.Tensor] = {}
    noted = [
        _NotedSink(record, position, sink, left) if compiled.needs[position] else None
        for position, sink in enumerate(sinks)
    ]
    with record.recorder.recording():
        rest = compiled.backward(saved, head_grads, False, noted)
    for sink, grad in zip(noted, rest, strict=True):
        if sink is not None and grad is not None:  # of an input that is a head itself
            sink.deliver(grad.clone())
    record.finish()
    compiled.replay.enter(record, partial(gradient_pair, wanted=compiled.needs))
    return [left.get(position) for position in range(len(sinks))]


def _differentiable(
    compiled: GradientProgram,
    context: Context,
    drawn_from: torch.Tensor | None,
    tensors: Sequence[torch.Tensor],
    head_grads: Sequence[torch.Tensor | None],
) -> list[torch.Tensor | None]:
    """Gradients that can be differentiated again: the program is run once more, under torch's eyes."""
    with drawing_from(context, drawn_from):
        heads, _ = compiled.program.run(tensors, context, True)
    given = [
        (head, grad) for head, grad in zip(heads, head_grads, strict=True) if grad is not None and head.requires_grad
    ]
    wanted = [place for place, tensor in enumerate(tensors) if tensor.requires_grad]
    grads: list[torch.Tensor | None] = [None] * len(tensors)
    if given:
        found = vjp(
            [head for head, _ in given],
            [tensors[place] for place in wanted],
            [grad for _, grad in given],
            retain_graph=True,
            create_graph=True,
        )
        for place, grad in zip(wanted, found, strict=True):
            grads[place] = grad
    return grads


@contextmanager
def drawing_from(context: Context, drawn_from: torch.Tensor | None) -> Iterator[None]:
    """The random numbers of an earlier run, in a `with` block."""
    rng = generator(context)
    now = rng.get_state()
    if drawn_from is not None:
        rng.set_state(drawn_from)
    try:
        yield
    finally:
        rng.set_state(now)


def _in_python(
    compiled: GradientProgram,
    context: Context,
    drawn_from: torch.Tensor | None,
    tensors: Sequence[torch.Tensor],
    head_grads: Sequence[torch.Tensor | None],
    sinks: Sequence[Sink | None],
) -> list[torch.Tensor | None]:
    """Gradients of a run by the native runner whose backward is not like the recorded one: all is done again."""
    if torch.is_grad_enabled():
        return _differentiable(compiled, context, drawn_from, tensors, head_grads)
    with drawing_from(context, drawn_from):
        _, saved = compiled.forward(tensors, context, [])
    return compiled.backward(saved, head_grads, False, _open_sinks(sinks))


def _replayed(
    compiled: GradientProgram, tensors: Sequence[torch.Tensor], context: Context, sinks: Sequence[Sink | None]
) -> tuple[list[torch.Tensor], Updates] | None:
    """A run by the native runner; None where the inputs are not like those of the record, or operators are timed."""
    if process.tracer is not None:
        return None
    drawn_from = None
    if compiled.draws:
        rng = generator(context)
        if rng is not compiled.replay.generator:
            return None
        drawn_from = rng.get_state()
    try:
        return compiled.replay.captured.run(tensors, sinks, partial(_in_python, compiled, context, drawn_from))
    except Exception:  # which Python meets as well, and explains
        if drawn_from is not None:
            rng.set_state(drawn_from)
        return None


def run_with_gradients(
    program: Program,
    tensors: Sequence[torch.Tensor],
    context: Context,
    sinks: Sequence[Sink | None],
) -> tuple[list[torch.Tensor], Updates]:
    """Runs a program so that gradients can be asked for.

    Args:
        program: the program.
        tensors: one for each input.
        context: see Program.run.
        sinks: for each input where its gradient can be delivered while torch's engine runs, or None.
    """
    if Integers in map(type, tensors):
        return program.run(tensors, context, True)  # their gradients are not torch's own
    latest = program.latest
    if latest is not None and latest.replay.captured is not None:
        # The native guard looks at more than the key below, in less time.
        found = _replayed(latest, tensors, context, sinks)
        if found is not None:
            return found
    key = variant(tensors, context)
    compiled = program.gradient_programs.get(key)
    if compiled is None:
        if len(program.gradient_programs) >= _VARIANT_LIMIT:
            program.gradient_programs.clear()
        compiled = program.gradient_programs[key] = GradientProgram(
            program, tuple([tensor.requires_grad for tensor in tensors])
        )
    if compiled.replay.captured is not None and compiled is not latest:
        program.latest = compiled
        found = _replayed(compiled, tensors, context, sinks)
        if found is not None:
            return found
    # On other devices kernels run beside Python, which costs nothing then.
    native = runner() if can_watch and context.device_type == "cpu" and compiled.can_be_replayed else None
    is_hopeful = native is not None and compiled.replay.is_hopeful
    if compiled.makes_integers or not (is_hopeful or compiled.is_worthwhile):
        return program.run(tensors, context, True)
    record = compiled.replay.record(native, tensors, generator(context) if compiled.draws else None)
    updates: Updates = []
    heads = _apply(compiled, context, updates, sinks, record, *tensors)
    return [_connected(compiled, number, head, tensors) for number, head in enumerate(heads)], updates
