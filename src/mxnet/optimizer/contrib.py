"""Optimizers that MXNet calls contributed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regluon.array.update import fused_update

from ..ndarray import NDArray, zeros
from ._base import RateOptions, register
from ._fused import FusedOptimizer
from ._sgd import unless_none

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = ["GroupAdaGrad"]


@register
class GroupAdaGrad(FusedOptimizer):
    """AdaGrad with one rate for each row of a matrix, such as an embedding; without weight decay.

    Args:
        eps: added before the root.
        **kwargs: see Optimizer.
    """

    def __init__(self, eps: float = 1e-5, **kwargs: "Unpack[RateOptions]") -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The sum of the rows' mean squares."""
        assert len(weight.shape) == 2, f"[GroupAdaGrad] received a weight of shape {weight.shape}; expected two axes."
        return zeros((weight.shape[0], 1), weight.context, dtype=weight.dtype, stype=weight.stype)

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
        assert not any(params["wd"]), "[GroupAdaGrad] received a weight decay; expected wd=0."
        fused_update("group_adagrad", weights, grads, states, epsilon=float(self.float_stable_eps), **params)
