"""Find, download, unpack and read published word vectors."""

import os
import shutil
import tarfile
import warnings
import zipfile
import zlib
from array import array
from collections.abc import Collection, Iterator, Sequence
from typing import IO, Any, NamedTuple

import numpy as np

from regluon.formats.atomic import atomic_write

from ...base import shortened
from ...error import FileFormatError
from ...gluon.utils import DownloadError, check_sha1, download

__all__ = ["get_vector_file", "GLOVE_ARCHIVES", "GLOVE_FILES", "VectorFileError", "Vectors", "read_vectors"]


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


GLOVE_ARCHIVES = {
    "glove.42B.300d.zip": "f8e722b39578f776927465b71b231bae2ae8776a",
    "glove.6B.zip": "b64e54f1877d2f735bdd000c1d7d771e25c7dfdc",
    "glove.840B.300d.zip": "8084fbacc2dee3b1fd1ca4cc534cbfff3519ed0d",
    "glove.twitter.27B.zip": "dce69c404025a8312c323197347695e81fd529fc",
}

GLOVE_FILES = {
    "glove.42B.300d.txt": "876767977d6bd4d947c0f84d44510677bc94612a",
    "glove.6B.50d.txt": "21bf566a9d27f84d253e0cd4d4be9dcc07976a6d",
    "glove.6B.100d.txt": "16b1dbfaf35476790bd9df40c83e2dfbd05312f1",
    "glove.6B.200d.txt": "17d0355ddaa253e298ede39877d1be70f99d9148",
    "glove.6B.300d.txt": "646443dd885090927f8215ecf7a677e9f703858d",
    "glove.840B.300d.txt": "294b9f37fa64cce31f9ebb409c266fc379527708",
    "glove.twitter.27B.25d.txt": "767d80889d8c8a22ae7cd25e09d0650a6ff0a502",
    "glove.twitter.27B.50d.txt": "9585f4be97e286339bf0112d0d3aa7c15a3e864d",
    "glove.twitter.27B.100d.txt": "1bbeab8323c72332bd46ada0fc3c99f2faaa8ca8",
    "glove.twitter.27B.200d.txt": "7921c77a53aa5977b1d9ce3a7c4430cbd9d1207a",
}


class VectorFileError(FileFormatError, AssertionError):
    """A file of vectors cannot be used; MXNet raised an AssertionError for most of the causes."""


class Vectors(NamedTuple):
    """The content of a file.

    Attributes:
        tokens: those that were not known before, in the order of the file.
        values: a matrix; its first rows, one for each token known before, are zeros, and the tokens' rows follow.
        known: vectors of tokens that were known before; of one number, or as many as a row has.
    """

    tokens: list[str]
    values: np.ndarray
    known: dict[Any, list[float]]


def read_vectors(path: str, delimiter: str, encoding: str, known: Collection[Any], who: str) -> Vectors:
    """Reads a file in one pass.

    Numbers take four bytes each while they are gathered: such files have up to a billion.

    Args:
        path: the file.
        delimiter: what separates the token and the numbers of a line.
        encoding: of the file.
        known: tokens that have rows already.
        who: what to call the reader in messages.
    """
    if not os.path.isfile(path):
        raise VectorFileError(
            f"[{who}] pretrained_file_path: received {path!r}; expected a file of vectors, with a token and its "
            "numbers on each line."
        )
    seen: set[str] = set()
    tokens: list[str] = []
    values: array[float] = array("f")
    earlier: dict[Any, list[float]] = {}
    lines_of: dict[Any, str] = {}
    width = 0
    for place, token, numbers in _parsed(path, delimiter, encoding, who):
        if token in seen:
            _warn(f"{place}: {token!r} has a vector already; this one is left out.")
            continue
        if token in known:
            earlier[token], lines_of[token] = numbers, place
        elif len(numbers) == 1:
            _warn(f"{place}: {token!r} with one number looks like a header; it is left out.")
            continue
        else:
            if not width:
                width = len(numbers)
                values.frombytes(bytes(len(known) * width * values.itemsize))
            elif len(numbers) != width:
                raise VectorFileError(_other_width(place, token, len(numbers), width))
            values.extend(numbers)
            tokens.append(token)
        seen.add(token)
    if not width:
        raise VectorFileError(
            f"[{who}] {path}: received no vectors; expected a token and at least two numbers per line."
        )
    for token, numbers in earlier.items():
        if len(numbers) not in (1, width):
            raise VectorFileError(_other_width(lines_of[token], token, len(numbers), width))
    return Vectors(tokens, np.frombuffer(values, np.float32).reshape(-1, width), earlier)


def _parsed(path: str, delimiter: str, encoding: str, who: str) -> Iterator[tuple[str, str, list[float]]]:
    """Where each line stands, its token and its numbers."""
    number = 0
    try:
        with open(path, encoding=encoding) as stream:
            for number, line in enumerate(stream, 1):
                token, *parts = line.rstrip().split(delimiter)
                place = f"[{who}] {path}, line {number}"
                if not parts:
                    raise VectorFileError(
                        f"{place}: received {_short(line)}; expected a token and numbers, with {delimiter!r} between."
                    )
                try:
                    numbers = [float(part) for part in parts]
                except ValueError as error:
                    raise VectorFileError(
                        f"{place}: {token!r} is followed by what is no number: {error}. Expected a token and its "
                        f"numbers, separated by {delimiter!r} once each."
                    ) from None
                yield place, token, numbers
    except UnicodeDecodeError as error:
        raise VectorFileError(
            f"[{who}] {path}, after line {number}: received bytes that are not {encoding}: {error}. Pass the encoding "
            "of the file."
        ) from None


def _other_width(place: str, token: Any, found: int, width: int) -> str:
    return f"{place}: {token!r} has {found} numbers; expected {width}, as other tokens of the file have."


def _short(line: str) -> str:
    text = line.rstrip("\n")
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def _warn(text: str) -> None:
    # From here through read_vectors, the two methods of an embedding and its class to the program.
    warnings.warn(shortened(text), UserWarning, stacklevel=5)
