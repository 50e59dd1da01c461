"""Interrupts everything that saves files, in every way a machine can, and counts what is left.

    python -m tools.faults                      1,000 kills over all writers, full disks, dead workers
    python -m tools.faults --kills 40 --writers export,save_checkpoint

A child process saves version after version; it is killed at a random moment. Then the files must hold the last version
that it reported, or the one it was saving, and the next save must leave nothing else in the folder.
"""

import argparse
import contextlib
import io
import os
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch

import mxnet as mx
from mxnet.base import MXNetError
from tools.fault_writers import WRITERS, Torn, Writer

_PATIENCE = 60.0  # seconds until a child that says nothing counts as hung
_NOBODY = 65534


def fork(body: Callable[[], object]) -> int:
    """Run a function in a forked child; its exit status is 0 if the function returned, 1 if it raised.

    The child computes with one thread: OpenMP's other threads do not exist there, and a parallel region would wait for
    them forever.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, which the child does not use
        child = os.fork()
    if child:
        return child
    try:
        torch.set_num_threads(1)
        body()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def load(writer: Writer) -> int:
    """The version in the files, with everything that reading may raise counted as torn."""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            return writer.load()
        except Torn:
            raise
        except Exception as error:
            raise Torn(f"{type(error).__name__}: {error}") from error


def hidden_in(folder: Path) -> list[str]:
    """Temporary files and records."""
    return [path.name for path in folder.rglob(".*")]


# -- kills ----------------------------------------------------------------------------------------------------------


class Kills:
    """What the kills of one writer left behind."""

    def __init__(self, kind: type[Writer]) -> None:
        self.kind = kind
        self.counts: Counter[str] = Counter()
        self.torn: list[str] = []
        self.seconds = 0.02  # how long a save takes, about

    def kill_once(self, folder: Path, draw: random.Random) -> None:
        """Saves in a child process, kills it, looks at the files, saves once more."""
        writer = self.kind(folder)
        writer.save(1)
        reading, writing = os.pipe()
        child = fork(lambda: _save_for_ever(writer, writing))
        os.close(writing)
        try:
            last = self._wait(reading, draw)
            os.kill(child, signal.SIGKILL)
            last = _last_version(reading, last)
        finally:
            os.close(reading)
            os.waitpid(child, 0)
        self._look(writer, last)
        self._save_again(writer, folder, last + 2)

    def _wait(self, reading: int, draw: random.Random) -> int:
        """Lets a few saves happen, and then a random part of one."""
        began = time.monotonic()
        last = _last_version(reading, 1, wait_for=draw.randint(2, 4))
        self.seconds = 0.7 * self.seconds + 0.3 * (time.monotonic() - began) / max(last - 1, 1)
        time.sleep(draw.uniform(0, 1.5 * self.seconds))
        return last

    def _look(self, writer: Writer, last: int) -> None:
        self.counts["kills"] += 1
        try:
            version = load(writer)
            if version not in (-1, last, last + 1):
                raise Torn(f"version {version}; expected {last} or {last + 1}")
        except Torn as error:
            self.counts["torn"] += 1
            self.torn.append(f"{writer.name}: {error}")
            return
        self.counts["old" if version == last else "new" if version == last + 1 else "partial"] += 1

    def _save_again(self, writer: Writer, folder: Path, version: int) -> None:
        self.counts["left"] += bool(hidden_in(folder))
        writer.save(version)
        try:
            if load(writer) != version:
                raise Torn(f"the next save gave no version {version}")
        except Torn as error:
            self.counts["torn"] += 1
            self.torn.append(f"{writer.name}: {error}")
        self.counts["leftover"] += len(hidden_in(folder))


def _save_for_ever(writer: Writer, writing: int) -> None:
    writer.begin()
    version = 1
    with contextlib.redirect_stdout(io.StringIO()):
        while True:
            version += 1
            writer.save(version)
            os.write(writing, b"%d\n" % version)


def _last_version(reading: int, last: int, wait_for: int | None = None) -> int:
    """The last version that a child reported: all it has said, or what it says until one is reached."""
    told = b""
    while wait_for is None or last < wait_for:
        if not select.select([reading], [], [], _PATIENCE)[0]:
            raise RuntimeError("a child that saves has said nothing for a minute")
        piece = os.read(reading, 4096)
        if not piece:
            if wait_for is not None:
                raise RuntimeError("a child that saves ended by itself; its error stands above")
            break
        told += piece
        whole = told.split(b"\n")[:-1]
        last = int(whole[-1]) if whole else last
    return last


def run_kills(kinds: Sequence[type[Writer]], count: int, seed: int, homes: Sequence[str]) -> list[Kills]:
    """Kills children that save, in turns over the writers and the places to save in."""
    draw = random.Random(seed)
    results = [Kills(kind) for kind in kinds]
    for number in range(count):
        with folder_in(homes[number // len(kinds) % len(homes)]) as folder:
            results[number % len(kinds)].kill_once(folder, draw)
        if sys.stderr.isatty():
            print(f"\r{number + 1} of {count} kills", end="", file=sys.stderr, flush=True)
    return results


@contextlib.contextmanager
def folder_in(home: str | None = None) -> Iterator[Path]:
    """A new folder, removed at the end."""
    with tempfile.TemporaryDirectory(prefix="faults-", dir=home) as name:
        yield Path(name)


def print_table(results: Sequence[Kills]) -> None:
    """What happened, writer by writer."""
    columns = ("kills", "old", "new", "partial", "torn", "left", "leftover")
    heads = ("kills", "old intact", "new complete", "partial", "torn", "files left", "after next save")
    print("| writer | " + " | ".join(heads) + " |")
    print("|---" * (len(heads) + 1) + "|")
    total: Counter[str] = Counter()
    for result in results:
        total.update(result.counts)
        print(f"| {result.kind.name} | " + " | ".join(str(result.counts[column]) for column in columns) + " |")
    print("| all | " + " | ".join(str(total[column]) for column in columns) + " |")


# -- disks and folders ----------------------------------------------------------------------------------------------


def refused(kind: type[Writer], folder: Path, prepare: Callable[[], None], protect: Callable[[], None]) -> str:
    """Saves a second version where that must fail; says what went wrong, or nothing.

    Args:
        kind: what saves.
        folder: where.
        prepare: takes something away from the child process.
        protect: takes something away from the folder once the first version is there.
    """
    writer = kind(folder)
    writer.save(1)
    writer.begin()
    protect()

    def save() -> None:
        prepare()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                writer.save(2)
        except (MXNetError, OSError) as error:
            if not str(error):
                raise
            return
        os._exit(2)

    status = os.waitstatus_to_exitcode(os.waitpid(fork(save), 0)[1])
    writer.end()
    if status:
        return "the save succeeded" if status == 2 else "no MXNetError"
    try:
        version = load(writer)
    except Torn as error:
        return f"torn: {error}"
    left = hidden_in(folder)
    return f"files left: {left}" if left else "" if version in (1, -1) else f"version {version}"


def limit_files() -> None:
    """Lets no file of this process grow over 4 kB, as on a disk with no room left."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))


