"""Embeddings of tokens: published ones, those of your own files, and several put together."""

import os
from collections.abc import Callable
from typing import Any, TypeVar, overload

import mxnet.ndarray as nd
from regluon.arguments import nearest

from ...base import data_dir
from ...gluon.utils import ArgumentError
from ...registry import get_create_func, get_register_func, get_registry
from ...util import is_np_array
from ._fasttext_files import FASTTEXT
from ._token_embedding import TokenEmbedding, UnknownNameError, check_vocabulary
from ._vectors import GLOVE_ARCHIVES, GLOVE_FILES
from .vocab import Vocabulary

__all__ = [
    "CompositeEmbedding",
    "CustomEmbedding",
    "FastText",
    "GloVe",
    "create",
    "get_pretrained_file_names",
    "is_np_array",
    "register",
]

# Programs derive from it under this name.
_TokenEmbedding = TokenEmbedding

Kind = TypeVar("Kind", bound=type[TokenEmbedding])
_ROOT = os.path.join(data_dir(), "embeddings")

_enter = get_register_func(TokenEmbedding, "token embedding")
_make = get_create_func(TokenEmbedding, "token embedding")


def register(embedding_cls: Kind) -> Kind:
    """Enters a class of embeddings, so that `create` finds it by its name."""
    return _enter(embedding_cls)


def create(embedding_name: str, **kwargs: Any) -> TokenEmbedding:
    """Makes an embedding by the name of its class, in any case of letters.

    Args:
        embedding_name: such as 'glove'.
        kwargs: arguments of the class, such as `pretrained_file_name`.
    """
    return _make(embedding_name, **kwargs)


@overload
def get_pretrained_file_names(embedding_name: str) -> list[str]: ...
@overload
def get_pretrained_file_names(embedding_name: None = None) -> dict[str, list[str]]: ...
def get_pretrained_file_names(embedding_name: str | None = None) -> list[str] | dict[str, list[str]]:
    """The names of published files.

    Args:
        embedding_name: an embedding, in lower case.

    Returns:
        The names of its files; those of each embedding in a dict if none is named.
    """
    known: dict[str, Any] = get_registry(TokenEmbedding)
    if embedding_name is None:
        return {name: list(kind.pretrained_file_name_sha1) for name, kind in known.items()}
    if embedding_name not in known:
        near = nearest(embedding_name, known)
        raise UnknownNameError(
            f"[get_pretrained_file_names] embedding_name: received {embedding_name!r}; expected one of "
            f"{', '.join(map(repr, known))}.{f' Did you mean {near[0]!r}?' if near else ''}"
        )
    return list(known[embedding_name].pretrained_file_name_sha1)


@register
class GloVe(TokenEmbedding):
    """Vectors made with GloVe (https://nlp.stanford.edu/projects/glove/), by their authors.

    Args:
        pretrained_file_name: which file; see `get_pretrained_file_names('glove')`.
        embedding_root: the folder where files are kept; what is not there is fetched.
        init_unknown_vec: makes the vector of the unknown token from `shape=`.
        vocabulary: the tokens to keep; all of the file if there is none.
        kwargs: see TokenEmbedding.
    """

    pretrained_archive_name_sha1 = GLOVE_ARCHIVES
    pretrained_file_name_sha1 = GLOVE_FILES

    def __init__(
        self,
        pretrained_file_name: str = "glove.840B.300d.txt",
        embedding_root: str = _ROOT,
        init_unknown_vec: Callable[..., Any] = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        GloVe._check_pretrained_file_names(pretrained_file_name)
        super().__init__(**kwargs)
        path = GloVe._get_pretrained_file(embedding_root, pretrained_file_name)
        self._load_embedding(path, " ", init_unknown_vec)
        self._build_embedding_for_vocabulary(vocabulary)

    @classmethod
    def _get_download_file_name(cls, pretrained_file_name: str) -> str:
        # The second part names the texts that the vectors are made from; every archive has the vectors of one.
        texts = pretrained_file_name.split(".")[1]
        return next(archive for archive in GLOVE_ARCHIVES if archive.split(".")[1] == texts)


@register
class FastText(TokenEmbedding):
    """Vectors made with fastText (https://fasttext.cc/), by their authors.

    Args:
        pretrained_file_name: which file; see `get_pretrained_file_names('fasttext')`.
        embedding_root: the folder where files are kept; what is not there is fetched.
        init_unknown_vec: makes the vector of the unknown token from `shape=`.
        vocabulary: the tokens to keep; all of the file if there is none.
        kwargs: see TokenEmbedding.
    """

    pretrained_archive_name_sha1 = {f"{name}.zip": archive for name, (archive, _) in FASTTEXT.items()}
    pretrained_file_name_sha1 = {f"{name}.vec": file for name, (_, file) in FASTTEXT.items()}

    def __init__(
        self,
        pretrained_file_name: str = "wiki.simple.vec",
        embedding_root: str = _ROOT,
        init_unknown_vec: Callable[..., Any] = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        FastText._check_pretrained_file_names(pretrained_file_name)
        super().__init__(**kwargs)
        path = FastText._get_pretrained_file(embedding_root, pretrained_file_name)
        self._load_embedding(path, " ", init_unknown_vec)
        self._build_embedding_for_vocabulary(vocabulary)

    @classmethod
    def _get_download_file_name(cls, pretrained_file_name: str) -> str:
        return f"{os.path.splitext(pretrained_file_name)[0]}.zip"


class CustomEmbedding(TokenEmbedding):
    """Vectors of a file of your own: on each line a token and its numbers.

    A line with one number only is taken for a header and left out, with a warning; so is a token that comes again.

    Args:
        pretrained_file_path: the file.
        elem_delim: what separates the token and the numbers.
        encoding: of the file.
        init_unknown_vec: makes the vector of the unknown token from `shape=`, if the file has none for it.
        vocabulary: the tokens to keep; all of the file if there is none.
        kwargs: see TokenEmbedding.
    """

    def __init__(
        self,
        pretrained_file_path: str | os.PathLike[str],
        elem_delim: str = " ",
        encoding: str = "utf8",
        init_unknown_vec: Callable[..., Any] = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._load_embedding(pretrained_file_path, elem_delim, init_unknown_vec, encoding)
        self._build_embedding_for_vocabulary(vocabulary)


class CompositeEmbedding(TokenEmbedding):
    """The vectors of several embeddings, side by side, for the tokens of a vocabulary.

    Args:
        vocabulary: the tokens.
        token_embeddings: an embedding, or a list of them.
    """

    def __init__(self, vocabulary: Vocabulary, token_embeddings: TokenEmbedding | list[TokenEmbedding]) -> None:
        check_vocabulary(vocabulary, "CompositeEmbedding")
        parts = token_embeddings if isinstance(token_embeddings, list) else [token_embeddings]
        if not parts or not all(isinstance(part, TokenEmbedding) for part in parts):
            raise ArgumentError(
                f"[CompositeEmbedding] token_embeddings: received {', '.join(type(part).__name__ for part in parts)}"
                f"{'' if parts else 'an empty list'}; expected embeddings, at least one."
            )
        self._index_tokens_from_vocabulary(vocabulary)
        self._set_idx_to_vec_by_embeddings(parts, len(self), self.idx_to_token)
