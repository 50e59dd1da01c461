"""A Trainer that averages gradients over all processes."""

import warnings
from typing import Any

from ...gluon import Trainer
from ...kvstore._collectives import add_up
from .compression import Compression
from .optimizer import DistributedOptimizer
from .state import group_of, size

_WHO = "hvd.DistributedTrainer"


class DistributedTrainer(Trainer):
    """A `gluon.Trainer` over all processes: each gives its own batch size to `step`, and gradients are averaged.

    Args:
        params: what to train: `net.collect_params()`, or a list or dict of parameters, on one context.
        optimizer: its name, or an Optimizer.
        optimizer_params: arguments of the optimizer.
        compression: hvd.Compression.fp16 sends real numbers in float16.
        gradient_predivide_factor: the part of the division by the number of processes that is done before the sum.
        prefix: ignored: calls are matched by their order, not by names.
        num_groups: ignored: all gradients of a dtype are sent in one message.
        process_set: `hvd.global_process_set`.
    """

    def __init__(
        self,
        params: Any,
        optimizer: Any,
        optimizer_params: dict[str, Any] | None = None,
        compression: Any = Compression.none,
        gradient_predivide_factor: float = 1.0,
        prefix: str | None = None,
        num_groups: int = 0,
        process_set: Any = None,
    ) -> None:
        group_of(_WHO, process_set)
        if isinstance(optimizer, DistributedOptimizer):
            warnings.warn(f"[{_WHO}] received a DistributedOptimizer; what it wraps is used.", stacklevel=2)
            optimizer._optimizer.rescale_grad *= optimizer._before * size()
            optimizer = optimizer._optimizer
        super().__init__(params, optimizer, optimizer_params, kvstore=None)
        self._compression = compression or Compression.none
        self._before = 1.0 / gradient_predivide_factor
        self._scale *= gradient_predivide_factor / size()

    def _update_as_before(self) -> bool:
        return False  # which would leave out the sum

    def _allreduce_grads(self) -> None:
        trained = [parameter for _, parameter in self._trained()]
        if len(self._contexts) > 1:
            raise ValueError(f"[{_WHO}] the parameters are on {self._contexts}; expected one context in each process.")
        pairs = [self._compression.compress(parameter._grad[0]) for parameter in trained]
        add_up(group_of(_WHO), [sent for sent, _ in pairs], _WHO, self._before)
        if self._compression is not Compression.none:
            for parameter, (sent, was) in zip(trained, pairs, strict=True):
                parameter._grad[0][:] = self._compression.decompress(sent, was)
