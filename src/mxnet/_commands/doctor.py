"""`python -m mxnet doctor`: what this installation is, and what is wrong with it."""

import argparse
import os
import platform
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from regluon import native
from regluon.cli.exits import DONE, FAILED, HelpFormatter, describe_exits
from regluon.cli.text import bytes_text, table
from regluon.config import VARIABLES
from regluon.distributed import launched

from ..base import MXNetError, data_dir
from ..context import num_gpus
from ..libinfo import __version__, regluon_version
from ..runtime import Features
from .doctor_checks import other_installations, self_test, unknown_settings

_EXITS = {DONE: "nothing is wrong", FAILED: "something is wrong; each PROBLEM line says what to do"}
_LEAST_DISK = 1 << 30
_THREAD_SETTINGS = ("OMP_", "MKL_", "KMP_", "OPENBLAS_")
_OPTIONAL = {
    "opencv-python-headless": "mx.image decodes images with it: pip install 'regluon[image]'",
    "onnx": "mx.onnx: pip install 'regluon[onnx]'",
    "tensorboard": "TensorBoardHandler writes with it: pip install 'regluon[tensorboard]'",
}
_PROVIDED_BY = {"opencv-python-headless": ("opencv-python", "opencv-contrib-python", "opencv-python-headless")}


class Report(NamedTuple):
    """What was found: rows of a table, what is wrong, and what is only worth knowing."""

    rows: list[tuple[str, str]]
    problems: list[str]
    notes: list[str]

    def add(self, name: str, text: object) -> None:
        """A row."""
        self.rows.append((name, str(text)))


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "doctor",
        help="show what this installation is, and what is wrong with it",
        description="Prints versions, devices, kernels and whether they are used, threads, settings, and what is "
        "wrong, with the way out. Put the output into reports of errors.",
        epilog=describe_exits(_EXITS),
        formatter_class=HelpFormatter,
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the report; return FAILED if something is wrong."""
    report = examine()
    print("\n".join(table(report.rows)))
    for note in report.notes:
        print(f"note: {note}")
    for problem in report.problems:
        print(f"PROBLEM: {problem}")
    print(f"{len(report.problems)} problems" if report.problems else "Nothing is wrong.")
    return FAILED if report.problems else DONE


def examine() -> Report:
    """Looks at everything."""
    report = Report([], [], [])
    for look in (_versions, _devices, _kernels, _threads, _settings, _processes, _disk, _packages):
        look(report)
    text = self_test()
    report.add("self test", text or "a network was trained for a step, eager and compiled alike")
    if text:
        report.problems.append(f"{text} Try MXNET_NATIVE=0, then MXNET_AUTOTUNE=0: the one that helps tells where.")
    return report


def _versions(report: Report) -> None:
    report.add("regluon", f"{regluon_version}, as MXNet {__version__}, in {Path(__file__).parents[1]}")
    report.add("python", f"{platform.python_version()}, {sys.executable}")
    report.add("torch", torch.__version__)
    report.add("numpy", np.__version__)
    report.add("system", f"{platform.platform()}, {platform.machine()}")
    for text in other_installations(Path(__file__).parents[1]):
        report.problems.append(text)


def _devices(report: Report) -> None:
    count = num_gpus()
    names = [torch.cuda.get_device_name(number) for number in range(count)] if torch.cuda.is_available() else []
    report.add("devices", ", ".join(["cpu", *(f"gpu({n}) {name}" for n, name in enumerate(names))]))
    report.add("processor", f"{_processor()}; {', '.join(native.levels.available()) or 'no level of the wheels'}")
    if not count and shutil.which("nvidia-smi"):
        report.problems.append(
            f"There is an NVIDIA driver, but torch {torch.__version__} sees no GPU. Install a CUDA build of torch: "
            "https://pytorch.org/get-started/locally/."
        )


def _processor() -> str:
    first = native.levels.processor().partition("\n")[0]
    return first.partition(":")[2].strip() or first or platform.machine()


def _kernels(report: Report) -> None:
    report.add("kernels", native.library())
    on = [name for name, feature in Features().items() if feature.enabled and not name.startswith("CPU_")]
    report.add("features", ", ".join(on))
    used = native.library()
    if used.operators is None and "MXNET_NATIVE=0" not in used.note:
        report.notes.append(
            f"Kernels in C++ are not used: {used.note}. `python -m regluon.native` builds them; many programs "
            "run faster."
        )


def _threads(report: Report) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = torch.get_num_threads()
    report.add(
        "threads", f"{threads} for operators, {torch.get_num_interop_threads()} between them, {cores} processors"
    )
    if threads > cores:
        report.problems.append(
            f"Operators use {threads} threads on {cores} processors, which slows them down. Set "
            f"OMP_NUM_THREADS={cores}."
        )
    elif threads == 1 < cores:
        report.notes.append(f"Operators use one thread of {cores}; OMP_NUM_THREADS={cores} would use all.")


def _settings(report: Report) -> None:
    given = {name: value for name, value in os.environ.items() if name.startswith(("MXNET_", *_THREAD_SETTINGS))}
    report.add("settings", ", ".join(f"{name}={value}" for name, value in sorted(given.items())) or "none")
    report.notes.extend(unknown_settings([name for name in given if name.startswith("MXNET_")], list(VARIABLES)))


def _processes(report: Report) -> None:
    try:
        found = launched()
    except MXNetError as error:
        report.add("launched", "in a way that cannot be read")
        report.problems.append(f"{error} Start with `python -m mxnet.launch -n 4 train.py`.")
        return
    report.add(
        "launched", "no" if found is None else f"rank {found.rank} of {found.size}, {found.address}:{found.port}"
    )
    if not torch.distributed.is_available():
        report.notes.append("This torch has no torch.distributed: training with several processes is not possible.")


def _disk(report: Report) -> None:
    home = Path(data_dir())
    there = next((folder for folder in (home, *home.parents) if folder.exists()), Path("."))
    free = shutil.disk_usage(there).free
    report.add("files", f"{home}, {bytes_text(free)} free")
    if not os.access(there, os.W_OK):
        report.problems.append(
            f"{there} cannot be written to, so nothing can be fetched or remembered. Set MXNET_HOME to another folder."
        )
    if free < _LEAST_DISK:
        report.problems.append(f"{there} has {bytes_text(free)} left. Free some, or set MXNET_HOME to another disk.")


def _packages(report: Report) -> None:
    installed = []
    for package, purpose in _OPTIONAL.items():
        version = next(filter(None, map(_version, _PROVIDED_BY.get(package, (package,)))), "")
        if version:
            installed.append(f"{package} {version}")
        else:
            report.notes.append(f"{package} is not installed. {purpose}.")
    report.add("optional", ", ".join(installed) or "none")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
