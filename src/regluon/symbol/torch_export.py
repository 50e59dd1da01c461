"""Export symbols as torch modules and programs."""

import contextlib
import functools
import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from os import PathLike, fspath
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import torch

from ..base import MXNetError
from ..compiler.passes.unknown_shapes import fill_unknown_shapes
from ..config import process, switches
from ..context import cpu
from ..formats.atomic import atomic_write
from ..graph.inference import Inference
from ..graph.node import Entry, Node, in_order
from ..ops.params import Training
from ..ops.partial_shapes import is_known
from ..ops.registry import Operator
from ..ops.shape_rules import Spec
from ..ops.signatures import Description, Inferred, Surroundings
from ..scopes import Setting

__all__ = ["load_program", "save_program", "save_tensors", "TracedModule", "is_module", "module_node", "with_operators"]


Array = np.ndarray[Any, Any]


class _GraphModule(torch.nn.Module):
    """Computes a graph in inference, its parameters under their names in the graph.

    Args:
        heads: the graph.
        params: values of its parameters and states.
        inputs: names of its inputs.
        labels: variables that results do not depend on.
    """

    def __init__(
        self,
        heads: Sequence[Entry],
        params: Mapping[str, torch.Tensor],
        inputs: Sequence[str],
        labels: Mapping[str, "_Label"],
    ) -> None:
        super().__init__()
        self._heads, self._inputs, self._labels = tuple(heads), tuple(inputs), labels
        self._order = in_order(heads)
        self._places: dict[str, str] = {}
        for number, name in enumerate(params):
            place = name.replace(".", "_") if name.replace(".", "_").isidentifier() else f"param_{number}"
            self._places[name] = place
            self.register_buffer(place, params[name])

    def forward(self, *given: torch.Tensor) -> Any:
        """The outputs; a single one as itself."""
        fed = dict(zip(self._inputs, given, strict=True))
        for name, place in self._places.items():
            fed[name] = getattr(self, place)
        for name, label in self._labels.items():
            fed[name] = label.zeros(given[0].shape[0])
        values = {(id(node), 0): fed.get(node.name) for node in self._order if node.is_variable}
        results = self._results(self._heads, values)
        return results[0].clone() if len(results) == 1 else tuple(result.clone() for result in results)

    def _results(self, heads: Sequence[Entry], values: dict[tuple[int, int], Any]) -> list[Any]:
        """The outputs of a graph whose variables have values."""
        for node in in_order(heads):
            if not node.is_variable:
                values |= {(id(node), index): value for index, value in enumerate(self._computed(node, values))}
        return [values[id(head.node), head.index] for head in heads]

    def _body(self, heads: Sequence[Entry], tensors: Sequence[torch.Tensor]) -> list[Any]:
        """One run of a body of control flow."""
        variables = [(id(node), 0) for node in in_order(heads) if node.is_variable]
        return self._results(heads, dict(zip(variables, tensors, strict=True)))

    def _computed(self, node: Node, values: Mapping[tuple[int, int], Any]) -> Sequence[torch.Tensor]:
        operator = node.operator
        assert operator is not None
        params = dict(node.params)
        if operator.needs_training:
            params["training"] = False
        if operator.needs_rng:
            params["rng"] = None  # torch's default; the file would contain a generator of ours with its state
        if operator.placed:
            params.setdefault("ctx", cpu())
        if node.subgraphs:
            params["bodies"] = [functools.partial(self._body, body) for body in node.subgraphs]
        found = [values[id(source.node), source.index] for source in node.inputs]
        result = operator.function(*node.arguments(found), **params)
        if operator.auxiliary:
            result = result[0]
        return (result,) if isinstance(result, torch.Tensor) else tuple(result)


class _Label(NamedTuple):
    """A label, of which any value of the right shape will do.

    Attributes:
        rows: its first length, for each of the batch.
        rest: its other lengths.
        dtype: its dtype.
    """

    rows: Fraction
    rest: tuple[int, ...]
    dtype: torch.dtype

    def zeros(self, batch: Any) -> torch.Tensor:
        """Zeros for so many examples."""
        rows = batch * self.rows.numerator // self.rows.denominator
        return torch.zeros((rows, *self.rest), dtype=self.dtype)


def _labels(heads: Sequence[Entry], known: Mapping[str, torch.Tensor], batch: int) -> dict[str, _Label]:
    """The variables without a value, with the shapes that the graph tells."""
    missing = [node for node in in_order(heads) if node.is_variable and node.name not in known]
    if not missing:
        return {}
    dtypes = {name: value.dtype for name, value in known.items()}
    inference = Inference(heads, {name: tuple(value.shape) for name, value in known.items()}, dtypes)
    inference.run()
    found = {}
    for node in missing:
        shape, dtype = inference.shape(Entry(node)), inference.dtype(Entry(node))
        if not shape or not is_known(shape):
            raise MXNetError(
                f"[convert] {node.name} has no value, and nothing tells its shape; expected a value in the file of "
                "parameters, or a graph that ends before its loss, as symbol.get_internals() has it."
            )
        found[node.name] = _Label(Fraction(shape[0], batch), shape[1:], dtype or torch.float32)
    return found


