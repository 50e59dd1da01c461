"""Runs damaged files through a reader in a process of its own, and watches it.

Input number i of a run is the same whenever it is asked for, so a process that dies or hangs leaves no more than the
number it had come to, in a file that both processes map.
"""

import hashlib
import json
import mmap
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from mxnet.base import MXNetError

from .readers import READERS, Reader

SECONDS = 3.0  # of computing; an input that takes longer is a finding
HANGS = 120.0  # by the clock: when a process is given up, however busy the machine is
MEGABYTES = 400  # an input that lets the process grow by more is a finding
ROOM = 3 << 30  # bytes a process may allocate beyond what it has after start
TEXT = 3_000  # characters that an error text may have
_WARMED_UP = 100  # sound files that are read before the damaged ones
_STATE = struct.Struct("<QdQ")  # number of the input, when it began, and how many were accepted before it


@dataclass(frozen=True)
class Finding:
    """An input that a reader did not take as it should.

    Attributes:
        reader: the reader.
        kind: what happened: the exception, "slow", "memory", "long text", or how the process ended.
        where: the last line of our code on the way, so that equal findings count once.
        number: the input's number in its run.
        detail: the beginning of the exception's text.
    """

    reader: str
    kind: str
    where: str
    number: int
    detail: str = ""


@dataclass
class Tally:
    """What a run over a reader came to."""

    reader: str
    inputs: int = 0
    accepted: int = 0
    seconds: float = 0.0


def made_input(reader: Reader, sound: list[bytes], seed: int, number: int) -> bytes:
    """Input `number` of a run."""
    random = Random(seed * 1_000_003 + number)
    data = sound[int(random.random() * len(sound))]
    return reader.mutation(random, data, sound)


def outcome(reader: Reader, name: str, data: bytes, number: int) -> tuple[bool, Finding | None]:
    """Reads one input: whether it was accepted, and what is wrong with the way it was taken."""
    before = _peak()
    start = time.process_time()
    accepted, found = True, None
    try:
        reader.read(data)
    except MXNetError as error:
        accepted = False
        if len(str(error)) > TEXT:
            found = Finding(name, "long text", _where(error), number, str(error)[:200])
    except Exception as error:
        accepted = False
        found = Finding(name, type(error).__name__, _where(error), number, str(error)[:200])
    if found is None and (taken := time.process_time() - start) > SECONDS:
        found = Finding(name, "slow", "", number, f"{taken:.1f} s")
    if found is None and (grown := _peak() - before) > MEGABYTES:
        found = Finding(name, "memory", "", number, f"{grown} MB")
    return accepted, found


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def _where(error: BaseException) -> str:
    """The innermost line of the library that an exception came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}mxnet{os.sep}" in frame.filename] or list(frames)
    frame = ours[-1]
    return f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"


def child(name: str, seed: int, first: int, count: int, seconds: float, state_path: str) -> None:
    """Reads inputs and prints a line of JSON for each finding, and the tally at the end."""
    warnings.simplefilter("ignore")
    reader = READERS[name]
    sound = reader.seeds()
    for data in sound[:: -(-len(sound) // _WARMED_UP)]:
        outcome(reader, name, data, -1)  # what is loaded at the first use is no growth of an input
    _limit_memory()
    known: set[tuple[str, str]] = set()
    tally = Tally(name)
    with open(state_path, "r+b") as stream, mmap.mmap(stream.fileno(), _STATE.size) as state:
        begin = time.monotonic()
        for number in range(first, first + count):
            now = time.monotonic()
            if now - begin > seconds:
                break
            _STATE.pack_into(state, 0, number, now, tally.accepted)
            accepted, found = outcome(reader, name, made_input(reader, sound, seed, number), number)
            tally.inputs += 1
            tally.accepted += accepted
            if found is not None and (key := (found.kind, found.where)) not in known:
                known.add(key)
                print(json.dumps(asdict(found)), flush=True)
        tally.seconds = time.monotonic() - begin
    print(json.dumps({"tally": asdict(tally)}), flush=True)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if os.path.exists("/proc/self/statm") else 0
    if pages:
        most = pages * resource.getpagesize() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def run(name: str, seed: int, count: int, seconds: float) -> tuple[Tally, list[Finding]]:
    """Fuzzes one reader; a process that dies or hangs is replaced by one that goes on after the input."""
    total, findings, first = Tally(name), [], 0
    deadline = time.monotonic() + seconds
    with tempfile.NamedTemporaryFile() as state:
        while first < count and (left := deadline - time.monotonic()) > 0:
            state.seek(0)
            state.write(_STATE.pack(first, 0.0, 0))
            begin = time.monotonic()
            state.flush()
            lines, ended = _watched(name, seed, first, count - first, left, state.name)
            for line in lines:
                if "tally" in line:
                    total.inputs += line["tally"]["inputs"]
                    total.accepted += line["tally"]["accepted"]
                    total.seconds += line["tally"]["seconds"]
                else:
                    findings.append(Finding(**line))
            if not ended:
                return total, _distinct(findings)
            reached, _, accepted = _STATE.unpack(Path(state.name).read_bytes())
            total.accepted += accepted
            total.seconds += time.monotonic() - begin
            findings.append(Finding(name, ended, "", reached))
            total.inputs += reached + 1 - first
            first = reached + 1
    return total, _distinct(findings)


def _distinct(findings: list[Finding]) -> list[Finding]:
    return list({(each.kind, each.where): each for each in reversed(findings)}.values())


def _watched(
    name: str, seed: int, first: int, count: int, seconds: float, state: str
) -> tuple[list[dict[str, Any]], str]:
    """The lines that a process printed, and how it ended if that was not as it should."""
    arguments = [name, str(seed), str(first), str(count), str(seconds), state]
    command = [sys.executable, "-m", "tools.fuzz.running", *arguments]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors)
        hung = False
        while process.poll() is None:
            time.sleep(0.2)
            _, began, _ = _STATE.unpack(Path(state).read_bytes())
            if began and time.monotonic() - began > HANGS:
                process.send_signal(signal.SIGKILL)
                hung = True
        out.seek(0)
        lines = [json.loads(line) for line in out.read().splitlines() if line.startswith("{")]
        if hung:
            return lines, "hang"
        if process.returncode < 0:
            return lines, signal.Signals(-process.returncode).name
        if process.returncode:
            errors.seek(0)
            raise RuntimeError(f"the process of {name} failed: {errors.read()[-2000:]}")
    return lines, ""


def save(finding: Finding, seed: int, folder: Path) -> Path:
    """Writes the input of a finding to the corpus."""
    reader = READERS[finding.reader]
    data = made_input(reader, reader.seeds(), seed, finding.number)
    target = folder / finding.reader
    target.mkdir(parents=True, exist_ok=True)
    kind = "".join(letter if letter.isalnum() else "_" for letter in finding.kind)
    path = target / f"{kind}-{hashlib.sha256(data).hexdigest()[:12]}.bin"
    path.write_bytes(data)
    return path


if __name__ == "__main__":
    name, seed, first, count, seconds, state = sys.argv[1:]
    child(name, int(seed), int(first), int(count), float(seconds), state)
