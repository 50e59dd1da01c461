"""Inputs that readers once took wrongly stay solved, and the harness that found them works."""

from pathlib import Path

import pytest

pytest.importorskip("cv2")
pytest.importorskip("onnx")

from tools.fuzz import mutations, running
from tools.fuzz.readers import READERS, Reader
from tools.fuzz.running import Finding, made_input, outcome

CORPUS = Path(__file__).parents[1] / "fixtures" / "fuzz"
FILES = sorted(CORPUS.glob("*/*.bin"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for path in FILES])
def test_findings_of_the_past(path: Path, monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 30.0)  # the machine may be busy, and torch loads much at the first call
    _, found = outcome(READERS[path.parent.name], path.parent.name, path.read_bytes(), 0)
    assert found is None


def test_there_are_findings_of_the_past():
    assert len(FILES) > 50
    assert {path.parent.name for path in FILES} <= set(READERS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_each_reader_takes_damaged_files(name: str, monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 30.0)
    reader = READERS[name]
    sound = reader.seeds()
    assert sound
    accepted = [outcome(reader, name, data, 0) for data in sound[:20]]
    assert all(found is None for _, found in accepted)
    assert any(taken for taken, _ in accepted), "no sound file is accepted: the harness reads them wrongly"
    for number in range(40):
        _, found = outcome(reader, name, made_input(reader, sound, 3, number), number)
        assert found is None


def test_inputs_are_the_same_whenever_they_are_asked_for():
    reader = READERS["params"]
    sound = reader.seeds()
    first = [made_input(reader, sound, 5, number) for number in range(50)]
    assert first == [made_input(reader, sound, 5, number) for number in range(50)]
    assert len(set(first)) > 40
    assert made_input(reader, sound, 6, 0) != first[0]


def fails(data: bytes) -> None:
    raise {b"k": KeyError, b"m": MemoryError}.get(data[:1], OSError)("text")


def test_what_counts_as_a_finding(monkeypatch):
    reader = Reader(list, fails)
    for data, kind in ((b"k", "KeyError"), (b"m", "MemoryError"), (b"", "OSError")):
        accepted, found = outcome(reader, "test", data, 7)
        assert not accepted
        assert isinstance(found, Finding)
        assert (found.kind, found.number) == (kind, 7)
    monkeypatch.setattr(running, "SECONDS", -1.0)
    assert outcome(Reader(list, bytes), "test", b"", 0)[1].kind == "slow"


def test_a_process_that_hangs_or_dies_is_replaced(tmp_path, monkeypatch):
    """The process that reads is another one: what it does is put into its reader by a module of the test."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if sys.argv[1:2] == ['idx'] or 'idx' in sys.argv:\n"
        "    import tools.fuzz.readers as readers\n"
        "    def read(data, seen=[0]):\n"
        "        seen[0] += 1\n"
        "        if seen[0] == 5: os.kill(os.getpid(), 11)\n"
        "    readers.READERS['idx'] = readers.Reader(lambda: [b'abc'], read)\n"
    )
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{root}:{root / 'src'}")
    tally, findings = running.run("idx", 1, 8, 60.0)
    assert [each.kind for each in findings] == ["SIGSEGV"]
    assert tally.inputs == 8


def test_mutations_keep_most_texts_readable():
    reader = READERS["symbol"]
    sound = reader.seeds()
    changed = [made_input(reader, sound, 1, number) for number in range(200)]
    readable = sum(data.startswith(b"{") and data.rstrip().endswith(b"}") for data in changed)
    assert readable > 150
    assert callable(mutations.damage)
