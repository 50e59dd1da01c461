"""Published parameters: found, fetched, checked, unpacked."""

import hashlib
import http.server
import os
import subprocess
import sys
import threading
import zipfile
from functools import partial

import numpy as np
import pytest

import mxnet as mx
from mxnet import MXNetError
from mxnet.gluon import _downloads
from mxnet.gluon.model_zoo import model_store, vision
from mxnet.gluon.utils import DownloadError

NAME = "mobilenet0.25"


@pytest.fixture(scope="module")
def net():
    """A network with numbers of its own; no test changes it."""
    net = vision.mobilenet0_25()
    net.infer_shape(mx.nd.zeros((1, 3, 32, 32)))
    net.initialize(mx.init.Uniform(0.5))
    return net


@pytest.fixture(scope="module")
def content(net, tmp_path_factory):
    """The bytes of its file."""
    path = tmp_path_factory.mktemp("saved") / "new.params"
    net.save_parameters(str(path))
    return path.read_bytes()


@pytest.fixture
def published(content, tmp_path, monkeypatch):
    """A folder that a server could offer; the hash of the file in it is the published one."""
    monkeypatch.setitem(model_store._model_sha1, NAME, hashlib.sha1(content).hexdigest())
    folder = tmp_path / "repository" / "gluon" / "models"
    folder.mkdir(parents=True)
    file_name = f"{NAME}-{model_store.short_hash(NAME)}"
    with zipfile.ZipFile(folder / f"{file_name}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(f"{file_name}.params", content)
        archive.writestr("../outside.txt", b"never unpacked")
    monkeypatch.setenv("MXNET_GLUON_REPO", (tmp_path / "repository").as_uri())
    monkeypatch.setattr(_downloads, "_LONGEST_PAUSE", 0.0)
    monkeypatch.setenv("no_proxy", "*")
    return folder / f"{file_name}.zip"


def kept(root):
    return sorted(os.listdir(root))


def rewrite(archive, members, **kwargs):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, **kwargs) as opened:
        for name, content in members.items():
            opened.writestr(name, content)


def test_parameters_are_fetched_and_loaded(net, published, tmp_path):
    root = tmp_path / "cache" / "models"
    loaded = vision.get_model(NAME, pretrained=True, root=str(root))
    assert kept(root) == [f"{published.stem}.params"]
    ours, theirs = net._collect_params_with_prefix(), loaded._collect_params_with_prefix()
    assert all(np.array_equal(each.data().asnumpy(), theirs[name].data().asnumpy()) for name, each in ours.items())
    assert not (tmp_path / "outside.txt").exists()


@pytest.mark.parametrize("way", ["save_params", "full_names"])
def test_files_of_early_versions_are_loaded(net, published, tmp_path, monkeypatch, way):
    path = tmp_path / "old.params"
    net.save_params(str(path)) if way == "save_params" else net.collect_params().save(str(path))
    content = path.read_bytes()
    monkeypatch.setitem(model_store._model_sha1, NAME, hashlib.sha1(content).hexdigest())
    root = tmp_path / "cache"
    root.mkdir()
    (root / f"{NAME}-{model_store.short_hash(NAME)}.params").write_bytes(content)
    loaded = vision.mobilenet0_25(pretrained=True, root=root)
    assert np.array_equal(loaded.output.weight.data().asnumpy(), net.output.weight.data().asnumpy())


def test_a_server_is_asked_for_what_mxnet_published(published, tmp_path, monkeypatch):
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            asked.append(self.path)

    handler = partial(Handler, directory=str(published.parents[2]))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("MXNET_GLUON_REPO", f"http://127.0.0.1:{server.server_port}")
        path = model_store.get_model_file(NAME, root=tmp_path / "cache")
        server.shutdown()
        thread.join()
    assert asked == [f"/gluon/models/{published.name}"]
    assert path == str(tmp_path / "cache" / f"{published.stem}.params")


