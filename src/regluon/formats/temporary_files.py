"""Temporary files beside the files they will become: named after the process that writes them.

The name tells whether that process still runs, so what a killed one left behind is removed by the next save in the
folder, and what a running one writes is left alone.
"""

import contextlib
import functools
import hashlib
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator

SUFFIX = ".mxtmp"
_NAME = re.compile(rf"\..*\.([0-9a-f]{{8}})-([0-9a-f]+)-([0-9a-f]+)-[0-9a-f]{{12}}{re.escape(SUFFIX)}", re.DOTALL)
# A process of another machine or container cannot be asked whether it runs; no save takes longer than this.
_FOREIGN_SECONDS = 24 * 3600.0


def create_beside(target: str) -> str:
    """Makes an empty temporary file in the folder of a target, with the rights that the user's umask gives."""
    path = _name_beside(target)
    # Not with tempfile, which would make a file that nobody else may read.
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return path


@contextlib.contextmanager
def folder_beside(target: str) -> Iterator[str]:
    """A temporary folder in the folder of a target, for packages that make files of their own where they write."""
    path = _name_beside(target)
    os.mkdir(path, 0o700)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _name_beside(target: str) -> str:
    folder, base = os.path.split(target)
    machine, pid, start = _process(os.getpid())
    return os.path.join(folder, f".{base[:32]}.{machine}-{pid:x}-{start:x}-{secrets.token_hex(6)}{SUFFIX}")


def is_temporary(name: str) -> bool:
    """Whether a file in a folder has the name of a temporary file of this library."""
    return _NAME.fullmatch(name) is not None


def sweep(folder: str, needed: Callable[[], Iterable[str]]) -> None:
    """Removes the temporary files of processes that have died.

    Args:
        folder: where to look.
        needed: names the files that are still to be put in place. Called after the dead are known: what a process
            promised before its death is seen.
    """
    try:
        with os.scandir(folder) as entries:
            left = [entry.path for entry in entries if entry.name.endswith(SUFFIX) and _is_abandoned(entry)]
        if left:
            keep = set(needed())
            for path in left:
                if path in keep:
                    continue
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    os.unlink(path)
    except OSError:
        return  # a folder that cannot be listed, or another process that sweeps too: nothing depends on it


def _is_abandoned(entry: "os.DirEntry[str]") -> bool:
    found = _NAME.fullmatch(entry.name)
    if found is None:
        return False
    pid = int(found[2], 16)
    machine, _, start = _process(pid)
    if found[1] == machine and os.name == "posix":
        return not _is_running(pid) or start != int(found[3], 16)
    return time.time() - entry.stat(follow_symlinks=False).st_mtime > _FOREIGN_SECONDS


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _process(pid: int) -> tuple[str, int, int]:
    """What tells a process from every other one: the machine, its number, and when it began, as far as known."""
    return _machine(), pid, _start(pid)


@functools.cache
def _machine() -> str:
    """A machine, or the container on it that has numbers of processes of its own."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except (OSError, AttributeError):
        namespace = ""
    return hashlib.sha256(f"{platform.node()} {namespace}".encode()).hexdigest()[:8]


def _start(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            # The name of the program, in brackets, may contain spaces.
            return int(stream.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0
