"""Private maps of files, and taking them off a file that is about to be written in place.

Pages of a private map that nobody has touched show what the file holds now, and those behind a new, nearer end of the
file are gone: touching them ends the process. So a map gets memory of its own before its file is written in place.
"""

import ctypes
import mmap
import os
import sys
import threading
import weakref
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
