"""Interfaces of torch that it does not promise to keep: all that the library uses, each with what stands in for it.

No other file names one (tests/test_torch_private.py). Where a torch lacks one, or with `MXNET_TORCH_PRIVATE=0`,
programs run all the same, some slower. docs/ARCHITECTURE.md says what each is for and on which versions it was tested.
`native/torch_private.h` is this file's counterpart in C++.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from operator import attrgetter
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .base import MXNetError
from .config import read

_USED = read("MXNET_TORCH_PRIVATE") != "0"


def _find(path: str) -> Any:
    """What torch has under a name; None where it has nothing, or where none of these interfaces is to be used."""
    found: Any = torch if _USED else None
    for name in path.split("."):
        found = getattr(found, name, None)
    return found


# -- the engine of gradients -----------------------------------------------------------------------------------------

_engine = _find("autograd.graph._engine_run_backward")
_current_run = _find("_C._current_graph_task_id")
_use_count = _find("_C._storage_Use_Count")
OUTSIDE = -1  # the number of no run


class _Runs(threading.local):
    """Runs of the engine, counted here where torch does not tell: on a CPU it runs in the thread that calls it."""

    current = OUTSIDE
    count = 0


_runs = _Runs()


def run_engine(results: Sequence[Tensor], grads: Sequence[Tensor], retain_graph: bool) -> None:
    """Brings gradients to the leaves; `torch.autograd.backward` without its checks, a quarter of a small step."""
    if _engine is not None and _current_run is not None:
        _engine(tuple(results), tuple(grads), retain_graph, False, (), allow_unreachable=True, accumulate_grad=True)
        return
    if any(each.device.type != "cpu" for each in results):
        raise MXNetError(
            f"[backward] torch {torch.__version__} does not tell the runs of its engine apart, which gradients on "
            f"{results[0].device} need. Use a version that docs/ARCHITECTURE.md lists, without MXNET_TORCH_PRIVATE=0."
        )
    outer = _runs.current
    _runs.count += 1
    _runs.current = _runs.count
    try:
        torch.autograd.backward(results, grads, retain_graph=retain_graph)
    finally:
        _runs.current = outer


def gradients(
    results: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grads: Sequence[Tensor | None],
    retain_graph: bool,
    create_graph: bool,
) -> Any:
    """Gradients of inputs; None for one that no result depends on.

    The checks of `torch.autograd.grad` load torch's symbolic shapes, which takes longer than the first training step of
    many networks.
    """
    if _engine is None:
        keep = retain_graph or create_graph
        return torch.autograd.grad(results, inputs, grads, keep, create_graph, allow_unused=True)
    how: dict[str, Any] = {"allow_unreachable": True, "accumulate_grad": False}
    return _engine(tuple(results), tuple(grads), retain_graph, create_graph, tuple(inputs), **how)


def _run_counted_here() -> int:
    return _runs.current


def _keeps_always() -> bool:
    return True


# Which run of the engine this is inside of; OUTSIDE for none.
run_number: Callable[[], int] = _current_run or _run_counted_here
# Whether the graph is kept after the run of the engine that this is inside of.
keeps_graph: Callable[[], bool] = _find("_C._autograd._get_current_graph_task_keep_graph") or _keeps_always


def is_shared(tensor: Tensor) -> bool:
    """Whether another tensor, a view or an exported buffer looks at the same memory, or it belongs to NumPy."""
    storage = tensor.untyped_storage()
    # Two uses are the tensor itself and the storage object made here.
    return _use_count is None or _use_count(storage._cdata) > 2 or not storage.resizable()


def _always_new(tensor: Tensor) -> Any:
    return object()


# How often a tensor was written to; unlike any other number where torch does not count.
version_of: Callable[[Tensor], Any] = attrgetter("_version") if _USED and hasattr(Tensor, "_version") else _always_new


def _is_never_zero(tensor: Tensor) -> bool:
    return False


# Whether torch knows that a gradient is zero, and gave it no memory.
is_zero: Callable[[Tensor], bool] = _find("Tensor._is_zerotensor") or _is_never_zero

# -- watching calls --------------------------------------------------------------------------------------------------

_below_autograd = _find("_C._AutoDispatchBelowADInplaceOrView")
_dispatch_mode = _find("utils._python_dispatch.TorchDispatchMode")
_included, _excluded = _find("_C._dispatch_tls_local_include_set"), _find("_C._dispatch_tls_local_exclude_set")
_dispatch_keys = _find("_C._ForceDispatchKeyGuard")
# Whether calls of a program can be captured.
can_watch = None not in (_below_autograd, _dispatch_mode, _included, _excluded, _dispatch_keys)
DispatchMode: Any = _dispatch_mode or object


def below_autograd() -> AbstractContextManager[Any]:
    """Without torch's bookkeeping of gradients, in a `with` block."""
    found: AbstractContextManager[Any] = _below_autograd()
    return found


