"""What a profiler is asked to see, and where it writes."""

import difflib
from collections.abc import Mapping
from typing import Any, NamedTuple, TypedDict

from regluon.config import read

from ..base import MXNetError

_TRUE, _FALSE = ("true", "1"), ("false", "0")


class Config(TypedDict, total=False):
    """The arguments of `set_config`, for type checkers; texts are read as well."""

    profile_all: bool | str
    profile_symbolic: bool | str
    profile_imperative: bool | str
    profile_memory: bool | str
    profile_api: bool | str
    filename: str
    continuous_dump: bool | str
    dump_period: float | str
    aggregate_stats: bool | str
    profile_process: str


class Settings(NamedTuple):
    """The arguments of `set_config`, with MXNet's defaults."""

    profile_all: bool = False
    profile_symbolic: bool = True
    profile_imperative: bool = True
    profile_memory: bool = True
    profile_api: bool = True
    filename: str = "profile.json"
    continuous_dump: bool = True
    dump_period: float = 1.0
    aggregate_stats: bool = False
    profile_process: str = "worker"

    def sees(self, what: str) -> bool:
        """Whether to look at 'symbolic' or 'imperative' operators, 'memory', or the 'api'."""
        return self.profile_all or bool(getattr(self, f"profile_{what}"))


def from_environment() -> Settings:
    """What holds as long as nobody calls `set_config`: the operators of graphs, or everything."""
    if read("MXNET_PROFILER_MODE") != "0":
        return Settings(profile_all=True, continuous_dump=False)
    return Settings(profile_imperative=False, profile_memory=False, profile_api=False, continuous_dump=False)


def parsed(given: Mapping[str, Any]) -> Settings:
    """The settings of a call of `set_config`."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in Settings._fields:
            near = difflib.get_close_matches(name, Settings._fields, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise MXNetError(
                f"[profiler] set_config: received {name}={value!r}; expected some of {', '.join(Settings._fields)}."
                f"{hint}"
            )
        default = Settings._field_defaults[name]
        found[name] = _boolean(name, value) if isinstance(default, bool) else value
    expect_worker(found.get("profile_process", "worker"))
    settings = Settings(**found)
    return settings._replace(filename=str(settings.filename), dump_period=_period(settings))


def _boolean(name: str, value: Any) -> bool:
    text = str(value).lower()
    if text not in (*_TRUE, *_FALSE):
        raise MXNetError(f"[profiler] set_config: {name}: received {value!r}; expected True or False.")
    return text in _TRUE


def _period(settings: Settings) -> float:
    try:
        period = float(settings.dump_period)
    except (TypeError, ValueError):
        period = 0.0
    if period <= 0:
        raise MXNetError(
            f"[profiler] set_config: dump_period: received {settings.dump_period!r}; expected seconds, more than 0."
        )
    return period


def expect_worker(profile_process: Any) -> None:
    """Refuses to profile servers: there are none."""
    if profile_process == "server":
        raise MXNetError(
            "[profiler] profile_process: received 'server'; expected 'worker'. Stores have no processes of their own "
            "here: what servers did is done, and profiled, in the workers."
        )
    if profile_process != "worker":
        raise MXNetError(f"[profiler] profile_process: received {profile_process!r}; expected 'worker'.")
