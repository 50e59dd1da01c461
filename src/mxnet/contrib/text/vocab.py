"""Numbers for tokens."""

import operator
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from ...base import MXNetError
from ...gluon.utils import ArgumentError

__all__ = ["Vocabulary"]


class TokenIndexError(MXNetError, ValueError, IndexError):
    """No token has such a number; MXNet raised a ValueError or an IndexError there."""


class Vocabulary:
    """Tokens and their numbers: 0 is the unknown token, reserved tokens follow, then the tokens of a text.

    Tokens may be of any hashable type, all of one.

    Args:
        counter: how often each token occurs. The most frequent comes first; among equals, the least does.
        most_freq_count: how many tokens of the counter to take at most; reserved tokens do not count.
        min_freq: how often a token must occur to be taken.
        unknown_token: what stands for all tokens that are not here.
        reserved_tokens: tokens that are here whether they occur or not, such as one for padding.

    Example:
        >>> vocabulary = Vocabulary(Counter("to be or not to be".split()), most_freq_count=2)
        >>> vocabulary.to_indices(["to", "be", "here"])
        [2, 1, 0]
    """

    def __init__(
        self,
        counter: "Counter[Any] | None" = None,
        most_freq_count: int | None = None,
        min_freq: int = 1,
        unknown_token: Hashable = "<unk>",
        reserved_tokens: Sequence[Any] | None = None,
    ) -> None:
        if min_freq <= 0:
            raise ArgumentError(f"[Vocabulary] min_freq: received {min_freq}; expected at least 1.")
        if most_freq_count is not None and most_freq_count < 0:
            raise ArgumentError(
                f"[Vocabulary] most_freq_count: received {most_freq_count}; expected at least 0, or None for all."
            )
        if counter is not None and not isinstance(counter, Counter):
            raise ArgumentError(
                f"[Vocabulary] counter: received {type(counter).__name__}; expected a collections.Counter. Make one: "
                "Counter(tokens)."
            )
        first = [unknown_token, *(reserved_tokens or ())]
        _check_distinct(first)
        self._unknown_token: Any = unknown_token
        self._reserved_tokens: Any = None if reserved_tokens is None else reserved_tokens[:]
        self._idx_to_token: list[Any] = first
        self._token_to_idx: dict[Any, int] = {token: index for index, token in enumerate(first)}
        if counter is not None:
            self._add_most_frequent(counter, most_freq_count, min_freq)

    def _add_most_frequent(self, counter: "Counter[Any]", most: int | None, min_freq: int) -> None:
        known = self._token_to_idx
        found = [item for item in counter.items() if item[1] >= min_freq and item[0] not in known]
        found.sort(key=lambda item: (-item[1], item[0]))
        for token, _ in found[:most]:
            known[token] = len(self._idx_to_token)
            self._idx_to_token.append(token)

    def __len__(self) -> int:
        return len(self.idx_to_token)

    @property
    def token_to_idx(self) -> dict[Any, int]:
        """The number of each token."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[Any]:
        """The tokens in the order of their numbers."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> Any:
        """What stands for all tokens that are not here."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> Any:
        """The reserved tokens, as they were given."""
        return self._reserved_tokens

    def to_indices(self, tokens: Any) -> Any:
        """The number of a token, or a list of numbers for a list of tokens; 0 for those that are not here."""
        known = self.token_to_idx
        if isinstance(tokens, list):
            return [known.get(token, 0) for token in tokens]
        return known.get(tokens, 0)

    def to_tokens(self, indices: Any) -> Any:
        """The token of a number, or a list of tokens for a list of numbers; negative ones count from the end."""
        if isinstance(indices, list):
            return [self._token_at(index) for index in indices]
        return self._token_at(indices)

    def _token_at(self, index: Any) -> Any:
        try:
            return self.idx_to_token[operator.index(index)]
        except (TypeError, IndexError):
            raise TokenIndexError(
                f"[Vocabulary] to_tokens: received the index {index!r}; expected an integer from 0 to {len(self) - 1}."
            ) from None


def _check_distinct(tokens: list[Any]) -> None:
    """Refuses reserved tokens, all but the first that is, which could not be told apart."""
    if tokens[0] in tokens[1:]:
        raise ArgumentError(
            f"[Vocabulary] reserved_tokens: received {tokens[0]!r}, which is the unknown token; expected others. It is "
            "there without being reserved."
        )
    twice = [token for token, times in Counter(tokens).items() if times > 1]
    if twice:
        raise ArgumentError(
            f"[Vocabulary] reserved_tokens: received {', '.join(map(repr, twice))} more than once; expected each once."
        )
