"""A profiler that is off again after each test."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mxnet import profiler
from mxnet.profiler import _state


class Profile:
    """Runs the profiler in a `with` block."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> "Profile":
        profiler.set_state("run")
        return self

    def __exit__(self, *_: Any) -> None:
        profiler.set_state("stop")

    def operators(self) -> dict[str, Any]:
        """Statistics of operators by name."""
        return json.loads(profiler.dumps(format="json"))["Time"].get("operator", {})

    def counts(self) -> dict[str, int]:
        """How often operators ran, by name."""
        return {name: numbers["Count"] for name, numbers in self.operators().items()}

    def events(self) -> list[dict[str, Any]]:
        """The trace, written and read."""
        profiler.dump()
        return json.loads(self.path.read_text())["traceEvents"]

    def places(self, category: str = "operator") -> set[tuple[str, str]]:
        """Names of the trace, with the nodes or blocks they belong to."""
        events = self.events()
        return {
            (event["name"], event.get("args", {}).get("where", "")) for event in events if event.get("cat") == category
        }


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Profile]:
    """A profiler of everything, with a file of its own."""
    path = tmp_path / "trace.json"
    profiler.set_config(profile_all=True, filename=str(path), continuous_dump=False)
    profiler.dumps(reset=True)
    yield Profile(path)
    profiler.set_state("stop")
    _state.profiler._has_run, _state.profiler._records = False, []
    profiler.set_config(filename=str(path), continuous_dump=False)
    profiler.dumps(reset=True)
