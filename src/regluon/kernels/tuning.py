"""Choosing between kernels that compute the same, by timing them on the work itself.

Nothing is computed twice: each of the first calls is done by one of the candidates and timed. Those that fall behind
are dropped, the others have more turns, and then the quickest is taken from then on. Choices are remembered on disk, so
that the next process begins with them. `MXNET_AUTOTUNE=0` and `mx.util.deterministic()` always take the first
candidate.
"""

import atexit
import functools
import hashlib
import json
import os
import platform
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

import regluon.native as native

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

from ..base import MXNetError, kept_folder
from ..config import process, switches, varies
from ..config import read as read_setting
from ..formats.atomic import atomic_write
from ..native import levels

# After so many turns of each, those are dropped whose quickest one took so many times as long as the best. The first
# turns pay for memory and code that is new, and a machine is not equally quick all the time.
_BEHIND: dict[float, float] = {3: 1.3, 6: 1.1}
_TURNS = 12
_FEW = 4  # candidates, which have twice as many turns: a second thread that was asleep makes any of them look slow
_PATIENCE = 8  # turns that are forgotten because another program came in between; on a busy machine all would be
_TIMING_LIMIT = 4096  # kinds of work kept; data of ever new shapes must not grow it

Candidates = tuple[tuple[str, Callable[..., Any]], ...]  # kernels by name, the usual choice first


class _Trial:
    """One kind of work whose best kernel is not known yet."""

    __slots__ = ("best", "disturbed", "left", "rounds", "waiting")

    def __init__(self, count: int) -> None:
        self.best = [float("inf")] * count
        self.left = list(range(count))  # candidates that may still be the best
        self.waiting = list(self.left)  # those whose turn in this round is still to come
        self.rounds = 0
        self.disturbed = 0

    def next(self) -> int:
        """The candidate whose turn it is; threads that come together may get the same."""
        return self.waiting[0] if self.waiting else 0

    def enter(self, number: int, seconds: float, is_disturbed: bool) -> bool:
        """Notes the time of a turn, and says whether the trial is over."""
        if is_disturbed and self.disturbed < _PATIENCE:
            self.disturbed += 1
            return False
        self.best[number] = min(self.best[number], seconds)
        if number in self.waiting:
            self.waiting.remove(number)
        if self.waiting:
            return False
        self.rounds += 1
        turns = self.rounds / (2 if len(self.best) <= _FEW else 1)
        limit = min(self.best) * _BEHIND.get(turns, float("inf"))
        self.left = [place for place in self.left if self.best[place] <= limit]
        self.waiting = list(self.left)
        return len(self.left) == 1 or turns >= _TURNS


class _Machine(NamedTuple):
    """What a choice depends on besides the work."""

    processor: str  # and what libraries may use of it
    torch_version: str
    threads: int
    native: str  # which kernels of our own there are


class _Tuner:
    """The choices of this process."""

    def __init__(self) -> None:
        self._chosen: dict[Hashable, int] = {}
        self._trials: dict[Hashable, _Trial] = {}
        self._lock = threading.Lock()
        self._remembered: dict[str, str] | None = None  # read when the first choice is to be made
        self._machine: _Machine | None = None
        self._is_changed = False
        self.num_tried = 0  # calls that were done by candidates in their turn

    def run(self, work: Hashable, candidates: Candidates, *args: Any) -> Any:
        """Does some work with the best of the candidates, or with one whose turn it is."""
        varies()
        if not switches.autotune or process.deterministic:
            return candidates[0][1](*args)
        found = self._chosen.get(work)
        if found is None:
            found = self._begun(work, [name for name, _ in candidates])
            if found is None:
                return self._tried(work, candidates, args)
        return candidates[found][1](*args)

    def choice(self, work: Hashable, names: Sequence[str]) -> int | None:
        """The number of the candidate to take from now on; None while they are being tried out."""
        varies()
        if process.deterministic:
            return 0
        found = self._chosen.get(work)
        return self._begun(work, names) if found is None else found

    def _begun(self, work: Hashable, names: Sequence[str]) -> int | None:
        """The choice, if there is nothing to try out."""
        if work in self._trials:
            return None
        if len(names) == 1 or read_setting("MXNET_AUTOTUNE") == "0":
            return 0
        with self._lock:
            if len(self._chosen) + len(self._trials) >= _TIMING_LIMIT:
                return 0
            name = self._memory().get(repr(work))
            if name in names:
                found = self._chosen[work] = names.index(str(name))
                return found
            self._trials[work] = _Trial(len(names))
        return None

    def _tried(self, work: Hashable, candidates: Candidates, args: tuple[Any, ...]) -> Any:
        trial = self._trials.get(work)
        number = trial.next() if trial else 0
        self.num_tried += 1
        interruptions, began = _interruptions(), time.perf_counter()
        result = candidates[number][1](*args)
        seconds, is_disturbed = time.perf_counter() - began, _interruptions() != interruptions
        with self._lock:
            if trial is not None and trial.enter(number, seconds, is_disturbed) and work in self._trials:
                best = min(range(len(candidates)), key=trial.best.__getitem__)
                self._chosen[work] = best
                self._memory()[repr(work)] = candidates[best][0]
                self._is_changed = True
                del self._trials[work]
        return result

    def _memory(self) -> dict[str, str]:
        """What earlier processes chose on a machine like this one; a file that cannot be read counts as none."""
        machine = _Machine(_processor(), torch.__version__, torch.get_num_threads(), native.version())
        if self._remembered is None or machine != self._machine:
            self._machine = machine
            self._remembered = _read(_place(machine))
        return self._remembered

    def save(self) -> None:
        """Writes the choices down, where that is possible."""
        with self._lock:
            if not self._is_changed or self._machine is None or not self._remembered:
                return
            place = _place(self._machine)
            if place is None:
                return
            known = {**_read(place), **self._remembered}
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                with atomic_write(place, "autotune") as stream:
                    stream.write(json.dumps(known, indent=0, sort_keys=True).encode())
            except (OSError, MXNetError):
                return  # a home that cannot be written to: the next process tries the kernels again
            self._is_changed = False

    def forget(self) -> None:
        """Drops all choices of this process."""
        self.__init__()  # type: ignore[misc]

    def begin_in_child(self) -> None:
        """After a fork: another thread may have held the lock, and the parent writes its choices itself."""
        self._lock, self._is_changed = threading.Lock(), False


def _interruptions() -> int:
    """How often the system took a processor away from this process; always 0 where it does not tell."""
    return 0 if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


@functools.cache
def _processor() -> str:
    """Which processor this is, and the instructions that torch and oneDNN may use: other ones make other choices."""
    limits = torch.backends.cpu.get_cpu_capability(), os.environ.get("ONEDNN_MAX_CPU_ISA", "")
    known = hashlib.sha256("\n".join([levels.processor(), *limits]).encode()).hexdigest()
    return f"{platform.machine()}-{known[:12]}"


def _place(machine: _Machine) -> Path | None:
    """The file of a machine; None for a user who has no folder."""
    folder = kept_folder("autotune")
    safe = "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in "-".join(map(str, machine)))
    return None if folder is None else folder / f"{safe}.json"


def _read(place: Path | None) -> dict[str, str]:
    if place is None:
        return {}
    try:
        found = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return {}
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


tuner = _Tuner()
run_best = tuner.run
atexit.register(tuner.save)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=tuner.begin_in_child)
