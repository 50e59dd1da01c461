"""The Trainer: applies an optimizer to the parameters of a network."""

import math
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from typing import Any, NamedTuple, NoReturn

from regluon.config import api_range, read
from regluon.distributed import world
from regluon.formats.atomic import atomic_write, open_mapped

from ..base import MXNetError
from ..context import Context
from ..error import OpTypeError
from ..kvstore import KVStore, KVStoreBase
from ..kvstore import create as create_store
from ..kvstore._reducer import WorkerGradients, works_in_buckets
from ..kvstore.base import LARGEST_KEPT, is_within_process, store_kind
from ..optimizer import Optimizer, Updater, get_updater
from ..optimizer import create as create_optimizer
from ._parameter_dict import ParameterDict
from .parameter import Parameter

__all__ = ["Trainer"]


class _Round(NamedTuple):
    """What one context's parameters consist of: it holds until one of them gets new arrays.

    Attributes:
        held: parameters with the lists of their arrays and gradients.
        indices: their numbers.
        grads: their gradients.
        weights: their arrays.
        slots: where `backward` notes that it has written a gradient.
    """

    arrays: list[tuple[Parameter, Any, Any]]
    indices: tuple[int, ...]
    grads: list[Any]
    weights: tuple[Any, ...]
    slots: list[Any]


class StaleGradientError(MXNetError, UserWarning):
    """A parameter would be updated with a gradient that no `backward` has written since the last step."""


class BatchSizeError(MXNetError, UserWarning):
    """The batch size of a step differs from that of the steps before, which workers elsewhere go on with."""


class TrainerError(MXNetError, ValueError, AssertionError):
    """A trainer was asked for what it cannot do: MXNet raised an AssertionError or a ValueError there."""


