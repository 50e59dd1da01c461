"""Optimizers for large batches: rates scaled layer by layer, and warm-up."""

import logging
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regluon.array.update import fused_update

from ..ndarray import NDArray, array, multi_lars, multi_sum_sq
from ._adam import MomentsOptimizer
from ._base import CommonOptions, OptimizerOptions, RateOptions, register
from ._fused import FusedOptimizer, ListOptimizer, aggregation_size
from ._sgd import MomentumOptimizer, descend, lazy_zeros, zeros_like

if TYPE_CHECKING:
    from typing_extensions import Unpack


_log = logging.getLogger(__name__)


@register
class LARS(MomentumOptimizer):
    """SGD with a learning rate for each layer: eta * |weight| / (|grad| + wd * |weight|) of the common one.

    Args:
        momentum: how much of the last step is taken again.
        lazy_update: has no effect on dense gradients.
        eta: how far a step may go, compared with the weight.
        eps: added to the denominator.
        momentum_correction: whether momentum follows a learning rate that changes.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        eta: float = 0.001,
        eps: float = 0,
        momentum_correction: bool = True,
        **kwargs: "Unpack[RateOptions]",
    ) -> None:
        super().__init__(momentum=momentum, **kwargs)
        self.momentum_correction = momentum_correction
        self.lazy_update = lazy_update
        self.aggregate_num: int = aggregation_size(4)
        self.eta = eta
        self.eps = eps
        self.skip = 0
        self.last_lr: float | None = None
        self.cur_lr: float | None = None

    _rates_by_list = True
    _moves_all = False  # momentum is corrected by the rate of the last call

    @staticmethod
    def _is_decayed(name: str) -> bool:
        return name.endswith("_weight")

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The momentum, or None."""
        return lazy_zeros(weight, self.lazy_update) if self.momentum != 0.0 else None

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        now = self._current_lr()
        self.last_lr = now if self.cur_lr is None else self.cur_lr
        self.cur_lr = now
        return self._multiplied(now, indices, "lr_mult", self.lr_mult)

    def _corrected_momentum(self) -> float:
        if self.momentum_correction and self.last_lr and self.cur_lr is not None:
            return self.momentum * (self.cur_lr / self.last_lr)
        return self.momentum

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        names = [self.idx2name.get(index, str(index)) for index in indices]
        order = sorted(range(len(indices)), key=lambda i: names[i].endswith(("gamma", "beta", "bias")))
        scaled = sum(not name.endswith(("gamma", "beta", "bias")) for name in names)
        weights, grads, states = ([each[i] for i in order] for each in (weights, grads, states))
        context = weights[0].context
        rates = {key: array([params[key][i] for i in order], ctx=context, dtype="float32") for key in ("lr", "wd")}
        if scaled:
            chosen = rates["lr"][:scaled]
            norms = [multi_sum_sq(*each[:scaled], num_arrays=scaled) for each in (weights, grads)]
            params_of_norms: dict[str, Any] = {"eta": self.eta, "eps": self.eps, "rescale_grad": self.rescale_grad}
            multi_lars(chosen, norms[0], norms[1], rates["wd"][:scaled], out=chosen, **params_of_norms)
        descend(self._corrected_momentum(), weights, grads, states, {**params, **rates})


