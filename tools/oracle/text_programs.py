"""Programs with `mxnet.contrib.text`, whose answers a real MXNet decides.

`run` gives a program the library, and a function that writes a text to a file and returns its path. The answer is what
the program returns, the kinds of warnings it gave, or the builtin error that it raised.
"""

from __future__ import annotations

import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import nd
from mxnet.contrib import text

WORDS = Counter(["a", "b", "b", "c", "c", "c", "some_word$", "d", "d"])
TEXT = " Life is great ! \n life is good . \n life isn't bad . \n"
PLAIN = "a 0.1 0.2 0.3\nb 0.4 0.5 0.6\nC 0.7 0.8 0.9\n"
OTHER = "c\t1\t2\nb\t3\t4\n"


def vocabulary(**kwargs: Any) -> Callable[..., Any]:
    """A program that makes a vocabulary."""

    def program(save: Any) -> Any:
        made = text.vocab.Vocabulary(WORDS, **kwargs)
        return [len(made), made.idx_to_token, made.token_to_idx, made.unknown_token, made.reserved_tokens]

    return program


def converted(method: str, *given: Any) -> Callable[..., Any]:
    """A program that asks a vocabulary for numbers or tokens."""

    def program(save: Any) -> Any:
        made = text.vocab.Vocabulary(WORDS, reserved_tokens=["<pad>"])
        return [getattr(made, method)(each) for each in given]

    return program


