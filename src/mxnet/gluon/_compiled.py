"""Hybridized networks: tracing a block once, then running its graph as one operator."""

import logging
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from regluon.array.cached_op import CachedOp
from regluon.graph.node import Entry, in_order
from regluon.symbol.functions import inlined
from regluon.symbol.torch_export import with_operators
from regluon.symbol.tracer import Trace
from regluon.tracebacks import LIBRARY, depth_of_user

from ..autograd import is_training
from ..base import MXNetError
from ..context import Context
from ..error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from ..ndarray import NDArray
from ..symbol import Symbol, var
from ._block_inputs import flatten, leaves, mapped
from .parameter import Parameter

__all__ = ["Compiled", "call_key", "infer_parameter_shapes", "raise_as_written", "trace", "warn_untraceable"]

_log = logging.getLogger(__name__)


class _Place(NamedTuple):
    """Where in the nesting of a block's results an output of its graph goes."""

    output: int


Guard: TypeAlias = Callable[[Sequence[NDArray]], tuple[Any, ...]]


class Compiled:
    """A traced block.

    Args:
        symbol: its graph. What is shown and saved of it has operators in place of `autograd.Function`s.
        sources: for each variable of the graph where its array comes from: the place among the data, a parameter, or an
            array that the code mixed in.
        template: the nesting of the results.
        guard: a function of the data whose result must be the same as in the traced call for the graph to be valid.
            None if the graph is valid for all shapes and dtypes.
        flags: options of `hybridize`.
    """

    def __init__(
        self, symbol: Symbol, sources: dict[int, Any], template: Any, guard: Guard | None, flags: Sequence[Any]
    ) -> None:
        self.symbol, self.guard = Symbol(inlined(symbol._heads)), guard
        places: dict[Entry, int] = {}  # an output that is returned twice is one array, as in the code
        for head in symbol._heads:
            places.setdefault(head, len(places))
        parameters = [node.name for node in in_order(places) if type(sources.get(id(node), 0)) is not int]
        self.op = CachedOp(tuple(places), flags, parameters)
        template = mapped(lambda place: _Place(places[symbol._heads[place.output]]), template, _Place)
        self._sources = [sources[id(node)] for node in self.op.inputs]
        self._saved = [(node, sources[id(node)]) for node in in_order(self.symbol._heads) if node.is_variable]
        self._template = template

    def __call__(self, data: Sequence[NDArray], context: Context) -> Any:
        """Runs the graph on data, with the parameters of a context."""
        arrays = [
            data[source] if type(source) is int else source.data(context) if isinstance(source, Parameter) else source
            for source in self._sources
        ]
        results = self.op.run(arrays)
        if type(self._template) is _Place:
            return results[0]
        return mapped(lambda place: results[place.output], self._template, _Place)

    def data_symbols(self) -> list[Symbol]:
        """The variables of the data, in order."""
        places = [(source, node) for node, source in zip(self.op.inputs, self._sources, strict=True)]
        found = sorted((pair for pair in places if type(pair[0]) is int), key=lambda pair: pair[0])
        return [Symbol((Entry(node),)) for _, node in found]

    def arrays(self) -> dict[str, NDArray]:
        """Parameters and constants by the names of their variables, on the CPU: what an export saves."""
        found = {}
        for node, source in self._saved:
            if isinstance(source, Parameter):
                found[node.name] = source._reduce()
            elif isinstance(source, NDArray):
                found[node.name] = source
        return found

    def exported(self) -> tuple[Symbol, dict[str, NDArray]]:
        """The graph and its arrays by name as files contain them: modules of torch are operators there."""
        heads, converted = with_operators(self.symbol._heads)
        symbol = Symbol(heads) if converted or heads != tuple(self.symbol._heads) else self.symbol
        known = set(symbol.list_inputs())
        own = {name: array for name, array in self.arrays().items() if name in known}
        return symbol, {**own, **{name: array for name, array in converted.items() if name in known}}


def whole_graph(symbol: Symbol, sources: dict[int, Any], flags: Sequence[Any]) -> Compiled:
    """A graph that was not traced: its outputs are the results, in a list if there are several."""
    places = [_Place(index) for index in range(len(symbol._heads))]
    return Compiled(symbol, sources, places[0] if len(places) == 1 else places, None, flags)


