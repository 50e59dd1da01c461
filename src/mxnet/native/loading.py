"""Finding the compiled kernels, and having them compiled when a process works long enough for it to pay off."""

import importlib.machinery
import importlib.util
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from ..base import MXNetError
from ..config import read as read_setting
from .building import NAME, failure, folder, library, start
from .sealing import fault

_PATIENCE = 20.0  # seconds from the first wish to the start of a compiler: short programs do without
_log = logging.getLogger("mxnet")


class _Library:
    """The kernels, as far as this process has them."""

    def __init__(self) -> None:
        self.module: ModuleType | None = None
        self.version = ""
        self._is_settled = False  # whether it is known that there are none
        self._is_rejected = False  # whether there are some that must not be loaded
        self._place: Path | None = None
        self._wished_at = 0.0
        self._compiler: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def get(self) -> ModuleType | None:
        """The module, or None as long as there is none."""
        if self.module is not None or self._is_settled:
            return self.module
        if not self._lock.acquire(blocking=False):
            return None
        try:
            self._look()
            self._announce()
        finally:
            self._lock.release()
        return self.module

    def get_built(self) -> None:
        """Takes kernels that were compiled earlier; whether they will be wanted is left open."""
        place = folder() if self.module is None and not self._is_rejected and _are_allowed() else None
        if place is not None and library(place).exists():
            with self._lock:
                self._take(place)
                self._announce()

    def _announce(self) -> None:
        if self.module is not None:
            for function in _waiting:
                function(self.module)

    def _look(self) -> None:
        if self._place is None:
            self._is_settled = not _are_allowed()
            if self._is_settled:
                return
            self._place, self._wished_at = folder(), time.monotonic()
            if self._place is None:
                self._is_settled = True
            else:
                self._take(self._place)
        elif self._compiler is not None:
            if self._compiler.poll() is not None:
                self._compiler = None
                self._take(self._place)
                self._is_settled = self.module is None
        elif time.monotonic() - self._wished_at > _PATIENCE:
            self._compile(self._place)

    def _take(self, place: Path) -> None:
        """Loads the kernels if they are there."""
        if failure(place).exists():
            self._is_settled = True
            _log.warning("torch's kernels are used where kernels in C++ could not be compiled; see %s", failure(place))
        elif library(place).exists():
            wrong = fault(library(place))
            if wrong:
                self._reject(wrong)
                return
            try:
                self.module, self.version = _loaded(library(place)), place.name
            except ImportError as error:  # from a machine with other libraries, which shares the folder
                self._is_settled = True
                _log.warning("torch's kernels are used where kernels in C++ could not be loaded: %s", error)

    def _reject(self, wrong: str) -> None:
        """Says once why there are no kernels, and how to get them; a process that works long compiles them anew."""
        if not self._is_rejected:
            self._is_rejected = True
            _log.warning(
                "torch's kernels are used: %s. `%s -m mxnet.native` compiles the kernels in C++ again.",
                wrong,
                sys.executable or "python",
            )

    def _compile(self, place: Path) -> None:
        try:
            place.mkdir(parents=True, exist_ok=True)
            self._compiler = start(place)
        except OSError:
            self._is_settled = True  # a home that cannot be written to, or no processes: torch's kernels do

    def take(self, place: Path) -> None:
        """Loads the kernels of a folder.

        Raises:
            MXNetError: there are none.
        """
        with self._lock:
            self._take(place)
        if self.module is None:
            raise MXNetError(f"[native] there are no compiled kernels in {place}; build() makes them.")

    def begin_in_child(self) -> None:
        """After a fork: another thread may have held the lock, and the compiler is the parent's child."""
        self._lock, self._compiler = threading.Lock(), None


def _are_allowed() -> bool:
    return "0" not in (read_setting("MXNET_NATIVE"), read_setting("MXNET_AUTOTUNE"))


def _loaded(path: Path) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(NAME, str(path))
    spec = importlib.util.spec_from_file_location(NAME, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


_waiting: list[Callable[[ModuleType], None]] = []
the_library = _Library()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=the_library.begin_in_child)


def runner() -> ModuleType | None:
    """The module that runs recorded programs; None where there are no kernels, or not yet."""
    return the_library.module or the_library.get()


def kernels() -> Any:
    """`torch.ops.regluon`, the operators of our own; None where there are none, or not yet."""
    return None if runner() is None else torch.ops.regluon


def on_load(function: Callable[[ModuleType], None]) -> None:
    """Has a function called with the module as soon as this process has the kernels.

    If they are compiled already, that is now: loading them takes a few milliseconds.
    """
    _waiting.append(function)
    if the_library.module is not None:
        function(the_library.module)
    else:
        the_library.get_built()


def version() -> str:
    """A name for the kernels that this process has; empty where it has none."""
    return the_library.version


def watch(leaf: torch.Tensor, slot: Any) -> None:
    """Has the gradient of a leaf go to a GradientSlot as soon as torch has it."""
    module = runner()
    if module is None:
        leaf.register_post_accumulate_grad_hook(slot)
    else:
        module.watch(leaf, slot)


def connect(heads: Sequence[torch.Tensor]) -> None:
    """Prepares the graph behind tensors for a collection of gradients: runs of programs deliver theirs otherwise."""
    if the_library.module is not None:
        the_library.module.connect(heads)
