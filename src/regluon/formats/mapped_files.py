"""Map files into memory and detach maps before a file is written in place."""

import contextlib
import ctypes
import errno
import mmap
import os
import signal
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import BinaryIO

_Key = tuple[int, int]  # device and inode
_maps: "dict[_Key, list[weakref.ref[mmap.mmap]]]" = {}
_lock = threading.RLock()  # a map may be collected, and call back, while it is held
# Until Python 3.13 a map keeps a descriptor of the file open.
DESCRIPTORS_PER_MAP = 0 if sys.version_info >= (3, 13) or os.name != "posix" else 1


def map_file(stream: BinaryIO) -> mmap.mmap:
    """A private map of a whole file: pages are read when touched, and copied when written."""
    status = os.fstat(stream.fileno())
    key = (status.st_dev, status.st_ino)
    if sys.version_info >= (3, 13):
        made = mmap.mmap(stream.fileno(), status.st_size, access=mmap.ACCESS_COPY, trackfd=False)
    else:
        made = mmap.mmap(stream.fileno(), status.st_size, access=mmap.ACCESS_COPY)
    with _lock:
        _maps.setdefault(key, []).append(weakref.ref(made, lambda gone: _forget(key, gone)))
    return made


def _forget(key: _Key, gone: "weakref.ref[mmap.mmap]") -> None:
    with _lock:
        left = [each for each in _maps.get(key, ()) if each is not gone]
        if left:
            _maps[key] = left
        else:
            _maps.pop(key, None)


def maps_of(status: os.stat_result) -> list[mmap.mmap]:
    """The maps of a file that arrays of this process stand on."""
    with _lock:
        found = [each() for each in _maps.get((status.st_dev, status.st_ino), ())]
    return [each for each in found if each is not None]


def can_detach() -> bool:
    """Whether maps can be given memory of their own while others read them; Linux can."""
    return sys.platform == "linux"


def detach(status: os.stat_result) -> None:
    """Gives every map of a file memory of its own, with what the map shows now.

    Raises:
        OSError: the system refuses, for instance for want of memory.
    """
    for each in maps_of(status):
        _detach_one(each)
    with _lock:
        _maps.pop((status.st_dev, status.st_ino), None)


def _detach_one(found: mmap.mmap) -> None:
    system = ctypes.CDLL(None, use_errno=True)
    system.mmap.restype = system.mremap.restype = ctypes.c_void_p
    failed = ctypes.c_void_p(-1).value
    size = len(found)
    anonymous = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    copy = system.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_WRITE, anonymous, -1, ctypes.c_long(0))
    if copy == failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    address = ctypes.addressof(ctypes.c_char.from_buffer(found))
    ctypes.memmove(copy, address, size)
    # 1 | 2: moved, over what stands at the address. A thread that reads there sees the same bytes all the time.
    moved = system.mremap(
        ctypes.c_void_p(copy), ctypes.c_size_t(size), ctypes.c_size_t(size), 3, ctypes.c_void_p(address)
    )
    if moved == failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_ACCESS = 3  # the bits of a handle's flags that say whether it reads or writes


def is_held(path: str, status: os.stat_result) -> bool:
    """Whether somebody counts on a file staying the same one: a file system's, not only a name's.

    That is so for a file with other names, one that is open in this process, and one that is open for writing in
    another: whoever keeps such a handle wants to see what is written under the name. A process that only reads
    finishes reading what it opened, and memory that is mapped from a file must not change: those keep the old one.
    """
    if maps_of(status) and not can_detach():
        return False
    if status.st_nlink == 1 and _is_open_here(status):
        # Mostly a temporary file, of which others hardly know: the maps of all processes take long to look through.
        return True
    if status.st_nlink == 1 and not _is_written_elsewhere(path, status):
        return False
    return not _is_mapped_elsewhere(status)


def _is_same(descriptor: int, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), status)
    except OSError:
        return False


def _is_open_here(status: os.stat_result) -> bool:
    try:
        descriptors = [int(name) for name in os.listdir("/dev/fd")]
    except (OSError, ValueError):
        descriptors = list(range(256))
    count = sum(_is_same(descriptor, status) for descriptor in descriptors)
    return count > DESCRIPTORS_PER_MAP * len(maps_of(status))


def _is_written_elsewhere(path: str, status: os.stat_result) -> bool:
    """Whether another process has the file open for writing, as far as this user may know."""
    if fcntl is None or not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False  # may be written but not read: nobody's handle can be asked for
    try:
        # The system grants this lease only where no handle writes; a few microseconds for the usual answer, no. A
        # handle that is opened meanwhile would be told by a signal: one that is ignored unless somebody asks for it.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        return False
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
            raise
    finally:
        os.close(descriptor)
    # Some network file systems always refuse: a handle has to be found.
    return any(_writes(pid, status) for pid in _other_processes())


def _other_processes() -> Iterator[str]:
    mine = str(os.getpid())
    with contextlib.suppress(OSError):
        yield from (name for name in os.listdir("/proc") if name.isdigit() and name != mine)


def _writes(pid: str, status: os.stat_result) -> bool:
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return False  # another user's, or gone meanwhile
    for name in names:
        try:
            if os.path.samestat(os.stat(f"/proc/{pid}/fd/{name}"), status):
                with open(f"/proc/{pid}/fdinfo/{name}", encoding="ascii") as stream:
                    flags = next(line.split()[1] for line in stream if line.startswith("flags:"))
                if int(flags, 8) & _ACCESS != os.O_RDONLY:
                    return True
        except OSError:
            continue  # closed meanwhile
    return False


def _is_mapped_elsewhere(status: os.stat_result) -> bool:
    inode = f" {status.st_ino} ".encode()
    for pid in _other_processes():
        try:
            with open(f"/proc/{pid}/maps", "rb") as stream:
                found = stream.read()
        except OSError:
            continue
        if inode in found and any(_is_line_of(line, status) for line in found.splitlines() if inode in line):
            return True
    return False


def _is_line_of(line: bytes, status: os.stat_result) -> bool:
    """Whether a line of a list of maps is about a file; the device in it is another one on layered file systems."""
    try:
        return os.path.samestat(os.stat(line.split(maxsplit=5)[5]), status)
    except (OSError, IndexError):
        return False