def save_program(
    path: str | PathLike[str],
    heads: Sequence[Entry],
    params: Mapping[str, Array],
    examples: Mapping[str, Array],
    varying_batch: bool = False,
) -> None:
    """Saves a graph as a `.pt2` file, which `torch.export.load` reads.

    Args:
        path: the file.
        heads: the graph.
        params: values of its parameters and states.
        examples: an input of each name, which fixes shapes and dtypes.
        varying_batch: whether the length of the inputs' first axis may differ from run to run.
    """
    tensors = {name: torch.from_numpy(np.array(value)) for name, value in params.items()}
    known = {**tensors, **{name: torch.from_numpy(np.array(value)) for name, value in examples.items()}}
    shapes_of = {name: tuple(value.shape) for name, value in known.items()}
    heads = fill_unknown_shapes(heads, shapes_of, {name: value.dtype for name, value in known.items()})
    given = tuple(known[name] for name in examples)
    labels = _labels(heads, known, max(len(given[0]), 1)) if given else {}
    module = _GraphModule(heads, tensors, list(examples), labels).eval()
    shapes = ({0: torch.export.Dim("batch")},) * len(given) if varying_batch else None
    try:
        # Where torch cannot go on, it prints the whole graph; its error says why.
        shown = contextlib.redirect_stderr(io.StringIO())
        with torch.no_grad(), Setting(switches, as_written=True, autotune=False), shown:
            program = torch.export.export(
                module, given, dynamic_shapes={"given": shapes} if shapes is not None else None, strict=False
            )
    except MXNetError:
        raise
    except Exception as error:  # the exporter raises errors of many classes
        advice = " Try without --dynamic-batch: the sizes are fixed then." if varying_batch else ""
        if "data-dependent" in str(error):
            advice = (
                " Its sizes depend on values, as behind non-maximum suppression. Cut the network before that "
                "(get_internals()), and compute the rest outside of the program."
            )
        raise MXNetError(
            f"[convert] torch.export cannot follow this network: {(str(error) or 'unknown').splitlines()[0]}.{advice}"
        ) from error
    with atomic_write(path, "convert") as file:
        torch.export.save(program, file)


def load_program(path: str | PathLike[str]) -> Callable[[Sequence[Array]], list[Array]]:
    """Load a program that `save_program` wrote; the returned function computes its outputs for inputs in order."""
    module = torch.export.load(fspath(path)).module()

    def run(inputs: Sequence[Array]) -> list[Array]:
        with torch.no_grad():
            results = module(*[torch.from_numpy(np.array(value)) for value in inputs])
        return [each.numpy() for each in ((results,) if isinstance(results, torch.Tensor) else results)]

    return run


def save_tensors(path: str | PathLike[str], arrays: Mapping[str, Array]) -> None:
    """Saves arrays as a state dict of plain tensors, which `torch.load(path, weights_only=True)` reads."""
    with atomic_write(path, "convert") as file:
        torch.save({name: torch.from_numpy(np.array(value)) for name, value in arrays.items()}, file)


class TracedModule(Description):
    """A module at one place of a network.

    Args:
        name: of the block that holds it, for error texts.
        run_module: from tensors, of the inputs, the parameters and the buffers in order, and whether it trains, to its
            results.
        infer: from shapes and dtypes of all these to those of the results.
        specs: those it was traced with.
        counts: how many inputs and parameters together, buffers and results there are.
        program: makes a program of torch.export of it, in predict mode, whose inputs are these.
    """

    def __init__(
        self,
        name: str,
        run_module: Callable[[Sequence[torch.Tensor], bool], Sequence[torch.Tensor]],
        infer: Callable[[Sequence[Spec]], list[Spec]],
        specs: Sequence[Spec],
        counts: tuple[int, int, int],
        program: Callable[[], Any],
    ) -> None:
        self.program = program
        self.name, self._run_module, self._infer, self._specs = name, run_module, infer, list(specs)
        arguments, states, outputs = counts
        self.arguments: tuple[str, ...] = tuple(f"input{place}" for place in range(arguments))
        self.states: tuple[str, ...] = tuple(f"state{place}" for place in range(states))
        self.outputs: tuple[str, ...] = tuple(f"output{place}" for place in range(outputs))

    def infer_shapes(self, arguments: Sequence[tuple[int, ...] | None]) -> Inferred:
        """Runs the module on tensors without data."""
        return self._inferred([(shape, spec[1]) for shape, spec in zip(arguments, self._specs, strict=False)], 0)

    def infer_dtypes(self, arguments: Sequence[torch.dtype | None]) -> Inferred:
        """Runs the module on tensors without data."""
        return self._inferred([(spec[0], dtype) for dtype, spec in zip(arguments, self._specs, strict=False)], 1)

    def _inferred(self, arguments: list[Any], part: int) -> Inferred:
        if any(None in spec for spec in arguments):
            raise MXNetError(f"the inputs of {self.name} are not known yet")
        states = self._specs[len(arguments) :]
        results = self._infer([*arguments, *states])
        return Inferred(*([spec[part] for spec in specs] for specs in (arguments, results, states)))

    def run(self, tensors: Sequence[torch.Tensor], training: bool, surroundings: Surroundings) -> tuple[Any, ...]:
        """Calls the module."""
        return tuple(self._run_module(tensors, training))


