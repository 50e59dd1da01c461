"""An optimizer that averages gradients over all processes before it uses them."""

from collections.abc import Sequence
from typing import Any

from ...kvstore._collectives import add_up
from ...ndarray import NDArray
from ...optimizer import Optimizer
from .state import group_of, size

_OWN = ("_optimizer", "_before")


class DistributedOptimizer(Optimizer):
    """Adds up gradients over all processes, then lets another optimizer use them, divided by the number of processes.

    For `mx.mod.Module` and for updaters; with Gluon use `DistributedTrainer`. All attributes are the other's.

    Args:
        optimizer: what moves the weights.
        gradient_predivide_factor: the part of the division that is done before the sum.
        num_groups: ignored: gradients that are updated together are sent together.
        process_set: `hvd.global_process_set`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        gradient_predivide_factor: float = 1.0,
        num_groups: int = 0,
        process_set: Any = None,
    ) -> None:
        group_of("hvd.DistributedOptimizer", process_set)
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"[hvd.DistributedOptimizer] received {type(optimizer).__name__}; expected an Optimizer.")
        self._optimizer = optimizer
        self._before = 1.0 / gradient_predivide_factor
        self.rescale_grad *= gradient_predivide_factor / size()

    def __getattr__(self, name: str) -> Any:
        if name in _OWN:  # not there yet: while a copy is made
            raise AttributeError(name)
        return getattr(self._optimizer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN:
            object.__setattr__(self, name, value)
        else:
            setattr(self._optimizer, name, value)

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def _add_up(self, grad: NDArray | Sequence[NDArray]) -> None:
        grads = [grad] if isinstance(grad, NDArray) else grad
        add_up(group_of("hvd.DistributedOptimizer"), grads, "hvd.DistributedOptimizer", self._before)

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The other's state of a weight."""
        return self._optimizer.create_state(index, weight)

    def create_state_multi_precision(self, index: Any, weight: NDArray) -> Any:
        """The other's state of a weight of low precision."""
        return self._optimizer.create_state_multi_precision(index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Adds up gradients over all processes and updates."""
        self._add_up(grad)
        self._optimizer.update(index, weight, grad, state)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """The same for weights of low precision."""
        self._add_up(grad)
        self._optimizer.update_multi_precision(index, weight, grad, state)

    def set_learning_rate(self, lr: float) -> None:
        """Sets the other's learning rate."""
        self._optimizer.set_learning_rate(lr)

    def set_lr_mult(self, args_lr_mult: dict[Any, float]) -> None:
        """Sets the other's factors of learning rates."""
        self._optimizer.set_lr_mult(args_lr_mult)

    def set_wd_mult(self, args_wd_mult: dict[Any, float]) -> None:
        """Sets the other's factors of weight decay."""
        self._optimizer.set_wd_mult(args_wd_mult)
