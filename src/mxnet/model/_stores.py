"""Key-value stores in training: who adds up gradients, and who updates weights."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from regluon.config import read

from ..kvstore import KVStore, KVStoreBase, create
from ..kvstore.base import LARGEST_KEPT, is_within_process, store_kind
from ..ndarray import NDArray

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
