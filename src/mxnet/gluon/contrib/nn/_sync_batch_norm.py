"""Batch normalization by a batch that processes or devices share."""

import threading
import warnings
from typing import Any

from regluon.config import switches

from ....autograd import is_training
from ....base import MXNetError
from ....context import num_gpus
from ...nn.basic_layers import BatchNorm

__all__ = ["SyncBatchNorm"]


class SyncBatchNorm(BatchNorm):
    """Batch normalization for a batch that several processes or devices share.

    Over processes (`kvstore="dist_sync"`, `mxnet.launch`, `torchrun`), training judges by the batches of all ranks
    together, whatever their lengths; so do the running averages, which are the same on all ranks. Each rank must make
    the same calls in the same order. Hybridized networks may contain it. Gradients of gamma and beta are those of the
    rank's own samples: the trainer adds them up, as it does for all parameters.

    Over several devices of one process, it depends on who computes the parts:

    - Threads, one for each of `num_devices` devices, wait for each other in this layer and judge by the whole batch.
      One that does not come in the seconds of MXNET_KVSTORE_TIMEOUT is an error in the others. Differentiate all
      losses at once, `autograd.backward(losses)`: gradients pass between the parts. Blocks around the layer run as
      they are written, after `hybridize()` too; those beside it are compiled.
    - The main thread, as in `[net(part) for part in parts]`, has computed a part before the next is known. Each is then
      judged by itself, and the first training step warns of it. MXNet put off the computation until it had all parts.
      (On several CPU contexts MXNet waits for itself, for ever.)

    Without either, and in prediction, it equals BatchNorm. To be independent of how a batch is split, train with
    `use_global_stats=True`, which keeps averages that are good already, or use GroupNorm or LayerNorm.

    Args:
        in_channels: number of channels; found from the first data if 0.
        num_devices: number of devices of this process; all GPUs, or 1, by default.
        momentum: how much of the old average an update keeps.
        epsilon: added to the variance.
        center: whether beta is learned; otherwise it stays.
        scale: whether gamma is learned; otherwise it counts as 1.
        use_global_stats: whether training uses the running averages too, and leaves them alone.
        beta_initializer: initializer of beta.
        gamma_initializer: initializer of gamma.
        running_mean_initializer: initializer of the average mean.
        running_variance_initializer: initializer of the average variance.
        kwargs: `prefix` and `params`, see Block.
    """

    __module__ = "mxnet.gluon.contrib.nn.basic_layers"

    def __init__(
        self,
        in_channels: int = 0,
        num_devices: int | None = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            1,
            momentum,
            epsilon,
            center,
            scale,
            use_global_stats,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            **kwargs,
        )
        self._kwargs = {
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
            "ndev": self._get_num_devices() if num_devices is None else num_devices,
            "key": self.prefix,
        }
        self._has_warned = False

    def _get_num_devices(self) -> int:
        warnings.warn(
            f"[{self.name}] SyncBatchNorm takes all GPUs to be in use; pass num_devices if that is not so.",
            UserWarning,
            stacklevel=3,
        )
        return max(num_gpus(), 1)

    def _look_at_parts(self) -> None:
        """In training on several devices, says what is possible in this thread and what is not."""
        if not is_training() or self._kwargs["use_global_stats"] or len(self.running_mean.list_ctx()) == 1:
            return
        if threading.current_thread() is not threading.main_thread():
            if switches.tracing:
                raise MXNetError(
                    f"[{self.name}] SyncBatchNorm shares statistics between threads, each of which runs a graph of "
                    "its own device"
                )
        elif not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"[{self.name}] SyncBatchNorm judges the part of a batch on each of {len(self.running_mean.list_ctx())}"
                " devices by itself, not by the whole batch: the main thread computes each part before the next is "
                "known. Give the whole batch to one device, or each device a thread, if its statistics matter; see the "
                "documentation of SyncBatchNorm.",
                UserWarning,
                stacklevel=2,
            )

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any) -> Any:
        """Normalizes, and in training moves the running averages."""
        if self._kwargs["ndev"] > 1:
            self._look_at_parts()
        return F.contrib.SyncBatchNorm(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)
