"""Measure this project, PyTorch and the real MXNet 1.9.1 in one interleaved run and print ratios.

    make bench                                      all groups, into RESULTS.md, results.json and results.png
    make bench ARGS="--only data"                   one group; the results of the others stay as they are
    make bench ARGS="--rounds 5 --dry"              a quick run that writes nothing
    make bench ARGS="--no-compile"                  without torch.compile, which takes half of the time
    make bench ARGS="--shared"                      on a machine where other programs run: see --help
    python benchmarks/run.py --list                 print every workload and its request to each side
    python benchmarks/run.py --only networks --work lenet_train --rounds 10 --sides torch "torch tuned" MXNet

Each side is a process of its own; every round asks each side for one sample of each workload, in turn. Figures are
medians over the rounds; ratios are medians of the rounds' ratios. Where sides compute the same, their results are
compared first. In the group `distributed` a side is a team of processes; cost_model.py and trace.py, run after it, add
their parts and pictures to its section.

How the files fit together: workloads.py registers the workloads. report_*.py measure a group each, with sides.py, which
starts the adapters (adapter_mxnet.py, adapter_torch.py) as processes. An adapter answers the requests of worker.py with
the shared tasks (tasks.py) and its own networks (networks_*.py). goals.py has the goals, tables.py the Markdown.
"""

import argparse
import importlib.metadata
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import figures
import pictures
import report_costs
import report_distributed
import report_networks
import report_processors
import report_tables
from sides import ENVIRONMENT, HERE, ORACLE, OUR_ENVIRONMENT, PASSIVE, Options, thread_variables
from workloads import GROUPS, MODES, WORKLOADS, select

REPORTS: dict[str, Callable[[Options], list[str]]] = {
    "startup": report_costs.report_startup,
    "dispatch": report_tables.report_dispatch,
    "networks": report_networks.report,
    "zoo": report_tables.report_zoo,
    "untuned": report_tables.report_untuned,
    "processors": report_processors.report,
    "jobs": report_tables.report_jobs,
    "growth": report_costs.report_growth,
    "data": report_tables.report_data,
    "operators": report_tables.report_operators,
    "distributed": report_distributed.report,
}
RESULTS, PICTURE = HERE / "RESULTS.md", HERE / "results.png"
HEAD = "# Benchmark results\n\nMade by `make bench`; run.py says how.\n"


def list_workloads() -> Iterator[str]:
    """Yield a line per workload and one per side: the request, and the keys in results.json."""
    for workload in WORKLOADS:
        yield f"{workload.group} {workload.name}: {workload.timed}"
        yield from (f"    {side}: {request}" for side, request in workload.requests.items())
        yield f"    results.json: {', '.join(workload.keys) or 'none, stated in a sentence'}"


def _oracle_version() -> str:
    if not ORACLE.exists():
        return "not installed: run `make oracle-env`"
    code = "import importlib.metadata; print(importlib.metadata.version('mxnet'))"
    return subprocess.run([str(ORACLE), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def _processor() -> str:
    """Return the processor's name and the best instruction set that torch uses."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    code = "import torch; print(torch.backends.cpu.get_cpu_capability())"
    used = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    return f"{name or platform.processor()} ({platform.machine()}, {used})"


def section(group: str, options: Options) -> str:
    """Measure a group and return its section of the report."""
    load, started = os.getloadavg()[0], time.time()
    lines = REPORTS[group](options)
    machine = f"{_processor()}, {os.cpu_count()} cores, {ENVIRONMENT['OMP_NUM_THREADS']} threads"
    versions = (
        f"Python {platform.python_version()}, torch {importlib.metadata.version('torch')}, MXNet {_oracle_version()}"
    )
    how = (
        f"Measured {date.today()}, {machine}, load {load:.1f} before it began, {versions}; {options.rounds} rounds in "
        f"{time.time() - started:.0f} s, medians, in brackets the 10th and 90th percentile of the rounds' ratios."
        + (" Threads of all sides waited without spinning." if PASSIVE in ENVIRONMENT else "")
    )
    return "\n".join([f"## {GROUPS[group]}", "", how, "", *lines, ""])


def _write(sections: dict[str, str]) -> None:
    """Write new sections to the report; those of other groups stay."""
    old = RESULTS.read_text(encoding="utf-8").split("\n## ")[1:] if RESULTS.exists() else []
    kept = {text.partition("\n")[0]: f"## {text.rstrip()}\n" for text in old}
    texts = [sections.get(group) or kept.get(title) for group, title in GROUPS.items()]
    RESULTS.write_text("\n".join([HEAD, *filter(None, texts)]), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print all workloads with their requests and exit")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=GROUPS, nargs="+", default=list(GROUPS), help="groups to run")
    parser.add_argument(
        "--work",
        choices=[workload.name for workload in WORKLOADS],
        metavar="WORK",
        nargs="+",
        default=[],
        help="workloads to run; prints only. --list prints their names",
    )
    parser.add_argument(
        "--sides",
        choices=list(MODES),
        metavar="SIDE",
        nargs="+",
        default=[],
        help=f"sides to measure networks on; prints only. Of: {', '.join(map(repr, MODES))}",
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
        help="let threads of all sides sleep while they wait for each other; spinning, the default, makes short "
        "operators many times slower where other programs use the cores too",
    )
    return parser


def _compile_kernels() -> None:
    """Compile this project's kernels; without a compiler, torch's are measured."""
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
    arguments = _parser().parse_args()
    if arguments.list:
        print("\n".join(list_workloads()))
        return
    ENVIRONMENT.update(thread_variables(arguments.threads))
    if arguments.shared:
        ENVIRONMENT[PASSIVE] = "passive"
    if arguments.source:
        OUR_ENVIRONMENT["PYTHONPATH"] = str(Path(arguments.source).resolve())
    _compile_kernels()
    options = Options(arguments.rounds, arguments.work, arguments.sides, arguments.compile, arguments.file_megabytes)
    sections = {}
    for group in arguments.only:
        if not options.select(select(group)):
            continue
        sections[group] = section(group, options)
        print(sections[group], flush=True)
    if not (arguments.dry or arguments.work or arguments.sides or arguments.source):
        _write(sections)
        print(pictures.store(options, PICTURE))
        figures.store_tables()
        print("Pages that quote these figures: python benchmarks/figures.py --write")


if __name__ == "__main__":
    main()
