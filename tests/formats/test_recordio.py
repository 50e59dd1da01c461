"""Records as bytes: what is written is read, and what is damaged is refused with its place."""

import contextlib
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mxnet.base import MXNetError
from mxnet.error import FileFormatError, OpParamError, OpTypeError
from regluon.formats import recordio
from regluon.formats.recordio import (
    HEADER,
    MAGIC,
    MAGIC_BYTES,
    RecordError,
    encode_record,
    read_index,
    read_record,
)
from tools.oracle.record_recordio import FIXTURES, plain_records


def read_all(content: bytes) -> list[bytes]:
    def fetch(offset: int, count: int) -> bytes:
        assert offset >= 0
        assert count <= len(content), "more is asked for than there is"
        return content[offset : offset + count]

    found, place = [], 0
    while place < len(content):
        record, place = read_record(fetch, len(content), place)
        found.append(record)
    return found


def part(kind: int, data: bytes) -> bytes:
    return HEADER.pack(MAGIC, kind << 29 | len(data)) + data + bytes(-len(data) % 4)


def test_bytes_are_those_of_mxnet():
    content = b"".join(map(encode_record, plain_records()))
    assert content == (FIXTURES / "plain.rec").read_bytes()
    assert read_all(content) == plain_records()


@given(st.lists(st.lists(st.sampled_from([MAGIC_BYTES, b"a", b"bcde", MAGIC_BYTES[:2]]), max_size=12).map(b"".join)))
def test_what_is_written_is_read(records):
    assert read_all(b"".join(map(encode_record, records))) == records


def test_any_buffer_can_be_written():
    assert encode_record(bytearray(b"ab")) == encode_record(memoryview(b"ab")) == encode_record(b"ab")


def test_texts_are_refused():
    with pytest.raises(OpTypeError, match=r"\[MXRecordIO.write\] received str; expected a record as bytes.*encode"):
        encode_record("text")  # type: ignore[arg-type]


def test_too_long_a_record_is_refused(monkeypatch):
    monkeypatch.setattr(recordio, "MAX_LENGTH", 3)
    with pytest.raises(OpParamError, match=r"received a record of 4 bytes; expected at most 3. Split it"):
        encode_record(b"abcd")


@pytest.mark.parametrize(
    ("content", "text", "place"),
    [
        (b"\x0a\x23", "byte 0: the file has 2 bytes; expected a record's header", 0),
        (b"RIFFabcd", "byte 0: received 0x46464952; expected a record's mark, 0xced7230a", 0),
        (HEADER.pack(MAGIC, 100) + b"abc", "byte 0: the header says 100 bytes; expected at most the 3", 0),
        (HEADER.pack(MAGIC, 5 << 29), "byte 0: received a part of kind 5; expected 0, 1, 2 or 3", 0),
        (part(2, b"abcd"), "byte 0: received a middle part; expected the beginning of a record", 0),
        (part(3, b"abcd"), "byte 0: received a last part; expected the beginning of a record", 0),
        (part(1, b"abcd"), "byte 12: the file ends; expected the next part of the record at 0", 12),
        (part(1, b"abcd") + part(0, b"e"), "byte 12: received a whole record; expected a middle or last part", 12),
        (part(1, b"a") + part(2, b"b") + part(1, b"c"), "byte 24: received a first part; expected a middle", 24),
    ],
)
def test_damage_is_named_with_its_place(content, text, place):
    with pytest.raises(RecordError) as caught:
        read_all(content)
    assert text in str(caught.value)
    assert caught.value.place == place


def test_a_file_that_becomes_shorter_is_noticed():
    content = encode_record(b"abcdefgh")
    with pytest.raises(RecordError, match="received 4 bytes; expected 8: the file became shorter"):
        read_record(lambda offset, count: content[offset : min(offset + count, 12)], len(content), 0)
    with pytest.raises(RecordError, match="expected a record's header"):
        read_record(lambda offset, count: b"", len(content), 0)


SAMPLE = b"".join(
    map(encode_record, [b"first", b"a" * 9 + MAGIC_BYTES + b"b", b"x" * 3 + MAGIC_BYTES, b"wxyz" + MAGIC_BYTES])
)


@pytest.mark.parametrize("length", range(len(SAMPLE)))
def test_truncated_anywhere(length):
    try:
        found = read_all(SAMPLE[:length])
    except FileFormatError:
        return
    assert found == read_all(SAMPLE)[: len(found)]


def test_flipped_anywhere():
    """Every bit: an error or records, and never memory for lengths that the file does not have."""
    tracemalloc.start()
    for place in range(len(SAMPLE)):
        for bit in range(8):
            damaged = bytearray(SAMPLE)
            damaged[place] ^= 1 << bit
            with contextlib.suppress(FileFormatError):
                read_all(bytes(damaged))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 20


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content):
    with contextlib.suppress(FileFormatError):
        read_all(MAGIC_BYTES + content)


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_an_index_is_read_in_its_order(tmp_path: Path):
    keys, index = read_index(write(tmp_path / "a.idx", "3\t0\n1\t16\n3\t32\r\n"))
    assert keys == [3, 1, 3]
    assert index == {3: 32, 1: 16}
    assert read_index(write(tmp_path / "b.idx", "x y\t8\n"), str) == (["x y"], {"x y": 8})
    assert read_index(write(tmp_path / "c.idx", "")) == ([], {})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("1\t0\nhello\n", r"a.idx, line 2: received 'hello'; expected a key, a tabulator and an offset"),
        ("1 0\n", "line 1: received '1 0'; expected a key, a tabulator"),
        ("\n", "line 1: received ''"),
        ("1\t-4\n", "line 1: received"),
        ("1\t" + "9" * 5000, "line 1: received"),
        ("1\t1.5\n", "line 1: received"),
        ("x\t1\n", "line 1: received the key 'x'; expected what `int` reads. Give the right `key_type`"),
        (b"\xff\xfe\x00", "received bytes that are no text.*Was the .rec file given"),
    ],
)
def test_a_bad_index_is_refused(tmp_path: Path, content, text):
    with pytest.raises(FileFormatError, match=text):
        read_index(write(tmp_path / "a.idx", content))


def test_a_missing_index_is_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"expected an existing index file, and there is none.*rec2idx"):
        read_index(tmp_path / "none.idx")
    with pytest.raises(MXNetError, match="expected an index file that can be read"):
        read_index(tmp_path)


def test_an_index_flipped_or_cut_anywhere(tmp_path: Path):
    content = b"0\t0\n10\t4096\n"
    for place in range(len(content)):
        for damaged in (content[:place], content[:place] + bytes([content[place] ^ 0x9D]) + content[place + 1 :]):
            with contextlib.suppress(FileFormatError):
                read_index(write(tmp_path / "a.idx", damaged))


def test_on_bad_has_two_choices():
    with pytest.raises(OpParamError, match=r"\[me\] received on_bad='ignore'; expected 'raise' or 'skip'"):
        recordio.check_on_bad("ignore", "me")
