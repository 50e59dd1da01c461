"""Files that commands write: an existing file is replaced with `--force` only."""

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..base import MXNetError
from ..formats.atomic import together


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
