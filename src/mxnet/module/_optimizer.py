"""Hold the parameters and the optimizer of a module."""

import warnings
from os import PathLike
from typing import Any

from regluon.formats.atomic import atomic_write, open_mapped

from ..context import Context
from ..initializer import InitDesc, Uniform
from ..model import _create_kvstore, _initialize_kvstore, _update_params, _update_params_on_kvstore
from ..ndarray import NDArray, arange
from ..optimizer import Optimizer, get_updater
from ..optimizer import create as create_optimizer
from ._inputs import NotReadyError, WrongUseError
from .base_module import BaseModule

__all__ = ["IGNORED", "WithParameters", "WithOptimizer"]


IGNORED = "[{}] the parameters have values already and force_init=False: the call is ignored."


class WithParameters(BaseModule):
    """A module with parameters on the contexts of an executor group."""

    _arg_params: Any
    _aux_params: Any
    _params_dirty: bool  # whether the contexts have newer values than _arg_params
    _exec_group: Any
    _kvstore: Any
    _update_on_kvstore: bool | None

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """The parameters and the auxiliary states by name, on the CPU."""
        self._require("get_params", "params_initialized")
        if self._params_dirty:
            self._sync_params_from_devices()
        return self._arg_params, self._aux_params

    def init_params(
        self,
        initializer: Any = Uniform(0.01),  # noqa: B008  # it has no state
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Gives first values to the parameters.

        Args:
            initializer: makes values for those that are not given.
            arg_params: values of parameters by name.
            aux_params: values of auxiliary states by name.
            allow_missing: whether the initializer may fill what `arg_params` and `aux_params` lack.
            force_init: whether to replace values that are there.
            allow_extra: whether to ignore names that the network lacks.
        """
        if self.params_initialized and not force_init:
            warnings.warn(IGNORED.format("Module.init_params"), stacklevel=2)
            return
        self._require("init_params", "binded")
        attributes = self._symbol.attr_dict()
        for arrays, given in ((self._arg_params, arg_params), (self._aux_params, aux_params)):
            for name, array in sorted(arrays.items()):
                if given is not None and name in given:
                    if given[name] is not array:
                        given[name].copyto(array)
                elif given is not None and not allow_missing:
                    raise NotReadyError(
                        f"[Module.init_params] {name} is not presented; there are {', '.join(sorted(given)[:20])}. "
                        "Pass allow_missing=True to leave it to the initializer."
                    )
                elif initializer is not None:
                    initializer(InitDesc(name, attributes.get(name)), array)
                elif given is None:
                    raise WrongUseError(f"[Module.init_params] {name}: there is neither a value nor an initializer.")
        self.params_initialized = True
        self._params_dirty = False
        self._exec_group.set_params(self._arg_params, self._aux_params, allow_extra=allow_extra)

    def set_params(
        self,
        arg_params: Any,
        aux_params: Any,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Sets parameters and auxiliary states; see `BaseModule.set_params`."""
        if not allow_missing:
            self.init_params(None, arg_params, aux_params, allow_missing, force_init, allow_extra)
            return
        if self.params_initialized and not force_init:
            warnings.warn(IGNORED.format("Module.set_params"), stacklevel=2)
            return
        self._require("set_params", "binded")
        self._exec_group.set_params(arg_params, aux_params, allow_extra=allow_extra)
        self._params_dirty = True
        self.params_initialized: bool = True

    def _sync_params_from_devices(self) -> None:
        """Fetches the newest values of the parameters from the contexts, and of sparse ones from the store."""
        self._exec_group.get_params(self._arg_params, self._aux_params)
        if self._kvstore and self._update_on_kvstore:
            for name, array in sorted(self._arg_params.items()):
                if array.stype == "row_sparse":
                    rows = arange(0, array.shape[0], dtype="int64")
                    self._kvstore.row_sparse_pull(name, array, row_ids=rows)
        self._params_dirty = False


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
