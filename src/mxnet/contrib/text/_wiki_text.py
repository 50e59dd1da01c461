"""WikiText-2 and WikiText-103: articles of Wikipedia for language models.

MXNet has them in `mxnet.gluon.contrib.data.text`, where they can be imported from too.
"""

import os
from collections import Counter
from typing import Any, ClassVar

import numpy as np

from ...base import data_dir
from ...gluon.data.dataset import _DownloadedDataset
from ...gluon.utils import ArgumentError, _repo_file_urls
from ...ndarray import array
from ._vectors import get_vector_file
from .utils import count_tokens_from_str
from .vocab import Vocabulary

__all__ = ["WikiText2", "WikiText103"]

EOS_TOKEN = "<eos>"
_ROOT_2 = os.path.join(data_dir(), "datasets", "wikitext-2")
_ROOT_103 = os.path.join(data_dir(), "datasets", "wikitext-103")


class _WikiText(_DownloadedDataset):
    """Token numbers in rows of one length, and the same shifted by one as labels.

    Files in `root` are used; what is missing is fetched.

    Args:
        root: the folder of the files.
        segment: 'train', 'validation' or 'test'.
        vocab: the numbers of the tokens; by default a vocabulary is made of the segment's own.
        seq_len: the length of a row; lines end with '<eos>', and rows do not care about lines.
    """

    _namespace = ""
    _archive_file = ("", "")
    _data_file: ClassVar[dict[str, tuple[str, str]]] = {}

    def __init__(self, root: str | os.PathLike[str], segment: str, vocab: Vocabulary | None, seq_len: int) -> None:
        if segment not in self._data_file:
            raise ArgumentError(
                f"[{type(self).__name__}] segment: received {segment!r}; expected one of {', '.join(self._data_file)}."
            )
        self._segment, self._seq_len = segment, seq_len
        self._vocab = vocab
        self._counter: Counter[str] | None = None
        super().__init__(root, None)

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The numbers of the tokens."""
        return self._vocab

    @property
    def frequencies(self) -> Any:
        """How often each token occurs in the segment."""
        return self._counter

    def _get_data(self) -> None:
        name, sha1 = self._data_file[self._segment]
        archive, archive_sha1 = self._archive_file
        urls = _repo_file_urls(f"gluon/dataset/{self._namespace}", archive)
        others = [other for other, _ in self._data_file.values()]
        data, label = self._read_batch(get_vector_file(self._root, name, sha1, urls, archive_sha1, others))
        count = len(data) // self._seq_len * self._seq_len
        self._data, self._label = (
            array(part[:count], dtype="int32").reshape((-1, self._seq_len)) for part in (data, label)
        )

    def _read_batch(self, filename: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The numbers of a file's tokens, but the last one, and but the first one."""
        with open(filename, encoding="utf8") as stream:
            content = stream.read()
        self._counter = count_tokens_from_str(content)
        if self._vocab is None:
            self._vocab = Vocabulary(counter=self._counter, reserved_tokens=[EOS_TOKEN])
        lines = [line.split() for line in content.splitlines()]
        tokens = [token for line in lines if line for token in (*line, EOS_TOKEN)]
        numbers = np.array(self._vocab.to_indices(tokens), dtype=np.int32)
        return numbers[:-1], numbers[1:]


class WikiText2(_WikiText):
    """WikiText-2: two million tokens of articles for training.

    Args:
        root: the folder of the files; what is missing is fetched.
        segment: 'train', 'validation' or 'test'.
        vocab: the numbers of the tokens; by default a vocabulary is made of the segment's own.
        seq_len: the length of a row.
    """

    __module__ = "mxnet.gluon.contrib.data.text"

    _namespace = "wikitext-2"
    _archive_file = ("wikitext-2-v1.zip", "3c914d17d80b1459be871a5039ac23e752a53cbe")
    _data_file: ClassVar[dict[str, tuple[str, str]]] = {
        "train": ("wiki.train.tokens", "863f29c46ef9d167fff4940ec821195882fe29d1"),
        "validation": ("wiki.valid.tokens", "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422"),
        "test": ("wiki.test.tokens", "c7b8ce0aa086fb34dab808c5c49224211eb2b172"),
    }

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT_2,
        segment: str = "train",
        vocab: Vocabulary | None = None,
        seq_len: int = 35,
    ) -> None:
        super().__init__(root, segment, vocab, seq_len)


class WikiText103(_WikiText):
    """WikiText-103: a hundred million tokens of articles for training.

    Args:
        root: the folder of the files; what is missing is fetched.
        segment: 'train', 'validation' or 'test'.
        vocab: the numbers of the tokens; by default a vocabulary is made of the segment's own.
        seq_len: the length of a row.
    """

    __module__ = "mxnet.gluon.contrib.data.text"

    _namespace = "wikitext-103"
    _archive_file = ("wikitext-103-v1.zip", "0aec09a7537b58d4bb65362fee27650eeaba625a")
    _data_file: ClassVar[dict[str, tuple[str, str]]] = {
        "train": ("wiki.train.tokens", "b7497e2dfe77e72cfef5e3dbc61b7b53712ac211"),
        "validation": ("wiki.valid.tokens", "c326ac59dc587676d58c422eb8a03e119582f92b"),
        "test": ("wiki.test.tokens", "8a5befc548865cec54ed4273cf87dbbad60d1e47"),
    }

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT_103,
        segment: str = "train",
        vocab: Vocabulary | None = None,
        seq_len: int = 35,
    ) -> None:
        super().__init__(root, segment, vocab, seq_len)
