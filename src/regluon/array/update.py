"""Optimizer steps on arrays: whole lists of weights in place, and `nd.contrib`'s functions for one step.

`fused_update` is how optimizers reach ops/updates: one call for all weights, nothing allocated for results.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Any, TypedDict

import torch

from ..autograd.recording import plain, state
from ..base import MXNetError
from ..config import process
from ..dtypes import torch_dtype
from ..errors import OpTypeError
from ..ops.registry import find
from ..ops.updates import run
from ..runtime.handle import SparseOperand
from ..runtime.invoke import check_writable, invoke
from ..torch_private import foreach
from .creation import full
from .dense import NDArray
from .rows import rows_of, stored_rows, write_rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "adamw_update",
    "mp_adamw_update",
    "multi_adamw_update",
    "multi_mp_adamw_update",
    "multi_lamb_update",
    "multi_mp_lamb_update",
]


def fused_update(
    rule: str,
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    *states: Sequence[NDArray],
    **params: Any,
) -> None:
    """Moves many weights at once, in place.

    Args:
        rule: name of one of ops/updates.
        weights: arrays of one dtype on one device.
        grads: one for each weight.
        *states: for each kind of state that the rule has, one for each weight; they are written as well.
        **params: what the rule needs: `lr` and `wd` are lists, or 1-D arrays, of one number for each weight. `lazy`
            says whether a sparse gradient moves only the rows that it has, by the rules that can do so; it does.
    """
    if state.tape is not None:
        for array in chain(weights, *states):
            check_writable(array, rule)
    lazy = params.pop("lazy", True)
    numbers = {name: plain(value).unbind() if isinstance(value, NDArray) else value for name, value in params.items()}
    try:
        lists = [_tensors(rule, arrays) for arrays in (weights, grads, *states)]
    except SparseOperand:
        with _in_range(rule):
            for position, arrays in enumerate(zip(weights, grads, *states, strict=True)):
                _update_one(rule, arrays, {name: _share(value, position) for name, value in numbers.items()}, lazy)
        return
    try:
        if process.tracer is None:
            run(rule, *lists, **numbers)
        else:
            with _in_range(rule):
                run(rule, *lists, **numbers)
    except MXNetError as error:
        raise type(error)(f"[{rule}] {error}") from error


# The operators of MXNet that do what rules do, where they are not named alike.
_SHOWN_NAMES = {"sgd": "multi_sgd_update", "sgd_momentum": "multi_sgd_mom_update"}


def _in_range(rule: str) -> AbstractContextManager[Any]:
    """A range of the profiler around an update; nothing while none runs."""
    tracer = process.tracer
    return nullcontext() if tracer is None else tracer.whole(_SHOWN_NAMES.get(rule, f"{rule}_update"))


# Rules that know each row by itself, as MXNet's optimizers use them; `ftrl` only if the weight is sparse as well.
_ROW_RULES = {"sgd", "sgd_momentum", "adam", "adagrad", "group_adagrad", "ftrl"}


def _share(value: Any, position: int) -> Any:
    """What a parameter is for one of the weights."""
    return value[position : position + 1] if isinstance(value, (list, tuple)) else value


def _update_one(rule: str, arrays: Sequence[NDArray], params: dict[str, Any], lazy: bool) -> None:
    """Moves one weight of which the gradient, or itself, may be sparse.

    Args:
        rule: name of one of ops/updates.
        arrays: the weight, its gradient and its states.
        params: what the rule needs.
        lazy: see `fused_update`.
    """
    weight, grad, *states = arrays
    by_rows = lazy and rule in _ROW_RULES and grad.stype == "row_sparse"
    if by_rows and (rule != "ftrl" or weight.stype == "row_sparse"):
        rows, slope = stored_rows(grad)
        written = weight, *states
        first, *rest = parts = [rows_of(array, rows) for array in written]
        run(rule, [first], [slope], *([part] for part in rest), **params)
        for array, part in zip(written, parts, strict=True):
            write_rows(array, rows, part)
        return
    dense = [array if array.stype == "default" else array.tostype("default") for array in arrays]
    run(rule, *([plain(array)] for array in dense), **params)
    for array, result in zip((weight, *states), (dense[0], *dense[2:]), strict=True):
        if array is not result:
            result.copyto(array)


def _tensors(who: str, arrays: Sequence[NDArray]) -> list[torch.Tensor]:
    try:
        # Memory under a gradient's leaf must be written through a tensor that torch does not watch: see `plain`.
        return [plain(array) if array._t.requires_grad else array._t for array in arrays]
    except AttributeError:
        wrong = next(array for array in arrays if not isinstance(array, NDArray))
        raise OpTypeError(f"[{who}] received {type(wrong).__name__}; expected an NDArray.") from None


def are_apart(arrays: Sequence[NDArray]) -> bool:
    """Whether no two dense arrays look at the same memory, so that all of them can be written at once."""
    seen = [array._t.untyped_storage().data_ptr() for array in arrays if array.stype == "default"]
    return len(set(seen)) == len(seen)


def cast_arrays(arrays: Sequence[NDArray], dtype: Any) -> list[NDArray]:
    """New arrays of another dtype, all at once."""
    if any(array.stype != "default" for array in arrays):
        return [array.astype(dtype) for array in arrays]
    kind = torch_dtype(dtype)
    return [
        NDArray(tensor.to(kind), array._ctx) for array, tensor in zip(arrays, _tensors("cast", arrays), strict=True)
    ]


def copy_arrays(sources: Sequence[NDArray], targets: Sequence[NDArray]) -> None:
    """Writes arrays over others, which may be of another dtype, all at once."""
    if any(array.stype != "default" for array in (*sources, *targets)):
        for source, target in zip(sources, targets, strict=True):
            source.astype(target.dtype).copyto(target)
        return
    foreach.copy_(_tensors("copy", targets), _tensors("copy", sources))


def _call(name: str, inputs: Sequence[NDArray], params: dict[str, Any], out: Any) -> Any:
    operator = find(name)
    given, parsed = operator.bind(inputs, params)
    return invoke(operator, given, parsed, out, NDArray)


def _factor(rescale_grad: Any, like: NDArray) -> NDArray:
    if isinstance(rescale_grad, NDArray):
        return rescale_grad.as_in_context(like._ctx)
    return full((1,), rescale_grad, ctx=like._ctx)


def _woven(*lists: Sequence[NDArray]) -> list[NDArray]:
    """Weight by weight: the order that the operators on many weights take."""
    return list(chain.from_iterable(zip(*lists, strict=True)))


class Adam(TypedDict, total=False):
    """Parameters of the rules of Adam."""

    beta1: float
    beta2: float
    epsilon: float
    clip_gradient: float


class DecayedAdam(Adam, total=False):
    """Of one weight."""

    wd: float


class Lamb(Adam, total=False):
    """Parameters of LAMB."""

    rescale_grad: float
    lower_bound: float
    upper_bound: float
    bias_correction: bool


def adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    rescale_grad: NDArray | float,
    lr: float,
    eta: float,
    out: NDArray | None = None,
    name: str | None = None,
    **params: "Unpack[DecayedAdam]",
) -> NDArray:
    """One step of AdamW; see `_adamw_update`. `rescale_grad` is a number or an array of one."""
    given = {**params, "lr": lr, "eta": eta}
    return _call("_adamw_update", [weight, grad, mean, var, _factor(rescale_grad, weight)], given, out)


def mp_adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    weight32: NDArray,
    rescale_grad: NDArray | float,
    lr: float,
    eta: float,
    out: NDArray | None = None,
    name: str | None = None,
    **params: "Unpack[DecayedAdam]",
) -> NDArray:
    """`adamw_update` in float32 for a weight of lower precision."""
    given = {**params, "lr": lr, "eta": eta}
    inputs = [weight, grad, mean, var, weight32, _factor(rescale_grad, weight)]
    return _call("_mp_adamw_update", inputs, given, out)


def multi_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    rescale_grad: NDArray | float,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Sequence[NDArray] | NDArray | None = None,
    name: str | None = None,
    size: int = 0,
    **params: "Unpack[Adam]",
) -> NDArray | list[NDArray]:
    """`adamw_update` of many weights."""
    given = {**params, "num_weights": size or len(weights), "lrs": lrs, "wds": wds, "etas": etas}
    inputs = [*_woven(weights, grads, mean, var), _factor(rescale_grad, weights[0])]
    return _call("_multi_adamw_update", inputs, given, out)


def multi_mp_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    rescale_grad: NDArray | float,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Sequence[NDArray] | NDArray | None = None,
    name: str | None = None,
    size: int = 0,
    **params: "Unpack[Adam]",
) -> NDArray | list[NDArray]:
    """`mp_adamw_update` of many weights."""
    given = {**params, "num_weights": size or len(weights), "lrs": lrs, "wds": wds, "etas": etas}
    inputs = [*_woven(weights, grads, mean, var, weights32), _factor(rescale_grad, weights[0])]
    return _call("_multi_mp_adamw_update", inputs, given, out)


def multi_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Sequence[NDArray] | NDArray | None = None,
    num_tensors: int = 0,
    **params: "Unpack[Lamb]",
) -> NDArray | list[NDArray]:
    """One step of LAMB on many weights; see `_multi_lamb_update`."""
    given = {
        **params,
        "num_tensors": num_tensors or len(weights),
        "step_count": step_count,
        "learning_rates": lrs,
        "wds": wds,
    }
    return _call("_multi_lamb_update", _woven(weights, grads, mean, var), given, out)


def multi_mp_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Sequence[NDArray] | NDArray | None = None,
    num_tensors: int = 0,
    **params: "Unpack[Lamb]",
) -> NDArray | list[NDArray]:
    """`multi_lamb_update` in float32 for weights of lower precision."""
    given = {
        **params,
        "num_tensors": num_tensors or len(weights),
        "step_count": step_count,
        "learning_rates": lrs,
        "wds": wds,
    }
    return _call("_multi_mp_lamb_update", _woven(weights, grads, mean, var, weights32), given, out)
