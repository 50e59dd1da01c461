"""A module that trains with variance reduced gradients."""

import logging
from collections.abc import Sequence
from typing import Any

from ...context import cpu
from ...model import _create_kvstore
from ...module import Module
from ...module._inputs import WrongUseError
from ...module._resume import Resuming
from ...ndarray import NDArray, zeros
from ...optimizer import create as create_optimizer
from .svrg_optimizer import _SVRGOptimizer

__all__ = ["SVRGModule"]


class SVRGModule(Module):
    """A Module whose gradients are corrected: g(w) - g(w0) + mean of g(w0) over all data.

    w0 are the weights of some epochs ago, which a second module keeps; both see every batch.

    Args:
        symbol: the network; this and all that follow but the last as for Module.
        data_names: its arguments that are data.
        label_names: its arguments that are labels.
        logger: where to log.
        context: where to compute.
        work_load_list: how much each context takes.
        fixed_param_names: parameters that are not trained.
        state_names: arguments that are states.
        group2ctxs: contexts of groups of layers.
        compression_params: how gradients are compressed between machines.
        update_freq: after how many epochs `fit` takes new weights w0 and computes their mean gradient.
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
        update_freq: int | None = None,
    ) -> None:
        given: tuple[Any, ...] = (symbol, data_names, label_names, logger, context, work_load_list)
        given += (fixed_param_names, state_names, group2ctxs, compression_params)
        super().__init__(*given)
        if not isinstance(update_freq, int):
            raise TypeError(
                f"[SVRGModule] update_freq: received {type(update_freq).__name__}; update_freq in SVRGModule must be "
                "an integer: the number of epochs between two full gradients."
            )
        if update_freq <= 0:
            raise ValueError(
                f"[SVRGModule] update_freq: received {update_freq}; update_freq in SVRGModule must be a positive "
                "integer: the number of epochs between two full gradients."
            )
        self.update_freq = update_freq
        self._mod_aux = Module(*given)
        self._param_dict: list[dict[str, NDArray]] = []  # for each context the mean gradients by name
        self._ctx_len = len(self._context)

    # -- both modules together ----------------------------------------------------------------------------------------

    def _reset_bind(self) -> None:
        super()._reset_bind()
        self._mod_aux._reset_bind()

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
        """Makes the executors of both modules; see Module."""
        given = (data_shapes, label_shapes, for_training, inputs_need_grad, force_rebind, shared_module, grad_req)
        super().bind(*given)
        if for_training:
            self._mod_aux.bind(*given)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Takes data of other shapes from now on."""
        super().reshape(data_shapes, label_shapes)
        self._mod_aux.reshape(data_shapes, label_shapes)

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs of a batch; in training those of the second module too."""
        super().forward(data_batch, is_train)
        if is_train:
            self._mod_aux.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Computes the gradients of both modules."""
        super().backward(out_grads)
        if self._mod_aux.binded:
            self._mod_aux.backward(out_grads)

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Prepares both modules for a batch."""
        super().prepare(data_batch, sparse_row_id_fn=sparse_row_id_fn)
        self._mod_aux.prepare(data_batch, sparse_row_id_fn=sparse_row_id_fn)

    # -- the optimizer ------------------------------------------------------------------------------------------------

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Gives the module an optimizer, and the store keys for the mean gradients; see Module."""
        params = self.get_params()[0]
        self._param_dict = [_zeros_like(params, context) for context in self._context]
        wrapped = self._create_optimizer(_SVRGOptimizer.__name__, optimizer, kvstore, optimizer_params)
        super().init_optimizer(kvstore, wrapped, optimizer_params, force_init)
        if self._kvstore:
            for name in self._exec_group.param_names:
                self._kvstore.init(f"{name}_full", zeros(self._arg_params[name].shape))

    def _create_optimizer(self, optimizer: str, default_opt: Any, kvstore: Any, optimizer_params: Any) -> Any:
        """An optimizer around another one that knows the numbers and names of all keys."""
        store, on_store = _create_kvstore(kvstore, self._ctx_len, self._arg_params)
        batch_size = self._exec_group.batch_size
        if store and "dist" in store.type and "_sync" in store.type:
            batch_size *= store.num_workers
        copies = 1 if on_store else self._ctx_len
        names = [name for name in self._exec_group.param_names for _ in range(copies)]
        names += [f"{name}_full" for name in self._param_dict[0]]
        arguments = {"rescale_grad": 1.0 / batch_size, **dict(optimizer_params)}
        numbered = dict(enumerate(names))
        return create_optimizer(optimizer, default_optimizer=default_opt, param_idx2name=numbered, **arguments)

    # -- training -----------------------------------------------------------------------------------------------------

    def update(self) -> None:
        """Updates the parameters with corrected gradients."""
        self._update_svrg_gradients()
        super().update()

    def update_full_grads(self, train_data: Any) -> None:
        """Takes the present weights for w0 and computes their mean gradient.

        Args:
            train_data: the iterator of all data.
        """
        self._mod_aux.set_params(*self.get_params())
        self._param_dict = [_zeros_like(self._arg_params, context) for context in self._context]
        train_data.reset()
        count, padding = 0, 0
        for count, batch in enumerate(train_data, 1):  # noqa: B007  # read after the loop
            self._mod_aux.forward(batch, is_train=True)
            self._mod_aux.backward()
            for means, gradients in zip(self._param_dict, self._gradients(self._mod_aux), strict=True):
                for name, gradient in gradients.items():
                    means[name] += gradient
            padding = batch.pad or 0
        batches = count - padding / train_data.batch_size
        for name in self._exec_group.param_names:
            means_of_name = [means[name] for means in self._param_dict]
            for mean in means_of_name:
                mean /= batches
            if self._kvstore:
                self._accumulate_kvstore(name, means_of_name)

    def _gradients(self, module: Module) -> list[dict[str, NDArray]]:
        """The gradients of a module by name, for each context; those that are not trained have none."""
        named = list(zip(self._exec_group.param_names, module._exec_group.grad_arrays, strict=True))
        return [
            {name: arrays[place] for name, arrays in named if arrays[place] is not None}
            for place in range(self._ctx_len)
        ]

    def _accumulate_kvstore(self, key: str, value: list[NDArray]) -> None:
        """Adds up the mean gradients of a parameter over all contexts and workers."""
        self._kvstore.push(f"{key}_full", value)
        self._kvstore._barrier()
        self._kvstore.pull(f"{key}_full", value)
        self._allocate_gradients(key, value)

    def _allocate_gradients(self, key: str, value: list[NDArray]) -> None:
        """Gives each context its share of a sum over the contexts."""
        for means, total in zip(self._param_dict, value, strict=False):
            means[key] = total / self._ctx_len

    def _svrg_grads_update_rule(
        self, g_curr_batch_curr_weight: NDArray, g_curr_batch_special_weight: NDArray, g_special_weight_all_batch: Any
    ) -> NDArray:
        """Corrects a gradient where it is.

        Args:
            g_curr_batch_curr_weight: of this batch, at the weights.
            g_curr_batch_special_weight: of this batch, at w0.
            g_special_weight_all_batch: the mean over all data, at w0.
        """
        g_curr_batch_curr_weight -= g_curr_batch_special_weight
        g_curr_batch_curr_weight += g_special_weight_all_batch
        return g_curr_batch_curr_weight

    def _update_svrg_gradients(self) -> None:
        for means, now, before in zip(
            self._param_dict, self._gradients(self), self._gradients(self._mod_aux), strict=True
        ):
            for name, gradient in now.items():
                self._svrg_grads_update_rule(gradient, before[name], means[name])

    def _fit_epoch(self, seen: dict[str, Any], resuming: Resuming) -> None:
        """One pass over the training data, after one over w0's gradients where it is time for that."""
        if resuming.is_wanted:
            raise WrongUseError(
                "[SVRGModule.fit] checkpoint: received a folder; expected none: mean gradients are in no checkpoint. "
                "Use save_checkpoint() after epochs."
            )
        if seen["epoch"] % self.update_freq == 0:
            self.update_full_grads(seen["train_data"])
        seen["train_data"].reset()
        super()._fit_epoch(seen, resuming)


def _zeros_like(params: Any, context: Any) -> dict[str, NDArray]:
    return {name: zeros(array.shape, ctx=context) for name, array in params.items()}
