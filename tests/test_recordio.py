"""Record files by order and by key: MXNet's own, byte for byte, from threads and processes."""

import copy
import gc
import json
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import mxnet.recordio as recordio
from mxnet.base import MXNetError
from mxnet.error import FileFormatError, OpParamError, OpTypeError
from regluon.formats.commits import RECORD, state_of
from regluon.formats.record_file import RecordFile
from regluon.formats.temporary_files import create_beside
from tests.forking import run_forked
from tools.oracle.record_recordio import FIXTURES, image_records, labels, plain_records, write_all


def make(folder: Path, count: int = 5) -> tuple[str, str]:
    paths = str(folder / "a.idx"), str(folder / "a.rec")
    with recordio.MXIndexedRecordIO(*paths, "w") as file:
        for key in range(count):
            file.write_idx(key * 10, b"record %d" % key)
    return paths


def read_all(file) -> list[bytes]:
    found = []
    while (record := file.read()) is not None:
        found.append(record)
    return found


def test_files_are_those_of_mxnet(tmp_path: Path):
    write_all(recordio, tmp_path)
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["labels.idx", "labels.rec", "named.idx", "named.rec", "plain.rec"]
    for name in written:
        assert (tmp_path / name).read_bytes() == (FIXTURES / name).read_bytes()


def test_mxnets_files_are_read():
    plain = recordio.MXRecordIO(FIXTURES / "plain.rec", "r")
    assert read_all(plain) == plain_records()
    assert plain.read() is None
    plain.reset()
    assert plain.read() == plain_records()[0]
    indexed = recordio.MXIndexedRecordIO(str(FIXTURES / "labels.idx"), str(FIXTURES / "labels.rec"), "r")
    assert indexed.keys == [0, 3, 6, 9, 12, 15]
    assert [indexed.read_idx(key) for key in indexed.keys] == image_records(recordio)
    for label, key in zip(labels(), indexed.keys):
        header, content = recordio.unpack(indexed.read_idx(key))
        np.testing.assert_array_equal(header.label, label)
        assert content == b"image %d" % (key // 3)
    named = recordio.MXIndexedRecordIO(FIXTURES / "named.idx", FIXTURES / "named.rec", "r", key_type=str)
    assert named.read_idx("a c") == b"a ca ca c"


def test_reading_goes_on_after_a_key(tmp_path: Path):
    file = recordio.MXIndexedRecordIO(*make(tmp_path), "r")
    assert file.read_idx(20) == b"record 2"
    assert file.read() == b"record 3"
    file.seek(0)
    assert file.read() == b"record 0"
    assert read_all(file)[-1] == b"record 4"


def test_writing_tells_where(tmp_path: Path):
    with recordio.MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w") as file:
        places = [file.tell()]
        for key in range(3):
            file.write_idx(key, b"record_%d" % key)
            places.append(file.tell())
        assert file.idx == {0: 0, 1: 16, 2: 32}
    assert places == [0, 16, 32, 48]
    file.reset()
    assert file.tell() == 0
    assert file.keys == []
    file.close()
    assert (tmp_path / "a.idx").read_bytes() == b""


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda file: file.write(b"x"), r"\[MXIndexedRecordIO.write\] .* is open for reading; .*give flag='w'"),
        (lambda file: file.tell(), "is open for reading"),
        (lambda file: file.write_idx(1, b"x"), "is open for reading"),
    ],
)
def test_a_reader_does_not_write(tmp_path: Path, call, text):
    with pytest.raises(MXNetError, match=text):
        call(recordio.MXIndexedRecordIO(*make(tmp_path), "r"))


def test_a_writer_and_a_closed_file_do_not_read(tmp_path: Path):
    file = recordio.MXIndexedRecordIO(tmp_path / "b.idx", tmp_path / "b.rec", "w")
    for call in (file.read, lambda: file.read_idx(1), lambda: file.seek(1)):
        with pytest.raises(MXNetError, match="is open for writing; expected a file open for reading"):
            call()
    file.close()
    file.close()
    with pytest.raises(MXNetError, match="is closed"):
        file.read()
    with pytest.raises(MXNetError, match="is closed"):
        file.write(b"x")


