"""Tokens with a vector each."""

import logging
import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

import mxnet.ndarray as nd
from regluon.array.array_kind import in_force

from ...base import MXNetError
from ...error import OpShapeError, OpTypeError
from ...gluon.utils import ArgumentError, _repo_file_urls
from ...ndarray import NDArray
from ._vectors import get_vector_file, read_vectors
from .vocab import Vocabulary

__all__ = ["TokenEmbedding", "UnknownNameError"]

_log = logging.getLogger(__name__)


class UnknownNameError(MXNetError, KeyError):
    """There is no embedding, or no published file, of this name."""

    __str__ = Exception.__str__  # that of KeyError puts the text in quotes


class TokenEmbedding(Vocabulary):
    """The base of all embeddings: a vocabulary whose tokens have vectors of one length.

    Row 0 of the vectors is for all unknown tokens. A subclass calls `_load_embedding` to read them from a file; one
    with published files names these in `pretrained_file_name_sha1`, and archives of them, if there are, in
    `pretrained_archive_name_sha1`.

    Args:
        kwargs: see Vocabulary. Tokens that are given here have the first numbers, and the unknown token's vector
            unless the file has one for them.
    """

    __module__ = "mxnet.contrib.text.embedding"

    pretrained_file_name_sha1: ClassVar[dict[str, str]] = {}
    pretrained_archive_name_sha1: ClassVar[dict[str, str]] = {}

    _vec_len: int | None = None
    _idx_to_vec: Any = None

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    @property
    def vec_len(self) -> int | None:
        """The length of each vector."""
        return self._vec_len

    @property
    def idx_to_vec(self) -> Any:
        """The vectors of all tokens, one in each row."""
        return self._idx_to_vec

    # -- vectors of tokens ------------------------------------------------------------------------------------------

    def get_vecs_by_tokens(self, tokens: Any, lower_case_backup: bool = False) -> Any:
        """The vectors of tokens.

        Args:
            tokens: a token, or a list of them.
            lower_case_backup: look for a token in lower case if it is not here as it is written.

        Returns:
            An array: of one axis for a token, of two for a list.
        """
        vectors, known = self._loaded("get_vecs_by_tokens"), self.token_to_idx
        many = tokens if isinstance(tokens, list) else [tokens]
        if lower_case_backup:
            many = [token if token in known or not isinstance(token, str) else token.lower() for token in many]
        rows = self._rows([known.get(token, 0) for token in many])
        found = nd.Embedding(rows, vectors, input_dim=vectors.shape[0], output_dim=vectors.shape[1])
        return found if isinstance(tokens, list) else found[0]

    def update_token_vectors(self, tokens: Any, new_vectors: NDArray) -> None:
        """Replaces the vectors of tokens.

        Args:
            tokens: a token, or a list of them; all must be here. Unknown ones share the vector of the unknown token,
                which changes only where it is named itself.
            new_vectors: an array with a row for each token; for one token it may be the vector alone.
        """
        vectors = self._loaded("update_token_vectors")
        many = tokens if isinstance(tokens, list) else [tokens]
        expected = (len(many), vectors.shape[1])
        allowed = (expected, expected[1:]) if len(many) == 1 else (expected,)
        if not isinstance(new_vectors, NDArray) or new_vectors.shape not in allowed:
            raise ArgumentError(
                f"[update_token_vectors] new_vectors: received {_told(new_vectors)}; expected an NDArray of shape "
                f"{expected}: a row for each of the tokens."
            )
        new_vectors = new_vectors.reshape(expected)
        unknown = [token for token in many if token not in self.token_to_idx]
        if unknown:
            raise ValueError(
                f"[update_token_vectors] tokens: received {', '.join(map(repr, unknown))}, unknown here; expected "
                f"tokens of this embedding. To change the vector of all unknown ones, name {self.unknown_token!r}."
            )
        last = {self.token_to_idx[token]: row for row, token in enumerate(many)}  # of a token named twice
        if len(last) < len(many):
            new_vectors = new_vectors[list(last.values())]
        vectors[self._rows(list(last))] = new_vectors

    def _loaded(self, who: str) -> Any:
        if self._idx_to_vec is None:
            raise MXNetError(
                f"[{type(self).__name__}] {who}: there are no vectors yet; expected that __init__ has called "
                "_load_embedding(path, elem_delim, init_unknown_vec)."
            )
        return self._idx_to_vec

    def _rows(self, indices: list[int]) -> Any:
        """Row numbers as an array of the kind that the vectors have."""
        rows = nd.array(np.array(indices, np.int64), dtype="int64")
        return rows if type(self._idx_to_vec) is NDArray else rows.as_np_ndarray()

    # -- loading ----------------------------------------------------------------------------------------------------

    def _load_embedding(
        self,
        pretrained_file_path: str | os.PathLike[str],
        elem_delim: str,
        init_unknown_vec: Callable[..., Any],
        encoding: str = "utf8",
    ) -> None:
        """Adds all tokens of a file, with their vectors.

        Args:
            pretrained_file_path: the file: on each line a token and its numbers.
            elem_delim: what separates them.
            init_unknown_vec: makes the vector of the unknown token from `shape=`, if the file has none for it.
            encoding: of the file.
        """
        who = type(self).__name__
        if not callable(init_unknown_vec):
            raise OpTypeError(
                f"[{who}] init_unknown_vec: received {init_unknown_vec!r}; expected a function such as nd.zeros."
            )
        path = os.path.expanduser(os.fspath(pretrained_file_path))
        _log.info("Vectors of tokens are read from %s.", path)
        first = self._token_to_idx
        found = read_vectors(path, elem_delim, encoding, first, who)
        matrix = found.values
        if self._unknown_token in found.known:
            matrix[0] = found.known[self._unknown_token]
        else:
            matrix[0] = _initial(init_unknown_vec, matrix.shape[1], who)
        for token, row in first.items():
            if row:
                matrix[row] = found.known.get(token, matrix[0])
        self._token_to_idx = {**first, **{token: row for row, token in enumerate(found.tokens, len(first))}}
        self._idx_to_token.extend(found.tokens)
        self._vec_len = matrix.shape[1]
        self._idx_to_vec = in_force(nd.from_numpy(matrix, zero_copy=True))

    def _build_embedding_for_vocabulary(self, vocabulary: Vocabulary | None) -> None:
        """Leaves the tokens of a vocabulary only, in its order."""
        if vocabulary is not None:
            check_vocabulary(vocabulary, type(self).__name__)
            self._set_idx_to_vec_by_embeddings([self], len(vocabulary), vocabulary.idx_to_token)
            self._index_tokens_from_vocabulary(vocabulary)

    def _index_tokens_from_vocabulary(self, vocabulary: Vocabulary) -> None:
        self._token_to_idx = dict(vocabulary.token_to_idx)
        self._idx_to_token = list(vocabulary.idx_to_token)
        self._unknown_token = vocabulary.unknown_token
        self._reserved_tokens = None if vocabulary.reserved_tokens is None else vocabulary.reserved_tokens[:]

    def _set_idx_to_vec_by_embeddings(
        self, token_embeddings: "Sequence[TokenEmbedding]", vocab_len: int, vocab_idx_to_token: Sequence[Any]
    ) -> None:
        """Puts the vectors that other embeddings have for tokens side by side.

        Args:
            token_embeddings: the embeddings.
            vocab_len: the number of tokens.
            vocab_idx_to_token: the tokens; the first, the unknown one, has another name in each embedding.
        """
        others = list(vocab_idx_to_token[1:vocab_len])
        parts = [embedding.get_vecs_by_tokens([embedding.unknown_token, *others]) for embedding in token_embeddings]
        self._idx_to_vec = parts[0] if len(parts) == 1 else nd.concat(*parts, dim=1)
        self._vec_len = self._idx_to_vec.shape[1]

    # -- published files --------------------------------------------------------------------------------------------

    @classmethod
    def _get_download_file_name(cls, pretrained_file_name: str) -> str:
        """The name of what is fetched for a file: an archive, or the file itself."""
        return pretrained_file_name

    @classmethod
    def _get_pretrained_file_url(cls, pretrained_file_name: str) -> str:
        return cls._repository_urls(pretrained_file_name)[0]

    @classmethod
    def _repository_urls(cls, pretrained_file_name: str) -> list[str]:
        return _repo_file_urls(
            f"gluon/embeddings/{cls.__name__.lower()}", cls._get_download_file_name(pretrained_file_name)
        )

    @classmethod
    def _get_pretrained_file(cls, embedding_root: str | os.PathLike[str], pretrained_file_name: str) -> str:
        """The path of a published file, which is fetched unless it is under `embedding_root` already."""
        cls._check_pretrained_file_names(pretrained_file_name)
        url = cls._get_pretrained_file_url(pretrained_file_name)
        sha1, archives = cls.pretrained_file_name_sha1[pretrained_file_name], cls.pretrained_archive_name_sha1
        return get_vector_file(
            os.path.join(os.path.expanduser(os.fspath(embedding_root)), cls.__name__.lower()),
            pretrained_file_name,
            sha1,
            [url, *cls._repository_urls(pretrained_file_name)[1:]],
            archives[os.path.basename(url)] if archives else sha1,
            cls.pretrained_file_name_sha1,
        )

    @classmethod
    def _check_pretrained_file_names(cls, pretrained_file_name: str) -> None:
        if pretrained_file_name not in cls.pretrained_file_name_sha1:
            raise UnknownNameError(
                f"[{cls.__name__}] pretrained_file_name: received {pretrained_file_name!r}; expected one of "
                f"{', '.join(cls.pretrained_file_name_sha1) or 'none: this embedding has no published files'}."
            )


def check_vocabulary(vocabulary: Any, who: str) -> None:
    """Refuses what is no vocabulary."""
    if not isinstance(vocabulary, Vocabulary):
        raise ArgumentError(
            f"[{who}] vocabulary: received {type(vocabulary).__name__}; expected a mxnet.contrib.text.vocab.Vocabulary."
        )


def _initial(make: Callable[..., Any], width: int, who: str) -> np.ndarray:
    """What a function makes for the unknown token: one number, or a vector of the right length."""
    made = make(shape=width)
    values = made.asnumpy() if isinstance(made, NDArray) else np.asarray(made)
    if values.size not in (1, width):
        raise OpShapeError(
            f"[{who}] init_unknown_vec: called with shape={width}, it gave {values.shape}; expected ({width},)."
        )
    return values.reshape(-1)


def _told(value: Any) -> str:
    return f"an array of shape {value.shape}" if isinstance(value, NDArray) else type(value).__name__
