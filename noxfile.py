"""The tests on every Python that is installed, and with the oldest torch and NumPy that pyproject.toml allows.

    make test-matrix                               every Python
    make test-matrix ARGS="tests/gluon -x"         a part of the tests
    MXNET_NATIVE=0 make test-matrix                without the native kernels
    make test-matrix NOX="-s newest-3.12"          one Python

It tests a copy of the checkout and writes nothing into the checkout: environments, copies and compiled kernels go to a
cache folder (NOX_ENVDIR chooses another). The last thing printed is a table.
"""

import atexit
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import nox

sys.path.insert(0, str(Path(__file__).parent))

from tools.packaging.checkout import copy_checkout

PYTHONS = ["3.10", "3.11", "3.12", "3.13"]  # the classifiers in pyproject.toml, too (tests/test_packaging.py)
OLDEST_ON = "3.11"

ROOT = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "regluon"

nox.needs_version = ">=2025.2.9"
nox.options.envdir = os.environ.get("NOX_ENVDIR") or str(CACHE / "nox")
nox.options.default_venv_backend = "uv|virtualenv"  # uv links files of packages instead of copying gigabytes
nox.options.download_python = "never"
nox.options.reuse_venv = "yes"
nox.options.stop_on_first_error = False

if shutil.which("pyenv") and "PYENV_VERSION" not in os.environ:
    # `python3.12` of pyenv answers only where that version was chosen: choose all, the default one first.
    lines = [
        subprocess.run(["pyenv", *command], capture_output=True, text=True, check=False).stdout.split()
        for command in (["version-name"], ["versions", "--bare"])
    ]
    chosen = [name for part in lines[0] for name in part.split(":")]
    os.environ["PYENV_VERSION"] = ":".join(dict.fromkeys([*chosen, *lines[1]]))

HEADINGS = ("python", "torch", "numpy", "passed", "failed", "skipped", "xfailed", "seconds")
ROWS: list[tuple[str, ...]] = []


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The tests with the newest torch and NumPy that exist for this Python."""
    run_tests(session, [])


@nox.session(python=OLDEST_ON)
def oldest(session: nox.Session) -> None:
    """The tests with the oldest torch, NumPy and safetensors that pyproject.toml allows.

    No older torch: with 2.10, oneDNN refuses convolutions of compiled networks whose images have one pixel left, and
    the kernels in C++ cannot be compiled.
    """
    required = nox.project.load_toml(ROOT / "pyproject.toml")["project"]["dependencies"]
    run_tests(session, [each.replace(">=", "==") + ".*" for each in required])


def run_tests(session: nox.Session, versions: list[str]) -> None:
    """Installs a copy of the checkout, runs its tests, and adds a line to the table."""
    work = Path(session.virtualenv.location) / "work"
    checkout, report = work / "checkout", work / "report.xml"
    copy_checkout(ROOT, checkout)
    session.install("--upgrade", "-e", f"{checkout}[dev]", *versions)
    session.chdir(checkout)
    settings = {"MXNET_HOME": str(work / "home"), "PYTHONPATH": ""}
    if os.environ.get("MXNET_NATIVE") != "0":
        session.run("python", "-m", "regluon.native", "--optional", env=settings)
    ask = "import sys, torch, numpy; print(sys.version.split()[0], torch.__version__, numpy.__version__)"
    found = str(session.run("python", "-c", ask, env=settings, silent=True)).split()
    report.unlink(missing_ok=True)
    workers = os.environ.get("WORKERS", "2")
    command = ["pytest", "-q", "-n", workers, "--dist", "worksteal", "--exhaustive", f"--junitxml={report}"]
    started = time.monotonic()
    try:
        session.run("python", "-m", *command, *session.posargs, env=settings)
    finally:
        ROWS.append((*found, *counts(report), f"{time.monotonic() - started:.0f}"))


def counts(report: Path) -> tuple[str, ...]:
    """How many tests passed, failed, were skipped and failed as expected, from pytest's report."""
    if not report.exists():
        return ("-", "no result", "-", "-")
    passed = failed = skipped = expected = 0
    for case in ElementTree.parse(report).iter("testcase"):
        reason = case.find("skipped")
        if reason is not None:
            is_expected = reason.get("type") == "pytest.xfail"
            expected, skipped = expected + is_expected, skipped + (not is_expected)
        elif case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        else:
            passed += 1
    return (str(passed), str(failed), str(skipped), str(expected))


@atexit.register
def print_table() -> None:
    """The table of all sessions, after nox's own summary."""
    if ROWS:
        widths = [max(map(len, column)) for column in zip(HEADINGS, *ROWS, strict=True)]
        for row in (HEADINGS, *ROWS):
            print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
