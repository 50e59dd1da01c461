"""Which kernels this process uses: chosen once, when the package is imported, and the same until the process ends.

Libraries are looked for in this order:

1. What `python -m mxnet.native` built for this processor, under MXNET_HOME.
2. What came with the package in a platform wheel: `compiled/`, the best instruction set that the processor has.

MXNET_NATIVE=0 uses none; MXNET_NATIVE=x86-64-v3 (or another level) uses libraries of that level only.
"""

import importlib.machinery
import importlib.util
import logging
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import torch

from ..config import read as read_setting
from . import levels
from .building import folder, kernels_in, rebuild_command, runner_in, supports_torch
from .compiling import KERNELS, RUNNER, source_digest
from .sealing import fault, facts_of

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
    """The kernels that a setting of MXNET_NATIVE asks for, as far as there are any; warns once of unusable ones."""
    if request == "0":
        return Library(note="MXNET_NATIVE=0")
    if request not in ("", "1", levels.NATIVE, *levels.NAMES):
        _log.warning(
            "MXNET_NATIVE=%s; expected 0, 1 or one of %s. Torch's kernels are used.", request, ", ".join(levels.NAMES)
        )
        return Library(note=f"MXNET_NATIVE={request} is none of 0, 1, {', '.join(levels.NAMES)}")
    if not supports_torch(torch.__version__):
        return Library(note=f"the kernels in C++ are not written for torch {torch.__version__}")
    if request in levels.NAMES and request not in levels.available():
        _log.warning(
            "MXNET_NATIVE=%s, but this processor lacks some of its instructions. Torch's kernels are used.", request
        )
        return Library(note=f"this processor is not of level {request}")
    wrong = []
    for found in _candidates(request):
        text = _fault(found)
        if not text:
            try:
                return _loaded(found)
            except (ImportError, OSError) as error:  # from a machine with other system libraries
                text = f"{found.kernels} could not be loaded: {error}"
        wrong.append(text)
    if wrong:
        _log.warning("Kernels in C++ are ignored: %s. `%s` compiles them again.", "; ".join(wrong), rebuild_command())
    return Library(note=wrong[0] if wrong else _absence(request))


def _candidates(request: str) -> list[_Found]:
    """What there is, best first."""
    found = []
    own = folder(request if request in levels.NAMES else levels.NATIVE)
    if own is not None and kernels_in(own).exists():
        found.append(
            _Found(kernels_in(own), runner_in(own), request if request in levels.NAMES else levels.NATIVE, None)
        )
    if request != levels.NATIVE and PACKAGED.is_dir():
        wanted = [request] if request in levels.NAMES else levels.available()
        paths = ((level, packaged_kernels(level)) for level in wanted)
        runner = packaged_runner()
        best = next(((level, path) for level, path in paths if path.exists()), None)
        if best is not None:
            found.append(_Found(best[1], runner if runner.exists() else None, best[0], PACKAGED.parent))
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
    torch.ops.load_library(str(found.kernels))
    note = "" if found.runner else f"no runner of captured programs for torch {torch_release()} and this Python"
    runner = None if found.runner is None else _module(found.runner)
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
    made_for = sorted(
        {match.group(1) for path in PACKAGED.glob("*.so") if (match := re.search(r"torch([\d.]+\d)", path.name))}
    )
    packaged = f"; those of the wheel are for torch {', '.join(made_for)}, not {torch_release()}" if made_for else ""
    what = f"kernels of level {request}" if request in levels.NAMES else "kernels in C++"
    return f"there are no {what}{packaged}; `{rebuild_command()}` compiles them"


the_library = load(read_setting("MXNET_NATIVE"))


def library() -> Library:
    """The kernels of this process."""
    return the_library


def runner() -> ModuleType | None:
    """The module that runs captured programs; None where there is none."""
    return the_library.runner


def kernels() -> Any:
    """`torch.ops.regluon`, the operators of our own; None where there are none."""
    return the_library.operators


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
