"""The Trainer: applies an optimizer to the parameters of a network."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

from ..base import MXNetError
from ..context import Context
from ..formats.atomic import atomic_write, open_mapped
from ..kvstore import KVStoreBase
from ..kvstore import create as create_store
from ..optimizer import Optimizer, get_updater
from ..optimizer import create as create_optimizer
from .parameter import Parameter
from .parameter_dict import ParameterDict

__all__ = ["Trainer"]


class StaleGradientError(MXNetError, UserWarning):
    """A parameter would be updated with a gradient that no `backward` has written since the last step."""


class Trainer:
    """Applies an optimizer to parameters; call `step` after `backward`.

    Args:
        params: what to train: `net.collect_params()`, or a list or dict of parameters.
        optimizer: its name, such as 'sgd' or 'adam', or an Optimizer.
        optimizer_params: arguments of the optimizer, such as {'learning_rate': 0.1, 'wd': 1e-4}.
        kvstore: how gradients of several contexts are added: 'device' or 'local', a store, or None for not at all.
        compression_params: for stores over several machines.
        update_on_kvstore: whether the store applies the optimizer; by default it does not.
    """

    def __init__(
        self,
        params: Any,
        optimizer: Any,
        optimizer_params: dict[str, Any] | None = None,
        kvstore: Any = "device",
        compression_params: dict[str, Any] | None = None,
        update_on_kvstore: bool | None = None,
    ) -> None:
        self._params = _listed(params)
        self._param2idx = {parameter.name: index for index, parameter in enumerate(self._params)}
        for parameter in self._params:
            parameter._set_trainer(self)
        self._compression_params = compression_params
        self._contexts: list[Context] | None = None
        self._kvstore_kind, self._update_on_kvstore_asked = kvstore, update_on_kvstore
        self._kvstore: Any = None
        self._update_on_kvstore = False
        self._kv_initialized = False
        self._init_optimizer(optimizer, dict(optimizer_params or {}))

    def _init_optimizer(self, optimizer: Any, arguments: dict[str, Any]) -> None:
        by_index = dict(enumerate(self._params))
        if isinstance(optimizer, Optimizer):
            if arguments:
                raise ValueError(
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
        if kind is not None and (len(self._contexts) > 1 or isinstance(kind, KVStoreBase)):
            self._kvstore = create_store(kind) if isinstance(kind, str) else kind
            if self._compression_params:
                self._kvstore.set_gradient_compression(self._compression_params)
            self._update_on_kvstore = bool(self._update_on_kvstore_asked)
            if self._update_on_kvstore:
                self._kvstore.set_optimizer(self._optimizer)
                for index, parameter in enumerate(self._params):
                    self._kvstore.init(index, parameter.list_data()[0])
        elif self._update_on_kvstore_asked:
            raise ValueError("[Trainer] update_on_kvstore=True needs a kvstore and parameters on several contexts.")
        self._updaters = [get_updater(self._optimizer) for _ in self._contexts]
        self._kv_initialized = True

    def _check_contexts(self) -> list[Context]:
        contexts: list[Context] | None = None
        for parameter in self._params:
            found = parameter.list_ctx()
            if contexts is not None and found != contexts:
                raise MXNetError(
                    f"[Trainer] parameter {parameter.name} is on {found}, others are on {contexts}; initialize all of them "
                    "on the same contexts."
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
        self._optimizer.rescale_grad = self._scale / batch_size
        if not self._kv_initialized:
            self._init_kvstore()
        self._allreduce_grads()
        self._update(ignore_stale_grad)

    def allreduce_grads(self) -> None:
        """Adds up the gradients of all contexts; then change them if you like, and call `update`."""
        if not self._kv_initialized:
            self._init_kvstore()
        if self._update_on_kvstore:
            raise MXNetError(
                "[Trainer] allreduce_grads() is for update_on_kvstore=False: the store would add and update."
            )
        self._allreduce_grads()

    def _allreduce_grads(self) -> None:
        if self._kvstore is None:
            return
        for index, parameter in enumerate(self._params):
            if parameter.grad_req == "null":
                continue
            if self._update_on_kvstore:
                self._kvstore.push(index, parameter.list_grad(), priority=-index)
            else:
                self._kvstore.pushpull(index, parameter.list_grad(), priority=-index)

    def update(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Updates the parameters; `step` without adding up gradients, for after `allreduce_grads`."""
        if not self._kv_initialized:
            self._init_kvstore()
        if self._update_on_kvstore:
            raise MXNetError("[Trainer] update() is for update_on_kvstore=False; call step().")
        self._optimizer.rescale_grad = self._scale / batch_size
        self._update(ignore_stale_grad)

    def _update(self, ignore_stale_grad: bool) -> None:
        if not ignore_stale_grad:
            self._refuse_stale()
        trained = [(index, p) for index, p in enumerate(self._params) if p.grad_req != "null"]
        if self._update_on_kvstore:
            for index, parameter in trained:
                self._kvstore.pull(index, parameter.list_data(), priority=-index)
                for data in parameter.list_data():
                    data._fresh_grad = False
            return
        for device, updater in enumerate(self._updaters):
            indices, gradients, weights = [], [], []
            for index, parameter in trained:
                weight = parameter._data[device]
                if weight._fresh_grad:
                    weight._fresh_grad = False
                    indices.append(index)
                    gradients.append(parameter._grad[device])
                    weights.append(weight)
            if indices:
                updater(indices, gradients, weights)

    def _refuse_stale(self) -> None:
        for parameter in self._params:
            if parameter.grad_req == "null":
                continue
            for data in parameter.list_data():
                if not data._fresh_grad:
                    raise StaleGradientError(
                        f"[Trainer] the gradient of {parameter.name} on {data.context} was not written by backward() since "
                        "the last step. Either backward() was not called, or this parameter took no part in the loss: then "
                        "train only those that do, or call step(batch_size, ignore_stale_grad=True) to leave it alone."
                    )

    def save_states(self, fname: str | PathLike[str]) -> None:
        """Saves what the optimizer remembers: momenta, counts, and so on. No pickle is involved."""
        if not self._kv_initialized:
            self._init_kvstore()
        owner = self._kvstore._states_owner() if self._update_on_kvstore else self._updaters[0]
        with atomic_write(fname, "Trainer.save_states") as stream:
            stream.write(owner.get_states(dump_optimizer=True))

    def load_states(self, fname: str | PathLike[str]) -> None:
        """Loads what `save_states` saved, here or in MXNet."""
        if not self._kv_initialized:
            self._init_kvstore()
        states = bytes(open_mapped(fname, "Trainer.load_states"))
        owners = [self._kvstore._states_owner()] if self._update_on_kvstore else self._updaters
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
