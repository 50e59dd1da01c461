"""Recording which of torch's operators a piece of Python calls, so that they can be called again without it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from ...config import switches
from ...torch_private import DispatchMode, below_autograd, is_within_autograd

NOWHERE = -1  # the slot of what nobody reads
# Operators whose results, or their shapes, tell Python about values: what follows may depend on data.
_READS_VALUES = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
# The same by functions that call no operator.
_READERS = {torch.Tensor.tolist, torch.Tensor.numpy, torch.Tensor.__array__, torch.Tensor.__dlpack__}
# Operators that tell Python about dtypes and shapes, which guards hold fast.
_READS_SPECS = {"aten::promote_types", "aten::result_type", "aten::can_cast", "aten::is_same_size"}


class LeftToTorch(BaseException):
    """What is recorded would have torch find a gradient below its own bookkeeping; see `kernels.vjp.differentiable`.

    No Exception: nobody on the way is to explain it.
    """


class Call(NamedTuple):
    """One call of an operator.

    Attributes:
        name: the operator's, with its namespace.
        overload: which of those of this name.
        arguments: ("value", constant), ("slot", [number]) or ("slots", [numbers]) for each of the operator's.
        results: ("slot", [number]) or ("slots", [numbers]).
    """

    name: str
    overload: str
    arguments: list[tuple[str, Any]]
    results: list[tuple[str, list[int]]]

    def reads(self) -> Iterator[int]:
        """The slots it reads."""
        for kind, given in self.arguments:
            if kind != "value":
                yield from (slot for slot in given if slot != NOWHERE)

    def makes(self) -> Iterator[int]:
        """The slots it fills."""
        for _, slots in self.results:
            yield from (slot for slot in slots if slot != NOWHERE)


class _ReadNotice(TorchFunctionMode):
    """Tells a recorder where Python reads the values of tensors without calling an operator."""

    def __init__(self, recorder: "Recorder") -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Calls the function."""
        if func in _READERS and not self._recorder._is_paused:
            self._recorder.is_sound = False
        return func(*args, **(kwargs or {}))