def become_nobody() -> None:
    """Gives up the rights of root, which no protection holds for."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)


def check_full_disks(kinds: Sequence[type[Writer]]) -> list[str]:
    """Every writer on a disk that is full, by a limit and, where one can be mounted, in truth."""
    found = []
    for kind in kinds:
        with folder_in() as folder:
            found.append((f"{kind.name}, file size limit", refused(kind, folder, limit_files, lambda: None)))
        with small_disk() as disk:
            if disk is not None:
                found.append((f"{kind.name}, full disk", refused(kind, disk, lambda: None, lambda: fill(disk))))
    return _problems("full disks", found)


@contextlib.contextmanager
def small_disk() -> Iterator[Path | None]:
    """A file system of one megabyte; None where none may be mounted."""
    with folder_in() as folder:
        command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            yield None
            return
        try:
            yield folder
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Leaves a disk with no room at all."""
    with open(folder / "filling", "wb", buffering=0) as stream, contextlib.suppress(OSError):
        while True:
            stream.write(bytes(4096))


def check_folders(kinds: Sequence[type[Writer]]) -> list[str]:
    """Every writer in a folder that may not be written, by a user who is not root."""
    found = []
    for kind in kinds:
        with folder_in() as folder:
            inner = folder / "kept"
            inner.mkdir()
            folder.chmod(0o755)

            def protect(inner: Path = inner) -> None:
                for path in [inner, *inner.rglob("*")]:
                    path.chmod(0o555 if path.is_dir() else 0o444)

            found.append((f"{kind.name}, protected folder", refused(kind, inner, become_nobody, protect)))
            inner.chmod(0o755)
    return _problems("protected folders", found)