def test_bad_arguments(tmp_path: Path):
    idx, rec = make(tmp_path)
    with pytest.raises(ValueError, match=r"received flag='a'; expected 'r' to read or 'w' to write"):
        recordio.MXRecordIO(rec, "a")
    with pytest.raises(OpParamError, match="received on_bad='no'"):
        recordio.MXRecordIO(rec, "r", on_bad="no")
    with pytest.raises(MXNetError, match=r"\[MXRecordIO\] received .*none.rec'; expected a file that can be read"):
        recordio.MXRecordIO(tmp_path / "none.rec", "r")
    with pytest.raises(FileNotFoundError, match="expected an existing index file"):
        recordio.MXIndexedRecordIO(tmp_path / "none.idx", rec, "r")
    with pytest.raises(FileFormatError, match=r"Was the .rec file given"):
        recordio.MXIndexedRecordIO(rec, idx, "r")
    with pytest.raises(OpTypeError, match=r"received the key 'x'; expected what key_type="):
        recordio.MXIndexedRecordIO(tmp_path / "b.idx", tmp_path / "b.rec", "w").write_idx("x", b"")
    with pytest.raises(OpParamError, match="without tabulators and line ends"):
        recordio.MXIndexedRecordIO(tmp_path / "b.idx", tmp_path / "b.rec", "w", str).write_idx("a\tb", b"")


@pytest.mark.parametrize("make", [recordio.MXRecordIO, recordio.MXIndexedRecordIO, RecordFile])
def test_a_wrong_call_of_a_constructor_raises_once(make):
    """Not a second time in __del__, which pytest reports."""
    with pytest.raises(TypeError):
        make()
    gc.collect()


def test_bad_keys_and_offsets(tmp_path: Path):
    idx, rec = make(tmp_path)
    file = recordio.MXIndexedRecordIO(idx, rec, "r")
    with pytest.raises(KeyError, match=r"received the key 7; expected one of the index .* 5 keys, 0 to 40"):
        file.read_idx(7)
    with pytest.raises(KeyError, match="seek"):
        file.seek("x")
    Path(idx).write_text("1\t99999\n2\t4\n")
    file = recordio.MXIndexedRecordIO(idx, rec, "r")
    with pytest.raises(FileFormatError, match=r"a.rec, key 1 at offset 99999, byte 99999: .*index belongs to another"):
        file.read_idx(1)
    with pytest.raises(FileFormatError, match="key 2 at offset 4, byte 4: received 0x"):
        file.read_idx(2)
    Path(idx).write_text("")
    with pytest.raises(KeyError, match="no keys at all"):
        recordio.MXIndexedRecordIO(idx, rec, "r").read_idx(0)


def test_damaged_records_raise_or_are_left_out(tmp_path: Path, caplog):
    _, rec = make(tmp_path)
    content = bytearray(Path(rec).read_bytes())
    content[17] ^= 0xFF
    Path(rec).write_bytes(content)
    file = recordio.MXRecordIO(rec, "r")
    assert file.read() == b"record 0"
    for _ in range(2):
        with pytest.raises(FileFormatError, match=r"\[MXRecordIO\] .*a.rec, byte 16: received 0x"):
            file.read()
    file = recordio.MXRecordIO(rec, "r", on_bad="skip")
    assert read_all(file) == [b"record 0", b"record 2", b"record 3", b"record 4"]
    assert [damage.offset for damage in file.damages] == [16]
    assert "Left out." in caplog.text


def test_threads_read_by_key(tmp_path: Path):
    file = recordio.MXIndexedRecordIO(*make(tmp_path, 200), "r")
    keys = random.Random(0).choices(range(200), k=2000)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(file.read_idx, [key * 10 for key in keys])) == [b"record %d" % key for key in keys]


def read_key(file, key):
    return file.read_idx(key), file.pid


def test_readers_travel_to_spawned_workers(tmp_path: Path):
    file = recordio.MXIndexedRecordIO(*make(tmp_path), "r")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        record, pid = pool.apply(read_key, (file, 30))
    assert record == b"record 3"
    assert pid != os.getpid()
    assert file.read_idx(10) == b"record 1", "the original stays open"


def test_readers_are_copied(tmp_path: Path):
    file = recordio.MXIndexedRecordIO(*make(tmp_path), "r", on_bad="skip")
    file.read()
    twin = copy.copy(file)
    assert twin.read() == b"record 0"
    assert twin.keys == file.keys
    assert twin.on_bad == "skip"
    file.close()
    closed = copy.copy(file)
    assert not closed.is_open
    closed.open()
    assert closed.read_idx(40) == b"record 4"


def test_open_writers_are_not_copied(tmp_path: Path):
    file = recordio.MXRecordIO(tmp_path / "a.rec", "w")
    with pytest.raises(
        MXNetError, match="open for writing and cannot be given to another process, which would empty it"
    ):
        pickle.dumps(file)


