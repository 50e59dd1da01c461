"""Compiles guard.cpp, and runs pytest in a process that has loaded it before torch.

python -m tests.gpu.building tests/gpu/test_devices.py -k copyto
"""

import ctypes
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_SOURCE = Path(__file__).with_name("guard.cpp")
PROGRAMS = ("devices", "networks", "random", "sparse", "training", "watch")  # files besides that of the operators
MARK = "REGLUON_FAKE_GPUS"  # in the environment of a process that has the library


def torch_folder() -> Path:
    """Where torch is installed, without importing it."""
    found = importlib.util.find_spec("torch")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def compiler() -> str | None:
    """The C++ compiler that the guard would be compiled with."""
    return shutil.which(os.environ.get("CXX", "c++"))


def library() -> Path:
    """The compiled guard, kept for this source and this torch.

    Raises:
        subprocess.CalledProcessError: the compiler failed; its `stderr` says why.
    """
    version = f"{importlib.metadata.version('torch')} {platform.machine()}"
    digest = hashlib.sha256(_SOURCE.read_bytes() + version.encode()).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"regluon-gpu-{os.getuid()}" / f"guard-{digest}.so"
    if not path.exists():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _compile(path)
    return path


def _compile(path: Path) -> None:
    home = torch_folder()
    flags = ["-std=c++20", "-shared", "-fPIC", "-O1", f"-I{home / 'include'}"]
    links = [f"-L{home / 'lib'}", "-lc10", "-ltorch_cpu", f"-Wl,-rpath,{home / 'lib'}"]
    partial = path.with_suffix(f".{os.getpid()}")
    program = compiler()
    assert program is not None
    subprocess.run([program, *flags, str(_SOURCE), "-o", str(partial), *links], check=True, capture_output=True)
    partial.replace(path)


def run(arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    """Runs pytest with these arguments where there are two fake GPUs."""
    command = [sys.executable, "-m", "tests.gpu.building", *arguments]
    environment = {**os.environ, MARK: "1"}
    return subprocess.run(command, check=False, env=environment, capture_output=True, text=True)


def main() -> int:
    os.environ[MARK] = "1"
    ctypes.CDLL(str(library()), ctypes.RTLD_GLOBAL)
    import pytest  # after the library: pytest's plugins may import torch

    return int(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
