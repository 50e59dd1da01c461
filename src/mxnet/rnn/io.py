"""Sentences as numbers, in batches of similar length."""

import bisect
import random
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from ..error import OpParamError
from ..io import DataBatch, DataDesc, DataIter
from ..ndarray import NDArray, array

__all__ = ["BucketSentenceIter", "DataBatch", "DataDesc", "DataIter", "encode_sentences"]


class UnknownWordError(OpParamError, AssertionError):
    """A word is not in the vocabulary."""


def encode_sentences(
    sentences: Iterable[Iterable[Any]],
    vocab: dict[Any, int] | None = None,
    invalid_label: int = -1,
    invalid_key: Hashable = "\n",
    start_label: int = 0,
    unknown_token: Any = None,
) -> tuple[list[list[int]], dict[Any, int]]:
    """Sentences as lists of numbers, and the number of each word.

    Args:
        sentences: lists of words.
        vocab: the number of each word; made from the sentences if None.
        invalid_label: the number that fills up short sentences; no word gets it.
        invalid_key: what stands for it in a new vocabulary.
        start_label: the first number of a new vocabulary.
        unknown_token: the word that takes the place of those that are not in `vocab`.
    """
    is_new = vocab is None
    known: dict[Any, int] = {invalid_key: invalid_label} if vocab is None else vocab
    following = start_label
    coded = []
    for sentence in sentences:
        numbers = []
        for word in sentence:
            if word not in known:
                if not is_new and not unknown_token:
                    raise UnknownWordError(
                        f"[encode_sentences] Unknown token {word!r}; pass unknown_token to put another in its place."
                    )
                if following == invalid_label:
                    following += 1
                word = unknown_token or word
                known[word] = following
                following += 1
            numbers.append(known[word])
        coded.append(numbers)
    return coded, known


class BucketSentenceIter(DataIter):
    """Batches of sentences of similar length for language models: labels are the words that follow.

    Args:
        sentences: lists of numbers, as `encode_sentences` makes them.
        batch_size: sentences in a batch.
        buckets: lengths to fill sentences up to; by default all lengths of which there is a whole batch.
        invalid_label: the number to fill up with.
        data_name: name of the data.
        label_name: name of the labels.
        dtype: of both.
        layout: "NT" for (batch, length), "TN" for (length, batch).
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        batch_size: int,
        buckets: list[int] | None = None,
        invalid_label: int = -1,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: Any = "float32",
        layout: str = "NT",
    ) -> None:
        super().__init__()
        if layout not in ("NT", "TN"):
            raise ValueError(f"[BucketSentenceIter] Invalid layout {layout}: expected NT (batch first) or TN.")
        if not buckets:
            counts = np.bincount([len(sentence) for sentence in sentences])
            buckets = [length for length, count in enumerate(counts) if count >= batch_size]
        self.batch_size = batch_size
        self.data_name, self.label_name = data_name, label_name
        self.dtype, self.invalid_label = dtype, invalid_label
        self.major_axis, self.layout = layout.find("N"), layout
        self.buckets, self.data = self._sorted(sentences, sorted(buckets))
        if not self.buckets:
            raise ValueError(
                f"[BucketSentenceIter] no sentence fits a bucket: received {len(sentences)} sentences for batches of "
                f"{batch_size}; expected more of them, or buckets=[...]."
            )
        self.nddata: list[NDArray] = []
        self.ndlabel: list[NDArray] = []
        self.default_bucket_key: int = max(self.buckets)
        self.provide_data: Any = [self._description(data_name, (batch_size, self.default_bucket_key))]
        self.provide_label: Any = [self._description(label_name, (batch_size, self.default_bucket_key))]
        self.idx: list[tuple[int, int]] = [
            (place, begin)
            for place, rows in enumerate(self.data)
            for begin in range(0, len(rows) - batch_size + 1, batch_size)
        ]
        self.curr_idx = 0
        self.reset()

    def _sorted(self, sentences: Sequence[Sequence[int]], buckets: list[int]) -> tuple[list[int], list[Any]]:
        """The buckets that have sentences, and their sentences, filled up."""
        rows: dict[int, list[Any]] = {length: [] for length in buckets}
        discarded = 0
        for sentence in sentences:
            place = bisect.bisect_left(buckets, len(sentence))
            if place == len(buckets):
                discarded += 1
                continue
            row = np.full((buckets[place],), self.invalid_label, dtype=self.dtype)
            row[: len(sentence)] = sentence
            rows[buckets[place]].append(row)
        print(f"WARNING: discarded {discarded} sentences longer than the largest bucket.")
        return (
            [length for length in rows if rows[length]],
            [np.asarray(each, dtype=self.dtype) for each in rows.values() if each],
        )

    def _description(self, name: str, shape: tuple[int, ...]) -> DataDesc:
        """The description of an array whose shape is given batch first."""
        return DataDesc(name, shape if self.major_axis == 0 else shape[::-1], layout=self.layout)

    def reset(self) -> None:
        """Begins a new pass, in a new order: batches by Python's `random`, sentences by NumPy's."""
        self.curr_idx = 0
        random.shuffle(self.idx)
        self.nddata, self.ndlabel = [], []
        for rows in self.data:
            np.random.shuffle(rows)
            labels = np.empty_like(rows)
            labels[:, :-1] = rows[:, 1:]
            labels[:, -1] = self.invalid_label
            self.nddata.append(array(rows, dtype=self.dtype))
            self.ndlabel.append(array(labels, dtype=self.dtype))

    def next(self) -> DataBatch:
        """The next batch, with the key of its bucket."""
        if self.curr_idx == len(self.idx):
            raise StopIteration
        place, begin = self.idx[self.curr_idx]
        self.curr_idx += 1
        data, label = (each[place][begin : begin + self.batch_size] for each in (self.nddata, self.ndlabel))
        described = [self._description(self.data_name, data.shape)], [self._description(self.label_name, label.shape)]
        if self.major_axis == 1:
            data, label = data.T, label.T
        return DataBatch(
            [data],
            [label],
            pad=0,
            bucket_key=self.buckets[place],
            provide_data=described[0],
            provide_label=described[1],
        )
