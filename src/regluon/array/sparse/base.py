"""What all sparse arrays have in common: a storage instead of a tensor, and their way through operators."""

import math
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch

from ...autograd.gradient_slot import GradientSlot, make_variable
from ...autograd.recording import Tape, state
from ...base import MXNetError, NotSupportedForSparseNDArray
from ...context import Context, context_of
from ...dtypes import NAME_OF_TORCH, default_dtype, numpy_type, torch_dtype
from ...errors import OpIndexError, OpMemoryError, OpShapeError, OpTypeError, memory_text
from ...formats import params as params_format
from ...runtime.handle import Handle, SparseOperand, storage_type
from ...torch_private import is_zero
from ..dense import NDArray
from ..html_repr import sparse_html
from ..tensor_conversion import stored_sparse, to_parts
from .dispatch import Dispatcher
from .storage import combined, moved

if TYPE_CHECKING:
    from typing_extensions import Self

NOT_HERE = "convert it with tostype('default') first"


class SparseSlot(GradientSlot):
    """Moves the gradient of a variable to a sparse array."""

    __slots__ = ()

    def __call__(self, leaf: torch.Tensor) -> None:
        """Hands the gradient over."""
        value, leaf.grad = leaf.grad, None
        self.write(value)

    def write(self, value: torch.Tensor | None) -> None:
        """Takes the whole gradient; None stands for zeros."""
        self.fresh = True
        self.grad._take_gradient(value, self.request)


