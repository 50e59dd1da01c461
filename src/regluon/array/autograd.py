"""Automatic gradients: recording what is computed, and differentiating it."""

import copy
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import torch

from ..autograd.gradient_slot import make_variable
from ..autograd.recording import (
    Scope,
    Tape,
    recorded_input,
    run_backward,
    run_gradients,
    set_recording,
    set_training,
    state,
)
from ..base import MXNetError, any_parameters
from ..context import Context
from ..dtypes import NAME_OF_TORCH
from ..runtime.handle import Composable
from .ndarray import NDArray

__all__ = [
    "Function",
    "NDArray",
    "backward",
    "get_symbol",
    "grad",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "set_recording",
    "set_training",
    "train_mode",
]


def is_recording() -> bool:
    """Whether operators are being recorded in this thread."""
    return state.tape is not None


def is_training() -> bool:
    """Whether operators behave as in training: dropout drops, BatchNorm uses the batch."""
    return state.training


def record(train_mode: bool = True) -> Scope:
    """`with record():` records what is computed, in training mode unless told otherwise."""
    return Scope(True, train_mode)


def pause(train_mode: bool = False) -> Scope:
    """`with pause():` stops recording inside a recorded block."""
    return Scope(False, train_mode)


def train_mode() -> Scope:
    """`with train_mode():` switches training mode on without recording."""
    return Scope(None, True)


def predict_mode() -> Scope:
    """`with predict_mode():` switches training mode off while recording goes on."""
    return Scope(None, False)


def _listed(arrays: Any, who: str) -> list[NDArray]:
    listed = [arrays] if isinstance(arrays, NDArray) or not isinstance(arrays, Iterable) else list(arrays)
    for array in listed:
        if not isinstance(array, NDArray):
            raise TypeError(f"[{who}] received {type(array).__name__}; expected NDArrays.")
    return listed


def _listed_grads(heads: Sequence[NDArray], head_grads: Any, who: str) -> list[NDArray | None]:
    if head_grads is None:
        return [None] * len(heads)
    given = [head_grads] if isinstance(head_grads, NDArray) else list(head_grads)
    grads = [weights._as_head() if isinstance(weights, NDArray) else weights for weights in given]
    if len(grads) != len(heads):
        raise ValueError(f"[{who}] received {len(grads)} head gradients for {len(heads)} heads; expected one for each.")
    return grads


def mark_variables(variables: Any, gradients: Any, grad_reqs: Any = "write") -> None:
    """Makes arrays variables whose gradients go to the given arrays.

    Args:
        variables: an array or several.
        gradients: as many arrays of the same shapes.
        grad_reqs: 'write', 'add' or 'null', one for all or one for each.
    """
    variables = _listed(variables, "mark_variables")
    gradients = _listed(gradients, "mark_variables")
    requests = [grad_reqs] * len(variables) if isinstance(grad_reqs, str) else list(grad_reqs)
    if not len(variables) == len(gradients) == len(requests):
        raise ValueError(
            f"[mark_variables] received {len(variables)} variables, {len(gradients)} gradients and {len(requests)} "
            "requests; expected as many of each."
        )
    for variable, gradient, request in zip(variables, gradients, requests, strict=True):
        _check_variable(variable, gradient, request)
    for variable, gradient, request in zip(variables, gradients, requests, strict=True):
        make_variable(variable, gradient, request)


def _check_variable(variable: NDArray, gradient: NDArray, request: str) -> None:
    if request not in ("write", "add", "null"):
        raise ValueError(f"[mark_variables] grad_reqs: received {request!r}; expected 'write', 'add' or 'null'.")
    if (variable.shape, variable.dtype) != (gradient.shape, gradient.dtype):
        raise MXNetError(
            f"[mark_variables] received a gradient {NAME_OF_TORCH[gradient._t.dtype]}{gradient.shape} for a variable "
            f"{NAME_OF_TORCH[variable._t.dtype]}{variable.shape}; expected the same dtype and shape."
        )


