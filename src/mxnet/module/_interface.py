"""What every kind of module defines in its own way."""

import logging
from typing import Any

from ..initializer import Uniform
from ..ndarray import NDArray
from ._inputs import NotReadyError

__all__ = ["Interface"]

_STEPS = {
    "binded": "bind(data_shapes, label_shapes)",
    "params_initialized": "init_params() or set_params(arg_params, aux_params)",
    "optimizer_initialized": "init_optimizer()",
}


class Interface:
    """The state of a module, and the methods that a kind of module defines.

    Args:
        logger: where to log.

    Attributes:
        binded: whether it is bound to shapes.
        for_training: whether it is bound for training.
        inputs_need_grad: whether gradients of the data are computed.
        params_initialized: whether the parameters have values.
        optimizer_initialized: whether there is an optimizer.
    """

    def __init__(self, logger: Any = logging) -> None:
        self.logger = logger
        self.binded = False
        self.for_training = False
        self.inputs_need_grad = False
        self.params_initialized = False
        self.optimizer_initialized = False
        self._symbol: Any = None
        self._total_exec_bytes = 0

    def _require(self, who: str, *steps: str) -> None:
        """Refuses a call that came too early."""
        for step in steps:
            if not getattr(self, step):
                raise NotReadyError(f"[{type(self).__name__}.{who}] comes too early; call {_STEPS[step]} first.")

    @property
    def symbol(self) -> Any:
        """The network."""
        return self._symbol

    # What a kind of module defines.

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        raise self._missing("data_names")

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        raise self._missing("output_names")

    @property
    def data_shapes(self) -> Any:
        """Names and shapes of the data."""
        raise self._missing("data_shapes")

    @property
    def label_shapes(self) -> Any:
        """Names and shapes of the labels."""
        raise self._missing("label_shapes")

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs."""
        raise self._missing("output_shapes")

    def _missing(self, name: str) -> NotImplementedError:
        return NotImplementedError(f"[{type(self).__name__}] does not define {name}; write it.")

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """The parameters and the auxiliary states by name, on the CPU."""
        raise self._missing("get_params")

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
        raise self._missing("init_params")

    def install_monitor(self, mon: Any) -> None:
        """Lets a monitor look at all executors."""
        raise self._missing("install_monitor")

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs of a batch; in training mode if it is bound for training, unless told."""
        raise self._missing("forward")

    def backward(self, out_grads: Any = None) -> None:
        """Computes gradients, from those of the outputs if they are given."""
        raise self._missing("backward")

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """The outputs: joined over the devices, or a list over the devices for each."""
        raise self._missing("get_outputs")

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """The gradients of the data: joined over the devices, or a list over the devices for each."""
        raise self._missing("get_input_grads")

    def update(self) -> None:
        """Updates the parameters with their gradients."""
        raise self._missing("update")

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Gives the outputs and labels to a metric; `pre_sliced` if there is a list of labels for each device."""
        raise self._missing("update_metric")

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
        """Binds the module to shapes; see `Module.bind`."""
        raise self._missing("bind")

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Gives the module an optimizer; see `Module.init_optimizer`."""
        raise self._missing("init_optimizer")
