"""The optimizer of a module, and the store that adds up gradients."""

import warnings
from os import PathLike
from typing import Any

from regluon.formats.atomic import atomic_write, open_mapped

from ..context import Context
from ..model import _create_kvstore, _initialize_kvstore, _update_params, _update_params_on_kvstore
from ..optimizer import Optimizer, get_updater
from ..optimizer import create as create_optimizer
from ._errors import WrongUseError
from ._parameters import WithParameters

__all__ = ["WithOptimizer"]


class WithOptimizer(WithParameters):
    """A module whose parameters an optimizer updates."""

    _context: list[Context]
    _param_names: list[str]
    _compression_params: Any
    _optimizer: Any
    _updater: Any
    _preload_opt_states: str | None

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Gives the module an optimizer.

        Args:
            kvstore: what adds up the gradients of several contexts: a store, the name of a kind, or None.
            optimizer: an Optimizer, or the name of one.
            optimizer_params: its arguments, if it is given by name. Gradients are divided by the batch size unless
                `rescale_grad` is among them.
            force_init: whether to replace an optimizer that is there.
        """
        self._require("init_optimizer", "binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring...")
            return
        if self._params_dirty:
            self._sync_params_from_devices()
        store, on_store = _create_kvstore(kvstore, len(self._context), self._arg_params)
        self._optimizer = self._made_optimizer(optimizer, optimizer_params, store, on_store)
        self._kvstore, self._update_on_kvstore = store, on_store
        if store:
            if self._compression_params:
                store.set_gradient_compression(self._compression_params)
            if on_store:
                store.set_optimizer(self._optimizer)
            _initialize_kvstore(store, self._exec_group.param_arrays, self._arg_params, self._param_names, on_store)
        self._updater = None if on_store else get_updater(self._optimizer)
        self.optimizer_initialized = True
        if self._preload_opt_states is not None:
            self.load_optimizer_states(self._preload_opt_states)
            self._preload_opt_states = None

    def _made_optimizer(self, optimizer: Any, arguments: Any, store: Any, on_store: bool) -> Any:
        batch_size = self._exec_group.batch_size
        if store and "dist" in store.type and "_sync" in store.type:
            batch_size *= store.num_workers
        rescale_grad = 1.0 / batch_size
        copies = 1 if on_store else len(self._context)
        names = {
            place * copies + k: name for place, name in enumerate(self._exec_group.param_names) for k in range(copies)
        }
        if isinstance(optimizer, str):
            chosen = {"rescale_grad": rescale_grad, **dict(arguments)}
            return create_optimizer(optimizer, sym=self.symbol, param_idx2name=names, **chosen)
        if not isinstance(optimizer, Optimizer):
            raise WrongUseError(f"[Module.init_optimizer] optimizer: received {type(optimizer).__name__}.")
        if optimizer.rescale_grad != rescale_grad:
            warnings.warn(
                f"[Module.init_optimizer] the optimizer's rescale_grad is {optimizer.rescale_grad}, not 1.0 / batch "
                f"size / workers = {rescale_grad}: gradients are not divided by the batch size. Is this intended?",
                stacklevel=3,
            )
        if not optimizer.idx2name:
            optimizer.idx2name = names.copy()
        return optimizer

    def borrow_optimizer(self, shared_module: Any) -> None:
        """Uses the optimizer of another module."""
        shared_module._require("borrow_optimizer", "optimizer_initialized")
        self._optimizer = shared_module._optimizer
        self._kvstore = shared_module._kvstore
        self._update_on_kvstore = shared_module._update_on_kvstore
        self._updater = shared_module._updater
        self.optimizer_initialized: bool = True

    def update(self) -> None:
        """Updates the parameters with their gradients."""
        self._require("update", "binded", "params_initialized", "optimizer_initialized")
        self._params_dirty = True
        group = self._exec_group
        if self._update_on_kvstore:
            _update_params_on_kvstore(group.param_arrays, group.grad_arrays, self._kvstore, group.param_names)
        else:
            _update_params(
                *(group.param_arrays, group.grad_arrays, self._updater, len(self._context)),
                kvstore=self._kvstore,
                param_names=group.param_names,
            )

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Fetches the rows of sparse parameters that a batch needs; see `BaseModule.prepare`."""
        self._require("prepare", "binded")
        if sparse_row_id_fn is None:
            return
        if not self._kvstore or not self._update_on_kvstore:
            warnings.warn(
                "[Module.prepare] the store does not update parameters; there is no need for sparse_row_id_fn.",
                stacklevel=2,
            )
            return
        row_ids = sparse_row_id_fn(data_batch)
        if not isinstance(row_ids, dict):
            raise WrongUseError(
                f"[Module.prepare] sparse_row_id_fn gave {type(row_ids).__name__}; expected a dict of rows by name."
            )
        for name, rows in row_ids.items():
            arrays = self._exec_group.param_arrays[self._exec_group.param_names.index(name)]
            if arrays[0].stype == "row_sparse":
                self._kvstore.row_sparse_pull(name, arrays, row_ids=rows)
            else:
                warnings.warn(f"[Module.prepare] {name} is not row_sparse; its rows need no pull.", stacklevel=2)

    def save_optimizer_states(self, fname: str | PathLike[str]) -> None:
        """Saves what the optimizer remembers. No pickle is involved."""
        self._require("save_optimizer_states", "optimizer_initialized")
        if self._update_on_kvstore:
            self._kvstore.save_optimizer_states(fname)
            return
        with atomic_write(fname, "Module.save_optimizer_states") as stream:
            stream.write(self._updater.get_states())

    def load_optimizer_states(self, fname: str | PathLike[str]) -> None:
        """Loads what `save_optimizer_states` saved, here or in MXNet."""
        self._require("load_optimizer_states", "optimizer_initialized")
        if self._update_on_kvstore:
            self._kvstore.load_optimizer_states(fname)
        else:
            self._updater.set_states(bytes(open_mapped(fname, "Module.load_optimizer_states")))