def _keys_of_autograd() -> Any:
    before = _excluded()
    with below_autograd():
        return _excluded() - before


_AUTOGRAD = _keys_of_autograd() if can_watch else None


class _Bookkeeping(threading.local):
    """How many `within_autograd` a thread is inside of: below its own bookkeeping torch does not tell."""

    depth = 0


_bookkeeping = _Bookkeeping()


@contextmanager
def within_autograd() -> Iterator[None]:
    """With torch's bookkeeping of gradients again, in a `with` block inside of `below_autograd`."""
    if not can_watch:
        yield
        return
    _bookkeeping.depth += 1
    try:
        with _dispatch_keys(_included(), _excluded() - _AUTOGRAD):
            yield
    finally:
        _bookkeeping.depth -= 1


def is_within_autograd() -> bool:
    """Whether this is inside of `within_autograd`."""
    return _bookkeeping.depth > 0


def _flatten_here(tree: Any) -> tuple[list[Any], Any]:
    if isinstance(tree, dict):
        leaves, inner = _flatten_here(list(tree.values()))
        return leaves, (dict, list(tree), inner)
    if not isinstance(tree, (tuple, list)):
        return [tree], None
    parts = [_flatten_here(each) for each in tree]
    kind = list if isinstance(tree, list) else tuple
    return [leaf for leaves, _ in parts for leaf in leaves], (kind, [(len(leaves), inner) for leaves, inner in parts])


def _unflatten_here(leaves: Sequence[Any], structure: Any) -> Any:
    if structure is None:
        return leaves[0]
    if structure[0] is dict:
        return dict(zip(structure[1], _unflatten_here(leaves, structure[2]), strict=True))
    found, place = [], 0
    for length, inner in structure[1]:
        found.append(_unflatten_here(leaves[place : place + length], inner))
        place += length
    return structure[0](found)


tree_flatten = _find("utils._pytree.tree_flatten") or _flatten_here
tree_unflatten = _find("utils._pytree.tree_unflatten") or _unflatten_here


def many_compilations(limit: int) -> AbstractContextManager[Any]:
    """Lets torch's compiler compile one piece of code so often, in a `with` block."""
    config = _find("_dynamo.config")
    if config is None:
        return nullcontext()
    found: AbstractContextManager[Any] = config.patch(recompile_limit=limit, accumulated_recompile_limit=limit)
    return found


def compilation_error() -> type[Exception]:
    """Return the class of errors of torch's compiler, whose `inner_exception` is the cause. Imports the compiler."""
    found: type[Exception] = _find("_dynamo.exc.BackendCompilerFailed") or RuntimeError
    return found


# -- many tensors in one call ----------------------------------------------------------------------------------------


def _one_by_one(name: str) -> Callable[..., Any]:
    """A function of lists of tensors and numbers, from the one of tensors."""

    def call(tensor: Tensor, *others: Any, **options: Any) -> Tensor:
        if name == "norm":
            return torch.linalg.vector_norm(tensor)
        if name == "maximum_":
            return torch.maximum(tensor, *others, out=tensor)
        if name.startswith("addc") and len(others) == 3:
            *others, options["value"] = others  # type: ignore[assignment]
        found: Tensor = getattr(tensor, name)(*others, **options)
        return found

    def function(tensors: Sequence[Tensor], *others: Any, **options: Any) -> list[Tensor]:
        each = [other if isinstance(other, (list, tuple)) else [other] * len(tensors) for other in others]
        return [call(*given, **options) for given in zip(tensors, *each, strict=True)]

    return function


