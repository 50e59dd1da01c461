"""Compiles the kernels with AddressSanitizer and UndefinedBehaviorSanitizer and runs tests on them.

    python tools/sanitize.py [options of pytest] [tests ...]

By default tests/native and tests/differential. Needs a C++ compiler that brings both sanitizers. The kernels
are kept in build/, beside the ordinary ones.
"""

import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_TESTS = ["tests/native", "tests/differential"]
# Python and torch never free what lives as long as the process; torch's libraries define some names twice.
_ASAN_OPTIONS = "detect_leaks=0:detect_odr_violation=0:alloc_dealloc_mismatch=0:allocator_may_return_null=1"
_UBSAN_OPTIONS = "print_stacktrace=1:halt_on_error=1"
_BUILD = """
import os
del os.environ["LD_PRELOAD"]  # the compiler would only be slowed down
os.environ.update(MXNET_NATIVE="0")  # two sets of kernels do not fit into one process
from regluon.native.building import build, plan
build(plan(is_sanitized=True))
"""


def main(arguments: list[str]) -> int:
    """Compiles and tests; returns what pytest returned."""
    # Their run-time libraries must be loaded before Python's own memory is allocated. The library of C++ comes with
    # them: the sanitizers look for its functions when they start.
    libraries = ":".join(_library(name) for name in ("libasan.so", "libubsan.so", "libstdc++.so"))
    settings = {
        **os.environ,
        "REGLUON_SANITIZE": "1",
        "MXNET_HOME": str(_ROOT / "build"),
        "ASAN_OPTIONS": _ASAN_OPTIONS,
        "UBSAN_OPTIONS": _UBSAN_OPTIONS,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(_ROOT / "src"), os.environ.get("PYTHONPATH", "")])),
    }
    settings["LD_PRELOAD"] = libraries
    subprocess.run([sys.executable, "-c", _BUILD], cwd=_ROOT, env=settings, check=True)
    tests = [] if any(not argument.startswith("-") for argument in arguments) else _TESTS
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *arguments, *tests]
    return subprocess.run(command, cwd=_ROOT, env=settings, check=False).returncode


def _library(name: str) -> str:
    """Where the compiler has a run-time library."""
    compiler = os.environ.get("CXX", "c++")
    found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    path = found.stdout.strip()
    if not os.path.isabs(path):
        sys.exit(f"sanitize: {compiler} has no {name}; install the sanitizers of your compiler.")
    return os.path.realpath(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
