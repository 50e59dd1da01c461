"""Tracing: running a network's Python code on symbols that know their shapes.

The code cannot tell such a symbol from an array as long as it does not ask for values: `x.shape`, `x[:, 0]`, `len(x)`
and broadcasting mean what they mean for arrays. Whatever asks for values cannot be traced and says so.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from ..array import NDArray
from ..array.numpy.dispatch import making
from ..base import MXNetError, NotImplementedForSymbol
from ..config import switches
from ..context import Context
from ..dtypes import numpy_type, torch_dtype
from ..errors import DynamicShapeError
from ..graph.inference import Inference, infer_node
from ..graph.node import Entry, Node, in_order, variable
from ..graph.subgraph import MARK
from ..ops.partial_shapes import is_known, is_open_range, resolved
from ..ops.registry import Operator, explained, find
from ..ops.shape_rules import Spec
from ..scopes import finishing
from .attribute_scope import current as current_attributes
from .functions import TracedFunction, function_node
from .graph_builder import Maker, apply_operator, local, outputs_of
from .numpy_composition import composed, outputs_in_list
from .symbol import Symbol
from .torch_export import TracedModule, module_node
from .traced_index import selected

__all__ = ["Trace", "TracedSymbol", "infer_results", "is_inferring", "known_symbol"]


class Trace(Maker):
    """One tracing of a network: what is known of the symbols made in it.

    Args:
        context: where the network will run.
        training: the mode it is traced in.
        owners: the network's parameters by the identities of their arrays, for code that asks for these itself.
        infers_only: whether only shapes are wanted of it: then the code may make arrays and read those it makes.

    Attributes:
        constants: arrays that the code mixed with symbols, by the identity of the variables that stand for them.
        parameters: the network's parameters, likewise.
        deferred: those of them whose shapes were not known before, likewise.
        reads_shapes: whether the code read a shape, so that the graph is valid for the traced shapes only.
        reads_dtypes: whether the code read a dtype, so that the graph is valid for the traced dtypes only.
    """

    def __init__(
        self, context: Context, training: bool, owners: Mapping[int, Any] | None = None, infers_only: bool = False
    ) -> None:
        self.context, self._training, self.infers_only = context, training, infers_only
        self._owners = owners or {}
        self.constants: dict[int, NDArray] = {}
        self.parameters: dict[int, Any] = {}
        self.deferred: dict[int, Any] = {}
        self.reads_shapes = self.reads_dtypes = False
        self.in_function = False  # whether the code of an `autograd.Function` runs
        self._specs: dict[tuple[int, int], Spec] = {}
        self._nodes: dict[int, Node] = {}  # keeps them alive, so that identities stay theirs
        self._unknown: dict[int, Node] = {}  # those whose specs do not follow from their inputs yet, inputs first
        self._learned_late = False  # whether nodes got their specs after their users were made

    def __enter__(self) -> "Trace":
        self._outer, self._outer_creator = local.maker, making.creator
        self._was_tracing = switches.tracing
        local.maker, making.creator, switches.tracing = self, self.created, not self.infers_only
        return self

    __exit__ = property(lambda self: finishing(self._leave()))

    def _leave(self) -> Generator[None, None, None]:
        try:
            yield
        except GeneratorExit:  # the block was never entered
            return
        except BaseException:
            local.maker, making.creator, switches.tracing = self._outer, self._outer_creator, self._was_tracing
            raise
        local.maker, making.creator, switches.tracing = self._outer, self._outer_creator, self._was_tracing

    def make(self, heads: tuple[Entry, ...], is_numpy: bool = False) -> "TracedSymbol":
        """A symbol that knows its shape."""
        for head in heads:
            if id(head.node) not in self._nodes:
                for node in self._new_nodes(head.node):
                    self._learn(node)
        return TRACED_CLASSES[is_numpy](heads, self)

    def created(self, name: str, params: dict[str, Any]) -> Any:
        """What a function of `mx.np` without inputs, such as `np.zeros`, gives: it is made anew in every call."""
        # The network's own context is left out: the graph may run on another one as well.
        given = {key: value for key, value in params.items() if key != "ctx" or value != self.context}
        return composed(name, (), given)

    def _new_nodes(self, node: Node) -> list[Node]:
        """A node and those below it that are not known yet, inputs first: a graph from elsewhere brings many."""
        order: list[Node] = []
        seen: set[int] = set()
        stack = [(node, False)]
        while stack:
            current, inputs_done = stack.pop()
            if inputs_done:
                order.append(current)
            elif id(current) not in self._nodes and id(current) not in seen:
                seen.add(id(current))
                stack.append((current, True))
                stack.extend((source.node, False) for source in current.inputs)
        return order

    def know(self, node: Node, shape: Sequence[int], dtype: Any) -> None:
        """Notes the shape and dtype of a variable."""
        self._nodes[id(node)] = node
        self._specs[id(node), 0] = tuple(shape), torch_dtype(dtype)
        self._learned_late |= id(node) in self._unknown

    def know_like(self, node: Node, entry: Entry, shape_of: Callable[[Sequence[int]], Sequence[int]] | None) -> None:
        """Notes that a variable is like an output, if that is known."""
        spec = self.spec(entry)
        if spec is not None:
            self.know(node, spec[0] if shape_of is None else shape_of(spec[0]), spec[1])

    def _learn(self, node: Node) -> None:
        self._nodes[id(node)] = node
        if self._specs_follow(node):
            self._unknown.pop(id(node), None)
        else:
            self._unknown[id(node)] = node

    def _specs_follow(self, node: Node) -> bool:
        """Infers the specs of a node's outputs from those of its inputs, if they are known."""
        if node.operator is None:
            return (id(node), 0) in self._specs
        if not node.inputs and _is_open(node):
            return (id(node), 0) in self._specs  # from its users
        self._complete(node, node.operator)
        specs = [self._specs.get((id(source.node), source.index)) for source in node.inputs]
        if any(spec is None for spec in specs):
            return False
        try:
            found = infer_node(node, specs, self._training)  # type: ignore[arg-type]
        except DynamicShapeError:
            return False  # only the data will tell
        for index, spec in enumerate(found):
            self._specs[id(node), index] = spec
        return True

    def _complete(self, node: Node, operator: Operator) -> None:
        """Learns the shapes of weights, and of zeros that were made for this node: `zeros((0, 200))` before a RNN."""
        specs = [self.spec(source) for source in node.inputs]
        if all(specs):
            return
        try:
            shapes = operator.completed(
                node.arguments([None if spec is None else spec[0] for spec in specs]), node.params
            )
        except Exception as error:
            given = node.arguments(
                [None if spec is None else torch.empty(spec[0], dtype=spec[1], device="meta") for spec in specs]
            )
            raise explained(operator, given, error) from error
        declared = operator.inputs if operator.describes is None else node.input_names
        found = {declared[position]: shape for position, shape in shapes.items()}
        for name, source, spec in zip(node.input_names, node.inputs, specs, strict=False):
            if spec is None and name in found and not source.node.inputs:
                self._set_shape(source, found[name], operator.name)

    def _set_shape(self, source: Entry, shape: tuple[int, ...], who: str) -> None:
        """Learns the shape of a parameter, or of zeros; refuses one that contradicts what is known of it."""
        parameter = self.deferred.get(id(source.node))
        dtype = source.node.params.get("dtype", torch.float32) if parameter is None else torch_dtype(parameter.dtype)
        if parameter is not None and (known := parameter.shape) is not None:
            fits = len(known) == len(shape) and all(a in (0, -1, b) for a, b in zip(known, shape, strict=True))
            if not fits:
                raise MXNetError(f"[{who}] parameter {parameter.name} has shape {known}; the data ask for {shape}.")
        self._specs[id(source.node), source.index] = shape, dtype
        self._learned_late = True

    def deferred_shapes(self, heads: Sequence[Entry]) -> list[tuple[Any, tuple[int, ...] | None]]:
        """The deferred parameters and their shapes; None where nothing tells.

        Args:
            heads: the results of the network; what they say of the shapes before them counts as well.
        """
        self._learn_users()
        missing = [node_id for node_id in self.deferred if (node_id, 0) not in self._specs]
        if missing and heads:
            nodes = [node for node in in_order(heads) if node.is_variable]
            known = [(node.name, spec) for node in nodes if (spec := self.spec(Entry(node))) is not None]
            shapes, dtypes = {name: spec[0] for name, spec in known}, {name: spec[1] for name, spec in known}
            shapes |= {
                self._nodes[node_id].name: self.deferred[node_id].shape
                for node_id in missing
                if self.deferred[node_id].shape is not None
            }
            inference = Inference(heads, shapes, dtypes, training=self._training)
            inference.run()
            for node_id in missing:
                shape = inference.shape(Entry(self._nodes[node_id]))
                if shape is not None and is_known(shape):
                    self._set_shape(Entry(self._nodes[node_id]), shape, "infer_shape")
        return [
            (parameter, found[0] if (found := self._specs.get((node_id, 0))) is not None else None)
            for node_id, parameter in self.deferred.items()
        ]

    def spec(self, entry: Entry) -> Spec | None:
        """Shape and dtype of an output, if they are known."""
        return self._specs.get((id(entry.node), entry.index))

    def spec_of(self, entry: Entry) -> Spec | None:
        """The same, also from what uses say of zeros that were made without a batch size."""
        if self.spec(entry) is None:
            self._learn_users()
        if self.spec(entry) is None:
            self._learn_from_users(entry)
            self._learn_users()
        return self.spec(entry)

    def _learn_users(self) -> None:
        """Infers what follows from specs that were learned late."""
        if self._learned_late:
            self._learned_late = False
            for node in list(self._unknown.values()):
                self._learn(node)

    def _learn_from_users(self, entry: Entry) -> None:
        """Infers what is unknown below an output, in both directions.

        All of it is kept, and what is known already is not inferred again: a recurrent network asks at every step.
        """
        inference = Inference([entry], training=self._training, known=self._specs)
        if all(node.inputs for node in inference.order):  # no zeros of unknown shape: only the data will tell
            return
        inference.run()
        for node in [entry.node] if inference.assumes else inference.order:
            for output in outputs_of(node):
                shape, dtype = inference.shape(output), inference.dtype(output)
                if self.spec(output) is None and shape is not None and is_known(shape) and dtype is not None:
                    self._specs[id(node), output.index] = shape, dtype
                    self._learned_late = True

    def function(self, function: Any, symbols: Sequence[Any], results: Sequence[Any]) -> Node:
        """The node of an `autograd.Function`.

        Args:
            function: the function.
            symbols: its inputs.
            results: what its `forward` gave on them.
        """
        array_type = NDArray._numpy_type if symbols[0]._is_numpy else NDArray
        specs = [symbol._spec() for symbol in symbols]
        heads = [result._heads[0] for result in results]
        traced = TracedFunction(function, array_type, specs, self.context, heads, infer_results)
        node = function_node(traced, [symbol._heads[0] for symbol in symbols])
        self._nodes[id(node)] = node
        self._specs.update({(id(node), place): result._spec() for place, result in enumerate(results)})
        return node

    def module(self, traced: TracedModule, symbols: "Sequence[TracedSymbol]") -> "list[TracedSymbol]":
        """What a module of torch gives for its inputs, parameters and buffers: the outputs of one node."""
        node = module_node(traced, [symbol._heads[0] for symbol in symbols])
        return [self.make((entry,), symbols[0]._is_numpy) for entry in outputs_of(node)]

    def parameter(self, parameter: Any) -> "TracedSymbol":
        """The variable of a network's parameter."""
        heads = parameter.var()._heads
        node = heads[0].node
        if parameter.shape is not None and is_known(resolved(parameter.shape)):
            self.know(node, parameter.shape, parameter.dtype)
        else:
            self._nodes[id(node)] = node
            self.deferred[id(node)] = parameter
        self.parameters[id(node)] = parameter
        return TRACED_CLASSES[parameter._is_numpy](heads, self)

    def constant(self, array: NDArray) -> "TracedSymbol":
        """A variable that stands for an array from outside: one of a parameter, or else a constant."""
        if id(array) in self._owners:
            return self.parameter(self._owners[id(array)])
        is_numpy = isinstance(array, NDArray._numpy_type)
        for node_id, known in self.constants.items():
            if known is array:
                return self.make((Entry(self._nodes[node_id]),), is_numpy)
        node = variable(f"constant{len(self.constants)}")
        self.know(node, array.shape, array.dtype)
        self.constants[id(node)] = array
        return self.make((Entry(node),), is_numpy)


