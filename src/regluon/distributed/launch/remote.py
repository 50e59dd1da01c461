"""Runs the commands that start workers elsewhere: all of them, until all have ended or one has failed."""

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Any

from .commands import Command

_PATIENCE = 45.0  # seconds to end in: an agent gives its workers 30
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # all but SIGKILL that ask a program to end


class _Stopped(BaseException):
    """A signal asked this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def run_all(attempts: Sequence[Sequence[Command]]) -> int:
    """Starts commands and waits for them; when one fails, the others are ended.

    Args:
        attempts: what to start, all at once; after a failure, what to start in its place, and so on. Agents on several
            machines cannot do it by themselves: one whose workers have ended well, or that is gone itself, would not
            take part.

    Returns:
        The exit code for this process; a last line on stderr says what went wrong.
    """
    for name in {words[0] for command in attempts[0] for words in (*command.before, command.words)}:
        if shutil.which(name) is None:
            return _say(f"there is no program {name!r} on this machine; install it, or choose another --launcher.", 1)
    for command in attempts[0]:
        for words in command.before:
            if code := subprocess.run(words, check=False).returncode:
                return _say(f"{command.who}: {words[0]} ended with exit code {code}; no worker was started.", code)
    previous = {number: signal.signal(number, _stop) for number in _SIGNALS}
    try:
        for attempt, commands in enumerate(attempts, 1):
            place, code = _run_once(commands)
            if not code:
                return 0
            how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            again = f" All start again ({attempt} of {len(attempts) - 1})." if attempt < len(attempts) else ""
            _say(f"{commands[place].who} failed first: {how}.{again}", code)
        return 128 - code if code < 0 else code
    except _Stopped as stopped:
        return _say(f"stopped by {signal.Signals(stopped.number).name}; all workers have ended.", 128 + stopped.number)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _run_once(commands: Sequence[Command]) -> tuple[int, int]:
    """Runs commands until all have ended well, or one has not: its place and exit code."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands:
            env, stdin = {**os.environ, **command.env}, subprocess.PIPE if command.ends_with_input else None
            processes.append(subprocess.Popen(command.words, env=env, stdin=stdin))
        return _first_failure(processes)
    finally:
        _end(processes)


def _first_failure(processes: Sequence[subprocess.Popen[bytes]]) -> tuple[int, int]:
    """Waits until all have ended well, or one has not: its place and exit code."""
    ended: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
    for place, process in enumerate(processes):
        threading.Thread(target=_report, args=(place, process, ended), daemon=True).start()
    for _ in processes:
        place, code = ended.get()
        if code:
            return place, code
    return 0, 0


def _report(place: int, process: subprocess.Popen[bytes], ended: Any) -> None:
    ended.put((place, process.wait()))


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ends what still runs."""
    for process in processes:
        if process.stdin is not None:
            process.stdin.close()
        elif process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _stop(number: int, frame: FrameType | None) -> None:
    raise _Stopped(number)


def _say(text: str, code: int) -> int:
    print(f"[mxnet.launch] {text}", file=sys.stderr)
    return code
