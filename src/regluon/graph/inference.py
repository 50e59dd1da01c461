"""Infer shapes and dtypes of a graph in both directions."""

from collections.abc import Iterable, Mapping, Sequence

import torch

from ..base import MXNetError
from ..dtypes import NAME_OF_TORCH, torch_dtype
from ..errors import DynamicShapeError, OpShapeError, OpTypeError
from ..ops.inference import infer
from ..ops.partial_shapes import (
    Mismatch,
    Shape,
    agreed,
    filled,
    has_axes,
    is_known,
    is_open_range,
    joined,
    read_shape,
    resolved,
    stretched,
    unknown,
)
from ..ops.registry import Operator
from ..ops.shape_rules import Spec
from ..ops.signatures import Wiring, item_shape
from .attributes import read_dtype
from .dtype_inference import data_dtype, dtype_before, dtypes_around, input_dtype, output_dtypes, shapes_around
from .node import Entry, Node, in_order, in_order_above

_STAND_INS = (1009, 2003)  # for unknown lengths: large enough for any window, and without common factors


class Inference:
    """What is known of every output in a graph.

    Args:
        heads: the graph.
        shapes: shapes of variables by name, unknown lengths as 0.
        dtypes: dtypes of variables by name.
        training: the mode operators run in.
        known: outputs that are known already, by the identity of their node and their index; what lies below them is
            left out.

    Attributes:
        order: the nodes, inputs first.
        assumes: whether the dtype of a variable was not given, and is taken to be float32.
    """

    def __init__(
        self,
        heads: Sequence[Entry],
        shapes: Mapping[str, Shape] | None = None,
        dtypes: Mapping[str, torch.dtype] | None = None,
        training: bool = False,
        known: Mapping[tuple[int, int], Spec] | None = None,
    ) -> None:
        self.order = in_order(heads) if known is None else in_order_above(heads, known)
        self._training = training
        self._shapes: dict[tuple[int, int], Shape] = {}
        self._dtypes: dict[tuple[int, int], torch.dtype] = {}
        self._finished: set[int] = set()
        self._changed = False
        self.assumes = False
        for node in self.order:
            if node.is_variable:
                self._start(node, (shapes or {}).get(node.name), (dtypes or {}).get(node.name))
        if known is not None:
            sources = {(id(source.node), source.index) for node in self.order for source in node.inputs}
            for key in sources.intersection(known):
                self._shapes[key], self._dtypes[key] = resolved(known[key][0]), known[key][1]

    def _start(self, node: Node, shape: Shape | None, dtype: torch.dtype | None) -> None:
        written = node.attrs.get("__shape__")
        if shape is None and written:
            shape = read_shape(written)
        if dtype is None and (name := read_dtype(node.attrs)):
            dtype = torch_dtype(name)
        if shape is not None:
            self._shapes[id(node), 0] = resolved(shape)
        if dtype is not None:
            self._dtypes[id(node), 0] = dtype

    def shape(self, entry: Entry) -> Shape | None:
        """The shape of an output, as far as it is known."""
        return self._shapes.get((id(entry.node), entry.index))

    def dtype(self, entry: Entry) -> torch.dtype | None:
        """The dtype of an output."""
        return self._dtypes.get((id(entry.node), entry.index))

    # -- dtypes -----------------------------------------------------------------------------------------------------

    def run_dtypes(self) -> None:
        """Finds dtypes alone, without shapes."""
        self._changed = True
        while self._changed:
            self._changed = False
            for node in self.order:
                self._dtypes_forward(node)
            for node in reversed(self.order):
                self._dtypes_backward(node)

    def _dtypes_forward(self, node: Node) -> None:
        if node.operator is None:
            return
        if node.subgraphs and node.operator.wiring is not None:
            self._dtypes_of_bodies(node, node.operator.wiring(node.params))
            return
        if node.operator.describes is not None:
            for entry, dtype in dtypes_around(node, [self.dtype(source) for source in node.inputs]):
                self._set_dtype(entry, dtype)
            return
        data = self._data_dtype(node, node.operator)
        for index, found in enumerate(output_dtypes(node.operator, node.params, data, node.num_outputs)):
            self._set_dtype(Entry(node, index), found)

    def _data_dtype(self, node: Node, operator: Operator) -> torch.dtype | None:
        """The dtype that the inputs of a node share; variables of unknown dtype receive it."""
        rule = operator.dtypes
        names = node.input_names or operator.inputs * len(node.inputs)
        shared = [source for name, source in zip(names, node.inputs, strict=False) if name not in rule.free]
        for name, source in zip(names, node.inputs, strict=False):
            dtype = (rule.fixed or {}).get(name)
            if dtype is not None and source.node.is_variable and self.dtype(source) is None:
                self._set_dtype(source, dtype)
        known = [found for source in shared if (found := self.dtype(source)) is not None]
        if (operator.alike or operator.broadcasts) and len(set(known)) > 1 and rule.mixed is None:
            listed = ", ".join(f"{s.node.name} {NAME_OF_TORCH[d]}" for s in shared if (d := self.dtype(s)) is not None)
            raise OpTypeError(
                f"[infer_type] node {node.name!r} ({node.op_name}): its inputs have the dtypes {listed}; expected "
                "equal ones. Convert one with cast()."
            )
        first = known[0] if known else None
        for place, source in enumerate(shared):
            if source.node.is_variable and self.dtype(source) is None:
                self._set_dtype(source, input_dtype(operator, node.params, first, place == 0))
        if first is None and shared:
            return self.dtype(shared[0])
        return data_dtype(operator, known)

    def _dtypes_backward(self, node: Node) -> None:
        operator = node.operator
        if operator is None or not operator.alike:
            return
        found = dtype_before(operator, node.params, self.dtype(Entry(node, 0)))
        for source in node.inputs:
            self._set_dtype(source, found)

    def _set_dtype(self, entry: Entry, dtype: torch.dtype | None) -> None:
        key = (id(entry.node), entry.index)
        if dtype is not None and key not in self._dtypes:
            self._dtypes[key], self._changed = dtype, True

    # -- shapes -----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Finds shapes, and the dtypes that follow with them."""
        self.run_dtypes()
        for node in self.order:  # whatever nothing speaks of is a single-precision number
            if node.is_variable and (id(node), 0) not in self._dtypes:
                self._dtypes[id(node), 0], self.assumes = torch.float32, True
        self.run_dtypes()
        self._changed = True
        while self._changed:
            self._changed = False
            for node in self.order:
                self._forward(node)
            for node in reversed(self.order):
                self._relate(node)

    def _forward(self, node: Node) -> None:
        operator = node.operator
        if operator is None or id(node) in self._finished:
            return
        if node.subgraphs and operator.wiring is not None:
            self._shapes_of_bodies(node, operator.wiring(node.params))
            return
        if operator.describes is not None:
            for entry, shape, role in shapes_around(node, [self.shape(source) for source in node.inputs]):
                self._set_shape(entry, shape, node, role)
            return
        self._complete(node, operator)
        self._relate(node)
        shapes = [self.shape(source) for source in node.inputs]
        if not all(has_axes(shape) for shape in shapes):
            return
        asked = resolved(node.params.get("shape") or ()) if not node.inputs and "shape" in operator.params else None
        if is_open_range(node.params):
            self._set_shape(Entry(node), (unknown(),), node)
        elif asked is not None and not is_known(asked):
            self._set_shape(Entry(node), asked, node)  # the rest follows from its users
        elif all(is_known(shape) for shape in shapes):
            self._finished.add(id(node))
            try:
                found = self._run(node, operator, shapes)  # type: ignore[arg-type]
            except DynamicShapeError:
                return  # it depends on the data
            for index, (shape, dtype) in enumerate(found):
                self._set_shape(Entry(node, index), shape, node)
                self._dtypes[id(node), index] = dtype
        else:
            for index, shape in enumerate(self._try_out(node, operator, shapes)):  # type: ignore[arg-type]
                self._set_shape(Entry(node, index), shape, node)

    def _complete(self, node: Node, operator: Operator) -> None:
        """Completes the shapes of learnable inputs from the data's."""
        if operator.completes is None or not node.inputs or all(is_known(self.shape(source)) for source in node.inputs):
            return
        data = self.shape(node.inputs[0])
        if data is None or not data:
            return
        found: dict[str, Shape] = {}
        params = operator.full_params(node.params)
        for stand_in in _STAND_INS:
            length = stand_in * max(1, params.get("num_group", 1))  # channels that can be dealt out to groups
            try:
                weights = operator.completes(filled(data, length), **params)
            except Exception as error:  # rules index shapes of any number of axes with parameters of any value
                if is_known(data):
                    raise self._fault(
                        node, f"input {node.inputs[0].node.name} has the shape {data}: {error}"
                    ) from error
                return
            found = {name: agreed(found.get(name), shape) for name, shape in weights.items()}
        for name, source in zip(node.input_names, node.inputs, strict=False):
            if name in found and not is_known(self.shape(source)):  # whether others fit, the operator itself says
                self._set_shape(source, found[name], node, name)

    def _relate(self, node: Node) -> None:
        """Completes the shapes of inputs and outputs from each other."""
        if node.operator is None or not node.inputs:
            return
        entries = [*node.inputs, *(Entry(node, index) for index in range(node.num_outputs))]
        shapes = [self.shape(entry) for entry in entries]
        count = len(node.inputs)
        try:
            found = node.operator.implied_shapes(shapes[:count], shapes[count:], node.params)
        except Mismatch as error:
            given = ", ".join(f"{s.node.name} {shape}" for s, shape in zip(node.inputs, shapes, strict=False))
            raise self._fault(node, f"its inputs have the shapes {given}; expected {error}") from None
        except ValueError:
            return  # once its inputs are known, the operator itself says what is wrong
        if all(is_known(shape) for shape in shapes):
            return
        for entry, shape in zip(entries, found, strict=False):
            if shape is not None:
                self._set_shape(entry, shape, node)

    def _run(self, node: Node, operator: Operator, shapes: Sequence[Shape]) -> list[Spec]:
        dtypes = [self.dtype(source) or torch.float32 for source in node.inputs]
        if self.assumes:
            names, taken = node.input_names or operator.inputs * len(node.inputs), operator.dtypes.takes or {}
            dtypes = [taken.get(n, d) if d is torch.float32 else d for n, d in zip(names, dtypes, strict=False)]
        specs = list(zip(shapes, dtypes, strict=True))
        try:
            return infer(operator, node.arguments(specs), node.params, self._training)
        except MXNetError as error:
            raise type(error)(f"{error} In the graph this is node {node.name!r}.") from error

    def _try_out(self, node: Node, operator: Operator, shapes: Sequence[Shape]) -> list[Shape]:
        """The shapes of the outputs with two numbers in place of unknown lengths; where they agree, they are known."""
        if operator.broadcasts:
            shape = stretched(*shapes)
            return [] if shape is None else [shape]
        found: list[Shape] = []
        for stand_in in _STAND_INS:
            try:
                trial = [shape for shape, _ in self._run(node, operator, [filled(shape, stand_in) for shape in shapes])]
            except MXNetError:
                return []  # it may still fit once the lengths are known
            found = [agreed(a, b) for a, b in zip(found, trial, strict=True)] if found else trial
        if operator.trial_filter is None:
            return found
        return operator.trial_filter(operator.full_params(node.params), shapes, found)

    def _set_shape(self, entry: Entry, shape: Shape, node: Node, role: str = "") -> None:
        key = (id(entry.node), entry.index)
        before = self._shapes.get(key)
        if shape and min(shape) < unknown():
            what = "output" if entry.node is node else f"input {role or entry.node.name}"
            raise self._fault(node, f"its {what} would have the shape {shape}; expected no negative length")
        try:
            after = joined(before, shape)
        except ValueError:
            if entry.node is node:
                what = f"its output would have the shape {before} by its users, {shape} by its inputs"
            else:
                what = f"input {role or entry.node.name} has the shape {before}; expected {shape}"
            raise self._fault(node, what) from None
        if after is not None and after != before:
            self._shapes[key], self._changed = after, True

    def _fault(self, node: Node, what: str) -> MXNetError:
        return OpShapeError(f"[infer_shape] node {node.name!r} ({node.op_name}): {what}.")

    def missing(self, entries: Iterable[Entry]) -> list[str]:
        """Names of those whose shape is not fully known."""
        return [entry.node.name for entry in entries if not is_known(self.shape(entry))]

    # -- bodies -----------------------------------------------------------------------------------------------------

    def _dtypes_of_bodies(self, node: Node, wires: Wiring) -> None:
        for place, (body, sources) in enumerate(zip(node.subgraphs, wires.sources, strict=True)):
            inside = [each for each in in_order(body) if each.is_variable]
            inputs = [node.inputs[source] for source in sources]
            given = {v.name: d for v, s in zip(inside, inputs, strict=True) if (d := self.dtype(s)) is not None}
            inference = Inference(body, dtypes=given)
            inference.run_dtypes()
            for variable, source in zip(inside, inputs, strict=True):
                self._set_dtype(source, inference.dtype(Entry(variable)))
            if place in wires.main:
                for index, head in enumerate(body):
                    self._set_dtype(Entry(node, index), inference.dtype(head))

    def _shapes_of_bodies(self, node: Node, wires: Wiring) -> None:
        for place, (body, sources) in enumerate(zip(node.subgraphs, wires.sources, strict=True)):
            inside = [each for each in in_order(body) if each.is_variable]
            shapes, dtypes = {}, {}
            for variable, source in zip(inside, sources, strict=True):
                shape = self.shape(node.inputs[source])
                if shape is not None and has_axes(shape):
                    shapes[variable.name] = item_shape(shape) if source < wires.num_sliced else shape
                dtypes[variable.name] = self.dtype(node.inputs[source]) or torch.float32
            inference = Inference(body, shapes, dtypes, self._training)
            inference.run()
            for variable, source in zip(inside, sources, strict=True):
                found = inference.shape(Entry(variable))
                if found is not None and has_axes(found):
                    self._set_input(node, source, found, sliced=source < wires.num_sliced)
            if place in wires.main:
                self._take_results(node, wires, body, inference)

    def _set_input(self, node: Node, source: int, found: Shape, sliced: bool) -> None:
        """Passes the shape of a body's variable on to the input it comes from."""
        entry = node.inputs[source]
        if not sliced:
            self._set_shape(entry, found, node)
            return
        before = self.shape(entry)
        if before is not None and len(before) != 1:  # slices of a row have the shape (1,), not ()
            self._set_shape(entry, (before[0] if before else unknown(), *found), node)

    def _take_results(self, node: Node, wires: Wiring, body: Sequence[Entry], inference: "Inference") -> None:
        for index, head in enumerate(body):
            shape, dtype = inference.shape(head), inference.dtype(head)
            if dtype is not None:
                self._dtypes[id(node), index] = dtype
            if shape is None or not has_axes(shape):
                continue
            if index >= wires.num_data and wires.states:  # a state keeps its shape from step to step
                self._set_shape(node.inputs[wires.states[index - wires.num_data]], shape, node)
            elif index < wires.num_data:
                shape = (self._num_steps(node, wires), *shape)
            self._set_shape(Entry(node, index), shape, node)

    def _num_steps(self, node: Node, wires: Wiring) -> int:
        if not wires.num_sliced:
            steps: int = node.params["max_iterations"]
            return steps
        lengths = [shape[0] for source in node.inputs[: wires.num_sliced] if (shape := self.shape(source))]
        return next((length for length in lengths if length != unknown()), unknown())


