"""Measures this library, PyTorch and the real MXNet 1.9.1 in one interleaved run and prints ratios.

    make bench                                      all of it, into benchmarks/RESULTS.md, results.json and results.png
    make bench ARGS="--only data"                   one group; the results of the others stay as they are
    make bench ARGS="--rounds 5 --dry"              quickly, without writing
    make bench ARGS="--no-compile"                  without torch.compile, which takes half of the time
    make bench ARGS="--shared"                      on a machine where other programs run: see its help

While developing, some works of a group, on some sides; prints only:

    .venv/bin/python benchmarks/run.py --only networks --work lenet_train --rounds 10 --sides torch "torch tuned" MXNet

Each side is a process of its own; every round asks each for one sample of each workload, in turn. Figures are medians
over the rounds; ratios are medians of the rounds' ratios. Where sides compute the same, their results are compared
first. goals.py has what was sought. In the group `distributed` a side is a team of processes; cost_model.py and
trace.py, to be run after it, add their parts and pictures to what it reports.
"""

import argparse
import importlib.metadata
import os
import platform
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import figures
import group_data
import group_dispatch
import group_distributed
import group_growth
import group_jobs
import group_networks
import group_operators
import group_processors
import group_startup
import group_untuned
import group_zoo
import plot
from options import Options
from sides import ENVIRONMENT, HERE, ORACLE, OUR_ENVIRONMENT, PASSIVE, use_threads

GROUPS = {
    "startup": group_startup,  # first: it measures imports
    "dispatch": group_dispatch,
    "networks": group_networks,
    "zoo": group_zoo,
    "untuned": group_untuned,
    "processors": group_processors,
    "jobs": group_jobs,
    "growth": group_growth,
    "data": group_data,
    "operators": group_operators,
    "distributed": group_distributed,
}
RESULTS, PICTURE = HERE / "RESULTS.md", HERE / "results.png"
HEAD = "# Benchmark results\n\nMade by `make bench`; run.py says how.\n"


def _oracle_version() -> str:
    if not ORACLE.exists():
        return "not installed: run `make oracle-env`"
    code = "import importlib.metadata; print(importlib.metadata.version('mxnet'))"
    return subprocess.run([str(ORACLE), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def _processor() -> str:
    """Its name and the best instructions of it that torch uses."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    code = "import torch; print(torch.backends.cpu.get_cpu_capability())"
    used = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    return f"{name or platform.processor()} ({platform.machine()}, {used})"


def section(name: str, options: Options) -> str:
    """Runs a group and returns its part of the report."""
    load, started = os.getloadavg()[0], time.time()
    lines = GROUPS[name].report(options)
    machine = f"{_processor()}, {os.cpu_count()} cores, {ENVIRONMENT['OMP_NUM_THREADS']} threads"
    versions = (
        f"Python {platform.python_version()}, torch {importlib.metadata.version('torch')}, MXNet {_oracle_version()}"
    )
    how = (
        f"Measured {date.today()}, {machine}, load {load:.1f} before it began, {versions}; {options.rounds} rounds in "
        f"{time.time() - started:.0f} s, medians, in brackets the 10th and 90th percentile of the rounds' ratios."
        + (" Threads of all sides waited without spinning." if PASSIVE in ENVIRONMENT else "")
    )
    return "\n".join([f"## {GROUPS[name].TITLE}", "", how, "", *lines, ""])


def _write(sections: dict[str, str]) -> None:
    """Puts new sections into the file; those of other groups stay."""
    old = RESULTS.read_text(encoding="utf-8").split("\n## ")[1:] if RESULTS.exists() else []
    kept = {text.partition("\n")[0]: f"## {text.rstrip()}\n" for text in old}
    texts = [sections.get(name) or kept.get(group.TITLE) for name, group in GROUPS.items()]
    RESULTS.write_text("\n".join([HEAD, *filter(None, texts)]), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=GROUPS, nargs="+", default=list(GROUPS), help="groups to run")
    parser.add_argument(
        "--work",
        choices=[work for group in GROUPS.values() for work in group.NAMES],
        metavar="WORK",
        nargs="+",
        default=[],
        help="only these rows of the groups' tables; prints only. One of: "
        + "; ".join(f"{name}: {', '.join(group.NAMES)}" for name, group in GROUPS.items()),
    )
    parser.add_argument(
        "--sides",
        choices=list(group_networks.MODES),
        metavar="SIDE",
        nargs="+",
        default=[],
        help=f"sides to measure networks on; prints only. Of: {', '.join(map(repr, group_networks.MODES))}",
    )
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="leave torch.compile out")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1), help="of each side")
    parser.add_argument("--source", help="folder with the package to measure in place of this checkout's; prints only")
    parser.add_argument(
        "--file-megabytes", type=int, default=2000, help="size of the file that growth loads; 200 for a quick run"
    )
    parser.add_argument("--dry", action="store_true", help="print only")
    parser.add_argument(
        "--shared",
        action="store_true",
        help="let threads of all sides sleep while they wait for each other; spinning, as they do otherwise, makes "
        "short operators many times slower where other programs use the cores too",
    )
    return parser


def _compile_kernels() -> None:
    """Ours; where there is no compiler, torch's are measured."""
    done = subprocess.run(
        [sys.executable, "-m", "regluon.native"],
        env={**os.environ, **OUR_ENVIRONMENT},
        check=False,
        capture_output=True,
        text=True,
    )
    print("Without kernels in C++." if done.returncode else "With kernels in C++.", done.stderr, flush=True)


def main() -> None:
    """Command line."""
    asked = _parser().parse_args()
    use_threads(asked.threads)
    group_growth.use_file_of(asked.file_megabytes)
    if asked.shared:
        ENVIRONMENT[PASSIVE] = "passive"
    if asked.source:
        OUR_ENVIRONMENT["PYTHONPATH"] = str(Path(asked.source).resolve())
    _compile_kernels()
    options = Options(asked.rounds, asked.work, asked.sides, asked.compile)
    sections = {}
    for name in asked.only:
        if not options.works(GROUPS[name].NAMES):
            continue
        sections[name] = section(name, options)
        print(sections[name], flush=True)
    if not (asked.dry or asked.work or asked.sides or asked.source):
        _write(sections)
        print(plot.written(options, PICTURE))
        figures.store_tables()
        print("Pages that quote these figures: python benchmarks/figures.py --write")


if __name__ == "__main__":
    main()
