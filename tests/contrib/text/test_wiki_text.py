"""WikiText from files that are there; downloads are refused with what to do."""

import hashlib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import mxnet as mx
from mxnet.gluon.contrib.data import text
from mxnet.gluon.utils import ArgumentError

TEXT = " = Title = \n\n the cat sat on the mat .\n the dog sat .\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "wiki.test.tokens").write_text(TEXT, encoding="utf8")
    sha1 = hashlib.sha1(TEXT.encode()).hexdigest()
    files: dict[str, Any] = {**text.WikiText2._data_file, "test": ("wiki.test.tokens", sha1)}
    monkeypatch.setattr(text.WikiText2, "_data_file", files)
    return tmp_path


def test_rows_of_tokens_and_of_those_that_follow(folder: Path):
    data = text.WikiText2(root=folder, segment="test", seq_len=4)
    assert mx.gluon.contrib.data.WikiText2 is text.WikiText2
    assert len(data) == 4  # 17 tokens with ends of lines; the last one is only a label
    tokens = [word for line in TEXT.splitlines() if line.split() for word in (*line.split(), "<eos>")]
    rows = [data.vocabulary.to_tokens(row.asnumpy().tolist()) for row, _ in (data[i] for i in range(4))]
    labels = [data.vocabulary.to_tokens(label.asnumpy().tolist()) for _, label in (data[i] for i in range(4))]
    assert list(chain(*rows)) == tokens[:16]
    assert list(chain(*labels)) == tokens[1:17]
    assert data.frequencies["the"] == 3
    assert data[0][0].asnumpy().dtype == "int32"


def test_a_vocabulary_may_be_given(folder: Path):
    data = text.WikiText2(folder, "test", mx.contrib.text.vocab.Vocabulary(reserved_tokens=["<eos>"]), 2)
    assert data[0][0].asnumpy().tolist() == [0, 0]


def test_segments_are_named(folder: Path):
    with pytest.raises(ArgumentError, match=r"\[WikiText2\] segment: received 'all'; expected one of train, valid"):
        text.WikiText2(folder, "all")
