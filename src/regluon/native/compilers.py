"""Which C++ compiler there is, whether it can compile the kernels, and with which options.

The kernels are written in C++20, as torch's headers are, with the vector extensions of GCC, which clang has as well.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

GCC, CLANG, APPLE_CLANG = "GCC", "clang", "Apple clang"
_LEAST = {GCC: 11, CLANG: 14, APPLE_CLANG: 14}  # the first with std::bit_cast
_TIMEOUT = 60  # seconds for a compiler to print its version
# NaN and infinity keep their meaning; errno and floating-point traps are not looked at.
_COMMON = ["-O3", "-std=c++20", "-fPIC", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]
# For tests: out-of-bounds accesses, overflows and the like end the process with a report.
SANITIZED = ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize=vptr"]


class BuildError(Exception):
    """The kernels cannot be compiled here, or the compiler failed.

    Args:
        text: what is wrong.
        is_lasting: whether the same compiler would fail again; not so if memory or disk space ran out.
    """

    def __init__(self, text: str, is_lasting: bool = True) -> None:
        super().__init__(text)
        self.is_lasting = is_lasting


class Compiler(NamedTuple):
    """A supported compiler."""

    command: tuple[str, ...]
    kind: str  # GCC, CLANG or APPLE_CLANG
    version: str

    def __str__(self) -> str:
        return f"{self.kind} {self.version} ({' '.join(self.command)})"

    @property
    def flags(self) -> list[str]:
        """Options to compile one file."""
        # GCC notes the ABI that newer processors give vectors in functions; ours are internal.
        return [*_COMMON, *(["-Wno-psabi"] if self.kind == GCC else ["-Wno-unknown-pragmas"])]

    def link_flags(self, libraries: Path, names: list[str]) -> list[str]:
        """Options to link a library that uses torch's libraries, which are in memory when it is loaded."""
        if sys.platform == "darwin":
            return ["-bundle", "-undefined", "dynamic_lookup"]
        return ["-shared", "-Wl,--as-needed", f"-L{libraries}", *(f"-l{name}" for name in names)]


def find_compiler() -> Compiler:
    """The compiler that CXX names, or the system's.

    Raises:
        BuildError: there is none, or it is not supported.
    """
    named = os.environ.get("CXX")
    if named:
        return _identified(tuple(shlex.split(named)))
    for name in ("c++", "g++", "clang++"):
        if shutil.which(name):
            return _identified((name,))
    if shutil.which("cl"):
        return _identified(("cl",))
    raise BuildError("there is no C++ compiler: none of c++, g++ and clang++ is on PATH, and CXX names none")


def _identified(command: tuple[str, ...]) -> Compiler:
    path = shutil.which(command[0])
    if path is None:
        raise BuildError(f"the compiler that CXX names, {command[0]!r}, is not on PATH")
    try:
        done = subprocess.run(
            [path, *command[1:], "--version"], capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{path} --version could not be run: {error}", is_lasting=False) from error
    text = done.stdout + done.stderr
    kind = _kind(text)
    found = re.search(r"version (\d+[\d.]*)", text) or re.search(r"\b(\d+\.\d+(?:\.\d+)?)\b", text)
    if kind is None or found is None:
        name = "MSVC" if "Microsoft" in text else f"{path} ({next(iter(text.strip().splitlines()), 'no version')!r})"
        raise BuildError(
            f"{name} is not supported: the kernels need the vector extensions of GCC and clang; set CXX to one of these"
        )
    version = found.group(1)
    if int(version.split(".")[0]) < _LEAST[kind]:
        raise BuildError(f"{kind} {version} ({path}) is too old; expected {_LEAST[kind]} or newer")
    return Compiler((path, *command[1:]), kind, version)


def _kind(text: str) -> str | None:
    if "Microsoft" in text or "Intel" in text or "NVIDIA" in text:
        return None
    if "Apple clang" in text or "Apple LLVM" in text:
        return APPLE_CLANG
    if "clang" in text:
        return CLANG
    return GCC if "Free Software Foundation" in text or "GCC" in text else None
