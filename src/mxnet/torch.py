"""Blocks of Gluon in programs of PyTorch: `mxnet.torch.as_module(block)`.

The other direction is `mxnet.gluon.contrib.TorchBlock(module)`.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from . import autograd
from .base import MXNetError
from .compiler.exported import mark_exported
from .config import switches
from .context import Context
from .gluon import Block, HybridBlock, Parameter
from .gluon.nested import mapped
from .gluon.parameter import DeferredInitializationError
from .ndarray import NDArray
from .ndarray.interop import context_of_tensor, from_torch
from .recording import state
from .scopes import Setting

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
    """A parameter of Gluon, and the module that holds its tensor, under a name."""

    parameter: Parameter
    owner: torch.nn.Module
    name: str

    @property
    def tensor(self) -> torch.Tensor:
        found: torch.Tensor = getattr(self.owner, self.name)
        return found


class BlockModule(torch.nn.Module):
    """A block as a module; see `as_module`.

    Attributes:
        block: the block.
    """

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.block = block
        made: dict[int, torch.Tensor] = {}
        self._links = [self._linked(name, each, made) for name, each in block._collect_params_with_prefix().items()]
        self._pairs: list[tuple[NDArray, torch.Tensor]] = []
        self._connect()

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
        else:
            owner.register_buffer(name, tensor)
        return _Link(parameter, owner, name)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the block on arrays over the tensors; tensors come back."""
        if torch.compiler.is_dynamo_compiling():  # it would look for graphs in what a block does in Python
            return torch.compiler.disable(BlockModule._run)(self, *args, **kwargs)
        return self._run(*args, **kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        kinds: set[type] = set()
        mapped(lambda tensor: kinds.add(type(tensor)), (args, kwargs), torch.Tensor)
        if not kinds <= {torch.Tensor, torch.nn.Parameter}:
            return self._run_without_data(args, kwargs)
        is_recording = torch.is_grad_enabled()
        with autograd.record(self.training) if is_recording else autograd.pause(self.training):

            def array_of(tensor: torch.Tensor) -> NDArray:
                array = NDArray(tensor, context_of_tensor(tensor))
                if is_recording and tensor.requires_grad:
                    array._node, array._tape = tensor, state.tape
                return array

            args, kwargs = mapped(array_of, args, torch.Tensor), mapped(array_of, kwargs, torch.Tensor)
            with _Borrowed(self._pairs, is_recording):
                result = self.block(*args, **kwargs)
        return mapped(_tensor_of, result)

    def _run_without_data(self, args: Any, kwargs: Any) -> Any:
        """Calls the block on tensors that torch.export looks through; the module holds such, too, for the time being.

        Nothing is recorded: what is exported predicts.
        """
        pairs = [(_array_of(link.parameter), link.tensor.detach()) for link in self._links]
        stored = [array._t for array, _ in pairs]

        def array_of(tensor: torch.Tensor) -> NDArray:
            return NDArray(tensor.detach(), context_of_tensor(tensor))

        try:
            for array, tensor in pairs:
                array._t = tensor
            with autograd.pause(self.training), Setting(switches, as_written=True, autotune=False):
                result = self.block(*mapped(array_of, args, torch.Tensor), **mapped(array_of, kwargs, torch.Tensor))
        finally:
            for (array, _), tensor in zip(pairs, stored, strict=True):
                array._t = tensor
        return mapped(_tensor_of, result)

    def _connect(self) -> None:
        """Gives arrays the memory of tensors that have got other memory, dtypes or devices."""
        self._pairs, seen = [], set()
        is_changed = False
        for link in self._links:
            if id(link.parameter) in seen:
                continue
            seen.add(id(link.parameter))
            tensor, array = link.tensor, _array_of(link.parameter)
            if tensor.data_ptr() != array._t.data_ptr() or tensor.dtype is not array._t.dtype:
                array = _adopted(link.parameter, tensor)
                is_changed = True
            self._pairs.append((array, tensor))
        if is_changed:
            self.block.apply(_forget_compiled)

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> Any:
        found = super()._apply(fn, recurse)
        self._connect()
        return found

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Takes parameters and buffers from a dict; see torch."""
        found = super().load_state_dict(state_dict, strict, assign)
        self._connect()
        return found

    def __deepcopy__(self, memo: dict[int, Any]) -> "BlockModule":
        copied = _restored(copy.deepcopy(self.block, memo), self.training)
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> Any:
        return _restored, (self.block, self.training)

    def __repr__(self) -> str:
        return f"BlockModule(\n  {repr(self.block).replace(chr(10), chr(10) + '  ')}\n)"


class _Borrowed:
    """While it lasts, torch's tensors are the variables of recorded graphs, and nobody else gets their gradients."""

    def __init__(self, pairs: Sequence[tuple[NDArray, torch.Tensor]], is_recording: bool) -> None:
        self._pairs = pairs if is_recording else ()

    def __enter__(self) -> None:
        self._before = [(array._node, array._tape, array._slot) for array, _ in self._pairs]
        for array, tensor in self._pairs:
            array._node, array._tape, array._slot = tensor if tensor.requires_grad else None, None, None

    def __exit__(self, *error: object) -> None:
        for (array, _), before in zip(self._pairs, self._before, strict=True):
            array._node, array._tape, array._slot = before


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


def _adopted(parameter: Parameter, tensor: torch.Tensor) -> NDArray:
    """The array of a parameter that takes the memory of a tensor."""
    context: Context = context_of_tensor(tensor)
    array = NDArray(mark_exported(tensor.data), context)
    parameter._dtype, parameter._ctx_list, parameter._data = array.dtype, [context], [array]
    parameter._init_grad()
    return array


def _forget_compiled(block: Block) -> None:
    if isinstance(block, HybridBlock):
        block._clear_cached_op()


def _tensor_of(array: NDArray) -> torch.Tensor:
    return array._t if array._node is None else array._node
