"""Exit status of the commands: one list for each, shown by `--help`."""

import argparse
import sys
from collections.abc import Callable, Mapping

from ..base import MXNetError
from .progress import clear

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
