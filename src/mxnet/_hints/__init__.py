"""Errors for attributes of PyTorch and NumPy that MXNet lacks: each names MXNet's spelling.

Modules and classes get a `__getattr__`, which Python calls after the normal look-up has failed. `hasattr` and `dir`
answer as without it.
"""

from types import ModuleType
from typing import Any

import mxnet.autograd
import mxnet.gluon
import mxnet.initializer
import mxnet.lr_scheduler
import mxnet.ndarray
import mxnet.numpy
import mxnet.optimizer
import mxnet.random
import mxnet.symbol

from .table import HINTS

__all__ = ["install"]


def install(package: ModuleType) -> None:
    """Give each owner of the table a `__getattr__` that raises its hints.

    Args:
        package: the package `mxnet`, which is the owner `mx`.
    """
    gluon = mxnet.gluon
    modules = {
        "mx": package,
        "mx.autograd": mxnet.autograd,
        "mx.gluon": gluon,
        "mx.gluon.data": gluon.data,
        "mx.gluon.data.vision": gluon.data.vision,
        "mx.gluon.data.vision.transforms": gluon.data.vision.transforms,
        "mx.gluon.loss": gluon.loss,
        "mx.gluon.model_zoo.vision": gluon.model_zoo.vision,
        "mx.gluon.nn": gluon.nn,
        "mx.gluon.utils": gluon.utils,
        "mx.init": mxnet.initializer,
        "mx.lr_scheduler": mxnet.lr_scheduler,
        "mx.nd": mxnet.ndarray,
        "mx.np": mxnet.numpy,
        "mx.optimizer": mxnet.optimizer,
        "mx.random": mxnet.random,
        "mx.sym": mxnet.symbol,
    }
    classes = (
        gluon.Block,
        gluon.Parameter,
        gluon.Trainer,
        mxnet.ndarray.NDArray,
        mxnet.numpy.ndarray,
        mxnet.optimizer.Optimizer,
        mxnet.symbol.Symbol,
    )
    for name, module in modules.items():
        _install_in_module(module, name, HINTS[name])
    for cls in classes:
        _install_in_class(cls, HINTS[cls.__name__])


def _install_in_module(module: ModuleType, owner: str, hints: dict[str, str]) -> None:
    def __getattr__(name: str) -> Any:
        if name in hints:
            raise AttributeError(_text(owner, name, hints[name]), name=name)
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module)

    vars(module)["__getattr__"] = __getattr__


def _install_in_class(cls: type, hints: dict[str, str]) -> None:
    def __getattr__(self: Any, name: str) -> Any:
        if name not in hints or any(name in vars(base) for base in type(self).__mro__):
            # The second look-up raises Python's own error, or the error inside of a property.
            return object.__getattribute__(self, name)
        # Without `obj` Python appends no guess of its own to the hint.
        raise AttributeError(_text(type(self).__name__, name, hints[name]), name=name)

    cls.__getattr__ = __getattr__  # type: ignore[attr-defined]


def _text(owner: str, name: str, row: str) -> str:
    code, _, sentence = (part.strip() for part in row.partition("#"))
    advice = [f"Use {' or '.join(alternatives(row))}."] if code else []
    return " ".join([f"[{owner}] has no attribute {name!r}.", *advice, *([sentence] if sentence else [])])


def alternatives(row: str) -> list[str]:
    """Return the pieces of code in a row of the table."""
    return [part.strip() for part in row.partition("#")[0].split(" | ") if part.strip()]
