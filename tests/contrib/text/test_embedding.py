"""Embeddings: files, errors, and what goes beyond MXNet."""

import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.base import MXNetError
from mxnet.contrib import text
from mxnet.contrib.text.embedding import CompositeEmbedding, CustomEmbedding


def saved(folder: Path, content: str) -> Path:
    path = folder / "vectors.txt"
    path.write_text(content, encoding="utf-8")
    return path


def plain(folder: Path, **kwargs: Any) -> CustomEmbedding:
    return CustomEmbedding(saved(folder, "a 1 2\nb 3 4\n"), **kwargs)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 2\n\n", r"vectors.txt, line 2: received ''; expected a token and numbers, with ' ' between"),
        ("a 1 2\nb 1 x\n", r"vectors.txt, line 2: 'b' is followed by what is no number: .*'x'"),
        ("a 1 2\nb 1 2 3\n", r"vectors.txt, line 2: 'b' has 3 numbers; expected 2"),
        ("<unk> 1 2 3\na 1 2\n", r"vectors.txt, line 1: '<unk>' has 3 numbers; expected 2"),
        ("", r"vectors.txt: received no vectors; expected a token and at least two numbers per line"),
        ("token" * 30, r"line 1: received 'token.*\.\.\.'; expected"),
    ],
)
def test_lines_that_cannot_be_used(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(MXNetError, match=rf"\[CustomEmbedding\] .*{message}") as caught:
        CustomEmbedding(saved(tmp_path, content))
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, AssertionError)


def test_a_file_of_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"a 1 2\n\xff 1 2\n")
    with pytest.raises(ValueError, match=r"vectors.txt, after line 0: received bytes that are not utf8.*Pass the enc"):
        CustomEmbedding(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(
            ValueError, match=r"\[CustomEmbedding\] pretrained_file_path: received '.*'; expected a file"
        ):
            CustomEmbedding(path)


def test_lines_left_out_are_told_of_where_the_file_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path, "2 2\na 1 2\na 3 4\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CustomEmbedding(path)
    texts = [str(each.message) for each in caught]
    assert texts == [
        f"[CustomEmbedding] {path}, line 1: '2' with one number looks like a header; it is left out.",
        f"[CustomEmbedding] {path}, line 3: 'a' has a vector already; this one is left out.",
    ]
    assert {each.filename for each in caught} == {__file__}


def test_reserved_tokens_have_rows(tmp_path: Path) -> None:
    """MXNet gives them numbers and no rows, so that all tokens of the file have the vector of another one."""
    path = saved(tmp_path, "a 1 2\n<pad> 3 4\n")
    made = CustomEmbedding(path, reserved_tokens=["<pad>", "<end>"], init_unknown_vec=nd.ones)
    assert made.token_to_idx == {"<unk>": 0, "<pad>": 1, "<end>": 2, "a": 3}
    assert made.idx_to_token == ["<unk>", "<pad>", "<end>", "a"]
    assert made.idx_to_vec.asnumpy().tolist() == [[1, 1], [3, 4], [1, 1], [1, 2]]


def test_vectors_of_the_unknown_token(tmp_path: Path) -> None:
    assert plain(tmp_path, init_unknown_vec=np.ones).idx_to_vec[0].asnumpy().tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"init_unknown_vec: called with shape=2, it gave \(3,\); expected \(2,\)"):
        plain(tmp_path, init_unknown_vec=lambda shape: nd.ones((3,)))
    with pytest.raises(TypeError, match=r"init_unknown_vec: received 3; expected a function such as nd.zeros"):
        plain(tmp_path, init_unknown_vec=3)


def test_no_tokens_have_no_vectors(tmp_path: Path) -> None:
    assert plain(tmp_path).get_vecs_by_tokens([]).shape == (0, 2)


def test_what_cannot_be_updated(tmp_path: Path) -> None:
    made = plain(tmp_path)
    for tokens, vectors, message in [
        ("a", nd.ones((3,)), r"new_vectors: received an array of shape \(3,\); expected an NDArray of shape \(1, 2\)"),
        (["a", "b"], nd.ones((2,)), r"received an array of shape \(2,\); expected an NDArray of shape \(2, 2\)"),
        ("a", [1, 2], r"received list; expected an NDArray of shape \(1, 2\)"),
        (["a", "x"], nd.ones((2, 2)), r"tokens: received 'x', unknown here; .* name '<unk>'"),
    ]:
        with pytest.raises(ValueError, match=rf"\[update_token_vectors\] .*{message}"):
            made.update_token_vectors(tokens, vectors)  # type: ignore[arg-type]
    assert made.idx_to_vec.asnumpy().tolist() == [[0, 0], [1, 2], [3, 4]]


def test_what_cannot_be_put_together(tmp_path: Path) -> None:
    made, words = plain(tmp_path), text.vocab.Vocabulary()
    with pytest.raises(
        AssertionError, match=r"\[CompositeEmbedding\] vocabulary: received list; expected a mxnet.contr"
    ):
        CompositeEmbedding(["a"], made)  # type: ignore[arg-type]
    with pytest.raises(
        AssertionError, match=r"\[CompositeEmbedding\] token_embeddings: received Vocabulary; expected e"
    ):
        CompositeEmbedding(words, words)  # type: ignore[arg-type]
    with pytest.raises(
        AssertionError, match=r"token_embeddings: received an empty list; expected embeddings, at least"
    ):
        CompositeEmbedding(words, [])
    assert CompositeEmbedding(words, made).idx_to_vec.shape == (1, 2)


def test_an_embedding_that_loads_nothing() -> None:
    made = text.embedding._TokenEmbedding()
    assert (made.vec_len, made.idx_to_vec) == (None, None)
    with pytest.raises(MXNetError, match=r"\[TokenEmbedding\] get_vecs_by_tokens: there are no vectors yet"):
        made.get_vecs_by_tokens("a")


def test_reading_needs_little_more_memory_than_the_vectors(tmp_path: Path) -> None:
    numbers = " ".join(["0.125"] * 200)
    path = saved(tmp_path, "".join(f"token{i} {numbers}\n" for i in range(1000)))
    tracemalloc.start()
    made = CustomEmbedding(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert made.idx_to_vec.shape == (1001, 200)
    assert peak < 3 * 1001 * 200 * 4  # Python's numbers would take eight times the vectors' memory


def test_vectors_begin_a_network(tmp_path: Path) -> None:
    made = plain(tmp_path)
    layer = mx.gluon.nn.Embedding(len(made), made.vec_len)
    layer.initialize()
    layer.weight.set_data(made.idx_to_vec)
    assert layer(nd.array(made.to_indices(["b", "x"]))).asnumpy().tolist() == [[3, 4], [0, 0]]
