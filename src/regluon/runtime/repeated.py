"""Calls that are made again with arrays of the same kind: torch is asked for what it was asked for before.

What `nd.sum(x, axis=1)` asks torch for follows from the dtype, the shape and the place in a recording of its arrays,
and from its other arguments. With the runner in C++, the second call of a kind is watched here: every function of torch
that it calls, with what. If these were all, later calls of the kind go through `native/calls.cpp`, which calls them
without the Python in between. A call that looks at values, draws numbers, changes an array or depends on a setting is
never repeated, but made in Python every time.
"""

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, cast

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ..autograd.recording import Tape, state
from ..config import process, switches
from ..native import runner
from .handle import Handle

F = TypeVar("F", bound=Callable[..., Any])
_MOST_STEPS = 12
_LARGE = 1 << 20  # elements
_SLOT, _CONSTANT, _LIST, _TUPLE = range(4)
_SEQUENCES: dict[type, int] = {list: _LIST, tuple: _TUPLE}
_PLAIN = (int, float, bool, str, type(None), slice, type(...), torch.dtype, torch.device, torch.memory_format)

# What can be asked of a tensor that is contiguous, and whose shape, dtype, device and place in a graph are known.
_LOOKS = frozenset(
    [
        *(
            getattr(Tensor, name).__get__
            for name in ("shape", "dtype", "device", "ndim", "requires_grad", "is_meta", "is_cuda", "is_cpu")
        ),
        *(getattr(Tensor, name).__get__ for name in ("layout", "is_sparse", "is_quantized")),
        *(Tensor.dim, Tensor.size, Tensor.numel, Tensor.nelement, Tensor.stride, Tensor.is_contiguous),
        *(Tensor.is_floating_point, Tensor.is_complex, Tensor.is_signed, Tensor.element_size, Tensor.__len__),
        # Whether two tensors share memory follows from how one was made of the other.
        Tensor.untyped_storage,
        *(torch.is_floating_point, torch.is_complex, torch.promote_types),
    ]
)


# What gives back the tensor itself where there is nothing to do, which is so every time.
_IDLE = frozenset([Tensor.to, Tensor.contiguous, Tensor.float])
# Python's own function takes less time to find torch's.
_QUICKER = {Tensor.__getitem__: operator.getitem}
# Views whose copy torch makes in one call.
_COPIES = {Tensor.permute: torch.permute_copy, Tensor.transpose: torch.transpose_copy}


class Step(NamedTuple):
    """A function of torch that was called. Arguments are slots, constants or sequences of those; see `_Watcher`."""

    function: Any
    arguments: tuple[Any, ...]
    names: tuple[str, ...]  # of the last arguments
    outputs: tuple[int, ...]  # slots
    is_sequence: bool


class _Watcher(TorchFunctionMode):
    """Sees what torch is asked for. Tensors have numbers, slots: those that are given first, then every result."""

    def __init__(self, given: Sequence[Tensor | None]) -> None:
        super().__init__()
        self.kept: list[Any] = list(given)  # alive, so that their identities stay theirs
        self.slots = {id(tensor): slot for slot, tensor in enumerate(given) if tensor is not None}
        self._num_given = len(given)
        self.steps: list[Step] = []
        self.is_repeatable = True

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func not in _LOOKS:
            self._note(func, args, kwargs, result)
        return result

    def _note(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any], result: Any) -> None:
        is_sequence = isinstance(result, (tuple, list))
        results = tuple(result) if is_sequence else (result,)
        given = [self._told(value) for value in (*args, *kwargs.values())]
        is_understood = bool(results) and all(type(each) is Tensor for each in results) and None not in given
        # Within a torch.autograd.Function there is no graph: what makes one is not seen here.
        has_own_gradient = state.tape is not None and not torch.is_grad_enabled()
        if not is_understood or has_own_gradient or len(self.steps) == _MOST_STEPS:
            self.is_repeatable = False
            return
        if function in _IDLE and result is args[0]:
            return
        outputs = tuple(self._slot(each) for each in results)
        self.is_repeatable &= min(outputs) >= self._num_given  # else an argument was written to
        self.steps.append(Step(_QUICKER.get(function, function), tuple(given), tuple(kwargs), outputs, is_sequence))

    def _slot(self, tensor: Tensor) -> int:
        slot = self.slots.get(id(tensor))
        if slot is None:
            slot = self.slots[id(tensor)] = len(self.kept)
            self.kept.append(tensor)
        return slot

    def _told(self, value: Any) -> Any:
        """An argument in the form that calls.cpp reads; None for one that cannot be told."""
        if isinstance(value, Tensor):
            slot = self.slots.get(id(value))
            return None if slot is None else (_SLOT, slot)
        kind = _SEQUENCES.get(type(value))
        if kind is not None:
            items = tuple(self._told(item) for item in value)
            if None in items:
                return None
            if all(item[0] == _CONSTANT for item in items):
                return _CONSTANT, value
            return kind, items
        if type(value) is torch.Size or isinstance(value, _PLAIN):
            return _CONSTANT, value
        return None


class Watched(NamedTuple):
    """What a kind of call asks torch for, as calls.cpp reads it."""

    steps: tuple[Step, ...]
    num_slots: int
    results: tuple[tuple[int, int], ...]  # the slots of the storage, and of what stands for it in the graph or -1
    is_list: bool
    np_shape: bool | None = None  # the switch that it holds for; None for both


