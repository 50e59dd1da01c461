"""The command line of `python -m mxnet migrate`."""

import argparse
import json
import os
import sys

from ...formats.atomic import atomic_write
from ..output import DONE, FAILED, USAGE, HelpFormatter, Targets, add_force, describe_exits, progress
from .html_report import as_html
from .report import as_json, make_report
from .sources import SUFFIXES, find_files, read
from .text_report import as_text, as_text_by_file

_EXITS = {
    DONE: "everything works",
    FAILED: "something is missing, a program cannot be read, or the report cannot be written; with --strict, also if "
    "something differs",
    USAGE: "the command line is wrong, or names no programs",
}
_EXAMPLES = """python -m mxnet migrate train.py
python -m mxnet migrate src notebooks --html report.html
python -m mxnet migrate . --exclude tests --json"""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "migrate",
        help="show what a program uses of MXNet, and what of it works here",
        description="Reads Python programs and notebooks, and says which names of MXNet they use, where, whether these "
        "work here, how they differ from MXNet 1.9.1, and what one would write with PyTorch. Nothing of the programs "
        "is run or imported.",
        epilog=describe_exits(_EXITS, _EXAMPLES),
        formatter_class=HelpFormatter,
    )
    parser.add_argument("path", nargs="+", help="programs, notebooks, and folders of them")
    parser.add_argument("--by-file", action="store_true", help="list names file by file")
    parser.add_argument("--all", action="store_true", help="show all names that work, not only the most used")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--html", metavar="FILE", help="write the report as a page to look at, too")
    add_force(parser)
    parser.add_argument("--strict", action="store_true", help="exit with 1 also if something differs from MXNet 1.9.1")
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="leave out paths that match, or with such a part",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Reads, and prints the report."""
    absent = [path for path in args.path if not os.path.exists(path)]
    if absent:
        return _wrong(f"there is no file or folder {', '.join(absent)}.")
    files = find_files(args.path, args.exclude)
    if not files:
        return _wrong(f"there are no files that end in {' or '.join(SUFFIXES)} in {', '.join(args.path)}.")
    targets = Targets([args.html] if args.html else [], "migrate", "Give another name with --html", args.force)
    targets.expect_new()
    report = make_report(map(read, progress(files, len(files), "migrate: reading program")))
    if args.html:
        with targets.save(), atomic_write(args.html, "migrate") as file:
            file.write(as_html(report, ", ".join(args.path)).encode())
    if args.json:
        print(json.dumps(as_json(report, args.strict), indent=1, ensure_ascii=False))
    else:
        print(as_text_by_file(report) if args.by_file else as_text(report, args.all))
    return report.status(args.strict)


def _wrong(text: str) -> int:
    print(f"python -m mxnet migrate: {text}", file=sys.stderr)
    return USAGE
