"""A graph that is called like an operator: what `hybridize()` makes of a network."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.autograd.graph import increment_version

from ..autograd.gradient_slot import GradientSlot
from ..autograd.recording import Tape, plain, recorded_input, state
from ..base import MXNetError
from ..compiler.lowering import lower
from ..compiler.monitoring import Watcher
from ..compiler.passes.unknown_shapes import fill_unknown_shapes, nodes_of_unknown_shape
from ..compiler.program import Program
from ..compiler.run import run_with_gradients
from ..config import process
from ..config import read as read_setting
from ..context import Context, current_context
from ..errors import OpTypeError
from ..graph.node import Entry, in_order
from ..runtime.handle import Handle, SparseOperand
from ..runtime.invoke import enter_graph
from ..scopes import CollectorPaused
from .dense import NDArray
from .sparse.interpreter import interpret, makes_sparse

__all__ = ["CachedOp"]


class CachedOp:
    """A graph with one program for each mode, compiled when it is first needed.

    Args:
        symbol: a Symbol, or the heads of a graph.
        flags: pairs of option and value, as `hybridize` takes them.
        parameters: names of variables that seldom change.
    """

    __module__ = "mxnet.ndarray"

    def __init__(self, symbol: Any, flags: Sequence[tuple[str, Any]] = (), parameters: Iterable[str] = ()) -> None:
        self.heads: tuple[Entry, ...] = tuple(getattr(symbol, "_heads", symbol))
        self.flags: dict[str, Any] = dict(flags)
        self.inputs = [node for node in in_order(self.heads) if node.is_variable]
        names = set(parameters)
        self._parameters = [place for place, node in enumerate(self.inputs) if node.name in names]
        self._varying = [place for place, node in enumerate(self.inputs) if node.name not in names]
        self._programs: dict[tuple[Any, ...], Program] = {}
        self._is_open = bool(nodes_of_unknown_shape(self.heads))
        self._makes_sparse = makes_sparse(self.heads)
        self.watch: Watcher | None = None
        # The class of the results: a graph made of symbols of `mx.np` gives such arrays.
        self.array_type: Any = NDArray._numpy_type if getattr(symbol, "_is_numpy", False) else NDArray

    def watch_with(self, callback: Callable[[str, str, NDArray], Any], sees_inputs: bool) -> None:
        """Calls a function with the name, operator and array of every result.

        Args:
            callback: the function.
            sees_inputs: whether to show the inputs of each operator as well.
        """

        def report(name: str, op_name: str, value: torch.Tensor) -> None:
            if op_name != "null":  # variables are shown as inputs of the operators that read them
                callback(name, op_name, NDArray(value.detach()))

        self.watch = Watcher(report, sees_inputs)
        self._programs.clear()

    def program(self, training: bool, recorded: bool, tensors: Sequence[torch.Tensor]) -> Program:
        """The program for a mode, and for the data's shapes where kernels are chosen by them."""
        key: tuple[Any, ...] = (training, recorded, process.deterministic)
        predicting = not (training or recorded)
        if self._is_open or predicting:
            key += tuple((tensors[place].shape, tensors[place].dtype, tensors[place].device) for place in self._varying)
        found = self._programs.get(key)
        if found is None:
            while len(self._programs) >= most_programs():  # data of ever new shapes must not grow it
                self._programs.pop(next(iter(self._programs)))
            with CollectorPaused():
                found = self._programs[key] = self._lowered(training, recorded, tensors)
        return found

    def _lowered(self, training: bool, recorded: bool, tensors: Sequence[torch.Tensor]) -> Program:
        heads = self.heads
        shapes = {node.name: tuple(tensor.shape) for node, tensor in zip(self.inputs, tensors, strict=True)}
        if self._is_open:
            dtypes = {node.name: tensor.dtype for node, tensor in zip(self.inputs, tensors, strict=True)}
            heads = fill_unknown_shapes(heads, shapes, dtypes)
        if self.watch is not None:
            return Program(heads, self.inputs, training)  # every result under its own name
        on_cpu = all(tensor.dtype is torch.float32 and tensor.device.type == "cpu" for tensor in tensors)
        return lower(
            *(heads, self.inputs, training, recorded, self._parameters, shapes if on_cpu else None),
            is_tuned=bool(self.flags.get("autotune", True)),
            backend=self.flags.get("backend"),
        )

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        """Runs the graph on arrays, one for each variable in order.

        Returns:
            An array, or a list of them where the graph has several heads.
        """
        if len(arrays) != len(self.inputs):
            names = ", ".join(node.name for node in self.inputs)
            raise MXNetError(f"[CachedOp] received {len(arrays)} arrays; expected {len(self.inputs)}: {names}.")
        results = self.run(arrays)
        if out is not None:
            targets = out if isinstance(out, (list, tuple)) else [out]
            for target, result in zip(targets, results, strict=True):
                target[:] = result
            return out
        return results[0] if len(results) == 1 else results

    def run(self, arrays: Sequence[Any]) -> list[NDArray]:
        """Runs the graph and returns its heads in a list."""
        tape = state.tape
        if self._makes_sparse or process.check_indices:  # which the operators of programs do not
            return self._interpreted(arrays)
        try:
            tensors, context = _read(arrays, tape, self.inputs)
        except SparseOperand:
            return self._interpreted(arrays)
        program = self.program(state.training, tape is not None, tensors)
        if tape is None or self.watch is not None:
            values, updates = program.run(tensors, context, tape is not None, self.watch)
        else:
            sinks = [_sink(array) for array in arrays]
            values, updates = run_with_gradients(program, tensors, context, sinks)
        for position, value in updates:
            plain(arrays[position]).copy_(value.detach())
        if program.writes_inputs:
            increment_version([plain(array) for array in arrays])
        results = [self.array_type(value, context) for value in values]
        if tape is not None:
            for result, value in zip(results, values, strict=True):
                enter_graph(result, value, tensors, tape)
        return results

    def _interpreted(self, arrays: Sequence[Any]) -> list[NDArray]:
        """Runs the graph where arrays in it are sparse."""
        heads = self.heads
        if self._is_open:
            specs = [(node.name, array._spec()) for node, array in zip(self.inputs, arrays, strict=True)]
            shapes, dtypes = {name: spec[0] for name, spec in specs}, {name: spec[1] for name, spec in specs}
            heads = fill_unknown_shapes(heads, shapes, dtypes)
        by_node = {id(node): array for node, array in zip(self.inputs, arrays, strict=True)}
        context = arrays[0]._ctx if arrays else current_context()
        return interpret(heads, by_node, context, self.watch)


def most_programs() -> int:
    """How many programs are kept for one graph."""
    text = read_setting("MXNET_PROGRAM_LIMIT")
    if not text.isdecimal() or int(text) < 1:
        raise MXNetError(f"[CachedOp] MXNET_PROGRAM_LIMIT={text}; expected a number from 1.")
    return int(text)


def _sink(array: Any) -> GradientSlot | None:
    """Where the gradient of a variable can be delivered; None for what is no variable, or has a sparse gradient."""
    slot = array._slot
    is_variable = type(slot) is GradientSlot and array._tape is None and array._node is not None
    return slot if is_variable else None


def _read(arrays: Sequence[Any], tape: Tape | None, inputs: Sequence[Any]) -> tuple[list[torch.Tensor], Context]:
    """The tensors to compute with, and their context."""
    tensors: list[torch.Tensor] = []
    for array, node in zip(arrays, inputs, strict=True):
        if not isinstance(array, Handle):
            raise OpTypeError(f"[CachedOp] input {node.name}: received {type(array).__name__}; expected an NDArray.")
        tensors.append(plain(array) if tape is None else recorded_input(array, tape))
    return tensors, arrays[0]._ctx if arrays else current_context()
