"""A block made from a graph."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from regluon.config import switches
from regluon.dtypes import dtype_name, numpy_type, torch_dtype
from regluon.formats.atomic import read_together
from regluon.graph.dtype_inference import input_dtype
from regluon.graph.inference import Inference
from regluon.graph.node import Entry, Node, in_order, variables
from regluon.operators import Result
from regluon.symbol.tracer import is_inferring, known_symbol

from ..base import MXNetError
from ..context import cpu
from ..error import OpShapeError
from ..ndarray import NDArray
from ..symbol import Group, Symbol, load, var
from ._block_inputs import flatten, leaves, regroup
from ._compiled import Compiled, whole_graph
from ._hybrid_block import HybridBlock
from ._parameter_dict import ParameterDict
from ._parameter_support import ParameterError
from .parameter import DeferredInitializationError, Parameter

__all__ = ["SymbolBlock"]

_ROW_SPARSE = "1"  # as graphs write it


class GraphError(MXNetError, ValueError, AssertionError):
    """A graph, or what was named as its inputs, cannot be a block: MXNet raised an AssertionError there."""


class SymbolBlock(HybridBlock):
    """A block that computes a graph: one that was put together with symbols, or that a file holds.

    All variables of the graph but the inputs are its parameters, under their own names.

    Args:
        outputs: a Symbol or a list of them, which may be nested: the results are nested alike.
        inputs: the variables that data are given for, in order.
        params: parameters that take the place of variables of the same name.

    Example:
        >>> net = gluon.SymbolBlock.imports("model-symbol.json", ["data"], "model-0000.params")
        >>> net(batch)
    """

    __module__ = "mxnet.gluon.block"

    @staticmethod
    def imports(
        symbol_file: str | PathLike[str],
        input_names: str | Sequence[str],
        param_file: str | PathLike[str] | None = None,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> "SymbolBlock":
        """A block from the files of `export`, or of `save_checkpoint`.

        Args:
            symbol_file: the graph.
            input_names: names of the variables that data are given for.
            param_file: the parameters; left uninitialized by default.
            ctx: where to put them; the CPU by default.
            allow_missing: leave parameters that the file lacks uninitialized.
            ignore_extra: ignore what the graph lacks.

        Example:
            >>> net = nn.Dense(2)
            >>> net.initialize()
            >>> net.hybridize()
            >>> _ = net(nd.ones((1, 3)))
            >>> files = net.export("dense")
            >>> again = gluon.SymbolBlock.imports("dense-symbol.json", ["data"], "dense-0000.params")
            >>> again(nd.ones((4, 3))).shape
            (4, 2)
        """
        names = [input_names] if isinstance(input_names, str) else list(input_names)

        def read() -> SymbolBlock:
            symbol = load(symbol_file)
            block = SymbolBlock(symbol, [var(name) for name in names])
            if param_file is None:
                return block
            where = cpu() if ctx is None else ctx
            try:
                block.load_parameters(param_file, where, allow_missing, ignore_extra, True, dtype_source="saved")
            except ParameterError as error:
                unknown = ", ".join(map(repr, sorted({*names}.difference(symbol.list_inputs()))))
                if not unknown:
                    raise
                raise ParameterError(
                    f"{error}\nThe graph has no variable {unknown}, which input_names has; what the file misses may be "
                    "the graph's real inputs."
                ) from None
            return block

        return read_together([symbol_file] if param_file is None else [symbol_file, param_file], read)

    def __init__(self, outputs: Any, inputs: Any, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=None, params=None)
        self._prefix, self._params = "", ParameterDict("", params)
        self._params._owner = f"{type(self).__name__} {self._name}"
        if isinstance(outputs, (list, tuple)) and len(outputs) == 1:
            outputs = outputs[0]
        symbols, self._out_format = flatten(outputs, "outputs")
        self._symbol = symbols[0] if len(symbols) == 1 else Group(symbols)
        given = [inputs] if isinstance(inputs, Symbol) and len(inputs._heads) == 1 else list(inputs)
        self._input_names = [_input_name(symbol) for symbol in given]
        self._in_format = flatten(given, "inputs")[1]
        self._check_inputs()
        found = variables(self._symbol._heads)
        _expect_dense(found.arguments)
        for node in found.arguments:
            if node.name not in self._input_names:
                self._params.get(node.name, allow_deferred_init=True, dtype=_dtype(node))
        for node in found.auxiliary:
            if node.name not in self._input_names:
                self._params.get(node.name, grad_req="null", allow_deferred_init=True, dtype=_dtype(node))
        prefix = _common_prefix(list(self._params))
        self._reg_params = {name[len(prefix) :]: parameter for name, parameter in self._params.items()}
        self._make_graph()

    def _check_inputs(self) -> None:
        known = {node.name: node for node in in_order(self._symbol._heads)}
        for name in self._input_names:
            if name in known and not known[name].is_variable:
                raise GraphError(
                    f"[SymbolBlock] input {name!r} is a {known[name].op_name}; expected a variable, made with "
                    "mx.sym.var(name)."
                )

    def _make_graph(self) -> None:
        places = {name: place for place, name in enumerate(self._input_names)}
        self._sources = {
            id(node): places[node.name] if node.name in places else self._params[node.name]
            for node in in_order(self._symbol._heads)
            if node.is_variable
        }
        self._graph = whole_graph(self._symbol, self._sources, self._flags)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n{self._symbol!r} : {len(self._input_names)} -> {len(self._symbol._heads)}\n)"

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        """Computes the graph, with the hooks before and after it."""
        return super(HybridBlock, self).__call__(*args, **kwargs)

    def forward(self, x: Any, *args: Any) -> Any:
        """Computes the graph on arrays; on symbols, puts them in the place of the inputs."""
        given = [leaf for leaf in leaves((x, *args)) if leaf is not None]
        if len(given) != len(self._input_names):
            raise ValueError(
                f"[{self._name}] received {len(given)} inputs; expected {len(self._input_names)}: "
                f"{', '.join(self._input_names)}."
            )
        if isinstance(x, Symbol) or any(isinstance(each, Symbol) for each in given):
            return self._nested(self._composed(given))
        context = given[0].context
        self._graph.op.array_type = given[0]._result_type  # its results are arrays of the kind of its inputs
        try:
            return self._nested(self._graph(given, context))
        except DeferredInitializationError:
            self.infer_shape(*given)
            for parameter in self._params.values():
                parameter._finish_deferred_init()
            return self._nested(self._graph(given, context))

    def _nested(self, results: Any) -> Any:
        """The results in the nesting of the outputs; one array or a flat row of them are so already."""
        if not isinstance(self._out_format, list):
            return results
        return regroup([results] if isinstance(results, NDArray) else list(results), self._out_format)

    def _composed(self, given: Sequence[Symbol]) -> Symbol:
        """The graph on other symbols; in a network that is traced, with its parameters known to the trace."""
        instead: dict[str, Any] = dict(zip(self._input_names, given, strict=True))
        if switches.tracing or is_inferring():
            instead.update({name: known_symbol(parameter) for name, parameter in self._params.items()})
        composed: Symbol = self._symbol(**instead)
        return composed.as_np_ndarray() if any(symbol._is_numpy for symbol in given) else composed

    def cast(self, dtype: Any) -> None:
        """Converts all parameters to another dtype, but for those that stay in single precision beside half."""
        super().cast(dtype)
        data = torch_dtype(dtype)
        for node in in_order(self._symbol._heads):
            if node.operator is None:
                continue
            taken = input_dtype(node.operator, node.params, data, is_first=False)
            for source in node.inputs[1:]:
                if taken is not data and source.node.name in self._params:
                    self._params[source.node.name].cast(dtype_name(taken))

    def infer_shape(self, *args: Any, **kwargs: Any) -> None:
        """Finds the shapes of the parameters from those of the inputs."""
        self._inferred(args)

    def _inferred(self, given: Sequence[NDArray]) -> Inference:
        """What the inputs tell of the graph; parameters whose shapes were unknown have them from then on."""
        shapes, dtypes = {}, {}
        for name, array in zip(self._input_names, given, strict=True):
            shapes[name], dtypes[name] = tuple(array.shape), torch_dtype(array.dtype)
        for name, parameter in self._params.items():
            dtypes[name] = torch_dtype(parameter.dtype)
            if parameter.shape:
                shapes[name] = parameter.shape
        inference = Inference(self._symbol._heads, shapes, dtypes)
        inference.run()
        missing = []
        for node in self._graph.op.inputs:
            source = self._sources[id(node)]
            if isinstance(source, Parameter):
                shape = inference.shape(Entry(node))
                if inference.missing([Entry(node)]):
                    missing.append(node.name)
                elif shape is not None:
                    source.shape = shape
        if missing:
            raise OpShapeError(
                f"[{self._name}] infer_shape: the shapes of {', '.join(missing)} do not follow from the inputs. Load "
                "the parameters, or give the variables their shapes: mx.sym.var(name, shape=...)."
            )
        return inference

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Not used: the graph takes its place."""
        raise NotImplementedError(f"[{self._name}] a SymbolBlock has a graph instead of hybrid_forward.")

    def _clear_cached_op(self) -> None:
        super()._clear_cached_op()
        if hasattr(self, "_symbol"):
            self._make_graph()

    def _traced(self, what: str) -> Compiled:
        return self._graph