@register
class LAMB(ListOptimizer, MomentsOptimizer):
    """Adam's direction, made as long as lr times the weight, layer by layer.

    Args:
        learning_rate: 0.001 unless given.
        beta1: how much of the average of the gradient is kept.
        beta2: how much of the average of its square is kept.
        epsilon: added to the root.
        lower_bound: the least that the weight's norm counts as.
        upper_bound: the most that the weight's norm counts as.
        bias_correction: whether to undo that the averages begin at 0.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        bias_correction: bool = True,
        **kwargs: "Unpack[OptimizerOptions]",
    ) -> None:
        super().__init__(beta1, beta2, epsilon, learning_rate=learning_rate, **kwargs)
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        self.bias_correction = bias_correction
        self.aggregate_num: int = max(1, min(45, aggregation_size(45)))

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        bounds = {
            "lower_bound": float(self.lower_bound) if self.lower_bound else -1.0,
            "upper_bound": float(self.upper_bound) if self.upper_bound else -1.0,
        }
        params |= {**self._beta_params(), **bounds, "t": self._counts_of(indices)}
        params["bias_correction"] = bool(self.bias_correction)
        fused_update("lamb", weights, grads, *zip(*states, strict=True), **params)


class _RateOptions(CommonOptions, total=False):
    learning_rate: float | None


@register
class LBSGD(FusedOptimizer):
    """SGD on sums of gradients over several batches, with a learning rate that warms up or adapts.

    Args:
        momentum: how much of the last step is taken again.
        multi_precision: see Optimizer.
        warmup_strategy: how the rate rises: "linear", "power2" or "sqrt"; "lars" scales it by the norms instead.
        warmup_epochs: how long it rises.
        batch_scale: how many batches make one update, and how much higher the rate gets.
        updates_per_epoch: how many updates count as an epoch.
        begin_epoch: where training goes on.
        num_epochs: has no effect.
        **kwargs: see Optimizer.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(
        self,
        momentum: float = 0.0,
        multi_precision: bool = False,
        warmup_strategy: str = "linear",
        warmup_epochs: int = 5,
        batch_scale: int = 1,
        updates_per_epoch: int = 32,
        begin_epoch: int = 0,
        num_epochs: int = 60,
        **kwargs: "Unpack[_RateOptions]",
    ) -> None:
        super().__init__(multi_precision=multi_precision, **kwargs)
        self.momentum = momentum
        _log.info(
            "LBSGD with batch_scale=%s, warmup_epochs=%s, warmup_strategy=%s, updates_per_epoch=%s",
            *(batch_scale, warmup_epochs, warmup_strategy, updates_per_epoch),
        )
        self.warmup_strategy = warmup_strategy
        self.warmup_epochs = warmup_epochs
        self.batch_scale = batch_scale
        self.updates_per_epoch = updates_per_epoch
        self.init_updates: int = begin_epoch * updates_per_epoch
        self.num_epochs = num_epochs
        self.lbmult = 1
        self.cumgrads: dict[Any, dict[str, Any]] = {}
        self.adaptive = False
        self.admult = 1

    _moves_all = False  # the rate is read before the update is counted, so that it lags for the first weight

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The momentum, or None."""
        return zeros_like(weight) if self.momentum != 0.0 else None

    def _get_lbmult(self, num_updates: int) -> float:
        """What the learning rate is multiplied by after so many gradients."""
        warm = self.warmup_epochs * self.updates_per_epoch
        highest = float(self.batch_scale)
        if num_updates >= warm:
            return highest
        part = num_updates / warm if warm > 1 else 0.0
        shape = {"linear": part, "power2": part * part, "sqrt": math.sqrt(part)}.get(self.warmup_strategy, 0.0)
        return 1.0 + (highest - 1) * shape

    @staticmethod
    def _get_lars(weight: NDArray, grad: NDArray, wd: float) -> float:
        weight2, grad2 = (float(multi_sum_sq(each, num_arrays=1).asscalar()) for each in (weight, grad))
        ratio = math.sqrt(weight2 / (grad2 + wd * weight2 + 1e-18))
        return min(max(ratio, 0.01), 100)

    def _cumulate_gradient(self, grad: NDArray, index: Any) -> dict[str, Any]:
        known = self.cumgrads.get(index)
        if known and known["num_cums"] > 0:
            total = {"cum_grad": known["cum_grad"] + grad, "num_cums": known["num_cums"] + 1}
        else:
            total = {"cum_grad": grad.copy(), "num_cums": self.init_updates + 1}
        self.cumgrads[index] = total
        return total

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Collects the gradient; moves the weight when enough have come."""
        lr, wd = self._get_lr(index), self._get_wd(index)
        self._update_count(index)
        total = self._cumulate_gradient(grad, index)
        if total["num_cums"] % self.batch_scale:
            return
        mean = total["cum_grad"] / self.batch_scale
        if self.warmup_strategy == "lars":
            factor = self._get_lars(weight, mean, wd)
        else:
            factor = self._get_lbmult(total["num_cums"])
        rates = {"lr": [lr * factor], "wd": [wd]}
        descend(self.momentum, [weight], [mean], [state], {**rates, **self._gradient_params()})
        total["cum_grad"] = 0
