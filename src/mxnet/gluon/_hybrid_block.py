"""Blocks that can be compiled."""

from collections.abc import Callable
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NoReturn

import mxnet.ndarray as ndarray
import mxnet.symbol as symbol
from regluon.config import process, switches
from regluon.dtypes import dtype_name
from regluon.formats.atomic import together
from regluon.operators import Operators, Result
from regluon.runtime.foreign import conversions, type_name
from regluon.scopes import CollectorPaused
from regluon.symbol.tracer import known_symbol

from ..autograd import is_training
from ..base import MXNetError, NotImplementedForSymbol, any_parameters
from ..context import Context, current_context
from ..error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from ..ndarray import NDArray, save
from ..symbol import Symbol
from ..util import is_np_array
from ._block_base import Block, _SetByInit
from ._block_inputs import leaves
from ._compiled import (
    Compiled,
    call_key,
    infer_parameter_shapes,
    raise_as_written,
    trace,
    warn_untraceable,
)
from ._parameter_dict import ParameterDict
from ._weight_files import is_binding, locate, misfit, plain_text, replace
from .parameter import DeferredInitializationError, ShapeInferenceError

__all__ = ["HybridBlock"]


class ForeignInputError(OpTypeError, ValueError):
    """A block received neither arrays nor symbols: MXNet raised a ValueError there."""


_BACKENDS = (None, "default", "inductor")


