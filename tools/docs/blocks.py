"""Runs the programs of pages and compares what they print with what the pages say.

    python -m tools.docs.blocks docs/learn/arrays.md            runs a page and shows what differs
    python -m tools.docs.blocks --write docs/learn/*.md         puts real outputs and figures into the page

All ```python blocks of a page run in order, in one namespace and an empty working directory with a link to `examples`.
A ```text block after a python block is what it prints; `...` stands for anything. Where it begins with `Traceback`, the
block raises that error. A block with a title, ```python title="train.py", is written to that file instead, and run by
the commands of the ```console block that follows it. Figures that a page saves to `figures/` belong into the folder
`figures` beside the page.
"""

import argparse
import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(
    r"^(?P<indent>[ ]*)```(?P<language>python|text|console)\b(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$",
    re.DOTALL | re.MULTILINE,
)
_TITLE = re.compile(r'title="([^"]+)"')
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_RAISES = "Traceback (most recent call last):"


class Block(NamedTuple):
    """A Python block of a page, and what it is said to print."""

    code: str
    line: int  # of the page, where the code begins
    title: str | None  # the file it is written to
    commands: str | None  # which run that file
    output: str | None
    span: tuple[int, int]  # of the output in the page
    indent: str


class Difference(NamedTuple):
    """A block that printed something else than its page says."""

    block: Block
    found: str

    def __str__(self) -> str:
        return f"line {self.block.line} says\n{self.block.output or ''}and printed\n{self.found}"


def _body(fence: re.Match[str]) -> str:
    indent = fence["indent"]
    return re.sub(f"^{indent}", "", fence["body"], flags=re.MULTILINE) if indent else fence["body"]


def blocks_of(page: str) -> list[Block]:
    """The Python blocks of a page's text."""
    found, fences = [], [*_FENCE.finditer(page)]
    for i, fence in enumerate(fences):
        if fence["language"] != "python":
            continue
        following = fences[i + 1] if i + 1 < len(fences) else None
        is_next = following is not None and not page[fence.end() : following.start()].strip()
        title = _TITLE.search(fence["info"])
        commands = output = None
        if following and title and following["language"] == "console":
            commands = _body(following)
        elif following and is_next and following["language"] == "text":
            output = _body(following)
        line = page.count("\n", 0, fence.start("body")) + 1
        span = following.span("body") if following else (0, 0)
        found.append(Block(_body(fence), line, title and title[1], commands, output, span, fence["indent"]))
    return found


def _error(error: BaseException) -> str:
    """An error as pages show it: without the frames, which differ between installations."""
    return f"{_RAISES}\n    ...\n" + "".join(traceback.format_exception_only(error))


def _run_commands(commands: str) -> None:
    """Runs the `$` lines of a console block that call Python; what fails is raised with what it said."""
    for line in commands.splitlines():
        if not line.startswith("$ python"):
            continue
        words = [sys.executable, *shlex.split(line, comments=True)[2:]]
        words = [sys.executable if word == "python" else word for word in words]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{line}\n{done.stdout}{done.stderr}")


def _printed(block: Block, page: Path, names: dict[str, Any]) -> str:
    """What a block prints, or the error it raises where its page says that it does."""
    if block.title:
        Path(block.title).write_text(block.code, encoding="utf-8")
        _run_commands(block.commands or f"$ python {block.title}")
        return ""
    code = compile("\n" * (block.line - 1) + block.code, page.name, "exec")
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown):
            exec(code, names)
    except Exception as error:
        if not (block.output or "").startswith(_RAISES):
            raise
        return shown.getvalue() + _error(error)
    return shown.getvalue()


def _agree(block: Block, found: str) -> bool:
    """Whether a block printed what its page says. A block without a text block may print what it likes."""
    return block.output is None or doctest.OutputChecker().check_output(block.output, found, _FLAGS)


@contextlib.contextmanager
def _working_directory() -> Iterator[Path]:
    """An empty working directory with a link to the examples, for as long as a page runs."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        (folder / "figures").mkdir()
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def run(page: Path, figures: Path | None = None) -> list[Difference]:
    """Runs a page's blocks; what differs from the page is returned, and figures are copied to a folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with _working_directory() as folder:
        text = page.read_text(encoding="utf-8")
        found = [Difference(block, _printed(block, page, names)) for block in blocks_of(text)]
        for figure in (folder / "figures").iterdir() if figures else ():
            figures.mkdir(exist_ok=True)
            shutil.copy(figure, figures)
    return [difference for difference in found if not _agree(*difference)]


def write(page: Path, differences: list[Difference]) -> None:
    """Puts what was printed into the page."""
    text = page.read_text(encoding="utf-8")
    for block, found in reversed(differences):
        start, end = block.span
        lines = found.strip("\n").splitlines()
        text = text[:start] + "".join(f"{block.indent}{line}".rstrip() + "\n" for line in lines) + text[end:]
    page.write_text(text, encoding="utf-8")


def main() -> int:
    """Runs the pages that are named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="put real outputs and figures into the pages")
    options = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    failed = 0
    for page in map(Path.resolve, options.pages):
        differences = run(page, page.parent / "figures" if options.write else None)
        if options.write:
            write(page, differences)
        for difference in differences:
            print(f"{page.name}: {difference}")
        failed += bool(differences) and not options.write
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
