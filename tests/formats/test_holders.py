"""What others hold stays the same file: handles, hard links, maps, pipes, devices."""

import gc
import os
import stat
import subprocess
import sys
import tempfile
import threading

import numpy as np
import pytest

import mxnet as mx
from mxnet.base import MXNetError
from regluon.formats import atomic, mapped_files
from regluon.formats.atomic import MAP_FROM_BYTES, atomic_path, atomic_write, open_mapped
from tests.forking import run_forked

pytestmark = pytest.mark.skipif(os.name != "posix", reason="handles and links of POSIX")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="handles of other processes and memory maps of Linux")


def write(path, content=b"new"):
    with atomic_write(path) as stream:
        stream.write(content)


def inode(path):
    return os.stat(path).st_ino


def test_a_named_temporary_file_is_read_through_its_handle():
    array = mx.nd.arange(5)
    with tempfile.NamedTemporaryFile(suffix=".params") as file:
        mx.nd.save(file.name, {"a": array})
        content = file.read()
        assert mx.nd.load_frombuffer(content)["a"].asnumpy().tolist() == [0, 1, 2, 3, 4]
        assert len(content) == os.path.getsize(file.name)


@pytest.mark.parametrize("mode", ["rb", "r+b"])
def test_an_open_handle_sees_the_new_content(tmp_path, mode):
    path = tmp_path / "a"
    path.write_bytes(b"something longer than the new one")
    before = inode(path)
    with open(path, mode) as handle:
        write(path)
        assert handle.read() == b"new"
    assert inode(path) == before
    assert os.listdir(tmp_path) == ["a"]
    write(path, b"closed now")
    assert inode(path) != before


def test_hard_links_stay(tmp_path):
    path, link = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"old" * 1000)
    path.chmod(0o640)
    os.link(path, link)
    write(link)
    assert path.read_bytes() == link.read_bytes() == b"new"
    assert inode(path) == inode(link)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_safetensors_keep_the_file_too(tmp_path):
    path, link = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    mx.nd.save(str(path), {"a": mx.nd.zeros(3)})
    os.link(path, link)
    mx.nd.save(str(path), {"a": mx.nd.ones(5)})
    assert mx.nd.load(str(link))["a"].shape == (5,)
    assert inode(path) == inode(link)


@LINUX
@pytest.mark.parametrize(("mode", "is_same"), [("r+b", True), ("rb", False)])
def test_handles_of_another_process(tmp_path, mode, is_same):
    """One that writes sees the new content; one that reads finishes reading what it opened."""
    path = tmp_path / "a"
    path.write_bytes(b"old")
    code = f"import sys; f = open({str(path)!r}, {mode!r}); print(flush=True); sys.stdin.read(); print(f.read())"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        before = inode(path)
        write(path)
        assert (inode(path) == before) == is_same
        assert other.communicate()[0] == (b"b'new'\n" if is_same else b"b'old'\n")
    assert path.read_bytes() == b"new"


@LINUX
def test_handles_are_found_where_leases_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def refuse(descriptor, command, value=0):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(mapped_files.fcntl, "fcntl", refuse)
    assert not mapped_files.is_held(str(path), os.stat(path))
    code = f"import sys; f = open({str(path)!r}, 'r+b'); print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        assert mapped_files.is_held(str(path), os.stat(path))
        other.communicate()


