"""Executors of graphs with sparse arrays."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import torch

from ..array import NDArray, zeros
from ..array.sparse.interpreter import interpret
from ..array.sparse.storage_types import StorageTypes
from ..autograd.recording import Tape, plain, state
from ..compiler.passes.unknown_shapes import fill_unknown_shapes
from ..dtypes import NAME_OF_TORCH
from ..graph.node import Entry
from .executor import Executor

__all__ = ["SparseExecutor"]


class SparseExecutor(Executor):
    """An executor some of whose arrays are sparse: it computes operator by operator, as the same eager code would."""

    @cached_property
    def _storage_types(self) -> StorageTypes:
        known = zip([*self._arguments, *self._states], [*self.arg_arrays, *self.aux_arrays], strict=True)
        stypes = {id(node): array.stype for node, array in known}
        return StorageTypes(self._symbol._heads, self._inferred(), stypes)

    _keeps_graph = True  # interpreting the graph once more would update its states once more

    def _run(self, training: bool, recorded: bool) -> None:
        self._slots = []
        twins = self._make_variables() if recorded else {}
        arrays = {
            id(node): twins.get(id(array), array)
            for nodes, bound in ((self._arguments, self.arg_arrays), (self._states, self.aux_arrays))
            for node, array in zip(nodes, bound, strict=True)
        }
        storage = self._storage_types.backward_storage if twins else None
        with _mode(training, recorded):
            results = interpret(self._known_heads(), arrays, self._ctx, self._watch, self._memory, storage)
        self._heads = [_head(result) for result in results] if recorded else []
        self._show([result.detach() for result in results])

    def _known_heads(self) -> tuple[Entry, ...]:
        specs = {node.name: array._spec() for node, array in zip(self._op.inputs, self._inputs, strict=True)}
        shapes, dtypes = ({name: spec[which] for name, spec in specs.items()} for which in (0, 1))
        return fill_unknown_shapes(self._graph, shapes, dtypes)  # type: ignore[arg-type]

    def _show(self, results: list[Any]) -> None:
        """Puts results into the arrays that whoever holds the outputs sees."""
        if [array.stype for array in self._outputs] != [result.stype for result in results]:
            self._outputs = results
            return
        for array, result in zip(self._outputs, results, strict=True):
            if array.stype == "default":
                array._t = result._t
            else:
                array._store = result._store  # type: ignore[attr-defined]

    def _empty_outputs(self) -> list[NDArray]:
        inference = self._inferred()
        return [
            zeros(
                inference.shape(head) or (),
                ctx=ctx,
                dtype=NAME_OF_TORCH[inference.dtype(head) or torch.float32],
                stype=self._storage_types.of(head),
            )
            for head, ctx in zip(self._symbol._heads, self._head_contexts(), strict=True)
        ]


@contextmanager
def _mode(training: bool, recorded: bool) -> Iterator[None]:
    """Records on a tape of its own, or nothing."""
    before = state.tape, state.training
    state.tape, state.training = Tape() if recorded else None, training
    try:
        with torch.set_grad_enabled(recorded):
            yield
    finally:
        state.tape, state.training = before


def _head(result: Any) -> torch.Tensor:
    """A result's place in the recorded graph; for a constant, a tensor of its shape."""
    if result.stype != "default":
        place: torch.Tensor | None = result._live_place()
        return result._leaf() if place is None else place
    return plain(result) if result._node is None else result._node