def watch(function: Callable[..., Any], args: Any, kwargs: Any, arrays: Sequence[Handle]) -> Watched | None:
    """Makes a call on copies of its arrays, to see what torch is asked for.

    Args:
        function: what is called.
        args: with what.
        kwargs: likewise.
        arrays: those among the arguments, in order.

    Returns:
        What to repeat; None if that would not always give the same as the function.
    """
    # A profiler's ranges would be missing; and large arrays take long to copy, and the time of Python does not count.
    if process.tracer is not None or any(array._t.numel() > _LARGE for array in arrays):
        return None
    before = switches.np_shape
    try:
        found = _watched(function, args, kwargs, arrays)
        switches.np_shape = not before
        other = _watched(function, args, kwargs, arrays)
    finally:
        switches.np_shape = before
    if found is None or found == other:
        return found
    return found._replace(np_shape=before)


def _watched(function: Callable[..., Any], args: Any, kwargs: Any, arrays: Sequence[Handle]) -> Watched | None:
    copies = _Copies(arrays)
    held = [(array._t, array._node, array._tape) for array in copies.arrays]
    watcher = _Watcher([tensor for storage, node, _ in held for tensor in (storage, node)])
    switches.watcher = watcher
    try:
        with watcher:
            result = function(*copies.put_into(args), **copies.put_into(kwargs))
    except Exception:  # which the call itself will meet, too
        return None
    finally:
        switches.watcher = None
    is_list = type(result) is list
    results = [_slots_of(each, watcher.slots, copies.arrays) for each in (result if is_list else [result])]
    is_unchanged = all(
        array._t is storage and array._node is node and array._tape is tape
        for array, (storage, node, tape) in zip(copies.arrays, held, strict=True)
    )
    slots = [each for each in results if each is not None]
    if not watcher.is_repeatable or not is_unchanged or not slots or len(slots) < len(results):
        return None
    return Watched(_joined_copies(watcher.steps, slots), len(watcher.kept), tuple(slots), is_list)


def _joined_copies(steps: Sequence[Step], results: Sequence[tuple[int, int]]) -> tuple[Step, ...]:
    """The steps, with one in place of two where a view is made only to be copied."""
    read = Counter(slot for step in steps for argument in step.arguments for slot in _slots_in(argument))
    read.update(slot for result in results for slot in result)
    found: list[Step] = []
    for step in steps:
        before = found[-1] if found else None
        is_copy = step.function is Tensor.clone and step.arguments[1:] == ((_CONSTANT, torch.contiguous_format),)
        if before is not None and is_copy and step.arguments[0] == (_SLOT, before.outputs[0]):
            copy = _COPIES.get(before.function)
            if copy is not None and read[before.outputs[0]] == 1:
                found[-1] = before._replace(function=copy, outputs=step.outputs)
                continue
        found.append(step)
    return tuple(found)


def _slots_in(argument: tuple[int, Any]) -> Iterator[int]:
    kind, value = argument
    if kind == _SLOT:
        yield value
    elif kind in (_LIST, _TUPLE):
        for item in value:
            yield from _slots_in(item)


class _Copies:
    """Copies of arrays, with the same place in a recording: what a call does to them nobody sees."""

    def __init__(self, arrays: Sequence[Handle]) -> None:
        self._tensors: dict[int, Tensor] = {}  # by the identity of the original
        self._by_array = {id(array): self._copy(array) for array in arrays}
        self.arrays = [self._by_array[id(array)] for array in arrays]

    def _copy(self, array: Handle) -> Handle:
        made = type(array)(self._tensor(array._t), array._ctx)
        made._node, made._tape = None if array._node is None else self._tensor(array._node), array._tape
        return made

    def _tensor(self, tensor: Tensor) -> Tensor:
        if id(tensor) not in self._tensors:
            made = tensor.detach().clone()
            self._tensors[id(tensor)] = made.requires_grad_() if tensor.requires_grad else made
        return self._tensors[id(tensor)]

    def put_into(self, value: Any) -> Any:
        """Arguments with the copies in the places of the arrays."""
        if isinstance(value, Handle):
            return self._by_array[id(value)]
        if isinstance(value, dict):
            return {key: self.put_into(item) for key, item in value.items()}
        return type(value)(map(self.put_into, value)) if type(value) in (list, tuple) else value


def _slots_of(result: Any, slots: dict[int, int], arrays: Sequence[Handle]) -> tuple[int, int] | None:
    """The slots of a result; None for what is no new array, or has tensors that nobody saw being made."""
    first = arrays[0]
    if type(result) is not type(first) or any(result is array for array in arrays):
        return None
    if result._ctx is not first._ctx or result._slot is not None or id(result._t) not in slots:
        return None
    node, tape = result._node, result._tape
    if node is None:
        return None if tape is not None else (slots[id(result._t)], -1)
    return (slots[id(result._t)], slots[id(node)]) if tape is state.tape and id(node) in slots else None


def repeatable(function: F) -> F:
    """A function of arrays, as one that repeats what can be repeated; itself where there is no runner in C++."""
    module = runner()
    return function if module is None else cast(F, module.repeating(function))


def make_repeatable(module: dict[str, Any], names: Sequence[str]) -> None:
    """Puts functions of arrays that repeat what can be repeated in the place of those of a module.

    Args:
        module: its variables.
        names: of the functions.
    """
    for name in names:
        if isinstance(module[name], FunctionType):
            module[name] = repeatable(module[name])


def prepare(array_type: type[Handle], numpy_array_type: type[Handle]) -> None:
    """Lets calls be repeated, once there are the classes of dense arrays."""
    module = runner()
    if module is not None:
        module.prepare_calls(state, switches, Tape, array_type, numpy_array_type, watch)
