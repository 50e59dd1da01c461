"""Measure what limits a step on this machine: its operations and bytes, and the peak rates of both.

The tasks of this file use PyTorch for all sides: a large matrix product stands for the peak of arithmetic, an addition
of arrays beyond all caches for the bandwidth of memory.
"""

from collections.abc import Callable

import torch
from adapter import Adapter
from tasks import make_run
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode, flop_registry, sdpa_backward_flop_count, sdpa_flop_count
from worker import Job
from workloads import STEPS

GEMM = 1536
NUM_ADDED = 1 << 24  # elements: 64 MB per array


def _attention(query, key, value, *args, **kwargs) -> int:
    return sdpa_flop_count(query, key, value)


def _attention_backward(gradient, query, key, value, *args, **kwargs) -> int:
    return sdpa_backward_flop_count(gradient, query, key, value)


ATTENTION = {  # torch counts it on other devices only
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward: _attention_backward,
}
# How often each byte of the parameters is read or written, by optimizer. Inference reads it; SGD also writes and reads
# the gradient and writes the parameter; Adam also reads and writes both averages.
PASSES = {"": 1, "sgd": 4, "adam": 8}


class _Traffic(TorchDispatchMode):
    """Collect the tensors that products and convolutions read and write."""

    def __init__(self) -> None:
        super().__init__()
        self._tensors: list[torch.Tensor] = []  # kept alive, so that no address is used twice

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        if func._overloadpacket in flop_registry or func._overloadpacket in ATTENTION:
            self._tensors += [leaf for leaf in tree_leaves((args, kwargs, found)) if isinstance(leaf, torch.Tensor)]
        return found

    def bytes_besides(self, others: list[torch.Tensor]) -> int:
        """Return the bytes of the collected tensors that do not share memory with these."""
        places = {tensor.untyped_storage().data_ptr() for tensor in others}
        return sum(x.nbytes for x in self._tensors if x.untyped_storage().data_ptr() not in places)


def _count(run: Callable[[], object], net: nn.Module, optimizer: str) -> dict[str, float]:
    """Return the operations of matrix products and convolutions, and the bytes of parameters and of their operands.

    Args:
        run: computes the step once.
        net: the network.
        optimizer: "" for inference.
    """
    # In this order: FlopCounterMode decomposes operators such as linear, and modes outside of it see the parts.
    with _Traffic() as traffic, FlopCounterMode(display=False, custom_mapping=ATTENTION) as counter:
        run()
    parameters = list(net.parameters())
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    size = sum(parameter.nbytes for parameter in parameters)
    moved = PASSES[optimizer] * size + traffic.bytes_besides([*parameters, *gradients])
    return {"operations": float(counter.get_total_flops()), "bytes": float(moved)}


def least(adapter: Adapter, name: str) -> dict[str, float]:
    """Return the operations and bytes that a step cannot do without."""
    step = STEPS[name]
    network = adapter.network(step)
    # The products of an LSTM are visible one by one only without MKL-DNN. Its bytes are then more than the least, as
    # the gradient of its weights counts for every word.
    with torch.backends.mkldnn.flags(enabled=name != "lstm_train", allow_tf32=None):
        return _count(make_run(adapter, network, step, "eager"), network.net, step.optimizer)


def product(argument: str) -> Job:
    """Measure one operation of a product of large matrices."""
    a, b = torch.rand(GEMM, GEMM), torch.rand(GEMM, GEMM)
    return Job(lambda: [a @ b], warm_up=2, share=2 * GEMM**3)


def addition(argument: str) -> Job:
    """Measure one byte of an addition of arrays that no cache holds."""
    a, b = torch.rand(NUM_ADDED), torch.rand(NUM_ADDED)
    total = torch.empty(NUM_ADDED)
    return Job(lambda: [torch.add(a, b, out=total)], warm_up=2, share=3 * total.nbytes)
