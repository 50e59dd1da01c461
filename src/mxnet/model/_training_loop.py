"""Run the training loop of FeedForward with a key-value store."""

import logging
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from regluon.config import read

from ..executor_manager import DataParallelExecutorManager
from ..kvstore import KVStore, KVStoreBase, create
from ..kvstore.base import LARGEST_KEPT, is_within_process, store_kind
from ..ndarray import NDArray
from ..optimizer import get_updater

Arrays = Sequence[Sequence[Any]]  # for each parameter, one array for each device


def _create_sparse_kvstore(kvstore: Any) -> tuple[Any, bool]:
    """The store for row_sparse parameters, which it updates itself; and True."""
    if not isinstance(kvstore, (KVStoreBase, str)):
        raise TypeError(
            f"[kvstore] received {kvstore!r} with row_sparse parameters; expected a KVStore or the name of a kind."
        )
    store = create(kvstore) if isinstance(kvstore, str) else kvstore
    if not store.is_capable(KVStoreBase.OPTIMIZER):
        raise AssertionError(f"[kvstore] {type(store).__name__} cannot update weights, which sparse ones need.")
    return store, True


def _create_kvstore(kvstore: Any, num_device: int, arg_params: Mapping[str, NDArray]) -> tuple[Any, bool]:
    """The store to train with, and whether it updates the weights.

    Args:
        kvstore: a store, the name of a kind, or None.
        num_device: number of devices; one needs no store.
        arg_params: the parameters.
    """
    updates = bool(int(read("MXNET_UPDATE_ON_KVSTORE")))
    if kvstore is None:
        return None, False
    if isinstance(kvstore, KVStoreBase):
        store: Any = kvstore
    elif isinstance(kvstore, str):
        store_kind("kvstore", kvstore)
        if num_device == 1 and is_within_process(kvstore):
            return None, False
        store = create(kvstore)
        if kvstore == "local" and any(math.prod(each.shape) > LARGEST_KEPT for each in arg_params.values()):
            updates = False
    else:
        raise TypeError(f"[kvstore] received {type(kvstore).__name__}; expected a KVStore, a str or None.")
    return store, updates and store.is_capable(KVStoreBase.OPTIMIZER)


def _initialize_kvstore(
    kvstore: Any,
    param_arrays: Arrays,
    arg_params: Mapping[str, NDArray],
    param_names: Sequence[str],
    update_on_kvstore: bool,
) -> None:
    """Gives the parameters to a store; if it updates them, the devices get their first values from it."""
    for name, arrays in zip(param_names, param_arrays, strict=False):
        if update_on_kvstore and arg_params[name].stype == "default":
            kvstore.broadcast(name, arg_params[name], out=arrays)
        else:
            kvstore.init(name, arg_params[name])


def _with_gradients(
    param_arrays: Arrays, grad_arrays: Arrays, param_names: Sequence[str] | None
) -> list[tuple[int, str, Sequence[Any], Sequence[Any]]]:
    """Number, name, arrays and gradients of the parameters that have gradients."""
    names = param_names or [""] * len(param_arrays)
    return [
        (place, name, weights, slopes)
        for place, (name, weights, slopes) in enumerate(zip(names, param_arrays, grad_arrays, strict=False))
        if slopes[0] is not None
    ]


def _is_dense(weights: Sequence[Any], slopes: Sequence[Any]) -> bool:
    return bool(weights[0].stype == "default" and slopes[0].stype == "default")


def _update_params_on_kvstore_nccl(
    param_arrays: Arrays, grad_arrays: Arrays, kvstore: Any, param_names: Sequence[str]
) -> None:
    """`_update_params_on_kvstore` in one call for all parameters."""
    chosen = _with_gradients(param_arrays, grad_arrays, param_names)
    if chosen:
        _, names, weights, slopes = (list(part) for part in zip(*chosen, strict=True))
        kvstore.pushpull(names, slopes, out=weights)


def _update_params_on_kvstore(
    param_arrays: Arrays, grad_arrays: Arrays, kvstore: Any, param_names: Sequence[str]
) -> None:
    """Gives the gradients to a store, which updates the weights, and fetches them."""
    chosen = _with_gradients(param_arrays, grad_arrays, param_names)
    if isinstance(kvstore, KVStore) and all(_is_dense(weights, slopes) for _, _, weights, slopes in chosen):
        _update_params_on_kvstore_nccl(param_arrays, grad_arrays, kvstore, param_names)
        return
    for place, name, weights, slopes in chosen:
        if _is_dense(weights, slopes):
            kvstore.pushpull(name, slopes, out=weights, priority=-place)
        else:
            kvstore.push(name, slopes, priority=-place)
            kvstore.pull(name, out=weights, priority=-place)


def _update_params(
    param_arrays: Arrays,
    grad_arrays: Arrays,
    updater: Any,
    num_device: int,
    kvstore: Any = None,
    param_names: Sequence[str] | None = None,
) -> None:
    """Updates the weights on each device: one call of the updater for all weights of a device.

    Args:
        param_arrays: the weights.
        grad_arrays: their gradients.
        updater: moves weights; on device k, weight i has the number i * num_device + k.
        num_device: number of devices.
        kvstore: adds up the gradients first, if given.
        param_names: names of the weights, which the store knows them by.
    """
    updates: list[list[tuple[int, Any, Any]]] = [[] for _ in range(num_device)]
    for place, name, weights, slopes in _with_gradients(param_arrays, grad_arrays, param_names):
        if kvstore and _is_dense(weights, slopes):
            kvstore.pushpull(name, slopes, priority=-place)
        elif kvstore:
            kvstore.push(name, slopes, priority=-place)
            kvstore.pull(name, out=slopes, priority=-place, ignore_sparse=False)
        for device, (weight, slope) in enumerate(zip(weights, slopes, strict=True)):
            updates[device].append((place * num_device + device, slope, weight))
    for each in updates:
        if each:
            numbers, slopes, weights = (list(part) for part in zip(*each, strict=True))
            updater(numbers, slopes, weights)


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
