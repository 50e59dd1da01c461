"""Optimizers and schedulers that come from a file, compared with what their classes declare.

A file may say anything: an attribute that is missing or of another type would break, or worse change, the next step.
"""

import inspect
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin

from ..base import MXNetError
from ..error import FileFormatError
from ..lr_scheduler import LRScheduler

_OURS = "mxnet."
_UNSAVED = ("param_dict", "_index_update_count")  # what `Optimizer.__getstate__` leaves out
_MOST_UPDATES = 1 << 40  # beyond what any training makes


def check_restored(made: Any, kind: str) -> None:
    """Refuses an object whose attributes do not fit its class; classes of users are left to them.

    Raises:
        FileFormatError: attributes are missing or of a wrong type; the text names all of them.
    """
    klass = type(made)
    if not klass.__module__.startswith(_OURS):
        return
    declared = _declared(klass)
    found = vars(made)
    problems = [
        f"{name} is {_short(found[name])}; expected {_words(kind_)}"
        for name, kind_ in declared.items()
        if name in found and not _fits(found[name], kind_)
    ]
    sample = None if problems else _sample(klass, declared, found, kind)
    if sample is not None:
        problems = [f"{name} is missing" for name in vars(sample) if name not in found and name not in _UNSAVED]
        problems += [
            f"{name} is {_short(found[name])}; expected {type(value).__name__}"
            for name, value in vars(sample).items()
            if name in found and name not in declared and not _alike(found[name], value)
        ]
    if problems:
        raise FileFormatError(
            f"[Updater.set_states] the saved {kind} {klass.__name__} is damaged: {', '.join(problems)}."
        )


def check_contents(state: Mapping[str, Any], kind: str, name: str) -> None:
    """Refuses dicts that hold what every optimizer would stumble over, before an object is made of them."""
    problems = [
        f"{key} is {_short(state[key])}; expected {expected}"
        for key, (fits, expected) in _CONTENTS.items()
        if key in state and not fits(state[key])
    ]
    if problems:
        raise FileFormatError(f"[Updater.set_states] the saved {kind} {name} is damaged: {', '.join(problems)}.")


def _declared(klass: type) -> dict[str, Any]:
    """The annotations of what the constructors of a class and of those it derives from take."""
    found: dict[str, Any] = {}
    for base in reversed(klass.__mro__[:-1]):
        if "__init__" in vars(base):
            for name, parameter in inspect.signature(base.__init__).parameters.items():  # type: ignore[misc]
                if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and name != "self":
                    found[name] = parameter.annotation
    return found


def _sample(klass: type, declared: Mapping[str, Any], found: Mapping[str, Any], kind: str) -> Any:
    """An object made by the constructor, which checks the values it is given; None if it needs what is not saved."""
    parameters = inspect.signature(klass).parameters
    given = {name: found[name] for name in declared if name in parameters and name in found and _is_plain(found[name])}
    needed = [each for each in parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    missing = [each.name for each in needed if each.default is each.empty and each.name not in given]
    if missing and issubclass(klass, LRScheduler):  # schedulers keep all they are given
        raise FileFormatError(
            f"[Updater.set_states] the saved {kind} {klass.__name__} is damaged: {', '.join(missing)} is missing."
        )
    if missing:
        return None
    if issubclass(klass, LRScheduler) and "warmup_final_lr" in found:
        given["base_lr"] = found["warmup_final_lr"]  # the one in force may have fallen since
    try:
        return klass(**given)
    except (ValueError, TypeError, AssertionError, MXNetError) as error:
        raise FileFormatError(f"[Updater.set_states] the saved {kind} {klass.__name__} is damaged: {error}") from None


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, list))


def _fits(value: Any, annotation: Any) -> bool:
    """Whether a value is of an annotated type; what is not annotated with a plain type is left to the constructor."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return any(_fits(value, choice) for choice in get_args(annotation))
    if annotation is float:
        return isinstance(value, (int, float))
    if annotation is bool:
        return isinstance(value, (bool, int))
    if annotation is int:
        return isinstance(value, int) and abs(value) <= _MOST_UPDATES
    if origin is list:
        return isinstance(value, list) and all(_fits(item, get_args(annotation)[0]) for item in value)
    if origin is not None:  # Python 3.10 takes `dict[int, str]` for a type, but not as one of isinstance
        return not isinstance(origin, type) or isinstance(value, origin)
    if annotation is None:
        return value is None
    return annotation is Any or not isinstance(annotation, type) or isinstance(value, annotation)


def _alike(value: Any, sample: Any) -> bool:
    """Whether a value may stand where a new object has another."""
    if sample is None or isinstance(sample, float):
        return value is None or isinstance(value, (int, float))
    if isinstance(sample, (bool, int)):
        return isinstance(value, int) and abs(value) <= _MOST_UPDATES
    return isinstance(value, type(sample))


def _words(annotation: Any) -> str:
    return getattr(annotation, "__name__", None) or str(annotation)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, (int, float)) for each in value.values())


def _names(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def _counts(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(each, dict) and all(isinstance(n, int) and 0 <= n <= _MOST_UPDATES for n in each.values())
        for each in value.values()
    )


# Attributes that hold dicts: what they must contain, and how to say so.
_CONTENTS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "lr_mult": (_numbers, "numbers by index or name"),
    "wd_mult": (_numbers, "numbers by index or name"),
    "idx2name": (_names, "names by index"),
    "_all_index_update_counts": (_counts, "counts of updates by device and index"),
}
