"""Whether the compiled kernels are what the compiler wrote: loading a damaged library ends the process.

Beside the library stands a seal with its length and its SHA-256, written after it. A library that was cut off, changed,
or never sealed is not loaded, nor one that other users could have put there.
"""

import hashlib
import json
import os
import stat
from pathlib import Path

from ..formats.atomic import atomic_write

_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_PIECE = 1 << 20


def seal_of(library: Path) -> Path:
    """The file that tells what a library must be."""
    return library.with_suffix(".seal")


def seal(library: Path) -> None:
    """Notes what a library is, once it is complete and on the disk."""
    if os.name == "posix":
        for path, mode in ((library.parent, 0o755), (library, 0o755)):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & mode)
    content = json.dumps({"bytes": library.stat().st_size, "sha256": _digest(library)})
    with atomic_write(seal_of(library), "native") as stream:
        stream.write(content.encode())
    if os.name == "posix":
        seal_of(library).chmod(0o644)


def fault(library: Path) -> str:
    """Why a library must not be loaded; empty if it may. A few milliseconds, of which the checksum is most."""
    try:
        foreign = next((text for path in _guarded(library) if (text := _foreign(path))), "")
        if foreign:
            return foreign
        try:
            noted = json.loads(seal_of(library).read_bytes())
            size, digest = int(noted["bytes"]), str(noted["sha256"])
        except FileNotFoundError:
            return f"{library} has no seal beside it"
        except (ValueError, KeyError, TypeError):
            return f"{seal_of(library)} is damaged"
        found = library.stat().st_size
        if found != size:
            return f"{library} has {found} bytes; expected {size}"
        if _digest(library) != digest:
            return f"{library} was changed after it was compiled"
    except OSError as error:
        return f"{library} cannot be read: {error.strerror or error}"
    return ""


def _guarded(library: Path) -> list[Path]:
    seal = seal_of(library)
    return [library.parent, library, *([seal] if seal.exists() else [])]


def _foreign(path: Path) -> str:
    """How another user could have written a file or folder; empty if only this one, or the system's, could."""
    if os.name != "posix":
        return ""
    status = path.stat()
    if status.st_uid not in (os.geteuid(), 0):
        return f"{path} belongs to another user"
    if status.st_mode & _MAY_WRITE:
        return f"{path} can be written by other users"
    return ""


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