def call_key(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What calls must have in common to share a graph, besides shapes; None if they cannot have one.

    The nesting of the inputs and everything among them that is no array counts: code may depend on it.
    """
    if not kwargs:
        if all(type(arg) is NDArray for arg in args):
            return len(args)
        if all(type(arg) is NDArray._numpy_type for arg in args):
            return ~len(args)  # a number of its own: the same code computes by other rules
    try:
        key = _key((args, kwargs))
        hash(key)
    except TypeError:
        return None
    return key


def _key(value: Any) -> Any:
    if type(value) in (NDArray, NDArray._numpy_type):
        return type(value)
    if isinstance(value, NDArray):
        raise TypeError("sparse arrays take the way of operators")
    if isinstance(value, (list, tuple)):
        return (type(value), *map(_key, value))
    if isinstance(value, dict):
        return (dict, *((name, _key(item)) for name, item in value.items()))
    return type(value), value


class _Traced(NamedTuple):
    """A block's code, run on symbols.

    Attributes:
        out: what it returned.
        heads: the outputs of its graph.
        sources: see Compiled.
        trace: what is known of the graph.
    """

    out: Any
    heads: list[Entry]
    sources: dict[int, Any]
    trace: Trace


def _run_on_symbols(
    block: Any, args: tuple[Any, ...], kwargs: dict[str, Any], context: Context, infers_only: bool
) -> _Traced:
    dense = [parameter for parameter in block.collect_params().values() if parameter._stype == "default"]
    owners = {id(array): parameter for parameter in dense for array in parameter._data or ()}
    arrays = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, NDArray)]
    sources: dict[int, Any] = {}
    with Trace(context, is_training(), owners, infers_only) as tracing:

        def symbol_for(array: NDArray) -> Symbol:
            place = len(sources)
            symbol = var("data" if len(arrays) == 1 else f"data{place}")
            node = symbol._heads[0].node
            tracing.know(node, array.shape, array.dtype)
            sources[id(node)] = place
            return symbol.as_np_ndarray() if isinstance(array, NDArray._numpy_type) else symbol

        out = block.forward(*mapped(symbol_for, args), **mapped(symbol_for, kwargs))
    heads = [head for leaf in leaves(out) if isinstance(leaf, Symbol) for head in leaf._heads]
    sources.update(tracing.constants)
    sources.update(tracing.parameters)
    return _Traced(out, heads, sources, tracing)


def infer_parameter_shapes(block: Any, args: tuple[Any, ...], kwargs: dict[str, Any], context: Context) -> None:
    """Gives parameters the shapes that data tell.

    Raises:
        MXNetError: the shape of one does not follow.
    """
    for parameter in block.collect_params().values():
        parameter._note_shape()
    _complete_parameters(_run_on_symbols(block, args, kwargs, context, True))


def raise_as_written(block: Any, args: tuple[Any, ...], kwargs: dict[str, Any], context: Context) -> None:
    """Raises what a block's code raises for such inputs, layer by layer; nothing is computed.

    A compiled program knows operators only: this finds the layer that an operator which refused its inputs stands in.
    """
    try:
        _run_on_symbols(block, args, kwargs, context, True)
    except (OpShapeError, OpTypeError, OpIndexError, OpParamError):
        raise
    except Exception as error:  # code that cannot run on symbols: the caller has the error of the operator
        _log.debug("[%s] cannot be run on symbols to find the layer of an error: %s", block.name, error)


def _complete_parameters(traced: _Traced) -> None:
    for parameter, shape in traced.trace.deferred_shapes(traced.heads):
        if shape is None:
            raise MXNetError(f"parameter {parameter.name} is not used in a way that tells its shape")
        parameter.shape = shape


def trace(block: Any, args: tuple[Any, ...], kwargs: dict[str, Any], context: Context) -> Compiled:
    """Runs a block's code on symbols and returns what came out of it; parameters get the shapes that data tell."""
    for parameter in block.collect_params().values():
        parameter._note_shape()
    traced = _run_on_symbols(block, args, kwargs, context, False)
    out, sources = traced.out, traced.sources
    if traced.trace.deferred:
        _complete_parameters(traced)
    for parameter in block.collect_params().values():  # its code may have made parts of it
        parameter._finish_deferred_init()
    heads: list[Entry] = []
    template = mapped(lambda symbol: _placed(symbol, heads), out, Symbol)
    is_numpy = any(isinstance(leaf, Symbol) and leaf._is_numpy for leaf in leaves(out))
    if not heads or any(isinstance(leaf, NDArray) for leaf in leaves(out)):
        raise TypeError(f"its result is {type(out).__name__}; expected what was computed from the inputs")
    known = [node for node in in_order(heads) if node.is_variable]
    missing = [node.name for node in known if id(node) not in sources]
    if missing:
        raise TypeError(f"it uses the symbols {', '.join(missing)}, for which nobody gives arrays")
    compiled = Compiled(Symbol(heads), sources, template, _guard_of(traced.trace), block._flags)
    if is_numpy:
        compiled.op.array_type = NDArray._numpy_type
    # Names of MXNet's: programs save them beside an export, and give them to the SymbolBlock that they load from it.
    block._in_format, block._out_format = None if kwargs else _nesting(args), _nesting(out)
    return compiled


def _guard_of(trace: Trace) -> Guard | None:
    return _specs if trace.reads_shapes else _dtypes if trace.reads_dtypes else None


def _specs(data: Sequence[NDArray]) -> tuple[Any, ...]:
    return tuple((array.shape, array.dtype) for array in data)


def _dtypes(data: Sequence[NDArray]) -> tuple[Any, ...]:
    return tuple(array.dtype for array in data)


def _nesting(value: Any) -> Any:
    """How arrays or symbols are nested, as `flatten` notes it; None if there are other things among them."""
    try:
        return flatten(value, "value")[1]
    except ValueError:
        return None


def _placed(symbol: Symbol, heads: list[Entry]) -> Any:
    first = len(heads)
    heads.extend(symbol._heads)
    places = [_Place(index) for index in range(first, len(heads))]
    return places[0] if len(places) == 1 else places


def warn_untraceable(block: Any, error: Exception) -> None:
    """Says once that a block runs eagerly, why, and where in the user's code the reason lies."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(LIBRARY)]
    where = f" at {own[-1].filename}:{own[-1].lineno}" if own else ""
    reason = str(error).rstrip(".") or type(error).__name__
    if isinstance(error, (AttributeError, NameError, AssertionError)) and frames[-1].filename.startswith(LIBRARY):
        reason += " (a defect of this library: please report it)"
    depth = depth_of_user()
    warnings.warn(
        f"[{block.name}] {type(block).__name__} cannot be compiled and runs as it is written, after hybridize() too: "
        f"{reason}{where}.",
        stacklevel=depth,
    )