class _Foreach:
    """Torch's functions of lists of tensors: `foreach.add_(weights, steps)`."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        found = _find(f"_foreach_{name}") or _one_by_one(name)
        setattr(self, name, found)
        return found


foreach = _Foreach()
fused_sgd: Any = _find("_fused_sgd_")
fused_adam: Any = _find("_fused_adam_")

# -- profiling -------------------------------------------------------------------------------------------------------

_trace_config = _find("autograd.ProfilerConfig")
_range_of_trace = _find("_C._profiler._RecordFunctionFast")
_has_quick_traces = None not in (
    *(_trace_config, _range_of_trace, _find("autograd._prepare_profiler"), _find("autograd._enable_profiler")),
    *(_find("autograd._disable_profiler"), _find("_C._profiler._ExperimentalConfig")),
)
_is_tracing: Callable[[], bool] = _find("_C._autograd._profiler_enabled") or (lambda: False)
_LOG_LEVEL, _ERRORS_ONLY = "KINETO_LOG_LEVEL", "6"


class TraceEvent(NamedTuple):
    """Something that torch has timed.

    Attributes:
        name: of a range, an operator of torch or a kernel; `[memory]` for memory that was taken or given back.
        start: nanoseconds since the epoch.
        duration: nanoseconds.
        thread: torch's number of a thread of the CPU, or of a stream of another device.
        size: bytes taken or, below zero, given back.
        sequence: of an operator the number of the next gradient, of a gradient its own; -1 for none.
        forward_thread: of a gradient the thread that its operator ran in; 0 otherwise.
        device: its type in torch, such as `cpu`.
        device_index: which of these devices.
    """

    name: str
    start: int
    duration: int
    thread: int
    size: int
    sequence: int
    forward_thread: int
    device: str
    device_index: int


def trace_range(name: str) -> AbstractContextManager[Any]:
    """A range of traces under a name, in a `with` block of the thread that a trace was started in."""
    if _has_quick_traces:
        found: AbstractContextManager[Any] = _range_of_trace(name)
        return found
    return torch.profiler.record_function(name)


def start_trace(memory: bool) -> Any:
    """Starts to time this thread, and what runs on devices for it; returns what `stop_trace` needs.

    Raises:
        RuntimeError: somebody else does so.

    Torch's library logs each start and stop as if it were an error, unless it is told not to when it is first used.
    """
    if _is_tracing():
        raise RuntimeError("another profiler of torch is running")
    before = os.environ.get(_LOG_LEVEL)
    os.environ[_LOG_LEVEL] = before or _ERRORS_ONLY
    activities = {torch.profiler.ProfilerActivity.CPU}
    if torch.cuda.is_available():
        activities.add(torch.profiler.ProfilerActivity.CUDA)
    try:
        if not _has_quick_traces:
            public = torch.profiler.profile(activities=activities, profile_memory=memory, acc_events=True)
            public.start()
            return public
        state, options = torch.autograd.ProfilerState.KINETO, _find("_C._profiler._ExperimentalConfig")()
        config = _trace_config(state, False, memory, False, False, False, options, "")
        torch.autograd._prepare_profiler(config, activities)
        torch.autograd._enable_profiler(config, activities)
        return None
    finally:
        if before is None:
            del os.environ[_LOG_LEVEL]


def stop_trace(started: Any, origin: int) -> list[TraceEvent]:
    """What was timed since `start_trace`, in the same thread.

    Args:
        started: what that returned.
        origin: when that was, in nanoseconds since the epoch.
    """
    if _has_quick_traces:
        return [_event(each) for each in torch.autograd._disable_profiler().events()]
    started.stop()
    return [event for each in started.events() for event in _public_events(each, origin)]


def _public_events(each: Any, origin: int) -> list[TraceEvent]:
    """An event, and the memory that it kept in the end: torch's public interface tells no more."""
    start, duration = origin + int(each.time_range.start * 1000), int(each.time_range.elapsed_us() * 1000)
    where = each.fwd_thread or 0, each.device_type.name.lower(), max(each.device_index, 0)
    kept = each.self_cpu_memory_usage
    found = [TraceEvent("[memory]", start, 0, each.thread, kept, -1, *where)] if kept else []
    if each.name != "[memory]":
        found.append(TraceEvent(each.name, start, duration, each.thread, 0, each.sequence_nr, *where))
    return found


def _event(each: Any) -> TraceEvent:
    device = each.device_type().name.lower()
    return TraceEvent(
        *(each.name(), each.start_ns(), each.duration_ns()),
        *(each.start_thread_id() if device == "cpu" else each.device_resource_id(), each.nbytes()),
        *(each.sequence_nr(), each.fwd_thread_id(), device, max(each.device_index(), 0)),
    )


