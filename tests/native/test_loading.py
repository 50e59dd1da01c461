"""Which kernels a process uses, and what it does not load."""

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from regluon.native import building, compiling, loading, sealing

KERNELS = "regluon_kernels.so"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for kernels, a package without any, and loading that only notes what it would load."""
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    monkeypatch.setattr(loading, "PACKAGED", tmp_path / "package" / "compiled")
    monkeypatch.setattr(
        loading,
        "_loaded",
        lambda found: loading.Library("kernels", "runner" if found.runner else None, found.level, found.kernels),
    )
    found = building.folder()
    assert found is not None
    return found


def put(path: Path, **facts: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.chmod(0o755)
    made = path.with_suffix(".made")
    made.write_bytes(b"x" * 1000)
    building.put_in_place(made, path, **facts)
    return path


def put_both(place: Path) -> Path:
    put(building.runner_in(place))
    return put(building.kernels_in(place))


def put_packaged(*names: str, **facts: str) -> None:
    for name in names:
        put(loading.PACKAGED / name, **{"sources": compiling.source_digest(), **facts})


def test_none(place: Path, caplog: Any) -> None:
    found = loading.load("1")
    assert found.operators is None
    assert str(found).startswith("torch's kernels are used: there are no kernels in C++ for this processor; `")
    assert str(found).endswith(f"`{sys.executable} -m regluon.native` compiles them")
    assert not caplog.records


def test_switched_off(place: Path) -> None:
    put_both(place)
    assert loading.load("1").path == building.kernels_in(place)
    found = loading.load("0")
    assert (found.operators, found.note) == (None, "MXNET_NATIVE=0")


def test_autotuning_has_no_say(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_both(place)
    monkeypatch.setenv("MXNET_AUTOTUNE", "0")
    assert loading.load("1").operators == "kernels"


def test_an_unknown_setting_is_named(place: Path, caplog: Any) -> None:
    put_both(place)
    assert loading.load("x86-64-v9").operators is None
    assert [record.message for record in caplog.records] == [
        "MXNET_NATIVE=x86-64-v9; expected 0, 1 or one of x86-64-v2, x86-64-v3, x86-64-v4, neon. "
        "Torch's kernels are used."
    ]


def test_none_for_an_older_torch(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_packaged("regluon_kernels.x86-64-v2.so")
    monkeypatch.setattr(torch, "__version__", "2.6.1+cpu")
    assert loading.load("1").note == "the kernels in C++ are not written for torch 2.6.1+cpu"


def test_the_best_level_of_the_wheel(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_packaged(*(f"regluon_kernels.{level}.so" for level in ("x86-64-v2", "x86-64-v3", "x86-64-v4")))
    put_packaged(loading.packaged_runner().name)
    monkeypatch.setattr(loading, "available", lambda: ("x86-64-v3", "x86-64-v2"))
    found = loading.load("1")
    assert (found.level, found.path) == ("x86-64-v3", loading.PACKAGED / "regluon_kernels.x86-64-v3.so")
    assert found.runner == "runner"
    assert loading.load("x86-64-v2").level == "x86-64-v2"


def test_a_level_that_the_processor_lacks(place: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    put_packaged("regluon_kernels.x86-64-v4.so")
    monkeypatch.setattr(loading, "available", lambda: ("x86-64-v3", "x86-64-v2"))
    found = loading.load("x86-64-v4")
    assert found.note == "MXNET_NATIVE=x86-64-v4, but this processor lacks some of its instructions"
    assert [record.message for record in caplog.records] == [f"{found.note}. Torch's kernels are used."]


def test_kernels_built_here_come_first(place: Path) -> None:
    put_packaged("regluon_kernels.x86-64-v2.so")
    put_both(place)
    assert loading.load("1").path == building.kernels_in(place)


def test_a_wheel_built_with_another_torch(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels serve every torch; the runner does not."""
    put_packaged("regluon_kernels.x86-64-v2.so", "regluon_runner.torch2.13.0.cpython-311.so")
    monkeypatch.setattr(loading, "available", lambda: ("x86-64-v2",))
    monkeypatch.setattr(torch, "__version__", "2.14.1+cpu")
    (found,) = loading._candidates("1")
    assert found.runner is None
    assert loading.load("1").operators == "kernels"


