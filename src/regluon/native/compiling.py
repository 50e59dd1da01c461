"""Compiling the C++ sources into shared libraries: several compilers at a time, as many as there is memory for.

There are two libraries:

- `kernels`: operators in the namespace `regluon`, compiled for an instruction set. It uses torch through its stable C
  interface only (`tensor.h`, `parallel.h`), so one library serves every torch from 2.10 on, and every Python.
- `runner`: a Python module that runs captured programs, optimizers and the arithmetic of arrays. It needs autograd
  nodes, hooks, the dispatcher and Python objects, none of which the stable interface has, so it fits one version of
  torch and of Python. It spends its time in calls of operators, so a wheel has it for one instruction set.

The sources of a library are compiled in batches. A batch is a generated file that includes some of them, so that the
compiler reads torch's headers, which take longer than our code, once for all. Each source has a namespace of its own.
"""

import concurrent.futures
import functools
import hashlib
import os
import subprocess
import sysconfig
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from .compilers import SANITIZED, BuildError, Compiler
from .levels import buildable, march
from .schedule import Schedule, job_order

KERNELS, RUNNER = "regluon_kernels", "regluon_runner"
_HERE = Path(__file__).parent
_BYTES_PER_JOB = 3 << 29  # 1.5 GB; compiling the largest batch takes 1.4 GB
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


class Batch(NamedTuple):
    """Sources that are compiled as one file."""

    name: str
    stems: tuple[str, ...]  # names of the sources, without .cpp
    weight: float  # CPU seconds that GCC 12 takes


class _Job(NamedTuple):
    """Compilation of a batch for a library."""

    unit: Unit
    batch: Batch
    folder: Path  # for the generated source and the object file

    @property
    def object_file(self) -> Path:
        return self.folder / f"{self.batch.name}.o"


# Batches take about as long as each other, because several compilers run at a time. The runner is one batch: all of its
# sources include most of torch's headers, which take half of its time.
_BATCHES = {
    KERNELS: (
        Batch("images", ("fused_convolution", "layout", "pooling", "suppression", "winograd"), 4.4),
        Batch("matrices", ("dense", "products", "recurrent"), 4.4),
        Batch("rows", ("activation", "batch_norm", "normalization", "softmax"), 3.7),
        Batch("windows", ("convolution", "convolution_bias", "convolution_weight"), 3.4),
    ),
    RUNNER: (Batch("runner", ("arithmetic", "arrays", "calls", "memory", "program", "update"), 20.0),),
}


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


def batches_of(name: str) -> tuple[Batch, ...]:
    """Return the batches of a library.

    Args:
        name: KERNELS or RUNNER.
    """
    return _BATCHES[name]


def files_of(name: str) -> list[Path]:
    """Return the sources of a library: those of all its batches.

    Args:
        name: KERNELS or RUNNER.
    """
    return [_HERE / f"{stem}.cpp" for batch in batches_of(name) for stem in batch.stems]


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
    """Compile libraries.

    Args:
        units: the libraries.
        compiler: the compiler.
        jobs: the most compilers that run at a time.
        objects: an empty folder for generated sources and object files. The caller removes it.
        report: called with a line of text for each finished batch. The line has the elapsed time and, unless the batch
            is the last one, an estimate of the remaining time.

    Raises:
        BuildError: the compiler failed.
    """
    found = [
        _Job(unit, batch, objects / str(number)) for number, unit in enumerate(units) for batch in batches_of(unit.name)
    ]
    work = [found[place] for place in job_order([job.batch.weight for job in found])]
    for job in work:
        job.folder.mkdir(exist_ok=True)
    _compile_all(work, compiler, jobs, report)
    for unit in units:
        own = [str(job.object_file) for job in work if job.unit is unit]
        names = ["torch_python", "torch_cpu", "c10"] if unit.name == RUNNER else ["torch_cpu"]
        extra = SANITIZED if unit.is_sanitized else []
        _run([*compiler.command, *own, "-o", str(unit.output), *extra, *compiler.link_flags(_TORCH / "lib", names)])


def _compile_all(work: Sequence[_Job], compiler: Compiler, jobs: int, report: Progress) -> None:
    """Compile batches into object files, `jobs` of them at a time, and report each finished one."""
    schedule, lock = Schedule([job.batch.weight for job in work], jobs), threading.Lock()
    has_levels = len({job.unit.level for job in work if job.unit.name == KERNELS}) > 1
    done = 0

    def compile_one(number: int) -> None:
        nonlocal done
        job = work[number]
        with lock:
            schedule.start(number)
        _compile(job, compiler)
        with lock:
            schedule.finish(number)
            done += 1
            level = f" {job.unit.level}" if has_levels else ""
            report(f"[{done}/{len(work)}] {job.batch.name}{level} ({len(job.batch.stems)} files)  {schedule}")

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(compile_one, number) for number in range(len(work))]
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _compile(job: _Job, compiler: Compiler) -> None:
    """Write the source of a batch, which includes its files, and compile it into an object file."""
    source = job.folder / f"{job.batch.name}.cpp"
    source.write_text("".join(f'#include "{stem}.cpp"\n' for stem in job.batch.stems))
    options = [*compiler.flags, f"-I{_HERE}", *_options(job.unit, job.folder)]
    _run([*compiler.command, "-c", str(source), "-o", str(job.object_file), *options])


def _options(unit: Unit, generated: Path) -> list[str]:
    """Return the options of one library, besides those of the compiler.

    Args:
        unit: the library.
        generated: the folder of its generated sources.
    """
    level = unit.level if unit.name == KERNELS or unit.level not in buildable() else buildable()[0]
    includes, python = [_TORCH / "include"], Path(sysconfig.get_paths()["include"])
    if unit.name == RUNNER:
        includes += [_TORCH / "include/torch/csrc/api/include", python]
    # The libraries have the same bytes wherever they are built.
    replaced = {_TORCH: _TORCH.name, _HERE: _HERE.name, python: python.name, generated: _HERE.name}
    return [
        *march(level),
        *(f"-ffile-prefix-map={path}={name}" for path, name in replaced.items()),
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