@LINUX
def test_a_map_of_another_process_keeps_what_it_shows(tmp_path):
    path, link = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"old" * 10000)
    os.link(path, link)
    code = (
        f"import mmap, sys; f = open({str(path)!r}, 'rb'); m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ);"
        "print(flush=True); sys.stdin.read(); print(m[-3:])"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        write(path)
        assert other.communicate()[0] == b"b'old'\n"
        assert other.returncode == 0
    assert path.read_bytes() == b"new"


def test_loaded_arrays_outlive_a_save_over_their_file(tmp_path):
    """Lazily read, replaced: the arrays show what was loaded; a map alone is no reason to keep the file."""
    path = str(tmp_path / "a.params")
    values = np.arange(MAP_FROM_BYTES // 4, dtype=np.float32)
    mx.nd.save(path, {"a": mx.nd.array(values)})
    before = inode(path)
    loaded = mx.nd.load(path)["a"]
    assert mapped_files.maps_of(os.stat(path))
    mx.nd.save(path, {"a": mx.nd.zeros(2)})
    assert inode(path) != before
    np.testing.assert_array_equal(loaded.asnumpy(), values)


@LINUX
def test_loaded_arrays_are_detached_from_a_file_written_in_place(tmp_path):
    path = str(tmp_path / "a.params")
    values = np.arange(MAP_FROM_BYTES // 4, dtype=np.float32)
    mx.nd.save(path, {"a": mx.nd.array(values), "b": mx.nd.array(values)})
    os.link(path, tmp_path / "b")
    before = inode(path)
    first, second = mx.nd.load(path)["a"], mx.nd.load(path)["b"]
    second[0] = 7  # a page of its own already
    mx.nd.save(path, {"a": mx.nd.zeros(2)})
    assert inode(path) == before
    np.testing.assert_array_equal(first.asnumpy(), values)
    assert second.asnumpy()[0] == 7
    np.testing.assert_array_equal(second.asnumpy()[1:], values[1:])
    assert mx.nd.load(path)["a"].shape == (2,)
    del first, second
    gc.collect()
    assert not mapped_files.maps_of(os.stat(path))


def test_pipes_are_written_through(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    mx.nd.save(str(tmp_path / "pipe"), [mx.nd.ones(3)])
    reader.join(60)
    assert mx.nd.load_frombuffer(found[0])[0].asnumpy().tolist() == [1, 1, 1]
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize("suffix", ["", ".safetensors"])
@pytest.mark.parametrize("into", ["pipe", "file"])
def test_standard_output(tmp_path, suffix, into):
    os.symlink("/dev/stdout", tmp_path / f"out{suffix}")
    array = mx.nd.ones(3)
    with open(tmp_path / "redirected", "w+b") as file:
        read, written = os.pipe() if into == "pipe" else (file.fileno(), file.fileno())

        def save():
            os.dup2(written, 1)
            mx.nd.save(str(tmp_path / f"out{suffix}"), {"a": array})

        assert run_forked(save) == 0
        content = os.read(read, 10_000)
    (tmp_path / f"again{suffix}").write_bytes(content)
    assert mx.nd.load(str(tmp_path / f"again{suffix}"))["a"].asnumpy().tolist() == [1, 1, 1]
    assert sorted(os.listdir(tmp_path)) == sorted([f"again{suffix}", f"out{suffix}", "redirected"])


def test_descriptors_by_number(tmp_path):
    read, written = os.pipe()
    write(f"/dev/fd/{written}")
    os.close(written)
    assert os.read(read, 10) == b"new"
    os.close(read)
    with tempfile.TemporaryFile(dir=tmp_path) as nameless:
        write(f"/dev/fd/{nameless.fileno()}")
        assert nameless.read() == b"new"
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_device_is_an_error():
    expected = r"\[nd.save\] received '/dev/full'; expected a file that can be written: No space left on device\.$"
    with pytest.raises(MXNetError, match=expected):
        mx.nd.save("/dev/full", mx.nd.ones(3))


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes")
def test_extended_attributes_stay(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("the file system has none")
    write(path)
    assert os.getxattr(path, "user.note") == b"mine"
    assert path.read_bytes() == b"new"


def test_the_owner_stays(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    if os.geteuid() == 0:
        os.chown(path, 1234, 1235)
        write(path)
        assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1235)

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    before = inode(path)
    monkeypatch.setattr(os, "chown", refuse)
    write(path, b"newer")
    assert (inode(path) == before) == (os.geteuid() == 0)
    assert path.read_bytes() == b"newer"


def test_what_cannot_be_renamed_is_written_in_place(tmp_path, monkeypatch):
    """A file that is mounted into a container, for instance."""
    path = tmp_path / "a"
    path.write_bytes(b"old")
    before = inode(path)

    def refuse(*_):
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(os, "replace", refuse)
    write(path)
    assert (inode(path), path.read_bytes()) == (before, b"new")
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_in_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old, and longer")

    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(atomic, "create_beside", refuse)
    write(path)
    assert path.read_bytes() == b"new"
    with atomic_path(path) as temporary, open(temporary, "wb") as stream:
        stream.write(b"newer")
    assert path.read_bytes() == b"newer"
    with pytest.raises(MXNetError, match="expected a folder where files can be made: Permission denied in"):
        write(tmp_path / "b")


def test_reading_what_is_written_in_place_at_the_same_time(tmp_path):
    """A reader of this library sees one content or the other, never half of one."""
    path = tmp_path / "a"
    contents = [bytes([number]) * (200_000 + 50_000 * number) for number in (1, 2)]
    path.write_bytes(contents[0])
    os.link(path, tmp_path / "b")

    def keep_writing():
        for number in range(20):
            write(path, contents[number % 2])

    writer = threading.Thread(target=keep_writing)
    writer.start()
    found = set()
    while writer.is_alive():
        found.add(bytes(open_mapped(path)))
    assert found == set(contents)