def infer_results(function: Any, specs: Sequence[Spec], context: Context, is_numpy: bool) -> list[Spec]:
    """Shapes and dtypes of what a function of arrays returns, from those of its inputs."""
    with Trace(context, False, infers_only=True) as trace:
        inputs = []
        for place, (shape, dtype) in enumerate(specs):
            node = variable(f"input{place}")
            trace.know(node, shape, dtype)
            inputs.append(trace.make((Entry(node),), is_numpy))
        results = function(*inputs)
        return [result._spec() for result in (results if isinstance(results, (list, tuple)) else [results])]


def known_symbol(parameter: Any) -> Symbol:
    """The variable of a network's parameter; while the network is traced, its shape is known."""
    if isinstance(local.maker, Trace):
        return local.maker.parameter(parameter)
    symbol: Symbol = parameter.var()
    return symbol


def is_inferring() -> bool:
    """Whether code runs only for the shapes of its results: then it must not change a block."""
    return isinstance(local.maker, Trace) and local.maker.infers_only


def _is_open(node: Node) -> bool:
    """Whether a node without inputs makes an array of a shape that only its uses tell."""
    return is_open_range(node.params) or ("shape" in node.params and not is_known(node.params["shape"]))


class UnknownSpec(NotImplementedForSymbol, AttributeError):
    """A shape that only the data will tell: `hasattr` says so."""


