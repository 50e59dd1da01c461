"""Files of published data sets: those that are there, or fetched and checked."""

import hashlib
import logging
import os
import tarfile
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from regluon.formats.atomic import atomic_write

from ....error import FileFormatError
from ...utils import DownloadError, download

__all__ = ["Source", "fetch", "sha1_of", "unpack"]

_log = logging.getLogger(__name__)


class Source(NamedTuple):
    """Addresses of one version of a file, and its SHA-1 or MD5 hash, if it is known."""

    urls: Sequence[str]
    digest: str | None


def sha1_of(data: bytes) -> str:
    """The SHA-1 hash of bytes, in hexadecimal."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def fetch(who: str, path: str, sources: Iterable[Source]) -> str:
    """Fetches a file from the first source that has it.

    Args:
        who: the data set named in errors.
        path: where to put it.
        sources: where it can be had.
    """
    failures = []
    for source in sources:
        _log.info("%s is fetched from %s.", path, " or ".join(source.urls))
        try:
            return download(list(source.urls), path=path, overwrite=True, sha1_hash=source.digest)
        except DownloadError as error:
            failures.append(str(error))
    folder, name = os.path.split(path)
    raise DownloadError(
        f"[{who}] {name} is not in {folder!r}, and fetching it failed.\n" + "\n".join(failures) + f"\nPut {name} into "
        "that folder, pass root= a folder that has it, or set MXNET_GLUON_REPO to the address of a mirror."
    )


def unpack(who: str, archive: str, folder: str, wanted: dict[str, str], check: bool) -> None:
    """Takes files out of a `.tar.gz` archive, whatever folder they are in there.

    Nothing else in the archive is touched, and nothing is written but these names in this folder.

    Args:
        who: the data set named in errors.
        archive: the archive.
        folder: where to put the files.
        wanted: their names, with their SHA-1 hashes.
        check: refuse files with other hashes.
    """
    found = set()
    try:
        with tarfile.open(archive) as opened:
            for member in opened:
                _check_place(who, archive, member.name)
                name = member.name.replace("\\", "/").rsplit("/", maxsplit=1)[-1]
                if name not in wanted or not member.isreg():
                    continue
                stream = opened.extractfile(member)
                data = stream.read() if stream is not None else b""
                if check and sha1_of(data) != wanted[name]:
                    raise FileFormatError(
                        f"[{who}] {archive}: {name} in it has the SHA-1 hash {sha1_of(data)}; expected {wanted[name]}. "
                        "The archive is another version, or damaged: remove it and fetch it again."
                    )
                with atomic_write(os.path.join(folder, name), who) as target:
                    target.write(data)
                found.add(name)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise FileFormatError(
            f"[{who}] {archive}: expected a .tar.gz archive that can be read: {error}. Remove it and fetch it again."
        ) from error
    missing = sorted(set(wanted) - found)
    if missing:
        raise FileFormatError(f"[{who}] {archive}: the archive has no {', '.join(missing)}.")


def _check_place(who: str, archive: str, name: str) -> None:
    """Refuses an archive with a member that would lie outside of the folder it is unpacked to."""
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or (len(name) > 1 and name[1] == ":"):
        raise FileFormatError(
            f"[{who}] {archive}: it has a member {name!r}, which would be written outside of its folder. The archive "
            "is not to be trusted: remove it."
        )
