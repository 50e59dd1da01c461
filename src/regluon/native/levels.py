"""Instruction sets that the kernels are compiled for, and which of them this processor has.

This module, `compilers`, `compiling` and `sealing` import nothing else of the package: setup.py uses them in an
environment in which the package cannot be imported.
"""

import functools
import platform
from pathlib import Path

import torch

NATIVE = "native"  # whatever the processor at hand has; such a library stays on the machine
NEON = "neon"
# The x86-64 levels of the psABI with the names that Linux has for their instructions. Each level includes those above.
_X86_LEVELS = {
    "x86-64-v2": {"cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"},
    "x86-64-v3": {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
# For systems that do not list instructions: what torch found that its own kernels may use.
_BY_CAPABILITY = {"AVX512": 3, "AVX2": 2}
NAMES = (*_X86_LEVELS, NEON)


def is_x86() -> bool:
    """Whether this is a 64-bit x86 processor."""
    return platform.machine().lower() in ("x86_64", "amd64")


def is_arm() -> bool:
    """Whether this is a 64-bit ARM processor; all of them have NEON."""
    return platform.machine().lower() in ("aarch64", "arm64")


def buildable() -> tuple[str, ...]:
    """The levels that a wheel for this kind of processor contains."""
    return tuple(_X86_LEVELS) if is_x86() else (NEON,) if is_arm() else ()


def available() -> tuple[str, ...]:
    """The levels that this processor has, best first."""
    if not is_x86():
        return buildable()
    found = _flags()
    count = 0
    if found:
        while count < len(_X86_LEVELS) and list(_X86_LEVELS.values())[count] <= found:
            count += 1
    else:
        count = _BY_CAPABILITY.get(torch.backends.cpu.get_cpu_capability(), 1)
    return tuple(_X86_LEVELS)[:count][::-1]


def march(level: str) -> list[str]:
    """The compiler's option for a level; every compiler for ARM uses NEON without one."""
    if level == NATIVE:
        return ["-mcpu=native"] if is_arm() else ["-march=native"]
    return [] if level == NEON else [f"-march={level}"]


@functools.cache
def processor() -> str:
    """What the compiler's choice of instructions for `native` depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return "\n".join(dict.fromkeys(line for line in lines if line.startswith(("model name", "flags", "Features"))))


def _flags() -> set[str]:
    line = next((line for line in processor().splitlines() if line.startswith("flags")), "")
    return set(line.partition(":")[2].split())
