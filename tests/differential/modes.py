"""The ways to run a network, in one table; each must give what eager execution gives."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from regluon.array import native_arithmetic
from regluon.compiler.capture import replay
from regluon.kernels import tuning
from regluon.native import loading
from tests.compiled_kernels import compiled_library

FIRST_CAPTURE = 2  # the first run finds out more than those that follow, so it is unlike them


@dataclass(frozen=True)
class Mode:
    """A way to run.

    Attributes:
        name: for messages.
        prepare: what is done to the new network, an expression of `net`.
        finish: what becomes of it when its parameters are filled, an expression of `net`, `inputs`, `grad_reqs`.
        kernels: whether there are kernels in C++.
        choice: the number of the candidate that is taken wherever kernels are chosen from; None for the usual ones.
        is_captured: whether the native runner takes over after three steps.
        is_gluon: whether the network is a block, which any step may be done with.
    """

    name: str
    prepare: str = "None"
    finish: str = "net"
    kernels: bool = False
    choice: int | None = None
    is_captured: bool = False
    is_gluon: bool = True

    def source(self) -> str:
        """What makes a program run so, by itself."""
        lines = [
            "from regluon.compiler.capture import replay",
            "from regluon.native import loading",
            "from regluon.kernels import tuning",
        ]
        if not self.kernels:
            lines += ["loading.the_library = loading.Library()  # run with MXNET_AUTOTUNE=0"]
        if self.choice is not None:
            lines += [f"tuning._Tuner._begun = lambda self, work, names: {self.choice} % len(names)"]
        if self.is_captured:
            lines += [f"replay._FIRST = {FIRST_CAPTURE}"]
        return "\n".join([*lines, f"prepare = lambda net: {self.prepare}", f"finish = {self.finishing()}", ""])

    def finishing(self) -> str:
        """`finish` as a function."""
        return f"lambda net, inputs, grad_reqs: {self.finish}"

    @contextmanager
    def active(self) -> Iterator[None]:
        """Sets the process up for it, in a `with` block."""
        library = compiled_library() if self.kernels else loading.Library()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loading, "the_library", library)
            if self.choice is not None:
                number = self.choice
                patch.setattr(tuning._Tuner, "_begun", lambda self, work, names: number % len(names))
            if self.is_captured:
                patch.setattr(replay, "_FIRST", FIRST_CAPTURE)
            if library.runner is not None:
                native_arithmetic.install(library.runner)
            try:
                yield
            finally:
                if library.runner is not None:
                    native_arithmetic.remove()


EAGER = Mode("eager")
_HYBRID = "net.hybridize()"
_STATIC = "net.hybridize(static_alloc=True, static_shape=True)"
_UNTUNED = "net.hybridize(autotune=False)"
_MOST_CANDIDATES = 7

BLOCKS = (
    Mode("hybridized", _HYBRID),
    Mode("static", _STATIC),
    Mode("hybridized without tuning", _UNTUNED),
    Mode("eager, kernels in C++", kernels=True),
    Mode("static, kernels in C++", _STATIC, kernels=True),
    Mode("without tuning, kernels in C++", _UNTUNED, kernels=True),
    Mode("captured", _HYBRID, kernels=True, is_captured=True),
    Mode("exported and imported", _HYBRID, "imported(net)"),
    Mode("imported, captured", _HYBRID, "imported(net)", kernels=True, is_captured=True),
)
CHOICES = tuple(
    Mode(
        f"candidate {number}{' with' if kernels else ', no'} kernels in C++", prepare, "net", kernels, number, captured
    )
    for number in range(_MOST_CANDIDATES)
    for kernels, prepare, captured in ((False, _HYBRID, False), (True, _HYBRID, True), (True, "None", False))
)
SYMBOLS = (
    Mode("executor", finish="Bound(net, inputs, grad_reqs)", is_gluon=False),
    Mode("executor, kernels in C++", _HYBRID, "Bound(net, inputs, grad_reqs)", kernels=True, is_gluon=False),
    Mode("module", finish="Modular(net, inputs, grad_reqs)", is_gluon=False),
)
