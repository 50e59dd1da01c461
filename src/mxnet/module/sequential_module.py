"""A chain of modules: the outputs of each are the data of the next."""

import copy
import logging
from typing import Any

from ..initializer import Uniform
from ..ndarray import NDArray
from ._inputs import WrongUseError
from .base_module import BaseModule

__all__ = ["SequentialModule"]


class SequentialModule(BaseModule):
    """Modules one after the other.

    Args:
        logger: where to log.

    Example:
        >>> chain = mx.mod.SequentialModule()
        >>> chain.add(features).add(classifier, take_labels=True, auto_wiring=True)
    """

    META_TAKE_LABELS = "take_labels"
    META_AUTO_WIRING = "auto_wiring"

    def __init__(self, logger: Any = logging) -> None:
        super().__init__(logger=logger)
        self._modules: list[Any] = []
        self._metas: list[dict[str, Any]] = []
        self._label_shapes: Any = None
        self._data_shapes: Any = None
        self._meta_keys = {getattr(type(self), name) for name in dir(type(self)) if name.startswith("META_")}

    def add(self, module: Any, **kwargs: Any) -> "SequentialModule":
        """Adds a module at the end; returns the chain.

        Args:
            module: the module.
            kwargs: `take_labels=True` gives it the labels; `auto_wiring=True` names its data as it wants them.
        """
        for key in kwargs:
            if key not in self._meta_keys:
                raise WrongUseError(
                    f'[SequentialModule.add] Unknown meta "{key}", a typo? Expected some of {sorted(self._meta_keys)}.'
                )
        self._modules.append(module)
        self._metas.append(kwargs)
        self.binded = self.params_initialized = self.optimizer_initialized = False
        return self

    @property
    def data_names(self) -> list[str]:
        """Names of the data of the first module."""
        return self._modules[0].data_names if self._modules else []

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs of the last module."""
        return self._modules[-1].output_names if self._modules else []

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the data of the first module."""
        self._require("data_shapes", "binded")
        return self._modules[0].data_shapes

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the labels; None if no module takes them."""
        self._require("label_shapes", "binded")
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs of the last module."""
        self._require("output_shapes", "binded")
        return self._modules[-1].output_shapes

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """The parameters and the auxiliary states of all modules."""
        self._require("get_params", "binded", "params_initialized")
        arg_params: dict[str, NDArray] = {}
        aux_params: dict[str, NDArray] = {}
        for module in self._modules:
            args, auxs = module.get_params()
            arg_params.update(args)
            aux_params.update(auxs)
        return arg_params, aux_params

    def init_params(
        self,
        initializer: Any = Uniform(0.01),  # noqa: B008  # it has no state
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Gives first values to the parameters of all modules; see `Module.init_params`."""
        if self.params_initialized and not force_init:
            return
        self._require("init_params", "binded")
        for module in self._modules:
            module.init_params(initializer, arg_params, aux_params, allow_missing, force_init, allow_extra)
        owners: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for place, module in enumerate(self._modules):
            for known, names in zip(owners, module.get_params(), strict=True):
                for name in names:
                    if name in known:
                        raise WrongUseError(
                            f'[SequentialModule] Duplicated parameter names: "{name}" in layer {place} is already used '
                            f"in layer {known[name]}. Name the layers of the networks differently."
                        )
                    known[name] = place
        self.params_initialized: bool = True

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
        """Binds all modules, each to the shapes of the outputs before it; see `Module.bind`."""
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if inputs_need_grad and not for_training:
            raise WrongUseError("[SequentialModule.bind] inputs_need_grad=True needs for_training=True.")
        if shared_module is not None:
            raise WrongUseError("[SequentialModule.bind] Shared module is not supported.")
        if not self._modules:
            raise WrongUseError("[SequentialModule.bind] Attempting to bind an empty SequentialModule; call add().")
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        shapes = data_shapes
        for place, (module, meta) in enumerate(zip(self._modules, self._metas, strict=True)):
            if meta.get(self.META_AUTO_WIRING):
                shapes = _renamed(module.data_names, shapes)
            module.bind(
                data_shapes=shapes,
                label_shapes=label_shapes if meta.get(self.META_TAKE_LABELS) else None,
                for_training=for_training,
                inputs_need_grad=bool(inputs_need_grad or (for_training and place > 0)),
                force_rebind=force_rebind,
                shared_module=None,
                grad_req=grad_req,
            )
            shapes = module.output_shapes
        self.binded: bool = True
        takers = [meta for meta in self._metas if meta.get(self.META_TAKE_LABELS)]
        self._label_shapes = label_shapes if takers else None

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Gives each module an optimizer; see `Module.init_optimizer`."""
        self._require("init_optimizer", "binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        for module in self._modules:
            module.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        self.optimizer_initialized: bool = True

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs of a batch, module by module."""
        self._require("forward", "binded", "params_initialized")
        batch = copy.copy(data_batch)  # its data change on the way
        for module in self._modules[:-1]:
            module.forward(batch, is_train=is_train)
            batch.data = module.get_outputs()
            if hasattr(batch, "provide_data"):
                names = [name for name, _ in module.output_shapes]
                batch.provide_data = [(name, each.shape) for name, each in zip(names, batch.data, strict=True)]
        self._modules[-1].forward(batch, is_train=is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Computes gradients, from the last module to the first."""
        self._require("backward", "binded", "params_initialized")
        for place, module in reversed(list(enumerate(self._modules))):
            module.backward(out_grads=out_grads)
            if place:
                out_grads = module.get_input_grads()

    def update(self) -> None:
        """Updates the parameters of all modules."""
        self._require("update", "binded", "params_initialized", "optimizer_initialized")
        for module in self._modules:
            module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """The outputs of the last module."""
        self._require("get_outputs", "binded", "params_initialized")
        return self._modules[-1].get_outputs(merge_multi_context=merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """The gradients of the data of the first module."""
        self._require("get_input_grads", "binded", "params_initialized")
        if not self.inputs_need_grad:
            raise WrongUseError("[get_input_grads] there are none; bind with inputs_need_grad=True.")
        return self._modules[0].get_input_grads(merge_multi_context=merge_multi_context)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Gives labels and outputs of the modules that take labels to a metric."""
        self._require("update_metric", "binded", "params_initialized")
        for meta, module in zip(self._metas, self._modules, strict=True):
            if meta.get(self.META_TAKE_LABELS):
                module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Lets a monitor look at all modules."""
        self._require("install_monitor", "binded")
        for module in self._modules:
            module.install_monitor(mon)


def _renamed(names: list[str], shapes: Any) -> list[tuple[str, Any]]:
    if len(names) != len(shapes):
        raise WrongUseError(
            f"[SequentialModule.bind] auto_wiring: received {len(shapes)} outputs for the data {names}; expected as "
            "many."
        )
    return [(name, each[1]) for name, each in zip(names, shapes, strict=True)]
