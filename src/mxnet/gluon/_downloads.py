"""Fetching files: checked, resumed after interruptions, and put in place in one step."""

import contextlib
import hashlib
import http.client
import logging
import os
import secrets
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Protocol

from regluon.formats.atomic import atomic_path

from ..base import MXNetError

__all__ = ["DownloadError", "download", "file_hash"]

_CHUNK = 1 << 18
_TIMEOUT = 30.0
_LONGEST_PAUSE = 2.0
_SCHEMES = ("http", "https", "file")
# The library requests, which MXNet downloads with, reads these.
_BUNDLE_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
# MD5 is for data whose publishers give no other hash: it finds damage, not malice.
_HASHES = {32: "md5", 40: "sha1", 64: "sha256"}
# Answers that another try may change; other refusals of a server are final.
_PASSING_STATUS = {408, 425, 429, 500, 502, 503, 504}

_log = logging.getLogger(__name__)


class DownloadError(MXNetError, OSError):
    """A file could not be fetched, or is not the one that was expected."""


class _Final(Exception):
    """A failure that another try at the same address would not change."""


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


def file_hash(stream: BinaryIO, algorithm: _Hash) -> str:
    """The hash of all bytes of a stream, in hexadecimal."""
    while chunk := stream.read(_CHUNK):
        algorithm.update(chunk)
    return algorithm.hexdigest()


