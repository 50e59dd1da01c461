"""Fetching files from a server of the test's own."""

import hashlib
import socket
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from mxnet import MXNetError
from mxnet.gluon import _downloads
from mxnet.gluon.utils import DownloadError, download

CONTENT = bytes(range(256)) * 4000
SHA1 = hashlib.sha1(CONTENT).hexdigest()
CERTIFICATE = Path(__file__).parents[1] / "fixtures" / "data" / "localhost.pem"  # of 127.0.0.1, with its key
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Serves one file; `plan` says what goes wrong, one entry for each request."""

    def do_GET(self) -> None:
        state = self.server.state
        state.requests.append((self.path, self.headers.get("Range"), self.headers.get("If-Range")))
        trouble = state.plan.pop(0) if state.plan else None
        if isinstance(trouble, int):
            self.send_error(trouble)
            return
        begin, status = 0, 200
        asked = self.headers.get("Range")
        fits = self.headers.get("If-Range") in (None, state.etag)
        if asked and state.ranges and fits:
            begin, status = int(asked.removeprefix("bytes=").rstrip("-")), 206
            if begin >= len(state.content):
                self.send_error(416)
                return
        self.send_response(status)
        if status == 206:
            first = begin + (trouble == "shifted")
            self.send_header("Content-Range", f"bytes {first}-{len(state.content) - 1}/{len(state.content)}")
        self.send_header("Content-Length", str(len(state.content) - begin))
        if state.etag:
            self.send_header("ETag", state.etag)
        self.end_headers()
        body = state.content[begin:]
        self.wfile.write(body[: len(body) // 2] if trouble == "cut" else body)

    def log_message(self, *args: object) -> None:
        """Stays quiet."""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(_downloads, "_LONGEST_PAUSE", 0.0)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        state = SimpleNamespace(plan=[], requests=[], content=CONTENT, etag='"one"', ranges=True)
        running.state = state
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        state.url = f"http://127.0.0.1:{running.server_port}/files/data.bin"
        yield state
        running.shutdown()
        thread.join()


@pytest.fixture
def secure_url(server, monkeypatch):
    """The file's address on a server with a certificate that no authority signed."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(CERTIFICATE)
        running.socket = context.wrap_socket(running.socket, server_side=True)
        running.state = server
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"https://127.0.0.1:{running.server_port}/files/data.bin"
        running.shutdown()
        thread.join()