def test_a_wheel_of_other_sources(place: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    put_packaged("regluon_kernels.x86-64-v2.so", sources="older")
    monkeypatch.setattr(loading, "available", lambda: ("x86-64-v2",))
    assert loading.load("1").operators is None
    assert "regluon_kernels.x86-64-v2.so was built from other sources" in caplog.text


def test_the_runner_is_named_after_torch_and_python() -> None:
    release = torch.__version__.partition("+")[0]
    assert loading.packaged_runner().name == f"regluon_runner.torch{release}.{sys.implementation.cache_tag}.so"


def test_without_a_runner(library: Any) -> None:
    found = loading.Library("kernels", None, "x86-64-v3", Path("k.so"), "no runner of captured programs")
    assert str(found) == "x86-64-v3, k.so; no runner of captured programs"


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
@pytest.mark.parametrize("name", [KERNELS, "regluon_runner.so"])
def test_damaged_libraries_are_not_loaded(place: Path, damage: Any, name: str, caplog: Any) -> None:
    put_both(place)
    assert loading.load("1").operators == "kernels"
    text = damage(place / name)
    found = loading.load("1")
    assert found.operators is None
    assert text in found.note
    assert [record.message.count(text) for record in caplog.records] == [1]
    assert caplog.records[0].message.endswith(f"`{sys.executable} -m regluon.native` compiles them again.")


def test_the_wheel_stands_in_for_a_damaged_library(place: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    put_packaged("regluon_kernels.x86-64-v2.so")
    monkeypatch.setattr(loading, "available", lambda: ("x86-64-v2",))
    _cut_off(put_both(place))
    assert loading.load("1").level == "x86-64-v2"
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_what_cannot_be_loaded_is_named(place: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    def refuse(found: Any) -> None:
        raise OSError("GLIBC_9.9 not found")

    put_both(place)
    monkeypatch.setattr(loading, "_loaded", refuse)
    assert loading.load("1").operators is None
    assert f"{KERNELS} could not be loaded: GLIBC_9.9 not found" in caplog.text


def test_libraries_of_another_user_are_not_loaded(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put_both(place)
    assert sealing.fault(path) == ""
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    if os.stat(path).st_uid == 0:
        assert sealing.fault(path) == ""  # the system's, for all users
        os.chown(path, 4712, -1)
    assert sealing.fault(path).endswith("belongs to another user")


def test_libraries_of_a_wheel_are_trusted_as_its_python_files_are(tmp_path: Path) -> None:
    """pip gives files the rights that the umask says, and whoever can write the Python files needs no library."""
    path = put(tmp_path / "package" / "compiled" / KERNELS)
    package = tmp_path / "package"
    for each in (package, path.parent, path):
        each.chmod(0o775)
    assert sealing.fault(path).endswith("can be written by other users")
    assert sealing.fault(path, package) == ""
    path.chmod(0o777)
    assert sealing.fault(path, package).endswith("can be written by other users")


def test_a_program_survives_a_library_that_was_cut_off(tmp_path: Path, library: Any) -> None:
    """Mapping it would end the process with SIGBUS."""
    surroundings = {**os.environ, "MXNET_HOME": str(tmp_path), "MXNET_NATIVE": "1"}
    where = "from regluon.native.building import folder; print(folder())"
    found = subprocess.run([sys.executable, "-c", where], env=surroundings, capture_output=True, text=True, check=True)
    place = Path(found.stdout.strip())
    place.mkdir(parents=True)
    for path in (building.kernels_in(place), building.runner_in(place)):
        shutil.copy(library.path, place / "copy")
        building.put_in_place(place / "copy", path)
    os.truncate(building.kernels_in(place), library.path.stat().st_size // 2)
    code = "import mxnet as mx; print((mx.nd.ones(3) + 1).asnumpy()); print(mx.runtime.Features()['NATIVE_KERNELS'])"
    done = subprocess.run([sys.executable, "-c", code], env=surroundings, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "[2. 2. 2.]"
    assert done.stderr.count("compiles them again") == 1


def test_nothing_changes_in_a_process(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that are built while a program runs are for the next one; a fork has those of its parent."""
    before = loading.Library()
    monkeypatch.setattr(loading, "the_library", before)
    put_both(place)
    assert loading.kernels() is None
    assert loading.runner() is None
    assert loading.library() is before
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, b"1" if loading.library() is before else b"0")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1) == b"1"


def test_a_leaf_is_watched_with_and_without_a_runner(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[Any] = []
    monkeypatch.setattr(
        loading, "the_library", loading.Library(runner=SimpleNamespace(watch=lambda *a: watched.append(a)))
    )
    leaf = torch.ones(2, requires_grad=True)
    loading.watch(leaf, "slot")
    assert watched == [(leaf, "slot")]
    monkeypatch.setattr(loading, "the_library", loading.Library())
    delivered: list[Any] = []
    loading.watch(leaf, delivered.append)
    leaf.sum().backward()
    assert len(delivered) == 1
