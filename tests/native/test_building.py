"""Building the kernels: what is said, what is written, and what happens when it fails."""

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from filelock import FileLock

from mxnet.base import MXNetError
from regluon.native import __main__ as command
from regluon.native import building, compiling, sealing
from tests.compiled_kernels import HOME
from tests.native.fake_compiler import FakeCompiler

FILES = len(compiling.files_of(compiling.KERNELS)) + len(compiling.files_of(compiling.RUNNER))
BATCHES = [*compiling.batches_of(compiling.KERNELS), *compiling.batches_of(compiling.RUNNER)]
COUNT = len(BATCHES)
MADE = b"made by the compiler " * 50


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCompiler:
    """The compiler, and an empty home for what it makes."""
    made = FakeCompiler(tmp_path / "cc")
    monkeypatch.setenv("CXX", str(made.path))
    monkeypatch.setenv("MXNET_HOME", str(tmp_path / "home"))
    return made


def place() -> Path:
    found = building.folder()
    assert found is not None
    return found


def test_says_what_it_does_and_then_does_it(compiler: FakeCompiler, capsys: Any) -> None:
    assert command.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"Compiling {FILES} C++ files for this processor"
    assert lines[2] == f"  compiler   GCC 12.2.0 ({compiler.path})"
    assert lines[3] == f"  libraries  {place() / 'regluon_kernels.so'}"
    assert lines[5].startswith("  jobs       ")
    assert " s" not in lines[5].partition("cores")[2].replace(" GB a job", "")  # no duration before one is measured
    progress = [line for line in lines if line.startswith("[")]
    assert [line.split("]")[0] for line in progress] == [f"[{number + 1}/{COUNT}" for number in range(COUNT)]
    assert all(re.search(r"\] \w+ \(\d files\)  \d+ s, about \d+ s left$", line) for line in progress[:-1])
    assert re.search(r"files\)  \d+ s$", progress[-1])
    assert lines[-1].endswith("Programs that you start from now on use the kernels.")
    assert {path.name for path in place().iterdir()} == {
        *("regluon_kernels.so", "regluon_kernels.seal", "regluon_runner.so", "regluon_runner.seal", "lock"),
    }
    assert sealing.facts_of(building.kernels_in(place()))["compiler"] == f"GCC 12.2.0 ({compiler.path})"
    assert len(compiler.calls) == COUNT + 2


def test_a_batch_includes_each_of_its_sources(compiler: FakeCompiler) -> None:
    """The compiler reads a file that includes the sources, from a folder that the build removes."""
    compiler.set(copies=True)
    assert command.main([]) == 0
    read = {Path(call[call.index("-c") + 1]).stem: call for call in compiler.calls if "-c" in call}
    assert set(read) == {batch.name for batch in BATCHES}
    for batch in BATCHES:
        call = read[batch.name]
        assert compiler.copy_of(batch.name) == "".join(f'#include "{stem}.cpp"\n' for stem in batch.stems)
        assert f"-I{Path(compiling.__file__).parent}" in call
        assert Path(call[call.index("-o") + 1]).parent.parent.parent == place()


def test_up_to_date(compiler: FakeCompiler, capsys: Any) -> None:
    command.main([])
    assert compiler.calls
    capsys.readouterr()
    assert command.main([]) == 0
    assert capsys.readouterr().out == f"The native kernels are up to date: {building.kernels_in(place())}\n"
    assert not compiler.calls
    assert command.main(["--force"]) == 0
    assert len(compiler.calls) == COUNT + 2


@pytest.mark.parametrize("name", ["regluon_kernels.so", "regluon_runner.so", "regluon_runner.seal"])
def test_a_damaged_library_is_built_again(compiler: FakeCompiler, capsys: Any, name: str) -> None:
    command.main([])
    os.truncate(place() / name, 3)
    (place() / "objects-of-a-killed-one").mkdir()
    assert command.main([]) == 0
    assert "Rebuilding the native kernels: " in capsys.readouterr().out
    assert (place() / "regluon_kernels.so").read_bytes() == MADE
    assert building.faults(place()) == ""
    assert not list(place().glob("objects-*"))


