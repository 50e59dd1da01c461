"""Implement `python -m mxnet doctor`."""

import argparse
import difflib
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from regluon import native
from regluon.cli.output import DONE, FAILED, HelpFormatter, bytes_text, describe_exits, table
from regluon.config import VARIABLES
from regluon.distributed import launched

from ..autograd import record
from ..base import MXNetError, data_dir
from ..context import num_gpus
from ..gluon import Trainer, nn
from ..gluon.loss import L2Loss
from ..libinfo import __version__, regluon_version
from ..ndarray import array
from ..runtime import Features

_OURS = "regluon"
_PACKAGE = "mxnet"


def other_installations(here: Path, distributions: Iterable[metadata.Distribution] | None = None) -> list[str]:
    """Texts about other distributions that bring a package `mxnet`.

    Args:
        here: the folder of this package.
        distributions: what is installed; by default what there is.
    """
    found = {}
    for each in metadata.distributions() if distributions is None else distributions:
        name = (each.metadata["Name"] or "").lower()
        brings = (each.read_text("top_level.txt") or "").split()
        if name != _OURS and (name == _PACKAGE or name.startswith(f"{_PACKAGE}-cu") or _PACKAGE in brings):
            found[name] = each.version
    return [
        f"{name} {version} is installed beside {_OURS} and brings a package `{_PACKAGE}` too; this one is in {here}. "
        f"Files of both may be mixed: `pip uninstall {name} {_OURS}`, then `pip install {_OURS}`."
        for name, version in sorted(found.items())
    ]


def unknown_settings(given: Sequence[str], known: Sequence[str]) -> list[str]:
    """Texts about variables of the environment that nothing here listens to, with the nearest known name."""
    texts = []
    for name in sorted(set(given) - set(known)):
        near = difflib.get_close_matches(name, known, 1, 0.85)
        meant = f" Did you mean {near[0]}?" if near else ""
        texts.append(f"{name} is set, and nothing listens to it here.{meant}")
    return texts


def self_test() -> str:
    """Trains a small network for a step, eager and compiled; says what differs from what it must be, or nothing."""
    try:
        results = [_trained(is_compiled) for is_compiled in (False, True)]
    except (MXNetError, RuntimeError, OSError) as error:
        return f"A small network cannot be trained: {error}"
    if not np.allclose(results[0], results[1], rtol=1e-4, atol=1e-6):
        return f"A small network gives {results[0]} as written and {results[1]} compiled."
    return ""


def _trained(is_compiled: bool) -> "np.ndarray":
    draw = np.random.RandomState(0)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Dense(2))
    net.initialize()
    data, label = array(draw.uniform(-1, 1, (8, 3, 8, 8))), array(draw.uniform(-1, 1, (8, 2)))
    net(data)
    for parameter in net.collect_params(".*weight").values():
        parameter.set_data(array(draw.uniform(-0.3, 0.3, parameter.shape)))
    if is_compiled:
        net.hybridize()
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(3):
        with record():
            loss = L2Loss()(net(data), label)
        loss.backward()
        trainer.step(8)
    found: np.ndarray = net(data).asnumpy().reshape(-1)[:4]
    return found


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