class Trainer:
    """Applies an optimizer to parameters; call `step` after `backward`.

    Args:
        params: what to train: `net.collect_params()`, or a list or dict of parameters.
        optimizer: its name, such as 'sgd' or 'adam', or an Optimizer.
        optimizer_params: arguments of the optimizer, such as {'learning_rate': 0.1, 'wd': 1e-4}.
        kvstore: how gradients are added: 'device' or 'local' over several contexts, 'dist_sync' and others over several
            processes (docs/DISTRIBUTED.md), a store, or None for not at all.
        compression_params: such as {'type': '2bit', 'threshold': 0.5}, for gradients that are sent in two bits.
        update_on_kvstore: whether the store applies the optimizer, once for all contexts. By default it does where
            there is a store that can, unless gradients are sparse or MXNET_UPDATE_ON_KVSTORE is 0.
        shard_optimizer: whether each process keeps the optimizer's states of a part of the parameters only (ZeRO,
            stage 1), for stores over several processes.
    """

    def __init__(
        self,
        params: Any,
        optimizer: Any,
        optimizer_params: dict[str, Any] | None = None,
        kvstore: Any = "device",
        compression_params: dict[str, Any] | None = None,
        update_on_kvstore: bool | None = None,
        shard_optimizer: bool = False,
        **unknown: NoReturn,
    ) -> None:
        if unknown:
            meant = ", ".join(f"{name!r}: {unknown[name]!r}" for name in unknown)
            raise OpTypeError(
                f"[Trainer] received {', '.join(unknown)}; expected arguments of the optimizer in a dict: "
                f"Trainer(params, {optimizer!r}, {{{meant}}})."
            )
        self._params = _listed(params)
        self._param2idx = {parameter.name: index for index, parameter in enumerate(self._params)}
        for parameter in self._params:
            parameter._set_trainer(self)
        if not (kvstore is None or isinstance(kvstore, (str, KVStoreBase))):
            raise TypeError(
                f"[Trainer] kvstore: received {type(kvstore).__name__}; expected a name, a KVStore or None."
            )
        if isinstance(kvstore, str) and getattr(store_kind("Trainer", kvstore), "requires_launch", False):
            world("Trainer")  # now, not at the first step: layers may ask who else is there
        self._kvstore_kind, self._update_on_kvstore_asked = kvstore, update_on_kvstore
        self._shard_optimizer = shard_optimizer
        self._workers: WorkerGradients | None = None  # the gradients of all processes, for stores that add in buckets
        self._compression_params = compression_params
        self._contexts: list[Context] = []
        self._updaters: list[Updater] = []
        if not (optimizer_params is None or isinstance(optimizer_params, Mapping)):
            raise TypeError(
                f"[Trainer] optimizer_params: received {type(optimizer_params).__name__}; expected a dict, such as "
                "{'learning_rate': 0.1}."
            )
        self._init_optimizer(optimizer, dict(optimizer_params or {}))
        self._amp_loss_scaler: Any = None  # set by amp.init_trainer, as the scale of the gradients before it
        self._amp_original_scale = self._scale
        self._round: _Round | None = None
        self._kvstore: Any = None
        self._params_to_init: list[Parameter] = []  # whose weights the store does not have yet
        self._update_on_kvstore: bool | None = None  # as long as there is no store, as in MXNet
        self._kv_initialized = False

    def __repr__(self) -> str:
        kind = self._kvstore_kind if isinstance(self._kvstore_kind, str) else getattr(self._kvstore_kind, "type", None)
        rate = f"learning_rate={self.learning_rate:.6g}"
        return f"Trainer({type(self._optimizer).__name__}({rate}), {len(self._params)} parameters, kvstore={kind!r})"

    def _init_optimizer(self, optimizer: Any, arguments: dict[str, Any]) -> None:
        by_index = dict(enumerate(self._params))
        if isinstance(optimizer, Optimizer):
            if arguments:
                raise TrainerError(
                    "[Trainer] optimizer_params goes with the name of an optimizer, not with an Optimizer."
                )
            self._optimizer = optimizer
            self._optimizer.param_dict = by_index
        else:
            self._optimizer = create_optimizer(optimizer, param_dict=by_index, **arguments)
        self._scale = self._optimizer.rescale_grad

    def _init_kvstore(self) -> None:
        """Looks at where the parameters are, once they are somewhere."""
        self._contexts = self._check_contexts()
        kind = self._kvstore_kind
        has_sparse = any(parameter._stype != "default" for parameter in self._params)
        if has_sparse:
            self._check_sparse_store(kind)
        needs_store = kind is not None and (
            has_sparse or len(self._contexts) > 1 or isinstance(kind, KVStoreBase) or not is_within_process(kind)
        )
        if needs_store:
            self._use_store(create_store(kind) if isinstance(kind, str) else kind, has_sparse)
        elif self._update_on_kvstore_asked:
            raise ValueError("[Trainer] update_on_kvstore=True needs a kvstore and parameters on several contexts.")
        if self._shard_optimizer and self._workers is None:
            raise TrainerError(
                "[Trainer] shard_optimizer=True needs several processes: a store such as kvstore='dist_sync', one "
                "context in each process, dense parameters and no compression."
            )
        self._updaters = [get_updater(self._optimizer) for _ in self._contexts]
        self._kv_initialized = True

    def _use_store(self, store: Any, has_sparse: bool) -> None:
        wants_update = has_sparse or self._store_updates(store)
        if self._compression_params:
            store.set_gradient_compression(self._compression_params)
        if works_in_buckets(store) and not has_sparse and len(self._contexts) == 1 and not self._compression_params:
            keeps_local = wants_update and self._amp_loss_scaler is None
            self._workers = WorkerGradients(store, keeps_local, self._shard_optimizer)
        elif wants_update:
            store.set_optimizer(self._optimizer)
        self._kvstore, self._update_on_kvstore = store, wants_update
        self._params_to_init = list(self._params)

    def _store_updates(self, store: Any) -> bool:
        """Whether a store applies the optimizer: as asked, else as MXNet decides."""
        asked = self._update_on_kvstore_asked
        if "async" in store.type:
            if asked is False:
                raise ValueError(
                    f"[Trainer] update_on_kvstore=False does not go with {store.type!r}: workers that do not wait for "
                    "each other share the store's weights alone. Leave it out, or use 'dist_sync'."
                )
            return True
        is_sparse = any(parameter._grad_stype != "default" for parameter in self._params)
        if is_sparse and "dist" in store.type:
            if asked is False:
                raise ValueError(
                    f"[Trainer] update_on_kvstore=False does not go with sparse gradients and {store.type!r}; leave it "
                    "out."
                )
            return True
        if asked is None:
            is_large = store.type == "local" and any(
                math.prod(parameter.shape or ()) > LARGEST_KEPT for parameter in self._params
            )
            wished = bool(int(read("MXNET_UPDATE_ON_KVSTORE"))) and not (is_sparse or is_large)
            return wished and bool(store.is_capable(KVStoreBase.OPTIMIZER))
        if asked and not store.is_capable(KVStoreBase.OPTIMIZER):
            raise ValueError(f"[Trainer] {type(store).__name__} cannot update weights; set update_on_kvstore=False.")
        return bool(asked)

    def _check_sparse_store(self, kind: Any) -> None:
        """Sparse weights live in a store, which updates them; their contexts hold the rows that were asked for."""
        if kind is None:
            raise TypeError("[Trainer] Cannot create 'None' KVStore with row_sparse parameters; leave kvstore out.")
        if self._update_on_kvstore_asked is False:
            raise ValueError("[Trainer] Cannot set update_on_kvstore=False when sparse weights are present.")

    def _row_sparse_pull(self, parameter: Parameter, out: Any, row_id: Any) -> None:
        """Fetches rows of a sparse weight from the store."""
        self._prepare()
        self._kvstore.row_sparse_pull(self._param2idx[parameter.name], out=out, row_ids=row_id)

    def _all_rows(self, parameter: Parameter, out: Any) -> Any:
        """Fetches a whole sparse weight from the store."""
        self._prepare()
        self._kvstore.pull(self._param2idx[parameter.name], out=out, ignore_sparse=False)
        return out

    def _prepare(self) -> None:
        """Makes the store, and gives it the weights that exist by now."""
        if not self._kv_initialized:
            self._init_kvstore()
        if self._params_to_init:
            self._init_params()

    def _init_params(self) -> None:
        there = [(each, each._data) for each in self._params_to_init if each._data is not None]
        if self._workers is not None:
            self._workers.broadcast([arrays[0] for _, arrays in there])
        else:
            for parameter, arrays in there:
                self._kvstore.broadcast(self._param2idx[parameter.name], arrays[0], arrays)
        self._params_to_init = [parameter for parameter in self._params_to_init if parameter._data is None]

    def _weights_changed(self, parameter: Parameter) -> None:
        """A store that updates weights takes over those that were set by hand."""
        if (
            self._update_on_kvstore
            and self._workers is None
            and all(parameter is not waiting for waiting in self._params_to_init)
        ):
            self._kvstore._assign(self._param2idx[parameter.name], parameter._check_and_get(parameter._data, list)[0])

    def _check_contexts(self) -> list[Context]:
        contexts: list[Context] | None = None
        for parameter in self._params:
            found = parameter.list_ctx()
            if contexts is not None and found != contexts:
                raise TrainerError(
                    f"[Trainer] parameter {parameter.name} is on {found}, others are on {contexts}; initialize all of "
                    "them on the same contexts."
                )
            contexts = found
        return contexts or []

    @property
    def learning_rate(self) -> float:
        """The current learning rate."""
        return self._optimizer.learning_rate

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer."""
        return self._optimizer

    def set_learning_rate(self, lr: float) -> None:
        """Sets the learning rate; not possible while a scheduler decides."""
        self._optimizer.set_learning_rate(lr)

    def step(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Adds up the gradients of all contexts and updates the parameters.

        Args:
            batch_size: what gradients are divided by: losses are sums over the batch.
            ignore_stale_grad: leave parameters alone whose gradient was not written since the last step, instead of
                refusing.
        """
        with api_range("Trainer.step"):
            self._step(batch_size, ignore_stale_grad)

    def _step(self, batch_size: int, ignore_stale_grad: bool) -> None:
        self._rescale(batch_size)
        self._prepare()
        if self._amp_loss_scaler is None and self._update_as_before():
            return
        self._check_gradients(ignore_stale_grad)
        self._allreduce_grads()
        self._update()

    def _rescale(self, batch_size: int) -> None:
        """Has gradients divided by the batch size; the optimizers of other workers were told once and for all."""
        scale = self._scale / batch_size
        if self._update_on_kvstore and "async" in self._kvstore.type and self._optimizer.rescale_grad != scale:
            raise BatchSizeError(
                f"[Trainer] step({batch_size}): received another batch size than before, and {self._kvstore.type!r} "
                "goes on with that of the first step; pass the same one every time."
            )
        self._optimizer.rescale_grad = scale

    def _update_as_before(self) -> bool:
        """The usual step, with everything as it was at the last one; returns whether it was one."""
        known = self._round
        if known is None:
            return False
        for parameter, data, grad in known.arrays:
            if parameter._data is not data or parameter._grad is not grad:
                self._round = None
                return False
        for slot in known.slots:
            if not slot.fresh:
                return False
        if self._workers is not None:
            if self._workers.is_sharded or not self._workers.fits(known.weights):
                return False
            self._workers.reduce()
        for slot in known.slots:
            slot.fresh = False
        with self._drawing():
            self._updaters[0](known.indices, known.grads, known.weights)
        return True

    def _drawing(self) -> AbstractContextManager[None]:
        """Around updates: processes that make the same ones draw the same numbers for them."""
        return nullcontext() if self._workers is None else self._workers.drawing(self._contexts[0])

    def allreduce_grads(self) -> None:
        """Adds up the gradients of all contexts; then change them if you like, and call `update`."""
        self._prepare()
        if self._update_on_kvstore:
            raise TrainerError(
                "[Trainer] allreduce_grads() is for update_on_kvstore=False: the store would add and update."
            )
        self._allreduce_grads()

    def _allreduce_grads(self) -> None:
        if self._kvstore is None:
            return
        if self._workers is not None:
            self._add_up_over_workers(self._workers)
            return
        if self._update_on_kvstore:
            self._update_on_store()
            return
        for index, parameter in self._trained():
            if parameter._grad_stype != "default":
                self._kvstore.push(index, parameter._grad, priority=-index)
                self._kvstore.pull(index, parameter._grad, priority=-index, ignore_sparse=False)
            else:
                self._kvstore.pushpull(index, parameter._grad, priority=-index)

    def _add_up_over_workers(self, workers: WorkerGradients) -> None:
        trained = list(self._trained())
        weights = [parameter._data[0] for _, parameter in trained]
        dense = [parameter._data[0] for _, parameter in trained if parameter._grad_stype == "default"]
        workers.take(weights, dense)
        workers.reduce()
        for _, parameter in trained:
            if parameter._grad_stype != "default":
                workers.add_rows(parameter._data[0], parameter._grad[0])

    def _update_on_store(self) -> None:
        """Gives the store the gradients; it moves the weights and hands them back."""
        chosen = [
            (index, parameter)
            for index, parameter in self._trained()
            if any(data._fresh_grad for data in parameter._data)
        ]
        if isinstance(self._kvstore, KVStore) and chosen:  # which makes no difference between one call and many
            grads, weights = [parameter._grad for _, parameter in chosen], [parameter._data for _, parameter in chosen]
            self._kvstore.pushpull([index for index, _ in chosen], grads, out=weights)
            return
        for index, parameter in chosen:
            self._kvstore.pushpull(index, parameter._grad, out=parameter._data, priority=-index)

    def update(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Updates the parameters; `step` without adding up gradients, for after `allreduce_grads`."""
        self._prepare()
        if self._update_on_kvstore:
            raise TrainerError("[Trainer] update() is for update_on_kvstore=False; call step().")
        self._optimizer.rescale_grad = self._scale / batch_size
        self._check_gradients(ignore_stale_grad)
        self._update()

    def _update(self) -> None:
        if self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params):
            return  # the gradients are infinite or NaN: the next loss is scaled less
        updates: list[tuple[list[Any], ...]] = [([], [], []) for _ in self._updaters]
        for index, parameter in self._trained():
            for (indices, gradients, weights), gradient, weight in zip(
                updates, parameter._grad, parameter._data, strict=True
            ):
                if weight._fresh_grad:
                    weight._fresh_grad = False
                    indices.append(index)
                    gradients.append(gradient if self._workers is None else self._workers.total(weight, gradient))
                    weights.append(weight)
        if self._workers is not None:
            with self._drawing():
                self._workers.update(self._updaters[0], *updates[0])
        elif not self._update_on_kvstore:
            for updater, (indices, gradients, weights) in zip(self._updaters, updates, strict=True):
                if indices:
                    updater(indices, gradients, weights)
        if len(updates) == 1 and (self._kvstore is None or self._workers is not None):
            self._remember(*updates[0])

    def _remember(self, indices: list[int], gradients: list[Any], weights: list[Any]) -> None:
        """Keeps the round for the next step, if it was one of all parameters."""
        if len(indices) == sum(1 for _ in self._trained()):
            arrays = [(parameter, parameter._data, parameter._grad) for parameter in self._params]
            slots = [weight._slot for weight in weights]
            self._round = _Round(arrays, tuple(indices), gradients, tuple(weights), slots)

    def _trained(self) -> Iterator[tuple[int, Any]]:
        """The parameters that have gradients, with their numbers."""
        for index, parameter in enumerate(self._params):
            if parameter.grad_req == "null":
                continue
            if parameter._data is None:
                raise parameter._not_there()
            if parameter._ctx_list != self._contexts:
                raise TrainerError(
                    f"[Trainer] parameter {parameter.name} is on {parameter._ctx_list} now; the trainer knows it on "
                    f"{self._contexts}. Make a new Trainer after reset_ctx()."
                )
            yield index, parameter

    def _check_gradients(self, ignore_stale_grad: bool) -> None:
        """Refuses gradients that no `backward` wrote since the last step, before anything is changed."""
        for _, parameter in self._trained():
            stale = [number for number, data in enumerate(parameter._data) if not data._fresh_grad]
            if not stale:
                continue
            if not ignore_stale_grad:
                raise StaleGradientError(
                    f"[Trainer] the gradient of {parameter.name} on {self._contexts[stale[0]]} was not written by "
                    "backward() since the last step. Either backward() was not called, or this parameter took no part "
                    "in the loss: then train only those that do, or call step(batch_size, ignore_stale_grad=True) to "
                    "leave it alone."
                )
            if len(stale) < len(self._contexts) and parameter.grad_req == "write":
                # Some context did use it: the others contribute nothing, and all copies are updated alike.
                for number in stale:
                    parameter._grad[number][:] = 0
                    parameter._data[number]._fresh_grad = True

    def _states_owners(self) -> list[Any]:
        """Who keeps the optimizer's states: the store, or an updater for each context."""
        return [self._kvstore._states_owner()] if self._update_on_kvstore and self._workers is None else self._updaters

    def save_states(self, fname: str | PathLike[str]) -> None:
        """Saves what the optimizer remembers: momenta, counts, and so on. No pickle is involved.

        With `shard_optimizer` every process must call it, for each has a part.
        """
        states = self._get_states()
        with atomic_write(fname, "Trainer.save_states") as stream:
            stream.write(states)

    def _get_states(self) -> bytes:
        self._prepare()
        owner = self._states_owners()[0]
        if self._workers is not None:
            return self._workers.states(owner)
        states: bytes = owner.get_states(dump_optimizer=True)
        return states

    def load_states(self, fname: str | PathLike[str]) -> None:
        """Loads what `save_states` saved, here or in MXNet, by any number of processes."""
        self._prepare()
        self._set_states(bytes(open_mapped(fname, "Trainer.load_states")))

    def _set_states(self, states: bytes) -> None:
        self._prepare()
        owners = self._states_owners()
        for owner in owners:
            owner.set_states(states)
            owner.optimizer = owners[0].optimizer
        self._optimizer = owners[0].optimizer
        self._optimizer.param_dict = dict(enumerate(self._params))


def _listed(params: Any) -> list[Parameter]:
    if isinstance(params, (ParameterDict, Mapping)):
        params = [params[name] for name in sorted(params.keys())]
    if not isinstance(params, (list, tuple)):
        raise ValueError(
            f"[Trainer] params: received {type(params).__name__}; expected net.collect_params(), or a list or dict of "
            "Parameters."
        )
    for parameter in params:
        if not isinstance(parameter, Parameter):
            raise ValueError(f"[Trainer] params: received {type(parameter).__name__} among them; expected Parameters.")
    return list(params)
