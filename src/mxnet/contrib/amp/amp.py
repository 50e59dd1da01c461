"""The functions of mixed precision under the path that MXNet defines them in; the same as `mxnet.contrib.amp`."""

from typing import Any

from ._conversion import (
    list_conditional_fp32_ops,
    list_fp32_ops,
    list_loss_output_functions,
    list_lp16_fp32_ops,
    list_lp16_ops,
    list_lp16_use_fp32_params,
    list_widest_type_cast,
)
from ._models import convert_bucketing_module, convert_hybrid_block, convert_model, convert_symbol
from ._training import init, init_trainer, is_initialized, scale_loss, unscale
from .loss_scaler import LossScaler

__all__ = [
    "LossScaler",
    "convert_bucketing_module",
    "convert_hybrid_block",
    "convert_model",
    "convert_symbol",
    "init",
    "init_trainer",
    "list_conditional_fp32_ops",
    "list_fp32_ops",
    "list_loss_output_functions",
    "list_lp16_fp32_ops",
    "list_lp16_ops",
    "list_lp16_use_fp32_params",
    "list_widest_type_cast",
    "scale_loss",
    "unscale",
]


def __getattr__(name: str) -> Any:
    if name == "_amp_initialized":  # programs ask before they call `init`
        return is_initialized()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
