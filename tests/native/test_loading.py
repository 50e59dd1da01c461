"""Compiling the kernels and finding them again."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from filelock import FileLock
from torch.utils import cpp_extension

from mxnet.base import MXNetError
from mxnet.native import building, loading


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for kernels, and settings under which they are wanted."""
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    monkeypatch.setenv("MXNET_AUTOTUNE", "1")
    found = building.folder()
    assert found is not None
    return found


def _refuse(*given: object, **options: object) -> None:
    raise RuntimeError("no such instruction")


def test_switched_off(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_NATIVE", "0")
    library = loading._Library()
    assert library.get() is None
    assert library._place is None


def test_none_for_an_older_torch(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.6.1+cpu")
    assert building.folder() is None
    assert loading._Library().get() is None


def test_a_short_program_starts_no_compiler(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    monkeypatch.setattr(loading, "start", lambda place: started.append(place) or SimpleNamespace(poll=lambda: None))
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    library = loading._Library()
    assert library.get() is None
    now += 5
    assert library.get() is None
    assert started == []
    now += 20
    assert library.get() is None
    assert started == [place]
    assert library.get() is None
    assert started == [place]


def test_a_compiler_that_fails(place: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    monkeypatch.setattr(cpp_extension, "load", _refuse)
    with pytest.raises(MXNetError, match=r"could not be compiled; torch's kernels are used.*delete it to try again"):
        building.build(place)
    assert building.failure(place).read_text() == "RuntimeError: no such instruction\n"
    assert {path.name for path in place.iterdir()} == {"failed.txt", "lock"}
    library = loading._Library()
    assert library.get() is None
    assert "kernels in C++ could not be compiled" in caplog.text
    assert library.get() is None


def test_another_process_is_waited_for(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpp_extension, "load", _refuse)
    place.mkdir(parents=True)
    waiting = threading.Thread(target=building.build, args=[place])
    with FileLock(place / "lock"):
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        building.library(place).touch()
    waiting.join(60)
    assert not waiting.is_alive()
    assert not building.failure(place).exists()


def test_the_command_says_where(library: Any) -> None:
    home = Path(__file__).parents[2] / "build"
    command = [sys.executable, "-m", "mxnet.native"]
    surroundings = {**os.environ, "MXNET_HOME": str(home)}
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("regluon_native.so")


def test_waiting_functions_are_called_once(place: Path, library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_waiting", [])
    monkeypatch.setattr(loading, "_loaded", lambda path: library.module)
    monkeypatch.setattr(loading, "the_library", loading._Library())
    called: list[Any] = []
    loading.on_load(called.append)
    assert called == []  # there is nothing to load yet
    place.mkdir(parents=True)
    building.library(place).touch()
    assert loading.runner() is loading.runner() is library.module
    assert called == [library.module]
    loading.on_load(called.append)
    assert called == [library.module] * 2


def test_built_kernels_are_taken_at_once(place: Path, library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_waiting", [])
    monkeypatch.setattr(loading, "_loaded", lambda path: library.module)
    monkeypatch.setattr(loading, "the_library", loading._Library())
    place.mkdir(parents=True)
    building.library(place).touch()
    called: list[Any] = []
    monkeypatch.setenv("MXNET_NATIVE", "0")
    loading.on_load(called.append)
    assert called == []
    monkeypatch.delenv("MXNET_NATIVE")
    loading.on_load(lambda module: None)
    assert called == [library.module]
    assert loading.version() == place.name


def test_kernels_that_cannot_be_loaded(place: Path, caplog: Any) -> None:
    place.mkdir(parents=True)
    building.library(place).write_bytes(b"not a library")
    library = loading._Library()
    assert library.get() is None
    assert "kernels in C++ could not be loaded" in caplog.text
    assert library.get() is None