def counted(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """A program that counts tokens."""
    return lambda save: sorted(text.utils.count_tokens_from_str(*args, **kwargs).items())


def content(made: Any) -> Any:
    """What an embedding holds."""
    return [made.idx_to_token, made.token_to_idx, made.unknown_token, made.vec_len, made.idx_to_vec.asnumpy()]


def loaded(lines: str, *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """A program that loads a file."""
    return lambda save: content(text.embedding.CustomEmbedding(save(lines), *args, **kwargs))


def looked_up(tokens: Any, **kwargs: Any) -> Callable[..., Any]:
    """A program that asks for vectors."""

    def program(save: Any) -> Any:
        made = text.embedding.CustomEmbedding(save(PLAIN), init_unknown_vec=nd.ones)
        found = made.get_vecs_by_tokens(tokens, **kwargs)
        return [type(found).__name__, str(np.dtype(found.dtype)), found.shape, found.asnumpy()]

    return program


def updated(tokens: Any, vectors: Any) -> Callable[..., Any]:
    """A program that replaces vectors."""

    def program(save: Any) -> Any:
        made = text.embedding.CustomEmbedding(save(PLAIN))
        made.update_token_vectors(tokens, nd.array(vectors) if isinstance(vectors, np.ndarray) else vectors)
        return made.idx_to_vec.asnumpy()

    return program


def composed(*arguments: Any) -> Callable[..., Any]:
    """A program that puts embeddings together; numbers choose files."""

    def program(save: Any) -> Any:
        first = text.embedding.CustomEmbedding(save(PLAIN), unknown_token="?", init_unknown_vec=nd.ones)
        second = text.embedding.CustomEmbedding(save(OTHER), "\t")
        words = text.vocab.Vocabulary(WORDS, reserved_tokens=["<pad>"], most_freq_count=3)
        chosen = [{0: first, 1: second}.get(each, each) for each in arguments]
        return content(text.embedding.CompositeEmbedding(words, chosen if len(chosen) != 1 else chosen[0]))

    return program


def as_numpy(save: Any) -> Any:
    """Everything while NumPy's semantics are on."""
    with mx.util.np_shape(True), mx.util.np_array(True):
        made = text.embedding.CustomEmbedding(save(PLAIN), init_unknown_vec=mx.np.ones)
        made.update_token_vectors("b", mx.np.array([7.0, 8.0, 9.0]))
        one, many = made.get_vecs_by_tokens("b"), made.get_vecs_by_tokens(["C", "zz"])
        both = text.embedding.CompositeEmbedding(text.vocab.Vocabulary(WORDS), [made, made])
        kinds = [type(each).__module__ for each in (made.idx_to_vec, one, many, both.idx_to_vec)]
        return [kinds, *(each.asnumpy() for each in (made.idx_to_vec, one, many, both.idx_to_vec))]


def differentiated(save: Any) -> Any:
    """The gradient of what is looked up."""
    made = text.embedding.CustomEmbedding(save(PLAIN))
    made.idx_to_vec.attach_grad()
    with mx.autograd.record():
        found = made.get_vecs_by_tokens(["b", "a", "b"])
    found.backward()
    return made.idx_to_vec.grad.asnumpy()


PROGRAMS: dict[str, Callable[..., Any]] = {
    "vocabulary": vocabulary(),
    "vocabulary_frequent": vocabulary(min_freq=2),
    "vocabulary_none": vocabulary(min_freq=100),
    "vocabulary_two": vocabulary(most_freq_count=2),
    "vocabulary_many": vocabulary(most_freq_count=100),
    "vocabulary_no_words": vocabulary(most_freq_count=0),
    "vocabulary_reserved": vocabulary(most_freq_count=2, reserved_tokens=["b", "<pad>"]),
    "vocabulary_tuple": vocabulary(reserved_tokens=("x", "y")),
    "vocabulary_unknown": vocabulary(unknown_token="b", min_freq=2, reserved_tokens=["<pad>"]),
    "vocabulary_min_freq": vocabulary(min_freq=0),
    "vocabulary_reserved_unknown": vocabulary(reserved_tokens=["<unk>"]),
    "vocabulary_reserved_twice": vocabulary(reserved_tokens=["x", "x"]),
    "vocabulary_no_counter": lambda save: text.vocab.Vocabulary(["a", "b"]),
    "vocabulary_empty": lambda save: text.vocab.Vocabulary().idx_to_token,
    "vocabulary_tuples": lambda save: text.vocab.Vocabulary(Counter([(1, 2), (0, 3), (1, 2)])).idx_to_token,
    "to_indices": converted("to_indices", "c", ["c"], ["<unk>", "zz"], [], "zz", ("a", "b"), ["<pad>", "some_word$"]),
    "to_tokens": converted("to_tokens", 1, [1], [0, 0, 3], [], -1, True),
    "to_tokens_far": converted("to_tokens", 100),
    "to_tokens_far_back": converted("to_tokens", -100),
    "to_tokens_half": converted("to_tokens", [0.5]),
    "count": counted(TEXT),
    "count_lower": counted(TEXT, to_lower=True),
    "count_more": counted(TEXT, " ", "\n", True, Counter({"life": 2})),
    "count_expressions": counted(TEXT.replace(" ", "*"), r"\*", r"\n", True),
    "count_words_between": counted("aISbLIFEcISIS", "IS", "LIFE"),
    "count_groups": counted("a  b", "( )"),
    "count_no_text": counted(3),
    "custom": loaded(PLAIN),
    "custom_ones": loaded(PLAIN, init_unknown_vec=nd.ones),
    "custom_one_number": loaded(PLAIN, init_unknown_vec=lambda shape: nd.full((1,), 7)),
    "custom_tabs": loaded(OTHER, "\t"),
    "custom_unknown": loaded("a 1 2\n? 3 4\n", unknown_token="?"),
    "custom_unknown_short": loaded("<unk> 3\na 1 2\n"),
    "custom_unknown_long": loaded("<unk> 3 4 5\na 1 2\n"),
    "custom_header": loaded("2 2\na 1 2\nb 3 4\n"),
    "custom_header_inside": loaded("a 1 2\nx 1\nb 3 4\n"),
    "custom_twice": loaded("a 1 2\nb 3 4\na 5 6\n"),
    "custom_unknown_twice": loaded("<unk> 1 2\na 3 4\n<unk> 5 6\n"),
    "custom_trailing_blanks": loaded("a 1 2 \nb 3 4\t\n"),
    "custom_no_token": loaded(" 1 2\n"),
    "custom_special_numbers": loaded("a nan 1e400\nb 1_0 -inf\nc 0.1 1e-46\n"),
    "custom_blank_line": loaded("a 1 2\n\nb 3 4\n"),
    "custom_token_only": loaded("a 1 2\nb\n"),
    "custom_no_number": loaded("a 1 x\n"),
    "custom_two_blanks": loaded("a  1 2\n"),
    "custom_other_length": loaded("a 1 2\nb 3 4 5\n"),
    "custom_latin": lambda save: content(
        text.embedding.CustomEmbedding(save("ä 1 2\n", "latin-1"), encoding="latin-1")
    ),
    "custom_wrong_encoding": lambda save: text.embedding.CustomEmbedding(save("ä 1 2\n", "latin-1")),
    "custom_no_file": lambda save: text.embedding.CustomEmbedding(save(PLAIN) + ".missing"),
    "custom_no_function": loaded(PLAIN, init_unknown_vec=3),
    "custom_long_initial": loaded(PLAIN, init_unknown_vec=lambda shape: nd.ones((shape + 1,))),
    "custom_vocabulary": loaded(PLAIN, vocabulary=text.vocab.Vocabulary(WORDS, reserved_tokens=["<pad>"])),
    "custom_vocabulary_unknown": loaded(PLAIN, init_unknown_vec=nd.ones, vocabulary=text.vocab.Vocabulary(WORDS, 1)),
    "custom_no_vocabulary": loaded(PLAIN, vocabulary=["a"]),
    "look_up_one": looked_up("a"),
    "look_up_unknown": looked_up("zz"),
    "look_up_many": looked_up(["b", "zz", "b", "<unk>"]),
    "look_up_tuple": looked_up(("a", "b")),
    "look_up_case": looked_up(["A", "c", "C", "B"]),
    "look_up_lower": looked_up(["A", "c", "C", "B"], lower_case_backup=True),
    "look_up_lower_one": looked_up("A", lower_case_backup=True),
    "update_one": updated("a", np.arange(3.0)),
    "update_one_row": updated("a", np.arange(3.0).reshape(1, 3)),
    "update_list_of_one": updated(["a"], np.arange(3.0)),
    "update_many": updated(["C", "<unk>"], np.arange(6.0).reshape(2, 3)),
    "update_twice": updated(["a", "a"], np.arange(6.0).reshape(2, 3)),
    "update_unknown": updated(["a", "zz"], np.arange(6.0).reshape(2, 3)),
    "update_long": updated("a", np.arange(4.0)),
    "update_flat": updated(["a", "b"], np.arange(6.0)),
    "update_no_array": updated("a", [1, 2, 3]),
    "composite": composed(0, 1),
    "composite_one": composed(1),
    "composite_none": composed(0, "x"),
    "composite_no_vocabulary": lambda save: text.embedding.CompositeEmbedding(["a"], []),
    "numpy": as_numpy,
    "gradient": differentiated,
    "names": lambda save: [text.embedding.get_pretrained_file_names()[name] for name in ("glove", "fasttext")],
    "names_of_glove": lambda save: text.embedding.get_pretrained_file_names("glove"),
    "names_of_nothing": lambda save: text.embedding.get_pretrained_file_names("nothing"),
    "files": lambda save: [
        [sorted(kind.pretrained_file_name_sha1.items()), sorted(kind.pretrained_archive_name_sha1.items())]
        for kind in (text.embedding.GloVe, text.embedding.FastText)
    ],
    "urls": lambda save: [
        kind._get_pretrained_file_url(name)
        for kind in (text.embedding.GloVe, text.embedding.FastText)
        for name in kind.pretrained_file_name_sha1
        if re.search(r"glove|multi|crawl|news|simple", name)
    ],
    "glove_of_another_name": lambda save: text.embedding.create("GloVe", pretrained_file_name="wiki.simple.vec"),
}

ERRORS = (AssertionError, IndexError, KeyError, ValueError, TypeError)


def run(name: str) -> dict[str, Any]:
    """What a program returns, warns of, or raises."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        def save(content: str, encoding: str = "utf-8") -> str:
            path = Path(folder) / f"{len(list(Path(folder).iterdir()))}.txt"
            path.write_text(content, encoding=encoding)
            return str(path)

        try:
            answer: dict[str, Any] = {"result": plain(PROGRAMS[name](save))}
        except ERRORS as error:
            return {"raises": next(kind.__name__ for kind in ERRORS if isinstance(error, kind)), "error": error}
    return {**answer, "warnings": [str(each.message) for each in caught if each.category is UserWarning]}


def plain(value: Any) -> Any:
    """A value as JSON holds it; numbers that JSON does not know as texts."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
