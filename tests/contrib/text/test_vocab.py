"""Vocabularies and counting: what goes beyond MXNet, and the texts of errors."""

import re
from collections import Counter

import numpy as np
import pytest

from mxnet.base import MXNetError
from mxnet.contrib.text.utils import count_tokens_from_str
from mxnet.contrib.text.vocab import Vocabulary

WORDS = Counter(["a", "b", "b", "c", "c", "c"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"min_freq": 0}, "min_freq: received 0; expected at least 1"),
        ({"most_freq_count": -1}, "most_freq_count: received -1; expected at least 0, or None"),
        ({"counter": ["a"]}, "counter: received list; expected a collections.Counter"),
        ({"reserved_tokens": ["<unk>"]}, "received '<unk>', which is the unknown token"),
        ({"reserved_tokens": ["x", "y", "x"]}, "received 'x' more than once"),
    ],
)
def test_what_makes_no_vocabulary(arguments: dict, text: str) -> None:
    with pytest.raises(MXNetError, match=rf"\[Vocabulary\] .*{re.escape(text)}") as caught:
        Vocabulary(**{"counter": WORDS, **arguments})
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("index", [4, -5, 0.5, "a", None])
def test_numbers_without_a_token(index: object) -> None:
    text = rf"\[Vocabulary\] to_tokens: received the index {index!r}; expected an integer from 0 to 3"
    with pytest.raises(ValueError, match=text) as caught:
        Vocabulary(WORDS).to_tokens([0, index])
    assert isinstance(caught.value, IndexError)


def test_numbers_of_numpy() -> None:
    assert Vocabulary(WORDS).to_tokens(list(np.array([3, 1]))) == ["a", "c"]
    assert Vocabulary(WORDS).to_tokens(np.int32(2)) == "b"


def test_a_vocabulary_keeps_its_own_reserved_tokens() -> None:
    given = ["x"]
    vocabulary = Vocabulary(reserved_tokens=given)
    given.append("y")
    assert vocabulary.reserved_tokens == ["x"]


def test_what_cannot_be_counted() -> None:
    with pytest.raises(TypeError, match=r"\[count_tokens_from_str\] counter_to_update: received dict; expected a coll"):
        count_tokens_from_str("a b", counter_to_update={})  # type: ignore[arg-type]
    with pytest.raises(re.error, match=r"\[count_tokens_from_str\] token_delim, seq_delim: received '\*' and '\\n'"):
        count_tokens_from_str("a*b", "*")
