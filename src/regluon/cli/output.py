"""Report exit codes, progress, targets and tables of commands."""

import argparse
import contextlib
import itertools
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ..base import MXNetError
from ..formats.atomic import together

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


DONE = 0
FAILED = 1
USAGE = 2  # argparse's own
EXPECTED_ERRORS = (MXNetError, OSError, ValueError, ImportError, MemoryError)


class HelpFormatter(argparse.HelpFormatter):
    """Wrap texts of one line; keep the lines of others, such as lists of exit codes."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


def describe_exits(codes: Mapping[int, str], examples: str = "") -> str:
    """Return the epilog of a command's help: each exit code with its meaning, then the examples.

    Args:
        codes: meaning by exit code; USAGE is added.
        examples: lines of commands.
    """
    meanings = {**codes, USAGE: codes.get(USAGE, "the command line is wrong")}
    lines = ["exit status:", *(f"  {code}  {meanings[code]}" for code in sorted(meanings))]
    if examples:
        lines += ["", "examples:", *(f"  {line}" for line in examples.splitlines())]
    return "\n".join(lines)


def run_reported(who: str, run: Callable[[], int]) -> int:
    """Return the exit status of a command. One of EXPECTED_ERRORS goes to stderr and gives FAILED."""
    try:
        return run()
    except EXPECTED_ERRORS as error:
        clear()
        print(f"{who}: {error}", file=sys.stderr)
        return FAILED


class Targets(NamedTuple):
    """The files that a command is going to write.

    Attributes:
        paths: all of them.
        who: the command, for errors.
        advice: how the user gives another name, for errors.
        force: whether existing files are replaced.
    """

    paths: Sequence[str]
    who: str
    advice: str
    force: bool

    def expect_new(self) -> None:
        """Refuse existing files unless `force` is set. Call this before the work begins; `save` checks again.

        Raises:
            MXNetError: some of the files exist.
        """
        existing = existing_files(self.paths)
        if existing and not self.force:
            raise MXNetError(
                f"[{self.who}] {', '.join(existing)} would be replaced; expected names of new files. {self.advice}, or "
                "allow it with --force."
            )

    @contextlib.contextmanager
    def save(self) -> Iterator[None]:
        """Write the files inside the block; they appear together when it ends. A file made meanwhile is refused."""
        with together(self.who):
            yield
            self.expect_new()


def existing_files(paths: Sequence[str]) -> list[str]:
    """Return the paths of existing regular files. Pipes and devices lose nothing when they are written."""
    return [path for path in paths if os.path.isfile(path)]


def unused_stem(stem: str, paths: Callable[[str], Sequence[str]]) -> str:
    """Return the first of STEM, STEM-1, STEM-2, ... for which none of the files `paths(stem)` exists."""
    stems = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(1)))
    return next(each for each in stems if not existing_files(paths(each)))


def add_force(parser: Any) -> None:
    """Add the option `--force` to a parser or a group of options."""
    parser.add_argument("--force", action="store_true", help="replace existing files")


def bytes_text(count: int) -> str:
    """A number of bytes in a unit that reads well."""
    size = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            break
        size /= 1024
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"


def table(rows: Sequence[Sequence[Any]], limit: int = 0) -> list[str]:
    """Lines of columns; with a limit, the middle of a long table is left out."""
    texts = [[str(field) for field in row] for row in rows]
    hidden = 0
    if limit and len(texts) > limit:
        hidden = len(texts) - limit
        texts = texts[: limit - limit // 4] + texts[len(texts) - limit // 4 :]
    widths = [max(len(row[column]) for row in texts) for column in range(len(texts[0]))] if texts else []
    lines = ["  " + "  ".join(field.ljust(width) for field, width in zip(row, widths, strict=True)) for row in texts]
    if hidden:
        lines.insert(limit - limit // 4, f"  ... {hidden} more; --all shows them")
    return [line.rstrip() for line in lines]


def listed(names: Sequence[str], limit: int = 12) -> str:
    """Names in a line, not too many."""
    shown = ", ".join(names[:limit])
    return f"{shown}, ... ({len(names)} in all)" if len(names) > limit else shown
