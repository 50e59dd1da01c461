"""Repositories of Hugging Face, without a connection: a cache of the layout that huggingface_hub makes."""

import hashlib
import json
import logging
import sys

import pytest

from mxnet.gluon.model_zoo import vision
from mxnet.gluon.model_zoo._pretrained.errors import PretrainedError
from mxnet.gluon.model_zoo._pretrained.hub import HubFile, hub_file
from mxnet.gluon.utils import DownloadError
from tools.counterparts import compare

huggingface_hub = pytest.importorskip("huggingface_hub")
errors = pytest.importorskip("huggingface_hub.errors")

CASE = "torchvision/squeezenet1.1"
REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("state") / "model.safetensors"
    compare.write_state(CASE, path)
    return path.read_bytes()


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


def put(cache, repository, files):
    """Files in the cache of huggingface_hub, as it lays them out."""
    folder = cache / f"models--{repository.replace('/', '--')}"
    for part in ("refs", "blobs", f"snapshots/{REVISION}"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "refs" / "main").write_text(REVISION)
    for name, content in files.items():
        if name.endswith(".json"):
            digest = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        else:
            digest = hashlib.sha256(content).hexdigest()
        (folder / "blobs" / digest).write_bytes(content)
        (folder / "snapshots" / REVISION / name).symlink_to(f"../../blobs/{digest}")
    return folder


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("timm/resnet18.tv_in1k", HubFile("timm/resnet18.tv_in1k")),
        ("timm/resnet18.tv_in1k@main", HubFile("timm/resnet18.tv_in1k", "main")),
        ("hf://me/net", HubFile("me/net")),
        ("hf://me/net/a/b.params", HubFile("me/net", None, "a/b.params")),
        ("hf://me/net@v1/b.params", HubFile("me/net", "v1", "b.params")),
        ("me/net/b.params", None),
        ("net", None),
        ("../net", None),
        ("/me/net", None),
        ("hf://net", None),
        ("https://example.org/net", None),
    ],
)
def test_what_is_a_repository(text, meant):
    assert hub_file(text) == meant


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", ["me/net", f"me/net@{REVISION}", "hf://me/net", "hf://me/net/model.safetensors"])
def test_files_in_the_cache_need_no_connection(content, tmp_path, caplog, name):
    config = json.dumps({"architecture": "squeezenet1_1", "pretrained_cfg": {"license": "bsd-3-clause"}}).encode()
    put(tmp_path, "me/net", {"model.safetensors": content, "config.json": config})
    with caplog.at_level(logging.INFO):
        net = vision.squeezenet1_1(pretrained=name, root=tmp_path)
    assert net.features[0].weight.data().shape == (64, 3, 3, 3)
    assert "squeezenet1.1: weights of hf://me/net" in caplog.text
    assert "licence bsd-3-clause" in caplog.text


