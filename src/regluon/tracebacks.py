"""Tracebacks that end in the user's program: the frames of this library are folded away, unless asked for.

What is refused on purpose says in its text who refuses it and why; how the library came to that place helps nobody but
its authors, for whom `MXNET_FULL_TRACEBACK=1` shows everything. Defects of the library are always shown whole.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from .base import MXNetError
from .config import read
from .errors import InternalError

__all__ = ["LIBRARY", "depth_of_user", "fold", "install", "is_refusal"]

# Folders of this library's code: the engine, and the interface beside it.
LIBRARY = tuple(f"{Path(__file__).parents[1] / name}{os.sep}" for name in ("regluon", "mxnet"))
_BELOW = (*LIBRARY, str(Path(sys.modules["torch"].__file__ or "").parent)) if "torch" in sys.modules else LIBRARY


def is_refusal(error: BaseException) -> bool:
    """Whether an error is one that this library raises on purpose, with a text for users."""
    if isinstance(error, MXNetError):
        return not isinstance(error, InternalError)
    is_ours = isinstance(error, (ValueError, TypeError, LookupError, RuntimeError)) and str(error).startswith("[")
    frames = list(_frames(error.__traceback__)) if is_ours else []
    return bool(frames) and _is_own(frames[-1])


def fold(error: BaseException) -> None:
    """Takes the frames of this library out of an error's traceback, with the errors inside of it that led there."""
    if read("MXNET_FULL_TRACEBACK") == "1":
        return
    kept = None
    for frame in reversed([frame for frame in _frames(error.__traceback__) if not _is_own(frame)]):
        kept = TracebackType(kept, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    error.__traceback__ = kept
    cause = error.__cause__ or error.__context__
    if cause is not None and all(_is_below(frame) for frame in _frames(cause.__traceback__)):
        error.__cause__ = None
        error.__suppress_context__ = True


def _frames(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_own(frame: TracebackType) -> bool:
    return frame.tb_frame.f_code.co_filename.startswith(LIBRARY)


def depth_of_user() -> int:
    """Return the `stacklevel` with which a warning of the calling function points to code outside of this package."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(LIBRARY):
        depth, frame = depth + 1, frame.f_back
    return depth


def _is_below(frame: TracebackType) -> bool:
    """Whether a frame belongs to this library or to torch: not to code that users wrote."""
    return frame.tb_frame.f_code.co_filename.startswith(_BELOW)


def install() -> None:
    """Has errors that end a program shown without the frames of this library.

    Whatever showed them before goes on doing so.
    """
    before = sys.excepthook

    def show(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> Any:
        if is_refusal(error):
            fold(error)
            traceback = error.__traceback__
        return before(kind, error, traceback)

    sys.excepthook = show
