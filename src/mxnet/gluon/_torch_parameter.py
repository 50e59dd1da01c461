"""Parameters of Gluon that are parameters or buffers of a torch module: one memory, one leaf of torch's graphs."""

import operator
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch

from regluon.array.creation import reserved_zeros
from regluon.array.interop import context_of_tensor
from regluon.autograd.gradient_slot import GradientSlot, make_variable
from regluon.compiler.exported import mark_exported
from regluon.dtypes import NAME_OF_TORCH

from ..context import Context
from ..ndarray import NDArray
from ._parameter_support import ParameterError, context_list
from .parameter import Parameter

__all__ = ["Place", "TorchParameter", "TorchParameters"]

# Asked of every tensor of a module in every call: in C, which takes a third of the time.
_memory_of: Any = operator.methodcaller("data_ptr")
_needs_gradient, _storage_of, _node_of = map(operator.attrgetter, ("requires_grad", "_t", "_node"))


class Place(NamedTuple):
    """Where a module holds a tensor.

    Attributes:
        part: the part of the module.
        name: its name there.
        is_parameter: whether it is among the parameters there, not the buffers.
    """

    part: torch.nn.Module
    name: str
    is_parameter: bool

    @property
    def tensors(self) -> dict[str, Any]:
        """Its like; torch.export makes the part hold them in another dict."""
        return self.part._parameters if self.is_parameter else self.part._buffers

    @property
    def tensor(self) -> Any:
        """The tensor that is there now."""
        return self.tensors.get(self.name)