FORKS = """
import os, sys
import mxnet.recordio as recordio
from mxnet.base import MXNetError

idx, rec, out = sys.argv[1:]
reader = recordio.MXIndexedRecordIO(idx, rec, "r")
assert reader.read() == b"record 0"
writer = recordio.MXIndexedRecordIO(out + ".idx", out + ".rec", "w")
writer.write_idx(0, b"from the parent")
child = os.fork()
if child == 0:
    status = 1
    try:
        try:
            reader.read()
        except MXNetError as error:
            assert "forbidden operation in multiple processes" in str(error)
            assert isinstance(error, RuntimeError)
        else:
            raise AssertionError("a sequence was shared")
        for key in range(50):
            assert reader.read_idx(key % 5 * 10) == b"record %d" % (key % 5)
        assert reader.pid == os.getpid()
        reader.seek(20)
        assert reader.read() == b"record 2"
        try:
            writer.write_idx(1, b"from the child")
        except MXNetError as error:
            assert "multiple processes" in str(error)
        else:
            raise AssertionError("a writer was shared")
        writer.close()
        status = 0
    finally:
        os._exit(status)
for key in range(50):
    assert reader.read_idx(key % 5 * 10) == b"record %d" % (key % 5)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
reader.seek(10)
assert reader.read() == b"record 1"
writer.close()
assert recordio.MXIndexedRecordIO(out + ".idx", out + ".rec", "r").read_idx(0) == b"from the parent"
assert len(open(out + ".idx").readlines()) == 1
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on POSIX systems")
def test_forked_processes_open_their_own(tmp_path: Path):
    command = [sys.executable, "-c", FORKS, *make(tmp_path), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_descriptors_are_given_back(tmp_path: Path):
    paths = make(tmp_path)
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("counts open files in /proc")
    recordio.MXIndexedRecordIO(*paths, "r").close()
    before = len(list(folder.iterdir()))
    for _ in range(50):
        file = recordio.MXIndexedRecordIO(*paths, "r")
        file.read_idx(10)
        file.reset()
        del file
    assert len(list(folder.iterdir())) <= before


def test_a_writer_that_dies_leaves_a_readable_beginning(tmp_path: Path):
    """At every byte: the whole records are read, then an error says where the torn one is, as in MXNet."""
    _, path = make(tmp_path)
    content = Path(path).read_bytes()
    ends = [index for index in range(len(content) + 1) if index % (len(content) // 5) == 0]
    for size in range(len(content) + 1):
        Path(path).write_bytes(content[:size])
        file = recordio.MXRecordIO(path, "r")
        whole = sum(end <= size for end in ends[1:])
        assert [file.read() for _ in range(whole)] == [b"record %d" % key for key in range(whole)]
        if size in ends:
            assert file.read() is None
        else:
            with pytest.raises(FileFormatError, match=rf"byte {ends[whole]}: .* expected"):
                file.read()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of POSIX")
def test_an_index_is_never_ahead_of_its_records(tmp_path: Path):
    """So after a crash every key of the index has its record."""
    paths = str(tmp_path / "a.idx"), str(tmp_path / "a.rec")

    def die():
        file = recordio.MXIndexedRecordIO(*paths, "w")
        for key in range(20_000):
            file.write_idx(key, b"x" * (key % 100))
        os._exit(0)  # without writing what is pending

    assert run_forked(die) == 0
    with recordio.MXIndexedRecordIO(*paths, "r") as file:
        assert len(file.keys) > 10_000
        for key in file.keys:
            assert file.read_idx(key) == b"x" * (key % 100)
    # All records that are in the file are in the index, too.
    assert len(file.keys) == len(RecordFile(paths[1]).scan()[0])


def test_writing_anew_ends_an_interrupted_save(tmp_path: Path):
    """What was promised to replace the records must not come back over the new ones."""
    _, rec = make(tmp_path)
    temporary = create_beside(rec)
    Path(temporary).write_bytes(Path(rec).read_bytes() * 2)
    moves = [[os.path.basename(temporary), "a.rec", False, state_of(rec)]]
    (tmp_path / RECORD).write_text(json.dumps({"moves": moves}))
    assert len(read_all(recordio.MXRecordIO(rec, "r"))) == 10
    with recordio.MXRecordIO(rec, "w") as file:
        file.write(b"anew")
    assert read_all(recordio.MXRecordIO(rec, "r")) == [b"anew"]
    assert sorted(os.listdir(tmp_path)) == ["a.idx", "a.rec"]
