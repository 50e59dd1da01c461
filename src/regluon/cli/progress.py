"""Progress of long commands: a status line on stderr, if that is a terminal, and nothing otherwise."""

import contextlib
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
_INTERVAL = 0.1  # seconds between two updates of a line that counts


@contextlib.contextmanager
def activity(text: str) -> Iterator[None]:
    """Show a text while the block runs."""
    _show(text)
    try:
        yield
    finally:
        clear()


def progress(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """Yield the items and show the number of the current one, as in `reading file 3 of 12`."""
    shown = float("-inf")
    try:
        for number, item in enumerate(items, 1):
            if time.monotonic() - shown >= _INTERVAL:
                _show(f"{what} {number} of {total}")
                shown = time.monotonic()
            yield item
    finally:
        clear()


def clear() -> None:
    """Remove the status line; call this before other text goes to the terminal."""
    if sys.stderr.isatty():
        print(f"\r{'':{_width()}}\r", end="", file=sys.stderr, flush=True)


def _show(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text[: _width()]:{_width()}}", end="", file=sys.stderr, flush=True)


def _width() -> int:
    return shutil.get_terminal_size().columns - 1
