"""Compiling the C++ sources into shared libraries: several compilers at a time, as many as there is memory for.

There are two libraries:

- `kernels`: operators in the namespace `regluon`, compiled for an instruction set. It uses torch through its stable C
  interface only (`tensor.h`, `parallel.h`), so one library serves every torch from 2.10 on, and every Python.
- `runner`: a Python module that runs captured programs, optimizers and the arithmetic of arrays. It needs autograd
  nodes, hooks, the dispatcher and Python objects, none of which the stable interface has, so it fits one version of
  torch and of Python. It spends its time in calls of operators, so a wheel has it for one instruction set.
"""

import concurrent.futures
import functools
import hashlib
import os
import subprocess
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from .compilers import SANITIZED, BuildError, Compiler
from .levels import buildable, march

KERNELS, RUNNER = "regluon_kernels", "regluon_runner"
_HERE = Path(__file__).parent
_RUNNER_SOURCES = ("program.cpp", "arrays.cpp", "arithmetic.cpp", "calls.cpp", "memory.cpp", "update.cpp")
_BYTES_PER_JOB = 3 << 29  # what compiling one of the files takes at most: 1.5 GB
_TORCH = Path(torch.__file__).parent
_STABLE_SINCE = "0x020a000000000000"  # torch 2.10, as its headers write it
_OUTPUT_LINES = 40  # of a compiler that failed

Progress = Callable[[str], None]


class Jobs(NamedTuple):
    """How many compilers run at a time, and why so many."""

    limit: int
    reason: str


class Unit(NamedTuple):
    """A library to be made."""

    output: Path
    name: str  # KERNELS or RUNNER
    level: str
    is_sanitized: bool = False


@functools.cache
def sources() -> tuple[Path, ...]:
    """All C++ files."""
    return tuple(sorted([*_HERE.glob("*.cpp"), *_HERE.glob("*.h")]))


@functools.cache
def source_digest() -> str:
    """Changes with every C++ file."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def files_of(name: str) -> list[Path]:
    """The files that a library is compiled from."""
    files = [path for path in sources() if path.suffix == ".cpp"]
    return [path for path in files if (path.name in _RUNNER_SOURCES) == (name == RUNNER)]


def allowed_jobs(wanted: int | None = None) -> Jobs:
    """As many compilers as there are cores and memory for; MAX_JOBS or an argument may say fewer."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    free = _free_memory()
    count, reasons = cores, [f"{cores} cores"]
    if free is not None:
        count = min(count, free // _BYTES_PER_JOB)
        reasons.append(f"{free / 2**30:.1f} GB of free memory at {_BYTES_PER_JOB / 2**30:.1f} GB a job")
    limit = os.environ.get("MAX_JOBS", "")
    if limit.isdecimal():
        count = min(count, int(limit))
        reasons.append(f"MAX_JOBS={limit}")
    if wanted is not None:
        count = min(count, wanted)
        reasons.append(f"--jobs {wanted}")
    return Jobs(max(count, 1), ", ".join(reasons))


def _free_memory() -> int | None:
    """In bytes, also within the limit of a container; None where the system does not say."""
    found = []
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        found.append(int(lines["MemAvailable"].split()[0]) << 10)
    except (OSError, KeyError, ValueError):
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
    try:
        group = Path("/sys/fs/cgroup")
        limit, used = ((group / name).read_text().strip() for name in ("memory.max", "memory.current"))
        found.append(int(limit) - int(used))
    except (OSError, ValueError):
        pass  # no container, or one without a limit
    return max(min(found), 0) if found else None


def missing_headers() -> str:
    """What the compiler would not find; empty if all is there."""
    python = Path(sysconfig.get_paths()["include"], "Python.h")
    needed = (python, "the headers of Python"), (_TORCH / "include/ATen/ATen.h", "the headers of torch")
    return ", ".join(f"{name} ({path})" for path, name in needed if not path.exists())


def build_libraries(units: Sequence[Unit], compiler: Compiler, jobs: int, objects: Path, report: Progress) -> None:
    """Compiles libraries.

    Args:
        units: the libraries.
        compiler: the compiler.
        jobs: how many of it may run at a time.
        objects: an empty folder.
        report: called with a line of text for each file that is done.

    Raises:
        BuildError: the compiler failed.
    """
    work = [
        (unit, path, objects / f"{place}-{path.stem}.o")
        for place, unit in enumerate(units)
        for path in files_of(unit.name)
    ]
    work.sort(key=lambda item: -item[1].stat().st_size)  # so that none of the large ones comes last
    began, lock = time.monotonic(), threading.Lock()
    done = 0

    def compile_one(unit: Unit, path: Path, output: Path) -> None:
        nonlocal done
        _run([*compiler.command, "-c", str(path), "-o", str(output), *compiler.flags, *_options(unit)])
        with lock:
            done += 1
            suffix = f" ({unit.level})" if len(units) > 2 else ""
            report(f"[{done}/{len(work)}] {path.name}{suffix}  {time.monotonic() - began:.0f} s")

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(compile_one, *item) for item in work]
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    for unit in units:
        own = [str(output) for owner, _, output in work if owner is unit]
        names = ["torch_python", "torch_cpu", "c10"] if unit.name == RUNNER else ["torch_cpu"]
        extra = SANITIZED if unit.is_sanitized else []
        _run([*compiler.command, *own, "-o", str(unit.output), *extra, *compiler.link_flags(_TORCH / "lib", names)])


def _options(unit: Unit) -> list[str]:
    """Options of one library, besides those of the compiler."""
    level = unit.level if unit.name == KERNELS or unit.level not in buildable() else buildable()[0]
    includes, python = [_TORCH / "include"], Path(sysconfig.get_paths()["include"])
    if unit.name == RUNNER:
        includes += [_TORCH / "include/torch/csrc/api/include", python]
    return [
        *march(level),
        *(f"-ffile-prefix-map={path}={path.name}" for path in (_TORCH, _HERE, python)),  # the same bytes everywhere
        *(option for path in includes for option in ("-isystem", str(path))),
        f"-DTORCH_EXTENSION_NAME={unit.name}" if unit.name == RUNNER else f"-DTORCH_TARGET_VERSION={_STABLE_SINCE}",
        *(SANITIZED if unit.is_sanitized else []),
    ]


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BuildError(f"{command[0]} could not be run: {error}", is_lasting=False) from error
    if done.returncode:
        text = done.stderr + done.stdout
        ran_out = done.returncode < 0 or "No space left" in text or "Killed" in text or "out of memory" in text
        lines = "\n".join(text.splitlines()[:_OUTPUT_LINES])
        raise BuildError(f"{' '.join(command)}\nreturned {done.returncode}:\n{lines}", is_lasting=not ran_out)
