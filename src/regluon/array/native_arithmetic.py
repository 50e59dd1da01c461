"""`a + b` and its kin in C++ where there are kernels of our own: eager programs call little else."""

from types import ModuleType
from typing import Any

from ..autograd.recording import Tape, state
from ..native import runner
from ..runtime.repeated import prepare
from .dense import NDArray
from .numpy.array import ndarray as NumpyArray

# The methods by what they compute. A number minus or divided by an array stays with Python.
_OPERATIONS = {
    "__add__": "add",
    "__radd__": "add",
    "__sub__": "subtract",
    "__mul__": "multiply",
    "__rmul__": "multiply",
    "__truediv__": "divide",
    "__div__": "divide",
}
_installed: set[tuple[type[NDArray], str]] = set()


def install(module: ModuleType) -> None:
    """Gives the classes of dense arrays quicker methods; what these do not deal with they leave to those in Python."""
    remove()
    for kind in (NDArray, NumpyArray):
        for name, operation in _OPERATIONS.items():
            if name not in vars(kind):  # else a program has put its own there
                setattr(kind, name, _quicker(module, kind, name, operation))
                _installed.add((kind, name))


def remove() -> bool:
    """Leaves the methods in Python, which the classes inherit; returns whether there were others."""
    were_there = bool(_installed)
    while _installed:
        delattr(*_installed.pop())
    return were_there


def _quicker(module: ModuleType, kind: type[NDArray], name: str, operation: str) -> Any:
    in_python = getattr(kind, name)
    # Quotients of integers are cut off by mx.nd; mx.np has rules of its own for all that is done with them.
    takes_integers = kind is NDArray and operation != "divide"
    is_reflected = name.startswith("__r")
    return module.binary(
        in_python, operation, kind, state, Tape, takes_integers=takes_integers, is_reflected=is_reflected
    )


if (_module := runner()) is not None:
    install(_module)
    prepare(NDArray, NumpyArray)
