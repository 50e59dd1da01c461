"""Gradient descent and what is close to it."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regluon.array.update import fused_update

from ..ndarray import NDArray, clip, zeros
from ..ndarray.random import normal
from ._base import Optimizer, OptimizerOptions, RateOptions, register
from ._fused import FusedOptimizer, ListOptimizer, aggregation_size

if TYPE_CHECKING:
    from typing_extensions import Unpack


def zeros_like(weight: NDArray) -> NDArray:
    """A state that begins at zero."""
    return zeros(weight.shape, weight.context, dtype=weight.dtype, stype=weight.stype)


def lazy_zeros(weight: NDArray, is_lazy: bool) -> NDArray:
    """A state that begins at zero: of the weight's storage type if only rows with gradients are updated, else dense."""
    return zeros(weight.shape, weight.context, dtype=weight.dtype, stype=weight.stype if is_lazy else "default")


class MomentumOptimizer(ListOptimizer):
    """An optimizer whose state is a momentum, unless that is 0; a float32 copy of the weight follows it."""

    def __init__(self, momentum: float = 0.0, **kwargs: "Unpack[RateOptions]") -> None:
        super().__init__(**kwargs)
        self.momentum = momentum

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The momentum, or None."""
        return zeros_like(weight) if self.momentum != 0.0 else None

    @staticmethod
    def _join_state(copy: NDArray, state: Any) -> Any:
        return state, copy

    @staticmethod
    def _split_state(state: Any) -> tuple[NDArray, Any]:
        inner, copy = state
        return copy, inner


def descend(
    momentum: float,
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    states: Sequence[Any],
    params: dict[str, Any],
) -> None:
    """Gradient descent, with momentum where there is a state for it."""
    if momentum > 0 and states[0] is not None:
        fused_update("sgd_momentum", weights, grads, states, momentum=float(momentum), **params)
    else:
        fused_update("sgd", weights, grads, **params)


@register
class SGD(MomentumOptimizer):
    """Gradient descent with momentum: mom = momentum * mom - lr * (grad + wd * weight); weight += mom.

    Args:
        momentum: how much of the last step is taken again.
        lazy_update: whether only the rows of a sparse gradient are updated; has no effect on dense ones.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    _rates_by_list = True

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: "Unpack[RateOptions]") -> None:
        super().__init__(momentum=momentum, **kwargs)
        self.lazy_update = lazy_update
        self.aggregate_num: int = aggregation_size(4)

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The momentum, or None; dense if all rows are to be updated."""
        return lazy_zeros(weight, self.lazy_update) if self.momentum != 0.0 else None

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        descend(self.momentum, weights, grads, states, {**params, "lazy": self.lazy_update})


@register
class ccSGD(SGD):
    """An old name of SGD."""

    __module__ = "mxnet.optimizer.optimizer"


@register
class NAG(MomentumOptimizer):
    """Nesterov's accelerated gradient: the gradient counts once in the momentum and once more by itself.

    Args:
        momentum: how much of the last step is taken again.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        if self.momentum > 0 and states[0] is not None:
            fused_update("nag", weights, grads, states, momentum=float(self.momentum), **params)
        else:
            fused_update("sgd", weights, grads, **params)


@register
class Signum(FusedOptimizer):
    """Steps of one length, in the direction of the sign of the averaged gradient.

    Args:
        learning_rate: length of the steps.
        momentum: how much of the average is kept; with 0 the sign is that of the gradient.
        wd_lh: weight decay that does not pass through the sign.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self,
        learning_rate: float = 0.01,
        momentum: float = 0.9,
        wd_lh: float = 0.0,
        **kwargs: "Unpack[OptimizerOptions]",
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self.wd_lh = wd_lh

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The momentum, or None."""
        return zeros_like(weight) if self.momentum != 0.0 else None

    def _update_impl(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self._move_counted(index, weight, grad, state, multi_precision=False)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Moves a weight, or a list of weights of one dtype on one device, in place."""
        self._update_impl(index, weight, grad, state)

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        if states[0] is None:
            fused_update("sign_sgd", weights, grads, **params)
        else:
            momentum = max(float(self.momentum), 0.0)
            fused_update("signum", weights, grads, states, momentum=momentum, wd_lh=float(self.wd_lh), **params)


@register
class DCASGD(FusedOptimizer):
    """Gradient descent for delayed gradients, corrected by how far the weight has moved since.

    Args:
        momentum: how much of the last step is taken again.
        lamda: strength of the correction.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: "Unpack[RateOptions]") -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lamda = lamda
        self.weight_previous: dict[Any, Any] = {}

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The momentum, or None, and the weight before the last update."""
        return (zeros_like(weight) if self.momentum != 0.0 else None), weight.copy()

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
        params |= {"lamda": float(self.lamda), "momentum": float(self.momentum)}
        moms, previous = zip(*states, strict=True)
        lists = (previous,) if moms[0] is None else (previous, moms)
        fused_update("delay_compensated", weights, grads, *lists, **params)


def unless_none(optimizer: Optimizer) -> dict[str, float]:
    """Gradient parameters of the optimizers for which a clip_gradient of 0 is a limit, not the absence of one."""
    limit = -1.0 if optimizer.clip_gradient is None else float(optimizer.clip_gradient)
    return {"rescale_grad": float(optimizer.rescale_grad), "clip_gradient": limit}


@register
class SGLD(Optimizer):
    """Stochastic gradient Langevin dynamics: half a step of descent, and normal noise of variance lr."""

    __module__ = "mxnet.optimizer.optimizer"

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Moves a weight."""
        self._update_count(index)
        lr, wd = self._get_lr(index), self._get_wd(index)
        grad = grad * self.rescale_grad
        if self.clip_gradient is not None:
            grad = clip(grad, -self.clip_gradient, self.clip_gradient)
        noise = normal(0, math.sqrt(lr), shape=weight.shape, dtype=weight.dtype, ctx=weight.context)
        weight[:] = weight - lr / 2 * (grad + wd * weight) + noise


@register
class Test(Optimizer):
    """Adds gradients to weights, for tests of what calls optimizers."""

    __module__ = "mxnet.optimizer.optimizer"

    __test__ = False  # not a test to pytest

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """A copy of the weight, after the first update."""
        return zeros(weight.shape, weight.context)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Adds the gradient and notes the result."""
        weight[:] += grad * self.rescale_grad
        state[:] = weight