class Recorder(DispatchMode):
    """Notes calls on tensors, in numbered slots.

    Slots are distinguished by the identity of tensors, and a tensor that is given has an identity of its own: which
    arguments of a program were the same array, or shared memory, when it was captured makes no difference to the calls.
    Therefore what is captured must not write to what it was given.

    Attributes:
        calls: what was called, in order.
        constants: tensors that were neither given nor made by a recorded call, by slot.
        is_sound: whether the calls are all there is, and hold for other data and other aliasing: no value was read by
            Python, no tensor was made from another behind our back, and nothing was written to what was given.
        keeps_geometry: whether no call gave a tensor another shape or other strides.
        num_slots: numbers given so far.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.constants: dict[int, torch.Tensor] = {}
        self.is_sound = True
        self.keeps_geometry = True
        self.num_slots = 0
        # Weakly, so that recording takes no more memory than running.
        self._slots = WeakIdKeyDictionary()
        self._memories = WeakIdKeyDictionary()
        self._given: set[int] = set()  # memory of the tensors that were given
        self._is_paused = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Torch would load its compiler, a second and seventy megabytes, to keep it away from this class."""
        return False

    def give(self, tensors: Sequence[torch.Tensor]) -> tuple[list[int], list[torch.Tensor]]:
        """Slots for tensors that calls may read, and what the calls are to be given in place of these tensors."""
        aliases = [tensor.detach() for tensor in tensors]
        self._given.update(map(_memory, aliases))
        return [self._new(alias) for alias in aliases], aliases

    def slot(self, tensor: torch.Tensor) -> int:
        """The slot of a tensor that was given or made; one that was not makes the record unsound."""
        found: int | None = self._slots.get(tensor)
        if found is None:
            self.is_sound = False
            return NOWHERE
        return found

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Notes what is called in a `with` block, below torch's own bookkeeping for gradients.

        Raises:
            LeftToTorch: somebody wants that bookkeeping.
        """
        before, switches.capturing = switches.capturing, True
        try:
            with torch.no_grad(), below_autograd(), self, _ReadNotice(self):
                yield
        finally:
            switches.capturing = before

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Notes nothing in a `with` block."""
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Calls the operator, and notes it."""
        if torch.is_grad_enabled() and not self._is_paused and not is_within_autograd():
            raise LeftToTorch
        result = func(*args, **(kwargs or {}))
        if not self._is_paused:
            self._note(func, args, kwargs or {}, result)
        return result

    def _note(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], result: Any) -> None:
        schema = func._schema
        if schema.name in _READS_SPECS:
            return
        if not _READS_VALUES.isdisjoint(func.tags):
            self.is_sound = False
        self.keeps_geometry = self.keeps_geometry and torch.Tag.inplace_view not in func.tags
        arguments = []
        for place, expected in enumerate(schema.arguments):
            if place < len(args):
                given = args[place]
            else:
                given = kwargs.get(expected.name, expected.default_value)
            if expected.alias_info is not None and expected.alias_info.is_write:
                self._check_written(given)
            arguments.append(self._read(given))
        returned = result if isinstance(result, tuple) else (result,) if schema.returns else ()
        if len(schema.returns) == 1 and isinstance(result, tuple):
            returned = (result,)
        self.calls.append(Call(schema.name, schema.overload_name, arguments, [self._made(each) for each in returned]))

    def _check_written(self, written: Any) -> None:
        tensors = written if isinstance(written, (list, tuple)) else [written]
        memories = {_memory(each) for each in tensors if isinstance(each, torch.Tensor)} - {0}
        self.is_sound = self.is_sound and memories.isdisjoint(self._given)

    def _read(self, given: Any) -> tuple[str, Any]:
        if isinstance(given, torch.Tensor):
            return "slot", [self._known(given)]
        if isinstance(given, (list, tuple)) and any(isinstance(each, torch.Tensor) for each in given):
            return "slots", [NOWHERE if each is None else self._known(each) for each in given]
        return "value", given

    def _made(self, result: Any) -> tuple[str, list[int]]:
        if isinstance(result, (list, tuple)):
            return "slots", [self._result(each) for each in result]
        return "slot", [self._result(result)]

    def _result(self, value: Any) -> int:
        if not isinstance(value, torch.Tensor):
            self.is_sound = self.is_sound and value is None
            return NOWHERE
        return NOWHERE if value in self._slots else self._new(value)  # what was changed in place is known

    def _new(self, tensor: torch.Tensor) -> int:
        number = self.num_slots
        self.num_slots += 1
        self._slots[tensor] = number
        self._memories[tensor] = _memory(tensor)
        return number

    def _known(self, tensor: torch.Tensor) -> int:
        found: int | None = self._slots.get(tensor)
        if found is None:
            # A constant; unless it looks at memory that calls have filled: then it is a view made behind our back.
            memory = _memory(tensor)
            if memory and memory in self._memories.values():
                self.is_sound = False
            found = self._new(tensor)
            self.constants[found] = tensor
        return found


def _memory(tensor: torch.Tensor) -> int:
    return 0 if tensor.is_mkldnn else tensor.untyped_storage().data_ptr()  # oneDNN's own have no views


def without_aliases(calls: Sequence[Call], kept: set[int]) -> list[Call | None]:
    """The calls, with None for those that only give a tensor another identity, as torch's engine does all the time.

    Args:
        calls: the calls; none of them may change the geometry of a tensor, which would not change that of an alias.
        kept: slots that are read after all of them.
    """
    source: dict[int, int] = {}
    found: list[Call | None] = []
    for call in calls:
        arguments = [
            (kind, given if kind == "value" else [source.get(slot, slot) for slot in given])
            for kind, given in call.arguments
        ]
        call = call._replace(arguments=arguments)
        if call.name == "aten::detach" and kept.isdisjoint(call.makes()):
            (alias,), (original,) = call.makes(), call.reads()
            source[alias] = original
            found.append(None)
        else:
            found.append(call)
    return found


def with_ends(calls: Sequence[Call], kept: set[int]) -> list[tuple[Any, ...]]:
    """The calls with the slots that nobody reads after each, as the runner takes them.

    Args:
        calls: the calls.
        kept: slots that are read after all of them.
    """
    last: dict[int, int] = {}
    for place, call in enumerate(calls):
        for slot in (*call.reads(), *call.makes()):
            last[slot] = place
    ends: list[list[int]] = [[] for _ in calls]
    for slot, place in last.items():
        if slot not in kept:
            ends[place].append(slot)
    return [(*call, end) for call, end in zip(calls, ends, strict=True)]


def renumbered(calls: Sequence[Call], number_of: dict[int, int]) -> list[Call]:
    """The calls with other numbers for their slots; slots without one get the next."""

    def new(slots: Sequence[int]) -> list[int]:
        return [NOWHERE if slot == NOWHERE else number_of.setdefault(slot, len(number_of)) for slot in slots]

    return [
        Call(
            call.name,
            call.overload,
            [(kind, given if kind == "value" else new(given)) for kind, given in call.arguments],
            [(kind, new(slots)) for kind, slots in call.results],
        )
        for call in calls
    ]