def test_mirrors_are_tried_in_turn(published, tmp_path, monkeypatch):
    nowhere = (tmp_path / "nowhere").as_uri()
    monkeypatch.setenv("MXNET_GLUON_REPO", f"{nowhere}, {(tmp_path / 'repository').as_uri()}/")
    assert os.path.exists(model_store.get_model_file(NAME, root=tmp_path / "cache"))


def test_a_good_file_needs_no_connection(published, tmp_path, monkeypatch):
    path = model_store.get_model_file(NAME, root=tmp_path / "cache")
    published.unlink()
    assert model_store.get_model_file(NAME, root=tmp_path / "cache") == path


def test_an_archive_put_there_by_hand_is_used(published, tmp_path, monkeypatch):
    monkeypatch.setenv("MXNET_GLUON_REPO", (tmp_path / "nowhere").as_uri())
    model_store.get_model_file(NAME, root=published.parent)
    assert kept(published.parent) == [f"{published.stem}.params", published.name]


def test_another_file_of_that_name_is_replaced(published, tmp_path, caplog):
    root = tmp_path / "cache"
    root.mkdir()
    path = root / f"{published.stem}.params"
    path.write_bytes(b"half of it")
    model_store.get_model_file(NAME, root=root)
    assert path.stat().st_size > 1000
    assert "is not the published file; it is replaced" in caplog.text


def test_sha256_of_other_projects(published, tmp_path, monkeypatch):
    path = model_store.get_model_file(NAME, root=tmp_path / "cache")
    with open(path, "rb") as stream:
        content = stream.read()
    digest = hashlib.sha256(content).hexdigest()
    monkeypatch.setitem(model_store._model_sha1, "theirs", digest.upper())
    file_name = f"theirs-{digest[:8].upper()}"
    rewrite(published.with_name(f"{file_name}.zip"), {f"{file_name}.params": content})
    assert model_store.get_model_file("theirs", root=tmp_path / "cache").endswith(f"{file_name}.params")


def test_without_a_connection_the_error_says_what_to_do(published, tmp_path, monkeypatch):
    monkeypatch.setenv("MXNET_GLUON_REPO", (tmp_path / "nowhere").as_uri())
    root = tmp_path / "cache"
    with pytest.raises(DownloadError) as caught:
        vision.mobilenet0_25(pretrained=True, root=str(root))
    text = str(caught.value)
    assert isinstance(caught.value, MXNetError)
    assert isinstance(caught.value, OSError)
    assert f"the parameters of '{NAME}' are not in '{root}'" in text
    assert f"{(tmp_path / 'nowhere').as_uri()}/gluon/models/{published.name}" in text
    assert f"Put {published.stem}.params (SHA-1 {model_store._model_sha1[NAME]})" in text
    assert "set MXNET_GLUON_REPO to the address of a mirror" in text
    assert kept(root) == []


@pytest.mark.parametrize("old", [b"what was there", None])
def test_archives_with_another_file_are_refused(published, tmp_path, old):
    root = tmp_path / "cache"
    root.mkdir()
    if old is not None:
        (root / f"{published.stem}.params").write_bytes(old)
    rewrite(published, {f"{published.stem}.params": b"another file"})
    expected = model_store._model_sha1[NAME]
    with pytest.raises(ValueError, match=f"have a different hash: received [0-9a-f]*; expected {expected}.*mirror"):
        model_store.get_model_file(NAME, root=root)
    assert kept(root) == ([] if old is None else [f"{published.stem}.params"])
    assert old is None or (root / f"{published.stem}.params").read_bytes() == old


def test_archives_without_the_file_are_refused(published, tmp_path):
    rewrite(published, {"readme.txt": b"", "folder/other.params": b""})
    with pytest.raises(ValueError, match=rf"holds readme.txt, folder/other.params; expected {published.stem}.params"):
        model_store.get_model_file(NAME, root=tmp_path / "cache")


