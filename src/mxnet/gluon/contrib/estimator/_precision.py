"""Who computes in low precision for an Estimator: `mx.contrib.amp` says so here when it is imported.

Mixed precision stands above Gluon, which it changes, so that Gluon cannot import it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from ....base import MXNetError

__all__ = ["MixedPrecision", "prepare", "set_mixed_precision"]


class MixedPrecision(NamedTuple):
    """What an Estimator needs of mixed precision.

    Attributes:
        init: puts a low precision in force, by its name.
        init_trainer: gives a Trainer a scaler of losses.
        scale_loss: a context manager with the losses to call `backward` on.
    """

    init: Callable[[str], None]
    init_trainer: Callable[[Any], None]
    scale_loss: Callable[[Any, Any], AbstractContextManager[Any]]


_found: list[MixedPrecision] = []


def set_mixed_precision(found: MixedPrecision) -> None:
    """Says who is meant by Estimator(amp=...)."""
    _found[:] = [found]


def prepare(amp: str, net: Any, trainer: Any) -> MixedPrecision:
    """Has a network compute in low precision, and its trainer scale losses.

    Args:
        amp: 'float16' or 'bfloat16'.
        net: the network; graphs that it was compiled to before are forgotten.
        trainer: its Trainer.
    """
    if not _found:
        raise MXNetError(f"[Estimator] amp={amp!r} needs mxnet.contrib.amp, which is not imported; import it.")
    _found[0].init(amp)
    if trainer._amp_loss_scaler is None:
        _found[0].init_trainer(trainer)
    net.apply(_forget_graphs)
    return _found[0]


def _forget_graphs(block: Any) -> None:
    if hasattr(block, "_clear_cached_op"):
        block._clear_cached_op()
