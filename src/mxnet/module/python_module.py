"""Modules written in Python: a step of a SequentialModule that computes without a network."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from ..initializer import Uniform
from ..ndarray import NDArray, array
from ._inputs import WrongUseError
from .base_module import BaseModule

__all__ = ["PythonLossModule", "PythonModule"]


class PythonModule(BaseModule):
    """A module without parameters; a subclass computes in `forward` and `backward`.

    It defines `_compute_output_shapes`, `forward`, `get_outputs` and, to be trained through, `backward` and
    `get_input_grads`.

    Args:
        data_names: names of the data.
        label_names: names of the labels, or None.
        output_names: names of the outputs.
        logger: where to log.
    """

    def __init__(self, data_names: Any, label_names: Any, output_names: Any, logger: Any = logging) -> None:
        super().__init__(logger=logger)
        self._data_names = list(data_names) if isinstance(data_names, tuple) else data_names
        self._label_names = list(label_names) if isinstance(label_names, tuple) else label_names
        self._output_names = output_names
        self._data_shapes: Any = None
        self._label_shapes: Any = None
        self._output_shapes: Any = None

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        names: list[str] = self._data_names
        return names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        names: list[str] = self._output_names
        return names

    @property
    def data_shapes(self) -> Any:
        """Names and shapes of the data."""
        return self._data_shapes

    @property
    def label_shapes(self) -> Any:
        """Names and shapes of the labels."""
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs."""
        return self._output_shapes

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Two empty dicts."""
        return {}, {}

    def init_params(
        self,
        initializer: Any = Uniform(0.01),  # noqa: B008  # it has no state
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Does nothing: there are no parameters."""
        self.params_initialized = True

    def update(self) -> None:
        """Does nothing: there are no parameters."""

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Gives the outputs and labels to a metric, if it is bound to labels."""
        if self._label_shapes is None:
            return
        if pre_sliced:
            raise RuntimeError("[PythonModule] does not support presliced labels: it computes on one context.")
        eval_metric.update(labels, self.get_outputs())

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
        """Notes the shapes; see `Module.bind`."""
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if grad_req != "write":
            raise WrongUseError(f"[PythonModule.bind] grad_req: received {grad_req!r}; expected 'write'.")
        self._check_names("data", data_shapes, self._data_names)
        if label_shapes is not None:
            self._check_names("label", label_shapes, self._label_names)
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._data_shapes, self._label_shapes = data_shapes, label_shapes
        self._output_shapes = self._compute_output_shapes()
        self.binded = True

    def _check_names(self, kind: str, shapes: Any, names: Any) -> None:
        found = [each[0] for each in shapes]
        if found != names:
            raise WrongUseError(
                f"[{type(self).__name__}.bind] {kind}_shapes: received {found}; expected {names}, in this order."
            )

    def _compute_output_shapes(self) -> Any:
        """Pairs of name and shape of the outputs; the shapes of data and labels are known by then."""
        raise self._missing("_compute_output_shapes")

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Does nothing: there are no parameters."""
        self.optimizer_initialized = True


class PythonLossModule(PythonModule):
    """A loss: it hands its data on, and knows their gradient.

    Args:
        name: the output is named `<name>_output`.
        data_names: the name of the scores.
        label_names: the name of the labels.
        logger: where to log.
        grad_func: makes the gradient of the scores from scores and labels; a subclass may write `_backward_impl`
            instead, which sets `_scores_grad`.
    """

    def __init__(
        self,
        name: str = "pyloss",
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] = ("softmax_label",),
        logger: Any = logging,
        grad_func: Callable[[NDArray, NDArray], Any] | None = None,
    ) -> None:
        super().__init__(data_names, label_names, [f"{name}_output"], logger=logger)
        if len(data_names) != 1 or len(label_names) != 1:
            raise WrongUseError(
                f"[PythonLossModule] received data_names={data_names} and label_names={label_names}; expected one each."
            )
        if grad_func is not None and not callable(grad_func):
            raise WrongUseError(f"[PythonLossModule] grad_func: received {grad_func!r}; expected a function.")
        self._name = name
        self._scores: Any = None
        self._labels: Any = None
        self._scores_grad: Any = None
        self._grad_func = grad_func

    def _compute_output_shapes(self) -> Any:
        return [(f"{self._name}_output", self._data_shapes[0][1])]

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Takes the scores and, in training mode, the labels."""
        self._scores = data_batch.data[0]
        if self.for_training if is_train is None else is_train:
            self._labels = data_batch.label[0]

    def get_outputs(self, merge_multi_context: bool = True) -> list[NDArray]:
        """The scores."""
        self._check_merged(merge_multi_context)
        return [self._scores]

    def backward(self, out_grads: Any = None) -> None:
        """Computes the gradient of the scores."""
        if out_grads is not None:
            raise WrongUseError("[PythonLossModule.backward] For a loss module, out_grads should be None.")
        if not self.for_training:
            raise WrongUseError("[PythonLossModule.backward] re-bind with for_training=True.")
        self._backward_impl()

    def _backward_impl(self) -> None:
        if self._grad_func is None:
            raise self._missing("_backward_impl, nor got a grad_func")
        slope = self._grad_func(self._scores, self._labels)
        self._scores_grad = slope if isinstance(slope, NDArray) else array(slope)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[NDArray]:
        """The gradient of the scores."""
        self._check_merged(merge_multi_context)
        return [self._scores_grad]

    @staticmethod
    def _check_merged(merge_multi_context: bool) -> None:
        if merge_multi_context is not True:
            raise WrongUseError("[PythonLossModule] merge_multi_context: expected True: it computes on one context.")
