"""Compiled training without Python: the calls that a program makes, forward and backward, made by the native runner.

What a program calls is recorded twice, in two runs that follow each other. If both records are the same, down to the
numbers and the tensors that are not computed, what is called does not depend on data, and the runner takes over.
While kernels are still being tried out, it is recorded again later.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import torch

from ...config import process, switches
from ...kernels.tuning import tuner
from ...native import runner
from .guard import TensorSpec, guard_of
from .recorder import Call, Recorder, renumbered, with_ends, without_aliases

_FIRST = 8  # runs before the first record
_LAST = 4096  # runs after which nobody tries any more
_HOPEFUL = 256  # runs in which two records are most likely to be the same one day: kernels are being tried out


class Delivery(NamedTuple):
    """The gradient of an input, complete after so many calls of the backward program."""

    after: int
    slot: int
    input: int


class Record:
    """One run, forward and backward.

    Args:
        tensors: the inputs of the program.
        generator: what it draws random numbers from, if it does.
    """

    def __init__(self, tensors: Sequence[torch.Tensor], generator: torch.Generator | None = None) -> None:
        self.recorder = Recorder()
        self.inputs: list[int] = []
        self.guard = guard_of(tensors, generator)
        self.heads: list[int] = []
        self.active: list[bool] = []
        self.states: list[tuple[int, int]] = []  # positions of inputs and slots of their new values
        self.num_forward = 0  # calls before the backward program begins
        self.given: list[bool] = []  # for each head whether it had a gradient
        self.grads: list[int] = []
        self.grad_guard = guard_of(())
        self.deliveries: list[Delivery] = []
        self.is_complete = False
        self._num_tried = tuner.num_tried

    def begin_forward(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Notes the inputs, and returns what the program is to be run with."""
        self.inputs, aliases = self.recorder.give(tensors)
        return aliases

    def end_forward(
        self, heads: Sequence[torch.Tensor], updates: Sequence[tuple[int, torch.Tensor]], active: list[bool]
    ) -> None:
        """Notes the results, and from which of them gradients flow."""
        self.active = active
        self.heads = [self.recorder.slot(head) for head in heads]
        self.states = [(position, self.recorder.slot(value)) for position, value in updates]
        self.num_forward = len(self.recorder.calls)

    def begin_backward(self, head_grads: Sequence[torch.Tensor | None]) -> list[torch.Tensor | None]:
        """Notes the gradients of the heads, and returns what the program is to be run with."""
        self.given = [grad is not None for grad in head_grads]
        present = [grad for grad in head_grads if grad is not None]
        self.grads, aliases = self.recorder.give(present)
        self.grad_guard = guard_of(aliases)
        left = iter(aliases)
        return [next(left) if is_given else None for is_given in self.given]

    def deliver(self, position: int, grad: torch.Tensor) -> None:
        """Notes that the gradient of an input is complete."""
        after = len(self.recorder.calls) - self.num_forward
        self.deliveries.append(Delivery(after, self.recorder.slot(grad), position))

    def finish(self) -> None:
        """Ends the record of a run; one in which kernels were tried out is not complete, for they take turns."""
        self.is_complete = self._num_tried == tuner.num_tried

    def is_like(self, other: "Record") -> bool:
        """Whether the same was called, on tensors that look the same."""
        mine, others = self.recorder, other.recorder
        return (
            all(record.is_complete and record.recorder.is_sound for record in (self, other))
            and mine.calls == others.calls
            and self._frame() == other._frame()
            and mine.constants.keys() == others.constants.keys()
            and all(tensor is others.constants[slot] for slot, tensor in mine.constants.items())
        )

    def _frame(self) -> tuple[Any, ...]:
        return self.guard, self.heads, self.states, self.num_forward, self.given, self.grad_guard, self.deliveries


