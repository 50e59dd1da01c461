"""Names that may have been meant: what every "did you mean" in an error text comes from."""

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean", "nearest"]

# What other libraries and papers call things, and MXNet's names for them.
_OTHER_WORDS = {
    "axis": ("dim",),
    "bias": ("use_bias",),
    "dim": ("axis",),
    "dropout_rate": ("rate", "dropout"),
    "embedding_dim": ("output_dim",),
    "eps": ("epsilon",),
    "features": ("units",),
    "filters": ("channels",),
    "glorot": ("xavier",),
    "he": ("msraprelu",),
    "in_features": ("in_units",),
    "kaiming": ("msraprelu",),
    "kernel_initializer": ("weight_initializer",),
    "n_layers": ("num_layers",),
    "nonlinearity": ("activation",),
    "num_embeddings": ("input_dim",),
    "num_features": ("in_channels",),
    "num_hidden": ("units",),
    "out_channels": ("channels",),
    "out_features": ("units",),
    "p": ("rate", "dropout"),
    "weight_decay": ("wd",),
}


def nearest(name: object, known: Iterable[str], count: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known names that one which is not among them may stand for, best first.

    Case does not count, initials stand for words (`lr` for `learning_rate`), and so do other libraries' words.

    Args:
        name: what was given.
        known: the names there are.
        count: how many to return at most.
        cutoff: how much letters must agree, from 0 to 1.
    """
    given = str(name).lower()
    by_lower: dict[str, str] = {}
    for each in known:
        by_lower.setdefault(each.lower(), each)
    found = [by_lower[given]] if given in by_lower else []
    found += [by_lower[word] for word in _OTHER_WORDS.get(given, ()) if word in by_lower]
    found += [each for lower, each in by_lower.items() if _are_initials(given, lower) or _are_initials(lower, given)]
    found += [by_lower[match] for match in difflib.get_close_matches(given, by_lower, count, cutoff)]
    return list(dict.fromkeys(found))[:count]


def _are_initials(short: str, name: str) -> bool:
    words = name.split("_")
    return len(words) > 1 and short == "".join(word[:1] for word in words)


def did_you_mean(name: object, known: Iterable[str], count: int = 1) -> str:
    """` Did you mean learning_rate?`, to stand behind a sentence; empty if no name resembles the one given."""
    near = nearest(name, known, count)
    return f" Did you mean {' or '.join(near)}?" if near else ""
