"""Whether a compiled library is what the compiler wrote: loading a damaged one ends the process.

Beside the library stands a seal, written after it: its length, its SHA-256, and what it was built from. A library that
was truncated, changed, or never sealed is not loaded, nor one that other users could have written.
"""

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_CHUNK = 1 << 20


def seal_of(library: Path) -> Path:
    """The path of a library's seal."""
    return library.with_suffix(".seal")


def content_of_seal(library: Path, **facts: str) -> bytes:
    """The seal of a complete library.

    Args:
        library: its path.
        facts: what else is noted, such as the compiler.
    """
    noted = {"bytes": library.stat().st_size, "sha256": _digest(library), **facts}
    return json.dumps(noted, indent=1, sort_keys=True).encode()


def facts_of(library: Path) -> dict[str, Any]:
    """What a seal says; empty if it cannot be read."""
    try:
        noted = json.loads(seal_of(library).read_bytes())
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def protect(path: Path) -> None:
    """Takes the right to write a file or folder from all other users."""
    if os.name == "posix":
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_WRITABLE_BY_OTHERS)


def fault(library: Path, package: Path | None = None) -> str:
    """Why a library must not be loaded; empty if it may. Takes a few milliseconds, mostly for the checksum.

    Args:
        library: its path.
        package: for a library that was installed with the package, the folder of its Python files. Whoever can write
            those needs no library, so the library may belong to their owner and be as writable as they are.
    """
    trusted = None if package is None else package.stat()
    try:
        seal = seal_of(library)
        guarded = [library.parent, library, *([seal] if seal.exists() else [])]
        foreign = next((text for path in guarded if (text := _foreign(path, trusted))), "")
        if foreign:
            return foreign
        try:
            noted = json.loads(seal.read_bytes())
            size, digest = int(noted["bytes"]), str(noted["sha256"])
        except FileNotFoundError:
            return f"{library} has no seal beside it"
        except (ValueError, KeyError, TypeError):
            return f"{seal} is damaged"
        found = library.stat().st_size
        if found != size:
            return f"{library} has {found} bytes; expected {size}"
        if _digest(library) != digest:
            return f"{library} was changed after it was compiled"
    except OSError as error:
        return f"{library} cannot be read: {error.strerror or error}"
    return ""


def _foreign(path: Path, trusted: os.stat_result | None) -> str:
    """How another user could have written a file or folder; empty if only this one, or the system's, could."""
    if os.name != "posix":
        return ""
    status = path.stat()
    owners, writable = {os.geteuid(), 0}, 0
    if trusted is not None:
        owners.add(trusted.st_uid)
        writable = trusted.st_mode
    if status.st_uid not in owners:
        return f"{path} belongs to another user"
    if status.st_mode & _WRITABLE_BY_OTHERS & ~writable:
        return f"{path} can be written by other users"
    return ""


def _digest(path: Path) -> str:
    with open(path, "rb") as stream:
        digest = hashlib.sha256()
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
