"""Optimizers whose rates adapt to the gradients seen, element by element."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regluon.array.update import fused_update

from ..ndarray import NDArray
from ._base import OptimizerOptions, RateOptions, register
from ._fused import FusedOptimizer
from ._sgd import unless_none, zeros_like

if TYPE_CHECKING:
    from typing_extensions import Unpack


@register
class AdaGrad(FusedOptimizer):
    """weight -= lr * (grad / sqrt(sum of all squared gradients + eps) + wd * weight).

    Args:
        eps: added before the root.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(self, eps: float = 1e-7, **kwargs: "Unpack[RateOptions]") -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The sum of squares."""
        return zeros_like(weight)

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
        fused_update("adagrad", weights, grads, states, epsilon=float(self.float_stable_eps), **params)


@register
class RMSProp(FusedOptimizer):
    """weight -= lr * grad / sqrt(average of the squared gradient + epsilon).

    Args:
        learning_rate: 0.001 unless given.
        gamma1: how much of the averages is kept.
        gamma2: how much of the last step is taken again; only if `centered`.
        epsilon: added before the root.
        centered: whether the mean is taken out of the squares, with momentum (Graves).
        clip_weights: the elements of new weights are limited to [-clip_weights, clip_weights].
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: "Unpack[OptimizerOptions]",
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.centered = centered
        self.epsilon = epsilon
        self.clip_weights = clip_weights

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The average of squares; if centered, that of gradients and the last step too."""
        return tuple(zeros_like(weight) for _ in range(3 if self.centered else 1))

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        params |= {"gamma1": float(self.gamma1), "epsilon": float(self.epsilon)}
        params["clip_weights"] = float(self.clip_weights) if self.clip_weights else -1.0
        if self.centered:
            params["gamma2"] = float(self.gamma2)
        rule = "rmsprop_centered" if self.centered else "rmsprop"
        fused_update(rule, weights, grads, *zip(*states, strict=True), **params)


@register
class AdaDelta(FusedOptimizer):
    """Steps in proportion to the past ones; needs no learning rate.

    Args:
        rho: how much of the averages is kept.
        epsilon: added before the roots.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(self, rho: float = 0.90, epsilon: float = 1e-5, **kwargs: "Unpack[RateOptions]") -> None:
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The averages of squared gradients and of squared steps."""
        return zeros_like(weight), zeros_like(weight)

    def _counted_rates(self, indices: Sequence[Any]) -> tuple[list[float], list[float]]:
        wds = []
        for index in indices:
            wds.append(self._get_wd(index))
            self._update_count(index)
        return [0.0] * len(wds), wds  # nobody asks for the learning rate

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
        del params["lr"]
        params |= {"rho": float(self.rho), "epsilon": float(self.epsilon)}
        fused_update("adadelta", weights, grads, *zip(*states, strict=True), **params)


@register
class Ftrl(FusedOptimizer):
    """Follow the regularized leader: weights that have not earned more than `lamda1` are 0.

    Args:
        lamda1: strength of the L1 regularization; `wd` is that of L2.
        learning_rate: 0.1 unless given.
        beta: added to the root of the sum of squares.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: "Unpack[OptimizerOptions]"
    ) -> None:
        super().__init__(**kwargs)
        self.lamda1 = lamda1
        self.beta = beta
        self.lr = learning_rate

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The leader's z and the sum of squares."""
        return zeros_like(weight), zeros_like(weight)

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        params |= {"lamda1": float(self.lamda1), "beta": float(self.beta)}
        fused_update("ftrl", weights, grads, *zip(*states, strict=True), **params)


@register
class FTML(FusedOptimizer):
    """Follow the moving leader.

    Args:
        beta1: how much of the past gradients counts.
        beta2: how much of the average of squares is kept.
        epsilon: added to the root.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: "Unpack[RateOptions]"
    ) -> None:
        super().__init__(**kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The leader's d, v and z."""
        return tuple(zeros_like(weight) for _ in range(3))

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        betas = {"beta1": float(self.beta1), "beta2": float(self.beta2), "epsilon": float(self.epsilon)}
        counts = [self._index_update_count[index] for index in indices]
        fused_update("ftml", weights, grads, *zip(*states, strict=True), t=counts, **betas, **params)