@pytest.mark.usefixtures("offline")
def test_parameters_of_gluon_in_a_repository(content, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(content)
    vision.squeezenet1_1(pretrained=tmp_path).save_parameters(str(tmp_path / "net.params"))
    put(tmp_path, "me/net", {"net.params": (tmp_path / "net.params").read_bytes()})
    assert vision.squeezenet1_1(pretrained="hf://me/net/net.params", root=tmp_path).output[0].weight.shape[0] == 1000


@pytest.mark.usefixtures("offline")
def test_damaged_files_are_refused(content, tmp_path):
    folder = put(tmp_path, "me/net", {"model.safetensors": content})
    (blob,) = (folder / "blobs").iterdir()
    blob.write_bytes(content[:-4] + b"\0\0\0\1")
    with pytest.raises(DownloadError, match=r"is damaged on this computer: received the hash .*; expected .*Remove"):
        vision.squeezenet1_1(pretrained="me/net", root=tmp_path)


@pytest.mark.usefixtures("offline")
def test_what_is_not_in_the_cache(tmp_path):
    with pytest.raises(DownloadError) as caught:
        vision.squeezenet1_1(pretrained="me/net", root=tmp_path)
    text = str(caught.value)
    assert "hf://me/net/model.safetensors could not be fetched: it is not in the local cache" in text
    assert "HF_HUB_OFFLINE" in text
    assert isinstance(caught.value, OSError)


def test_another_network_is_refused_before_it_is_fetched(tmp_path, monkeypatch):
    asked = []

    def download(repository, name, **kwargs):
        asked.append(name)
        path = tmp_path / name
        path.write_text(json.dumps({"architecture": "resnet50"}))
        return str(path)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    with pytest.raises(PretrainedError, match="holds weights of 'resnet50'; expected those of resnet18"):
        vision.resnet18_v1(pretrained="timm/resnet50.tv_in1k")
    assert asked == ["config.json"]


def test_the_repository_that_torchvision_stands_for(monkeypatch):
    asked = []

    def download(repository, name, revision=None, cache_dir=None):
        asked.append((repository, name, revision, cache_dir))
        raise ConnectionError("this is enough")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    with pytest.raises(DownloadError, match="this is enough"):
        vision.vgg16_bn(pretrained="torchvision")
    assert asked == [("timm/vgg16_bn.tv_in1k", "model.safetensors", None, None)]


@pytest.mark.usefixtures("offline")
def test_licence_and_images_of_torchvision_are_logged(tmp_path, caplog):
    path = tmp_path / "model.safetensors"
    compare.write_state("torchvision/inceptionv3", path)
    put(tmp_path, "timm/inception_v3.tv_in1k", {"model.safetensors": path.read_bytes()})
    with caplog.at_level(logging.INFO):
        vision.inception_v3(pretrained="torchvision", root=tmp_path)
    assert "inceptionv3: weights of hf://timm/inception_v3.tv_in1k, licence Apache-2.0." in caplog.text
    (loud,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "cropped to 299" in loud
    assert "means (0.5, 0.5, 0.5) and the deviations (0.5, 0.5, 0.5)" in loud


# The real one is made from a server's answer.
RepositoryNotFoundError = type("RepositoryNotFoundError", (OSError,), {})


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            errors.EntryNotFoundError(),
            "the repository me/net has no file model.safetensors. Name the file: pretrained='hf://me/net/<file>'",
        ),
        (RepositoryNotFoundError("401"), "there is no repository me/net with the revision main, or it needs a login"),
        (ConnectionResetError("reset"), "ConnectionResetError: reset"),
    ],
)
def test_failures_are_explained(monkeypatch, error, text):
    def download(repository, name, **kwargs):
        if name == "config.json":
            raise errors.EntryNotFoundError
        raise error

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    with pytest.raises(DownloadError) as caught:
        vision.squeezenet1_1(pretrained="me/net")
    assert text in str(caught.value)


def test_pickled_files_are_refused():
    with pytest.raises(PretrainedError, match=r"received 'hf://me/net/pytorch_model.bin'; expected a file that ends"):
        vision.squeezenet1_1(pretrained="hf://me/net/pytorch_model.bin")


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(PretrainedError) as caught:
        vision.resnet18_v1(pretrained="torchvision")
    text = str(caught.value)
    assert "pip install huggingface_hub" in text
    assert "https://huggingface.co/timm/resnet18.tv_in1k/blob/main/model.safetensors" in text


@pytest.mark.parametrize("is_known", [True, False])
def test_hashes_without_symbolic_links(content, tmp_path, monkeypatch, caplog, is_known):
    (tmp_path / "model.safetensors").write_bytes(content)

    def download(repository, name, **kwargs):
        if name == "config.json":
            raise errors.EntryNotFoundError
        return str(tmp_path / name)

    class Metadata:
        etag = "0" * 64

    def ask(url):
        assert url.endswith("/me/net/resolve/main/model.safetensors")
        if is_known:
            return Metadata
        raise ConnectionError("offline")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", ask)
    if is_known:
        with pytest.raises(DownloadError, match=f"expected {'0' * 64}"):
            vision.squeezenet1_1(pretrained="me/net")
    else:
        vision.squeezenet1_1(pretrained="me/net")
        assert "its hash is not known without a connection, and was not checked" in caplog.text
