"""The functions that start, stop and read the profiler."""

import warnings
from typing import TYPE_CHECKING, Any

from ..base import MXNetError
from ._report import SORT_KEYS
from ._settings import Config, expect_worker, parsed
from ._state import profiler

if TYPE_CHECKING:
    from typing_extensions import Unpack


def set_kvstore_handle(handle: Any) -> None:
    """Notes the store whose servers are profiled; MXNet's stores call it. There are no servers here."""
    profiler.store = handle


def set_config(**kwargs: "Unpack[Config]") -> None:
    """Says what to look at, and where to write.

    Args:
        kwargs: some of these:
            filename: the trace that `dump` writes, for chrome://tracing or https://ui.perfetto.dev.
            profile_all: look at all that follows.
            profile_symbolic: operators of graphs: hybridized blocks, executors, modules.
            profile_imperative: operators that are called one by one.
            profile_memory: memory in use, and what each operator allocates.
            profile_api: calls such as `backward`, or waiting for data.
            continuous_dump: write to the file now and then, not only at `dump`.
            dump_period: how often, in seconds.
            aggregate_stats: noted; statistics for `dumps` are always kept.
            profile_process: 'worker'.

    Example:
        >>> mx.profiler.set_config(profile_all=True, filename="trace.json")
    """
    profiler.configure(parsed(kwargs))


def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """Runs or stops the profiler.

    Args:
        state: 'run' or 'stop'.
        profile_process: 'worker'.

    Example:
        >>> mx.profiler.set_state("run")
        >>> mx.profiler.set_state("stop")
        >>> table = mx.profiler.dumps()
    """
    expect_worker(profile_process)
    if state not in ("run", "stop"):
        raise MXNetError(f"[profiler] set_state: received {state!r}; expected 'run' or 'stop'.")
    profiler.switch(state == "run")


def pause(profile_process: str = "worker") -> None:
    """Looks away until `resume`."""
    expect_worker(profile_process)
    profiler.pause(True)


def resume(profile_process: str = "worker") -> None:
    """Looks again, if the profiler runs."""
    expect_worker(profile_process)
    profiler.pause(False)


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Writes the trace.

    Args:
        finished: whether to stop after that; the next run then begins a new file.
        profile_process: 'worker'.
    """
    expect_worker(profile_process)
    profiler.dump(bool(finished))


def dumps(reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False) -> str:
    """Statistics of what was seen: for each name how often, and the total, least, largest and average time or memory.

    Args:
        reset: whether to begin anew.
        format: 'table' for people, 'json' for programs.
        sort_by: 'total', 'avg', 'min', 'max' or 'count'.
        ascending: the smallest first.
    """
    _expect("format", format, ("table", "json"))
    _expect("sort_by", sort_by, SORT_KEYS)
    _expect("ascending", ascending, (False, True))
    _expect("reset", reset, (False, True))
    return profiler.text(format == "json", sort_by, bool(ascending), bool(reset))


def _expect(name: str, given: Any, choices: tuple[Any, ...]) -> None:
    if given not in choices:
        raise AssertionError(
            f"[profiler] dumps: {name}: received {given!r}; expected one of {', '.join(map(repr, choices))}."
        )


# The names of former versions.


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """Says what to look at, 'symbolic' or 'all' operators, and where to write; the former name of `set_config`."""
    _deprecated("profiler_set_config", "set_config")
    profiler.configure(parsed({f"profile_{mode}": True, "filename": filename}))


def profiler_set_state(state: str = "stop") -> None:
    """Runs or stops the profiler; the former name of `set_state`."""
    _deprecated("profiler_set_state", "set_state")
    set_state(state)


def dump_profile() -> None:
    """Writes the trace and stops; the former name of `dump`."""
    _deprecated("dump_profile", "dump")
    dump(True)


def _deprecated(former: str, name: str) -> None:
    warnings.warn(
        f"profiler.{former}() is deprecated. Please use profiler.{name}() instead", DeprecationWarning, stacklevel=3
    )
