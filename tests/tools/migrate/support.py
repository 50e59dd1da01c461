"""Reading programs from texts."""

import textwrap
from pathlib import Path

from regluon.cli.migrate.parser import read_uses
from regluon.cli.migrate.report import Report, make_report
from regluon.cli.migrate.resolver import Reading, star
from regluon.cli.migrate.sources import read


def write(folder: Path, code: str, name: str = "program.py") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(code), encoding="utf-8")
    return str(path)


def reading_of(folder: Path, code: str) -> Reading:
    source = read(write(folder, code))
    assert not source.problems
    return read_uses(source, star)


def report_of(folder: Path, code: str) -> Report:
    return make_report([read(write(folder, code))])


def states_of(folder: Path, code: str) -> dict[str, str]:
    return {name.entry.shown: name.entry.state for name in report_of(folder, code).names}
