"""Parameters of networks: arrays with gradients, on one or several devices, whose shape may be found out later."""

import warnings
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from regluon.array.array_kind import in_force
from regluon.array.creation import reserved_zeros
from regluon.dtypes import dtype_name
from regluon.runtime.invoke import check_writable

from ..autograd import mark_variables, pause
from ..base import MXNetError
from ..context import Context, cpu, current_context
from ..initializer import InitDesc, Uniform, create
from ..ndarray import NDArray, array, zeros
from ..symbol import Symbol, var
from ..symbol.numpy import _Symbol
from ..util import is_np_array, is_np_shape
from ._parameter_support import (
    ParameterError,
    StorageTypeError,
    check_dtype,
    check_initializer,
    check_shape,
    context_list,
    fits,
    is_of_cpu,
    load_problem,
    made_now,
    uninitialized_error,
)
from .utils import shape_is_known

__all__ = ["Parameter"]


class Parameter:
    """A named array that a Block learns or carries.

    It holds one copy for each context it was initialized on. If its shape has unknown lengths (0) and deferred
    initialization is allowed, the memory comes with the first forward pass.

    Args:
        name: its full name.
        grad_req: what `backward` does with the gradient: 'write', 'add', or 'null' for none.
        shape: lengths of its axes; 0 for those the first data will tell.
        dtype: type of the elements.
        lr_mult: factor of the trainer's learning rate.
        wd_mult: factor of the trainer's weight decay.
        init: initializer of its own, instead of the network's.
        allow_deferred_init: whether initialization may wait for the shape.
        differentiable: False for what is never trained.
        stype: storage type; a trainer holds what is 'row_sparse', and `row_sparse_data` fetches rows of it.
        grad_stype: storage type of the gradient; 'row_sparse' keeps the rows that are not zero.
    """

    __module__ = "mxnet.gluon.parameter"  # the public path, which printed types and pickles show

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: Any = None,
        dtype: Any = np.float32,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Any = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        for what, kind in (("stype", stype), ("grad_stype", grad_stype)):
            if kind not in ("default", "row_sparse", "csr"):
                raise ParameterError(
                    f"[Parameter {name}] {what}: received {kind!r}; must be one of 'default', 'row_sparse' or 'csr'."
                )
        self._data: list[NDArray] | None = None
        self._grad: list[NDArray] | None = None
        self._ctx_list: list[Context] | None = None
        self._deferred_init: tuple[Any, ...] = ()
        self._differentiable = differentiable
        self._allow_deferred_init = allow_deferred_init
        self._grad_req = ""
        self._trainer_reference: Any = None  # weak, or networks would be freed by the garbage collector only
        self._var: Symbol | None = None
        self._first_shape: tuple[int, ...] | None = None  # what its variable shows; see _note_shape
        self._owner: str = ""  # the block that made it, for error texts
        self._stype, self._grad_stype = stype, grad_stype
        self._shape = (shape,) if isinstance(shape, int) else None if shape is None else tuple(shape)
        self.name = name
        self._dtype = dtype
        self.lr_mult, self.wd_mult = lr_mult, wd_mult
        self.grad_req = grad_req
        self.init = init

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name} (shape={self.shape}, dtype={self.dtype})"

    @property
    def grad_req(self) -> str:
        """What `backward` does with the gradient."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req not in ("write", "add", "null"):
            raise ParameterError(
                f"[Parameter {self.name}] grad_req: received {req!r}; expected 'write', 'add' or 'null'."
            )
        if not self._differentiable:
            req = "null"
        if self._grad_req == req:
            return
        self._grad_req = req
        if req == "null" and self._grad is not None:
            self._grad = None
            assert self._data is not None
            self._data = [data.detach() for data in self._data]
        elif self._data is not None:
            self._init_grad()

    @property
    def _is_numpy(self) -> bool:
        """Whether its arrays are those of `mx.np`: made while NumPy's semantics were on."""
        return isinstance(self._data[0], NDArray._numpy_type) if self._data else is_np_array()

    @property
    def dtype(self) -> Any:
        """Type of the elements, as it was given."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.cast(dtype)

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Lengths of the axes; unknown ones are 0, or -1 with NumPy shapes."""
        if self._shape is not None and is_np_shape():
            return tuple(length or -1 for length in self._shape)
        return self._shape

    @shape.setter
    def shape(self, new_shape: Sequence[int]) -> None:
        new_shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
        if self._shape is not None and not fits(self._shape, new_shape):
            raise ParameterError(
                f"[Parameter {self.name}] received the shape {new_shape}; expected one that agrees with {self._shape}."
            )
        self._shape = new_shape

    # -- initialization ---------------------------------------------------------------------------------------------

    def initialize(
        self,
        init: Any = None,
        ctx: Any = None,
        default_init: Any = None,
        force_reinit: bool = False,
    ) -> None:
        """Gives the parameter memory and first values, now or as soon as its shape is known.

        Args:
            init: initializer; its own one by default, then `default_init`.
            ctx: a context or a list of them; the current one by default.
            default_init: what to use if neither is given; uniform numbers by default.
            force_reinit: initialize again what is initialized already.
        """
        if self._data is not None and not force_reinit:
            warnings.warn(
                f"Parameter '{self.name}' is already initialized, ignoring. Set force_reinit=True to re-initialize.",
                stacklevel=2,
            )
            return
        contexts = context_list(ctx)
        check_shape(self.name, self._shape)
        self._data = self._grad = None
        if init is None:
            init = self.init if self.init is not None else default_init or Uniform()
        if not shape_is_known(self.shape):
            if not self._allow_deferred_init:
                raise ParameterError(
                    f"[Parameter {self.name}] cannot be initialized with the shape {self.shape}: 0 is an unknown "
                    "length. Give all lengths, or pass allow_deferred_init=True to let the first data tell them."
                )
            self._deferred_init = (init, contexts, default_init or Uniform(), None)
            return
        self._deferred_init = (init, contexts, default_init or Uniform(), None)
        self._finish_deferred_init()

    def _finish_deferred_init(self) -> None:
        """Makes the arrays of a parameter that was waiting for its shape."""
        if not self._deferred_init:
            return
        init, contexts, default_init, data = self._deferred_init
        if not shape_is_known(self.shape):
            raise ParameterError(
                f"[Parameter {self.name}] cannot be initialized: its shape {self.shape} has unknown lengths (0). Give "
                "in_units, in_channels, ... to the layer."
            )
        check_dtype(self.name, self.dtype)
        is_own = data is None
        with pause(), made_now():
            if data is None:
                check_initializer(self.name, init)
                data = in_force(zeros(self.shape, dtype=self.dtype, ctx=cpu(), stype=self._stype))
                create(default_init)(InitDesc(self.name, {"__init__": init}), data)
            self._init_impl(data.astype(self.dtype, copy=False), contexts, is_own)
        self._deferred_init = ()

    def _init_impl(self, data: NDArray, contexts: Iterable[Context], is_own: bool = False) -> None:
        """Takes values for all contexts; an array that is its own, and nobody else's, becomes that of its context."""
        self._ctx_list = list(contexts)
        data = in_force(data)
        keeps = is_own and data.stype == "default" and data.context in self._ctx_list
        self._data = [data if keeps and context == data.context else data.copyto(context) for context in self._ctx_list]
        self._init_grad()
        self._tell_trainer()

    def _init_grad(self) -> None:
        if self.grad_req == "null":
            self._grad = None
            return
        assert self._data is not None
        stype = self._grad_stype
        if stype == "default":
            self._grad = [reserved_zeros(data.shape, data.context, data.dtype) for data in self._data]
        else:
            self._grad = [zeros(data.shape, dtype=data.dtype, ctx=data.context, stype=stype) for data in self._data]
        if self._is_numpy and stype == "default":
            self._grad = [gradient.as_np_ndarray() for gradient in self._grad]
        mark_variables(self._data, self._grad, self.grad_req)

    def _load_init(self, data: NDArray, ctx: Any, cast_dtype: bool = False, dtype_source: str = "current") -> None:
        """Takes the values of a loaded array."""
        if dtype_source not in ("current", "saved"):
            raise ParameterError(f"[load] dtype_source: received {dtype_source!r}; expected 'current' or 'saved'.")
        contexts = None if ctx is None else context_list(ctx)
        problem = load_problem(self, data, contexts, cast_dtype)
        if problem:
            raise ParameterError(f"[Parameter {self.name}] {problem}.")
        if dtype_name(self.dtype) != dtype_name(data.dtype):
            if dtype_source == "current":
                data = data.astype(self.dtype)
            else:
                self.cast(data.dtype)
        self._shape = tuple(data.shape)
        data = data if data.stype == self._stype else data.tostype(self._stype)
        if self._data is None:
            waiting = self._deferred_init[1] if self._deferred_init else None
            self._init_impl(data, contexts or waiting or [cpu()])
        else:
            self.set_data(data)
        self._deferred_init = ()

    # -- access -----------------------------------------------------------------------------------------------------

    def _check_and_get(self, arrays: list[NDArray] | None, ctx: Any) -> Any:
        """The array on a context, or with `list` all of them."""
        if arrays is None:
            raise self._not_there()
        if ctx is list:
            return list(arrays)
        if ctx is None:
            if len(arrays) == 1:
                return arrays[0]
            ctx = current_context()
        for each in arrays:
            if each._ctx is ctx or each._ctx == ctx:
                return each
        for each in arrays:  # data in shared or page-locked memory meet parameters in ordinary one, as in MXNet
            if each._ctx.device_id == ctx.device_id and is_of_cpu(each._ctx) and is_of_cpu(ctx):
                return each
        raise MXNetError(
            f"[Parameter {self.name}] was not initialized on {ctx}; it is on {self._ctx_list}. Give that context to "
            "initialize(ctx=[...])."
        )

    def _not_there(self) -> MXNetError:
        who = f"[Parameter {self.name}]" + (f" of {self._owner}" if self._owner else "")
        return uninitialized_error(who, self.shape, bool(self._deferred_init))

    def data(self, ctx: Context | None = None) -> NDArray:
        """The array on a context; the only one, or that of the current context, by default."""
        each = self._data
        if self._stype != "default":
            raise self._is_sparse("data()", "row_sparse_data()")
        if each is not None and len(each) == 1 and (ctx is None or each[0]._ctx is ctx):
            return each[0]
        return self._check_and_get(each, ctx)

    def _is_sparse(self, asked: str, instead: str) -> MXNetError:
        return StorageTypeError(
            f"[Parameter {self.name}] {asked}: its storage type is {self._stype}; Please use {instead} instead."
        )

    def list_data(self) -> list[NDArray]:
        """The arrays on all contexts."""
        if self._stype != "default":
            raise self._is_sparse("list_data()", "list_row_sparse_data()")
        return self._check_and_get(self._data, list)

    def _need_grad(self) -> None:
        if self._data is not None and self._grad is None:
            raise MXNetError(f"[Parameter {self.name}] has no gradient because grad_req='null'.")

    def _watch_grad(self) -> None:
        """A program gets the gradients in hand: those of this process, whatever a trainer does with them meanwhile."""
        for data in self._data or ():
            if data._slot is not None:
                data._slot.watch()

    def grad(self, ctx: Context | None = None) -> NDArray:
        """The gradient on a context."""
        self._need_grad()
        self._watch_grad()
        return self._check_and_get(self._grad, ctx)

    def list_grad(self) -> list[NDArray]:
        """The gradients on all contexts."""
        self._need_grad()
        self._watch_grad()
        return self._check_and_get(self._grad, list)

    def list_ctx(self) -> list[Context]:
        """The contexts it is, or will be, initialized on."""
        if self._data is None:
            if self._deferred_init:
                return list(self._deferred_init[1])
            raise self._not_there()
        assert self._ctx_list is not None
        return list(self._ctx_list)

    def set_data(self, data: Any) -> None:
        """Write values to the arrays on all contexts.

        Inside `record()`, a parameter with a gradient raises MXNetError and keeps its values.
        """
        if self._data is None and not self._deferred_init:
            raise ParameterError(str(self._not_there()))
        self.shape = data.shape
        if self._data is None:
            values = data if isinstance(data, NDArray) else array(data, dtype=self.dtype)
            self._deferred_init = (*self._deferred_init[:3], values)
            return
        for each in self._data:
            check_writable(each, f"Parameter {self.name}.set_data")
        for each in self._data:
            each[:] = data
        self._tell_trainer()

    def zero_grad(self) -> None:
        """Sets the gradients to zero."""
        if self._grad is not None:
            self._watch_grad()
            for gradient in self._grad:
                if gradient.stype == "default":
                    gradient[:] = 0
                else:
                    zeros(gradient.shape, dtype=gradient.dtype, ctx=gradient.context, out=gradient)

    def reset_ctx(self, ctx: Any) -> None:
        """Moves the parameter to other contexts."""
        contexts = context_list(ctx)
        if self._data is not None:
            with pause():
                self._init_impl(self._reduce(), contexts)
        elif self._deferred_init:
            self._deferred_init = (self._deferred_init[0], contexts, *self._deferred_init[2:])
        else:
            raise ParameterError(str(self._not_there()))

    def _reduce(self) -> NDArray:
        """The mean over the contexts, on the CPU."""
        arrays = self._check_and_get(self._data, list)
        if self._stype != "default":
            rows = zeros(arrays[0].shape, dtype=arrays[0].dtype, stype=self._stype)
            return self._trainer._all_rows(self, rows) if self._trainer is not None else arrays[0].copyto(cpu())
        total = arrays[0].copyto(cpu())
        for other in arrays[1:]:
            total += other.as_in_context(cpu())
        return total / len(arrays) if len(arrays) > 1 else total

    def cast(self, dtype: Any) -> None:
        """Converts values and gradients to another dtype."""
        if self._data is None:
            self._dtype = dtype
            return
        check_dtype(self.name, dtype)
        self._dtype = dtype
        with pause():
            self._data = [each.astype(dtype) for each in self._data]
            if self._grad is not None:
                self._grad = [gradient.astype(dtype) for gradient in self._grad]
                mark_variables(self._data, self._grad, self.grad_req)

    def var(self) -> Symbol:
        """The variable that stands for it in graphs, always the same one."""
        if self._var is None:
            made = var(
                self.name,
                shape=self.shape if self._first_shape is None else self._first_shape,
                dtype=self.dtype,
                lr_mult=self.lr_mult,
                wd_mult=self.wd_mult,
                init=self.init,
                stype=self._stype,
            )
            kind = _Symbol if self._is_numpy else Symbol
            self._var = kind(made._heads)  # a plain one, even if a network is being traced
        return self._var

    def _note_shape(self) -> None:
        """Keeps the shape it has before data tell the lengths that are unknown: exported graphs contain that one."""
        if self._first_shape is None:
            self._first_shape = self.shape

    def row_sparse_data(self, row_id: NDArray) -> NDArray:
        """The array on the context of `row_id`, with the rows of these numbers fetched from the trainer's store."""
        if self._stype != "row_sparse":
            raise self._is_sparse("row_sparse_data()", "data()")
        return self._fetched(self._check_and_get(self._data, row_id.context), row_id)

    def list_row_sparse_data(self, row_id: NDArray) -> list[NDArray]:
        """The arrays on all contexts, with the rows of these numbers fetched from the trainer's store."""
        if self._stype != "row_sparse":
            raise self._is_sparse("list_row_sparse_data()", "list_data()")
        return self._fetched(self._check_and_get(self._data, list), row_id)

    def _fetched(self, arrays: Any, row_id: NDArray) -> Any:
        if self._trainer is None:
            raise StorageTypeError(
                f"[Parameter {self.name}] Cannot get row_sparse data when no Trainer is created with it: the trainer "
                "keeps its rows. Make the Trainer first."
            )
        self._trainer._row_sparse_pull(self, arrays, row_id)
        return arrays

    @property
    def _ctx_map(self) -> list[list[int | None]] | None:
        """MXNet's: by device id where in `_ctx_list` a context is, for GPUs and for CPUs; None before it has data."""
        if self._ctx_list is None:
            return None
        places: list[list[int | None]] = [[], []]
        for place, context in enumerate(self._ctx_list):
            row = places[context.device_typeid & 1]
            row.extend([None] * (context.device_id + 1 - len(row)))
            row[context.device_id] = place
        return places

    @_ctx_map.setter
    def _ctx_map(self, places: Any) -> None:
        """Subclasses elsewhere take over all that another parameter has; this one follows from the contexts."""

    @property
    def _trainer(self) -> Any:
        """The trainer that updates it, while there is one."""
        return self._trainer_reference and self._trainer_reference()

    @_trainer.setter
    def _trainer(self, trainer: Any) -> None:
        self._set_trainer(trainer)

    def _set_trainer(self, trainer: Any) -> None:
        """Notes which trainer updates it."""
        # The store of a sparse parameter's trainer has its rows: they must live as long as the parameter.
        keeps = self._stype != "default" and trainer is not None
        if keeps and self._trainer is not None and self._trainer is not trainer:
            raise StorageTypeError(
                f"[Parameter {self.name}] Failed to set the trainer because it was already set: its rows are in the "
                f"store of one Trainer, so a {self._stype} Parameter cannot have two. Train it with the first one."
            )
        self._trainer_reference = (lambda: trainer) if keeps else None if trainer is None else weakref.ref(trainer)

    def _tell_trainer(self) -> None:
        """Values were set by hand: a store that keeps weights must have them too."""
        if self._trainer is not None:
            self._trainer._weights_changed(self)

    # -- copies -----------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the trainer, for `copy` and `pickle`."""
        return {**self.__dict__, "_trainer_reference": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._data is not None:
            assert self._ctx_list is not None
            self._data = [data.as_in_context(context) for data, context in zip(self._data, self._ctx_list, strict=True)]
            self._init_grad()
