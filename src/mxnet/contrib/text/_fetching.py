"""Published files of vectors: found in a folder, or fetched, checked and unpacked there."""

import os
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from typing import IO

from regluon.formats.atomic import atomic_write

from ...error import FileFormatError
from ...gluon.utils import DownloadError, check_sha1, download

__all__ = ["get_vector_file"]


def get_vector_file(
    folder: str, name: str, sha1: str, urls: Sequence[str], download_sha1: str, published: Collection[str]
) -> str:
    """The path of a file in a folder, fetched if it is not there or another one.

    Args:
        folder: where files are kept; made if needed.
        name: the file's name.
        sha1: its hash.
        urls: where to fetch it, or an archive that has it; tried in turn.
        download_sha1: the hash of what is fetched.
        published: names of files that are unpacked, if the archive has them.
    """
    path = os.path.join(folder, name)
    if os.path.exists(path) and check_sha1(path, sha1):
        return path
    os.makedirs(folder, exist_ok=True)
    fetched = os.path.join(folder, os.path.basename(urls[0]))
    try:
        download(list(urls), path=fetched, sha1_hash=download_sha1)
    except DownloadError as error:
        raise DownloadError(
            f"[contrib.text] {name} is not in {folder!r}, and fetching it failed.\n{error}\nPut {name} (SHA-1 {sha1}) "
            "into that folder, pass embedding_root= another, or set MXNET_GLUON_REPO to the address of a mirror."
        ) from error
    if fetched != path:
        _unpack(fetched, folder, name, {name, *published})
    return path


def _unpack(archive: str, folder: str, name: str, wanted: Collection[str]) -> None:
    """Takes files out of an archive; each appears only when it is complete."""
    found = False
    try:
        for member, packed in _members(archive, wanted):
            with packed, atomic_write(os.path.join(folder, member), "contrib.text") as stream:
                shutil.copyfileobj(packed, stream)
            found = found or member == name
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError) as error:
        raise FileFormatError(
            f"[contrib.text] {archive}: expected an archive that can be read: {error}. Remove it and try again."
        ) from error
    if not found:
        raise FileFormatError(f"[contrib.text] {archive}: the archive has no {name}. Remove it, or use another mirror.")


def _members(archive: str, wanted: Collection[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """The files of these names in an archive; folders in it do not matter, so nothing is written elsewhere."""
    if archive.endswith(".zip"):
        with zipfile.ZipFile(archive) as opened:
            for info in opened.infolist():
                if not info.is_dir() and os.path.basename(info.filename) in wanted:
                    yield os.path.basename(info.filename), opened.open(info)
    elif archive.endswith(".gz"):
        with tarfile.open(archive, "r:gz") as packed:
            for member in packed:
                stream = packed.extractfile(member) if member.isfile() else None
                if stream is not None and os.path.basename(member.name) in wanted:
                    yield os.path.basename(member.name), stream
    else:
        raise FileFormatError(f"[contrib.text] {archive}: expected an archive that ends with .zip or .gz.")
