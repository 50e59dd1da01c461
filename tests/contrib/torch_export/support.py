"""Converts small modules and compares what both sides give."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import mxnet as mx
from regluon.convert.torch_export import from_exported_program

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def exported(module: Any, *inputs: torch.Tensor, dynamic: Any = None) -> torch.export.ExportedProgram:
    """A module in inference, with random statistics in its norms, as a program."""
    if not isinstance(module, torch.nn.Module):
        module, dynamic = Function(module), dynamic and {"inputs": dynamic}
    draw = torch.Generator().manual_seed(0)
    for name, buffer in module.named_buffers():
        if "running" in name:
            values = torch.rand(buffer.shape, generator=draw)
            # Means close to 0, so that what follows is not cut off by a ReLU.
            buffer.copy_(0.1 * values if "mean" in name else values + 0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.export(module.eval(), inputs, dynamic_shapes=dynamic)


def decomposed(program: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    """A program of core ATen operators alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own
        return program.run_decompositions()


def run(converted: Any, *inputs: torch.Tensor) -> list[np.ndarray]:
    """What a converted graph gives; several inputs have names in alphabetical order."""
    symbol, arguments, states = converted
    names = sorted(name for name in symbol.list_arguments() if name not in arguments)
    given = {name: mx.nd.array(value.numpy(), dtype=_dtype(value)) for name, value in zip(names, inputs, strict=True)}
    bound = symbol.bind(mx.cpu(), {**arguments, **given}, aux_states=states, grad_req="null")
    return [output.asnumpy() for output in bound.forward()]


def _dtype(value: torch.Tensor) -> str:
    return "float32" if value.dtype is torch.bool else str(value.dtype).removeprefix("torch.")


def same(found: list[np.ndarray], expected: Any, **tolerance: float) -> None:
    """Compares outputs with torch's; its bool is 0 and 1, its numbers without axes have one."""
    expected = [expected] if isinstance(expected, torch.Tensor) else list(expected)
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected):
        want = theirs.detach().numpy()
        assert mine.shape == (want.shape or (1,))
        assert mine.dtype == (np.float32 if want.dtype == np.bool_ else want.dtype)
        np.testing.assert_allclose(mine, want.reshape(mine.shape), **{**TOLERANCE, **tolerance})


def check(module: Any, *inputs: torch.Tensor, other_batch: bool = True, operators: str = "") -> Any:
    """Converts a module and compares it; also with more examples than it was exported with.

    Args:
        module: a module or a function.
        *inputs: what it is exported with.
        other_batch: whether the graph is to run with twice as many examples.
        operators: MXNet's operators that the graph is to have, as `Convolution,Activation`; not looked at if empty.
    """
    module = module if isinstance(module, torch.nn.Module) else Function(module)
    program = exported(module, *inputs)
    converted = from_exported_program(program)
    with torch.no_grad():
        same(run(converted, *inputs), module(*(value.clone() for value in inputs)))
        if other_batch:
            more = [torch.cat([value, value.flip(0)]) for value in inputs]
            same(run(converted, *more), module(*(value.clone() for value in more)))
    if operators:
        assert used(converted[0]) == operators.split(",")
    return converted


def used(symbol: Any) -> list[str]:
    """The operators of a graph in order."""
    nodes = [each._heads[0].node for each in symbol.get_internals()]
    return [node.op_name for node in dict.fromkeys(nodes) if not node.is_variable]


def randn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
