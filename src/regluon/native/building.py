"""Building the kernels under MXNET_HOME, where every later process finds them: `python -m regluon.native`."""

import hashlib
import json
import os
import shutil
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch

from ..base import MXNetError, kept_folder
from ..formats.atomic import atomic_path, atomic_write
from .compilers import BuildError, Compiler, find_compiler
from .compiling import (
    KERNELS,
    RUNNER,
    Jobs,
    Progress,
    Unit,
    allowed_jobs,
    build_libraries,
    files_of,
    missing_headers,
    source_digest,
)
from .levels import NATIVE, processor
from .sealing import content_of_seal, fault, protect, seal_of

_OBJECTS = "objects-"  # prefix of the folders for object files
_OLDEST_TORCH = (2, 13)  # whose headers the sources are written against


def folder(level: str = NATIVE, is_sanitized: bool = False) -> Path | None:
    """The folder for libraries of these sources, this torch, this Python, and a processor.

    None for a user who has no folder, and for a torch that the kernels are not written for.

    Args:
        level: an instruction set.
        is_sanitized: whether it is for kernels that check their memory and arithmetic.
    """
    home = kept_folder("native")
    if home is None or not fits_torch():
        return None
    fitting = (torch.__version__, sys.implementation.cache_tag, level, is_sanitized, processor() * (level == NATIVE))
    return home / hashlib.sha256(f"{source_digest()}{fitting!r}".encode()).hexdigest()[:16]


def fits_torch() -> bool:
    """Whether torch is as new as the sources need."""
    major, minor = torch.__version__.split(".")[:2]
    return (int(major), int(minor)) >= _OLDEST_TORCH


def kernels_in(place: Path) -> Path:
    """The kernels of a folder."""
    return place / f"{KERNELS}.so"


def runner_in(place: Path) -> Path:
    """The runner of a folder."""
    return place / f"{RUNNER}.so"


def faults(place: Path) -> str:
    """Why the libraries of a folder cannot be used; empty if they can."""
    if not kernels_in(place).exists():
        return "they have not been built"
    return next((text for path in (kernels_in(place), runner_in(place)) if (text := fault(path))), "")


@dataclass(frozen=True)
class Plan:
    """What a build will do."""

    place: Path
    level: str
    is_sanitized: bool
    compiler: Compiler
    jobs: Jobs

    def __str__(self) -> str:
        count = len(files_of(KERNELS)) + len(files_of(RUNNER))
        goal = "this processor" if self.level == NATIVE else self.level
        return (
            f"Compiling {count} C++ files for {goal}\n"
            f"  versions   torch {torch.__version__}, Python {sysconfig.get_python_version()}\n"
            f"  compiler   {self.compiler}\n"
            f"  libraries  {kernels_in(self.place)}\n             {runner_in(self.place)}\n"
            f"  jobs       {self.jobs.limit} ({self.jobs.reason})"
        )

    @property
    def fingerprint(self) -> str:
        """What a compiler's failure depends on besides the sources: with another one a build is tried again."""
        python = Path(sysconfig.get_paths()["include"], "Python.h")
        parts = (self.compiler, _stamp(Path(self.compiler.command[0])), _stamp(python), missing_headers())
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    @property
    def failure(self) -> Path:
        """The record of the last build, if it failed."""
        return self.place / "failed.json"


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def plan(level: str = NATIVE, is_sanitized: bool = False, jobs: int | None = None) -> Plan:
    """What would be built, with which compiler.

    Raises:
        MXNetError: nothing can be built here.
    """
    place = folder(level, is_sanitized)
    if place is None:
        oldest = ".".join(map(str, _OLDEST_TORCH))
        raise MXNetError(
            f"[native] the native kernels need torch {oldest} or newer and a folder to write to (MXNET_HOME); "
            f"this is torch {torch.__version__}. PyTorch's kernels are used instead."
        )
    try:
        compiler = find_compiler()
        missing = missing_headers()
        if missing:
            raise BuildError(f"the compiler needs {missing}")
    except BuildError as error:
        raise MXNetError(
            f"[native] the native kernels cannot be compiled: {error}. PyTorch's kernels are used instead."
        ) from None
    return Plan(place, level, is_sanitized, compiler, allowed_jobs(jobs))


def build(steps: Plan, force: bool = False, report: Progress = print) -> bool:
    """Compiles the kernels unless there are sound ones, or waits for another process that does.

    Args:
        steps: from `plan`.
        force: whether to compile in any case.
        report: called with lines of text on the way.

    Returns:
        Whether anything was compiled.

    Raises:
        MXNetError: the compiler failed, now or earlier under the same circumstances.
    """
    from filelock import FileLock, Timeout  # importing it takes longer than loading the kernels

    steps.place.mkdir(parents=True, exist_ok=True)
    lock = FileLock(steps.place / "lock")  # released by the system when its owner dies
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report("Waiting for another process that compiles the native kernels.")
        lock.acquire()
    try:
        if not force:
            if not faults(steps.place):
                return False
            _refuse_known_failure(steps)
        for left in steps.place.glob(f"{_OBJECTS}*"):  # of a build that was killed
            shutil.rmtree(left, ignore_errors=True)
        report(str(steps))
        _build(steps, report)
        return True
    finally:
        lock.release()


def _refuse_known_failure(steps: Plan) -> None:
    try:
        record = json.loads(steps.failure.read_bytes())
    except (OSError, ValueError):
        return  # none, or it cannot be read: compiling shows whether it still fails
    if record.get("fingerprint") == steps.fingerprint:
        raise MXNetError(
            f"[native] {steps.compiler} failed on these sources before, and nothing has changed since: "
            f"{steps.failure} has its output. `{rebuild_command()} --force` tries again. "
            f"PyTorch's kernels are used instead."
        )


def _build(steps: Plan, report: Progress) -> None:
    with tempfile.TemporaryDirectory(dir=steps.place, prefix=_OBJECTS) as name:
        objects = Path(name)
        units = [Unit(objects / f"{kind}.so", kind, steps.level, steps.is_sanitized) for kind in (KERNELS, RUNNER)]
        try:
            build_libraries(units, steps.compiler, steps.jobs.limit, objects, report)
        except BuildError as error:
            if error.is_lasting:
                with atomic_write(steps.failure, "native") as stream:
                    stream.write(json.dumps({"fingerprint": steps.fingerprint, "output": str(error)}).encode())
            raise MXNetError(f"[native] the native kernels could not be compiled: {error}") from error
        protect(steps.place)
        for unit in units:
            put_in_place(unit.output, steps.place / unit.output.name, compiler=str(steps.compiler))
        steps.failure.unlink(missing_ok=True)


def put_in_place(made: Path, library: Path, **facts: str) -> None:
    """Makes a complete file the library, and seals it; both are on the disk afterwards.

    Args:
        made: the file, on the same file system.
        library: where it goes.
        facts: what the seal notes besides.
    """
    with atomic_path(library, "native") as temporary:
        os.replace(made, temporary)
    protect(library)
    with atomic_write(seal_of(library), "native") as stream:
        stream.write(content_of_seal(library, **facts))
    protect(seal_of(library))


def rebuild_command() -> str:
    """The command that builds the kernels."""
    return f"{sys.executable or 'python'} -m regluon.native"
