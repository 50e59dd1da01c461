"""Files of records: read at any place, by several threads, and past damage."""

import contextlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mxnet.base import MXNetError
from mxnet.error import FileFormatError
from regluon.formats.record_file import Appender, RecordFile
from regluon.formats.recordio import HEADER, MAGIC, MAGIC_BYTES, encode_record

RECORDS = [b"first", b"second record", b"", MAGIC_BYTES * 3, b"fifth" * 20]


def make(path: Path, records=RECORDS) -> list[int]:
    """Writes records and says where each begins."""
    encoded = [encode_record(record) for record in records]
    path.write_bytes(b"".join(encoded))
    return [sum(map(len, encoded[:i])) for i in range(len(encoded))]


def skip_all(path: Path):
    file = RecordFile(path)
    found, place, damages = [], 0, []
    while (step := file.read_next(place, damages)) is not None:
        found.append(step[0])
        assert step[2] > step[1] >= place
        place = step[2]
    return found, damages


def test_records_at_any_place(tmp_path: Path):
    offsets = make(tmp_path / "a.rec")
    file = RecordFile(tmp_path / "a.rec")
    assert file.offsets() == offsets
    for record, offset in reversed(list(zip(RECORDS, offsets))):
        assert file.read_at(offset)[0] == record
    assert file.at_end(file.size)
    file.close()
    file.close()


def test_without_pread(tmp_path: Path, monkeypatch):
    monkeypatch.delattr(os, "pread", raising=False)
    offsets = make(tmp_path / "a.rec")
    assert [RecordFile(tmp_path / "a.rec").read_at(offset)[0] for offset in offsets] == RECORDS


def test_a_system_that_gives_little_at_a_time(tmp_path: Path, monkeypatch):
    real = os.pread
    offsets = make(tmp_path / "a.rec")
    monkeypatch.setattr(os, "pread", lambda descriptor, count, offset: real(descriptor, min(count, 3), offset))
    assert [RecordFile(tmp_path / "a.rec").read_at(offset)[0] for offset in offsets] == RECORDS


def test_threads_share_a_file(tmp_path: Path):
    records = [bytes([i % 256]) * (i * 7 % 900) for i in range(300)]
    offsets = make(tmp_path / "a.rec", records)
    file = RecordFile(tmp_path / "a.rec")
    with ThreadPoolExecutor(8) as threads:
        for _ in range(3):
            assert [data for data, _ in threads.map(file.read_at, offsets)] == records


def test_a_growing_file(tmp_path: Path):
    path = tmp_path / "a.rec"
    make(path, [b"one"])
    file = RecordFile(path)
    place = file.read_at(0)[1]
    assert file.at_end(place)
    with open(path, "ab") as stream:
        stream.write(encode_record(b"two"))
    assert not file.at_end(place)
    assert file.read_at(place)[0] == b"two"


def test_errors_name_file_record_and_byte(tmp_path: Path):
    path = tmp_path / "a.rec"
    offsets = make(path)
    content = bytearray(path.read_bytes())
    content[offsets[1]] ^= 1
    path.write_bytes(content)
    file = RecordFile(path, "reader")
    with pytest.raises(FileFormatError, match=rf"\[reader\] .*a.rec, key 7, byte {offsets[1]}: .*fetch both again"):
        file.read_at(offsets[1], "key 7")
    with pytest.raises(FileFormatError, match=r"byte 9999: the file has \d+ bytes; .*index belongs to another"):
        file.read_at(9999)
    (tmp_path / "b.rec").write_bytes(b"hello, world")
    with pytest.raises(FileFormatError, match="no RecordIO file"):
        RecordFile(tmp_path / "b.rec").offsets()


def test_what_cannot_be_opened(tmp_path: Path):
    with pytest.raises(MXNetError, match=r"expected a file that can be read: No such file"):
        RecordFile(tmp_path / "none.rec")
    with pytest.raises(MXNetError, match="expected a regular file"):
        RecordFile(tmp_path)
    with pytest.raises(MXNetError, match="expected a file that can be written"):
        Appender(tmp_path)


@pytest.mark.parametrize("broken", range(len(RECORDS)))
def test_damage_is_passed_over(tmp_path: Path, broken: int):
    path = tmp_path / "a.rec"
    offsets = make(path)
    content = bytearray(path.read_bytes())
    content[offsets[broken]] ^= 0xFF
    path.write_bytes(content)
    found, damages = skip_all(path)
    assert found == RECORDS[:broken] + RECORDS[broken + 1 :]
    assert damages[0].offset == offsets[broken]
    assert "byte" in damages[0].reason


def test_a_length_that_swallows_others_is_noticed(tmp_path: Path):
    path = tmp_path / "a.rec"
    make(path, [b"a" * 8, b"b" * 8, b"c" * 8, b"d" * 8])
    content = bytearray(path.read_bytes())
    content[4] = 8 + 16 + 4  # the first record now ends inside the third
    path.write_bytes(content)
    found, damages = skip_all(path)
    assert found == [b"b" * 8, b"c" * 8, b"d" * 8]
    assert "another record begins at 16, inside" in damages[0].reason


def test_every_byte_flipped_or_cut(tmp_path: Path):
    path = tmp_path / "a.rec"
    make(path)
    content = path.read_bytes()
    for place in range(len(content)):
        for damaged in (content[:place], content[:place] + bytes([content[place] ^ 0xA5]) + content[place + 1 :]):
            path.write_bytes(damaged)
            skip_all(path)
            with contextlib.suppress(FileFormatError):
                RecordFile(path).offsets()


def test_hostile_files_take_no_long_time(tmp_path: Path):
    path = tmp_path / "a.rec"
    marks = 10_000
    size = marks * 8
    # First parts that all lead to the same middle, which never ends; and lengths that all reach far.
    for word in (1 << 29 | size // 2, size - 8, 1 << 29, 2 << 29):
        path.write_bytes(HEADER.pack(MAGIC, word) * marks)
        start = time.process_time()
        skip_all(path)
        assert time.process_time() - start < 3


def test_an_appender_writes_once_it_has_enough(tmp_path: Path):
    path = tmp_path / "a"
    file = Appender(path)
    file.write(b"ab")
    assert path.read_bytes() == b""
    file.write(b"x" * (1 << 18))
    assert path.stat().st_size == file.size == 2 + (1 << 18)
    file.write(b"end")
    file.close()
    file.close()
    assert path.read_bytes().endswith(b"xend")


def test_an_abandoned_appender_writes_nothing(tmp_path: Path):
    file = Appender(tmp_path / "a")
    file.write(b"ab")
    file.close(abandon=True)
    assert (tmp_path / "a").read_bytes() == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full disk to write to")
def test_a_full_disk_is_an_error():
    file = Appender("/dev/full")
    file.write(b"ab")
    with pytest.raises(MXNetError, match="/dev/full cannot be written: No space left"):
        file.close()
