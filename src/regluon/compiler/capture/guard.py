"""What a captured program takes for granted."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch


class TensorSpec(NamedTuple):
    """What the calls that a program makes may depend on, of one of its arguments."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device
    requires_grad: bool


class Guard(NamedTuple):
    """What must be as it was when a program was captured; the native runner compares it before each run.

    What is not here makes no difference. Aliasing among arguments: each has a slot of its own, and nothing is written
    to them (see Recorder). `grad_req`: where gradients go is looked up when they are delivered. Values of parameters:
    they are arguments like the data. The mode: programs of different modes are different. The number of threads, and
    where memory begins: kernels look at both when they are called.

    Attributes:
        specs: of the arguments.
        generator: what random numbers are drawn from; None if there are none. Python compares it.
    """

    specs: tuple[TensorSpec, ...]
    generator: torch.Generator | None = None


def spec_of(tensor: torch.Tensor) -> TensorSpec:
    """The spec of a tensor."""
    return TensorSpec(tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor.device, tensor.requires_grad)


def guard_of(tensors: Sequence[torch.Tensor], generator: torch.Generator | None = None) -> Guard:
    """The guard of a program that is captured with these arguments."""
    return Guard(tuple(map(spec_of, tensors)), generator)


def variant(tensors: Sequence[torch.Tensor], context: Any) -> tuple[Any, ...]:
    """What tells apart runs that may call other kernels: each variant of a program is captured on its own."""
    return (context, *[(each.requires_grad, each.shape, each.dtype, each.stride()) for each in tensors])
