"""Parameters of Gluon that are parameters or buffers of a torch module: one memory, one leaf of torch's graphs."""

from collections.abc import Iterable
from typing import Any

import torch

from ..compiler.exported import mark_exported
from ..context import Context
from ..dtypes import NAME_OF_TORCH
from ..ndarray import NDArray
from ..ndarray.creation import reserved_zeros
from ..ndarray.interop import context_of_tensor
from ..recording import GradientSlot, make_variable
from .parameter import Parameter
from .parameter_support import ParameterError, context_list

__all__ = ["TorchParameter"]


class TorchParameter(Parameter):
    """A parameter whose values on its first context are those of a torch module.

    The module's tensor stays the same object, whatever happens to the parameter: torch code may hold it. Its memory is
    that of the array; where the array gets new memory, so does the tensor.

    Args:
        name: its full name.
        tensor: a `torch.nn.Parameter`, or a buffer.
        init: how it is initialized anew, where `initialize(force_reinit=True)` asks for it.
    """

    def __init__(self, name: str, tensor: torch.Tensor, init: Any) -> None:
        dtype = NAME_OF_TORCH.get(tensor.dtype)
        if dtype is None:
            raise ParameterError(
                f"[Parameter {name}] received a tensor of {tensor.dtype}; expected one of "
                f"{', '.join(NAME_OF_TORCH.values())}. Convert the module, or register the tensor as a buffer with "
                "persistent=False to keep it out of the parameters."
            )
        is_learned = isinstance(tensor, torch.nn.Parameter) and tensor.is_floating_point()
        self._tensor = tensor
        self._slot: GradientSlot | None = None
        grad_req = "write" if is_learned and tensor.requires_grad else "null"
        super().__init__(name, grad_req, tuple(tensor.shape), dtype, init=init, differentiable=is_learned)
        if is_learned:
            tensor.register_post_accumulate_grad_hook(self._deliver)
        context = context_of_tensor(tensor)
        self._ctx_list, self._data = [context], [NDArray(mark_exported(tensor.data), context)]
        self._init_grad()

    @property
    def grad_req(self) -> str:
        """What `backward` does with the gradient."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        Parameter.grad_req.fset(self, req)  # type: ignore[attr-defined]
        if self._data is not None and self._grad is None:
            self._slot = None
            self._tensor.requires_grad_(False)

    def initialize(
        self, init: Any = None, ctx: Any = None, default_init: Any = None, force_reinit: bool = False
    ) -> None:
        """Keeps the values of the module, on the given contexts; with `force_reinit` there are new ones."""
        if force_reinit and self._shape:
            super().initialize(init, ctx, default_init, force_reinit)
            return
        for each in self._data or () if force_reinit else ():
            each._plain().zero_()  # a counter: without axes, which to initializers means that it is not known
        if ctx is not None and context_list(ctx) != self._ctx_list:
            self.reset_ctx(ctx)

    def set_data(self, data: Any) -> None:
        """Writes values to the arrays on all contexts."""
        if self._shape or not isinstance(data, NDArray):
            super().set_data(data)
            return
        for each in self._data or ():  # without axes, which indices cannot reach
            each._plain().copy_(data._plain().reshape(()))

    def cast(self, dtype: Any) -> None:
        """Converts values and gradients to another dtype; those of the module, too."""
        arrays = self._data
        self._data = None
        super().cast(dtype)
        assert arrays is not None
        self._take([each.astype(dtype) for each in arrays])

    def _init_impl(self, data: NDArray, contexts: Iterable[Context], is_own: bool = False) -> None:
        self._ctx_list = list(contexts)
        self._take([data.copyto(context) for context in self._ctx_list])
        self._tell_trainer()

    def _take(self, arrays: list[NDArray]) -> None:
        """Takes new arrays; the module's tensor gets the memory of the first."""
        self._data = arrays
        self._tensor.data = mark_exported(arrays[0]._plain())
        self._init_grad()

    def _init_grad(self) -> None:
        self._grad, self._slot = None, None
        if self.grad_req == "null":
            if self._tensor.is_floating_point():
                self._tensor.requires_grad_(False)
            return
        assert self._data is not None
        self._grad = [reserved_zeros(data.shape, data.context, data.dtype) for data in self._data]
        for place, (data, gradient) in enumerate(zip(self._data, self._grad, strict=True)):
            make_variable(data, gradient, self.grad_req, None if place else self._tensor)
        self._slot = self._data[0]._slot

    def _deliver(self, leaf: torch.Tensor) -> None:
        """Moves a gradient that torch has computed to where Gluon looks for it."""
        if self._slot is not None:
            self._slot(leaf)
