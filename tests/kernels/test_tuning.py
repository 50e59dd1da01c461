"""The quickest kernel is found on the work itself, and remembered."""

import json
from pathlib import Path

import pytest
import torch

from mxnet.base import MXNetError
from regluon.kernels import tuning


class _Clock:
    """Time that passes only when a kernel says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.interruptions = 0

    def kernel(self, name: str, seconds: float, calls: list[str]):
        def run(value: int) -> int:
            calls.append(name)
            self.now += seconds
            return value + 1

        return name, run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> _Clock:
    found = _Clock()
    monkeypatch.setattr(tuning.time, "perf_counter", lambda: found.now)
    monkeypatch.setattr(tuning, "_interruptions", lambda: found.interruptions)
    monkeypatch.setattr(tuning, "_FEW", 0)
    monkeypatch.setenv("MXNET_AUTOTUNE", "1")
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    return found


def _candidates(clock: _Clock, calls: list[str]):
    return tuple(clock.kernel(name, seconds, calls) for name, seconds in (("slow", 3.0), ("quick", 1.0), ("fair", 2.0)))


def test_takes_the_quickest_after_every_one_had_its_turns(clock: _Clock) -> None:
    calls: list[str] = []
    tuner, candidates = tuning._Tuner(), _candidates(clock, calls)
    assert [tuner.run("work", candidates, 1) for _ in range(12)] == [2] * 12
    assert calls[:9] == ["slow", "quick", "fair"] * 3
    assert calls[9:] == ["quick"] * 3


def test_few_candidates_have_more_turns(clock: _Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "_FEW", 3)
    calls: list[str] = []
    tuner, candidates = tuning._Tuner(), _candidates(clock, calls)
    for _ in range(20):
        tuner.run("work", candidates, 1)
    assert calls == [*["slow", "quick", "fair"] * 6, "quick", "quick"]


def test_those_that_are_close_have_more_turns_still(clock: _Clock) -> None:
    calls: list[str] = []
    tuner = tuning._Tuner()
    candidates = tuple(clock.kernel(name, seconds, calls) for name, seconds in (("a", 1.2), ("b", 1.05), ("c", 1.0)))
    for _ in range(40):
        tuner.run("work", candidates, 1)
    assert calls == [*["a", "b", "c"] * 6, *["b", "c"] * 6, *["c"] * 10]


def test_a_turn_that_was_interrupted_does_not_count(clock: _Clock) -> None:
    calls: list[str] = []
    tuner = tuning._Tuner()
    candidates = _candidates(clock, calls)

    def interrupted(value: int) -> int:
        clock.interruptions += 1
        clock.now += 10.0
        return candidates[1][1](value)

    for turn in range(11):
        disturbed = turn in (1, 5)  # both of them turns of the quick one
        tuner.run("work", (candidates[0], ("quick", interrupted if disturbed else candidates[1][1]), candidates[2]), 1)
    assert calls == ["slow", "quick", "quick", "fair", "slow", "quick", "quick", "fair", "slow", "quick", "fair"]
    calls.clear()
    tuner.run("work", candidates, 1)
    assert calls == ["quick"]


def test_a_machine_that_always_interrupts_does_not_keep_a_choice_from_being_made(clock: _Clock) -> None:
    calls: list[str] = []
    tuner = tuning._Tuner()

    def interrupted(name: str, seconds: float):
        def run(value: int) -> int:
            calls.append(name)
            clock.interruptions += 1
            clock.now += seconds
            return value

        return name, run

    candidates = interrupted("slow", 3.0), interrupted("quick", 1.0)
    for _ in range(40):
        tuner.run("work", candidates, 1)
    assert calls[-20:] == ["quick"] * 20


def test_kinds_of_work_are_told_apart(clock: _Clock) -> None:
    calls: list[str] = []
    tuner = tuning._Tuner()
    for _ in range(9):
        tuner.run("one", _candidates(clock, calls), 1)
    tuner.run("other", _candidates(clock, calls), 1)
    assert calls[-1] == "slow"


def test_remembers_on_disk(clock: _Clock, tmp_path: Path) -> None:
    calls: list[str] = []
    first = tuning._Tuner()
    for _ in range(9):
        first.run(("work", 1), _candidates(clock, calls), 1)
    first.save()
    (place,) = (tmp_path / "autotune").iterdir()
    assert json.loads(place.read_text()) == {"('work', 1)": "quick"}
    calls.clear()
    tuning._Tuner().run(("work", 1), _candidates(clock, calls), 1)
    assert calls == ["quick"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"(\'work\', 1)": "gone"}'])
def test_a_file_that_does_not_help_is_ignored(clock: _Clock, tmp_path: Path, content: str) -> None:
    calls: list[str] = []
    first = tuning._Tuner()
    for _ in range(9):
        first.run(("work", 1), _candidates(clock, calls), 1)
    first.save()
    (place,) = (tmp_path / "autotune").iterdir()
    place.write_text(content)
    calls.clear()
    tuning._Tuner().run(("work", 1), _candidates(clock, calls), 1)
    assert calls == ["slow"]


def test_a_place_that_cannot_be_written_to_is_no_error(
    clock: _Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MXNET_HOME", str(tmp_path / "file"))
    tuner = tuning._Tuner()
    for _ in range(9):
        tuner.run("work", _candidates(clock, []), 1)
    tuner.save()


def test_a_user_without_a_folder_is_no_error(clock: _Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MXNET_HOME")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    calls: list[str] = []
    tuner = tuning._Tuner()
    for _ in range(40):
        tuner.run("work", _candidates(clock, calls), 1)
    tuner.save()
    assert calls[-1] == "quick"


def test_a_folder_that_refuses_files_is_no_error(
    clock: _Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*given: object) -> None:
        raise MXNetError("[autotune] no room")

    monkeypatch.setattr(tuning, "atomic_write", refuse)
    tuner = tuning._Tuner()
    for _ in range(40):
        tuner.run("work", _candidates(clock, []), 1)
    tuner.save()
    assert list((tmp_path / "autotune").iterdir()) == []


def test_switched_off(clock: _Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_AUTOTUNE", "0")
    calls: list[str] = []
    tuner = tuning._Tuner()
    for _ in range(12):
        tuner.run("work", _candidates(clock, calls), 1)
    assert calls == ["slow"] * 12


def test_ever_new_work_does_not_grow_it(clock: _Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "_TIMING_LIMIT", 3)
    tuner = tuning._Tuner()
    for number in range(10):
        tuner.run(number, _candidates(clock, []), 1)
    assert len(tuner._chosen) + len(tuner._trials) == 3


def test_what_libraries_may_use_of_a_processor_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    tuning._processor.cache_clear()
    unlimited = tuning._processor()
    try:
        for name, value in (("ONEDNN_MAX_CPU_ISA", "SSE41"), ("ONEDNN_MAX_CPU_ISA", "AVX2")):
            monkeypatch.setenv(name, value)
            tuning._processor.cache_clear()
            assert tuning._processor() != unlimited
        monkeypatch.delenv("ONEDNN_MAX_CPU_ISA")
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "SOME")
        tuning._processor.cache_clear()
        assert tuning._processor() != unlimited
    finally:
        tuning._processor.cache_clear()