def download(
    url: str | Sequence[str],
    path: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Fetches a file, unless it is there already.

    The file appears in one step, after its hash was checked; a file that was there before stays as it is until then.
    Interrupted transfers go on where they stopped, in a later call too if there is a hash to check the result with.

    Args:
        url: the address, or several addresses of the same file, tried in turn.
        path: the file to write, or the folder to write it to; by default the current one, and the address's last part.
        overwrite: fetch it even if it exists.
        sha1_hash: the SHA-1 hash of the file in hexadecimal, or its SHA-256 or MD5 hash; an existing file that does
            not have it is fetched anew.
        retries: how often to try each address.
        verify_ssl: whether to check the certificates of servers. The environment variables REQUESTS_CA_BUNDLE and
            CURL_CA_BUNDLE name the certificates to trust, SSL_CERT_FILE where neither is set.

    Returns:
        The file's path.
    """
    urls = [url] if isinstance(url, str) else list(url)
    for each in urls:
        if urllib.parse.urlsplit(each).scheme not in _SCHEMES:
            raise ValueError(
                f"[download] url: received {each!r}; expected an address that begins with https:// or http://."
            )
    if not urls or retries < 0:
        raise ValueError(f"[download] received {len(urls)} addresses and retries={retries}; expected at least 1 and 0.")
    if not verify_ssl:
        warnings.warn(
            "[download] verify_ssl=False: the server is not identified, and anyone on the way can replace the file.",
            stacklevel=2,
        )
    name = _file_name(urls[0], path)
    expected = _expected_hash(sha1_hash)
    if not overwrite and os.path.exists(name) and (expected is None or _hash_of(name, expected) == expected):
        return name
    os.makedirs(os.path.dirname(os.path.abspath(name)), exist_ok=True)
    with _partial_file(name, keep=expected is not None) as partial:
        _fetch(urls, partial, expected, max(retries, 1), verify_ssl)
        with atomic_path(name, "download") as temporary:
            os.replace(partial.path, temporary)
    return name


def _file_name(url: str, path: str | os.PathLike[str] | None) -> str:
    last = url.rsplit("/", maxsplit=1)[-1]
    name = last if path is None else os.path.expanduser(os.fspath(path))
    if path is not None and os.path.isdir(name):
        name = os.path.join(name, last)
    if os.path.basename(name) in ("", ".", ".."):
        raise ValueError(f"[download] the address {url!r} does not end with the name of a file; give one with path=.")
    return name


def _expected_hash(text: str | None) -> str | None:
    if text and len(text) not in _HASHES:
        raise ValueError(
            f"[download] sha1_hash: received {text!r} with {len(text)} digits; expected 40 (SHA-1) or 64 (SHA-256), "
            "or 32 (MD5)."
        )
    return text.lower() if text else None


def _hash_of(name: str, expected: str) -> str:
    """The hash of a file, of the kind that the expected one is."""
    with open(name, "rb") as stream:
        return file_hash(stream, hashlib.new(_HASHES[len(expected)], usedforsecurity=False))


class _Partial:
    """A file that is not complete yet, and what is known of the whole."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.source = ""
        self.version: str | None = None  # what the server calls this version of the file

    @property
    def size(self) -> int:
        return os.path.getsize(self.path) if os.path.exists(self.path) else 0

    def discard(self) -> None:
        """Begins anew."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)


@contextlib.contextmanager
def _partial_file(name: str, keep: bool) -> Iterator[_Partial]:
    """The unfinished file of an earlier call, or a new one.

    A process takes it over by renaming it, so that of several that fetch the same file only one goes on with it.
    """
    waiting = f"{name}.part"
    partial = _Partial(f"{name}.{secrets.token_hex(8)}.part")
    with contextlib.suppress(FileNotFoundError):
        os.rename(waiting, partial.path)
    if not keep:
        partial.discard()
    try:
        yield partial
    finally:
        with contextlib.suppress(FileNotFoundError):
            if keep and partial.size:
                os.replace(partial.path, waiting)
            else:
                os.unlink(partial.path)


def _fetch(urls: list[str], partial: _Partial, expected: str | None, tries: int, verify_ssl: bool) -> None:
    """Completes a file from the first address that has it."""
    failures: list[str] = []
    for url in urls:
        for attempt in range(tries):
            try:
                _complete(url, partial, expected, verify_ssl)
                return
            except _Final as error:
                failures.append(f"{url}: {error}")
                break
            except (OSError, http.client.HTTPException) as error:
                failure = f"{url}: {_reason(error)}"
            if attempt + 1 < tries:
                _log.info("download failed, %d tries left: %s", tries - attempt - 1, failure)
                time.sleep(min(_LONGEST_PAUSE, 0.1 * 2**attempt))
            else:
                failures.append(f"{failure} ({tries} {'try' if tries == 1 else 'tries'})")
    raise DownloadError(
        "[download] the file could not be fetched:\n  "
        + "\n  ".join(failures)
        + "\nWithout a connection, put the file in its place by hand: a file that exists is used as it is. A mirror "
        "can be given as a further address: url=[first, second]."
    )


def _complete(url: str, partial: _Partial, expected: str | None, verify_ssl: bool) -> None:
    """Transfers a file and checks its hash; what was resumed and is wrong is fetched once more as a whole."""
    while True:
        resumed = _transfer(url, partial, expected, verify_ssl)
        if expected is None or (found := _hash_of(partial.path, expected)) == expected:
            return
        partial.discard()
        if not resumed:
            raise _Final(
                f"the hash of the file is {found}; expected {expected}. The source has another version, or is damaged"
            )


def _reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    text = getattr(cause, "strerror", None) or str(cause)
    return f"{type(cause).__name__}: {text}" if isinstance(cause, Exception) else str(cause)


def _transfer(url: str, partial: _Partial, expected: str | None, verify_ssl: bool) -> bool:
    """Reads a file to its end, from where the partial one stops if the server can; whether it went on so."""
    offset = _offset_to_resume(url, partial, expected)
    request = urllib.request.Request(url, headers={"User-Agent": "mxnet"})
    if offset:
        request.add_header("Range", f"bytes={offset}-")
        if partial.version and partial.source == url:
            request.add_header("If-Range", partial.version)
    try:
        response = urllib.request.urlopen(request, timeout=_TIMEOUT, context=_security(url, verify_ssl))
    except urllib.error.HTTPError as error:
        with error:
            if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and offset:
                # Longer than the whole, so no part of it; or the whole, which the hash will tell.
                if expected is not None and _hash_of(partial.path, expected) == expected:
                    return True
                partial.discard()
                raise ConnectionError(
                    "the unfinished file of an earlier transfer does not belong to this one"
                ) from None
            if error.code in _PASSING_STATUS:
                raise ConnectionError(f"the server answered {error.code} {error.reason}") from None
            raise _Final(f"the server answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, (ssl.SSLCertVerificationError, FileNotFoundError)):
            raise _Final(_reason(error)) from None
        raise
    with response:
        resumes = offset > 0 and response.status == http.client.PARTIAL_CONTENT
        if resumes and not response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
            partial.discard()
            raise ConnectionError(f"the server sent another part than the one from byte {offset}")
        partial.source = url
        partial.version = response.headers.get("ETag") or response.headers.get("Last-Modified")
        if partial.version and partial.version.startswith("W/"):
            partial.version = None  # says only that two versions are alike, not that their bytes are the same
        _receive(response, partial, offset if resumes else 0, os.path.basename(urllib.parse.urlsplit(url).path))
    return resumes


def _offset_to_resume(url: str, partial: _Partial, expected: str | None) -> int:
    """Where to go on; pieces are joined only if a hash, or the server's name of the version, can prove them right."""
    if expected is None and not (partial.version and partial.source == url):
        partial.discard()
    return partial.size


def _security(url: str, verify_ssl: bool) -> ssl.SSLContext | None:
    """Return the TLS settings for an address; None means those of OpenSSL, which reads SSL_CERT_FILE."""
    if not url.startswith("https:"):
        return None
    if verify_ssl:
        return _trusted_context()
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _trusted_context() -> ssl.SSLContext | None:
    """Return a context that trusts the file or folder named by the variables of requests; None if none is set."""
    variable = next((name for name in _BUNDLE_VARIABLES if os.environ.get(name)), None)
    if variable is None:
        return None
    bundle = os.environ[variable]
    is_folder = os.path.isdir(bundle)
    try:
        return ssl.create_default_context(cafile=None if is_folder else bundle, capath=bundle if is_folder else None)
    except OSError as error:
        raise _Final(
            f"{variable}: received {bundle!r}; expected a file or folder of certificates ({error.strerror or error})"
        ) from None


def _receive(response: Any, partial: _Partial, offset: int, label: str) -> None:
    """Writes the body of an answer; raises if it ends before its announced length."""
    announced = response.headers.get("Content-Length")
    total = offset + int(announced) if announced and announced.isdigit() else None
    with open(partial.path, "ab" if offset else "wb") as stream, _progress(label, total, offset) as advance:
        received = offset
        while chunk := response.read(_CHUNK):
            stream.write(chunk)
            received += len(chunk)
            advance(len(chunk))
    if total is not None and received < total:
        raise ConnectionError(f"the connection ended after {received} of {total} bytes")


@contextlib.contextmanager
def _progress(label: str, total: int | None, offset: int) -> Iterator[Any]:
    """A function to call with numbers of bytes; shows a bar to people at a terminal, if tqdm is installed."""
    bar = None
    if sys.stderr is not None and sys.stderr.isatty():
        with contextlib.suppress(ImportError):
            from tqdm import tqdm  # type: ignore[import-untyped, import-not-found, unused-ignore]

            bar = tqdm(desc=label, total=total, initial=offset, unit="B", unit_scale=True, unit_divisor=1024)
    try:
        yield bar.update if bar is not None else lambda count: None
    finally:
        if bar is not None:
            bar.close()
