"""Compiling the kernels and finding them again."""

import os
import shutil
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
from mxnet.native import building, loading, sealing


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for kernels, and settings under which they are wanted."""
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    monkeypatch.setenv("MXNET_AUTOTUNE", "1")
    found = building.folder()
    assert found is not None
    return found


def _put_library(place: Path, content: bytes = b"") -> Path:
    """A library as the compiler leaves it."""
    place.mkdir(parents=True, exist_ok=True)
    path = building.library(place)
    path.write_bytes(content)
    sealing.seal(path)
    return path


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
        _put_library(place)
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
    _put_library(place)
    assert loading.runner() is loading.runner() is library.module
    assert called == [library.module]
    loading.on_load(called.append)
    assert called == [library.module] * 2


def test_built_kernels_are_taken_at_once(place: Path, library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_waiting", [])
    monkeypatch.setattr(loading, "_loaded", lambda path: library.module)
    monkeypatch.setattr(loading, "the_library", loading._Library())
    _put_library(place)
    called: list[Any] = []
    monkeypatch.setenv("MXNET_NATIVE", "0")
    loading.on_load(called.append)
    assert called == []
    monkeypatch.delenv("MXNET_NATIVE")
    loading.on_load(lambda module: None)
    assert called == [library.module]
    assert loading.version() == place.name


def test_kernels_that_cannot_be_loaded(place: Path, caplog: Any) -> None:
    _put_library(place, b"not a library")
    library = loading._Library()
    assert library.get() is None
    assert "kernels in C++ could not be loaded" in caplog.text
    assert library.get() is None


def _cut_off(path: Path) -> str:
    os.truncate(path, 2)
    return "has 2 bytes; expected 1000"


def _emptied(path: Path) -> str:
    os.truncate(path, 0)
    return "has 0 bytes; expected 1000"


def _flipped(path: Path) -> str:
    content = bytearray(path.read_bytes())
    content[700] ^= 4
    path.write_bytes(content)
    return "was changed after it was compiled"


def _unsealed(path: Path) -> str:
    sealing.seal_of(path).unlink()
    return "has no seal beside it"


def _broken_seal(path: Path) -> str:
    sealing.seal_of(path).write_text('{"bytes": 10')
    return "is damaged"


def _open_to_all(path: Path) -> str:
    path.chmod(0o777)
    return "can be written by other users"


def _open_folder(path: Path) -> str:
    path.parent.chmod(0o775)
    return "can be written by other users"


@pytest.mark.parametrize("damage", [_cut_off, _emptied, _flipped, _unsealed, _broken_seal, _open_to_all, _open_folder])
def test_damaged_kernels_are_not_loaded(
    place: Path, damage: Any, caplog: Any, monkeypatch: pytest.MonkeyPatch, library: Any
) -> None:
    path = _put_library(place, b"x" * 1000)
    monkeypatch.setattr(loading, "_loaded", lambda path: library.module)
    assert loading._Library().get() is library.module
    text = damage(path)
    found = loading._Library()
    found.get_built()
    assert found.get() is None
    assert found.get() is None
    assert [record.message.count(text) for record in caplog.records] == [1]
    assert caplog.records[0].message.endswith("-m mxnet.native` compiles the kernels in C++ again.")


def test_kernels_of_another_user_are_not_loaded(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _put_library(place, b"x" * 1000)
    assert sealing.fault(path) == ""
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    if os.stat(path).st_uid == 0:
        assert sealing.fault(path) == ""  # the system's, for all users
        os.chown(path, 4712, -1)
    assert sealing.fault(path).endswith("belongs to another user")


def test_damaged_kernels_are_compiled_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_it(name: str, sources: Any, build_directory: str, **options: Any) -> None:
        Path(build_directory, f"{name}.so").write_bytes(b"compiled")

    monkeypatch.setattr(cpp_extension, "load", compile_it)
    path = _put_library(place, b"sound")
    building.build(place)
    assert path.read_bytes() == b"sound"
    os.truncate(path, 2)
    (place / "objects-of-a-killed-one").mkdir()
    building.build(place)
    assert path.read_bytes() == b"compiled"
    assert sealing.fault(path) == ""
    assert {each.name for each in place.iterdir()} == {path.name, "regluon_native.seal", "lock"}


def test_a_program_survives_a_library_that_was_cut_off(place: Path, library: Any) -> None:
    """Mapping it would end the process with SIGBUS."""
    place.mkdir(parents=True)
    path = building.library(place)
    shutil.copy(library.module.__file__, path)
    sealing.seal(path)
    os.truncate(path, path.stat().st_size // 2)
    code = "import mxnet as mx; print((mx.nd.ones(3) + 1).asnumpy())"
    surroundings = {**os.environ, "MXNET_HOME": str(place.parent.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=surroundings, capture_output=True, text=True, check=True)
    assert done.stdout == "[2. 2. 2.]\n"
    assert done.stderr.count("compiles the kernels in C++ again") == 1
