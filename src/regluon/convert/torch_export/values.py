"""The values of a program while it is translated: symbols, constants and parameters."""

from typing import Any

import torch

from ...dtypes import NAME_OF_TORCH
from ...symbol import Symbol, var
from .problems import NotConvertible

# MXNet's comparisons return numbers, and few of its operators take bool: what torch calls bool is 0 and 1 in float32.
_BOOL = "float32"


def mxnet_dtype(dtype: torch.dtype) -> str:
    """MXNet's dtype for values of a torch dtype."""
    name = _BOOL if dtype is torch.bool else NAME_OF_TORCH.get(dtype)
    if name is None or name == "bfloat16":
        raise NotConvertible(f"it has values of {dtype}; export the module as float32, after module.float()")
    return name


class Values:
    """Values by node.

    Attributes:
        lengths: of all values, at two sizes; see `lengths.py`.
        symbols: what was translated; a list for several results.
        constants: what depends on neither inputs nor parameters, as torch computes it.
        params: values of the variables of the graph that are no inputs, by name.
        names: names of parameters, buffers and constants, by the names of their nodes.
    """

    def __init__(self, lengths: dict[Any, Any], names: dict[str, str]) -> None:
        self.lengths, self.names = lengths, names
        self.symbols: dict[Any, Any] = {}
        self.constants: dict[Any, Any] = {}
        self.params: dict[str, torch.Tensor] = {}

    def symbol(self, node: Any) -> Symbol:
        """A value as a symbol; a constant becomes a variable with a parameter."""
        if node not in self.symbols:
            value = self.constants.get(node)
            if not isinstance(value, torch.Tensor):
                raise NotConvertible(f"it takes {node.name}, which is no tensor")
            self.symbols[node] = self.parameter(self.names.get(node.name, node.name), value)
        found = self.symbols[node]
        if not isinstance(found, Symbol):
            raise NotConvertible(f"it takes {node.name}, which is several tensors")
        return found

    def parameter(self, name: str, value: torch.Tensor) -> Symbol:
        """A new variable with a value."""
        dtype = mxnet_dtype(value.dtype)
        stored = value.detach().to("cpu", getattr(torch, dtype)).contiguous()
        unique, count = name, 0
        while unique in self.params:
            count += 1
            unique = f"{name}_{count}"
        # MXNet has no arrays without axes.
        self.params[unique] = stored.reshape(1) if stored.dim() == 0 else stored
        return var(unique, shape=tuple(self.params[unique].shape), dtype=dtype)
