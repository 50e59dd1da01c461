"""Executors: a graph bound to arrays."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.autograd.graph import increment_version

from ..array import NDArray, zeros
from ..array.cached_op import CachedOp
from ..array.label_check import find_wrong_label, warn_about_label
from ..autograd.gradient_slot import GradientSlot, make_variable
from ..autograd.recording import accumulate_gradients, constant, plain
from ..compiler.monitoring import Watcher
from ..compiler.passes.cse import apart, merge_equal, merges_equal
from ..compiler.program import Program, Updates
from ..compiler.run import drawing_from, run_with_gradients
from ..config import process
from ..context import Context
from ..dtypes import NAME_OF_TORCH
from ..errors import OpShapeError
from ..graph.inference import Inference
from ..graph.memory_estimate import bytes_inside
from ..graph.node import Entry, Node, variables
from ..graph.placement import with_copies
from ..ops.integer_gradients import carrier_of
from ..rng import generator

__all__ = ["Executor"]


class Executor:
    """Computes a graph forward and backward on arrays it is bound to.

    `Symbol.bind` and `Symbol.simple_bind` make one. The arrays stay the caller's: what is written to `arg_dict['data']`
    is what the next `forward` reads.

    Attributes:
        arg_arrays: arrays of the arguments, in order.
        grad_arrays: their gradients, None for those without; None as a whole if no arrays for gradients were bound.
        aux_arrays: arrays of the auxiliary states.
        outputs: results of the last `forward`.
    """

    __module__ = "mxnet.executor"

    _has_checked_labels = False
    _keeps_graph = False  # whether what is kept for `backward` outlives the first one

    def __init__(
        self,
        symbol: Any,
        ctx: Context,
        arg_arrays: list[NDArray],
        grad_arrays: list[NDArray | None] | None,
        requests: list[str],
        aux_arrays: list[NDArray],
        op: CachedOp | None = None,
        contexts: Mapping[int, Context] | None = None,
    ) -> None:
        self._symbol, self._ctx, self._contexts = symbol, ctx, contexts
        self._graph: tuple[Entry, ...] = symbol._heads if contexts is None else with_copies(symbol._heads, contexts)
        found = variables(symbol._heads)
        self._arguments, self._states = found.arguments, found.auxiliary
        self.arg_arrays, self.grad_arrays, self.aux_arrays = arg_arrays, grad_arrays, aux_arrays
        self._gradients: list[NDArray | None] = [None] * len(arg_arrays) if grad_arrays is None else grad_arrays
        self._requests = requests
        self._merges = merges_equal()
        self._op = op or CachedOp(self._graph)
        self._watch: Watcher | None = None
        self._monitor: tuple[Callable[[str, Any], Any], bool] | None = None
        self._memory: dict[Any, Any] = {}  # what operators keep from one forward to the next
        by_node = {
            id(node): array
            for node, array in (
                *zip(self._arguments, arg_arrays, strict=True),
                *zip(self._states, aux_arrays, strict=True),
            )
        }
        self._inputs = [by_node[id(node)] for node in self._op.inputs]
        self._outputs: list[NDArray] = []
        self._heads: list[torch.Tensor] = []  # the recorded results, for backward
        self._slots: list[GradientSlot] = []  # where the gradients of the arguments go
        self._mode = False  # whether the recorded results were computed in training mode
        self._drawn_from: torch.Tensor | None = None  # the state of the random numbers before they were
        self._is_used_up = False  # whether a backward has given back what was kept for it

    # -- arrays by name ---------------------------------------------------------------------------------------------

    @property
    def arg_dict(self) -> dict[str, NDArray]:
        """The arguments by name."""
        return _named(self._arguments, self.arg_arrays)

    @property
    def grad_dict(self) -> dict[str, NDArray | None]:
        """The gradients by the names of their arguments."""
        return _named(self._arguments, self._gradients)

    @property
    def aux_dict(self) -> dict[str, NDArray]:
        """The auxiliary states by name."""
        return _named(self._states, self.aux_arrays)

    @property
    def outputs(self) -> list[NDArray]:
        """Results of the last `forward`; their shapes hold before the first one too."""
        if not self._outputs:
            self._outputs = self._empty_outputs()
        return self._outputs

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """The outputs by name."""
        return dict(zip(self._symbol.list_outputs(), self.outputs, strict=True))

    def _empty_outputs(self) -> list[NDArray]:
        inference = self._inferred()
        return [
            zeros(inference.shape(head) or (), ctx=ctx, dtype=NAME_OF_TORCH[inference.dtype(head) or torch.float32])
            for head, ctx in zip(self._symbol._heads, self._head_contexts(), strict=True)
        ]

    def _head_contexts(self) -> list[Context]:
        """Where the outputs are."""
        if self._contexts is None:
            return [self._ctx] * len(self._symbol._heads)
        return [self._contexts[id(head.node)] for head in self._symbol._heads]

    def _inferred(self) -> Inference:
        """The shapes and dtypes of the graph for the arrays it is bound to."""
        given = zip([*self._arguments, *self._states], [*self.arg_arrays, *self.aux_arrays], strict=True)
        specs = {node.name: array._spec() for node, array in given}
        inference = Inference(
            self._symbol._heads,
            {name: shape for name, (shape, _) in specs.items()},
            {name: dtype for name, (_, dtype) in specs.items()},
        )
        inference.run()
        return inference

    # -- computation ------------------------------------------------------------------------------------------------

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Computes the outputs.

        Args:
            is_train: training mode; `backward` may follow.
            kwargs: new values of arguments, by name.
        """
        if kwargs:
            self._take(kwargs)
        self._run(bool(is_train), bool(is_train))
        if is_train and not self._has_checked_labels:
            self._check_labels()
        return self.outputs

    def _check_labels(self) -> None:
        """Warn about the first label of each output layer in the first training batch that is no class."""
        self._has_checked_labels = True
        if process.check_indices:
            return
        labels = {id(node): array for node, array in zip(self._arguments, self.arg_arrays, strict=True)}
        for head, output in zip(self._symbol._heads, self._outputs, strict=True):
            operator = head.node.operator
            if operator is None or operator.label_classes is None:
                continue
            label = labels.get(id(head.node.inputs[operator.inputs.index("label")].node))
            params = operator.full_params(head.node.params)
            num_classes = operator.label_classes(output.shape, **params)
            # Labels in the shape of the scores are probabilities.
            if label is None or label.stype != "default" or label.size * num_classes != output.size:
                continue
            ignored = params["ignore_label"] if params["use_ignore"] else None
            wrong = find_wrong_label(label, num_classes, ignored=ignored)
            if wrong is not None:
                warn_about_label(f"{operator.name} {head.node.name}", wrong, num_classes)

    def _take(self, given: Mapping[str, Any]) -> None:
        arrays = self.arg_dict
        for name, value in given.items():
            if name not in arrays:
                raise TypeError(f"[Executor] there is no argument {name!r}; there are {', '.join(arrays)}.")
            if tuple(value.shape) != arrays[name].shape:
                raise ValueError(
                    f"[Executor] argument {name}: received the shape {tuple(value.shape)}; expected "
                    f"{arrays[name].shape}. Use reshape() for another one."
                )
            is_sparse = isinstance(value, NDArray) and value.stype not in ("default", arrays[name].stype)
            arrays[name][:] = value.tostype("default") if is_sparse else value

    def _run(self, training: bool, recorded: bool) -> None:
        program, values, updates = self._compute(training, recorded)
        for position, value in updates:
            plain(self._inputs[position]).copy_(value.detach())
        if program.writes_inputs:
            increment_version([plain(array) for array in self._inputs])
        # `data`, not `detach()`: an output may be written to before `backward`, which then reads what is there, as with
        # the arguments. That is MXNet's rule; torch's would be to refuse.
        if len(self._outputs) != len(values):
            self._outputs = [NDArray(value.data, ctx) for value, ctx in zip(values, self._head_contexts(), strict=True)]
        for array, value in zip(self._outputs, values, strict=True):
            array._t = value.data  # whoever holds the output sees the new values

    def _compute(self, training: bool, recorded: bool) -> tuple[Program, list[torch.Tensor], Updates]:
        """The outputs and new values of states, neither of which is shown to anybody yet."""
        self._mode, self._is_used_up, self._heads = training, False, []
        if self._watch is not None and self._watch.leaves:
            self._watch.leaves.clear()
        if not recorded:
            tensors = [plain(array) for array in self._inputs]
            program = self._op.program(training, False, tensors)
            with torch.no_grad():
                return program, *program.run(tensors, self._ctx, False, self._watch, self._memory)
        twins = self._make_variables()
        slots = [twins[id(array)]._slot if id(array) in twins else None for array in self._inputs]
        tensors = [
            constant(plain(array)) if id(array) not in twins else twins[id(array)]._node for array in self._inputs
        ]
        program = self._op.program(training, True, tensors)
        self._drawn_from = generator(self._ctx).get_state() if program.draws else None
        with torch.enable_grad():
            if self._watch is not None or program.keeps_state:
                values, updates = program.run(tensors, self._ctx, True, self._watch, self._memory)
            else:
                sinks = [slot if type(slot) is GradientSlot else None for slot in slots]
                values, updates = run_with_gradients(program, tensors, self._ctx, sinks)
        self._heads = values
        return program, values, updates

    def _make_variables(self) -> dict[int, Any]:
        """Variables over the memory of the arguments whose gradients are wanted, by the identity of their arrays."""
        made = {}
        self._slots = []
        for array, gradient, request in zip(self.arg_arrays, self._gradients, self._requests, strict=True):
            if request != "null" and gradient is not None:
                twin = made[id(array)] = array.detach()
                make_variable(twin, gradient, request)
                assert twin._slot is not None
                self._slots.append(twin._slot)
        return made

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Computes gradients, and writes or adds them to the gradient arrays.

        Args:
            out_grads: gradients of the outputs, one for each or a single one; ones by default, which losses ignore.
            is_train: the mode to compute in, if the last `forward` was not in training mode.
        """
        if not self._heads:
            self._run(is_train, True)
        elif self._is_used_up:
            with drawing_from(self._ctx, self._drawn_from):
                self._compute(self._mode, True)
        starts = self._starts(out_grads)
        for slot in self._slots:
            slot.fresh = False
        pairs = [
            (carrier_of(head), start) for head, start in zip(self._heads, starts, strict=True) if head.requires_grad
        ]
        if pairs and self._slots:
            nodes, grads = [node for node, _ in pairs], [start.to(node.dtype) for node, start in pairs]
            accumulate_gradients(nodes, grads, self._keeps_graph)
            self._is_used_up = not self._keeps_graph
        for slot in self._slots:
            if not slot.fresh:  # nothing that was computed depends on it
                slot.write(None)

    def _starts(self, out_grads: Any) -> list[torch.Tensor]:
        if out_grads is None:
            return [torch.ones_like(head) for head in self._heads]
        if isinstance(out_grads, NDArray):
            out_grads = [out_grads]
        elif isinstance(out_grads, dict):
            out_grads = [out_grads[name] for name in self._symbol.list_outputs()]
        starts = []
        for place, (head, entry) in enumerate(zip(self._heads, self._symbol._heads, strict=True)):
            given = out_grads[place] if place < len(out_grads) else None
            operator = entry.node.operator
            # What has no gradient takes none: MXNet looks at the shape of no array that it does not read.
            if given is None or not head.requires_grad or (operator is not None and operator.zero_gradient):
                starts.append(torch.ones_like(head))
                continue
            start = _dense(given).to(head.device)
            if start.shape != head.shape:
                raise OpShapeError(
                    f"[Executor] out_grads[{place}]: received the shape {tuple(start.shape)}; expected "
                    f"{tuple(head.shape)}."
                )
            starts.append(start.to(head.dtype))
        return starts

    def set_monitor_callback(self, callback: Callable[[str, Any], Any] | None, monitor_all: bool = False) -> None:
        """Calls `callback(name, array)` with every result of `forward`, and every gradient that `backward` computes.

        Args:
            callback: the function; None removes it.
            monitor_all: whether to show the arguments as well.
        """
        self._op = CachedOp(self._graph)  # its own: executors of other shapes may share the other one
        if callback is None:
            self._watch = self._monitor = None
            return
        self._monitor = callback, monitor_all
        chosen = callback

        def report(name: str, _: str, value: torch.Tensor) -> None:
            chosen(name, NDArray(value.detach(), self._ctx))

        self._watch = self._op.watch = Watcher(report, monitor_all, leaves=[])

    # -- changing ---------------------------------------------------------------------------------------------------

    def copy_params_from(
        self,
        arg_params: Mapping[str, Any],
        aux_params: Mapping[str, Any] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copies values into arguments and auxiliary states.

        Args:
            arg_params: arrays by the names of arguments.
            aux_params: arrays by the names of auxiliary states.
            allow_extra_params: whether to ignore names that the graph lacks.
        """
        for given, bound, kind in ((arg_params, self.arg_dict, "argument"), (aux_params or {}, self.aux_dict, "state")):
            for name, array in given.items():
                if name in bound:
                    array.astype(bound[name].dtype).copyto(bound[name])
                elif not allow_extra_params:
                    raise ValueError(f"[Executor] there is no {kind} {name!r}; pass allow_extra_params=True to ignore.")

    def reshape(self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any) -> "Executor":
        """An executor of the same graph for other shapes, with the same monitor; arrays whose shape stays are shared.

        Args:
            partial_shaping: whether shapes that were not given may change too.
            allow_up_sizing: whether arrays may become larger.
            kwargs: new shapes by name.
        """
        arg_shapes, _, aux_shapes = self._symbol.infer_shape(**kwargs)
        if arg_shapes is None:
            raise ValueError("[Executor] reshape: the shapes of some arguments do not follow from those given.")
        args: list[NDArray] = []
        grads: list[NDArray | None] = []
        for node, array, gradient, shape in zip(
            self._arguments, self.arg_arrays, self._gradients, arg_shapes, strict=True
        ):
            same = array.shape == shape
            if not same and not partial_shaping and node.name not in kwargs:
                raise OpShapeError(
                    f"[Executor] reshape: argument {node.name} would change from {array.shape} to {shape}. Pass "
                    "partial_shaping=True if that is meant."
                )
            if not same and not allow_up_sizing and _size(shape) > _size(array.shape):
                raise OpShapeError(
                    f"[Executor] reshape: argument {node.name} would grow from {array.shape} to {shape}. Pass "
                    "allow_up_sizing=True if that is meant."
                )
            args.append(array if same else _resized(array, shape))
            grads.append(gradient if same or gradient is None else _resized(gradient, shape))
        aux = [
            array if array.shape == shape else _resized(array, shape)
            for array, shape in zip(self.aux_arrays, aux_shapes, strict=True)
        ]
        requests = list(self._requests)
        reshaped = type(self)(self._symbol, self._ctx, args, grads, requests, aux, self._op, self._contexts)
        if self._monitor is not None:
            reshaped.set_monitor_callback(*self._monitor)
        return reshaped

    def debug_str(self) -> str:
        """The graph as text, to look at, with the memory of its results; programs read the number of megabytes."""
        trained = {id(n) for n, request in zip(self._arguments, self._requests, strict=True) if request != "null"}
        size = bytes_inside(self._symbol._heads, self._inferred(), trained)
        return f"{self._symbol.debug_str()}Total {size >> 20} MB allocated\nTotal 0 TempSpace resource requested\n"

    def get_optimized_symbol(self) -> Any:
        """The graph that is computed: with copies between contexts, and what is computed twice computed once."""
        heads: Sequence[Entry] = self._symbol._heads
        if self._contexts is not None:
            heads = with_copies(heads, self._contexts, marked=False)
        return type(self._symbol)(apart(merge_equal(heads)) if self._merges else heads)


def _named(nodes: Sequence[Node], arrays: Sequence[Any]) -> dict[str, Any]:
    names = [node.name for node in nodes]
    if len(set(names)) != len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"[Executor] several variables are named {', '.join(repeated)}; expected different names.")
    return dict(zip(names, arrays, strict=True))


def _dense(array: NDArray) -> torch.Tensor:
    return plain(array) if array.stype == "default" else plain(array.tostype("default"))


def _resized(array: NDArray, shape: tuple[int, ...]) -> NDArray:
    """An array of another shape, in the same memory where it is dense and large enough, as in MXNet."""
    if array.stype == "default" and _size(shape) <= array.size:
        return NDArray(plain(array).reshape(-1)[: _size(shape)].reshape(shape), array.context)
    return zeros(shape, ctx=array.context, dtype=array.dtype, stype=array.stype)


def _size(shape: Sequence[int]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size
