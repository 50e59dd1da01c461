"""Adam and its relatives."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regluon.array.update import fused_update

from ..ndarray import NDArray
from ._base import OptimizerOptions, RateOptions, register
from ._fused import FusedOptimizer
from ._sgd import lazy_zeros, unless_none, zeros_like

if TYPE_CHECKING:
    from typing_extensions import Unpack


class MomentsOptimizer(FusedOptimizer):
    """An optimizer that keeps averages of the gradient and of its square, or something like it."""

    def __init__(self, beta1: float, beta2: float, epsilon: float = 0.0, **kwargs: "Unpack[RateOptions]") -> None:
        super().__init__(**kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The two averages."""
        return zeros_like(weight), zeros_like(weight)

    def _beta_params(self) -> dict[str, float]:
        return {"beta1": float(self.beta1), "beta2": float(self.beta2), "epsilon": float(self.epsilon)}

    def _counts_of(self, indices: Sequence[Any]) -> list[int]:
        return [self._index_update_count[index] for index in indices]


@register
class Adam(MomentsOptimizer):
    """weight -= lr * mean / (sqrt(var) + epsilon), with averages of the gradient and of its square.

    Args:
        learning_rate: 0.001 unless given.
        beta1: how much of the average of the gradient is kept.
        beta2: how much of the average of its square is kept.
        epsilon: added to the root.
        lazy_update: whether only the rows of a sparse gradient are updated; has no effect on dense ones.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: "Unpack[OptimizerOptions]",
    ) -> None:
        super().__init__(beta1, beta2, epsilon, learning_rate=learning_rate, **kwargs)
        self.lazy_update = lazy_update

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The two averages; dense if all rows are to be updated."""
        return lazy_zeros(weight, self.lazy_update), lazy_zeros(weight, self.lazy_update)

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        params |= {**self._beta_params(), "lazy": self.lazy_update}
        counts = self._counts_of(indices)
        # All weights are usually equally old.
        factors = {t: math.sqrt(1.0 - self.beta2**t) / (1.0 - self.beta1**t) for t in set(counts)}
        params["lr"] = [lr * factors[t] for lr, t in zip(params["lr"], counts, strict=True)]
        fused_update("adam", weights, grads, *zip(*states, strict=True), **params)


@register
class Adamax(MomentsOptimizer):
    """Adam with the largest recent gradient in place of the root of the mean square.

    Args:
        learning_rate: 0.002 unless given.
        beta1: how much of the average of the gradient is kept.
        beta2: how fast the largest gradient fades.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self,
        learning_rate: float | None = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        **kwargs: "Unpack[OptimizerOptions]",
    ) -> None:
        super().__init__(beta1, beta2, learning_rate=learning_rate, **kwargs)

    def _gradient_params(self) -> dict[str, float]:
        return unless_none(self)

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        counts = self._counts_of(indices)
        params["lr"] = [lr / (1.0 - self.beta1**t) for lr, t in zip(params["lr"], counts, strict=True)]
        betas = {"beta1": float(self.beta1), "beta2": float(self.beta2)}
        fused_update("adamax", weights, grads, *zip(*states, strict=True), **params, **betas)


@register
class Nadam(MomentsOptimizer):
    """Adam with Nesterov's momentum, on a schedule.

    Args:
        learning_rate: 0.001 unless given.
        beta1: how much of the average of the gradient is kept.
        beta2: how much of the average of its square is kept.
        epsilon: added to the root.
        schedule_decay: how fast the momentum approaches beta1.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: "Unpack[OptimizerOptions]",
    ) -> None:
        super().__init__(beta1, beta2, epsilon, learning_rate=learning_rate, **kwargs)
        self.schedule_decay = schedule_decay
        self.m_schedule = 1.0

    def _gradient_params(self) -> dict[str, float]:
        return unless_none(self)

    def _scheduled_factors(self, t: int) -> tuple[float, float, float]:
        """What to multiply the gradient, its average and the average of its square by."""
        now, later = (self.beta1 * (1.0 - 0.5 * pow(0.96, step * self.schedule_decay)) for step in (t, t + 1))
        # As in MXNet, one schedule serves all weights and moves on with each of them.
        self.m_schedule *= now
        after = self.m_schedule * later
        return (1.0 - now) / (1.0 - self.m_schedule), later / (1.0 - after), 1.0 / (1.0 - pow(self.beta2, t))

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        for_grad, for_mean, for_var = zip(*map(self._scheduled_factors, self._counts_of(indices)), strict=True)
        factors = {"grad_factors": list(for_grad), "mean_factors": list(for_mean), "var_factors": list(for_var)}
        params |= {**self._beta_params(), **factors}
        fused_update("nadam", weights, grads, *zip(*states, strict=True), **params)