class TorchParameter(Parameter):
    """A parameter whose values on its first context are those of a torch module.

    The module's tensor stays the same object, whatever happens to the parameter: torch code may hold it. Its memory is
    that of the array; where the array gets new memory, so does the tensor. What torch does to the tensor is followed
    when the parameter is next used: another dtype or device, a frozen one, or another tensor in its place.

    Args:
        name: its full name.
        place: of a `torch.nn.Parameter`, or a buffer, in the module.
        init: how it is initialized anew, where `initialize(force_reinit=True)` asks for it.
    """

    def __init__(self, name: str, place: Place, init: Any) -> None:
        tensor = place.tensor
        self._place, self._tensor, self._pointer = place, tensor, 0
        self._arrays: list[NDArray] | None = None
        self._memory: torch.Tensor | None = None  # the storage of the first array, where nobody has put another
        self._slot: GradientSlot | None = None
        is_learned = isinstance(tensor, torch.nn.Parameter) and tensor.is_floating_point()
        grad_req = "write" if is_learned and tensor.requires_grad else "null"
        dtype = _dtype_name(name, tensor)
        super().__init__(name, grad_req, tuple(tensor.shape), dtype, init=init, differentiable=is_learned)
        self._take_tensor()

    @property
    def _data(self) -> list[NDArray] | None:
        if self._arrays is not None:
            self._follow()
        return self._arrays

    @_data.setter
    def _data(self, arrays: list[NDArray] | None) -> None:
        self._arrays = arrays

    def _follow(self) -> None:
        """Takes over what torch has done to the tensor since."""
        part, name, is_parameter = self._place
        tensor: Any = (part._parameters if is_parameter else part._buffers).get(name)
        if tensor is self._tensor and tensor.data_ptr() == self._pointer:
            if tensor.requires_grad is not (self._slot is not None):
                self.grad_req = "write" if tensor.requires_grad else "null"
            return
        if tensor is None:
            raise ParameterError(
                f"[Parameter {self.name}] the module has no {self._place.name!r} any more; expected the parameters "
                "that it had when its TorchBlock was made. Make a new TorchBlock of the module, and a new Trainer."
            )
        self._dtype, self._shape = _dtype_name(self.name, tensor), tuple(tensor.shape)
        self._tensor = tensor
        if self._differentiable:
            self._grad_req = (self._grad_req.replace("null", "") or "write") if tensor.requires_grad else "null"
        self._take_tensor()
        self._tell_trainer()

    def _take_tensor(self) -> None:
        """Makes the first array one over the memory of the module's tensor; copies of it are on the other contexts."""
        context = context_of_tensor(self._tensor)
        first = NDArray(mark_exported(self._tensor.data), context)
        self._ctx_list = [context, *(self._ctx_list or ())[1:]]
        if self._differentiable:
            self._tensor.register_post_accumulate_grad_hook(self._deliver)
        self._take([first, *(first.copyto(other) for other in self._ctx_list[1:])])

    @property
    def grad_req(self) -> str:
        """What `backward` does with the gradient."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        before = self._arrays
        Parameter.grad_req.fset(self, req)  # type: ignore[attr-defined]
        if before is not None and self._arrays is not before:  # it needs no gradient any more
            assert self._arrays is not None
            self._take(self._arrays)

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
        self._arrays = None
        super().cast(dtype)
        assert arrays is not None
        self._take([each.astype(dtype) for each in arrays])

    def _init_impl(self, data: NDArray, contexts: Iterable[Context], is_own: bool = False) -> None:
        self._ctx_list = list(contexts)
        self._take([data.copyto(context) for context in self._ctx_list])
        self._tell_trainer()

    def _take(self, arrays: list[NDArray]) -> None:
        """Takes new arrays; the module's tensor gets the memory of the first."""
        self._arrays, self._memory = arrays, arrays[0]._plain()
        if self._memory.data_ptr() != self._tensor.data_ptr() or self._memory.dtype is not self._tensor.dtype:
            self._tensor.data = mark_exported(self._memory)
        self._pointer = self._tensor.data_ptr()
        self._init_grad()

    def _init_grad(self) -> None:
        self._grad, self._slot = None, None
        if self.grad_req == "null":
            if self._tensor.is_floating_point():
                self._tensor.requires_grad_(False)
            return
        assert self._arrays is not None
        self._grad = [reserved_zeros(data.shape, data.context, data.dtype) for data in self._arrays]
        for place, (data, gradient) in enumerate(zip(self._arrays, self._grad, strict=True)):
            make_variable(data, gradient, self.grad_req, None if place else self._tensor)
        self._slot = self._arrays[0]._slot

    def _deliver(self, leaf: torch.Tensor) -> None:
        """Moves a gradient that torch has computed to where Gluon looks for it."""
        if self._slot is not None:
            self._slot(leaf)

    # -- copies -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the arrays, which are the module's: it is copied, too."""
        self._follow()
        return {**super().__getstate__(), "_arrays": None, "_grad": None, "_slot": None, "_memory": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._take_tensor()


class TorchParameters:
    """All parameters and buffers of a module, to be asked in every call whether they are as they were.

    Args:
        parameters: the parameters.
    """

    def __init__(self, parameters: Sequence[TorchParameter]) -> None:
        self._parameters = parameters
        self._note()

    def _note(self) -> None:
        parts = {id(parameter._place.part): parameter._place.part for parameter in self._parameters}
        self._parts = list(parts.values())
        self._held = self._tensors_held()
        self._tensors = [parameter._tensor for parameter in self._parameters]
        self._pointers = [parameter._pointer for parameter in self._parameters]
        self._needs = [parameter._slot is not None for parameter in self._parameters]
        self._arrays = [parameter._arrays[0] for parameter in self._parameters if parameter._arrays]
        self._memory = [parameter._memory for parameter in self._parameters]
        self._nodes = [parameter._slot and parameter._tensor for parameter in self._parameters]

    def _tensors_held(self) -> list[Any]:
        """What the parts of the module hold now."""
        held: list[Any] = []
        for part in self._parts:
            held += part._parameters.values()
            if part._buffers:
                held += part._buffers.values()
        return held

    def __getstate__(self) -> Any:
        return self._parameters

    def __setstate__(self, parameters: Any) -> None:
        self._parameters = parameters
        self._parts, self._held, self._tensors, self._pointers = [], [], [], [-1]  # to be noted at the first call

    def are_own(self, context: Context, is_recording: bool) -> bool:
        """Whether a call on a context computes with the tensors of the module: nobody has lent arrays others.

        What torch has done to them is followed first.
        """
        held = self._tensors_held()
        if not (
            len(held) == len(self._held)
            and all(map(operator.is_, held, self._held))
            and list(map(_memory_of, self._tensors)) == self._pointers
            and list(map(_needs_gradient, self._tensors)) == self._needs
        ):
            for parameter in self._parameters:
                parameter._follow()
            self._note()
        return (
            (not self._arrays or self._arrays[0]._ctx == context)
            and all(map(operator.is_, map(_storage_of, self._arrays), self._memory))
            and (not is_recording or all(map(operator.is_, map(_node_of, self._arrays), self._nodes)))
        )


def _dtype_name(name: str, tensor: torch.Tensor) -> str:
    dtype = NAME_OF_TORCH.get(tensor.dtype)
    if dtype is None:
        raise ParameterError(
            f"[Parameter {name}] received a tensor of {tensor.dtype}; expected one of "
            f"{', '.join(NAME_OF_TORCH.values())}. Convert the module, or register the tensor as a buffer with "
            "persistent=False to keep it out of the parameters."
        )
    return dtype
