"""Counting tokens."""

import re
from collections import Counter
from typing import Any

__all__ = ["count_tokens_from_str"]


def count_tokens_from_str(
    source_str: str,
    token_delim: str = " ",
    seq_delim: str = "\n",
    to_lower: bool = False,
    counter_to_update: "Counter[Any] | None" = None,
) -> "Counter[Any]":
    r"""Counts the tokens of a text.

    Args:
        source_str: the text.
        token_delim: what separates tokens: a regular expression, so a star is written r'\*'.
        seq_delim: what separates sequences of tokens, another one.
        to_lower: count tokens in lower case.
        counter_to_update: a counter to add to, instead of a new one.

    Returns:
        The counter.

    Example:
        >>> count_tokens_from_str("Life is great !\nlife is good .\n", to_lower=True)["life"]
        2
    """
    if counter_to_update is not None and not isinstance(counter_to_update, Counter):
        raise TypeError(
            f"[count_tokens_from_str] counter_to_update: received {type(counter_to_update).__name__}; expected a "
            "collections.Counter, or None for a new one."
        )
    try:
        parts = re.split(f"{token_delim}|{seq_delim}", source_str)
    except re.error as error:
        raise re.error(
            f"[count_tokens_from_str] token_delim, seq_delim: received {token_delim!r} and {seq_delim!r}; expected "
            f"regular expressions: {error}. re.escape(text) makes one of a plain text"
        ) from None
    counter: Counter[Any] = Counter() if counter_to_update is None else counter_to_update
    counter.update(part.lower() if to_lower else part for part in parts if part)
    return counter
