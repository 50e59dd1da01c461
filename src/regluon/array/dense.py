"""The NDArray class: dense arrays."""

from collections.abc import Iterator
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
import torch

from ..autograd.gradient_slot import make_variable
from ..autograd.recording import plain, recorded_input, run_backward, state
from ..base import MXNetError
from ..compiler.exported import mark_exported
from ..context import Context, context_of
from ..dtypes import default_dtype, numpy_type, torch_dtype
from ..errors import OpShapeError
from ..formats import params as params_format
from ..ops.registry import Operator, explained, find
from ..ops.tensor.shape import target_shape
from ..runtime.handle import Handle, storage_type
from ..runtime.invoke import check_writable, invoke, write
from ..runtime.repeated import repeatable
from .arithmetic import Arithmetic
from .expressions import Expressions
from .fluent import FluentMethods
from .html_repr import array_html
from .indexing import get_item, set_item, slice_is_contiguous
from .tensor_conversion import converting, to_stored, to_tensor, torch_function

if TYPE_CHECKING:
    from typing_extensions import Self

    from .numpy.array import ndarray
    from .sparse.csr import CSRNDArray
    from .sparse.row_sparse import RowSparseNDArray

__all__ = ["NDArray"]

A = TypeVar("A", bound="NDArray")


class NDArray(Expressions, Arithmetic, FluentMethods, Handle):
    """An array on a device: mutable, with views, arithmetic, and gradients where `attach_grad()` asks for them.

    Arrays are made with `nd.array`, `nd.zeros` and their kin, and by operators. A basic slice of consecutive elements,
    `reshape` and `detach` share the memory of the array they come from.
    """

    __slots__ = ()
    __array_priority__: float = 1000.0  # NumPy scalars on the left leave arithmetic to us

    # -- what it is -------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return tuple(self._t.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._t.dim()

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._t.numel()

    @property
    def dtype(self) -> Any:
        """The NumPy type of the elements."""
        return numpy_type(self._t.dtype)

    @property
    def context(self) -> Context:
        """The device it lives on."""
        return self._ctx

    ctx = context

    @property
    def stype(self) -> str:
        """The storage type; 'default' is dense."""
        return "default"

    @property
    @repeatable
    def T(self) -> "Self":
        """A copy with the order of the axes reversed; the array itself if it has fewer than two axes."""
        return self if len(self.shape) < 2 else invoke(find("transpose"), (self,), {})

    @property
    def grad(self) -> "Self | Any":
        """The gradient buffer that `attach_grad()` made, or None."""
        if self._slot is None:
            return None
        self._slot.watch()
        return self._slot.grad

    @property
    def _fresh_grad(self) -> bool:
        """Whether `backward` has written the gradient since this was last set to False; trainers ask it."""
        return self._slot is not None and self._slot.fresh

    @_fresh_grad.setter
    def _fresh_grad(self, fresh: bool) -> None:
        if self._slot is not None:
            self._slot.fresh = bool(fresh)

    @property
    def writable(self) -> bool:
        """Always true: there are no read-only arrays."""
        return True

    @property
    def handle(self) -> Any:
        """Refused: MXNet's C handle has no counterpart here."""
        raise MXNetError(
            "[NDArray.handle] there is no C handle: the array lives on PyTorch. Use as_torch() for its tensor, or "
            "to_dlpack_for_read() to hand it to other libraries."
        )

    def __repr__(self) -> str:
        return f"\n{self.asnumpy()!s}\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self._ctx}>"

    _repr_html_ = array_html

    def __len__(self) -> int:
        if self._t.dim() == 0:
            raise TypeError("[NDArray] an array without axes has no len().")
        return self._t.shape[0]

    def __iter__(self) -> Iterator["Self"]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        if self.size == 0:
            return False
        if self.size > 1:
            raise ValueError(
                f"[NDArray] the truth value of an array of shape {self.shape} is ambiguous; use x.asnumpy().any() or "
                ".all(), or asscalar() on an array of one element."
            )
        return bool(plain(self).item())

    __nonzero__ = __bool__

    def __float__(self) -> float:
        return float(self.asscalar())

    def __int__(self) -> int:
        return int(self.asscalar())

    def __index__(self) -> int:
        if self._t.is_floating_point():
            raise TypeError("[NDArray] only an array of one integer can be used as an index.")
        return int(self.asscalar())

    # -- elements ---------------------------------------------------------------------------------------------------

    __getitem__ = repeatable(get_item)
    __setitem__ = set_item
    _basic_indexing_slice_is_contiguous = staticmethod(slice_is_contiguous)

    def slice_assign(self, rhs: "NDArray", begin: Any, end: Any, step: Any = ()) -> "Self":
        """Writes `rhs` to the region from `begin` to `end` and returns the array itself."""
        set_item(self, _region(begin, end, step), rhs)
        return self

    def slice_assign_scalar(self, value: float, begin: Any, end: Any, step: Any = ()) -> "Self":
        """Writes a number to the region from `begin` to `end` and returns the array itself."""
        set_item(self, _region(begin, end, step), value)
        return self

    # -- copies and conversions -------------------------------------------------------------------------------------

    def asnumpy(self) -> np.ndarray:
        """A NumPy copy; bfloat16, which NumPy lacks, becomes float32. One element converts by `float(...)`."""
        tensor = plain(self)
        if tensor.dtype is torch.bfloat16:
            tensor = tensor.float()
        return converting(np.array(tensor.cpu().numpy(), order="C"))

    def asscalar(self) -> Any:
        """The one element, as a NumPy scalar."""
        if self.size != 1:
            raise ValueError(
                f"[asscalar] received an array of shape {self.shape}; expected one element. "
                "asnumpy() gives all, and x[i].asscalar() one of them."
            )
        return self.asnumpy().reshape(-1)[0]

    def item(self) -> Any:
        """The one element, as a Python number."""
        return self.asscalar().item()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.asnumpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def as_torch(self) -> torch.Tensor:
        """A torch tensor over this array's memory; writing to one is seen in the other."""
        return mark_exported(self._alias())

    @repeatable
    def astype(self, dtype: Any, copy: bool = True) -> "Self":
        """A copy with another dtype; the array itself if nothing changes and `copy` is False."""
        target = torch_dtype(default_dtype(dtype))
        if not copy and target is self._t.dtype:
            return self
        return invoke(find("Cast"), (self,), {"dtype": target})

    def copy(self) -> "Self":
        """A copy on the same device."""
        return self.copyto(self._ctx)

    @overload
    def copyto(self, other: Context) -> "Self": ...
    @overload
    def copyto(self, other: A) -> A: ...
    def copyto(self, other: Any) -> Any:
        """Copies the elements to another array, or to a new one on another device."""
        if isinstance(other, Context):
            return _moved(self, other)
        if other is self:
            return other
        if not isinstance(other, NDArray):
            raise TypeError(f"[copyto] received {type(other).__name__}; expected an NDArray or a Context.")
        tape = state.tape
        source = recorded_input(self, tape) if tape is not None else plain(self)
        write(other, source.to(device=other._ctx.device, dtype=other._spec()[1], copy=True), tape, "copyto")
        return other

    def as_in_context(self, context: Context) -> "Self":
        """The array itself if it is on that device, else a copy there."""
        context = context_of(context)
        return self if context == self._ctx else _moved(self, context)

    as_in_ctx = as_in_context

    def as_nd_ndarray(self) -> "NDArray":
        """The array itself."""
        return self

    def as_np_ndarray(self) -> "ndarray":
        """An `mx.np` array over the same memory, with the same place in a recorded graph."""
        return self._retyped(self._numpy_type)

    @overload
    def tostype(self, stype: Literal["default"]) -> "NDArray": ...
    @overload
    def tostype(self, stype: Literal["csr"]) -> "CSRNDArray": ...
    @overload
    def tostype(self, stype: Literal["row_sparse"]) -> "RowSparseNDArray": ...
    @overload
    def tostype(self, stype: str) -> "NDArray": ...
    def tostype(self, stype: str) -> "NDArray":
        """A copy in a storage type: 'default' is dense, 'csr' and 'row_sparse' are sparse."""
        if stype == "default":
            return self.copy()
        made = storage_type(stype, "tostype")._from_dense(plain(self), self._ctx)
        tape = state.tape
        if tape is not None:
            node = recorded_input(self, tape)
            if node.requires_grad:
                made._node, made._tape = node.clone(), tape
        return made

    def _to_stored(self) -> Any:
        """The record that files hold."""
        return to_stored(plain(self))

    def to_dlpack_for_read(self) -> Any:
        """A DLPack capsule that shares the memory, for another library to read."""
        return torch.utils.dlpack.to_dlpack(mark_exported(self._alias()))  # nothing keeps it from writing

    def to_dlpack_for_write(self) -> Any:
        """A DLPack capsule that shares the memory, for another library to write to."""
        check_writable(self, "to_dlpack_for_write")
        return torch.utils.dlpack.to_dlpack(mark_exported(self._alias()))

    def __dlpack__(self, **kwargs: Any) -> Any:
        return mark_exported(self._alias()).__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[Any, int]:
        return plain(self).__dlpack_device__()

    __torch_function__ = classmethod(torch_function)

    def wait_to_read(self) -> None:
        """Waits until the elements are computed."""
        if self._t.device.type == "cuda":
            torch.cuda.synchronize(self._t.device)

    wait_to_write = wait_to_read

    def __getstate__(self) -> dict[str, Any]:
        # The layout of MXNet's own pickles, so that either library opens the other's.
        return {"handle": bytearray(params_format.encode_array(self._to_stored()))}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        stored = params_format.decode_array(bytearray(saved["handle"]))
        Handle.__init__(self, to_tensor(stored, "NDArray.__setstate__"))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Self":
        return self.copy()

    # -- shape ------------------------------------------------------------------------------------------------------

    @repeatable
    def reshape(self, *shape: Any, **kwargs: Any) -> "Self":
        """The same memory in another shape.

        Args:
            shape: the new lengths, as one tuple or one by one. 0 keeps the length of this place, -1 is worked out,
                -2 takes all remaining axes, -3 joins two axes, -4 splits one into the two lengths that follow.
            kwargs: `shape`, and `reverse=True` to read the codes from the last axis backwards.
        """
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        shape = shape or tuple(kwargs.get("shape", ()))
        kwargs.pop("shape", None)
        reverse = kwargs.pop("reverse", False)
        if kwargs:
            raise TypeError(f"[reshape] received unknown arguments {sorted(kwargs)}; expected shape and reverse.")
        try:
            new_shape = target_shape(self.shape, tuple(index(n) for n in shape), bool(reverse))
        except OpShapeError as error:
            raise OpShapeError(f"[reshape] {error}") from None
        return self._view(lambda tensor: tensor.reshape(new_shape))

    @repeatable
    def expand_dims(self, axis: int, inplace: bool = False) -> "Self":
        """A copy, or with `inplace` a view, with a new axis of length 1."""
        if inplace:
            return self._view_by(find("expand_dims"), {"axis": axis})
        return invoke(find("expand_dims"), (self,), {"axis": axis})

    @repeatable
    def flatten(self, inplace: bool = False) -> "Self":
        """A copy, or with `inplace` a view, of two axes: the first, and all others joined."""
        if inplace:
            return self._view_by(find("Flatten"), {})
        return invoke(find("Flatten"), (self,), {})

    @repeatable
    def squeeze(self, axis: Any = None, inplace: bool = False) -> "Self":
        """A copy, or with `inplace` a view, without axes of length 1."""
        squeeze = find("squeeze")
        params = squeeze.parse({"axis": axis})
        if inplace:
            return self._view_by(squeeze, params)
        return invoke(squeeze, (self,), params)

    @repeatable
    def broadcast_to(self, shape: Any) -> "Self":
        """A copy stretched to `shape`; axes are added in front where it has more."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        array = self
        if len(shape) > self.ndim:
            array = self.reshape((1,) * (len(shape) - self.ndim) + self.shape)
        return invoke(find("broadcast_to"), (array,), find("broadcast_to").parse({"shape": shape}))

    def broadcast_like(self, other: "NDArray") -> "Self":
        """A copy stretched to the shape of another array."""
        return self.broadcast_to(other.shape)

    @repeatable
    def transpose(self, *axes: Any, **kwargs: Any) -> "Self":
        """A copy with the axes in another order, reversed if none is given."""
        if axes and not isinstance(axes[0], (tuple, list)):
            kwargs["axes"] = axes
        elif axes:
            kwargs["axes"] = axes[0]
        return invoke(find("transpose"), (self,), find("transpose").parse(kwargs))

    def _view_by(self, operator: Operator, params: dict[str, Any]) -> Any:
        """The view that an operator makes before its result is copied."""
        try:
            return self._view(lambda tensor: operator.function(tensor, **params))
        except Exception as error:
            raise explained(operator, (self._t,), error) from error

    @repeatable
    def split_v2(self, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> list["Self"]:
        """Cuts the array along an axis, into equal sections or at the given places; copies."""
        given: dict[str, Any] = {"axis": axis, "squeeze_axis": squeeze_axis}
        if isinstance(indices_or_sections, int):
            length, sections = self.shape[axis], indices_or_sections
            if sections < 1 or length % sections:
                raise ValueError(f"[split_v2] cannot cut an axis of length {length} into {sections} equal sections.")
            given |= {"indices": (), "sections": sections}
        else:
            given["indices"] = (0, *indices_or_sections)
        return invoke(find("_split_v2"), (self,), find("_split_v2").parse(given))

    def _view(self, function: Any) -> Any:
        """An array over what `function` makes of the tensor, sharing its memory; recorded if recording."""
        tape = state.tape
        cls = self._result_type
        if tape is None:
            return cls(function(plain(self)), self._ctx)
        return self._recorded_view(function, tape)

    # -- gradients --------------------------------------------------------------------------------------------------

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Gives the array a gradient buffer and makes it a variable of what is recorded from now on.

        Args:
            grad_req: what `backward` does with the buffer: 'write' it, 'add' to it, or leave it ('null').
            stype: storage type of the buffer; 'row_sparse' keeps only the rows that are not zero.
        """
        if grad_req not in ("write", "add", "null"):
            raise ValueError(f"[attach_grad] grad_req: received {grad_req!r}; expected 'write', 'add' or 'null'.")
        buffer: Handle
        if stype in (None, "default"):
            buffer = type(self)(torch.zeros_like(plain(self)), self._ctx)
        else:
            buffer = storage_type(stype, "attach_grad")._zeros(self.shape, self._t.dtype, self._ctx)
        make_variable(self, buffer, grad_req)

    def detach(self) -> "Self":
        """The same memory, cut from the recorded graph: a constant to `backward`."""
        return type(self)(self._alias(), self._ctx)

    def backward(self, out_grad: "NDArray | None" = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Writes the gradients of this array's sum to the variables it was recorded from.

        Args:
            out_grad: weights of the elements in that sum; ones if left out.
            retain_graph: keep the graph, so that backward can be called again.
            train_mode: as in `autograd.backward`: operators differentiate the forward computation in any case.
        """
        run_backward([self], [out_grad], retain_graph, train_mode)


NDArray._result_type = NDArray
NDArray.__module__ = "mxnet.ndarray.ndarray"  # other software recognises arrays by this text


def _region(begin: Any, end: Any, step: Any) -> tuple[slice, ...]:
    steps = tuple(step) + (None,) * (len(begin) - len(step or ())) if step else (None,) * len(begin)
    return tuple(slice(*limits) for limits in zip(begin, end, steps, strict=True))


def _moved(array: NDArray, context: Context) -> Any:
    tape = state.tape
    cls = array._result_type
    if tape is None:
        return cls(_copied(plain(array), context), context)
    return cls._recorded(_copied(recorded_input(array, tape), context), context, tape)


def _copied(tensor: torch.Tensor, context: Context) -> torch.Tensor:
    """A copy on a device, in the order of arrays."""
    return tensor.to(context.device, copy=True, memory_format=torch.contiguous_format)
