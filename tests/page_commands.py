"""Shell commands of the pages: those of console blocks, indented blocks and inline code."""

import itertools
import re
import shlex
from pathlib import Path
from typing import NamedTuple

# First words by which a command is recognized outside of a console block.
PROGRAMS = ("python", "python3", "py", "pip", "make", "torchrun", "srun", "conda", "tensorboard", "mxnet")
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.S | re.M)
_INLINE = re.compile(rf"(?<!`)`((?:{'|'.join(PROGRAMS)})\s[^`]+)`(?!`)")
_PLAIN = re.compile(rf"(?:[A-Z_]+=\S+ )*(?:{'|'.join(PROGRAMS)}|\.venv\\\S+) [!-~]")  # prose goes on in another script
_ASSIGNMENT = re.compile(r"[A-Z_]+=.*")


class Command(NamedTuple):
    """A command of a page.

    Attributes:
        words: the program and its arguments, without assignments and comments.
        text: the line of the page.
    """

    words: tuple[str, ...]
    text: str


def commands_of(page: Path) -> list[Command]:
    """Return the commands of a page in order, those of inline code last."""
    text = page.read_text(encoding="utf-8")
    lines: list[str] = []

    def take(fence: re.Match[str]) -> str:
        body = fence["body"].replace("\\\n", " ").splitlines()
        if fence["language"] == "console":
            lines.extend(line.strip()[2:] for line in body if re.match(r" *[$>] ", line))
        elif fence["language"] in ("", "sh", "bash"):
            lines.extend(line.strip() for line in body if _PLAIN.match(line.strip()))
        elif fence["language"] == "diff":
            lines.extend(line.strip()[1:] for line in body if line.startswith("+") and _PLAIN.match(line.strip()[1:]))
        return ""

    prose = _FENCE.sub(take, text)
    lines += [line.strip() for line in re.findall(r"^ {4,}(.*)$", prose, re.M) if _PLAIN.match(line.strip())]
    lines += [" ".join(found.split()) for found in _INLINE.findall(prose)]
    return [command for line in lines for command in _split(line)]


def _split(line: str) -> list[Command]:
    """Split a line at `&&`, and leave out assignments and the comment."""
    words = shlex.split(line.replace("\\", "/"), comments=True)
    parts = [list(part) for is_and, part in itertools.groupby(words, "&&".__eq__) if not is_and]
    return [Command(tuple(itertools.dropwhile(_ASSIGNMENT.fullmatch, part)), line) for part in parts]
