"""Files that belong together change together, whatever moment the process dies in."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import mxnet as mx
from mxnet._commands.command import main
from mxnet.base import MXNetError
from regluon.formats import commits, temporary_files
from regluon.formats.atomic import atomic_write, open_mapped, read_together, together
from regluon.formats.commits import RECORD, current, promised, recover, state_of
from tests.forking import run_forked

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks and links of POSIX")


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    """Processes die here, not the machine, so nothing has to reach the disk."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


class Death(BaseException):
    """Stands for the end of the process: nothing runs after it, so nothing is cleaned up."""


def write(path, content):
    with atomic_write(path) as stream:
        stream.write(content)


def save_pair(folder, mark):
    with together("test"):
        write(folder / "a", b"a" + mark)
        write(folder / "b", b"b" + mark)


def read_pair(folder):
    return bytes(open_mapped(folder / "a")) + bytes(open_mapped(folder / "b"))


def names(folder):
    return sorted(os.listdir(folder))


def run_until(folder, calls):
    """Saves a pair in a child process that ends before a call of the system; its exit status is 0 if it got to the end.

    A fork, so that the library is imported once for all of them.
    """
    left = [calls]

    def counted(function):
        def run(*args, **kwargs):
            if left[0] == 0:
                os._exit(9)
            left[0] -= 1
            return function(*args, **kwargs)

        return run

    def save():
        commits._COPY_BYTES = 2
        for name in ("replace", "link", "unlink", "fsync", "chmod", "ftruncate", "write"):
            setattr(os, name, counted(getattr(os, name)))
        save_pair(folder, b"-new")

    return run_forked(save)


@pytest.mark.parametrize("held", ["neither", "the first", "both"])
def test_every_step_may_be_the_last(tmp_path, held):
    """The process ends before each of its system calls in turn: both files are old, or both are new."""
    seen = []
    for calls in range(60):
        folder = tmp_path / str(calls)
        folder.mkdir()
        save_pair(folder, b"-old")
        if held != "neither":
            os.link(folder / "a", tmp_path / f"a{calls}")
        if held == "both":
            os.link(folder / "b", tmp_path / f"b{calls}")
        status = run_until(folder, calls)
        found = read_pair(folder)
        assert found in (b"a-oldb-old", b"a-newb-new"), calls
        seen.append(found)
        # The next save finishes or forgets it, and leaves nothing else.
        write(folder / "c", b"other")
        assert (folder / "a").read_bytes() + (folder / "b").read_bytes() == found
        assert names(folder) == ["a", "b", "c"]
        if held != "neither":
            assert (tmp_path / f"a{calls}").read_bytes() == found[:5]
        if status == 0:
            break
    assert status == 0
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == 2


def test_nothing_changes_if_the_block_raises(tmp_path):
    save_pair(tmp_path, b"-old")

    def save():
        with together("test"):
            write(tmp_path / "a", b"new")
            assert (tmp_path / "a").read_bytes() == b"a-old"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save()
    assert read_pair(tmp_path) == b"a-oldb-old"
    assert names(tmp_path) == ["a", "b"]


def test_blocks_inside_blocks_and_files_saved_twice(tmp_path):
    with together("test"):
        save_pair(tmp_path, b"-1")
        write(tmp_path / "a", b"a-2")
        assert "a" not in names(tmp_path)
    assert read_pair(tmp_path) == b"a-2b-1"
    assert names(tmp_path) == ["a", "b"]


def test_files_in_several_folders(tmp_path):
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
    with together("test"):
        write(tmp_path / "x" / "a", b"1")
        write(tmp_path / "y" / "a", b"2")
    assert (tmp_path / "x" / "a").read_bytes() + (tmp_path / "y" / "a").read_bytes() == b"12"


def promise(folder, *moves):
    """A record that a process left behind, for temporary files with a content each."""
    entries = []
    for target, content, old in moves:
        temporary = temporary_files.create_beside(str(folder / target))
        with open(temporary, "wb") as stream:
            stream.write(content)
        entries.append([os.path.basename(temporary), target, True, old])
    (folder / RECORD).write_text(json.dumps({"moves": entries}))


