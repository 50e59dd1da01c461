"""The parameters of a module: first values, copies on the contexts, copies on the CPU."""

import warnings
from typing import Any

from ..initializer import InitDesc, Uniform
from ..ndarray import NDArray, arange
from ._errors import NotReadyError, WrongUseError
from .base_module import BaseModule

__all__ = ["IGNORED", "WithParameters"]

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
