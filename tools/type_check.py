"""Lets type checkers read programs that use the package, as their authors' editors do.

    python -m tools.type_check                     mypy, with the stubs in src/regluon: `make check` does that
    python -m tools.type_check --checker pyright   pyright, where it is installed: `npm install pyright`

tests/typing has what they read: programs that must pass as they stand, in strict mode, and mistakes, each line with
what the text about it must contain. The examples must pass as well.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "typing"
MISTAKES = FOLDER / "mistakes.py"
INFERENCE = FOLDER / "inference.py"  # for pyright alone
STRICT = (FOLDER / "programs.py", MISTAKES)
EXAMPLES = tuple(sorted((ROOT / "examples").glob("*.py")))
_MARK = re.compile(r"# error(?: \((\w+)\))?: (.+)$")  # with the only checker that finds it, where one alone does
_MYPY_LINE = re.compile(r"(.+?):(\d+): error: (.*)")
# What says nothing of the package: in examples, which need not be strict, and of variables that a loop sets.
_MYPY_LENIENT = ("[import-untyped]", "[no-any-return]")
_PYRIGHT = {
    "typeCheckingMode": "standard",
    "reportPossiblyUnboundVariable": "none",
    "reportMissingModuleSource": "none",
}


class Message(NamedTuple):
    """What a checker says about a line."""

    path: Path
    line: int
    text: str


def marks(path: Path, checker: str) -> dict[int, list[str]]:
    """The lines of a file that have a mistake, and texts of which a message of the checker must contain one."""
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if (mark := _MARK.search(line)) and mark[1] in (None, checker):
            found[number] = mark[2].split("|")
    return found


def complaints(messages: Iterable[Message], files: Sequence[Path], checker: str) -> list[str]:
    """Where messages and marks differ: messages about right lines, and mistakes that were not found."""
    expected = {(path, line): texts for path in files for line, texts in marks(path, checker).items()}
    seen, wrong = set(), []
    for message in messages:
        texts = expected.get(message[:2])
        if texts is None:
            wrong.append(f"{message.path.name}:{message.line}: not expected: {message.text}")
        elif any(text in message.text for text in texts):
            seen.add(message[:2])
    missed = [place for place in expected if place not in seen]
    return wrong + [f"{path.name}:{line}: not found: {'|'.join(expected[path, line])}" for path, line in missed]


def run_mypy(files: Sequence[Path], package: Path, cache: Path) -> list[Message]:
    """What mypy says of files that use the package in a folder."""
    options = ["--config-file=", "--strict", "--no-error-summary", "--follow-imports=silent", f"--cache-dir={cache}"]
    command = [sys.executable, "-m", "mypy", *options, *map(str, files)]
    environment = {**os.environ, "MYPYPATH": str(package)}
    result = subprocess.run(command, env=environment, cwd=ROOT, check=False, capture_output=True, text=True)
    if result.returncode not in (0, 1):
        raise RuntimeError(f"mypy failed:\n{result.stdout}{result.stderr}")
    lines = filter(None, map(_MYPY_LINE.fullmatch, result.stdout.splitlines()))
    found = [Message(ROOT / line[1], int(line[2]), line[3]) for line in lines]
    strict = set(files) - set(EXAMPLES)  # what is neither belongs to the package
    return [
        message
        for message in found
        if message.path in strict or (message.path in files and not message.text.endswith(_MYPY_LENIENT))
    ]


def find_pyright() -> list[str] | None:
    """The command of pyright: that of PYRIGHT, or one on the path; None if there is none."""
    given = os.environ.get("PYRIGHT") or shutil.which("pyright")
    return given.split() if given else None


def run_pyright(files: Sequence[Path], package: Path, scratch: Path) -> list[Message]:
    """What pyright says of files that use the package in a folder."""
    command = find_pyright()
    if command is None:
        raise RuntimeError("pyright is not installed: npm install pyright, and PYRIGHT=node_modules/.bin/pyright")
    project = scratch / "pyrightconfig.json"
    copies = {}
    for path in files:  # it reads only what lies beside its settings
        folder = scratch / path.parent.name
        folder.mkdir(exist_ok=True)
        copies[str(shutil.copy(path, folder / path.name))] = path
    folders = sorted({Path(copy).parent.name for copy in copies})
    project.write_text(json.dumps({**_PYRIGHT, "include": folders, "extraPaths": [str(package)]}), encoding="utf-8")
    command = [*command, "--project", str(project), "--outputjson", "--pythonpath", sys.executable]
    result = subprocess.run(command, cwd=scratch, check=False, capture_output=True, text=True)
    if result.returncode not in (0, 1):
        raise RuntimeError(f"pyright failed:\n{result.stdout}{result.stderr}")
    found = json.loads(result.stdout)["generalDiagnostics"]
    return [
        Message(copies[each["file"]], each["range"]["start"]["line"] + 1, f"{each['message']} [{each.get('rule')}]")
        for each in found
        if each["severity"] == "error"
    ]


def check(checker: str, package: Path, scratch: Path) -> list[str]:
    """Where a checker does not say of the programs what it must.

    Args:
        checker: "mypy" or "pyright".
        package: the folder that has mxnet, with stubs.
        scratch: a folder for what the checker keeps.
    """
    files = (*STRICT, *EXAMPLES)
    if checker == "mypy":
        return complaints(run_mypy(files, package, scratch), files, checker)
    return complaints(run_pyright((*files, INFERENCE), package, scratch), files, checker)


def main() -> int:
    """Checks, prints what is wrong, and returns the exit code."""
    parser = argparse.ArgumentParser(description="Lets a type checker read programs that use the package.")
    parser.add_argument("--checker", choices=("mypy", "pyright"), default="mypy")
    given = parser.parse_args()
    scratch = ROOT / ".mypy_cache" / given.checker
    scratch.mkdir(parents=True, exist_ok=True)
    found = check(given.checker, ROOT / "src", scratch)
    print("\n".join(found) or f"{given.checker}: the programs of tests/typing and the examples are as they should be")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
