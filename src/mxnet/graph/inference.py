"""Shapes and dtypes of a graph, from what is known of its variables.

What an operator gives for known inputs follows from running its function on tensors without data. Beyond that: a
`completes` rule tells the shapes of weights from the data, operators whose inputs and outputs are `alike` tell each
from the other, in both directions, and a length that is not known (0) is tried out with two different numbers: lengths
of the result that come out the same both times do not depend on it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from ..base import MXNetError
from ..config import switches
from ..dtypes import torch_dtype
from ..error import OpShapeError, OpTypeError
from ..flags import NAME_OF_FLAG
from ..ops.registry import Operator, infer
from .node import Entry, Node, in_order

Shape = tuple[int, ...]
_STAND_INS = (1009, 2003)  # for unknown lengths: large enough for any window, and without common factors
# Weights that stay in single precision when the data are in half.
_KEEPS_SINGLE = {"BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU"}
# Operators whose first input says nothing about the dtype of the others.
_INDEPENDENT = {"Embedding", "_contrib_SparseEmbedding"}
# Operators that transform the rows of their first input one by one.
_ROW_BY_ROW = {"FullyConnected", "Embedding", "Flatten"}
_FIXED_DTYPES = {"shape_array": torch.int64, "size_array": torch.int64, "_contrib_index_array": torch.int64}


def unknown() -> int:
    """What an unknown length is written as: 0, or -1 where arrays may be empty."""
    return -1 if switches.np_shape else 0


def is_known(shape: Shape | None) -> bool:
    """Whether the number of axes and all lengths are known."""
    return shape is not None and unknown() not in shape and (bool(shape) or switches.np_shape)


def joined(first: Shape | None, second: Shape | None) -> Shape | None:
    """What two partial shapes tell together; raises ValueError if they contradict each other."""
    if first is None or (not first and not switches.np_shape):
        return second
    if second is None or (not second and not switches.np_shape):
        return first
    if len(first) != len(second):
        raise ValueError
    gap, lengths = unknown(), []
    for a, b in zip(first, second, strict=True):
        if gap not in (a, b) and a != b:
            raise ValueError
        lengths.append(b if a == gap else a)
    return tuple(lengths)


class Inference:
    """What is known of every output in a graph.

    Args:
        heads: the graph.
        shapes: shapes of variables by name, unknown lengths as 0.
        dtypes: dtypes of variables by name.
        training: the mode operators run in.
    """

    def __init__(
        self,
        heads: Sequence[Entry],
        shapes: Mapping[str, Shape] | None = None,
        dtypes: Mapping[str, torch.dtype] | None = None,
        training: bool = False,
    ) -> None:
        self.order = in_order(heads)
        self._training = training
        self._shapes: dict[tuple[int, int], Shape] = {}
        self._dtypes: dict[tuple[int, int], torch.dtype] = {}
        self._settled: set[int] = set()
        self._changed = False
        for node in self.order:
            if node.is_variable:
                self._start(node, (shapes or {}).get(node.name), (dtypes or {}).get(node.name))

    def _start(self, node: Node, shape: Shape | None, dtype: torch.dtype | None) -> None:
        written = node.attrs.get("__shape__")
        if shape is None and written:
            shape = _read_shape(written)
        if dtype is None and node.attrs.get("__dtype__", "-1") != "-1":
            dtype = _read_dtype(node.attrs["__dtype__"])
        if shape is not None:
            self._shapes[id(node), 0] = tuple(shape)
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
        first = next((found for source in node.inputs if (found := self.dtype(source))), None)
        self._spread_dtype(node, first)
        result = _written_dtype(node.operator, node.params) or _FIXED_DTYPES.get(node.operator.name)
        if result is None and node.inputs:
            independent = node.operator.name in _INDEPENDENT and len(node.inputs) > 1
            result = self.dtype(node.inputs[1]) if independent else first
        if result is not None:
            for index in range(node.num_outputs):
                self._set_dtype(Entry(node, index), result, node)

    def _spread_dtype(self, node: Node, first: torch.dtype | None) -> None:
        """Gives variables of unknown dtype that of the data they meet."""
        operator = node.operator
        assert operator is not None
        for position, source in enumerate(node.inputs):
            if self.dtype(source) is not None or not source.node.is_variable:
                continue
            if operator.name in _INDEPENDENT:
                wanted = _written_dtype(operator, operator.full_params(node.params)) if position else None
            elif operator.name in _KEEPS_SINGLE and position and first in (torch.float16, torch.bfloat16):
                wanted = torch.float32
            else:
                wanted = first
            if wanted is not None:
                self._set_dtype(source, wanted, node)

    def _dtypes_backward(self, node: Node) -> None:
        operator = node.operator
        if operator is None or not operator.alike or _written_dtype(operator, node.params) is not None:
            return
        found = self.dtype(Entry(node, 0))
        for source in node.inputs:
            if found is not None and self.dtype(source) is None:
                self._set_dtype(source, found, node)

    def _set_dtype(self, entry: Entry, dtype: torch.dtype, node: Node) -> None:
        key = (id(entry.node), entry.index)
        before = self._dtypes.get(key)
        if before is None:
            self._dtypes[key], self._changed = dtype, True

    # -- shapes -----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Finds shapes, and the dtypes that follow with them."""
        self.run_dtypes()
        for node in self.order:  # whatever nothing speaks of is a single-precision number
            if node.is_variable:
                self._dtypes.setdefault((id(node), 0), torch.float32)
        self.run_dtypes()
        self._changed = True
        while self._changed:
            self._changed = False
            for node in self.order:
                self._forward(node)
            for node in reversed(self.order):
                self._equalize(node)

    def _forward(self, node: Node) -> None:
        operator = node.operator
        if operator is None or id(node) in self._settled:
            return
        self._complete(node, operator)
        self._equalize(node)
        shapes = [self.shape(source) for source in node.inputs]
        if any(shape is None or (not shape and not switches.np_shape) for shape in shapes):
            return
        if not node.inputs and "shape" in operator.params and not is_known(node.params.get("shape")):
            self._set_shape(Entry(node), node.params.get("shape") or (), node)  # what uses it tells the rest
        elif all(is_known(shape) for shape in shapes):
            self._settled.add(id(node))
            found = self._run(node, operator, shapes)  # type: ignore[arg-type]
            for index, (shape, dtype) in enumerate(found):
                self._set_shape(Entry(node, index), shape, node)
                self._dtypes[id(node), index] = dtype
        else:
            for index, shape in enumerate(self._try_out(node, operator, shapes)):  # type: ignore[arg-type]
                self._set_shape(Entry(node, index), shape, node)

    def _complete(self, node: Node, operator: Operator) -> None:
        """Settles the shapes of learnable inputs from the data's."""
        if operator.completes is None or not node.inputs or all(is_known(self.shape(source)) for source in node.inputs):
            return
        data = self.shape(node.inputs[0])
        if data is None or not data:
            return
        found: dict[str, Shape] = {}
        for stand_in in _STAND_INS:
            lengths = tuple(stand_in if n == unknown() else n for n in data)
            try:
                told = operator.completes(lengths, **operator.full_params(node.params))
            except MXNetError as error:
                if is_known(data):
                    raise self._fault(node, f"{error}") from error
                return
            found = {name: _agreed(found.get(name), shape) for name, shape in told.items()}
        for name, source in zip(node.input_names, node.inputs, strict=False):
            if name in found:
                self._set_shape(source, found[name], node, name)

    def _equalize(self, node: Node) -> None:
        """Joins what inputs and outputs that must be alike tell."""
        if node.operator is None or not node.inputs:
            return
        if not node.operator.alike:
            self._number_of_rows(node)
            return
        entries = [*node.inputs, *(Entry(node, index) for index in range(node.num_outputs))]
        shape: Shape | None = None
        for entry in entries:
            try:
                shape = joined(shape, self.shape(entry))
            except ValueError:
                raise self._fault(
                    node, f"its inputs have the shapes {self._input_shapes(node)}; expected equal ones"
                ) from None
        if shape is not None:
            for entry in entries:
                self._set_shape(entry, shape, node)

    def _number_of_rows(self, node: Node) -> None:
        """Tells the number of rows of the data from that of the result, where rows are transformed one by one."""
        data, result = self.shape(node.inputs[0]), self.shape(Entry(node))
        if node.op_name in _ROW_BY_ROW and data and result and data[0] == unknown() != result[0]:
            self._set_shape(node.inputs[0], (result[0], *data[1:]), node)

    def _run(self, node: Node, operator: Operator, shapes: Sequence[Shape]) -> list[tuple[Shape, torch.dtype]]:
        if operator.infer_node is not None:
            return operator.infer_node(node, self._specs(node, shapes))
        try:
            return infer(operator, node.arguments(self._specs(node, shapes)), node.params, self._training)
        except MXNetError as error:
            raise type(error)(f"{error} In the graph this is node {node.name!r}.") from error

    def _specs(self, node: Node, shapes: Sequence[Shape]) -> list[tuple[Shape, torch.dtype]]:
        dtypes = [self.dtype(source) or torch.float32 for source in node.inputs]
        return list(zip(shapes, dtypes, strict=True))

    def _try_out(self, node: Node, operator: Operator, shapes: Sequence[Shape]) -> list[Shape]:
        """The shapes of the outputs with two numbers in place of unknown lengths; where they agree, they are known."""
        found: list[Shape] = []
        for stand_in in _STAND_INS:
            filled = [tuple(stand_in if n == unknown() else n for n in shape) for shape in shapes]
            try:
                told = [shape for shape, _ in self._run(node, operator, filled)]
            except MXNetError:
                return []  # it may still fit once the lengths are known
            found = [_agreed(a, b) for a, b in zip(found, told, strict=True)] if found else told
        return found

    def _set_shape(self, entry: Entry, shape: Shape, node: Node, role: str = "") -> None:
        key = (id(entry.node), entry.index)
        before = self._shapes.get(key)
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

    def _input_shapes(self, node: Node) -> str:
        return ", ".join(f"{source.node.name} {self.shape(source)}" for source in node.inputs)

    def _fault(self, node: Node, what: str) -> MXNetError:
        return OpShapeError(f"[infer_shape] node {node.name!r} ({node.op_name}): {what}.")

    def missing(self, entries: Iterable[Entry]) -> list[str]:
        """Names of those whose shape is not fully known."""
        return [entry.node.name for entry in entries if not is_known(self.shape(entry))]


def _agreed(first: Shape | None, second: Shape) -> Shape:
    """The lengths in which two trials agree, the others unknown."""
    if first is None:
        return second
    return tuple(a if a == b else unknown() for a, b in zip(first, second, strict=True))


def _written_dtype(operator: Operator, params: Mapping[str, Any]) -> torch.dtype | None:
    """The dtype that a parameter asks for."""
    if "dtype" not in operator.params:
        return None
    if operator.inputs and "dtype" not in params:
        return None
    found = params.get("dtype", operator.params["dtype"].default)
    return found if isinstance(found, torch.dtype) else None


def _read_shape(text: str) -> Shape:
    inner = text.strip().strip("()[]")
    try:
        return tuple(int(part) for part in inner.split(",") if part.strip())
    except ValueError:
        raise OpTypeError(f"[infer_shape] attribute __shape__: received {text!r}; expected such as '(2, 3)'.") from None


def _read_dtype(text: str) -> torch.dtype:
    name = NAME_OF_FLAG.get(int(text)) if text.isdigit() else None
    if name is None:
        raise OpTypeError(f"[infer_type] attribute __dtype__: received {text!r}; expected the number of a dtype.")
    return torch_dtype(name)
