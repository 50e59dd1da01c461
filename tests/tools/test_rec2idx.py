"""Indexes of record files whose writer died, and what `repair` does with the files."""

import os
from pathlib import Path

import pytest

from mxnet._commands.command import main
from mxnet.recordio import MXIndexedRecordIO, MXRecordIO
from regluon.cli import rec2idx
from regluon.formats.recordio import MAGIC_BYTES

RECORDS = [b"first", b"second record", MAGIC_BYTES * 3, b"fourth" * 20]  # the third has several parts
KEYS = [7, 3, 11, 0]


def make(folder: Path) -> tuple[Path, Path, list[int]]:
    rec, idx = folder / "a.rec", folder / "a.idx"
    with MXIndexedRecordIO(idx, rec, "w") as file:
        for key, record in zip(KEYS, RECORDS, strict=True):
            file.write_idx(key, record)
        ends = [*(file.idx[key] for key in KEYS[1:]), file.tell()]
    return rec, idx, ends


def read_all(idx: Path, rec: Path) -> dict[int, bytes]:
    with MXIndexedRecordIO(idx, rec, "r") as file:
        return {key: file.read_idx(key) for key in file.keys}


def test_every_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rec, idx, ends = make(tmp_path)
    content = rec.read_bytes()
    for size in range(len(content) + 1):
        rec.write_bytes(content[:size])
        assert rec2idx.main([str(rec), str(idx), "--force"]) == 0
        whole = sum(end <= size for end in ends)
        printed = capsys.readouterr()
        assert printed.out == f"{whole} records\n"
        is_torn = size not in (0, *ends)
        assert ("was cut off and is left out" in printed.err) == is_torn
        assert read_all(idx, rec) == dict(enumerate(RECORDS[:whole]))


def test_damage_in_the_middle_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rec, idx, _ = make(tmp_path)
    content = bytearray(rec.read_bytes())
    content[0] ^= 1
    rec.write_bytes(content)
    before = idx.read_bytes()
    assert rec2idx.main([str(rec), str(idx), "--force"]) == 1
    assert "expected a record's mark" in capsys.readouterr().err
    assert idx.read_bytes() == before


def test_repair_of_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The torn record goes, keys that the old index has are kept, the others are numbered."""
    rec, idx, ends = make(tmp_path)
    rec.write_bytes(rec.read_bytes()[: ends[3] - 2])
    idx.write_text(f"7\t0\n3\t{ends[0]}\n11\t{str(ends[1])[:1]}")
    assert main(["repair", str(rec)]) == 0
    printed = capsys.readouterr().out
    assert f"bytes of a record that was cut off at byte {ends[2]}" in printed
    assert rec.stat().st_size == ends[2]
    assert read_all(idx, rec) == {7: RECORDS[0], 3: RECORDS[1], 0: RECORDS[2]}
    with MXRecordIO(rec, "r") as file:
        assert [file.read() for _ in range(4)] == [*RECORDS[:3], None]
    assert main(["repair", str(rec)]) == 0
    assert "cut off" not in capsys.readouterr().out
    assert sorted(os.listdir(tmp_path)) == ["a.idx", "a.rec"]


def test_repair_without_an_index(tmp_path: Path) -> None:
    rec, idx, _ = make(tmp_path)
    idx.unlink()
    assert main(["repair", str(rec)]) == 0
    assert read_all(idx, rec) == dict(enumerate(RECORDS))


def test_repair_of_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repair", str(tmp_path / "none")]) == 1
    assert "expected an existing folder, or a file that ends with .rec" in capsys.readouterr().err