def test_a_target_that_another_program_has_written_since_stays(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    promise(tmp_path, ("a", b"promised", state_of(str(path))))
    assert bytes(open_mapped(path)) == b"promised"
    time.sleep(0.02)
    path.write_bytes(b"another program's")
    assert bytes(open_mapped(path)) == b"another program's"
    write(tmp_path / "b", b"next")
    assert path.read_bytes() == b"another program's"
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("left", [b"", b"pro", b"\0\0\0", b"promised"])
def test_a_copy_that_was_cut_off_is_finished(tmp_path, left):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    promise(tmp_path, ("a", b"promised", state_of(str(path))))
    time.sleep(0.02)
    with open(path, "r+b") as stream:
        stream.truncate(0)
        stream.write(left)
    assert bytes(open_mapped(path)) == b"promised"
    assert recover(str(tmp_path)) == [str(path)]
    assert path.read_bytes() == b"promised"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"{",
        b"[]",
        b'{"moves": 5}',
        b'{"moves": [[1, 2, 3, 4]]}',
        b'{"moves": [["../x", "a", true, null]]}',
        b'{"moves": [["/etc/passwd", "a", true, null]]}',
        b'{"moves": [["other", "a", true, null]]}',
        b'{"moves": [[".a.00000000-1-1-000000000000.mxtmp", "../a", true, null]]}',
        b'{"moves": [[".a.00000000-1-1-000000000000.mxtmp", "..", true, null]]}',
        b'{"moves": [[".a.00000000-1-1-000000000000.mxtmp", "a", true, [1, "x", 2]]]}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_damaged_and_hostile_records_do_nothing(tmp_path, record):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "other").write_bytes(b"other")
    (tmp_path / RECORD).write_bytes(record)
    assert promised(str(tmp_path)) == []
    assert bytes(open_mapped(tmp_path / "a")) == b"old"
    write(tmp_path / "b", b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a", "b", "other"]


def test_a_record_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_text('{"moves": []}')
    (tmp_path / RECORD).symlink_to(tmp_path / "elsewhere")
    assert promised(str(tmp_path)) == []
    with pytest.raises(MXNetError, match=r"\[nd.save\] received .*a'; expected a file that can be written"):
        write(tmp_path / "a", b"new")


def test_in_a_shared_folder_only_the_owner_is_believed(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    tmp_path.chmod(0o1777)
    promise(tmp_path, ("a", b"promised", state_of(str(path))))
    assert bytes(open_mapped(path)) == b"promised"
    move = promised(str(tmp_path))[0]
    foreign = list(os.stat(move.temporary))
    foreign[4] = os.geteuid() + 4711
    assert not commits._is_trusted(move, os.stat_result(foreign), os.stat(path))
    tmp_path.chmod(0o755)
    assert commits._is_trusted(move, os.stat_result(foreign), os.stat(path))


def test_a_living_process_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(commits, "_WAIT_SECONDS", 0.2)
    code = (
        "import fcntl, sys, time\nf = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX)\n"
        "print(flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / RECORD)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(MXNetError, match="another process has been putting files in place for a minute"):
            write(tmp_path / "a", b"new")
        other.communicate()
    write(tmp_path / "a", b"new")
    assert names(tmp_path) == ["a"]


def test_a_disk_without_room_for_two_copies(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.link(path, tmp_path / "b")

    def full(source, target):
        with open(target, "r+b") as stream:
            stream.truncate(0)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(commits, "_copy_into", full)
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a", "b"]


def test_what_cannot_be_put_in_place_is_not_lost(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with monkeypatch.context() as patch:

        def full(source, target):
            raise OSError(28, "No space left on device")

        patch.setattr(commits, "_copy_into", full)
        patch.setattr(os, "replace", full)
        expected = r"\[nd.save\] '.*a' is saved, completely, beside its place.*: No space left on device.*mxnet repair"
        with pytest.raises(MXNetError, match=expected):
            write(path, b"new")
    assert bytes(open_mapped(path)) == b"new"
    assert main(["repair", str(tmp_path)]) == 0
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a"]


def test_a_full_disk_before_the_record_changes_nothing(tmp_path, monkeypatch):
    save_pair(tmp_path, b"-old")

    def full(moves):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(commits, "_encode", full)
    with pytest.raises(MXNetError, match=r"\[test\] .*No space left on device. What was there before is unchanged"):
        save_pair(tmp_path, b"-new")
    assert read_pair(tmp_path) == b"a-oldb-old"
    assert names(tmp_path) == ["a", "b"]


def test_file_systems_without_links_and_locks(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(commits.fcntl, "flock", refuse)
    save_pair(tmp_path, b"-new")
    assert read_pair(tmp_path) == b"a-newb-new"
    promise(tmp_path, ("a", b"promised", state_of(str(tmp_path / "a"))))
    os.utime(tmp_path / RECORD, (1, 1))
    save_pair(tmp_path, b"-newer")
    assert read_pair(tmp_path) == b"a-newerb-newer"
    assert names(tmp_path) == ["a", "b"]


def test_temporary_files_of_dead_processes_go(tmp_path, monkeypatch):
    def die():
        temporary_files.create_beside(str(tmp_path / "a"))
        with temporary_files.folder_beside(str(tmp_path / "b")) as folder:
            (Path(folder) / "content").write_bytes(b"half")
            os._exit(0)

    assert run_forked(die) == 0
    mine = os.path.basename(temporary_files.create_beside(str(tmp_path / "a")))
    foreign = ".a.00000000-1-1-000000000000.mxtmp"
    for name in (foreign, ".a.0123456789abcdef.tmp", "mine.mxtmp"):
        (tmp_path / name).write_bytes(b"")
    assert len(names(tmp_path)) == 6
    write(tmp_path / "a", b"new")
    kept = {mine, foreign, ".a.0123456789abcdef.tmp", "mine.mxtmp", "a"}
    assert set(names(tmp_path)) == kept
    os.utime(tmp_path / foreign, (1, 1))
    write(tmp_path / "a", b"new")
    assert set(names(tmp_path)) == kept - {foreign}


def test_a_number_that_a_new_process_has_got_is_no_sign_of_life(tmp_path):
    machine, pid, start = temporary_files._process(os.getpid())
    name = f".a.{machine}-{pid:x}-{start + 1:x}-000000000000.mxtmp"
    (tmp_path / name).write_bytes(b"")
    write(tmp_path / "a", b"new")
    assert names(tmp_path) == ["a"]


def test_symbolic_links_lead_to_what_was_promised(tmp_path):
    (tmp_path / "real").mkdir()
    path = tmp_path / "real" / "a"
    path.write_bytes(b"old")
    (tmp_path / "link").symlink_to(path)
    promise(tmp_path / "real", ("a", b"promised", state_of(str(path))))
    assert bytes(open_mapped(tmp_path / "link")) == b"promised"
    assert current(str(tmp_path / "link")).endswith(temporary_files.SUFFIX)


def test_a_checkpoint_whose_commit_was_interrupted_loads_as_a_whole(tmp_path, monkeypatch):
    """Graph and parameters come from the same save, also before anything is repaired."""
    prefix = str(tmp_path / "net")

    def save(width):
        network = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=width, no_bias=True, name="fc")
        mx.model.save_checkpoint(prefix, 1, network, {"fc_weight": mx.nd.ones((width, 2))}, {})

    save(3)
    moved = []

    def die(move):
        if moved:
            raise Death
        moved.append(move)
        os.replace(move.temporary, move.target)

    with monkeypatch.context() as patch:
        patch.setattr(commits, "_finish", die)
        with pytest.raises(Death):
            save(5)
    assert '"num_hidden": "5"' in (tmp_path / "net-symbol.json").read_text()
    assert mx.nd.load_frombuffer((tmp_path / "net-0001.params").read_bytes())["arg:fc_weight"].shape == (3, 2)
    network, parameters, _ = mx.model.load_checkpoint(prefix, 1)
    assert parameters["fc_weight"].shape == (5, 2)
    assert network.infer_shape(data=(1, 2))[1] == [(1, 5)]
    block = mx.gluon.SymbolBlock.imports(f"{prefix}-symbol.json", ["data"], f"{prefix}-0001.params", ctx=mx.cpu())
    assert block(mx.nd.ones((1, 2))).shape == (1, 5)
    assert main(["repair", str(tmp_path)]) == 0
    assert names(tmp_path) == ["net-0001.params", "net-symbol.json"]
    assert mx.nd.load(f"{prefix}-0001.params")["arg:fc_weight"].shape == (5, 2)


def test_a_pair_is_read_as_one_while_it_is_saved_again(tmp_path):
    """A process that reads, beside one that saves, never gets the graph of one save and the parameters of another."""
    prefix = str(tmp_path / "net")

    def save(width):
        network = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=width, no_bias=True, name="fc")
        mx.model.save_checkpoint(prefix, 1, network, {"fc_weight": mx.nd.ones((width, 2))}, {})

    save(3)

    def save_often():
        for number in range(60):
            save(3 + number % 5)

    writer = threading.Thread(target=save_often)
    writer.start()
    seen = set()
    while writer.is_alive():
        network, parameters, _ = mx.model.load_checkpoint(prefix, 1)
        assert network.infer_shape(data=(1, 2))[0][1] == parameters["fc_weight"].shape
        block = mx.gluon.SymbolBlock.imports(f"{prefix}-symbol.json", ["data"], f"{prefix}-0001.params")
        seen.add(block(mx.nd.ones((1, 2))).shape)
    assert len(seen) > 1


def test_files_that_never_rest(tmp_path):
    write(tmp_path / "a", b"0")
    with pytest.raises(MXNetError, match=r"\[load\] .*a were saved again 100 times while they were read"):
        read_together([tmp_path / "a"], lambda: write(tmp_path / "a", b"1"))

    os.mkfifo(tmp_path / "pipe")
    assert state_of(str(tmp_path / "pipe")) is None

    def fail():
        raise ValueError("damaged")

    with pytest.raises(ValueError, match="damaged"):
        read_together([tmp_path / "a"], fail)
