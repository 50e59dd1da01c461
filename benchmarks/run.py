"""Measures this library, PyTorch and the real MXNet 1.9.1 in one interleaved run and prints ratios.

    make bench                              all of it, into benchmarks/RESULTS.md
    make bench ARGS="--only data"           one group; the results of the others stay as they are
    make bench ARGS="--rounds 5 --dry"      quickly, without writing
    make bench ARGS="--shared"              on a machine where other programs run: see its help

Each side is a process of its own; every round asks each for one sample of each workload, in turn. Figures are medians
over the rounds; ratios are medians of the rounds' ratios. Where sides compute the same, their results are compared
first.
"""

import argparse
import importlib.metadata
import os
import platform
import subprocess
import time
from datetime import date

import group_data
import group_eager
import group_hybridize
import group_operators
from sides import ENVIRONMENT, HERE, ORACLE

GROUPS = {"eager": group_eager, "hybridize": group_hybridize, "data": group_data, "operators": group_operators}
RESULTS = HERE / "RESULTS.md"
PASSIVE = "OMP_WAIT_POLICY"
HEAD = "# Benchmark results\n\nMade by `make bench`; run.py says how.\n"


def _oracle_version() -> str:
    if not ORACLE.exists():
        return "not installed: run `make oracle-env`"
    code = "import importlib.metadata; print(importlib.metadata.version('mxnet'))"
    return subprocess.run([str(ORACLE), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def section(name: str, rounds: int) -> str:
    """Runs a group and returns its part of the report."""
    load, started = os.getloadavg()[0], time.time()
    lines = GROUPS[name].report(rounds)
    how = (
        f"Measured {date.today()}, {platform.machine()}, {os.cpu_count()} cores, load {load:.1f} before it began, "
        f"Python {platform.python_version()}, torch {importlib.metadata.version('torch')}, MXNet {_oracle_version()}; "
        f"{rounds} rounds in {time.time() - started:.0f} s, medians, in brackets the 10th and 90th percentile of the "
        "rounds' ratios." + (" Threads of all sides waited without spinning." if PASSIVE in ENVIRONMENT else "")
    )
    return "\n".join([f"## {GROUPS[name].TITLE}", "", how, "", *lines, ""])


def _write(sections: dict[str, str]) -> None:
    """Puts new sections into the file; those of other groups stay."""
    old = RESULTS.read_text(encoding="utf-8").split("\n## ")[1:] if RESULTS.exists() else []
    kept = {text.partition("\n")[0]: f"## {text.rstrip()}\n" for text in old}
    texts = [sections.get(name) or kept.get(group.TITLE) for name, group in GROUPS.items()]
    RESULTS.write_text("\n".join([HEAD, *filter(None, texts)]), encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", choices=GROUPS, nargs="+", default=list(GROUPS), help="groups to run")
    parser.add_argument("--dry", action="store_true", help="print only")
    parser.add_argument(
        "--shared",
        action="store_true",
        help="let threads of all sides sleep while they wait for each other; spinning, as they do otherwise, makes "
        "short operators many times slower where other programs use the cores too",
    )
    options = parser.parse_args()
    if options.shared:
        ENVIRONMENT[PASSIVE] = "passive"
    sections = {}
    for name in options.only:
        sections[name] = section(name, options.rounds)
        print(sections[name], flush=True)
    if not options.dry:
        _write(sections)


if __name__ == "__main__":
    main()
