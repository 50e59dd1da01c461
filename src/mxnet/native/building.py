"""Compiling the kernels with torch's own tools for extensions."""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from ..base import MXNetError, kept_folder
from ..formats.atomic import atomic_path, atomic_write
from .sealing import fault, seal

NAME = "regluon_native"
_FLAGS = ["-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]
# For tests: reads and writes outside of memory, overflows and their like end the process with a report.
_SANITIZED = ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize=vptr"]
_SOURCES = sorted(Path(__file__).parent.glob("*.cpp"))
_HEADERS = sorted(Path(__file__).parent.glob("*.h"))
_OBJECTS = "objects-"  # how the names of folders for the compiler begin
_OLDEST_TORCH = (2, 13)  # whose headers they are written against


def folder(is_sanitized: bool = False) -> Path | None:
    """Where the compiled kernels are kept: a folder for these sources, this torch, this Python, this processor.

    None for a user who has no folder, and for a torch that the kernels are not written for.

    Args:
        is_sanitized: whether it is for kernels that check their memory and arithmetic.
    """
    home = kept_folder("native")
    if home is None or _version(torch.__version__) < _OLDEST_TORCH:
        return None
    digest = hashlib.sha256()
    for path in (*_SOURCES, *_HEADERS):
        digest.update(path.name.encode() + path.read_bytes())
    digest.update(repr((torch.__version__, sys.implementation.cache_tag, _flags(is_sanitized), _processor())).encode())
    return home / digest.hexdigest()[:16]


def _flags(is_sanitized: bool) -> list[str]:
    return _FLAGS + _SANITIZED if is_sanitized else _FLAGS


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def _processor() -> str:
    """What the compiler's choice of instructions depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return "\n".join(dict.fromkeys(line for line in lines if line.startswith(("model name", "flags", "Features"))))


def library(place: Path) -> Path:
    """The compiled kernels in their folder."""
    return place / f"{NAME}.so"


def failure(place: Path) -> Path:
    """What the compiler said when it failed; nobody tries again while this file is there."""
    return place / "failed.txt"


def build(place: Path, is_sanitized: bool = False) -> None:
    """Compiles the kernels unless there are sound ones, or waits for another process that does.

    Args:
        place: the folder.
        is_sanitized: see `folder`.

    Raises:
        MXNetError: the compiler failed.
    """
    from filelock import FileLock  # importing it takes as long as a twentieth of this whole library

    place.mkdir(parents=True, exist_ok=True)
    with FileLock(place / "lock"):  # the system opens it when its owner dies
        if failure(place).exists():
            raise MXNetError(_told(place))
        if not library(place).exists() or fault(library(place)):
            for left in place.glob(f"{_OBJECTS}*"):  # of a compiler that was killed
                shutil.rmtree(left, ignore_errors=True)
            _compile(place, is_sanitized)


def _compile(place: Path, is_sanitized: bool) -> None:
    from torch.utils import cpp_extension

    # The program that torch calls may be installed beside this Python only.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    with tempfile.TemporaryDirectory(dir=place, prefix=_OBJECTS) as objects:
        try:
            cpp_extension.load(
                NAME,
                [*map(str, _SOURCES)],
                extra_cflags=_flags(is_sanitized),
                extra_ldflags=_SANITIZED if is_sanitized else None,
                build_directory=objects,
            )
            with atomic_path(library(place), "native") as temporary:
                os.replace(Path(objects) / f"{NAME}.so", temporary)
            seal(library(place))
        except Exception as error:  # torch raises all kinds; whatever it is, programs run without kernels
            with atomic_write(failure(place), "native") as stream:
                stream.write(f"{type(error).__name__}: {error}\n".encode())
            raise MXNetError(_told(place)) from error


def _told(place: Path) -> str:
    return (
        f"[native] the kernels in C++ could not be compiled; torch's kernels are used instead. {failure(place)} says "
        "why; delete it to try again, or set MXNET_NATIVE=0 to do without. A C++ compiler, the headers of Python and "
        "the package ninja are needed."
    )


def start(place: Path) -> "subprocess.Popen[bytes]":
    """Compiles in a process of low priority that outlives this one."""
    command = [sys.executable, "-m", "mxnet.native", "--background"]
    quiet = subprocess.DEVNULL
    surroundings = {**os.environ, "MXNET_HOME": str(place.parent.parent)}
    return subprocess.Popen(
        command, stdin=quiet, stdout=quiet, stderr=quiet, env=surroundings, start_new_session=True, close_fds=True
    )