def gradient_pair(record: Record, runner: Any, *, wanted: Sequence[bool]) -> Any:
    """The runner's programs for a record.

    Args:
        record: a run.
        runner: the native module.
        wanted: for each input whether its gradient is wanted.
    """
    recorder = record.recorder
    forward, backward, ends = _directions(record)
    delivered = [delivery.slot for delivery in record.deliveries]
    known = {*record.inputs, *record.grads, *recorder.constants, *[slot for call in backward for slot in call.makes()]}
    read = dict.fromkeys([*[slot for call in backward for slot in call.reads()], *delivered])
    kept = [slot for slot in read if slot not in known]
    outputs = [*record.heads, *[slot for _, slot in record.states], *kept]
    first, _ = _program(runner, recorder, forward, record.inputs, record.guard.specs, outputs)
    given = [*record.grads, *record.inputs, *kept]
    second, number_of = _program(runner, recorder, backward, given, record.grad_guard.specs, delivered)
    lent = {*given, *recorder.constants}  # what others have too
    last_read = {slot: place for place, call in enumerate(backward) for slot in call.reads()}
    last_delivery = {slot: place for place, slot in enumerate(delivered)}
    deliveries = [
        (
            *(ends[place], number_of[each.slot], each.input),
            each.slot not in lent and last_read.get(each.slot, -1) < ends[place] and last_delivery[each.slot] == place,
        )
        for place, each in enumerate(record.deliveries)
    ]
    positions = [position for position, _ in record.states]
    return runner.Pair(
        *(first, second, list(wanted), record.active, record.given, positions, deliveries),
        lambda: switches.collecting,
    )


def forward_program(record: Record, runner: Any) -> Any:
    """The runner's program for a record without backward."""
    forward, _, _ = _directions(record)
    program, _ = _program(runner, record.recorder, forward, record.inputs, record.guard.specs, record.heads)
    return program


def _directions(record: Record) -> tuple[list[Call], list[Call], list[int]]:
    """The calls forward and backward, and how many of the latter come before each delivery."""
    calls: list[Call | None] = list(record.recorder.calls)
    if record.recorder.keeps_geometry:
        kept = {*record.heads, *[slot for _, slot in record.states], *[each.slot for each in record.deliveries]}
        calls = without_aliases(record.recorder.calls, kept)
    forward, backward = calls[: record.num_forward], calls[record.num_forward :]
    before = list(accumulate((call is not None for call in backward), initial=0))
    ends = [before[each.after] for each in record.deliveries]
    return [call for call in forward if call], [call for call in backward if call], ends


def _program(
    runner: Any,
    recorder: Recorder,
    calls: Sequence[Call],
    inputs: Sequence[int],
    specs: Sequence[TensorSpec],
    outputs: Any,
) -> tuple[Any, dict[int, int]]:
    """The calls as the runner takes them, and the numbers that their slots have there."""
    number_of = {slot: number for number, slot in enumerate(inputs)}
    moved = renumbered(calls, number_of)
    kept = {number_of.setdefault(slot, len(number_of)) for slot in outputs}
    constants = [(number_of[slot], tensor) for slot, tensor in recorder.constants.items() if slot in number_of]
    made = runner.Program(
        *(with_ends(moved, kept), len(number_of), list(specs), constants, [number_of[slot] for slot in outputs])
    )
    return made, number_of


class Replay:
    """When to record the runs of a program, and what the runner runs once two records are the same."""

    __slots__ = ("_before", "_is_open", "_next", "_runs", "captured", "generator")

    def __init__(self) -> None:
        self.captured: Any = None
        self.generator: torch.Generator | None = None  # what the recorded calls draw from
        self._runs = 0
        self._next = _FIRST
        self._before: Record | None = None
        self._is_open = False  # whether a record was begun whose backward has not come

    def record(self, native: Any, tensors: Sequence[torch.Tensor], generator: torch.Generator | None) -> Record | None:
        """A record to fill during this run; None where this one is not recorded."""
        if process.tracer is not None:
            return None
        self._runs += 1
        if native is None or self._runs < self._next or self._runs > _LAST or self.captured is not None:
            return None
        if self._is_open:
            self._is_open, self._next = False, 2 * self._runs
            return None
        self.generator, self._is_open = generator, True
        return Record(tensors, generator)

    @property
    def is_hopeful(self) -> bool:
        """Whether runs as stages may lead to a program of the runner, so that they need not be worthwhile."""
        return self._runs <= _HOPEFUL

    def begin_again(self) -> None:
        """Lets go of an earlier record, which was made in other surroundings."""
        self._before = None

    def give_up(self) -> None:
        """Records no more."""
        self._runs = _LAST

    def enter(self, record: Record, make: Callable[[Record, Any], Any]) -> None:
        """Takes a record that is complete.

        Args:
            record: what was called.
            make: what the runner, the native module, is to run; called when the record is like the one before.
        """
        before, self._before = self._before, None
        self._is_open = False
        if before is None:
            self._before = record
        elif record.is_like(before):
            self.captured = make(record, runner())
        else:
            self._next = 2 * self._runs