def infer_node(node: Node, specs: Sequence[Spec], training: bool = False) -> list[Spec]:
    """Shapes and dtypes of a node's outputs from those of its inputs.

    Raises:
        DynamicShapeError: they depend on the data.
    """
    assert node.operator is not None
    if not node.subgraphs:
        return infer(node.operator, node.arguments(specs), node.params, training)
    inputs = [Entry(Node(None, str(place), {})) for place in range(len(specs))]
    alone = Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)
    results = [Entry(alone, index) for index in range(alone.num_outputs)]
    shapes = {str(place): shape for place, (shape, _) in enumerate(specs)}
    inference = Inference(results, shapes, {str(place): dtype for place, (_, dtype) in enumerate(specs)}, training)
    inference.run()
    return [(inference.shape(entry) or (), inference.dtype(entry) or torch.float32) for entry in results]


class Forward:
    """What follows from the shapes of the variables.

    Args:
        order: the nodes of the graph, inputs first.
        shapes: of the variables by name; they are of single precision.

    Attributes:
        is_complete: whether all shapes were found. If not, `Inference` may know more, or says what is wrong.
    """

    def __init__(self, order: Sequence[Node], shapes: Mapping[str, Shape]) -> None:
        self._specs: dict[tuple[int, int], Spec] = {}
        self.is_complete = all(self._add(node, shapes) for node in order)

    def shape(self, entry: Entry) -> Shape | None:
        """The shape of an output, if it was found."""
        found = self._specs.get((id(entry.node), entry.index))
        return None if found is None else found[0]

    def _add(self, node: Node, shapes: Mapping[str, Shape]) -> bool:
        """Finds what a node gives; False if that does not follow from its inputs."""
        if node.operator is None:
            shape = shapes.get(node.name)
            if shape is None or not is_known(shape):
                return False
            self._specs[id(node), 0] = shape, torch.float32
            return True
        if node.subgraphs:
            return False
        try:
            specs = [self._specs[id(source.node), source.index] for source in node.inputs]
            found = infer(node.operator, node.arguments(specs), node.params)
        except MXNetError:
            return False
        for index, spec in enumerate(found):
            self._specs[id(node), index] = spec
        return True