def test_bombs_are_refused_before_anything_is_written(published, tmp_path):
    rewrite(published, {f"{published.stem}.params": bytes(20_000_000)}, compresslevel=9)
    with pytest.raises(ValueError, match=r"received \d+ bytes that unpack to 20000000; expected at most 100 times"):
        model_store.get_model_file(NAME, root=tmp_path / "cache")
    assert kept(tmp_path / "cache") == []


def test_pages_instead_of_archives_are_refused(published, tmp_path):
    published.write_bytes(b"<html>Please log in</html>")
    with pytest.raises(ValueError, match=r"expected a zip archive that can be read: File is not a zip file.*a page"):
        model_store.get_model_file(NAME, root=tmp_path / "cache")


def test_damaged_archives_are_refused(published, tmp_path):
    content = bytearray(published.read_bytes())
    content[1000:1100] = bytes(100)
    published.write_bytes(content)
    with pytest.raises(ValueError, match="expected a zip archive that can be read"):
        model_store.get_model_file(NAME, root=tmp_path / "cache")
    assert kept(tmp_path / "cache") == []


def test_encrypted_archives_are_refused(published, tmp_path):
    content = published.read_bytes()
    # The mark of encryption, in the header of the file and in the list of files.
    content = content.replace(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00", 1)
    content = content.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00", 1)
    published.write_bytes(content)
    with pytest.raises(ValueError, match=f"{published.stem}.params is encrypted; expected a plain file"):
        model_store.get_model_file(NAME, root=tmp_path / "cache")


def test_other_compressions_are_refused(published, tmp_path):
    with zipfile.ZipFile(published, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr(f"{published.stem}.params", b"bytes")
    with pytest.raises(ValueError, match="is compressed by method 12; expected one that is stored or deflated"):
        model_store.get_model_file(NAME, root=tmp_path / "cache")


def test_unknown_names():
    with pytest.raises(ValueError, match=r"Pretrained model for resnet18_v3 is not available.*Near it: resnet18_v"):
        model_store.get_model_file("resnet18_v3")
    with pytest.raises(ValueError, match=r"Pretrained model for mobilenet0\.30 is not available"):
        vision.get_mobilenet(0.3, pretrained=True)


def test_files_for_another_number_of_classes_are_refused(published, tmp_path):
    with pytest.raises(MXNetError, match=r"output\.weight"):
        vision.mobilenet0_25(pretrained=True, root=str(tmp_path / "cache"), classes=10)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (vision.alexnet, "alexnet"),
        (vision.densenet121, "densenet121"),
        (vision.inception_v3, "inceptionv3"),
        (vision.mobilenet_v2_0_5, "mobilenetv2_0.5"),
        (vision.mobilenet0_75, "mobilenet0.75"),
        (vision.resnet18_v2, "resnet18_v2"),
        (vision.squeezenet1_1, "squeezenet1.1"),
        (vision.vgg11, "vgg11"),
        (vision.vgg11_bn, "vgg11_bn"),
    ],
)
def test_every_family_asks_for_its_file(make, name, tmp_path, monkeypatch):
    monkeypatch.setenv("MXNET_GLUON_REPO", (tmp_path / "nowhere").as_uri())
    with pytest.raises(DownloadError, match=f"the parameters of '{name}' are not in"):
        make(pretrained=True, root=tmp_path, ctx=mx.cpu(1))


def test_purge(tmp_path):
    for name in ("a.params", "b.params", "notes.txt"):
        (tmp_path / name).touch()
    model_store.purge(str(tmp_path))
    assert kept(tmp_path) == ["notes.txt"]
    with pytest.raises(FileNotFoundError, match="nowhere"):
        model_store.purge(tmp_path / "nowhere")


def test_home_in_the_environment(tmp_path):
    code = "from mxnet.gluon.model_zoo import model_store as s; print(s.DEFAULT_ROOT, s.purge.__defaults__[0])"
    environment = {**os.environ, "MXNET_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == [str(tmp_path / "models")] * 2