class HybridBlock(Block):
    """A block whose computation can be compiled: `hybrid_forward(F, x, ...)` uses operators of `F` only.

    Its parameters arrive in `hybrid_forward` as keyword arguments named like the attributes that hold them.

    Example:
        >>> class Scale(nn.HybridBlock):
        ...     def __init__(self, **kwargs):
        ...         super().__init__(**kwargs)
        ...         with self.name_scope():
        ...             self.weight = self.params.get("weight", shape=(1,), init="ones")
        ...
        ...     def hybrid_forward(self, F, x, weight):
        ...         return F.broadcast_mul(x, weight)
    """

    __module__ = "mxnet.gluon.block"
    _active: bool = _SetByInit()  # type: ignore[assignment]

    _hooks_seen = -1  # value of Block._hook_changes when hooks were last looked for inside
    _is_hooked = False  # whether a block inside has hooks, which want arrays
    _in_format: Any = None  # how inputs and results are nested: noted when the block is traced
    _out_format: Any = None

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None, **unknown: NoReturn) -> None:
        super().__init__(prefix, params, **unknown)
        self._active = False
        self._op_hooks: list[tuple[Callable[..., Any], bool]] = []
        self._flags: list[tuple[str, Any]] = []
        self._backend: str | None = None
        self._backend_opts: dict[str, Any] = {}
        self._clear_cached_op()

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, HybridBlock):
            self._clear_cached_op()

    def _clear_cached_op(self) -> None:
        """Forgets what was compiled, because the block has changed."""
        self._compiled: dict[Any, Compiled | None] = {}  # None stands for what cannot be traced
        self._graph_asked_for: tuple[Any, ...] = ()
        self._hooks_seen = -1

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Makes a block part of this one; it must be a HybridBlock too."""
        if not isinstance(block, HybridBlock):
            raise ValueError(
                f"[{self._name}] children of a HybridBlock must be HybridBlocks; received {type(block).__name__}. Use "
                "nn.Sequential instead of nn.HybridSequential, or derive the child from HybridBlock."
            )
        super().register_child(block, name)
        self._clear_cached_op()

    def hybridize(
        self,
        active: bool = True,
        backend: str | None = None,
        clear: bool = True,
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = 2,
        forward_bulk_size: int | None = None,
        backward_bulk_size: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Asks for compiled execution, of this block and all inside; computes the same either way.

        Args:
            active: whether to compile.
            backend: the compiler: 'default' or None is this library's own; 'inductor' is torch's, for prediction. It
                takes tens of seconds for every network and shape, and needs a C++ compiler. Training, and networks that
                draw random numbers or have control flow, use the default.
            clear: whether to forget what was compiled before.
            static_alloc: noted, as all that follow: they tuned MXNet's own engine.
            static_shape: see above.
            inline_limit: see above.
            forward_bulk_size: see above.
            backward_bulk_size: see above.
            kwargs: options of the backend. `autotune=False` takes the usual kernels; by default those that there are
                for a shape are timed on the first calls, and the best is remembered on disk.
        """
        if backend not in _BACKENDS:
            raise ValueError(
                f"[{self._name}] hybridize: there is no backend {backend!r}; expected one of "
                f"{', '.join(map(repr, _BACKENDS))}."
            )
        if kwargs:
            self._backend_opts = kwargs
        clear = clear or backend != self._backend
        self._active, self._backend = bool(active), backend
        options: dict[str, Any] = {
            "static_alloc": static_alloc,
            "static_shape": static_shape,
            "inline_limit": inline_limit,
        }
        sizes = {"forward_bulk_size": forward_bulk_size, "backward_bulk_size": backward_bulk_size}
        options.update((name, size) for name, size in sizes.items() if size is not None)
        if backend is not None:
            options["backend"] = backend
        if "autotune" in kwargs:
            options["autotune"] = bool(kwargs["autotune"])
        self._flags = list(options.items())
        if clear:
            self._clear_cached_op()
        super().hybridize(active, **options)

    def cast(self, dtype: Any) -> None:
        """Converts all parameters to another dtype."""
        self._clear_cached_op()
        super().cast(dtype)

    # -- compiled execution -----------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        """Runs `forward`, compiled if `hybridize` was called, and the hooks before and after it."""
        if not self._active or self._hooks_inside():
            return Block.__call__(self, *args, **kwargs)
        context = _context_of(args, kwargs)
        if context is None:
            return super().__call__(*args, **kwargs)
        for hook in list(self._forward_pre_hooks.values()):
            hook(self, args)
        try:
            out = self._call_compiled(context, args, kwargs)
        except Exception as error:
            if not locate(self, error):
                raise
            __tracebackhide__ = True
            raise error  # the frames inside are folded away: MXNET_FULL_TRACEBACK=1 shows them
        for hook in list(self._forward_hooks.values()):
            hook(self, args, out)
        return out

    def _hooks_inside(self) -> bool:
        """Whether a block inside has hooks: then this one runs as written, and those inside are compiled."""
        if self._is_hooked or self._hooks_seen != Block._hook_changes:
            self._hooks_seen = Block._hook_changes
            self._is_hooked = _hooked_below(self)
        # Operators of compiled programs check no indices; torch.export sees through what is written only.
        return self._is_hooked or process.check_indices or switches.as_written

    def _call_compiled(self, context: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        key = call_key(args, kwargs)
        if key is None:
            return self._run_as_written(args, kwargs)
        data = args if type(key) is int else _arrays(args, kwargs)
        found = self._compiled.get((is_training(), key), self)
        if isinstance(found, Compiled) and found.guard is not None:
            found = self._compiled.get((is_training(), key, found.guard(data)), self)
        if found is self:
            return self._trace_and_call(key, data, context, args, kwargs)
        if found is None:
            return self._run_as_written(args, kwargs)
        assert isinstance(found, Compiled)
        try:
            return found(data, context)
        except DeferredInitializationError:  # initialized anew since it was traced
            self._clear_cached_op()
            return self._trace_and_call(key, data, context, args, kwargs)
        except (OpShapeError, OpTypeError, OpIndexError, OpParamError) as error:
            raise_as_written(self, args, kwargs, context)
            raise error

    def _trace_and_call(
        self, key: Any, data: Any, context: Context, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        try:
            with CollectorPaused():
                compiled = trace(self, args, kwargs, context)
        except Exception as error:  # whatever user code may raise on symbols; on arrays it may do well
            out = self._run_as_written(args, kwargs)
            self._compiled[is_training(), key] = None
            warn_untraceable(self, error)
            return out
        for callback, monitor_all in self._op_hooks:
            compiled.op.watch_with(callback, monitor_all)
        self._compiled[is_training(), key] = compiled
        if compiled.guard is not None:
            self._compiled[is_training(), key, compiled.guard(data)] = compiled
        return compiled(data, context)

    def _run_as_written(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._compute(args, kwargs) if self._has_own_forward() else self.forward(*args, **kwargs)

    def _has_own_forward(self) -> bool:
        """Whether no subclass has replaced `forward`."""
        return type(self).forward is HybridBlock.forward

    def register_op_hook(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Calls `callback(name, operator, array)` with every result, while it runs compiled; see Block."""
        self._op_hooks.append((callback, monitor_all))
        self._clear_cached_op()
        super().register_op_hook(callback, monitor_all)

    def _traced(self, what: str) -> Compiled:
        """The graph to save: that of predict mode if there is one."""
        predicting = [compiled for key, compiled in self._compiled.items() if compiled is not None and not key[0]]
        found = predicting[-1] if predicting else self._last_compiled()
        if found is None:
            if self._compiled:
                raise MXNetError(f"[{self._name}] {what}: its code cannot be traced, so there is no graph to save.")
            if self._active and self._is_hooked:
                raise RuntimeError(
                    f"[{self._name}] {what}: blocks inside have hooks, so it ran as it is written, and there is no "
                    "graph to save. Call detach() of what register_forward_hook() returned, and the block once more."
                )
            raise RuntimeError(
                f"[{self._name}] Please first call block.hybridize() and then run forward with this block at least "
                f"once before calling {what}."
            )
        return found

    @property
    def _cached_graph(self) -> tuple[Any, ...]:
        """The symbols of the data and of the result, as MXNet's blocks hold them; empty before they are needed."""
        found = self._last_compiled()
        return (found.data_symbols(), found.symbol) if found else self._graph_asked_for

    @property
    def _cached_op(self) -> Any:
        found = self._last_compiled()
        return found.op if found else None

    def _last_compiled(self) -> Compiled | None:
        return next((compiled for compiled in reversed(self._compiled.values()) if compiled is not None), None)

    def _get_graph(self, *args: Any) -> tuple[Any, ...]:
        """The symbols of the data and of the result for inputs like these."""
        context = _context_of(args, {})
        if context is None:
            raise ValueError(f"[{self._name}] received no NDArray; expected inputs like those of a call.")
        compiled = trace(self, args, {}, context)
        self._graph_asked_for = compiled.data_symbols(), compiled.symbol
        return self._graph_asked_for

    def export(self, path: str | PathLike[str], epoch: int = 0, remove_amp_cast: bool = True) -> None:
        """Saves graph and parameters, for SymbolBlock.imports, a Module, or any program that runs MXNet's models.

        Both files change together: a process that dies in between leaves the old ones or the new ones.

        Args:
            path: beginning of the names: `<path>-symbol.json` and `<path>-<epoch>.params` are written.
            epoch: a number for the second file's name.
            remove_amp_cast: leave out the casts that automatic mixed precision put in.
        """
        found, values = self._traced("export").exported()
        states = set(found.list_auxiliary_states())
        arrays = {f"{'aux' if name in states else 'arg'}:{name}": array for name, array in values.items()}
        with together("export"):
            found.save(f"{fspath(path)}-symbol.json", remove_amp_cast)
            save(f"{fspath(path)}-{epoch:04d}.params", arrays)

    def optimize_for(self, x: Any, *args: Any, backend: str | None = None, clear: bool = False, **kwargs: Any) -> None:
        """Compiles the block with a backend, by calling it once.

        Args:
            x: the first input.
            args: further inputs.
            backend: see `hybridize`.
            clear: whether to forget what was compiled before.
            kwargs: further arguments of `hybridize`.
        """
        if not backend:
            raise ValueError(f'[{self._name}] Must specify "backend" to optimize_for.')
        self.hybridize(True, backend, clear, **kwargs)
        self(x, *args)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What a call does, without the hooks of this block."""
        if self._active and self._has_own_forward() and not self._hooks_inside():
            context = _context_of(args, kwargs)
            if context is not None:
                return self._call_compiled(context, args, kwargs)
        return self._compute(args, kwargs)

    def _compute(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Collects the parameters on the context of the data and calls `hybrid_forward`."""
        context = _context_of(args, kwargs)
        if context is None:
            return self._forward_symbolic(args, kwargs)
        if (len(args) != 1 or kwargs) and _has_symbols(args, kwargs):
            raise ValueError(
                f"[{self._name}] received NDArrays and Symbols mixed; expected only NDArrays, to compute, or only "
                "Symbols, to make a graph."
            )
        if context is current_context():
            return self._forward_on(context, args, kwargs)
        with context:  # what hybrid_forward makes, such as F.zeros(...), belongs there too
            return self._forward_on(context, args, kwargs)

    def _forward_on(self, context: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            parameters = {name: parameter.data(context) for name, parameter in self._reg_params.items()}
        except DeferredInitializationError:
            self.infer_shape(*args, **kwargs)
            for parameter in self.params.values():
                parameter._finish_deferred_init()
            parameters = {name: parameter.data(context) for name, parameter in self._reg_params.items()}
        try:
            return self.hybrid_forward(ndarray, *args, **parameters, **kwargs)
        except TypeError as error:
            if is_binding(error):
                raise misfit(self, "hybrid_forward", args, kwargs, parameters) from None
            raise

    def _forward_symbolic(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls `hybrid_forward` on symbols; parameters are variables."""
        if not any(isinstance(leaf, Symbol) for leaf in leaves((args, kwargs))):
            raise ForeignInputError(
                f"[{self._name}] received {', '.join(map(type_name, args)) or 'no inputs'}; expected at least one "
                f"NDArray or Symbol among the inputs.{conversions(args, is_np_array())}"
            )
        parameters = {name: known_symbol(parameter) for name, parameter in self._reg_params.items()}
        with self.name_scope():
            return self.hybrid_forward(symbol, *args, **parameters, **kwargs)

    if TYPE_CHECKING:

        @any_parameters
        def hybrid_forward(self, F: Operators, x: Result) -> Any:
            """The computation, on operators of `F`; written by subclasses, which may take more."""
    else:

        def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            """The computation, on operators of `F`; written by subclasses."""
            raise NotImplementedError(f"[{type(self).__name__}] write a hybrid_forward method.")

    def infer_shape(self, *args: Any, **kwargs: Any) -> None:
        """Finds the shapes of the parameters from inputs, by running the computation on symbols."""
        context = _context_of(args, kwargs) or current_context()
        try:
            infer_parameter_shapes(self, args, kwargs, context)
        except (OpShapeError, OpTypeError, OpParamError, OpIndexError) as error:  # wrong data, not unknown shapes
            if str(error).startswith("["):
                raise
            text = f"[{type(self).__name__} {self._name}] {plain_text(error)}"
            raise replace(error, type(error)(text)) from error
        except RuntimeError as error:  # MXNetError, and reading values that are not there
            if isinstance(error, NotImplementedError) and str(error).startswith("["):
                raise
            raise self._not_inferred(error) from error

    def infer_type(self, *args: Any) -> None:
        """Gives the parameters the dtype of the first input of floating numbers."""
        for leaf in leaves(args):
            if isinstance(leaf, NDArray) and "float" in dtype_name(leaf.dtype):
                self.cast(leaf.dtype)
                return

    def _not_inferred(self, error: Exception) -> MXNetError:
        if isinstance(error, MXNetError) and str(error).startswith("[") and "infer_shape" in str(error):
            return error
        reads_values = isinstance(error, (NotImplementedError, NotImplementedForSymbol))
        reason = (
            "hybrid_forward reads values, and shapes are found without any"
            if reads_values
            else plain_text(error).rstrip(".")
        )
        found = ShapeInferenceError(
            f"[{type(self).__name__} {self._name}] infer_shape: the shapes of its parameters do not follow from the "
            f"data: {reason}. Give the layer its input size (in_units, in_channels, ...), or the parameter its shape."
        )
        return replace(error, found)


def _context_of(args: Any, kwargs: Any) -> Context | None:
    """The context of the arrays among the inputs; None if there are none."""
    if args and isinstance(args[0], NDArray):
        return args[0]._ctx
    for leaf in leaves((args, kwargs)):
        if isinstance(leaf, NDArray):
            return leaf._ctx
    return None


def _has_symbols(args: Any, kwargs: Any) -> bool:
    if not kwargs and all(isinstance(arg, NDArray) for arg in args):  # nearly always
        return False
    return any(isinstance(leaf, Symbol) for leaf in leaves((args, kwargs)))


def _arrays(args: Any, kwargs: Any) -> list[NDArray]:
    return [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, NDArray)]


def _hooked_below(block: Block) -> bool:
    return any(
        child._forward_hooks or child._forward_pre_hooks or _hooked_below(child) for child in block._children.values()
    )