# Nodes find their modules by number: parameters of nodes are texts. They hold the modules, this only lists them.
_traced: WeakValueDictionary[str, TracedModule] = WeakValueDictionary()
_numbers = itertools.count()


def _run(
    *data: torch.Tensor, number: str, description: Description, training: Training, surroundings: Surroundings
) -> tuple[Any, None]:
    return description.run(data, training, surroundings), None


# Not among the registered operators: no file may ask for it.
_OPERATOR = Operator(
    *("_torch_module", (), _run),
    free_params=True,
    describes=lambda texts: _traced[texts["number"]],
    auxiliary=lambda num_inputs: (),
)


def module_node(traced: TracedModule, inputs: Sequence[Entry]) -> Node:
    """A node that calls a module."""
    number = str(next(_numbers))
    _traced[number] = traced
    return Node(_OPERATOR, traced.name, {"number": number}, inputs)


def is_module(node: Node) -> bool:
    """Whether a node calls a module of torch."""
    return node.operator is _OPERATOR


def with_operators(heads: Sequence[Entry]) -> tuple[tuple[Entry, ...], dict[str, Any]]:
    """The graph with MXNet's operators in place of modules, which no file can contain, as they predict.

    Returns:
        The outputs of the graph, and the arrays of the variables that came with the operators, by name. The same graph
        if it calls no module.

    Raises:
        MXNetError: a module has operators that MXNet lacks; the text names them.
    """
    order = in_order(heads)
    if not any(map(is_module, order)):
        return tuple(heads), {}
    moved: dict[int, list[Entry]] = {}  # the outputs of a module's operators, or the node that takes a node's place
    variables: dict[str, Node] = {}
    arrays: dict[str, Any] = {}

    def entry_for(entry: Entry) -> Entry:
        found = moved[id(entry.node)]
        return found[entry.index] if is_module(entry.node) else entry._replace(node=found[0].node)

    used: dict[str, int] = {}
    for node in order:
        inputs = [entry_for(source) for source in node.inputs]
        if is_module(node):
            count = used[node.name] = used.get(node.name, -1) + 1
            prefix = f"{node.name}_" + (f"{count}_" if count else "")
            moved[id(node)], own = _converted(node, inputs, prefix, variables)
            arrays |= own
        elif all(after.node is before.node for after, before in zip(inputs, node.inputs, strict=True)):
            moved[id(node)] = [Entry(node)]
        else:
            moved[id(node)] = [Entry(Node(node.operator, node.name, node.attrs, inputs, node.subgraphs))]
    return tuple(entry_for(head) for head in heads), arrays


def _converted(
    node: Node, inputs: Sequence[Entry], prefix: str, variables: dict[str, Node]
) -> tuple[list[Entry], dict[str, Any]]:
    """The outputs of a module's operators on inputs, and its arrays by name."""
    traced = node.params["description"]
    try:
        program = traced.program()
        symbol, *params = process.from_program(program)
    except MXNetError as error:
        text = f"[export] {traced.name} is a module of torch, which no file can contain as it is. {error}"
        raise type(error)(text) from error
    places = {name: place for place, name in enumerate(program.graph_signature.user_inputs)}
    moved: dict[int, Entry] = {}
    for each in in_order(symbol._heads):
        own = each.name.removeprefix("module_")
        if each.is_variable and each.name in places:
            moved[id(each)] = inputs[places[each.name]]
        elif each.is_variable:
            name = f"{traced.name}_{own}"  # a module that is called twice has its parameters once
            moved[id(each)] = Entry(variables.setdefault(name, Node(None, name, each.attrs)))
        else:
            sources = [_at(moved, source) for source in each.inputs]
            moved[id(each)] = Entry(Node(each.operator, prefix + own, each.attrs, sources, each.subgraphs))
    arrays = {
        f"{traced.name}_{name.removeprefix('module_')}": value for found in params for name, value in found.items()
    }
    return [_at(moved, head) for head in symbol._heads], arrays


def _at(moved: dict[int, Entry], entry: Entry) -> Entry:
    found = moved[id(entry.node)]
    return found if entry.node.is_variable else entry._replace(node=found.node)