@pytest.fixture
def closed_url(monkeypatch):
    """An address where nobody listens."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(_downloads, "_LONGEST_PAUSE", 0.0)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return f"http://127.0.0.1:{port}/data.bin"


def test_a_file_is_fetched(server, tmp_path, capsys):
    path = tmp_path / "deep" / "down" / "data.bin"
    assert download(server.url, path, sha1_hash=SHA1) == str(path)
    assert path.read_bytes() == CONTENT
    assert [each.name for each in path.parent.iterdir()] == ["data.bin"]
    assert capsys.readouterr() == ("", "")


def test_into_a_folder_and_by_its_own_name(server, tmp_path, monkeypatch):
    assert download(server.url, str(tmp_path)) == str(tmp_path / "data.bin")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert download(server.url) == "data.bin"
    assert (tmp_path / "here" / "data.bin").read_bytes() == CONTENT


def test_an_existing_file_is_kept(server, tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(b"old")
    download(server.url, path)
    assert path.read_bytes() == b"old"
    assert not server.requests
    download(server.url, path, overwrite=True)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("digest", [SHA1, SHA1.upper(), SHA256])
def test_an_existing_file_with_another_hash_is_replaced(server, tmp_path, digest):
    path = tmp_path / "data.bin"
    path.write_bytes(b"old")
    download(server.url, path, sha1_hash=digest)
    download(server.url, path, sha1_hash=digest)
    assert path.read_bytes() == CONTENT
    assert len(server.requests) == 1


def test_a_wrong_hash_is_refused_and_leaves_the_old_file(server, tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(b"old")
    with pytest.raises(DownloadError, match=f"the hash of the file is {SHA1}; expected {'0' * 40}"):
        download(server.url, path, sha1_hash="0" * 40)
    assert [each.name for each in tmp_path.iterdir()] == ["data.bin"]
    assert path.read_bytes() == b"old"
    assert len(server.requests) == 1


def test_a_cut_connection_is_resumed(server, tmp_path):
    server.plan = ["cut", "cut"]
    path = tmp_path / "data.bin"
    download(server.url, path)
    assert path.read_bytes() == CONTENT
    half, rest = len(CONTENT) // 2, len(CONTENT) // 4
    expected = [None, f"bytes={half}-", f"bytes={half + rest}-"]
    assert [request[1] for request in server.requests] == expected
    assert server.requests[1][2] == '"one"'


def test_a_later_call_goes_on(server, tmp_path):
    path = tmp_path / "data.bin"
    server.plan = ["cut"]
    with pytest.raises(DownloadError, match=f"ended after {len(CONTENT) // 2} of {len(CONTENT)} bytes"):
        download(server.url, path, sha1_hash=SHA1, retries=1)
    assert [each.name for each in tmp_path.iterdir()] == ["data.bin.part"]
    download(server.url, path, sha1_hash=SHA1)
    assert path.read_bytes() == CONTENT
    assert [each.name for each in tmp_path.iterdir()] == ["data.bin"]
    assert server.requests[-1][1] == f"bytes={len(CONTENT) // 2}-"


def test_without_a_hash_a_later_call_begins_anew(server, tmp_path):
    path = tmp_path / "data.bin"
    server.plan = ["cut"]
    with pytest.raises(DownloadError):
        download(server.url, path, retries=1)
    assert not list(tmp_path.iterdir())
    (tmp_path / "data.bin.part").write_bytes(b"of whatever")
    download(server.url, path)
    assert path.read_bytes() == CONTENT
    assert [each.name for each in tmp_path.iterdir()] == ["data.bin"]
    assert server.requests[-1][1] is None


def test_a_foreign_beginning_is_found_out(server, tmp_path):
    path = tmp_path / "data.bin"
    (tmp_path / "data.bin.part").write_bytes(b"foreign")
    download(server.url, path, sha1_hash=SHA1, retries=1)
    assert path.read_bytes() == CONTENT
    assert [request[1] for request in server.requests] == ["bytes=7-", None]


@pytest.mark.parametrize("beginning", [CONTENT, CONTENT + b"more"])
def test_a_beginning_as_long_as_the_whole(server, tmp_path, beginning):
    path = tmp_path / "data.bin"
    (tmp_path / "data.bin.part").write_bytes(beginning)
    download(server.url, path, sha1_hash=SHA1)
    assert path.read_bytes() == CONTENT


def test_another_version_on_the_server_is_fetched_whole(server, tmp_path):
    server.plan = ["cut"]
    path = tmp_path / "data.bin"

    def changed(seconds):
        server.content, server.etag = b"another" * 1000, '"two"'

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_downloads.time, "sleep", changed)
        download(server.url, path)
    assert path.read_bytes() == b"another" * 1000


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_a_server_that_names_no_version_is_asked_for_the_whole(server, tmp_path, etag):
    server.plan, server.etag = ["cut"], etag
    path = tmp_path / "data.bin"
    download(server.url, path)
    assert path.read_bytes() == CONTENT
    assert [request[1] for request in server.requests] == [None, None]


def test_a_server_without_ranges(server, tmp_path):
    server.plan, server.ranges = ["cut"], False
    path = tmp_path / "data.bin"
    download(server.url, path, sha1_hash=SHA1)
    assert path.read_bytes() == CONTENT


def test_a_wrong_part_is_not_joined(server, tmp_path):
    server.plan = ["cut", "shifted"]
    path = tmp_path / "data.bin"
    download(server.url, path)
    assert path.read_bytes() == CONTENT
    assert len(server.requests) == 3


def test_passing_troubles_are_retried(server, tmp_path):
    server.plan = [503, 429, "cut", 500]
    path = tmp_path / "data.bin"
    download(server.url, path, sha1_hash=SHA1)
    assert path.read_bytes() == CONTENT


def test_what_a_server_refuses_is_not_retried(server, tmp_path):
    server.plan = [404]
    with pytest.raises(DownloadError, match=r"data\.bin: the server answered 404 Not Found"):
        download(server.url, tmp_path / "data.bin")
    assert len(server.requests) == 1
    assert not list(tmp_path.iterdir())


def test_mirrors_are_tried_in_turn(server, closed_url, tmp_path):
    path = tmp_path / "data.bin"
    download([closed_url, server.url], path, sha1_hash=SHA1, retries=1)
    assert path.read_bytes() == CONTENT
    server.plan = [404, "cut"]
    first, second = server.url.replace("files", "first"), server.url.replace("files", "second")
    download([first, second], path, overwrite=True)
    assert [request[0].split("/")[1] for request in server.requests[1:]] == ["first", "second", "second"]


def test_all_failures_are_listed(server, closed_url, tmp_path):
    server.plan = [404]
    with pytest.raises(DownloadError) as caught:
        download([server.url, closed_url], tmp_path / "data.bin", retries=2)
    text = str(caught.value)
    assert "answered 404 Not Found" in text
    assert "ConnectionRefusedError: Connection refused (2 tries)" in text
    assert "put the file in its place by hand" in text
    assert isinstance(caught.value, MXNetError)
    assert isinstance(caught.value, OSError)


def test_offline_with_the_file_in_place(closed_url, tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(CONTENT)
    assert download(closed_url, path, sha1_hash=SHA1) == str(path)


def test_files_on_disk(tmp_path):
    source = tmp_path / "source.bin"
    source.write_bytes(CONTENT)
    path = download(source.as_uri(), tmp_path / "copy.bin", sha1_hash=SHA256)
    assert (tmp_path / "copy.bin").read_bytes() == CONTENT
    assert path.endswith("copy.bin")
    with pytest.raises(DownloadError, match="No such file"):
        download((tmp_path / "none").as_uri(), tmp_path / "copy.bin", overwrite=True)


def test_an_unknown_certificate_is_refused(secure_url, tmp_path):
    with pytest.raises(DownloadError, match=r"SSLCertVerificationError: .*certificate verify failed"):
        download(secure_url, path=tmp_path)
    with pytest.warns(UserWarning, match="the server is not identified"):
        assert Path(download(secure_url, path=tmp_path, verify_ssl=False)).read_bytes() == CONTENT


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_certificates_come_from_the_file_that_the_environment_names(secure_url, tmp_path, monkeypatch, variable):
    """As with requests, which MXNet downloads with."""
    monkeypatch.setenv(variable, str(CERTIFICATE))
    assert Path(download(secure_url, path=tmp_path)).read_bytes() == CONTENT


def test_a_missing_file_of_certificates_is_named(closed_url, tmp_path, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "none.pem"))
    text = r"REQUESTS_CA_BUNDLE: received '.*none\.pem'; expected a file or folder of certificates \(No such file"
    with pytest.raises(DownloadError, match=text):
        download(closed_url.replace("http:", "https:"), path=tmp_path)


def test_unverified_connections_are_warned_of(server, tmp_path):
    with pytest.warns(UserWarning, match=r"verify_ssl=False"):
        download(server.url, tmp_path / "data.bin", verify_ssl=False)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"url": "ftp://host/file"}, "received 'ftp://host/file'; expected an address that begins with https://"),
        ({"url": "http://host/folder/"}, "does not end with the name of a file; give one with path="),
        ({"url": "http://host/.."}, "does not end with the name of a file"),
        ({"url": []}, "received 0 addresses"),
        ({"url": "http://host/file", "retries": -1}, "retries=-1; expected at least 1 and 0"),
        ({"url": "http://host/file", "sha1_hash": "abc"}, r"received 'abc' with 3 digits; expected 40 \(SHA-1\) or 64"),
    ],
)
def test_bad_arguments(arguments, text):
    with pytest.raises(ValueError, match=text):
        download(**arguments)


def test_a_bar_is_shown_at_a_terminal(server, tmp_path, monkeypatch):
    bars = []

    class Bar:
        def __init__(self, **kwargs):
            self.total, self.count, self.closed = kwargs["total"], kwargs["initial"], False
            bars.append(self)

        def update(self, count):
            self.count += count

        def close(self):
            self.closed = True

    module = ModuleType("tqdm")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", module)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    download(server.url, tmp_path / "data.bin")
    assert [(bar.count, bar.total, bar.closed) for bar in bars] == [(len(CONTENT), len(CONTENT), True)]
    monkeypatch.setitem(sys.modules, "tqdm", None)
    download(server.url, tmp_path / "other.bin")
    assert len(bars) == 1


def test_several_at_once(server, tmp_path):
    path = tmp_path / "data.bin"
    server.plan = ["cut"] * 3
    threads = [threading.Thread(target=download, args=(server.url, path, True, SHA1)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() == CONTENT
    assert [each.name for each in tmp_path.iterdir()] == ["data.bin"]