class BaseSparseNDArray(Dispatcher, NDArray):
    """An array that stores only some of its elements; the others are zero.

    Operators that MXNet has for its storage type keep it sparse; all others work on its dense form.
    """

    __module__ = "mxnet.ndarray.sparse"

    __slots__ = ("_place", "_store")

    _layout: ClassVar[Any]
    _slot_type = SparseSlot

    _store: Any
    _place: torch.Tensor | None

    def __init__(self, store: Any, context: Context | None = None) -> None:
        # A Store. MXNet's pickles call CSRNDArray(None), then __setstate__.
        self._store = store
        self._ctx = context_of(context)
        self._place = self._tape = self._slot = None

    @classmethod
    def _zeros(cls, shape: Any, dtype: torch.dtype, context: Context) -> Any:
        """An array of zeros: nothing is stored."""
        lengths = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)
        try:
            return cls(cls._layout.zeros(lengths, dtype, context.device), context)
        except RuntimeError as error:
            raise cls._explained(lengths, error) from error

    @classmethod
    def _from_dense(cls, tensor: torch.Tensor, context: Context) -> Any:
        """An array of the elements of a tensor."""
        return cls(cls._layout.from_dense(tensor), context)

    @classmethod
    def _from_stored(cls, stored: Any, context: Context) -> Any:
        """The array that a file holds."""
        values, aux, shape = to_parts(stored)
        try:
            return cls(cls._layout.assembled(values, aux, shape), context)
        except RuntimeError as error:  # one that was never filled gets its row starts here
            raise cls._explained(shape, error) from error

    @classmethod
    def _explained(cls, shape: Any, error: RuntimeError) -> RuntimeError | OpMemoryError:
        """The error to show where there is no memory for a shape; others as they are."""
        text = memory_text(error)
        return error if text is None else OpMemoryError(f"[{cls.__name__}] received the shape {shape}: {text}.")

    # What the code for dense arrays asks for, to be led here instead.

    @property
    def _t(self) -> torch.Tensor:  # type: ignore[override]
        raise SparseOperand(self)

    @property
    def _node(self) -> torch.Tensor | None:
        raise SparseOperand(self)

    @_node.setter
    def _node(self, node: torch.Tensor | None) -> None:
        self._place = node

    def _spec(self) -> tuple[tuple[int, ...], torch.dtype]:
        return self.shape, self._store.dtype

    def _leaf(self) -> torch.Tensor:
        """Stands for the array in recorded graphs: it has the shape, and next to no memory."""
        values = self._store.values
        return values.new_zeros(()).expand(self.shape).detach()

    def _leave_graph(self) -> None:
        self._place = self._tape = None

    def _live_place(self) -> torch.Tensor | None:
        """Where it stands in a recorded graph that has not been used up."""
        place, tape = self._place, self._tape
        if place is not None and tape is not None and tape.has_freed(place.grad_fn):
            self._leave_graph()
        return self._place

    # -- what it is -------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return tuple(self._store.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._store.shape)

    @property
    def size(self) -> int:
        """Refused: all elements, or the stored ones?"""
        raise NotImplementedError(
            f"[{type(self).__name__}.size] a sparse array has no one size; multiply the lengths in shape, or take the "
            "size of data."
        )

    @property
    def dtype(self) -> Any:
        """The NumPy type of the elements."""
        return numpy_type(self._store.dtype)

    @property
    def stype(self) -> str:
        """The storage type."""
        raise NotImplementedError

    @property
    def data(self) -> NDArray:
        """A copy of the stored elements."""
        return NDArray(self._store.values.clone(), self._ctx)

    @property
    def indices(self) -> NDArray:
        """A copy of the numbers of the stored rows, or of the columns of the stored elements."""
        return NDArray(self._store.indices.clone(), self._ctx)

    @property
    def _num_aux(self) -> int:
        return len(self._store.aux)

    @property
    def _aux_types(self) -> list[Any]:
        return [numpy_type(index.dtype) for index in self._store.aux]

    def _aux_type(self, i: int) -> Any:
        return self._aux_types[i]

    def _aux_data(self, i: int) -> NDArray:
        return NDArray(self._store.aux[i].clone(), self._ctx)

    def _data(self) -> NDArray:
        return self.data

    def __repr__(self) -> str:
        return f"\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self._ctx}>"

    _repr_html_ = sparse_html

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator["Self"]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        if math.prod(self.shape) == 1:
            return bool(self.asnumpy().any())
        raise ValueError(f"[{type(self).__name__}] the truth value of an array of shape {self.shape} is ambiguous.")

    def check_format(self, full_check: bool = True) -> None:
        """Raises an error if the index arrays do not fit the shape or, with `full_check`, have impossible values."""
        problem = self._format_problem(full_check)
        if problem:
            raise MXNetError(f"[{type(self).__name__}.check_format] {problem}.")

    def _format_problem(self, full_check: bool) -> str:
        raise NotImplementedError

    # -- copies and conversions -------------------------------------------------------------------------------------

    def _dense(self) -> torch.Tensor:
        """The dense form, a new tensor."""
        try:
            return self._store.dense()
        except (IndexError, RuntimeError) as error:
            if (memory := memory_text(error)) is not None:
                raise OpMemoryError(
                    f"[{type(self).__name__}] cannot be made dense with the shape {self.shape}: {memory}."
                ) from error
            problem = self._format_problem(True) or str(error)
            raise OpIndexError(f"[{type(self).__name__}] cannot be made dense: {problem}.") from error

    def tostype(self, stype: str) -> Any:
        """A copy in another storage type: 'default' is dense."""
        if stype == "default":
            return self._as_dense(state.tape)
        cls = storage_type(stype, "tostype")
        if cls is not type(self):
            raise ValueError(f"[tostype] cast_storage from {self.stype} to {stype} is not supported; {NOT_HERE}.")
        return self.copy()

    def asnumpy(self) -> np.ndarray:
        """A dense NumPy copy."""
        return NDArray(self._dense()).asnumpy()

    def as_torch(self) -> torch.Tensor:
        """The dense form as a torch tensor; a copy."""
        return self._dense()

    def astype(self, dtype: Any, copy: bool = True) -> "Self":
        """A copy with another dtype; the array itself if nothing changes and `copy` is False."""
        target = torch_dtype(default_dtype(dtype))
        if not copy and target is self._store.dtype:
            return self
        return type(self)(moved(self._store, self._ctx.device, target), self._ctx)

    def copyto(self, other: Any) -> Any:
        """Copies the elements to a dense array or one of this storage type, or to a new one on another device."""
        if isinstance(other, Context):
            return type(self)(moved(self._store, other.device), other)
        if other is self:
            warnings.warn("[copyto] the array is copied to itself.", RuntimeWarning, stacklevel=2)
            return False
        if not isinstance(other, NDArray) or other.stype not in ("default", self.stype):
            given = other.stype + " array" if isinstance(other, NDArray) else type(other).__name__
            raise TypeError(f"[copyto] received a {given}; expected a dense or {self.stype} array, or a Context.")
        if isinstance(other, BaseSparseNDArray):
            other._check_fit(self.shape, "copyto")
            other._store = moved(self._store, other._ctx.device, other._store.dtype)
        else:
            self._as_dense(state.tape).astype(other.dtype, copy=False).as_in_context(other.context).copyto(other)
        return other

    def as_in_context(self, context: Context) -> "Self":
        """The array itself if it is on that device, else a copy there."""
        context = context_of(context)
        return self if context == self._ctx else self.copyto(context)

    as_in_ctx = as_in_context

    def as_np_ndarray(self) -> Any:
        """Refused: arrays with NumPy's rules are dense."""
        raise ValueError(
            f"[{type(self).__name__}.as_np_ndarray] cannot convert ndarray of stype {self.stype} to numpy ndarray; "
            f"{NOT_HERE}."
        )

    def detach(self) -> "Self":
        """The array, cut from the recorded graph."""
        return type(self)(self._store, self._ctx)

    def wait_to_read(self) -> None:
        """Waits until the elements are computed."""
        NDArray(self._store.values, self._ctx).wait_to_read()

    wait_to_write = wait_to_read

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """Refused: a sparse array keeps its shape."""
        raise NotSupportedForSparseNDArray(self.reshape, None, shape)

    def __getstate__(self) -> dict[str, Any]:
        # The layout of MXNet's own pickles, so that either library opens the other's.
        return {"handle": bytearray(params_format.encode_array(self._to_stored()))}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        stored = params_format.decode_array(bytearray(saved["handle"]))
        self._store = self._layout.assembled(*to_parts(stored))

    def __reduce__(self) -> Any:
        return type(self), (None,), self.__getstate__()

    def _to_stored(self) -> Any:
        """The record that files hold."""
        return stored_sparse(self.stype, self._store.values, self._store.aux, self.shape)

    # -- writing ----------------------------------------------------------------------------------------------------

    def _check_fit(self, shape: Sequence[int], who: str) -> None:
        if tuple(shape) != self.shape:
            raise OpShapeError(f"[{who}] received an array of shape {tuple(shape)}; expected {self.shape}.")

    def _write(self, value: torch.Tensor, tape: Tape | None, who: str) -> None:
        """Takes the elements of a dense result."""
        self._check_fit(value.shape, who)
        dtype = self._store.dtype
        if value.dtype != dtype:
            raise OpTypeError(
                f"[{who}] out: received an array of {NAME_OF_TORCH[dtype]}; expected {NAME_OF_TORCH[value.dtype]}."
            )
        self._store = self._layout.from_dense(value.detach())
        if tape is not None and value.requires_grad:
            self._place, self._tape = value, tape

    def __setitem__(self, key: Any, value: Any) -> None:
        who = type(self).__name__
        if not isinstance(key, slice) or key != slice(None):
            kind: type[Exception] = ValueError if isinstance(key, slice) else TypeError
            raise kind(f"[{who}] received an assignment to [{key}]; expected [:], the whole array.")
        if isinstance(value, NDArray):
            if value is not self:
                value.copyto(self)
        elif isinstance(value, (np.ndarray, np.generic)) and np.ndim(value):
            self._check_fit(np.shape(value), f"{who}[:]")
            self._store = self._layout.from_dense(
                torch.as_tensor(value, dtype=self._store.dtype, device=self._ctx.device)
            )
        else:
            self._fill(value)

    def _fill(self, value: Any) -> None:
        """Sets all elements to a number, where the storage type can."""
        raise NotImplementedError

    # -- gradients --------------------------------------------------------------------------------------------------

    def _take_gradient(self, value: torch.Tensor | None, request: str) -> None:
        """Keeps the rows or elements of a gradient that are not zero; None is a gradient of zeros."""
        if value is None or is_zero(value):
            if request != "add":
                self._store = self._layout.zeros(self.shape, self._store.dtype, self._store.values.device)
            return
        found = self._layout.from_gradient(value)
        self._store = combined(self._store, found, torch.add) if request == "add" else found

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Gives the array a gradient buffer, of its own storage type unless told otherwise."""
        if grad_req not in ("write", "add", "null"):
            raise ValueError(f"[attach_grad] grad_req: received {grad_req!r}; expected 'write', 'add' or 'null'.")
        values, context = self._store.values, self._ctx
        buffer: Handle
        if stype == "default":
            buffer = NDArray(values.new_zeros(self.shape), context)
        else:
            buffer = storage_type(stype or self.stype, "attach_grad")._zeros(self.shape, values.dtype, context)
        make_variable(self, buffer, grad_req)

    def backward(self, out_grad: NDArray | None = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Writes the gradients of this array's sum to the variables it was recorded from."""
        weights = None if out_grad is None else out_grad._as_head()
        self._as_head().backward(weights, retain_graph, train_mode)

    def _as_head(self) -> NDArray:
        head = NDArray(self._dense(), self._ctx)
        head._node, head._tape = self._live_place(), self._tape
        return head
