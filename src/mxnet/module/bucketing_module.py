"""BucketingModule: a network for each length of the data, with shared parameters."""

import logging
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from regluon.formats.atomic import together
from regluon.symbol.checkpoint import load_params, params_file

from ..context import cpu
from ..error import FileFormatError
from ..initializer import Uniform
from ..name import NameManager
from ..ndarray import NDArray, array
from ..ndarray.utils import load, save
from ..symbol import load as load_symbol
from ._inputs import NotReadyError, WrongUseError, _check_input_names
from ._optimizer import IGNORED
from .base_module import BaseModule
from .module import Module

__all__ = ["BucketingModule"]


class BucketingModule(BaseModule):
    """Networks of different shapes, made when a batch of their bucket comes, that share parameters and optimizer.

    Args:
        sym_gen: makes network, data names and label names from a bucket's key.
        default_bucket_key: the bucket whose network has all parameters; take the largest one.
        logger: where to log.
        context: where to compute: a context or a list of them.
        work_load_list: how much each context takes, relative to the others.
        fixed_param_names: parameters that are not trained.
        state_names: arguments that are states.
        group2ctxs: contexts of groups of layers: see Module.
        compression_params: how gradients are compressed between machines.
    """

    def __init__(
        self,
        sym_gen: Callable[..., Any],
        default_bucket_key: Any = None,
        logger: Any = logging,
        context: Any = cpu(),  # noqa: B008  # a constant
        work_load_list: Sequence[float] | None = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ) -> None:
        super().__init__(logger=logger)
        if default_bucket_key is None:
            raise WrongUseError("[BucketingModule] default_bucket_key: received None; expected a bucket's key.")
        self._default_bucket_key = default_bucket_key
        self._sym_gen = sym_gen
        self._fixed_param_names = list(fixed_param_names or [])
        self._state_names = list(state_names or [])
        symbol, data_names, label_names = self._call_sym_gen(default_bucket_key)
        _check_input_names(symbol, list(data_names or []), "data", True)
        _check_input_names(symbol, list(label_names or []), "label", False)
        _check_input_names(symbol, self._state_names, "state", True)
        _check_input_names(symbol, self._fixed_param_names, "fixed_param", True)
        self._compression_params = compression_params
        self._context = context
        self._work_load_list = work_load_list
        self._group2ctxs = group2ctxs
        self._buckets: dict[Any, Any] = {}
        self._curr_module: Any = None
        self._curr_bucket_key: Any = None
        self._params_dirty = False
        self._monitor: Any = None
        self._grad_req: Any = None

    def _reset_bind(self) -> None:
        self.binded = False
        self._buckets = {}
        self._curr_module = None
        self._curr_bucket_key = None

    def _call_sym_gen(self, *args: Any, **kwargs: Any) -> Any:
        with NameManager():  # the same automatic names in every bucket
            return self._sym_gen(*args, **kwargs)

    def _made_module(self, bucket_key: Any) -> Module:
        symbol, data_names, label_names = self._call_sym_gen(bucket_key)
        return Module(
            symbol,
            data_names,
            label_names,
            logger=self.logger,
            context=self._context,
            work_load_list=self._work_load_list,
            fixed_param_names=self._fixed_param_names,
            state_names=self._state_names,
            group2ctxs=self._group2ctxs,
            compression_params=self._compression_params,
        )

    # -- names and shapes ---------------------------------------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        """Names of the data, of the current bucket if it is bound."""
        return self._curr_module.data_names if self.binded else self._call_sym_gen(self._default_bucket_key)[1]

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs, of the current bucket if it is bound."""
        if self.binded:
            return self._curr_module.output_names
        return self._call_sym_gen(self._default_bucket_key)[0].list_outputs()

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the data of the current bucket."""
        self._require("data_shapes", "binded")
        return self._curr_module.data_shapes

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the labels of the current bucket."""
        self._require("label_shapes", "binded")
        return self._curr_module.label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs of the current bucket."""
        self._require("output_shapes", "binded")
        return self._curr_module.output_shapes

    @property
    def symbol(self) -> Any:
        """The network of the current bucket."""
        self._require("symbol", "binded")
        return self._curr_module.symbol

    # -- parameters and states ----------------------------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """The parameters and the auxiliary states by name, on the CPU."""
        self._require("get_params", "params_initialized")
        self._curr_module._params_dirty = self._params_dirty
        params: tuple[dict[str, NDArray], dict[str, NDArray]] = self._curr_module.get_params()
        self._params_dirty = False
        return params

    def init_params(
        self,
        initializer: Any = Uniform(0.01),  # noqa: B008  # it has no state
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Gives first values to the parameters; see `Module.init_params`."""
        if self.params_initialized and not force_init:
            return
        self._require("init_params", "binded")
        self._curr_module.init_params(initializer, arg_params, aux_params, allow_missing, force_init, allow_extra)
        self._params_dirty = False
        self.params_initialized = True

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
            warnings.warn(IGNORED.format("BucketingModule.set_params"), stacklevel=2)
            return
        self._require("set_params", "binded")
        self._curr_module.set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
        self._params_dirty = True
        self.params_initialized: bool = True

    def get_states(self, merge_multi_context: bool = True) -> Any:
        """The states of the current bucket."""
        self._require("get_states", "binded", "params_initialized")
        return self._curr_module.get_states(merge_multi_context=merge_multi_context)

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Sets the states of the current bucket."""
        self._require("set_states", "binded", "params_initialized")
        self._curr_module.set_states(states, value)

    # -- binding ------------------------------------------------------------------------------------------------------

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = "write",
    ) -> None:
        """Binds the network of the default bucket; see `Module.bind`."""
        params = self.get_params() if self.params_initialized else None
        if force_rebind:
            self._reset_bind()
        if self.binded:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if shared_module is not None:
            raise WrongUseError("[BucketingModule.bind] shared_module for BucketingModule is not supported.")
        self.for_training, self.inputs_need_grad, self._grad_req = for_training, inputs_need_grad, grad_req
        key = self._default_bucket_key
        module = self._buckets.get(key) or self._made_module(key)
        module.bind(data_shapes, label_shapes, for_training, inputs_need_grad, grad_req=grad_req)
        self._buckets[key] = self._curr_module = module
        self._curr_bucket_key = key
        self.binded: bool = True
        if params is not None:
            self.set_params(*params)

    def switch_bucket(self, bucket_key: Any, data_shapes: Any, label_shapes: Any = None) -> None:
        """Takes another network from now on; makes it if it is new.

        Args:
            bucket_key: its key.
            data_shapes: descriptions of its data, for a new one.
            label_shapes: descriptions of its labels.
        """
        self._require("switch_bucket", "binded")
        module = self._buckets.get(bucket_key)
        if module is None or not module.binded:
            is_new = module is None
            module = module or self._made_module(bucket_key)
            module.bind(
                *(data_shapes, label_shapes, self._curr_module.for_training, self._curr_module.inputs_need_grad),
                shared_module=self._buckets[self._default_bucket_key],
                grad_req=self._grad_req,
            )
            if is_new and self._monitor is not None:
                module.install_monitor(self._monitor)
            self._buckets[bucket_key] = module
        self._curr_module = module
        self._curr_bucket_key = bucket_key

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Makes the network of the batch's bucket, if it is new; see `BaseModule.prepare`."""
        self._require("prepare", "binded", "params_initialized")
        current = self._curr_bucket_key
        self.switch_bucket(data_batch.bucket_key, data_batch.provide_data, data_batch.provide_label)
        self._curr_module.prepare(data_batch, sparse_row_id_fn=sparse_row_id_fn)
        self.switch_bucket(current, None, None)

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Gives all buckets one optimizer; see `Module.init_optimizer`."""
        self._require("init_optimizer", "binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        self._curr_module.init_optimizer(kvstore, optimizer, optimizer_params, force_init=force_init)
        for module in self._buckets.values():
            if module is not self._curr_module:
                module.borrow_optimizer(self._curr_module)
        self.optimizer_initialized = True

    # -- computation --------------------------------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs of a batch with the network of its bucket."""
        self._require("forward", "binded", "params_initialized")
        self.switch_bucket(data_batch.bucket_key, data_batch.provide_data, data_batch.provide_label)
        self._curr_module.forward(data_batch, is_train=is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Computes gradients."""
        self._require("backward", "binded", "params_initialized")
        self._curr_module.backward(out_grads=out_grads)

    def update(self) -> None:
        """Updates the parameters, which all buckets share."""
        self._require("update", "binded", "params_initialized", "optimizer_initialized")
        self._params_dirty = True
        self._curr_module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """The outputs of the current bucket."""
        self._require("get_outputs", "binded", "params_initialized")
        return self._curr_module.get_outputs(merge_multi_context=merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """The gradients of the data of the current bucket."""
        self._require("get_input_grads", "binded", "params_initialized")
        return self._curr_module.get_input_grads(merge_multi_context=merge_multi_context)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Gives the outputs and labels of the current bucket to a metric."""
        self._require("update_metric", "binded", "params_initialized")
        self._curr_module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Lets a monitor look at all buckets, later ones too."""
        self._require("install_monitor", "binded")
        self._monitor = mon
        for module in self._buckets.values():
            module.install_monitor(mon)

    # -- files --------------------------------------------------------------------------------------------------------

    def save_checkpoint(self, prefix: Any, epoch: int, remove_amp_cast: bool = False) -> None:
        """Saves the parameters, the network of every bucket, and the keys, which must be numbers.

        Args:
            prefix: the beginning of the files' names.
            epoch: the number of the checkpoint.
            remove_amp_cast: leave out the casts that automatic mixed precision put in.
        """
        if not self._buckets:
            raise WrongUseError("[BucketingModule] Empty BucketingModule cannot be saved; call bind() first.")
        if any(not hasattr(key, "__index__") for key in self._buckets):
            raise WrongUseError(f"[BucketingModule] keys of buckets are saved as numbers; received {[*self._buckets]}.")
        with together("save_checkpoint"):
            self.save_params(params_file(prefix, epoch))
            for key in self._buckets:
                symbol, _, _ = self._call_sym_gen(key)
                symbol.save(f"{prefix}-{key}-symbol.json", remove_amp_cast=remove_amp_cast)
            save(f"{prefix}.buckets", array([int(key) for key in self._buckets], dtype="int32"))

    @staticmethod
    def load(
        prefix: Any, epoch: int, sym_gen: Any = None, default_bucket_key: Any = None, **kwargs: Any
    ) -> "BucketingModule":
        """A module from what `save_checkpoint` saved.

        Args:
            prefix: the beginning of the files' names.
            epoch: the number of the checkpoint.
            sym_gen: makes network, data names and label names from a bucket's key.
            default_bucket_key: the bucket whose network has all parameters.
            kwargs: further arguments of the constructor.
        """
        keys = load(f"{prefix}.buckets")
        if not isinstance(keys, list) or len(keys) != 1:
            raise FileFormatError(f"[BucketingModule.load] {prefix}.buckets holds no keys of buckets.")
        symbols = {int(key): load_symbol(f"{prefix}-{int(key)}-symbol.json") for key in keys[0].asnumpy()}
        return BucketingModule.load_dict(symbols, sym_gen, default_bucket_key, *load_params(prefix, epoch), **kwargs)

    @staticmethod
    def load_dict(
        sym_dict: Any = None,
        sym_gen: Any = None,
        default_bucket_key: Any = None,
        arg_params: Any = None,
        aux_params: Any = None,
        **kwargs: Any,
    ) -> "BucketingModule":
        """A module from networks and parameters.

        Args:
            sym_dict: networks by the keys of their buckets.
            sym_gen: makes network, data names and label names from a bucket's key.
            default_bucket_key: the bucket whose network has all parameters.
            arg_params: parameters by name.
            aux_params: auxiliary states by name.
            kwargs: further arguments of the constructor.
        """
        given = {"sym_dict": sym_dict, "sym_gen": sym_gen, "arg_params": arg_params, "aux_params": aux_params}
        for name, value in {**given, "default_bucket_key": default_bucket_key}.items():
            if value is None:
                raise WrongUseError(f"[BucketingModule.load] {name}: received None, but it is required.")
        made = BucketingModule(sym_gen, default_bucket_key, **kwargs)
        if default_bucket_key not in sym_dict:
            raise NotReadyError(f"[BucketingModule.load] there is no bucket {default_bucket_key} in {list(sym_dict)}.")
        for key, symbol in sym_dict.items():
            _, data_names, label_names = made._call_sym_gen(key)
            made._buckets[key] = Module(symbol, data_names, label_names, **kwargs)
        module = made._curr_module = made._buckets[default_bucket_key]
        module._arg_params, module._aux_params = arg_params, aux_params
        module.params_initialized = made.params_initialized = True
        return made
