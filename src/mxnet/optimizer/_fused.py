"""Optimizers that can move all weights of a device in one call, where nobody can tell it from MXNet's many calls."""

from collections.abc import Iterable, Sequence
from typing import Any

from regluon.array.update import are_apart, cast_arrays, copy_arrays
from regluon.config import read

from ..base import MXNetError, shortened
from ..error import OpParamError
from ..lr_scheduler import CosineScheduler, FactorScheduler, MultiFactorScheduler, OneCycleScheduler, PolyScheduler
from ..ndarray import NDArray
from ._base import Optimizer

# What MXNet calls while it updates weights. A program that puts something of its own in place of one of these, in a
# subclass, in an object or in our class itself, has every call made as MXNet makes it.
_CALLED_BY_MXNET = frozenset(
    (
        *("create_state", "create_state_multi_precision", "update", "update_multi_precision", "_update_impl"),
        *("_get_lr", "_get_lrs", "_get_wd", "_get_wds", "_update_count"),
    )
)
# Schedulers that give the same rate however often they are asked.
_REPEATABLE = (FactorScheduler, MultiFactorScheduler, PolyScheduler, CosineScheduler, OneCycleScheduler)


def is_list(index: Any) -> bool:
    """Whether a call is about several weights."""
    return isinstance(index, (list, tuple))


def aggregation_size(default: int) -> int:
    """How many weights MXNet gives an optimizer in one call: MXNET_OPTIMIZER_AGGREGATION_SIZE, if it is set."""
    return int(read("MXNET_OPTIMIZER_AGGREGATION_SIZE") or default)


