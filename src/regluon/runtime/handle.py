"""The part of an NDArray that everything else in this room builds on: what it holds."""

from collections.abc import Callable
from typing import Any

import torch

from ..autograd.gradient_slot import GradientSlot
from ..autograd.recording import Tape, live_node, plain, recorded_input
from ..base import MXNetError
from ..context import Context, cpu
from ..ops.registry import Operand, find

_CPU = cpu()

# The classes of sparse arrays by storage type; sparse/ enters them, so that dense arrays can turn into them.
STORAGE_TYPES: dict[str, Any] = {}


class SparseOperand(MXNetError, TypeError):
    """Dense memory was asked for where an array is sparse.

    It leads an operator from the path of dense arrays, which pays nothing for it, to the array's own `_invoke`; what
    does not know sparse arrays shows it to the user.
    """

    def __init__(self, array: Any) -> None:
        super().__init__(
            f"[{type(array).__name__}] received a {array.stype} array where only a dense one will do; convert it with "
            "tostype('default')."
        )
        self.array = array


def storage_type(stype: Any, who: str) -> Any:
    """The class of sparse arrays of a storage type."""
    if stype not in STORAGE_TYPES:
        raise StorageTypeError(
            f"[{who}] stype: received {stype!r}; expected one of {', '.join(map(repr, ('default', *STORAGE_TYPES)))}."
        )
    return STORAGE_TYPES[stype]


class StorageTypeError(MXNetError, ValueError):
    """There is no such storage type."""


class Composable(Operand):
    """What is no array, yet operators on arrays can be told to take: a Symbol, while a network is traced."""

    __slots__ = ()

    def _invoke(self, operator: Any, inputs: Any, params: Any, out: Any) -> Any:
        """What `operator` gives when one of its inputs is this."""
        raise NotImplementedError

    def _apply_function(self, function: Any, inputs: Any) -> Any:
        """What an `autograd.Function` gives when one of its inputs is this."""
        raise NotImplementedError

    def _call(self, name: str, inputs: Any, params: Any, out: Any) -> Any:
        """What a function of `mx.np` gives for it: the name of the operator it ends in, parameters as given."""
        operator = find(name)
        return self._invoke(operator, inputs, operator.parse(params), out)


class ForeignOperand(MXNetError):
    """Leads an operator from the path of arrays to the `_invoke` of a Composable."""

    def __init__(self, array: Composable) -> None:
        super().__init__(f"received a {type(array).__name__}; expected an NDArray")
        self.array = array


class Handle(Operand):
    """A thin, mutable handle around a torch tensor.

    Attributes:
        _t: the storage.
        _ctx: the Context it lives on.
        _node: the tensor that stands for it in a recorded graph, or None; see recording.py.
        _tape: the tape it was recorded on, or None.
        _slot: where `backward` puts its gradient, or None.
    """

    __slots__ = ("__weakref__", "_ctx", "_node", "_slot", "_t", "_tape")

    _t: torch.Tensor
    _ctx: Context
    _node: torch.Tensor | None
    _tape: Tape | None
    _slot: GradientSlot | None

    # The class of arrays that operators return for inputs of this class.
    _result_type: "type[Handle]"
    # The class of arrays with NumPy's rules, which numpy/ enters.
    _numpy_type: "type[Handle]"
    # The class of such arrays without data, which abstract.py enters.
    # What moves gradients to an array of this class.
    _slot_type = GradientSlot

    def __init__(self, tensor: torch.Tensor, context: Context = _CPU) -> None:
        # MXNet's pickles call NDArray(None), then __setstate__.
        self._t = tensor
        self._ctx = context
        self._node = self._tape = self._slot = None

    def _plain(self) -> torch.Tensor:
        """The storage, cut from any graph: what code outside of operators may read and write."""
        return plain(self)

    def _alias(self) -> torch.Tensor:
        """Another tensor over the storage, to hand out: `backward` counts the tensors that see a gradient's memory."""
        return plain(self).detach()

    def _spec(self) -> tuple[tuple[int, ...], torch.dtype]:
        """Shape and dtype."""
        return tuple(self._t.shape), self._t.dtype

    def _as_head(self) -> Any:
        """The array in the form in which `backward` begins at it."""
        return self

    def _retyped(self, cls: "type[Handle]") -> Any:
        """An array of another class with this one's memory, gradient buffer and place in a recorded graph."""
        array = cls(self._t, self._ctx)
        array._node, array._tape, array._slot = self._node, self._tape, self._slot
        return array

    def _leaf(self) -> torch.Tensor:
        """A new tensor to stand for the array as a variable of recorded graphs."""
        return plain(self).data

    def _leave_graph(self) -> None:
        """Forgets a recorded graph that `backward` has used up."""
        plain(self)
        self._node = self._tape = None

    def _recorded_view(self, function: Callable[[torch.Tensor], torch.Tensor], tape: Tape) -> Any:
        """An array over what `function` makes of the tensor, made while recording.

        A view of a variable looks at the storage, not at the leaf that stands for it: only writes to the storage are
        counted, and constants that were folded from a parameter depend on the count.
        """
        cls = self._result_type
        node = live_node(self)
        if node is None:
            return cls(function(plain(self)), self._ctx)
        place = function(recorded_input(self, tape))
        array = cls._recorded(place, self._ctx, tape)
        if self._t is not node and array._node is not None:
            array._t = function(plain(self))
        return array

    @classmethod
    def _recorded(cls, tensor: torch.Tensor, context: Context, tape: Tape) -> Any:
        """An array for a result made while recording."""
        array = cls(tensor, context)
        if tensor.requires_grad:
            array._node, array._tape = tensor, tape
        return array
