"""Batch normalization with an activation behind it."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from ..common import normal_axis
from ..params import Shape, Training
from ..registry import operator
from .normalization import BATCH_NORM, STATISTICS, batch_norm


def _num_outputs(params: Mapping[str, Any]) -> int:
    return 3 if params["output_mean_var"] else 1


def _shapes(data: Shape, *, axis: int = 1, **_: Any) -> dict[str, Shape]:
    shape = (data[normal_axis(axis, len(data))],)
    return {"gamma": shape, "beta": shape, "moving_mean": shape, "moving_var": shape}


@operator(
    "_contrib_BatchNormWithReLU",
    outputs=_num_outputs,
    completes=_shapes,
    total_outputs=4,
    output_names=(*STATISTICS, "mask"),
    **BATCH_NORM,
)
def batch_norm_with_relu(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    *,
    eps: float = 0.0010000000474974513,  # 0.001 as a 32-bit float, although the parameter is a double
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    training: Training,
) -> Any:
    """Batch normalization followed by max(x, 0); parameters as those of `BatchNorm`."""
    outputs, updates = batch_norm(
        data,
        gamma,
        beta,
        moving_mean,
        moving_var,
        eps=eps,
        momentum=momentum,
        fix_gamma=fix_gamma,
        use_global_stats=use_global_stats,
        output_mean_var=output_mean_var,
        axis=axis,
        training=training,
    )
    if not output_mean_var:
        return outputs.relu(), updates
    return (outputs[0].relu(), *outputs[1:]), updates