class FusedOptimizer(Optimizer):
    """An optimizer whose rule moves many weights at once: subclasses define `_move_weights`."""

    # Whether MXNet reads the rates of a whole list at once, or asks for each weight.
    _rates_by_list = False
    # Whether all weights may move in one call; not if the rule depends on how many are in it.
    _moves_all = True
    _own_methods: tuple[tuple[str, Any], ...] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Notes what our own classes are made of, to notice what a program replaces."""
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith(__package__):
            cls._own_methods = tuple((name, getattr(cls, name, None)) for name in sorted(_CALLED_BY_MXNET))

    def _move_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        """Moves weights of one dtype on one device that were just counted; `params` has `lr`, `wd` and limits."""
        raise NotImplementedError

    def _gradient_params(self) -> dict[str, float]:
        limit = -1.0 if not self.clip_gradient else float(self.clip_gradient)
        return {"rescale_grad": float(self.rescale_grad), "clip_gradient": limit}

    # As MXNet calls it.

    def _counted_rates(self, indices: Sequence[Any]) -> tuple[list[float], list[float]]:
        """Counts an update of each weight and reads learning rates and decays, with the calls that MXNet makes."""
        if self._rates_by_list:
            self._update_count(indices)
            return self._get_lrs(indices), self._get_wds(indices)
        rates = []
        for index in indices:
            self._update_count(index)
            rates.append((self._get_lr(index), self._get_wd(index)))
        lrs, wds = zip(*rates, strict=True)
        return list(lrs), list(wds)

    def _move_counted(self, index: Any, weight: Any, grad: Any, state: Any, multi_precision: bool) -> None:
        """Counts and moves one weight, or a list of them."""
        if not is_list(index):
            index, weight, grad, state = [index], [weight], [grad], [state]
        if index:
            lrs, wds = self._counted_rates(index)
            self._move_through_copies(index, weight, grad, state, lrs, wds, multi_precision)

    def _move_through_copies(
        self, indices: Any, weights: Any, grads: Any, states: Any, lrs: Any, wds: Any, multi_precision: bool
    ) -> None:
        params = {"lr": lrs, "wd": wds, **self._gradient_params()}
        if not multi_precision:
            self._move_checked(indices, weights, grads, states, params)
            return
        copies, inner = zip(*map(self._split_state, states), strict=True)
        self._move_checked(indices, copies, cast_arrays(grads, "float32"), inner, params)
        copy_arrays(copies, weights)

    def _move_checked(self, indices: Any, weights: Any, grads: Any, states: Any, params: dict[str, Any]) -> None:
        """Moves weights; settings that the rule has no value for are refused by its name."""
        try:
            self._move_weights(indices, weights, grads, states, params)
        except (ArithmeticError, ValueError) as error:
            if isinstance(error, MXNetError):
                raise
            raise OpParamError(
                f"[{type(self).__name__}] its settings give no step ({error}); received learning rates "
                f"{shortened(str(params['lr']), 60)} after {self.num_update} updates. Expected a learning rate above 0 "
                "and decay rates between 0 and 1."
            ) from error

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Moves a weight, or a list of weights of one dtype on one device, in place."""
        self._move_counted(index, weight, grad, state, multi_precision=False)

    # All at once.

    def _can_move_all(self, weights: Sequence[NDArray], states: Iterable[Any]) -> bool:
        """Whether these weights may move in one call: nothing was replaced, states are alike, memory is apart."""
        return self._is_as_made() and len({_structure(state) for state in states}) == 1 and are_apart(weights)

    def _is_as_made(self) -> bool:
        cls = type(self)
        if not self._moves_all or not _CALLED_BY_MXNET.isdisjoint(vars(self)):
            return False
        return all(getattr(cls, name, None) is method for name, method in cls._own_methods)

    def _move_all(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        by_one: bool = False,
    ) -> None:
        """What MXNet's calls for these weights do, with as few calls as there are dtypes.

        Args:
            indices: numbers or names of the weights.
            weights: what to move, on one device.
            grads: their gradients.
            states: their states.
            by_one: whether MXNet would make one call for each weight, though it can aggregate them.
        """
        size = 1 if by_one or not self._rates_by_list else max(self.aggregate_num, 1)
        kinds = [weight.dtype for weight in weights]
        groups = [[i for i, each in enumerate(kinds) if each == kind] for kind in dict.fromkeys(kinds)]
        if len(groups) == 1:
            lrs, wds = self._rates_of_all(indices, size)
            mixed = self._is_mixed(weights[0])
            self._move_through_copies(indices, weights, grads, states, lrs, wds, mixed)
            return
        by_kind = self.aggregate_num > 0 and not by_one
        order = [i for group in groups for i in group] if by_kind else range(len(indices))
        rates = self._rates_of_all([indices[i] for i in order], size)
        rate_of = dict(zip(order, zip(*rates, strict=True), strict=True))
        for group in groups:
            lrs, wds = (list(part) for part in zip(*[rate_of[i] for i in group], strict=True))
            some, arrays, slopes, kept = ([each[i] for i in group] for each in (indices, weights, grads, states))
            self._move_through_copies(some, arrays, slopes, kept, lrs, wds, self._is_mixed(weights[group[0]]))

    def _rates_of_all(self, indices: Sequence[Any], size: int) -> tuple[list[float], list[float]]:
        """`_counted_rates` of weights of which MXNet counts `size` at a time."""
        counts, scheduler = self._index_update_count, self.lr_scheduler
        if scheduler is None or (
            type(scheduler) in _REPEATABLE and len({counts.get(index, self.begin_num_update) for index in indices}) == 1
        ):
            self._update_count(indices)
            return self._get_lrs(indices), self._get_wds(indices)
        lrs, wds = [], []
        for start in range(0, len(indices), size):
            some = self._counted_rates(indices[start : start + size])
            lrs += some[0]
            wds += some[1]
        return lrs, wds


def _structure(state: Any) -> Any:
    """What a state is made of, to compare it with others."""
    return tuple(map(_structure, state)) if is_list(state) else type(state)


class ListOptimizer(FusedOptimizer):
    """An optimizer of those that MXNet wrote for lists: `update` and `update_multi_precision` lead to `_update_impl`.

    A subclass that defines `update` alone is therefore not heard by `update_multi_precision`, as in MXNet.
    """

    def _update_impl(self, indices: Any, weights: Any, grads: Any, states: Any, multi_precision: bool = False) -> None:
        self._move_counted(indices, weights, grads, states, multi_precision)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Moves a weight, or a list of weights of one dtype on one device, in place."""
        self._update_impl(index, weight, grad, state, multi_precision=False)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update`, through float32 copies where there are any."""
        first = weight[0] if is_list(index) else weight
        self._update_impl(index, weight, grad, state, multi_precision=self._is_mixed(first))
