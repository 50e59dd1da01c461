"""`python -m mxnet doctor` and `bench`."""

import email.message
from pathlib import Path

import numpy as np
import pytest

from mxnet._commands import bench, doctor
from mxnet._commands.command import main
from regluon.native.loading import Library


@pytest.fixture
def sound(monkeypatch):
    """An installation without other distributions, whatever stands beside the one that is tested."""
    monkeypatch.setattr(doctor, "other_installations", lambda here: [])
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    monkeypatch.setattr(doctor.torch, "get_num_threads", lambda: 1)
    monkeypatch.setattr(doctor, "launched", lambda: None)


def problems() -> str:
    return "\n".join(doctor.examine().problems)


def test_a_sound_installation(sound, capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for name in (
        "regluon",
        "python",
        "torch",
        "numpy",
        "devices",
        "kernels",
        "threads",
        "settings",
        "launched",
        "files",
    ):
        assert f"\n  {name} " in f"\n{out}"
    assert "a network was trained for a step" in out
    assert out.endswith("Nothing is wrong.\n")


def test_unknown_settings_are_named(sound, monkeypatch):
    monkeypatch.setenv("MXNET_AUTOTUNNE", "0")
    monkeypatch.setenv("MXNET_ENGINE_TYPE", "NaiveEngine")
    notes = "\n".join(doctor.examine().notes)
    assert "MXNET_AUTOTUNNE is set, and nothing listens to it here. Did you mean MXNET_AUTOTUNE?" in notes
    assert "MXNET_ENGINE_TYPE is set, and nothing listens to it here." in notes
    assert ("settings", "MXNET_AUTOTUNNE=0, MXNET_ENGINE_TYPE=NaiveEngine") in [
        (name, ", ".join(part for part in text.split(", ") if part.startswith("MXNET_AUTOTUNNE") or "ENGINE" in part))
        for name, text in doctor.examine().rows
    ]


class Installed:
    """A distribution as importlib.metadata gives it."""

    def __init__(self, name: str, version: str, top_level: str | None = None) -> None:
        self.metadata = email.message.Message()
        self.metadata["Name"] = name
        self.version = version
        self._top_level = top_level

    def read_text(self, name: str) -> str | None:
        return self._top_level


def test_another_mxnet_beside_is_a_problem():
    others = [Installed("mxnet-cu112", "1.9.1"), Installed("regluon", "1", "mxnet\n"), Installed("numpy", "2", "numpy")]
    others.append(Installed("mxnet-nightly", "2", "mxnet"))
    texts = doctor.other_installations(Path("here"), others)
    assert [text.split(" is ")[0] for text in texts] == ["mxnet-cu112 1.9.1", "mxnet-nightly 2"]
    assert "`pip uninstall mxnet-cu112 regluon`, then `pip install regluon`" in texts[0]


def test_problems_have_a_way_out(sound, monkeypatch, capsys):
    monkeypatch.setattr(doctor.torch, "get_num_threads", lambda: 999)
    monkeypatch.setattr(doctor.shutil, "which", lambda name: "/usr/bin/nvidia-smi")
    monkeypatch.setattr(doctor, "num_gpus", lambda: 0)
    monkeypatch.setattr(doctor, "self_test", lambda: "A small network cannot be trained: boom")
    text = problems()
    assert "Operators use 999 threads on" in text
    assert "torch" in text
    assert "Install a CUDA build of torch" in text
    assert "boom Try MXNET_NATIVE=0" in text
    assert main(["doctor"]) == 1
    assert "3 problems" in capsys.readouterr().out


def test_a_full_or_closed_disk(sound, monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "data_dir", lambda: str(tmp_path / "new" / "home"))
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 5}))
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    assert f"{tmp_path} has 5 bytes left" in problems()
    assert f"{tmp_path} cannot be written to" in problems()
    assert "Set MXNET_HOME to another folder" in problems()


def test_a_wrong_launch(sound, monkeypatch):
    monkeypatch.undo()
    for name, value in {"RANK": "x", "WORLD_SIZE": "2", "MASTER_ADDR": "a", "MASTER_PORT": "1"}.items():
        monkeypatch.setenv(name, value)
    assert "RANK is 'x' in the environment; expected a number. Start with `python -m mxnet.launch" in problems()


def test_kernels_that_are_not_used(sound, monkeypatch):
    monkeypatch.setattr(doctor.native, "library", lambda: Library(note="there are none"))
    assert any(
        "Kernels in C++ are not used: there are none. `python -m regluon.native`" in note
        for note in doctor.examine().notes
    )


def test_the_self_test_finds_differences(monkeypatch):
    assert doctor.self_test() == ""
    monkeypatch.setattr(doctor, "_trained", lambda is_compiled: np.full(2, float(is_compiled)))
    assert "gives [0. 0.] as written and [1. 1.] compiled" in doctor.self_test()


def test_bench(monkeypatch, capsys):
    rows = [row for row in bench.ROWS if "ResNet" not in row.name]
    monkeypatch.setattr(bench, "ROWS", [row._replace(repeat=1) for row in rows])
    assert main(["bench", "--seconds", "0.01"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["here", "torch", "torch", "/", "here"]
    assert "add two arrays" in lines[2]
    assert "train LeNet" in lines[3]
    assert main(["bench", "--seconds", "0"]) == 1
    assert "--seconds: received 0.0; expected more than 0" in capsys.readouterr().err


def test_times_are_readable():
    assert [bench._time_text(value) for value in (2.5, 0.0123, 4.56e-6)] == ["2.5 s", "12.3 ms", "4.56 us"]


@pytest.mark.parametrize("command", ["inspect", "convert", "repair", "doctor", "bench"])
def test_help(command: str, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"python -m mxnet {command}" in capsys.readouterr().out