def test_a_failure_is_not_repeated_until_something_changes(compiler: FakeCompiler, capsys: Any) -> None:
    compiler.set(fails=True)
    assert command.main([]) == 1
    assert "error: no such instruction" in capsys.readouterr().err
    assert compiler.calls
    compiler.set()
    assert command.main([]) == 1  # it may be anything, so the same compiler is not tried again
    error = capsys.readouterr().err
    assert "failed on these sources before, and nothing has changed since" in error
    assert "-m regluon.native --force` tries again" in error
    assert not compiler.calls
    record = json.loads((place() / "failed.json").read_bytes())
    assert "error: no such instruction" in record["output"]
    assert command.main(["--status"]) == 1
    assert "failed.json has the output of the last build" in capsys.readouterr().out
    compiler.update("13.1.0")
    assert command.main([]) == 0
    assert not (place() / "failed.json").exists()


def test_force_tries_again(compiler: FakeCompiler) -> None:
    compiler.set(fails=True)
    assert command.main([]) == 1
    compiler.set()
    assert command.main(["--force"]) == 0


def test_a_compiler_that_was_killed_is_tried_again(compiler: FakeCompiler, capsys: Any) -> None:
    compiler.set(dies=True)
    assert command.main([]) == 1
    assert "returned -9" in capsys.readouterr().err
    compiler.set()
    assert command.main([]) == 0


def test_optional_never_fails(compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("CXX", "/nowhere/c++")
    assert command.main(["--optional"]) == 0
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "[native] the native kernels cannot be compiled: the compiler that CXX names" in error


def test_missing_headers_are_named(compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling.sysconfig, "get_paths", lambda: {"include": "/nowhere"})
    with pytest.raises(MXNetError, match=r"the compiler needs the headers of Python \(/nowhere/Python.h\)"):
        building.plan()


def test_none_for_an_older_torch(compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.6.1+cpu")
    assert building.folder() is None
    with pytest.raises(MXNetError, match=r"need torch 2.13 or newer and a folder to write to .* this is torch 2.6.1"):
        building.plan()


def test_another_process_is_waited_for(compiler: FakeCompiler) -> None:
    place().mkdir(parents=True)
    lines: list[str] = []
    waiting = threading.Thread(target=building.build, args=[building.plan()], kwargs={"report": lines.append})
    with FileLock(place() / "lock"):
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        assert lines == ["Waiting for another process that compiles the native kernels."]
        for path in (building.kernels_in(place()), building.runner_in(place())):
            other = place() / "other"
            other.write_bytes(b"of the other")
            building.put_in_place(other, path)
    waiting.join(60)
    assert not compiler.calls
    assert building.kernels_in(place()).read_bytes() == b"of the other"


def test_levels_have_folders_of_their_own(compiler: FakeCompiler) -> None:
    assert command.main(["--level", "x86-64-v3", "--jobs", "1"]) == 0
    (kernels,) = [call for call in compiler.calls if "-c" in call and call[call.index("-c") + 1].endswith("images.cpp")]
    assert "-march=x86-64-v3" in kernels
    other = building.folder("x86-64-v3")
    assert other is not None
    assert other != place()
    assert building.kernels_in(other).exists()
    assert not place().exists()


def test_remove(compiler: FakeCompiler, capsys: Any) -> None:
    assert command.main(["--remove"]) == 0
    assert capsys.readouterr().out == "No native kernels to remove.\n"
    command.main([])
    assert command.main(["--remove"]) == 0
    assert not place().parent.exists()


@pytest.mark.skipif(os.environ.get("REGLUON_SANITIZE") == "1", reason="the command shows the ordinary kernels")
def test_status_of_a_process(library: Any) -> None:
    """What `python -m regluon.native --status` says of the libraries that the tests run on."""
    # Other tests may have set another home in this process.
    surroundings = {**os.environ, "MXNET_NATIVE": os.environ["REGLUON_TEST_KERNELS"], "MXNET_HOME": HOME}
    done = subprocess.run(
        [sys.executable, "-m", "regluon.native", "--status"],
        env=surroundings,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"used        {library.level}, {library.path}\n")
    assert f"{library.path}  " in done.stdout