# -- kernels ---------------------------------------------------------------------------------------------------------

pack_filters: Any = _find("ops.mkldnn._reorder_convolution_weight")
convolve_packed: Any = _find("ops.mkldnn._convolution_pointwise.default")
convolve_packed_and_add: Any = _find("ops.mkldnn._convolution_pointwise.binary")
has_packed_convolutions: bool = None not in (pack_filters, convolve_packed, convolve_packed_and_add)
# Products of 8 bits: weights are packed first; data are uint8 with a zero point.
pack_filters_8_bits: Any = _find("ops.onednn.qconv_prepack.default")
convolve_8_bits: Any = _find("ops.onednn.qconv_pointwise.default")
convolve_8_bits_and_add: Any = _find("ops.onednn.qconv2d_pointwise.binary")
pack_matrix_8_bits: Any = _find("ops.onednn.qlinear_prepack.default")
multiply_8_bits: Any = _find("ops.onednn.qlinear_pointwise.default")
has_8_bits: bool = None not in (
    *(pack_filters_8_bits, convolve_8_bits, convolve_8_bits_and_add, pack_matrix_8_bits, multiply_8_bits),
)


def _softmax_backward_here(grad: Tensor, result: Tensor, axis: int, dtype: torch.dtype) -> Tensor:
    return (grad - (grad * result).sum(axis, keepdim=True)) * result


def _log_softmax_backward_here(grad: Tensor, result: Tensor, axis: int, dtype: torch.dtype) -> Tensor:
    return grad - result.exp() * grad.sum(axis, keepdim=True)


softmax_backward: Callable[..., Tensor] = _find("_softmax_backward_data") or _softmax_backward_here
log_softmax_backward: Callable[..., Tensor] = _find("_log_softmax_backward_data") or _log_softmax_backward_here
_standard_gamma = _find("_standard_gamma")
has_lapack: bool = _find("_C.has_lapack") is not False


def draw_standard_gamma(alpha: Tensor, generator: torch.Generator | None) -> Tensor:
    """Draws of the gamma distribution."""
    if _standard_gamma is not None:
        found: Tensor = _standard_gamma(alpha, generator=generator)
        return found
    return _gamma_here(alpha, generator)


def _gamma_here(alpha: Tensor, generator: torch.Generator | None) -> Tensor:
    """Marsaglia and Tsang's method, until all draws are accepted."""
    shape = alpha.double().clamp(min=torch.finfo(torch.float64).tiny)
    base = torch.where(shape < 1, shape + 1, shape) - 1 / 3
    found = torch.zeros_like(base)
    is_open = torch.ones_like(base, dtype=torch.bool)
    while bool(is_open.any()):
        normal = torch.empty_like(base).normal_(generator=generator)
        uniform = torch.empty_like(base).uniform_(generator=generator)
        cube = (1 + normal / (9 * base).sqrt()) ** 3
        bound = 0.5 * normal**2 + base - base * cube + base * cube.clamp(min=torch.finfo(torch.float64).tiny).log()
        accepted = is_open & (cube > 0) & (uniform.log() < bound)
        found = torch.where(accepted, base * cube, found)
        is_open &= ~accepted
    lift = torch.empty_like(base).uniform_(generator=generator) ** (1 / shape)
    return torch.where(shape < 1, found * lift, found).to(alpha.dtype)


# Gradients of operators, by their names in ATen: what torch's own rules call.
convolution_backward = torch.ops.aten.convolution_backward
embedding_dense_backward = torch.ops.aten.embedding_dense_backward
gelu_backward = torch.ops.aten.gelu_backward
leaky_relu_backward = torch.ops.aten.leaky_relu_backward
max_pool2d_with_indices = torch.ops.aten.max_pool2d_with_indices
max_pool2d_with_indices_backward = torch.ops.aten.max_pool2d_with_indices_backward
native_batch_norm_backward = torch.ops.aten.native_batch_norm_backward
native_layer_norm_backward = torch.ops.aten.native_layer_norm_backward
sigmoid_backward = torch.ops.aten.sigmoid_backward
tanh_backward = torch.ops.aten.tanh_backward
threshold_backward = torch.ops.aten.threshold_backward
