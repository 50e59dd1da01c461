"""Runs other people's test suites on this library and on a real MXNet, and shows what passes there and fails here.

    python tools/peers/run.py CHECKOUTS --ours PYTHON --oracle PYTHON [--suite mxnet ...] [--file test_gluon ...]

CHECKOUTS is a folder with checkouts of the projects that `suites.toml` lists, each under the name of its `folder`. The
two interpreters need pytest and pytest-timeout, and what the projects need; the first must import this library, the
second MXNet 1.9.1. Results are kept in `--results` as JUnit files, so that a run goes on where one stopped: remove a
file to have it made again.

`differences.toml` has the reasons why tests that pass on MXNet may fail here. Exits with 1 if there are others.
"""

import argparse
import fnmatch
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import tomllib

HERE = Path(__file__).parent
FILE_LIMIT = 1800  # seconds
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclass
class Suite:
    """One project's tests; see `suites.toml`."""

    name: str
    folder: Path
    source: str
    files: list[str]
    leave_out: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    seconds: int = 120

    def test_files(self) -> list[Path]:
        """The test files of the checkout, relative to it."""
        found = {path.relative_to(self.folder) for pattern in self.files for path in self.folder.glob(pattern)}
        return sorted(path for path in found if path.as_posix() not in self.leave_out)


@dataclass
class Side:
    """One of the two libraries.

    Args:
        python: its interpreter, as a command: `env NAME=value python` sets variables.
        results: where its JUnit files go.
        environment: variables that it needs besides.
    """

    python: list[str]
    results: Path
    environment: dict[str, str]

    def run(self, suite: Suite, test_file: Path) -> dict[str, str]:
        """What became of the tests of a file, by name; from an earlier run if there was one."""
        report = self.results / suite.name / f"{test_file.as_posix().replace('/', '.')}.xml"
        if not report.exists():
            report.parent.mkdir(parents=True, exist_ok=True)
            self._pytest(suite, test_file, report)
        return dict(outcomes(report)) if report.exists() else {}

    def _pytest(self, suite: Suite, test_file: Path, report: Path) -> None:
        command = [*self.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout", str(suite.seconds)]
        command += [f"--junitxml={report}", "-o", "junit_family=xunit1", *suite.arguments, str(test_file)]
        paths = [str(suite.folder / folder) for folder in suite.path] + [str(HERE)]  # where the plugin is
        given = self.environment.get("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **self.environment}
        environment |= {name: text.format(folder=suite.folder) for name, text in suite.environment.items()}
        environment["PYTHONPATH"] = os.pathsep.join([*paths, *([given] if given else [])])
        with open(report.with_suffix(".log"), "w", encoding="utf-8") as log:
            try:
                subprocess.run(
                    command, cwd=suite.folder, env=environment, stdout=log, stderr=log, timeout=FILE_LIMIT, check=False
                )
            except subprocess.TimeoutExpired:
                log.write(f"\nstopped after {FILE_LIMIT} seconds\n")


def outcomes(report: Path) -> Iterator[tuple[str, str]]:
    """Names of tests and what became of them, from a JUnit file."""
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = FAILED if kinds & {"failure", "error"} else SKIPPED if "skipped" in kinds else PASSED
        owner = case.get("classname", "").rpartition(".")[2]
        yield f"{owner}.{case.get('name')}" if owner[:1].isupper() else str(case.get("name")), outcome


@dataclass
class Count:
    """What came out for a suite, with the tests that fail here and pass there."""

    there: int = 0
    here: int = 0
    explained: dict[str, str] = field(default_factory=dict)
    failing: list[str] = field(default_factory=list)

    def add(self, test: str, outcome: str | None, reason: str | None) -> None:
        """Counts a test that passes on MXNet."""
        self.there += 1
        if outcome == PASSED:
            self.here += 1
        elif reason is not None:
            self.explained[test] = reason
        else:
            self.failing.append(test)


def compared(suite: Suite, ours: Side, oracle: Side, reasons: dict[str, str], only: list[str]) -> Count:
    """Runs the files of a suite on both sides."""
    count = Count()
    for test_file in suite.test_files():
        if only and test_file.stem not in only:
            continue
        print(f"{suite.name}: {test_file}", file=sys.stderr, flush=True)
        expected = oracle.run(suite, test_file)
        found = ours.run(suite, test_file) if PASSED in expected.values() else {}
        for name, outcome in expected.items():
            test = f"{test_file.as_posix()}::{name}"
            if outcome == PASSED:
                count.add(test, found.get(name), reason_for(test, reasons))
    return count


def reason_for(test: str, reasons: dict[str, str]) -> str | None:
    """Why a test may fail; names in the table may have stars."""
    return next((reason for name, reason in reasons.items() if fnmatch.fnmatchcase(test, name)), None)


def table(counts: dict[str, Count]) -> str:
    """The result as text."""
    rows = [("suite", "passes on MXNet", "also here", "differs on purpose", "fails here")]
    rows += [(n, *map(str, (c.there, c.here, len(c.explained), len(c.failing)))) for n, c in counts.items()]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [" | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
    lines += [f"\n{name}: {test}" for name, count in counts.items() for test in count.failing]
    return "\n".join(lines)


def main() -> int:
    """Runs the suites and prints the table; 1 if something fails without a reason."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--ours", default=sys.executable, help="interpreter of this library")
    parser.add_argument("--oracle", default=".oracle/bin/python", help="interpreter of the real MXNet")
    parser.add_argument("--results", type=Path, default=Path("build/peers"))
    parser.add_argument("--suite", action="append", default=[], help="only this one; may be given several times")
    parser.add_argument("--file", action="append", default=[], help="only this test file, without .py; likewise")
    given = parser.parse_args()
    results = given.results.resolve()
    # Kernels that are timed round differently from call to call, which some tests compare to the last digit.
    source = str((HERE.parents[1] / "src").resolve())
    ours = Side(given.ours.split(), results / "ours", {"PYTHONPATH": source, "MXNET_AUTOTUNE": "0"})
    oracle = Side(given.oracle.split(), results / "oracle", {})
    differences = tomllib.loads((HERE / "differences.toml").read_text(encoding="utf-8"))
    counts: dict[str, Count] = {}
    for name, entry in tomllib.loads((HERE / "suites.toml").read_text(encoding="utf-8")).items():
        suite = Suite(name, **{**entry, "folder": (given.checkouts / entry["folder"]).resolve()})
        if given.suite and name not in given.suite:
            continue
        if suite.folder.is_dir():
            counts[name] = compared(suite, ours, oracle, differences.get(name, {}), given.file)
        else:
            print(f"{name}: {suite.folder} does not exist; {suite.source}", file=sys.stderr)
    print(table(counts))
    return int(any(count.failing for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
