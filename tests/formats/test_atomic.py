"""Files are replaced whole or not at all, and opened with errors that say what is wrong."""

import os
import stat

import pytest

from mxnet.base import MXNetError
from mxnet.error import FileFormatError
from regluon.formats.atomic import atomic_path, atomic_write, open_mapped

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def test_writes_a_new_file(tmp_path):
    with atomic_write(tmp_path / "a.params") as stream:
        stream.write(b"new")
    assert (tmp_path / "a.params").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.params"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MXNetError])
def test_failure_in_the_middle_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "a.params"
    path.write_bytes(b"old")

    def save():
        with atomic_write(path) as stream:
            stream.write(b"half of the ne")
            stream.flush()
            assert path.read_bytes() == b"old"
            raise error("stop")

    with pytest.raises(error, match="stop"):
        save()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.params"]


def test_full_disk_is_an_mxnet_error(tmp_path):
    path = tmp_path / "a.params"
    path.write_bytes(b"old")
    expected = r"\[nd.save\] received .*a.params'; expected a file that can be written: No space left.*unchanged"
    with pytest.raises(MXNetError, match=expected), atomic_write(path):
        raise OSError(28, "No space left on device")
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions(tmp_path):
    old, new, plain = tmp_path / "old", tmp_path / "new", tmp_path / "plain"
    old.write_bytes(b"old")
    old.chmod(0o640)
    plain.write_bytes(b"what the umask gives")
    for path in (old, new):
        with atomic_write(path) as stream:
            stream.write(b"new")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert new.stat().st_mode == plain.stat().st_mode


def test_replaced_temporary_gets_the_permissions_too(tmp_path):
    path = tmp_path / "a"
    with atomic_path(path) as temporary:
        os.unlink(temporary)
        with open(temporary, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
            stream.write(b"new")
    (tmp_path / "b").write_bytes(b"")
    assert path.stat().st_mode == (tmp_path / "b").stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need rights elsewhere")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for content in (b"first", b"second"):
        with atomic_write(link) as stream:
            stream.write(content)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert os.listdir(tmp_path / "folder") == ["target"]


@pytest.mark.skipif(os.name != "posix", reason="devices of POSIX")
def test_devices_are_written_directly():
    with atomic_write(os.devnull) as stream:
        stream.write(b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_missing_folder(tmp_path):
    expected = r"\[nd.save\] received .*a.params'; expected an existing folder, and .*no' is none. Make it with"
    with pytest.raises(MXNetError, match=expected), atomic_write(tmp_path / "no" / "a.params"):
        pytest.fail("the block must not run")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(MXNetError, match="expected a file, and this is a folder"), atomic_write(tmp_path):
        pytest.fail("the block must not run")
    with pytest.raises(MXNetError, match=r"\[nd.load\] received .* which is a folder; expected a regular file"):
        open_mapped(tmp_path)


@pytest.mark.skipif(AS_ROOT or os.name != "posix", reason="root may write everything")
def test_protected_files_and_folders(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(MXNetError, match="it is read-only"), atomic_write(path):
        pytest.fail("the block must not run")
    tmp_path.chmod(0o555)
    with pytest.raises(MXNetError, match="expected a folder where files can be made"), atomic_write(tmp_path / "b"):
        pytest.fail("the block must not run")
    tmp_path.chmod(0o755)


def test_unwritable_folder_text(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    expected = "expected a folder where files can be made: Permission denied in"
    with pytest.raises(MXNetError, match=expected), atomic_write(tmp_path / "a"):
        pytest.fail("the block must not run")


def test_read_only_text(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(MXNetError, match="it is read-only"), atomic_write(tmp_path / "a"):
        pytest.fail("the block must not run")


def test_opening_what_is_not_there(tmp_path):
    (tmp_path / "net-0010.params").write_bytes(b"x")
    expected = r"\[nd.load\] received .*; expected an existing file, and there is none. Near it: net-0010.params"
    with pytest.raises(MXNetError, match=expected):
        open_mapped(tmp_path / "net-0100.params")
    with pytest.raises(MXNetError, match=r"there is none. The folder .* cannot be read either"):
        open_mapped(tmp_path / "no" / "net.params")
    with pytest.raises(MXNetError, match=r"expected a readable file: .*embedded null"):
        open_mapped("a\0b")


def test_opening_an_empty_file(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(FileFormatError, match=r"byte 0: received an empty file of 0 bytes.*download may be incomplete"):
        open_mapped(tmp_path / "a")


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_opening_a_pipe_does_not_wait(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MXNetError, match=r"a pipe or a device; expected a regular file.*nd.load_frombuffer"):
        open_mapped(tmp_path / "pipe")
