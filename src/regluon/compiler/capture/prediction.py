"""Compiled prediction without Python: the calls that a program makes, made by the native runner.

As for training (replay.py), two runs that follow each other have to make the same calls. What depends on parameters
alone is a constant of these calls, and holds only as long as nobody writes to a parameter. The runner lets go of
Python's lock while it runs, so that threads of a program that call one network do not wait for each other.
"""

from collections.abc import Callable, Sequence

import torch

from ...config import switches
from ...context import Context
from ...native import runner
from ...torch_private import can_watch
from .recorder import LeftToTorch
from .replay import Replay, forward_program

Run = Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]


class Prediction:
    """The runs of a program that no gradients are asked of, by the runner once it is known what they call."""

    __slots__ = ("_replay", "_taken_for_granted")

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begins anew: what calls take for granted has changed."""
        self._replay = Replay()
        self._taken_for_granted: tuple[bool, Context] | None = None  # the switch and the context of the record

    def run_captured(self, tensors: Sequence[torch.Tensor], context: Context) -> list[torch.Tensor] | None:
        """The heads by the runner; None where Python must find them."""
        captured = self._replay.captured
        if captured is None or self._taken_for_granted != (switches.np_shape, context):
            return None
        try:
            found: list[torch.Tensor] | None = captured.run(tensors)
        except Exception:  # which Python meets as well, and explains
            return None
        return found

    def run(self, tensors: Sequence[torch.Tensor], context: Context, in_python: Run) -> list[torch.Tensor]:
        """The heads by Python, perhaps noting what is called.

        Args:
            tensors: the inputs of the program.
            context: see Program.run.
            in_python: computes the heads from inputs.
        """
        replay = self._replay
        record = replay.record(runner() if can_watch else None, tensors, None)
        if record is None:
            return in_python(tensors)
        if not all(map(_is_plain, tensors)):
            replay.give_up()
            return in_python(tensors)
        try:
            given = record.begin_forward(tensors)
            with record.recorder.recording():
                heads = in_python(given)
        except LeftToTorch:
            replay.give_up()
            return in_python(tensors)
        record.end_forward(heads, (), [False] * len(heads))
        record.finish()
        granted = switches.np_shape, context
        if granted != self._taken_for_granted:  # the first of two records, or one unlike the other
            self._taken_for_granted = granted
            replay.begin_again()
        replay.enter(record, forward_program)
        return heads


def _is_plain(tensor: torch.Tensor) -> bool:
    """Whether torch keeps no graph of it, nobody stands behind it, and Python is not busy with other work meanwhile."""
    return type(tensor) is torch.Tensor and tensor.is_cpu and not tensor.requires_grad
