"""`with` blocks that put settings back whenever Ctrl-C comes, also while the block is being entered or left.

Python notices a signal where one of its functions begins, after a call, and in a loop; KeyboardInterrupt is then raised
there. Two rules follow for blocks that must leave nothing behind:

- `__enter__` changes a setting in its last statements, by assignments without a call: nothing is noticed between them
  and the block.
- `__exit__` is not a function of Python: it could be left before its first line. `IOBase.__exit__` is one of C that
  calls `close`; with another function of C there, a setting is put back before any signal is noticed.
"""

import gc
import io
import threading
from collections import deque
from collections.abc import Callable, Generator
from functools import partial
from typing import Any


class Stack(threading.local):
    """The nested scopes of a thread, innermost last, under names that MXNet programs use.

    Args:
        outermost: makes the scope that a thread begins in.
    """

    def __init__(self, outermost: Callable[[], Any]) -> None:
        self.stack = [outermost()]

    @property
    def value(self) -> Any:
        """The scope in force."""
        return self.stack[-1]

    @value.setter
    def value(self, scope: Any) -> None:
        self.stack[-1] = scope


class HasCurrent(type):
    """Lets `Scope.current` be read and set on the class, as MXNet programs do: for the thread that does it."""

    _current: Stack

    @property
    def current(cls) -> Any:
        """The scope in force in this thread."""
        return cls._current.value

    @current.setter
    def current(cls, scope: Any) -> None:
        cls._current.value = scope


class Restoring(io.IOBase):
    """A block whose `__exit__` calls `close`, which `__enter__` sets: a function of C that returns None."""

    closed = True  # for the finalizer of IOBase, which would call `close` once more

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Setting(Restoring):
    """`with Setting(target, name=value):` gives attributes of an object, or of a thread's part of it, other values."""

    def __init__(self, target: Any, **values: Any) -> None:
        self._target, self._values = target, values

    def __enter__(self) -> "Setting":
        own = vars(self._target)
        before = {name: getattr(self._target, name) for name in self._values}
        self.close = partial(own.update, before)  # type: ignore[method-assign]
        own |= self._values
        return self


class CollectorPaused(Restoring):
    """Keeps Python's collector of cycles from running while large graphs are made or read: it would find nothing.

    It looks at all objects again whenever their number has grown by some part, so that the time of a graph grows faster
    than the graph.
    """

    def __enter__(self) -> "CollectorPaused":
        self.close = gc.enable if gc.isenabled() else list[Any]().clear  # type: ignore[method-assign]
        gc.disable()
        return self


def popping(*stacks: list[Any]) -> Callable[..., None]:
    """An `__exit__` that takes the last item from each stack, to be returned by a property.

    `with` asks for `__exit__` before it calls `__enter__`, so `__enter__` must add to these lists: `stack += [item]`.
    """
    block = Restoring()
    block.close = partial(deque[Any](maxlen=0).extend, map(list.pop, stacks))  # type: ignore[method-assign]
    return block.__exit__


def ending(undo: Generator[None, None, None]) -> Callable[[], None]:
    """A `close` that lets a generator finish; it waits in a `try`, where a signal is raised that comes just then."""
    next(undo)
    return partial(next, undo, None)


def finishing(undo: Generator[None, None, None]) -> Callable[..., None]:
    """An `__exit__` that lets a generator finish, to be returned by a property."""
    block = Restoring()
    block.close = ending(undo)  # type: ignore[method-assign]
    return block.__exit__