def backward(heads: Any, head_grads: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
    """Write the gradients of the sum of `heads` to the variables they were recorded from.

    Args:
        heads: an array or several.
        head_grads: weights of their elements in that sum, or None for ones.
        retain_graph: keep the graph for another backward.
        train_mode: whether `autograd.is_training()` is true in backward functions written in Python (`Function`,
            `CustomOp`). Operators differentiate the computation of the forward pass, whatever this argument says:
            BatchNorm recorded with `record(train_mode=False)` has the gradient of its prediction formula, where
            MXNet's default mixes in its training formula; see docs/DIFFERENCES.md.
    """
    heads = [head._as_head() for head in _listed(heads, "backward")]
    run_backward(heads, _listed_grads(heads, head_grads, "backward"), retain_graph, train_mode)


def grad(
    heads: Any,
    variables: Any,
    head_grads: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[NDArray]:
    """The gradients of the sum of `heads` with respect to `variables`, as new arrays.

    Args:
        heads: an array or several.
        variables: an array or several, with `attach_grad()` called on them before they were used.
        head_grads: weights of the heads' elements, or None for ones.
        retain_graph: keep the graph; by default the value of `create_graph`.
        create_graph: record the gradients too, so that they can be differentiated again.
        train_mode: as in `backward`.

    Returns:
        A list of arrays, one for each variable.
    """
    heads = [head._as_head() for head in _listed(heads, "autograd.grad")]
    listed = [variable._as_head() for variable in _listed(variables, "autograd.grad")]
    if not listed:
        raise ValueError("[autograd.grad] received no variables; expected at least one.")
    found = run_gradients(
        heads,
        listed,
        _listed_grads(heads, head_grads, "autograd.grad"),
        create_graph if retain_graph is None else retain_graph,
        create_graph,
        train_mode,
    )
    tape = state.tape or Tape()
    return [
        NDArray._recorded(tensor, variable._ctx, tape) if create_graph else NDArray(tensor, variable._ctx)
        for tensor, variable in zip(found, listed, strict=True)
    ]


def get_symbol(x: NDArray) -> NoReturn:
    """Raise MXNetError: recording keeps torch's functions, from which no operator of MXNet can be read back."""
    _listed(x, "autograd.get_symbol")
    raise MXNetError(
        "[autograd.get_symbol] received a recorded array, for which there is no Symbol: recording keeps torch's "
        "functions, not MXNet's operators. Call the same code on symbols instead: f(mx.sym.var('x')) gives the graph "
        "of f(x), net(mx.sym.var('data')) that of a HybridBlock; net.hybridize(), net(x) and net.export('net') write "
        "it to files."
    )


class Function:
    """An operation with a gradient of its own: subclass it, write `forward` and `backward`, call an instance.

    `forward` takes arrays and returns one or several; `backward` takes as many gradients as `forward` returned arrays
    and returns as many as it took. Both run without recording.
    """

    __module__ = "mxnet.autograd"

    def __init__(self) -> None:
        self._saved: tuple[NDArray, ...] = ()
        self._used = False

    def save_for_backward(self, *args: NDArray) -> None:
        """Keeps arrays for `backward`, which finds them in `self.saved_tensors`."""
        self._saved = args

    @property
    def saved_tensors(self) -> tuple[NDArray, ...]:
        """What `save_for_backward` kept."""
        return self._saved

    @any_parameters
    def forward(self, *inputs: NDArray) -> Any:
        """The operation."""
        raise NotImplementedError(f"[{type(self).__name__}] write a forward method.")

    @any_parameters
    def backward(self, *output_grads: NDArray) -> Any:
        """From the gradients of the outputs to those of the inputs."""
        raise NotImplementedError(f"[{type(self).__name__}] write a backward method.")

    def _fresh(self) -> "Function":
        """A copy that has not been called: an instance keeps the arrays of one call."""
        fresh = copy.copy(self)
        fresh._saved, fresh._used = (), False
        return fresh

    def __call__(self, *inputs: Any) -> Any:
        """Runs `forward`, and records the operation if recording; on symbols, it becomes part of their graph."""
        for given in inputs:
            if isinstance(given, Composable):
                return given._apply_function(self, inputs)
        _listed(inputs, type(self).__name__)
        tape = state.tape
        if tape is None:
            return self.forward(*inputs)
        if self._used:
            raise MXNetError(
                f"[{type(self).__name__}] was called twice while recording: an instance keeps the arrays of one call. "
                f"Make a new one for each: {type(self).__name__}()(x)."
            )
        self._used = True
        tensors = [recorded_input(array, tape) for array in inputs]
        kinds: list[Any] = []
        places = [(array._result_type, array._ctx) for array in inputs]
        results = _Bridge.apply(self, places, kinds, *tensors)
        arrays = [inputs[0]._result_type._recorded(r, inputs[0]._ctx, tape) for r in results]
        return arrays[0] if kinds[0] == "one" else kinds[0](arrays)


def run_function(
    function: Function, tensors: Sequence[torch.Tensor], array_type: Any, context: Context
) -> tuple[torch.Tensor, ...]:
    """Runs a user's Function on tensors, in a way that torch can differentiate if it records.

    Args:
        function: an instance that was not called yet.
        tensors: its inputs.
        array_type: the class of the arrays that it takes.
        context: their context.
    """
    places = [(array_type, context)] * len(tensors)
    results: tuple[torch.Tensor, ...] = _Bridge.apply(function, places, [], *tensors)
    return results


class _Bridge(torch.autograd.Function):
    """Runs a user's Function as a node of the torch graph."""

    @staticmethod
    def forward(ctx: Any, function: Function, places: list[Any], kinds: list[Any], *tensors: torch.Tensor) -> Any:
        """Calls the user's forward on arrays over the tensors, of the classes and on the contexts of its inputs."""
        ctx.function, ctx.place = function, places[0]
        with pause(state.training):
            results = function.forward(*(cls(t.detach(), c) for t, (cls, c) in zip(tensors, places, strict=True)))
        kinds.append("one" if isinstance(results, NDArray) else type(results))
        outputs = [results] if isinstance(results, NDArray) else list(results)
        return tuple(output._plain().view_as(output._plain()) for output in outputs)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        """Calls the user's backward."""
        cls, context = ctx.place
        with pause(state.backward_training):
            found = ctx.function.backward(*(cls(g.detach(), context) for g in grads))
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        expected = len(ctx.needs_input_grad) - 3
        if len(found) != expected:
            raise MXNetError(
                f"[{type(ctx.function).__name__}] backward returned {len(found)} gradient(s); expected {expected}, one "
                "for each input of forward."
            )
        return (None, None, None, *(g._alias() if isinstance(g, NDArray) else None for g in found))
