"""Torch's own functions on arrays: `torch.relu(x)` takes an array and gives one."""

from collections.abc import Callable
from typing import Any

import torch

from ..autograd.recording import plain, recorded_input, state
from ..ops.common import is_view
from ..runtime.handle import Handle
from ..runtime.invoke import check_writable, enter_graph


def torch_function(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """What torch calls in place of a function of its own that was given an array.

    Results are arrays of their own memory, recorded as those of any operator; a function that writes to an array gives
    that array.
    """
    tape = state.tape
    given: list[tuple[Handle, torch.Tensor]] = []

    def tensor_of(array: Handle) -> torch.Tensor:
        given.append((array, plain(array) if tape is None else recorded_input(array, tape)))
        return given[-1][1]

    args, kwargs = _mapped(tensor_of, args, Handle), _mapped(tensor_of, kwargs or {}, Handle)
    if func.__name__.endswith("_") and not func.__name__.endswith("__"):
        check_writable(given[0][0], f"torch.{func.__name__}")
    with torch.set_grad_enabled(tape is not None):
        found = func(*args, **kwargs)
    tensors = [tensor for _, tensor in given]
    first = given[0][0]

    def array_of(tensor: torch.Tensor) -> Any:
        for array, own in given:
            if tensor is own:
                return array
        if is_view(tensor, tensors):
            tensor = tensor.clone(memory_format=torch.contiguous_format)
        made = first._result_type(tensor, first._ctx)
        if tape is not None:
            enter_graph(made, tensor, tensors, tape)
        return made

    return _mapped(array_of, found, torch.Tensor)


def _mapped(function: Callable[[Any], Any], value: Any, kind: type) -> Any:
    """The same nesting with a function applied to every value of a kind."""
    if isinstance(value, kind):
        return function(value)
    if isinstance(value, dict):
        return {key: _mapped(function, item, kind) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_mapped(function, item, kind) for item in value)
    if isinstance(value, tuple) and any(isinstance(item, kind) for item in value):
        return tuple(_mapped(function, item, kind) for item in value)  # torch's own named tuples
    return value
