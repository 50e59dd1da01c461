"""Symbols: graphs that are put together first and computed later."""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..array.expressions import Expressions
from ..base import MXNetError, NotImplementedForSymbol
from ..config import switches
from ..context import Context, current_context
from ..dtypes import FLAG_OF_NAME, dtype_name, numpy_type, torch_dtype
from ..errors import OpTypeError
from ..formats.atomic import atomic_write, open_current
from ..graph.attributes import is_marked, shown, stored
from ..graph.inference import Inference
from ..graph.node import Entry, in_order, replaced, variable, variables
from ..graph.records import from_json, to_json
from ..graph.text import debug_text
from ..runtime.handle import Composable, StorageTypeError
from .attribute_scope import current as current_attributes
from .binder import Sharing, Wanted, bind_arrays, bind_shapes
from .fluent import FluentMethods
from .functions import Expression
from .graph_builder import set_class, symbol_of
from .structure import Shaping, Structure

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Group", "Symbol", "Variable", "fromjson", "load", "load_json", "var"]


class Symbol(Expressions, Expression, Shaping, Structure, FluentMethods, Composable):
    """One or several outputs of a graph.

    Symbols are made with `mx.sym.var` and the functions of `mx.sym`, and computed through `bind`, `eval`, a Module or a
    SymbolBlock.
    """

    __module__ = "mxnet.symbol.symbol"

    __slots__ = ("_heads",)
    __array_priority__: float = 1000.0  # NumPy leaves expressions with symbols to them
    __hash__: ClassVar[None] = None  # type: ignore[assignment]
    _is_numpy: bool = False  # whether it follows NumPy's rules: see numpy/

    def __init__(self, heads: Sequence[Entry] | None) -> None:
        self._heads: tuple[Entry, ...] = tuple(heads or ())

    def __repr__(self) -> str:
        if self.name is None:
            names = ", ".join(str(head.node.name) for head in self._heads)
            return f"<Symbol group [{names}]>"
        return f"<Symbol {self.name}>"

    def _known_shape(self) -> tuple[int, ...] | None:
        """The shape, where it is known already: while a network is traced."""
        return None

    def _captured(self, array: Any) -> Any:
        """What stands for an array in an expression with this symbol."""
        raise TypeError(
            f"[Symbol] received {type(array).__name__} beside a Symbol; expected a Symbol or a number. Arrays enter a "
            "graph through mx.sym.var(name) and bind()."
        )

    # -- structure --------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str | None:
        """The name of its node; None for a group of several."""
        names = {id(head.node): head.node.name for head in self._heads}
        return next(iter(names.values())) if len(names) == 1 else None

    @property
    def handle(self) -> int:
        """A number that tells symbols apart; there is no C handle."""
        return id(self)

    def __len__(self) -> int:
        return len(self._heads)

    def __iter__(self) -> Iterator["Self"]:
        return (symbol_of((head,), self._is_numpy) for head in self._heads)

    def __getitem__(self, index: Any) -> "Self":
        """An output by its index or name, or several by a slice."""
        if isinstance(index, str):
            found = [place for place, name in enumerate(self.list_outputs()) if name == index]
            if len(found) != 1:
                what = "more than one output" if found else "no output"
                raise ValueError(
                    f'[Symbol] {what} matches name "{index}"; the outputs are {", ".join(self.list_outputs()[:20])}.'
                )
            return symbol_of((self._heads[found[0]],), self._is_numpy)
        if isinstance(index, slice):
            heads = self._heads[index]
            if not heads:
                raise IndexError(f"[Symbol] the slice {index} of {len(self)} outputs is empty.")
            return symbol_of(heads, self._is_numpy)
        if not isinstance(index, (int, np.integer)):
            raise TypeError(
                f"[Symbol] received the index {index!r}; expected the number or the name of an output. To slice the "
                "data, use slice(), slice_axis() or take()."
            )
        if not -len(self._heads) <= index < len(self._heads):
            raise IndexError(f"[Symbol] output {index} is out of range: there are {len(self._heads)}.")
        return symbol_of((self._heads[index],), self._is_numpy)

    def list_arguments(self) -> list[str]:
        """Names of the variables that are given: data, weights, labels."""
        return [node.name for node in variables(self._heads).arguments]

    def list_auxiliary_states(self) -> list[str]:
        """Names of the variables that operators update, such as moving averages."""
        return [node.name for node in variables(self._heads).auxiliary]

    def list_inputs(self) -> list[str]:
        """Names of all variables, in the order of the graph."""
        return [node.name for node in in_order(self._heads) if node.is_variable]

    def list_outputs(self) -> list[str]:
        """Names of the outputs."""
        return [head.node.output_name(head.index) for head in self._heads]

    def __copy__(self) -> "Symbol":
        return symbol_of(from_json(to_json(self._heads)), self._is_numpy)

    def __deepcopy__(self, _: Any) -> "Symbol":
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return load_json, (to_json(self._heads),)

    # -- attributes -------------------------------------------------------------------------------------------------

    def attr(self, key: str) -> str | None:
        """An attribute of its node."""
        if not isinstance(key, str):
            raise TypeError(f"[Symbol] attr: received {key!r}; expected the name of an attribute.")
        return None if self.name is None else self.list_attr().get(key)

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """The attributes of its node; of a group, of the first one."""
        if recursive:
            raise DeprecationWarning("[Symbol] list_attr(recursive=True) was replaced by attr_dict().")
        return shown(self._heads[0].node.attrs)

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """The attributes of all nodes that have some."""
        return {node.name: attrs for node in in_order(self._heads) if (attrs := shown(node.attrs))}

    def _set_attr(self, **kwargs: str) -> None:
        """Sets attributes of its node."""
        for key, value in kwargs.items():
            if not isinstance(value, str):
                raise ValueError(f"[Symbol] attribute {key}: received {value!r}; expected text.")
        if self.name is None:
            raise MXNetError("[Symbol] _set_attr: this is a group of several nodes; choose one by index.")
        self._heads[0].node.attrs.update(stored(kwargs))

    # -- inference --------------------------------------------------------------------------------------------------

    def infer_shape(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """Shapes of the arguments, outputs and auxiliary states, from those of some arguments.

        Args:
            args: shapes of the arguments in order, None for unknown ones.
            kwargs: the same by name.

        Returns:
            Three lists of shapes; three Nones if not all follow.
        """
        inference = self._inferred(args, kwargs)
        found = variables(self._heads)
        missing = inference.missing(Entry(node) for node in (*found.arguments, *found.auxiliary))
        if missing or inference.missing(self._heads):
            return None, None, None
        return self._shapes(inference)

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """Like `infer_shape`, with what is known where not all is.

        Unknown lengths are 0 and unknown shapes (); under `mx.util.np_shape`, -1 and None.
        """
        return self._shapes(self._inferred(args, kwargs))

    def _inferred(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Inference:
        shapes = {key: _as_shape(key, value) for key, value in self._by_name(args, kwargs).items()}
        inference = Inference(self._heads, shapes)
        inference.run()
        return inference

    def _by_name(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        if args and kwargs:
            raise ValueError("[Symbol] received arguments by position and by name; expected one way or the other.")
        names = self.list_arguments()
        if len(args) > len(names):
            raise ValueError(f"[Symbol] received {len(args)} arguments; there are {len(names)}.")
        given = dict(zip(names, args, strict=False)) or kwargs
        known = self.list_inputs()
        unknown = sorted(given.keys() - set(known))
        if unknown:
            raise MXNetError(f"[Symbol] received {', '.join(unknown)}; the variables are {', '.join(known)}.")
        return {key: value for key, value in given.items() if value is not None}

    def _shapes(self, inference: Inference) -> tuple[list[Any], list[Any], list[Any]]:
        found = variables(self._heads)
        nothing = None if switches.np_shape else ()  # where () is the shape of a number, it cannot mean "unknown"

        def shown(entry: Entry) -> Any:
            shape = inference.shape(entry)
            return nothing if shape is None else shape

        return (
            [shown(Entry(node)) for node in found.arguments],
            [shown(head) for head in self._heads],
            [shown(Entry(node)) for node in found.auxiliary],
        )

    def infer_type(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """Dtypes of the arguments, outputs and auxiliary states, from those of some arguments; else three Nones."""
        found = self.infer_type_partial(*args, **kwargs)
        return (None, None, None) if any(dtype is None for part in found for dtype in part) else found

    def infer_type_partial(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """Like `infer_type`, with None for what is unknown."""
        given = {key: torch_dtype(value) for key, value in self._by_name(args, kwargs).items()}
        inference = Inference(self._heads, dtypes=given)
        inference.run_dtypes()

        def shown(entry: Entry) -> Any:
            dtype = inference.dtype(entry)
            return None if dtype is None else numpy_type(dtype)

        found = variables(self._heads)
        return (
            [shown(Entry(node)) for node in found.arguments],
            [shown(head) for head in self._heads],
            [shown(Entry(node)) for node in found.auxiliary],
        )

    # -- files ------------------------------------------------------------------------------------------------------

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """The graph as JSON, which MXNet loads.

        Args:
            remove_amp_cast: leave out the casts that automatic mixed precision put in.
        """
        return to_json(_without_amp_casts(self._heads) if remove_amp_cast else self._heads)

    def save(self, fname: str | PathLike[str], remove_amp_cast: bool = True) -> None:
        """Saves the graph to a file."""
        with atomic_write(fname, "Symbol.save") as file:
            file.write(self.tojson(remove_amp_cast).encode())

    def debug_str(self) -> str:
        """The graph as text, to look at."""
        return debug_text(self._heads)

    # -- computation ------------------------------------------------------------------------------------------------

    def simple_bind(
        self,
        ctx: Context | None = None,
        grad_req: Any = "write",
        type_dict: dict[str, Any] | None = None,
        stype_dict: dict[str, str] | None = None,
        group2ctx: dict[str, Context] | None = None,
        shared_arg_names: Sequence[str] | None = None,
        shared_exec: Any = None,
        shared_buffer: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Makes all arrays and returns an Executor.

        Args:
            ctx: where to compute.
            grad_req: what `backward` does with gradients: for all, or a list or dict for each argument.
            type_dict: dtypes of arguments by name.
            stype_dict: storage types of arguments by name.
            group2ctx: contexts by the names of groups: nodes made in `AttrScope(ctx_group=...)` run there.
            shared_arg_names: arguments that must share the memory of `shared_exec`; all that fit by default.
            shared_exec: an executor to share memory with.
            shared_buffer: arrays by name to use where they fit; new ones are put there.
            kwargs: shapes of arguments by name.
        """
        sharing = Sharing(shared_exec, shared_arg_names, shared_buffer)
        wanted = Wanted(kwargs, type_dict or {}, stype_dict or {})
        return bind_shapes(self, _placed(ctx), grad_req, wanted, sharing, group2ctx)

    def bind(
        self,
        ctx: Context | None,
        args: Any,
        args_grad: Any = None,
        grad_req: Any = "write",
        aux_states: Any = None,
        group2ctx: dict[str, Context] | None = None,
        shared_exec: Any = None,
    ) -> Any:
        """Binds arrays to the variables and returns an Executor.

        Args:
            ctx: where to compute.
            args: arrays of the arguments, in order or by name.
            args_grad: arrays for the gradients, in order or by name; those left out get none.
            grad_req: what `backward` does with gradients: for all, or a list or dict for each argument.
            aux_states: arrays of the auxiliary states, in order or by name.
            group2ctx: contexts by the names of groups: nodes made in `AttrScope(ctx_group=...)` run there.
            shared_exec: noted only: memory is shared anyway.
        """
        return bind_arrays(self, _placed(ctx), args, args_grad, grad_req, aux_states, group2ctx)

    def eval(self, ctx: Context | None = None, **kwargs: Any) -> list[Any]:
        """Computes the outputs for arrays given by name."""
        return self.bind(ctx, kwargs).forward()

    def gradient(self, wrt: Sequence[str]) -> "Symbol":
        """Refused, as in MXNet: gradients come from an Executor's backward()."""
        raise MXNetError("[Symbol] gradient is not implemented; use bind(...) and backward(), or autograd.")

    def optimize_for(self, backend: str, args: Any = None, aux: Any = None, ctx: Any = None, **kwargs: Any) -> "Symbol":
        """Refused: there are no compilers from outside; programs are optimized when they are bound."""
        raise MXNetError(f"[Symbol] optimize_for: there is no backend {backend!r}.")

    def get_backend_symbol(self, backend: str) -> "Symbol":
        """Refused: see optimize_for."""
        raise MXNetError(f"[Symbol] get_backend_symbol: there is no backend {backend!r}.")

    def as_nd_ndarray(self) -> "Symbol":
        """Itself: a symbol of the classic interface."""
        return self

    def as_np_ndarray(self) -> Any:
        """The same outputs with NumPy's rules, for `mx.sym.np`."""
        return symbol_of(self._heads, is_numpy=True)

    def _invoke(self, operator: Any, inputs: Sequence[Any], params: dict[str, Any], out: Any) -> Any:
        """An operator of `mx.nd` met a symbol."""
        raise OpTypeError(
            f"[{operator.name}] received a Symbol; functions of mx.nd take NDArrays. Use mx.sym.{operator.name}, or "
            "F in hybrid_forward."
        )


def _only_for_arrays(name: str, alias: str | None = None) -> Any:
    def method(self: Symbol, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedForSymbol(method, alias, *args)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = "Refused: a symbol has no values; they come from `bind` and `eval`."
    return method


for _name in ("asnumpy", "asscalar", "copy", "as_in_context", "detach", "backward", "wait_to_read"):
    setattr(Symbol, _name, _only_for_arrays(_name))
Symbol.__bool__ = _only_for_arrays("__bool__", "bool")  # type: ignore[attr-defined]
set_class(False, Symbol)


def _as_shape(name: str, value: Any) -> tuple[int, ...]:
    if isinstance(value, (tuple, list)) and all(isinstance(length, (int, np.integer)) for length in value):
        return tuple(int(length) for length in value)
    raise TypeError(f"[infer_shape] {name}: received {value!r}; expected a shape, such as (2, 3).")


def _placed(ctx: Context | None) -> Context:
    if ctx is not None and not isinstance(ctx, Context):
        raise TypeError(f"[bind] ctx: received {ctx!r}; expected a Context, such as mx.cpu().")
    return current_context() if ctx is None else ctx


def _without_amp_casts(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    instead: dict[int, Entry] = {}
    for node in in_order(heads):
        if node.op_name == "amp_cast":
            source = node.inputs[0]
            instead[id(node)] = instead.get(id(source.node), source)
    return replaced(heads, instead) if instead else tuple(heads)


def var(
    name: str,
    attr: dict[str, str] | None = None,
    shape: int | Sequence[int] | None = None,
    lr_mult: float | None = None,
    wd_mult: float | None = None,
    dtype: Any = None,
    init: Any = None,
    stype: str | None = None,
    profiler_scope: str | None = None,
    **kwargs: str,
) -> Symbol:
    """A variable: a place for an array.

    Args:
        name: its name.
        attr: attributes, as text.
        shape: its shape, unknown lengths as 0; a number for a row.
        lr_mult: factor of the learning rate.
        wd_mult: factor of the weight decay.
        dtype: type of the elements.
        init: initializer, which takes the place of the network's.
        stype: storage type: 'default', 'row_sparse' or 'csr'.
        profiler_scope: noted only.
        kwargs: further attributes; names begin and end with two underscores.

    Example:
        >>> x = mx.sym.var("data", shape=(2, 3))
        >>> (x + 1).infer_shape()[1]
        [(2, 3)]
    """
    if not isinstance(name, str):
        raise TypeError(f"[var] name: received {name!r}; expected text.")
    attrs = stored(current_attributes().get(attr))
    if shape is not None:
        attrs["__shape__"] = _shape_text(shape)
    for key, factor in (("__lr_mult__", lr_mult), ("__wd_mult__", wd_mult)):
        if factor is not None:
            attrs[key] = str(factor)
    if dtype is not None:
        attrs["__dtype__"] = str(FLAG_OF_NAME[dtype_name(dtype)])
    if init is not None:
        attrs["__init__"] = init if isinstance(init, str) else init.dumps()
    if stype is not None:
        if stype not in _STORAGE_TYPES:
            raise StorageTypeError(
                f"[var] stype: received {stype!r}; expected one of {', '.join(map(repr, _STORAGE_TYPES))}."
            )
        attrs["__storage_type__"] = str(_STORAGE_TYPES[stype])
    for key, value in kwargs.items():
        if not is_marked(key):
            raise ValueError(
                f"[var] received the attribute {key!r}; expected names that begin and end with two underscores."
            )
        attrs[key] = str(value)
    return symbol_of((Entry(variable(name, attrs)),))


def _shape_text(shape: Any) -> str:
    """A shape as the graph's file holds it: a number, or a tuple or list of numbers."""
    if isinstance(shape, (int, np.integer)):
        return str(int(shape))
    if isinstance(shape, (tuple, list)) and all(isinstance(length, (int, np.integer)) for length in shape):
        return str(type(shape)(int(length) for length in shape))
    raise TypeError(f"[var] shape: received {shape!r}; expected a shape, such as (2, 3).")


Variable = var
_STORAGE_TYPES = {"undefined": -1, "default": 0, "row_sparse": 1, "csr": 2}


def Group(symbols: Sequence[Symbol], create_fn: Any = Symbol) -> Symbol:
    """One symbol with the outputs of several.

    Args:
        symbols: one or more.
        create_fn: the class of the result.

    Example:
        >>> x = mx.sym.var("x")
        >>> mx.sym.Group([mx.sym.relu(x, name="a"), mx.sym.exp(x, name="b")]).list_outputs()
        ['a_output', 'b_output']
    """
    symbols = list(symbols)
    if not symbols or any(not isinstance(symbol, Symbol) for symbol in symbols):
        raise TypeError(f"[Group] received {symbols!r}; expected one Symbol or more.")
    is_numpy = getattr(create_fn, "_is_numpy", False)
    return symbol_of([head for symbol in symbols for head in symbol._heads], is_numpy)


def load(fname: str | PathLike[str]) -> Symbol:
    """Loads a graph from a file, of any version of MXNet."""
    with open_current(fname) as file:
        return load_json(file.read())


def load_json(json_str: str | bytes) -> Symbol:
    """The graph in JSON text, of any version of MXNet."""
    if not isinstance(json_str, (str, bytes)):
        raise TypeError(f"[load_json] received {type(json_str).__name__}; expected JSON text.")
    return symbol_of(from_json(json_str))


fromjson = load_json
