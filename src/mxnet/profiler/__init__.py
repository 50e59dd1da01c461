"""Which operators take how long: `mx.profiler`, over torch's profiler."""

from ._control import (
    dump,
    dump_profile,
    dumps,
    pause,
    profiler_set_config,
    profiler_set_state,
    resume,
    set_config,
    set_kvstore_handle,
    set_state,
)
from ._objects import Counter, Domain, Event, Frame, Marker, Task

__all__ = [
    "Counter",
    "Domain",
    "Event",
    "Frame",
    "Marker",
    "Task",
    "dump",
    "dump_profile",
    "dumps",
    "pause",
    "profiler_set_config",
    "profiler_set_state",
    "resume",
    "set_config",
    "set_kvstore_handle",
    "set_state",
]
