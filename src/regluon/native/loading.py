"""Which kernels this process uses: chosen once, when the package is imported, and the same until the process ends.

Libraries are looked for in this order:

1. What `python -m regluon.native` built for this processor, under MXNET_HOME.
2. What came with the package in a platform wheel: `compiled/`, the best instruction set that the processor has.

MXNET_NATIVE=0 uses none; MXNET_NATIVE=x86-64-v3 (or another level) uses libraries of that level only.
"""

import importlib.machinery
import importlib.util
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import torch

from ..config import process, switches
from ..config import read as read_setting
from .building import fits_torch, folder, kernels_in, rebuild_command, runner_in
from .compiling import KERNELS, RUNNER, source_digest
from .levels import NAMES, NATIVE, available
from .sealing import facts_of, fault

PACKAGED = Path(__file__).parent / "compiled"
_log = logging.getLogger("mxnet")


class Library(NamedTuple):
    """The kernels that a process has."""

    operators: Any = None  # torch.ops.regluon
    runner: ModuleType | None = None
    level: str = ""  # the instruction set
    path: Path | None = None
    note: str = ""  # why there are no kernels, or no runner

    def __str__(self) -> str:
        if self.operators is None:
            return f"torch's kernels are used: {self.note}"
        return f"{self.level}, {self.path}" + (f"; {self.note}" if self.note else "")


class _Found(NamedTuple):
    """Libraries that may be loaded."""

    kernels: Path
    runner: Path | None
    level: str
    package: Path | None  # for those of the wheel


def torch_release() -> str:
    """The version of torch without the part that tells CPU and GPU builds apart: their headers are the same."""
    return torch.__version__.partition("+")[0]


def packaged_kernels(level: str) -> Path:
    """Where a wheel has the kernels of a level."""
    return PACKAGED / f"{KERNELS}.{level}.so"


def packaged_runner() -> Path:
    """Where a wheel has the runner for this torch and this Python."""
    return PACKAGED / f"{RUNNER}.torch{torch_release()}.{sys.implementation.cache_tag}.so"


def load(request: str) -> Library:
    """The kernels that a setting of MXNET_NATIVE asks for, if there are any; warns once of those that are unusable."""
    if request == "0":
        return Library(note="MXNET_NATIVE=0")
    if request not in ("", "1", NATIVE, *NAMES):
        return _refused(f"MXNET_NATIVE={request}; expected 0, 1 or one of {', '.join(NAMES)}")
    if request in NAMES and request not in available():
        return _refused(f"MXNET_NATIVE={request}, but this processor lacks some of its instructions")
    if not fits_torch():
        return Library(note=f"the kernels in C++ are not written for torch {torch.__version__}")
    found, wrong = None, []
    for candidate in _candidates(request):
        text = _fault(candidate)
        if not text:
            try:
                found = _loaded(candidate)
                break
            except OSError as error:  # from a machine with other system libraries
                text = f"{candidate.kernels} could not be loaded: {error}"
        wrong.append(text)
    if wrong:
        _log.warning("Kernels in C++ are ignored: %s. `%s` compiles them again.", "; ".join(wrong), rebuild_command())
    return found or Library(note=wrong[0] if wrong else _absence(request))


def _refused(text: str) -> Library:
    _log.warning("%s. Torch's kernels are used.", text)
    return Library(note=text)


def _candidates(request: str) -> list[_Found]:
    """What there is, best first."""
    found = []
    level = request if request in NAMES else NATIVE
    own = folder(level)
    if own is not None and kernels_in(own).exists():
        found.append(_Found(kernels_in(own), runner_in(own), level, None))
    if request != NATIVE:
        wanted = [request] if request in NAMES else available()
        best = next((each for each in wanted if packaged_kernels(each).exists()), None)
        if best is not None:
            runner = packaged_runner()
            found.append(_Found(packaged_kernels(best), runner if runner.exists() else None, best, PACKAGED.parent))
    return found


def _fault(found: _Found) -> str:
    for path in (found.kernels, found.runner):
        text = "" if path is None else fault(path, found.package)
        if text:
            return text
    if found.package is not None and facts_of(found.kernels).get("sources") != source_digest():
        return f"{found.kernels} was built from other sources"
    return ""


def _loaded(found: _Found) -> Library:
    """Loads libraries; kernels stay loaded when the runner cannot be, since no others fit into the same process."""
    torch.ops.load_library(str(found.kernels))
    runner, note = (
        None,
        f"without the runner, which the wheel does not have for torch {torch_release()} and this Python",
    )
    if found.runner is not None:
        try:
            runner, note = _module(found.runner), ""
        except ImportError as error:
            note = f"without the runner, which could not be loaded: {error}"
            _log.warning("%s %s. `%s` compiles it again.", found.kernels, note, rebuild_command())
    return Library(torch.ops.regluon, runner, found.level, found.kernels, note)


def _module(path: Path) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(RUNNER, str(path))
    spec = importlib.util.spec_from_file_location(RUNNER, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _absence(request: str) -> str:
    """Why there are no libraries at all."""
    what = f"kernels of level {request}" if request in NAMES else "kernels in C++ for this processor"
    return f"there are no {what}; `{rebuild_command()}` compiles them"


the_library = load(read_setting("MXNET_NATIVE"))
if the_library.runner is not None and read_setting("MXNET_CPU_MEM_POOL") != "0":
    the_library.runner.keep_blocks()
    process.release_memory = the_library.runner.release_blocks


def library() -> Library:
    """The kernels of this process."""
    return the_library


def runner() -> ModuleType | None:
    """The module that runs captured programs; None where there is none."""
    return the_library.runner


def kernels() -> Any:
    """`torch.ops.regluon`, the operators of our own; None where there are none, or torch's alone are wanted."""
    return None if switches.as_written else the_library.operators


def version() -> str:
    """A name for the kernels of this process; empty where there are none."""
    return "" if the_library.path is None else f"{source_digest()}-{the_library.level}"


def watch(leaf: torch.Tensor, slot: Any) -> None:
    """Has the gradient of a leaf go to a GradientSlot as soon as torch has it."""
    module = the_library.runner
    if module is None:
        leaf.register_post_accumulate_grad_hook(slot)
    else:
        module.watch(leaf, slot)


def connect(heads: Sequence[torch.Tensor]) -> None:
    """Prepares the graph behind tensors for a collection of gradients: runs of programs deliver theirs otherwise."""
    if the_library.runner is not None:
        the_library.runner.connect(heads)


def forget_calls() -> None:
    """Has calls of operators made in Python again: something that decides what they ask torch for has changed."""
    if the_library.runner is not None:
        the_library.runner.forget_calls()
