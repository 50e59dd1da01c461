"""Module: one network, on one or several contexts."""

import logging
from collections.abc import Sequence
from typing import Any

from regluon.formats.atomic import together
from regluon.symbol.checkpoint import load_checkpoint, params_file

from ..context import Context, cpu
from ..io import DataDesc
from ..ndarray import zeros
from ._inputs import WrongUseError, _check_input_names, _parse_data_desc
from ._optimizer import WithOptimizer
from .executor_group import DataParallelExecutorGroup

__all__ = ["Module"]


class Module(WithOptimizer):
    """A network with its parameters, on one or several contexts.

    Args:
        symbol: the network.
        data_names: its arguments that are data.
        label_names: its arguments that are labels.
        logger: where to log.
        context: where to compute: a context or a list of them, among which each batch is split.
        work_load_list: how much each context takes, relative to the others.
        fixed_param_names: parameters that are not trained.
        state_names: arguments that are states: neither data nor parameters; see `set_states`.
        group2ctxs: contexts of groups of layers, those made in `AttrScope(ctx_group=...)`;
            one dict, or one for each of `context`.
        compression_params: how gradients are compressed between machines.

    Example:
        >>> module = mx.mod.Module(network)
        >>> module.fit(train_data, eval_data, optimizer_params={"learning_rate": 0.1}, num_epoch=10)
        >>> module.score(eval_data, "acc")
    """

    def __init__(
        self,
        symbol: Any,
        data_names: Sequence[str] | None = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Any = cpu(),  # noqa: B008  # a constant
        work_load_list: Sequence[float] | None = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ) -> None:
        super().__init__(logger=logger)
        self._context = [context] if isinstance(context, Context) else context
        self._work_load_list = [1] * len(self._context) if work_load_list is None else work_load_list
        if len(self._work_load_list) != len(self._context):
            raise WrongUseError(
                f"[Module] work_load_list: received {len(self._work_load_list)} numbers; expected one for each of "
                f"{self._context}."
            )
        self._group2ctxs = group2ctxs
        self._symbol = symbol
        self._data_names = list(data_names or [])
        self._label_names = list(label_names or [])
        self._state_names = list(state_names or [])
        self._fixed_param_names = list(fixed_param_names or [])
        _check_input_names(symbol, self._data_names, "data", True)
        _check_input_names(symbol, self._label_names, "label", False)
        _check_input_names(symbol, self._state_names, "state", True)
        _check_input_names(symbol, self._fixed_param_names, "fixed_param", True)
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        self._param_names = [name for name in symbol.list_arguments() if name not in inputs]
        self._aux_names = symbol.list_auxiliary_states()
        self._output_names = symbol.list_outputs()
        self._arg_params: Any = None
        self._aux_params: Any = None
        self._params_dirty = False  # whether the contexts have newer values than _arg_params
        self._compression_params = compression_params
        self._optimizer: Any = None
        self._kvstore: Any = None
        self._update_on_kvstore: bool | None = None
        self._updater: Any = None
        self._preload_opt_states: str | None = None
        self._grad_req: Any = None
        self._exec_group: Any = None
        self._data_shapes: Any = None
        self._label_shapes: Any = None

    # -- files --------------------------------------------------------------------------------------------------------

    @staticmethod
    def load(prefix: Any, epoch: int, load_optimizer_states: bool = False, **kwargs: Any) -> "Module":
        """A module from a checkpoint.

        Args:
            prefix: the beginning of the files' names.
            epoch: the number of the checkpoint.
            load_optimizer_states: whether to load what the optimizer remembered, when there is one.
            kwargs: further arguments of the constructor.
        """
        symbol, arg_params, aux_params = load_checkpoint(prefix, epoch)
        module = Module(symbol=symbol, **kwargs)
        module._arg_params, module._aux_params = arg_params, aux_params
        module.params_initialized = True
        if load_optimizer_states:
            module._preload_opt_states = _states_file(prefix, epoch)
        return module

    def save_checkpoint(
        self, prefix: Any, epoch: int, save_optimizer_states: bool = False, remove_amp_cast: bool = True
    ) -> None:
        """Saves the network, the parameters and, if wanted, what the optimizer remembers.

        Args:
            prefix: the beginning of the files' names.
            epoch: the number of the checkpoint.
            save_optimizer_states: whether to save what the optimizer remembers.
            remove_amp_cast: leave out the casts that automatic mixed precision put in.
        """
        with together("save_checkpoint"):
            self._symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
            self.save_params(params_file(prefix, epoch))
            if save_optimizer_states:
                self.save_optimizer_states(_states_file(prefix, epoch))
        logging.info('Saved checkpoint to "%s"', params_file(prefix, epoch))
        if save_optimizer_states:
            logging.info('Saved optimizer state to "%s"', _states_file(prefix, epoch))

    # -- names and shapes ---------------------------------------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        return self._data_names

    @property
    def label_names(self) -> list[str]:
        """Names of the labels."""
        return self._label_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the data."""
        self._require("data_shapes", "binded")
        return self._data_shapes

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the labels; None if it is bound without."""
        self._require("label_shapes", "binded")
        return self._label_shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs."""
        self._require("output_shapes", "binded")
        shapes: list[tuple[str, tuple[int, ...]]] = self._exec_group.get_output_shapes()
        return shapes

    # -- binding ------------------------------------------------------------------------------------------------------

    def _reset_bind(self) -> None:
        self.binded = False
        self._exec_group = None
        self._data_shapes = None
        self._label_shapes = None

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
        """Makes the executors.

        Args:
            data_shapes: pairs of name and shape, or DataDesc, of the data: `iterator.provide_data`.
            label_shapes: the same of the labels; None without.
            for_training: whether gradients are computed.
            inputs_need_grad: whether gradients of the data are computed too.
            force_rebind: whether to bind again if it is bound.
            shared_module: a module whose parameters and optimizer to share, for buckets.
            grad_req: what becomes of gradients: "write", "add" or "null"; for all, or a list or dict for each argument.
        """
        if force_rebind:
            if self.params_initialized and self._params_dirty:
                self._sync_params_from_devices()
            self._reset_bind()
        if self.binded:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if inputs_need_grad and not for_training:
            raise WrongUseError("[Module.bind] inputs_need_grad=True needs for_training=True.")
        self.for_training, self.inputs_need_grad, self._grad_req = for_training, inputs_need_grad, grad_req
        self._data_shapes, self._label_shapes = _parse_data_desc(
            self.data_names, self.label_names, data_shapes, label_shapes
        )
        self._exec_group = DataParallelExecutorGroup(
            *(self._symbol, self._context, self._work_load_list, self._data_shapes, self._label_shapes),
            *(self._param_names, for_training, inputs_need_grad, self._group_of(shared_module)),
            logger=self.logger,
            fixed_param_names=self._fixed_param_names,
            grad_req=grad_req,
            group2ctxs=self._group2ctxs,
            state_names=self._state_names,
        )
        self._total_exec_bytes = self._exec_group._total_exec_bytes
        self._bind_params(shared_module)
        if shared_module is not None and shared_module.optimizer_initialized:
            self.borrow_optimizer(shared_module)
        self.binded: bool = True

    def _group_of(self, shared_module: Any) -> Any:
        if shared_module is None:
            return None
        if not isinstance(shared_module, Module):
            raise WrongUseError(f"[Module.bind] shared_module: received {type(shared_module).__name__}.")
        shared_module._require("bind (as shared_module)", "binded", "params_initialized")
        group = shared_module._exec_group
        if len(group.execs) < len(self._context):
            raise WrongUseError(
                f"[Module.bind] shared_module is on {len(group.execs)} contexts; expected {len(self._context)}."
            )
        return group

    def _bind_params(self, shared_module: Any) -> None:
        """Connects the parameters with the executors: shared ones, those there are, or new ones."""
        group = self._exec_group
        if shared_module is not None:
            self.params_initialized = True
            self._arg_params, self._aux_params = shared_module._arg_params, shared_module._aux_params
        elif self.params_initialized:
            missing = sorted({*self._param_names, *self._aux_names} - {*self._arg_params, *self._aux_params})
            if missing:
                self.logger.warning("[Module.bind] no values are given for %s: they are zeros", ", ".join(missing))
            group.set_params(self._arg_params, self._aux_params)
        else:
            self._arg_params, self._aux_params = (
                {
                    name: zeros(block[0].shape, dtype=block[0].dtype, stype=block[0].stype)
                    for name, block in zip(names, blocks, strict=True)
                }
                for names, blocks in ((self._param_names, group.param_arrays), (self._aux_names, group.aux_arrays))
            )

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Takes data of other shapes from now on; parameters stay."""
        self._require("reshape", "binded")
        self._data_shapes, self._label_shapes = _parse_data_desc(
            self.data_names, self.label_names, data_shapes, label_shapes
        )
        self._exec_group.reshape(self._data_shapes, self._label_shapes)

    # -- computation --------------------------------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs of a batch; other shapes than the last ones are bound to.

        Args:
            data_batch: a batch, or a list with one for each context.
            is_train: training mode; as it is bound, by default.
        """
        self._require("forward", "binded", "params_initialized")
        shapes = _batch_shapes(data_batch)
        if tuple(each.shape for each in self._data_shapes) != shapes:
            self._follow_shapes(data_batch, shapes)
        self._exec_group.forward(data_batch, is_train)

    def _follow_shapes(self, data_batch: Any, shapes: Sequence[tuple[int, ...]]) -> None:
        data = getattr(data_batch, "provide_data", None) or [
            DataDesc(old.name, shape, old.dtype, old.layout)
            for old, shape in zip(self._data_shapes, shapes, strict=False)
        ]
        labels = getattr(data_batch, "provide_label", None)
        if not labels and getattr(data_batch, "label", None):
            labels = [
                DataDesc(old.name, label.shape, old.dtype, old.layout)
                for old, label in zip(self._label_shapes or [], data_batch.label, strict=False)
            ]
        self.reshape(data, labels or None)

    def backward(self, out_grads: Any = None) -> None:
        """Computes gradients.

        Args:
            out_grads: gradients of the outputs, for networks that do not end in a loss.
        """
        self._require("backward", "binded", "params_initialized")
        self._exec_group.backward(out_grads=out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """The outputs: joined over the contexts, or a list over the contexts for each."""
        self._require("get_outputs", "binded", "params_initialized")
        return self._exec_group.get_outputs(merge_multi_context=merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """The gradients of the data: joined over the contexts, or a list over the contexts for each."""
        self._require("get_input_grads", "binded", "params_initialized")
        return self._exec_group.get_input_grads(merge_multi_context=merge_multi_context)

    def get_states(self, merge_multi_context: bool = True) -> Any:
        """The states: for each a list over the contexts."""
        self._require("get_states", "binded", "params_initialized")
        return self._exec_group.get_states(merge_multi_context=merge_multi_context)

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Sets the states to arrays, for each a list over the contexts, or all of them to a number."""
        self._require("set_states", "binded", "params_initialized")
        self._exec_group.set_states(states, value)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Gives the outputs and labels to a metric; `pre_sliced` if there is a list of labels for each context."""
        self._exec_group.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Lets a monitor look at all executors."""
        self._require("install_monitor", "binded")
        self._exec_group.install_monitor(mon)


def _states_file(prefix: Any, epoch: int) -> str:
    return f"{prefix}-{int(epoch):04d}.states"


def _batch_shapes(data_batch: Any) -> tuple[tuple[int, ...], ...]:
    """The shapes of the data; of a list with a batch for each context, those of the joined batch."""
    if not isinstance(data_batch, list):
        return tuple(each.shape for each in data_batch.data)
    if not data_batch:
        raise WrongUseError("[Module.forward] Encountered empty data batch; expected one for each context.")
    shapes = [tuple(each.shape for each in batch.data) for batch in data_batch]
    if any(each != shapes[0] for each in shapes):
        raise WrongUseError(f"[Module.forward] All data batches in a list need the same shape; received {shapes}.")
    return tuple((len(data_batch) * shape[0], *shape[1:]) for shape in shapes[0])
