"""The keywords that optimizers pass on to Optimizer, for type checkers."""

from typing import Any, TypedDict

from ..lr_scheduler import LRScheduler

__all__ = ["CommonOptions", "OptimizerOptions", "RateOptions"]


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
