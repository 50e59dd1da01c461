"""What a step cannot do without: its additions and multiplications, and the bytes that it moves."""

from collections.abc import Callable

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode, flop_registry, sdpa_backward_flop_count, sdpa_flop_count


def _attention(query, key, value, *args, **kwargs) -> int:
    return sdpa_flop_count(query, key, value)


def _attention_backward(gradient, query, key, value, *args, **kwargs) -> int:
    return sdpa_backward_flop_count(gradient, query, key, value)


ATTENTION = {  # torch counts it on other devices only
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward: _attention_backward,
}
# How often each byte of the parameters is read or written, by optimizer. Without: read. SGD: also the gradient written
# and read, the parameter written. Adam: also both of its averages read and written.
PASSES = {"": 1, "sgd": 4, "adam": 8}


class _Traffic(TorchDispatchMode):
    """Notes what products and convolutions read and write."""

    def __init__(self) -> None:
        super().__init__()
        self._tensors: list[torch.Tensor] = []  # kept, so that none takes the place of another in memory

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        if func._overloadpacket in flop_registry or func._overloadpacket in ATTENTION:
            self._tensors += [leaf for leaf in tree_leaves((args, kwargs, found)) if isinstance(leaf, torch.Tensor)]
        return found

    def bytes_besides(self, others: list[torch.Tensor]) -> int:
        """Of all that does not lie where these do."""
        places = {tensor.untyped_storage().data_ptr() for tensor in others}
        return sum(x.nbytes for x in self._tensors if x.untyped_storage().data_ptr() not in places)


def counted(run: Callable[[], object], net: nn.Module, optimizer: str) -> dict[str, float]:
    """Operations in matrix products and convolutions, and the least bytes: parameters, and what these read and write.

    Args:
        run: does the step once.
        net: its network.
        optimizer: its optimizer; empty for inference.
    """
    # In this order: FlopCounterMode takes operators such as linear apart, and what is outside of it sees the parts.
    with _Traffic() as traffic, FlopCounterMode(display=False, custom_mapping=ATTENTION) as counter:
        run()
    parameters = list(net.parameters())
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    size = sum(parameter.nbytes for parameter in parameters)
    moved = PASSES[optimizer] * size + traffic.bytes_besides([*parameters, *gradients])
    return {"operations": float(counter.get_total_flops()), "bytes": float(moved)}