def check_devices() -> list[str]:
    """Pipes and devices get what is saved, and a full one is an error."""
    found = []
    try:
        mx.nd.save("/dev/full", mx.nd.ones(3))
        found.append(("/dev/full", "the save succeeded"))
    except MXNetError as error:
        found.append(("/dev/full", "" if "No space left" in str(error) else str(error)))
    reading, writing = os.pipe()
    mx.nd.save(f"/dev/fd/{writing}", mx.nd.ones(3))
    content = os.read(reading, 10_000)
    found.append(("a pipe", "" if mx.nd.load_frombuffer(content)[0].shape == (3,) else "other content"))
    os.close(reading)
    os.close(writing)
    return _problems("devices", found)


class _Slow(mx.gluon.data.Dataset):
    def __getitem__(self, index: int) -> int:
        time.sleep(0.02)
        return index

    def __len__(self) -> int:
        return 1000


def check_workers(count: int = 5) -> list[str]:
    """Workers of a data loader that are killed are reported, at once."""
    found = []
    for number in range(count):
        loader = mx.gluon.data.DataLoader(_Slow(), batch_size=4, num_workers=2, timeout=30)
        batches = iter(loader)
        next(batches)
        os.kill(loader._worker_pool._workers[number % 2].process.pid, signal.SIGKILL)
        began = time.monotonic()
        try:
            for _ in batches:
                pass
            found.append((f"worker {number}", "nothing was reported"))
        except MXNetError as error:
            text = "" if "SIGKILL" in str(error) else str(error)
            found.append((f"worker {number}", text or ("" if time.monotonic() - began < 10 else "late")))
    return _problems("dead workers", found)


def _problems(what: str, found: Sequence[tuple[str, str]]) -> list[str]:
    wrong = [f"{name}: {problem}" for name, problem in found if problem]
    print(f"{what}: {len(found) - len(wrong)} of {len(found)} as they should be")
    return wrong


# -- command line ---------------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all faults; the exit status is 0 if nothing was lost."""
    parser = argparse.ArgumentParser(prog="python -m tools.faults", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--kills", type=int, default=1000, help="how many processes to kill")
    parser.add_argument("--seed", type=int, default=0, help="for the moments")
    parser.add_argument("--writers", default="", help="only those whose names contain one of these words, with commas")
    parser.add_argument("--only-kills", action="store_true", help="no disks, folders and workers")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)  # forked processes have no others
    words = args.writers.split(",")
    kinds = [kind for kind in WRITERS if any(word in kind.name for word in words)]
    shared = "/dev/shm"  # memory, where saving is quick and a kill hits other steps than on a disk
    homes = [tempfile.gettempdir(), *([shared] if os.access(shared, os.W_OK) else [])]
    results = run_kills(kinds, args.kills, args.seed, homes)
    print_table(results)
    wrong = [text for result in results for text in result.torn]
    wrong += [f"{result.kind.name}: temporary files stay" for result in results if result.counts["leftover"]]
    if not args.only_kills:
        atomic = [kind for kind in kinds if kind.name != "MXIndexedRecordIO"]
        wrong += check_full_disks(atomic) + check_folders(atomic) + check_devices() + check_workers()
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    if shutil.which("mount") is None:
        print("full disks: only by a limit, as there is no mount", file=sys.stderr)
    sys.exit(main())
