"""Check keyword arguments and suggest the names that were probably meant."""

import difflib
import functools
import inspect
from collections.abc import Callable, Collection, Iterable
from typing import Any

from .errors import OpTypeError

__all__ = ["did_you_mean", "nearest", "check_keywords", "unknown_keywords"]


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


_INTERNAL = frozenset(("adj", "op_name"))  # arguments that classes give to their bases, not users
_PACKAGES = ("mxnet", "regluon")


def check_keywords(cls: type, given: Collection[str]) -> None:
    """Refuses keyword arguments that a class's constructor does not take, before it runs.

    A constructor of a program's own that takes `**kwargs` may do with them what it likes: nothing is said of it here.
    """
    accepted = _accepted(cls)
    if accepted is None or accepted.issuperset(given):
        return
    raise unknown_keywords(cls, [name for name in given if name not in accepted])


def unknown_keywords(cls: type, unknown: Iterable[str]) -> OpTypeError:
    """The error for keyword arguments that a class does not have."""
    known = [name for name in _all_names(cls) if name not in _INTERNAL]
    parts = []
    for name in unknown:
        near = nearest(name, known)
        parts.append(f"{name}: unknown argument" + (f"; did you mean {near[0]}?" if near else "."))
    return OpTypeError(f"[{cls.__name__}] {' '.join(parts)} It takes {', '.join(known) or 'none'}.")


def _constructors(cls: type) -> Iterable[Callable[..., Any]]:
    """The constructors of a class and its bases, in the order in which they hand arguments on."""
    return (vars(base)["__init__"] for base in cls.__mro__[:-1] if "__init__" in vars(base))


def _named(constructor: Callable[..., Any]) -> tuple[list[str], bool]:
    """The names of a constructor's arguments, and whether it takes others too."""
    parameters = list(inspect.signature(constructor).parameters.values())[1:]
    names = [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    return names, any(each.kind is each.VAR_KEYWORD for each in parameters)


@functools.lru_cache(maxsize=1024)
def _accepted(cls: type) -> frozenset[str] | None:
    """All keyword arguments of a class; None if code of a program's own decides."""
    found: set[str] = set()
    for constructor in _constructors(cls):
        is_own = getattr(constructor, "__globals__", {}).get("__name__", "").split(".")[0] in _PACKAGES
        if hasattr(constructor, "__wrapped__") or not inspect.isfunction(constructor):
            return None  # what a decorator does is unknown
        names, takes_others = _named(constructor)
        found.update(names)
        if not takes_others:
            break
        if not is_own:
            return None
    else:
        return None  # the last of them decides
    return frozenset(found)


def _all_names(cls: type) -> list[str]:
    """The names of all arguments that constructors of a class and of its bases have."""
    found: dict[str, None] = {}
    for constructor in _constructors(cls):
        if callable(constructor):
            names, takes_others = _named(constructor)
            found.update(dict.fromkeys(names))
            if not takes_others:
                break
    return list(found)
