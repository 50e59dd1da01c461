"""Check the arguments of an Estimator and select its precision."""

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from ....base import MXNetError
from ....context import Context, cpu, gpu, num_gpus
from ...data import DataLoader
from ._basic_handlers import GradientUpdateHandler
from ._event_base import EventHandler
from .batch_processor import BatchProcessor
from .utils import _check_handler_metric_ref

__all__ = [
    "check_batch_processor",
    "check_context",
    "check_loader",
    "has",
    "ordered",
    "with_accumulation",
    "MixedPrecision",
    "prepare",
    "set_mixed_precision",
]


def check_context(context: Any) -> list[Context]:
    """The contexts to compute on."""
    if not context:
        if num_gpus() > 1:
            warnings.warn(
                "You have multiple GPUs, gpu(0) will be used by default. To utilize all your GPUs, specify context "
                "as a list of gpus, e.g. context=[mx.gpu(0), mx.gpu(1)].",
                stacklevel=3,
            )
        return [gpu(0) if num_gpus() else cpu()]
    contexts = [context] if isinstance(context, Context) else context
    if not isinstance(contexts, list) or not all(isinstance(each, Context) for each in contexts):
        raise ValueError(
            f"[Estimator] context: received {context!r}; expected a Context or a list of them, for example "
            "mx.cpu() or [mx.gpu(0), mx.gpu(1)]."
        )
    for each in contexts:
        if each.device_type == "gpu" and each.device_id >= num_gpus():
            raise AssertionError(
                f"[Estimator] context: received {each}, which is not available; expected mx.cpu() or one of "
                f"{num_gpus()} GPUs."
            )
    return contexts


def check_batch_processor(batch_processor: Any) -> Any:
    """What computes batches."""
    if batch_processor is None:
        return BatchProcessor()
    for name in ("fit_batch", "evaluate_batch"):
        if not callable(getattr(batch_processor, name, None)):
            raise ValueError(
                f"[Estimator] batch_processor: received {type(batch_processor).__name__} without {name}(); "
                "expected fit_batch() and evaluate_batch(). Inherit from BatchProcessor."
            )
    return batch_processor


def check_loader(what: str, data: Any) -> None:
    """Refuses data that is no DataLoader."""
    if not isinstance(data, DataLoader):
        raise ValueError(
            f"[Estimator.{what}] received {type(data).__name__} as data; expected a gluon.data.DataLoader. Arrays go "
            "into gluon.data.ArrayDataset, and that into a DataLoader."
        )


def has(handlers: list[EventHandler], kind: type) -> bool:
    """Whether a handler of a kind is among some."""
    return any(isinstance(handler, kind) for handler in handlers)


def with_accumulation(handlers: list[EventHandler], accumulate: int | None) -> list[EventHandler]:
    """The handlers with one that adds up gradients, if that is asked for."""
    if accumulate is None:
        return handlers
    if has(handlers, GradientUpdateHandler):
        raise ValueError(
            f"[Estimator.fit] received accumulate={accumulate} and a GradientUpdateHandler; expected one of them. Use "
            "GradientUpdateHandler(update_interval=...)."
        )
    return [*handlers, GradientUpdateHandler(update_interval=accumulate)]


def ordered(given: list[EventHandler], added: list[EventHandler], known: list[Any]) -> list[EventHandler]:
    """All handlers by their priority; those of a program must look at metrics that others update."""
    handlers = [*given, *added]
    if given and added:
        for handler in handlers:
            _check_handler_metric_ref(handler, known)
    return sorted(handlers, key=lambda handler: getattr(handler, "priority", 0))


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
