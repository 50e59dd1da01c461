"""Helpers for training: splitting batches, clipping gradients, hooks."""

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

__all__ = ["HookHandle"]


class HookHandle:
    """What registering a hook returns: `detach()`, or leaving a `with` block, removes the hook."""

    def __init__(self) -> None:
        self._hooks: Any = None
        self._id: int | None = None

    def attach(self, hooks: "OrderedDict[int, Callable[..., Any]]", hook: Callable[..., Any]) -> None:
        """Adds a hook to those of a block."""
        if self._hooks is not None:
            raise RuntimeError("[HookHandle] is attached already; make a new one for each hook.")
        self._hooks, self._id = weakref.ref(hooks), id(self)
        hooks[self._id] = hook

    def detach(self) -> None:
        """Removes the hook; doing it again has no effect."""
        hooks = self._hooks() if self._hooks is not None else None
        if hooks is not None and self._id is not None:
            hooks.pop(self._id, None)

    def __enter__(self) -> "HookHandle":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.detach()
