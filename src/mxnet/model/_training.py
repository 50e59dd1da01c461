"""The training loop of `FeedForward`."""

import logging
import time
from typing import Any, NamedTuple

from ..executor_manager import DataParallelExecutorManager
from ..optimizer import get_updater
from ._stores import _initialize_kvstore, _update_params, _update_params_on_kvstore


class BatchEndParams(NamedTuple):
    """What callbacks receive after a batch; `locals` holds the variables of the training loop."""

    epoch: int
    nbatch: int
    eval_metric: Any
    locals: Any


BatchEndParams.__module__ = "mxnet.model"


BatchEndParam = BatchEndParams  # as MXNet names it in public


def _multiple_callbacks(callbacks: Any, *args: Any, **kwargs: Any) -> None:
    """Calls a function or all functions of a list; None is none."""
    if callbacks is None:
        return
    for each in callbacks if isinstance(callbacks, list) else [callbacks]:
        each(*args, **kwargs)


class _Training:
    """What the loop needs in every batch."""

    def __init__(self, manager: DataParallelExecutorManager, optimizer: Any, kvstore: Any, on_kvstore: bool) -> None:
        self.manager, self.kvstore, self.on_kvstore = manager, kvstore, on_kvstore
        self.updater = None if on_kvstore else get_updater(optimizer)
        if on_kvstore:
            kvstore.set_optimizer(optimizer)

    def step(self, data_batch: Any, monitor: Any) -> None:
        """Forward, backward and update."""
        manager = self.manager
        manager.load_data_batch(data_batch)
        if monitor is not None:
            monitor.tic()
        manager.forward(is_train=True)
        manager.backward()
        weights, slopes, names = manager.param_arrays, manager.grad_arrays, manager.param_names
        if self.on_kvstore:
            _update_params_on_kvstore(weights, slopes, self.kvstore, names)
        else:
            _update_params(weights, slopes, self.updater, len(manager.ctx), self.kvstore, names)
        if monitor is not None:
            monitor.toc_print()


def _train_multi_device(
    symbol: Any,
    ctx: Any,
    arg_names: Any,
    param_names: Any,
    aux_names: Any,
    arg_params: Any,
    aux_params: Any,
    begin_epoch: int,
    end_epoch: int,
    epoch_size: int | None,
    optimizer: Any,
    kvstore: Any,
    update_on_kvstore: bool,
    train_data: Any,
    eval_data: Any = None,
    eval_metric: Any = None,
    epoch_end_callback: Any = None,
    batch_end_callback: Any = None,
    logger: Any = None,
    work_load_list: Any = None,
    monitor: Any = None,
    eval_end_callback: Any = None,
    eval_batch_end_callback: Any = None,
    sym_gen: Any = None,
) -> None:
    """Trains a network on several devices; `arg_params` and `aux_params` receive the result."""
    logger = logger or logging
    names: dict[str, Any] = dict(locals())
    manager = DataParallelExecutorManager(
        symbol, ctx, train_data, arg_names, param_names, aux_names, work_load_list, logger, sym_gen
    )
    if monitor:
        manager.install_monitor(monitor)
    manager.set_params(arg_params, aux_params)
    training = _Training(manager, optimizer, kvstore, update_on_kvstore)
    if kvstore:
        _initialize_kvstore(kvstore, manager.param_arrays, arg_params, manager.param_names, update_on_kvstore)
    train_data.reset()
    names.update(executor_manager=manager, updater=training.updater)
    for epoch in range(begin_epoch, end_epoch):
        start = time.time()
        eval_metric.reset()
        _train_epoch(training, {**names, "epoch": epoch, "tic": start})
        logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - start)
        if epoch_end_callback or epoch + 1 == end_epoch:
            manager.copy_to(arg_params, aux_params)
        _multiple_callbacks(epoch_end_callback, epoch, symbol, arg_params, aux_params)
        if eval_data:
            _evaluate(manager, {**names, "epoch": epoch})


def _train_epoch(training: _Training, names: dict[str, Any]) -> None:
    """One pass over the data; or `epoch_size` batches, in as many passes as that takes.

    Args:
        training: what makes a step.
        names: the variables of the loop, which callbacks see.
    """
    data, metric, size, epoch = (names[key] for key in ("train_data", "eval_metric", "epoch_size", "epoch"))
    nbatch = 0
    while True:
        for data_batch in data:
            training.step(data_batch, names["monitor"])
            training.manager.update_metric(metric, data_batch.label)
            nbatch += 1
            if names["batch_end_callback"] is not None:
                seen = {**names, "nbatch": nbatch, "data_batch": data_batch}
                _multiple_callbacks(names["batch_end_callback"], BatchEndParam(epoch, nbatch, metric, seen))
            if size is not None and nbatch >= size:
                return
        names["logger"].info("Epoch[%d] Resetting Data Iterator", epoch)
        data.reset()
        if size is None:
            return


def _evaluate(manager: DataParallelExecutorManager, names: dict[str, Any]) -> None:
    data, metric, epoch = names["eval_data"], names["eval_metric"], names["epoch"]
    metric.reset()
    data.reset()
    count = 0
    for count, eval_batch in enumerate(data, 1):
        manager.load_data_batch(eval_batch)
        manager.forward(is_train=False)
        manager.update_metric(metric, eval_batch.label)
        seen = {**names, "eval_batch": eval_batch, "i": count - 1}
        _multiple_callbacks(names["eval_batch_end_callback"], BatchEndParam(epoch, count - 1, metric, seen))
    _multiple_callbacks(names["eval_end_callback"], BatchEndParam(epoch, count, metric, names))
    data.reset()
