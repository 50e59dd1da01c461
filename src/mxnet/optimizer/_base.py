"""Define the base of optimizers."""

import logging
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn, TypedDict, TypeVar

import numpy as np

from regluon.arguments import check_keywords, did_you_mean, unknown_keywords
from regluon.array.update import copy_arrays
from regluon.call_repr import call_text, changed_settings

from ..error import OpTypeError
from ..lr_scheduler import LRScheduler
from ..ndarray import NDArray
from ..util import is_np_array

__all__ = ["CommonOptions", "OptimizerOptions", "RateOptions"]


Kind = TypeVar("Kind", bound="type[Optimizer]")
_log = logging.getLogger(__name__)
LOW_PRECISION = np.float16
# Where `repr` finds what is stored under another name; what is not about the optimizer itself is left out.
_STORED = {"learning_rate": "", "param_idx2name": "", "sym": "", "param_dict": "", "lr_scheduler": ""}


class Optimizer:
    """The base class of optimizers. A new one defines `create_state` and `update`, and is decorated with `register`.

    Args:
        rescale_grad: what gradients are multiplied by, usually 1 / batch size.
        param_idx2name: names of the parameters by index; decay spares those not named `_weight` or `_gamma`.
        wd: weight decay.
        clip_gradient: the elements of rescaled gradients are limited to [-clip_gradient, clip_gradient].
        learning_rate: 0.01 unless given; a scheduler that is given as well begins at this rate.
        lr_scheduler: a function from the number of updates to the learning rate.
        sym: a Symbol whose variables' `lr_mult` and `wd_mult` attributes count.
        begin_num_update: number of updates made before, when training goes on.
        multi_precision: whether float16 weights are updated through float32 copies of them.
        param_dict: Parameters by index; their `lr_mult` and `wd_mult` count before anything else.
    """

    __module__ = "mxnet.optimizer.optimizer"

    opt_registry: dict[str, type["Optimizer"]] = {}

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: dict[Any, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: LRScheduler | None = None,
        sym: Any = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: dict[Any, Any] | None = None,
        **unknown: NoReturn,
    ) -> None:
        who = type(self).__name__
        if unknown:
            raise unknown_keywords(type(self), unknown)
        if isinstance(learning_rate, str):
            raise OpTypeError(f"[{who}] learning_rate: received the text {learning_rate!r}; expected a number.")
        if not (lr_scheduler is None or callable(lr_scheduler)):
            raise OpTypeError(
                f"[{who}] lr_scheduler: received {lr_scheduler!r}; expected an object of mx.lr_scheduler, such as "
                "FactorScheduler(step=100), or None. A constant rate is learning_rate."
            )
        assert param_idx2name is None or isinstance(param_idx2name, dict), (
            f"[{who}] param_idx2name: received {type(param_idx2name).__name__}; expected a dict of names by index."
        )
        self.rescale_grad = rescale_grad
        self.lr_scheduler = lr_scheduler
        if lr_scheduler is None and learning_rate is None:
            learning_rate = 0.01
        self.lr: Any = learning_rate
        if lr_scheduler is not None and learning_rate is not None and lr_scheduler.base_lr != learning_rate:
            _log.warning(
                "[%s] learning_rate=%s takes the place of base_lr=%s in lr_scheduler",
                *(who, learning_rate, lr_scheduler.base_lr),
            )
            lr_scheduler.base_lr = learning_rate
        self.wd = wd
        self.lr_mult: dict[Any, float] = {}
        self.wd_mult: dict[Any, float] = {}
        self.begin_num_update = begin_num_update
        self.num_update = begin_num_update
        self._all_index_update_counts: dict[int, dict[Any, int]] = {0: {}}
        self._index_update_count = self._all_index_update_counts[0]
        self.clip_gradient = clip_gradient
        self.multi_precision = multi_precision
        self.aggregate_num = 0
        self.idx2name: dict[Any, str] = dict(param_idx2name or {})
        self.sym_info = (sym.attr_dict(), sym.list_arguments()) if sym is not None else ()
        self.param_dict = param_dict or {}
        self.allow_np_array: bool = is_np_array()
        self.set_lr_mult({})
        self.set_wd_mult({})

    def __repr__(self) -> str:
        kept = vars(self)
        rate = {"lr_scheduler": kept["lr_scheduler"]} if kept.get("lr_scheduler") is not None else {}
        rate = rate or {"learning_rate": kept.get("lr")}
        return call_text(type(self).__name__, **rate, **changed_settings(self, _STORED))

    @staticmethod
    def register(klass: Kind) -> Kind:
        """Makes a class known to `create` under its name in lower case."""
        assert isinstance(klass, type), f"[Optimizer.register] received {klass!r}; expected a class."
        known = Optimizer.opt_registry.get(klass.__name__.lower())
        if known is not None:
            warnings.warn(
                f"[Optimizer.register] {klass.__module__}.{klass.__name__} takes the place of "
                f"{known.__module__}.{known.__name__}.",
                stacklevel=2,
            )
        Optimizer.opt_registry[klass.__name__.lower()] = klass
        return klass

    @staticmethod
    def create_optimizer(name: Any, **kwargs: Any) -> "Optimizer":
        """An optimizer by its name, in any case: `create("adam", learning_rate=0.01)`."""
        klass = Optimizer.opt_registry.get(str(name).lower())
        if klass is None:
            if isinstance(name, type):
                raise ValueError(f"[optimizer.create] received {name!r}; expected a name. Make one: {name.__name__}().")
            known = sorted(each for each in Optimizer.opt_registry if not each.startswith("_"))
            hint = did_you_mean(name, known)
            raise ValueError(f"[optimizer.create] received {name!r}; expected one of {', '.join(known)}.{hint}")
        check_keywords(klass, kwargs)
        return klass(**kwargs)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next update, before multipliers."""
        return self._current_lr()

    # What a subclass defines.

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The state of a weight, such as its momentum: arrays, tuples of them, or None."""
        return None

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Moves a weight, and changes its state.

        Args:
            index: number or name of the weight.
            weight: what to update, in place.
            grad: its gradient.
            state: what `create_state` made for it.
        """
        raise NotImplementedError(f"[{type(self).__name__}] an optimizer must define update().")

    # Weights of low precision with a float32 copy.

    def _is_mixed(self, weight: NDArray) -> bool:
        return self.multi_precision and weight.dtype == LOW_PRECISION

    @staticmethod
    def _join_state(copy: NDArray, state: Any) -> Any:
        """The state to keep for a weight with a float32 copy."""
        return copy, state

    @staticmethod
    def _split_state(state: Any) -> tuple[NDArray, Any]:
        """The float32 copy and the state proper."""
        copy, inner = state
        return copy, inner

    def create_state_multi_precision(self, index: Any, weight: NDArray) -> Any:
        """The state of a weight, with a float32 copy of it if it is float16 and `multi_precision` is on."""
        if self._is_mixed(weight):
            copy = weight.astype("float32")
            return self._join_state(copy, self.create_state(index, copy))
        if weight.dtype == LOW_PRECISION:
            warnings.warn(
                f"[{type(self).__name__}] the weight {self.idx2name.get(index, index)} is float16: small steps get "
                "lost. Give the optimizer multi_precision=True.",
                stacklevel=2,
            )
        return self.create_state(index, weight)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update`, through the float32 copy where there is one."""
        if not self._is_mixed(weight):
            self.update(index, weight, grad, state)
            return
        copy, inner = self._split_state(state)
        self.update(index, copy, grad.astype("float32"), inner)
        copy_arrays([copy], [weight])

    # Learning rates and weight decays of single parameters.

    def set_learning_rate(self, lr: float) -> None:
        """Sets the learning rate; not while a scheduler decides about it."""
        if self.lr_scheduler is not None:
            raise UserWarning(
                f"[{type(self).__name__}] set_learning_rate({lr}): the learning rate comes from lr_scheduler. Set "
                "lr_scheduler.base_lr, or make the optimizer without a scheduler."
            )
        self.lr = lr

    def set_lr_scale(self, args_lrscale: Any) -> None:
        """Was replaced by `set_lr_mult` long ago."""
        raise DeprecationWarning(f"[{type(self).__name__}] set_lr_scale is gone; use set_lr_mult.")

    def set_lr_mult(self, args_lr_mult: dict[Any, float]) -> None:
        """Sets what the learning rate of single parameters, by index or name, is multiplied by."""
        self.lr_mult = {**self._symbol_attribute("__lr_mult__"), **args_lr_mult}

    def set_wd_mult(self, args_wd_mult: dict[Any, float]) -> None:
        """Sets what the weight decay of single parameters, by index or name, is multiplied by."""
        spared = {name: 0.0 for name in self.idx2name.values() if not self._is_decayed(name)}
        self.wd_mult = {**spared, **self._symbol_attribute("__wd_mult__"), **args_wd_mult}

    @staticmethod
    def _is_decayed(name: str) -> bool:
        return name.endswith(("_weight", "_gamma"))

    def _symbol_attribute(self, key: str) -> dict[Any, float]:
        if not self.sym_info:
            return {}
        attributes, names = self.sym_info
        return {name: float(attributes[name][key]) for name in names if key in attributes.get(name, {})}

    def _multiplied(
        self, value: float, indices: Sequence[Any], kind: str, multipliers: dict[Any, float]
    ) -> list[float]:
        """The value for each index, times what its Parameter, index or name says."""
        if not (self.param_dict or multipliers):
            return [value] * len(indices)
        results = []
        for index in indices:
            if index in self.param_dict:
                results.append(value * getattr(self.param_dict[index], kind))
            elif index in multipliers:
                results.append(value * multipliers[index])
            elif index in self.idx2name:
                results.append(value * multipliers.get(self.idx2name[index], 1.0))
            else:
                results.append(value)
        return results

    def _current_lr(self) -> float:
        # Not `learning_rate`, which a subclass may define anew: MXNet's rates do not depend on it.
        rate: float = self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)
        return rate

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        return self._multiplied(self._current_lr(), indices, "lr_mult", self.lr_mult)

    def _get_lr(self, index: Any) -> float:
        return self._get_lrs([index])[0]

    def _get_wds(self, indices: Sequence[Any]) -> list[float]:
        return self._multiplied(self.wd, indices, "wd_mult", self.wd_mult)

    def _get_wd(self, index: Any) -> float:
        return self._get_wds([index])[0]

    # Counts of updates.

    def _set_current_context(self, device_id: int) -> None:
        """Every device counts its own updates."""
        self._index_update_count = self._all_index_update_counts.setdefault(device_id, {})

    def _update_count(self, index: Any) -> None:
        counts = self._index_update_count
        for each in index if isinstance(index, (list, tuple)) else [index]:
            count = counts[each] = counts.get(each, self.begin_num_update) + 1
            if count > self.num_update:
                self.num_update = count

    # Saving.

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the Parameters, which belong to the Trainer, and the device in use."""
        state = dict(self.__dict__)
        for name in ("param_dict", "_index_update_count"):
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.param_dict = {}
        counts = self.__dict__.setdefault("_all_index_update_counts", {})
        self._index_update_count = next(iter(counts.values())) if counts else counts.setdefault(0, {})


register = Optimizer.register
create = Optimizer.create_optimizer


class CommonOptions(TypedDict, total=False):
    """What no optimizer declares by itself."""

    rescale_grad: float
    param_idx2name: dict[Any, str] | None
    wd: float
    clip_gradient: float | None
    lr_scheduler: LRScheduler | None
    sym: Any
    begin_num_update: int
    param_dict: dict[Any, Any] | None


class OptimizerOptions(CommonOptions, total=False):
    """What every optimizer takes beside a learning rate."""

    multi_precision: bool


class RateOptions(OptimizerOptions, total=False):
    """The same, for one whose learning rate has no default of its own."""

    learning_rate: float | None
