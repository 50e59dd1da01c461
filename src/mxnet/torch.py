"""Blocks of Gluon in programs of PyTorch: `mxnet.torch.as_module(block)`.

The other direction is `mxnet.gluon.contrib.TorchBlock(module)`.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from regluon.array.interop import context_of_tensor, from_torch
from regluon.autograd.recording import state
from regluon.compiler.exported import mark_exported
from regluon.config import switches
from regluon.scopes import Setting

from . import autograd
from .base import MXNetError
from .context import Context
from .gluon import Block, HybridBlock, Parameter
from .gluon._block_inputs import leaves, mapped
from .gluon._torch_parameter import Place, TorchParameter
from .gluon.parameter import DeferredInitializationError
from .ndarray import NDArray

__all__ = ["BlockModule", "as_module"]


def as_module(block: Block, *example: Any) -> "BlockModule":
    """A block as a `torch.nn.Module` over the same parameters: no array is copied.

    Torch alone computes gradients then: neither `record()` nor a Trainer is needed, and torch's optimizers,
    `DistributedDataParallel` and `torch.export` take it as any other module. `state_dict()` has the names that
    `save_parameters` writes.

    Args:
        block: an initialized block.
        example: inputs to call it on first, as arrays or tensors, where shapes of parameters are not known yet.

    Example:
        >>> net = gluon.nn.Dense(2, in_units=4)
        >>> net.initialize()
        >>> module = mx.torch.as_module(net)
        >>> sorted(module.state_dict())
        ['bias', 'weight']
        >>> module(torch.ones(3, 4)).shape
        torch.Size([3, 2])
    """
    if not isinstance(block, Block):
        raise TypeError(f"[as_module] received {type(block).__name__}; expected a Block of Gluon.")
    if example:
        with autograd.pause():
            block(*mapped(from_torch, example, torch.Tensor))
    return BlockModule(block)


class _Link(NamedTuple):
    """A parameter of Gluon, and where a module holds its tensor.

    Attributes:
        parameter: the parameter.
        place: where in the module.
        array: the parameter's array when both were last the same.
        tensor: the module's tensor then.
        pointer: their memory.
    """

    parameter: Parameter
    place: Place
    array: NDArray
    tensor: torch.Tensor
    pointer: int

    def is_changed(self) -> bool:
        """Whether one side has got other memory since."""
        parameter, (part, name, is_parameter), array, tensor, pointer = self
        held = part._parameters if is_parameter else part._buffers
        if held.get(name) is not tensor or tensor.data_ptr() != pointer:
            return True
        own = parameter._data
        return own is None or own[0] is not array


class BlockModule(torch.nn.Module):
    """A block as a module; see `as_module`.

    Attributes:
        block: the block.
    """

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.block = block
        made: dict[int, torch.Tensor] = {}
        found = [self._linked(name, each, made) for name, each in block._collect_params_with_prefix().items()]
        self._links = list({id(link.parameter): link for link in found}.values())

    def _linked(self, path: str, parameter: Parameter, made: dict[int, torch.Tensor]) -> _Link:
        """Registers a parameter at the place that its name says; one that has several names is one tensor."""
        array = _array_of(parameter)
        *folders, name = path.split(".")
        owner: torch.nn.Module = self
        for folder in folders:
            if folder not in owner._modules:
                owner.add_module(folder, torch.nn.Module())
            owner = owner._modules[folder]  # type: ignore[assignment]
        tensor = made.get(id(parameter))
        if tensor is None:
            tensor = mark_exported(array._plain())
            if parameter._differentiable:
                tensor = torch.nn.Parameter(tensor, requires_grad=parameter.grad_req != "null")
            made[id(parameter)] = tensor
        if isinstance(tensor, torch.nn.Parameter):
            owner.register_parameter(name, tensor)
            place = Place(owner, name, True)
        else:
            owner.register_buffer(name, tensor)
            place = Place(owner, name, False)
        return _Link(parameter, place, array, tensor, tensor.data_ptr())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the block on arrays over the tensors; tensors come back."""
        if torch.compiler.is_dynamo_compiling():  # it would look for graphs in what a block does in Python
            return torch.compiler.disable(BlockModule._run)(self, *args, **kwargs)
        return self._run(*args, **kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        is_single = len(args) == 1 and not kwargs and type(args[0]) is torch.Tensor
        tensors = args if is_single else _tensors((args, kwargs))
        kind = tensors[0].device.type if tensors else "cpu"
        if torch.is_autocast_enabled(kind):  # operators here expect inputs of one dtype
            with torch.autocast(kind, enabled=False):
                return self._run(*mapped(self._cast, args, torch.Tensor), **mapped(self._cast, kwargs, torch.Tensor))
        if not is_single and any(map(_has_no_data, tensors)):
            return self._run_without_data(args, kwargs)
        is_recording = torch.is_grad_enabled()
        lent = self._connect()
        with autograd.record(self.training) if is_recording else autograd.pause(self.training):
            if is_single:
                args = (_array(args[0], is_recording),)
            else:
                args, kwargs = (
                    mapped(lambda tensor: _array(tensor, is_recording), given, torch.Tensor) for given in (args, kwargs)
                )
            try:
                with _Borrowed(self._links, is_recording) if lent is None else _Lent(lent, is_recording):
                    result = self.block(*args, **kwargs)
            except MXNetError as error:
                raise _as_torch_raised(error) from None
        return _tensor_of(result) if isinstance(result, NDArray) else mapped(_tensor_of, result)

    def _cast(self, tensor: torch.Tensor) -> torch.Tensor:
        """A tensor in the dtype of the parameters, if it has floating numbers."""
        dtypes = (link.tensor.dtype for link in self._links if link.tensor.is_floating_point())
        return tensor.to(next(dtypes, torch.float32)) if tensor.is_floating_point() else tensor

    def _run_without_data(self, args: Any, kwargs: Any) -> Any:
        """Calls the block on tensors that torch.export looks through; the module holds such, too, for the time being.

        Nothing is recorded: what is exported predicts.
        """

        def array_of(tensor: torch.Tensor) -> NDArray:
            return NDArray(tensor.detach(), context_of_tensor(tensor))

        now = [(link.array, link.place.tensor) for link in self._links]
        with autograd.pause(self.training), _Lent(now, False):
            result = self.block(*mapped(array_of, args, torch.Tensor), **mapped(array_of, kwargs, torch.Tensor))
        return mapped(_tensor_of, result)

    def _connect(self) -> list[tuple[NDArray, torch.Tensor]] | None:
        """Makes arrays and tensors the same memory again where one side has got other memory, dtypes or devices.

        Returns:
            None, or all arrays with the tensors to compute with, where these are not there to stay: in
            `torch.func.functional_call`.
        """
        changed = [number for number, link in enumerate(self._links) if link.is_changed()]
        if not changed:
            return None
        now = [link.place.tensor for link in self._links]
        for link, tensor in zip(self._links, now, strict=True):
            if tensor is None:
                raise MXNetError(
                    f"[as_module] the module has no {link.place.name!r} any more, which is the parameter "
                    f"{link.parameter.name} of its block. Change the block instead, and call as_module once more."
                )
        if any(type(now[number]) is not type(self._links[number].tensor) for number in changed):
            return [(link.array, tensor) for link, tensor in zip(self._links, now, strict=True) if tensor is not None]
        for number in changed:
            self._links[number] = _joined(self._links[number])
        self.block.apply(_forget_compiled)
        return None

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> Any:
        found = super()._apply(fn, recurse)
        self._connect()
        return found

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Takes parameters and buffers from a dict; see torch."""
        found = super().load_state_dict(state_dict, strict, assign)
        self._connect()
        return found

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Parameters and buffers by name; see torch."""
        self._connect()
        return super().state_dict(*args, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> "BlockModule":
        self._connect()
        copied = _restored(copy.deepcopy(self.block, memo), self.training)
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> Any:
        self._connect()
        return _restored, (self.block, self.training)

    def __repr__(self) -> str:
        return f"BlockModule(\n  {repr(self.block).replace(chr(10), chr(10) + '  ')}\n)"


class _Borrowed:
    """While it lasts, torch's tensors are the variables of recorded graphs, and nobody else gets their gradients."""

    def __init__(self, links: Sequence[_Link], is_recording: bool) -> None:
        self._links = links if is_recording else ()

    def __enter__(self) -> None:
        self._before = [(link.array._node, link.array._tape, link.array._slot) for link in self._links]
        for _, _, array, tensor, _ in self._links:
            array._node, array._tape, array._slot = tensor if tensor.requires_grad else None, None, None

    def __exit__(self, *error: object) -> None:
        for link, before in zip(self._links, self._before, strict=True):
            link.array._node, link.array._tape, link.array._slot = before


class _Lent:
    """While it lasts, arrays have the values of other tensors, and networks run as they are written."""

    def __init__(self, pairs: Sequence[tuple[NDArray, torch.Tensor]], is_recording: bool) -> None:
        self._pairs, self._is_recording = pairs, is_recording
        self._setting = Setting(switches, as_written=True, autotune=False)

    def __enter__(self) -> None:
        self._before = [(array, array._t, array._node, array._tape, array._slot) for array, _ in self._pairs]
        for array, tensor in self._pairs:
            array._t, array._tape, array._slot = tensor.detach(), None, None
            array._node = tensor if self._is_recording and tensor.requires_grad else None
        self._setting.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._setting.__exit__(*error)
        for array, tensor, node, tape, slot in self._before:
            array._t, array._node, array._tape, array._slot = tensor, node, tape, slot


def _restored(block: Block, training: bool) -> BlockModule:
    return BlockModule(block).train(training)


def _array_of(parameter: Parameter) -> NDArray:
    """The array of a parameter that is there, on one context."""
    try:
        arrays = parameter.list_data()
    except DeferredInitializationError as error:
        raise MXNetError(
            f"[as_module] {error} Or give as_module an example of the inputs: as_module(block, x)."
        ) from None
    if len(arrays) > 1:
        raise MXNetError(
            f"[as_module] parameter {parameter.name} is on {', '.join(map(str, parameter.list_ctx()))}; expected one "
            "context. Call reset_ctx(ctx) on the block: torch has its own ways to several devices."
        )
    return arrays[0]


def _joined(link: _Link) -> _Link:
    """Both sides over one memory again: that of the side that has got a new one; torch's, if both have."""
    parameter, place, array, before, pointer = link
    tensor = place.tensor
    if tensor is before and tensor.data_ptr() == pointer:
        array = _array_of(parameter)
        if tensor.grad is not None and (tensor.grad.shape != array.shape or tensor.grad.dtype is not array._t.dtype):
            tensor.grad = None
        tensor.data = mark_exported(array._plain())
    else:
        context: Context = context_of_tensor(tensor)
        array = NDArray(mark_exported(tensor.data), context)
        parameter._dtype, parameter._shape, parameter._ctx_list = array.dtype, array.shape, [context]
        if isinstance(parameter, TorchParameter):
            parameter._take([array])
        else:
            parameter._data = [array]
            parameter._init_grad()
    return _Link(parameter, place, array, tensor, tensor.data_ptr())


def _tensors(nested: Any) -> list[torch.Tensor]:
    return [leaf for leaf in leaves(nested) if isinstance(leaf, torch.Tensor)]


def _has_no_data(tensor: torch.Tensor) -> bool:
    """Whether a tensor only stands for one, as those of torch.export; other classes of tensors have memory."""
    return type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__


def _array(tensor: torch.Tensor, is_recording: bool) -> NDArray:
    """The array of an input; in torch's graph, if the tensor is."""
    if type(tensor) is not torch.Tensor:
        tensor = tensor.as_subclass(torch.Tensor)
    array = NDArray(tensor, context_of_tensor(tensor))
    if is_recording and tensor.requires_grad:
        array._node, array._tape = tensor, state.tape
    return array


def _as_torch_raised(error: MXNetError) -> BaseException:
    """What torch itself stops a call with: `torch.utils.checkpoint` does so when it has seen enough."""
    cause: BaseException | None = error
    while cause is not None:
        if type(cause).__module__.startswith("torch.utils.checkpoint"):
            return cause
        cause = cause.__cause__ or cause.__context__
    return error


def _forget_compiled(block: Block) -> None:
    if isinstance(block, HybridBlock):
        block._clear_cached_op()


def _tensor_of(array: NDArray) -> torch.Tensor:
    return array._t if array._node is None else array._node
