"""The optimizer of an SVRGModule: an ordinary one, beside which a store keeps mean gradients."""

from typing import Any

from ...ndarray import NDArray
from ...optimizer import Optimizer, create, register

__all__: list[str] = []

# What every optimizer takes; the rest belongs to the one that is wrapped.
_COMMON = {
    *("rescale_grad", "param_idx2name", "wd", "clip_gradient", "learning_rate", "lr_scheduler", "sym"),
    *("begin_num_update", "multi_precision", "param_dict"),
}


@register
class _AssignmentOptimizer(Optimizer):
    """Writes what it receives over what is there: a store then keeps sums over devices."""

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Assigns the gradient to the weight."""
        weight[:] = grad


@register
class _SVRGOptimizer(Optimizer):
    """Updates weights with another optimizer, and assigns to keys that hold mean gradients: those named `*_full`.

    Args:
        default_optimizer: the optimizer of the weights, or its name.
        kwargs: arguments of that optimizer, if it is given by name.
    """

    def __init__(self, default_optimizer: Any, **kwargs: Any) -> None:
        super().__init__(**self._check_params(**kwargs))
        by_name = isinstance(default_optimizer, str)
        self.default_opt = create(default_optimizer, **kwargs) if by_name else default_optimizer
        self.aux_opt = create(_AssignmentOptimizer.__name__)

    @staticmethod
    def _check_params(**kwargs: Any) -> dict[str, Any]:
        """The arguments among these that every optimizer takes."""
        return {name: value for name, value in kwargs.items() if name in _COMMON}

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Updates a weight, or assigns a mean gradient."""
        self._optimizer_of(index).update(index, weight, grad, state)

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """What the optimizer that is responsible remembers of a weight."""
        return self._optimizer_of(index).create_state(index, weight)

    def _optimizer_of(self, index: Any) -> Optimizer:
        chosen: Optimizer = self.aux_opt if "full" in self._check_index(index) else self.default_opt
        return chosen

    def _check_index(self, index: Any) -> str:
        """The name of a parameter, given its number or its name."""
        name: str = index if index in self.idx2name.values() else self.idx2name[index]
        return name