def _input_name(symbol: Any) -> str:
    if not isinstance(symbol, Symbol) or len(symbol._heads) != 1:
        raise GraphError(f"[SymbolBlock] inputs: received {symbol!r}; expected variables, made with mx.sym.var(name).")
    node = symbol._heads[0].node
    if not node.is_variable:
        raise GraphError(
            f"[SymbolBlock] input {node.name!r} is a {node.op_name}; expected a variable, made with mx.sym.var(name)."
        )
    return node.name


def _expect_dense(arguments: Sequence[Node]) -> None:
    """Refuses row_sparse variables: a trainer's store keeps their rows, and a graph has no way to ask for them."""
    for node in arguments:
        if node.attrs.get("__storage_type__") == _ROW_SPARSE:
            raise GraphError(
                f"[SymbolBlock] variable {node.name} has the storage type 'row_sparse'; expected 'default'. Make it "
                "with mx.sym.var(name) and fill it with a dense array."
            )


def _dtype(node: Any) -> Any:
    found = Inference([Entry(node)]).dtype(Entry(node))
    return np.float32 if found is None else numpy_type(found)


def _common_prefix(names: list[str]) -> str:
    """What all names begin with, up to an underscore: `save_parameters` leaves it out."""
    if not names:
        return ""
    first, last = min(names), max(names)
    length = 0
    while length < min(len(first), len(last)) and first[length] == last[length]:
        length += 1
    return first[: first.rfind("_", 0, length) + 1] if length else ""