class TracedSymbol(Symbol):
    """A symbol that behaves like the array it stands for, as far as no values are asked for."""

    __slots__ = ("_trace",)
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, heads: Sequence[Entry], trace: Trace) -> None:
        super().__init__(heads)
        self._trace = trace

    def _spec(self) -> Spec:
        found = self._trace.spec_of(self._heads[0]) if len(self._heads) == 1 else None
        if found is None:
            raise UnknownSpec("shape", None)
        return found

    def _known_shape(self) -> tuple[int, ...] | None:
        found = self._trace.spec_of(self._heads[0]) if len(self._heads) == 1 else None
        return None if found is None else found[0]

    def _captured(self, array: Any) -> "TracedSymbol":
        return self._trace.constant(array)

    def _invoke(self, operator: Operator, inputs: Sequence[Any], params: dict[str, Any], out: Any) -> Any:
        """An operator of `mx.nd` met this: it joins the graph."""
        if out is not None:
            raise NotImplementedForSymbol(operator.name, "out=")
        symbols = [self._trace.constant(given) if isinstance(given, NDArray) else given for given in inputs]
        result = apply_operator(operator, operator.name, symbols, dict(params))
        return outputs_in_list(result)

    def _apply_function(self, function: Any, inputs: Sequence[Any]) -> Any:
        """An `autograd.Function` met this: it joins the graph as one node, with the gradient it defines."""
        trace = self._trace
        if any(isinstance(value, Symbol) for value in vars(function).values()):
            raise NotImplementedForSymbol(type(function).__name__, "a Function that was made with an array")
        if MARK in current_attributes().get(None):
            raise NotImplementedForSymbol(type(function).__name__, "a Function inside of control flow")
        symbols = [trace.constant(given) if isinstance(given, NDArray) else given for given in inputs]
        outer, trace.in_function = trace.in_function, True
        try:
            found = function._fresh().forward(*symbols)
        finally:
            trace.in_function = outer
        if outer:  # the gradient is that of the function around it
            return found
        results = list(found) if isinstance(found, (list, tuple)) else [found]
        node = trace.function(function, symbols, results)
        made = [trace.make((entry,), symbols[0]._is_numpy) for entry in outputs_of(node)]
        return type(found)(made) if isinstance(found, (list, tuple)) else made[0]

    # The code of a network may write `x += 1`: what stands for x afterwards is the sum.
    __iadd__, __isub__ = Symbol.__add__, Symbol.__sub__
    __imul__, __itruediv__ = Symbol.__mul__, Symbol.__truediv__

    # -- what arrays have -------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        self._trace.reads_shapes = True
        return self._spec()[0]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def dtype(self) -> Any:
        """Type of the elements."""
        self._trace.reads_dtypes = True
        return numpy_type(self._spec()[1])

    @property
    def context(self) -> Context:
        """Where the network will run."""
        return self._trace.context

    ctx = context

    @property
    def stype(self) -> str:
        """The storage type: dense."""
        return "default"

    @property
    def T(self) -> Any:
        """The axes in reverse order."""
        return self.transpose()

    def as_in_context(self, context: Context) -> "TracedSymbol":
        """Itself: a network runs in one place."""
        return self

    as_in_ctx = as_in_context

    def detach(self) -> Any:
        """The values without their history."""
        return apply_operator(find("BlockGrad"), "stop_gradient", (self,), {})

    def copy(self) -> Any:
        """The values."""
        return apply_operator(find("_copy"), "identity", (self,), {})

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """The values in another shape, given as a tuple or as numbers."""
        if shape:
            kwargs["shape"] = shape[0] if len(shape) == 1 else shape
        return apply_operator(find("Reshape"), "reshape", (self,), kwargs)

    def astype(self, dtype: Any, copy: bool = True, **kwargs: Any) -> Any:
        """The values in another dtype."""
        return super().astype(dtype, **kwargs)

    def broadcast_to(self, shape: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """The values repeated along axes of length 1."""
        return apply_operator(find("broadcast_to"), "broadcast_to", (self,), {"shape": shape}, **kwargs)

    def __len__(self) -> int:
        return len(self._heads) if len(self._heads) != 1 else self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if len(self._heads) != 1:
            return super().__iter__()
        return (self[place] for place in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        """Outputs of an operator that has several; otherwise parts of the data, as with arrays."""
        if len(self._heads) != 1 or isinstance(key, str):
            return super().__getitem__(key)
        return selected(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NotImplementedForSymbol("__setitem__", "x[...] = value")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        # Without this, NumPy would take it for a sequence, and make a node for each of its elements.
        raise NotImplementedForSymbol("__array__", "np.asarray(x)")


# The classes of traced symbols: of arrays of `mx.nd`, and, entered by numpy/traced.py, of `mx.np`.
TRACED_CLASSES: dict[bool, type[TracedSymbol]] = {False: TracedSymbol}
