"""Published files: names, archives, hashes; a folder stands for MXNet's repository."""

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mxnet.contrib.text.embedding as embedding
from mxnet import nd
from mxnet.registry import _REGISTRY

CONTENT = b"hello 1 2 3\nworld 4 5 6\n"


def sha1(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MXNET_GLUON_REPO", f"{tmp_path.as_uri()}/repository")
    return tmp_path / "repository" / "gluon" / "embeddings"


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    known = dict(_REGISTRY[embedding._TokenEmbedding])
    yield
    _REGISTRY[embedding._TokenEmbedding].clear()
    _REGISTRY[embedding._TokenEmbedding].update(known)


def publish(folder: Path, name: str, content: bytes) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return sha1(content)


def zipped(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def own_class(sha1_of_file: str, archive: str | None = None, sha1_of_archive: str = "") -> Any:
    class Own(embedding._TokenEmbedding):
        pretrained_file_name_sha1 = {"own.vec": sha1_of_file}
        pretrained_archive_name_sha1 = {archive: sha1_of_archive} if archive else {}

        @classmethod
        def _get_download_file_name(cls, pretrained_file_name: str) -> str:
            return archive or pretrained_file_name

        def __init__(self, embedding_root: Any, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            path = Own._get_pretrained_file(embedding_root, "own.vec")
            self._load_embedding(path, " ", nd.zeros)

    return embedding.register(Own)


def check(made: Any) -> None:
    assert made.idx_to_token == ["<unk>", "hello", "world"]
    assert made.idx_to_vec.asnumpy().tolist() == [[0, 0, 0], [1, 2, 3], [4, 5, 6]]


def test_a_file_is_fetched_once(repository: Path, tmp_path: Path) -> None:
    own_class(publish(repository / "own", "own.vec", CONTENT))
    check(embedding.create("OWN", embedding_root=tmp_path / "kept"))
    (repository / "own" / "own.vec").unlink()
    check(embedding.create("own", embedding_root=str(tmp_path / "kept")))
    assert embedding.get_pretrained_file_names("own") == ["own.vec"]


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_a_file_is_taken_out_of_an_archive(suffix: str, repository: Path, tmp_path: Path) -> None:
    packed = zipped(**{"own.vec": CONTENT, "other": b"-"}) if suffix == "zip" else tarred("folder/own.vec", CONTENT)
    own_class(sha1(CONTENT), f"own.{suffix}", publish(repository / "own", f"own.{suffix}", packed))
    check(embedding.create("own", embedding_root=tmp_path))
    assert {path.name for path in (tmp_path / "own").iterdir()} == {f"own.{suffix}", "own.vec"}


def test_another_file_than_the_published_one_is_refused(repository: Path, tmp_path: Path) -> None:
    publish(repository / "own", "own.vec", CONTENT + b"x 7 8 9\n")
    own_class(sha1(CONTENT))
    with pytest.raises(
        OSError, match=rf"(?s)own.vec is not in .* fetching it failed.*Put own.vec \(SHA-1 {sha1(CONTENT)}"
    ):
        embedding.create("own", embedding_root=tmp_path)


@pytest.mark.parametrize(
    ("archive", "content", "message"),
    [
        ("own.zip", zipped(other=b"-"), "own.zip: the archive has no own.vec"),
        ("own.zip", b"no archive", "own.zip: expected an archive that can be read"),
        ("own.tar.gz", tarred("own.vec", CONTENT)[:-30], "own.tar.gz: expected an archive that can be read"),
        ("own.7z", b"-", "expected an archive that ends with .zip or .gz"),
    ],
    ids=["without the file", "no archive", "cut off", "of another kind"],  # archives have the time in them
)
def test_archives_that_cannot_be_used(
    archive: str, content: bytes, message: str, repository: Path, tmp_path: Path
) -> None:
    own_class(sha1(CONTENT), archive, publish(repository / "own", archive, content))
    with pytest.raises(ValueError, match=message):
        embedding.create("own", embedding_root=tmp_path)
    assert not (tmp_path / "own" / "own.vec").exists()


@pytest.mark.parametrize(
    ("kind", "name", "archive"),
    [
        (embedding.GloVe, "glove.6B.50d.txt", "glove.6B.zip"),
        (embedding.GloVe, "glove.twitter.27B.25d.txt", "glove.twitter.27B.zip"),
        (embedding.FastText, "wiki.simple.vec", "wiki.simple.zip"),
        (embedding.FastText, "wiki.multi.de.vec", "wiki.multi.de.zip"),
    ],
)
def test_published_embeddings(
    kind: Any, name: str, archive: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With small files in the place of the large ones."""
    packed = zipped(**{name: CONTENT})
    monkeypatch.setitem(kind.pretrained_file_name_sha1, name, sha1(CONTENT))
    found = publish(repository / kind.__name__.lower(), archive, packed)
    monkeypatch.setitem(kind.pretrained_archive_name_sha1, archive, found)
    check(kind(name, tmp_path))
    words = embedding.Vocabulary(reserved_tokens=["world"])
    made = embedding.create(kind.__name__, pretrained_file_name=name, embedding_root=tmp_path, vocabulary=words)
    assert made.idx_to_vec.asnumpy().tolist() == [[0, 0, 0], [4, 5, 6]]


def test_a_class_derived_from_a_published_one_uses_its_files(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Words(embedding.FastText):
        pass

    monkeypatch.setitem(embedding.FastText.pretrained_file_name_sha1, "wiki.simple.vec", sha1(CONTENT))
    (tmp_path / "fasttext").mkdir()
    (tmp_path / "fasttext" / "wiki.simple.vec").write_bytes(CONTENT)
    check(Words(embedding_root=str(tmp_path)))


def test_names_that_are_not_there() -> None:
    with pytest.raises(KeyError) as caught:
        embedding.get_pretrained_file_names("GloVe")
    assert str(caught.value) == (
        "[get_pretrained_file_names] embedding_name: received 'GloVe'; expected one of 'glove', 'fasttext'. "
        "Did you mean 'glove'?"
    )
    with pytest.raises(
        KeyError, match=r"\[FastText\] pretrained_file_name: received 'x'; expected one of crawl-300d-2M"
    ):
        embedding.create("fasttext", pretrained_file_name="x")
    with pytest.raises(
        ValueError, match=r"\[token embedding.create\] received 'globe', which is not registered; did you"
    ):
        embedding.create("globe")
