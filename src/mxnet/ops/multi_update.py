"""One step of an optimizer on many weights at once.

Inputs lie weight by weight, each followed by its gradient and states: (weight, grad, mom, weight, grad, mom, ...). The
results are the new weights, to be written with `out=weights`; states are written by the operator.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from ..error import OpParamError, OpShapeError
from .adaptive_update import adamw_step
from .optimizer_update import copies
from .params import Floats, Shape
from .registry import operator
from .update_rules import check_alike, run


def _num_weights(params: Mapping[str, Any]) -> int:
    count: int = params["num_weights"]
    return count


def _num_tensors(params: Mapping[str, Any]) -> int:
    count: int = params["num_tensors"]
    return count


def _states(size: int, more: int = 0) -> Callable[[int], tuple[int, ...]]:
    """Positions of the states, kind by kind: in groups of `size` inputs, all but the first two; `more` stand last."""

    def positions(count: int) -> tuple[int, ...]:
        return tuple(place for kind in range(2, size) for place in range(kind, count - more, size))

    return positions


def _columns(data: Sequence[Tensor], size: int, count: int, name: str, more: int = 0) -> list[list[Tensor]]:
    """The inputs kind by kind: weights, gradients, each kind of state."""
    if count < 1 or len(data) != size * count + more:
        raise OpShapeError(
            f"expected {size} inputs for each of {name}={count} weights, and {more} more, got {len(data)}"
        )
    return [[tensor.detach() for tensor in data[place : size * count : size]] for place in range(size)]


def _expect_rates(count: int, **rates: Sequence[Any]) -> None:
    for name, values in rates.items():
        if len(values) != count:
            raise OpParamError(f"{name} has {len(values)} numbers; expected {count}, one for each weight")


def _moved(rule: str, columns: list[list[Tensor]], **params: Any) -> Any:
    weights, grads, *states = columns
    new, *updates = [copies(*tensors) for tensors in (weights, *states)]
    run(rule, new, grads, *updates, **params)
    return tuple(new), [state for kind in updates for state in kind]


def _moved_mixed(rule: str, columns: list[list[Tensor]], **params: Any) -> Any:
    """The same for weights of lower precision, whose float32 copies come last."""
    weights, grads, *states = columns
    check_alike(weights, grads, names=["grad"])
    updates = [copies(*tensors) for tensors in states]
    wide = updates[-1]
    run(rule, wide, [grad.to(copy.dtype) for grad, copy in zip(grads, wide, strict=True)], *updates[:-1], **params)
    new = tuple(copy.to(weight.dtype, copy=True) for weight, copy in zip(weights, wide, strict=True))
    return new, [state for kind in updates for state in kind]


def _without_states(result: Any) -> Any:
    return result[0]


@operator("multi_sgd_update", outputs=_num_weights)
def multi_sgd_update(
    *data: Tensor,
    lrs: Floats,
    wds: Floats,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> Any:
    """`sgd_update` of many weights.

    Args:
        *data: weight and gradient of each.
        lrs: their learning rates.
        wds: their weight decays.
        rescale_grad: what to multiply the gradients by.
        clip_gradient: limit of the gradients' elements; below 0 means none.
        num_weights: how many there are.
    """
    columns = _columns(data, 2, num_weights, "num_weights")
    _expect_rates(num_weights, lrs=lrs, wds=wds)
    numbers = {"rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _without_states(_moved("sgd", columns, lr=list(lrs), wd=list(wds), **numbers))


@operator("multi_sgd_mom_update", outputs=_num_weights, auxiliary=_states(3))
def multi_sgd_mom_update(
    *data: Tensor,
    lrs: Floats,
    wds: Floats,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> Any:
    """`sgd_mom_update` of many weights: weight, gradient and momentum of each."""
    columns = _columns(data, 3, num_weights, "num_weights")
    _expect_rates(num_weights, lrs=lrs, wds=wds)
    numbers = {"momentum": momentum, "rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _moved("sgd_momentum", columns, lr=list(lrs), wd=list(wds), **numbers)


@operator("multi_mp_sgd_update", outputs=_num_weights, auxiliary=_states(3))
def multi_mp_sgd_update(
    *data: Tensor,
    lrs: Floats,
    wds: Floats,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> Any:
    """`mp_sgd_update` of many weights: weight, gradient and float32 weight of each."""
    columns = _columns(data, 3, num_weights, "num_weights")
    _expect_rates(num_weights, lrs=lrs, wds=wds)
    numbers = {"rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _moved_mixed("sgd", columns, lr=list(lrs), wd=list(wds), **numbers)


@operator("multi_mp_sgd_mom_update", outputs=_num_weights, auxiliary=_states(4))
def multi_mp_sgd_mom_update(
    *data: Tensor,
    lrs: Floats,
    wds: Floats,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> Any:
    """`mp_sgd_mom_update` of many weights: weight, gradient, momentum and float32 weight of each."""
    columns = _columns(data, 4, num_weights, "num_weights")
    _expect_rates(num_weights, lrs=lrs, wds=wds)
    numbers = {"momentum": momentum, "rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _moved_mixed("sgd_momentum", columns, lr=list(lrs), wd=list(wds), **numbers)


def _preloaded(data: Sequence[Tensor], count: int) -> dict[str, Sequence[Tensor]]:
    """The learning rates and weight decays that stand last among the inputs, in arrays of their own."""
    rates: dict[str, Sequence[Tensor]] = {}
    for name, tensor in zip(("lr", "wd"), data[-2:], strict=True):
        if tensor.numel() != count:
            raise OpShapeError(f"expected {name}s of {count} elements, one for each weight, got {tuple(tensor.shape)}")
        rates[name] = tensor.detach().reshape(-1).unbind()
    return rates


@operator("preloaded_multi_sgd_update", outputs=_num_weights)
def preloaded_multi_sgd_update(
    *data: Tensor, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1
) -> Any:
    """`multi_sgd_update` with the learning rates and the weight decays in two arrays after the other inputs."""
    columns = _columns(data, 2, num_weights, "num_weights", more=2)
    numbers = {"rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _without_states(_moved("sgd", columns, **_preloaded(data, num_weights), **numbers))


@operator("preloaded_multi_sgd_mom_update", outputs=_num_weights, auxiliary=_states(3, more=2))
def preloaded_multi_sgd_mom_update(
    *data: Tensor,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> Any:
    """`multi_sgd_mom_update` with the learning rates and the weight decays in two arrays after the other inputs."""
    columns = _columns(data, 3, num_weights, "num_weights", more=2)
    numbers = {"momentum": momentum, "rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _moved("sgd_momentum", columns, **_preloaded(data, num_weights), **numbers)


@operator("preloaded_multi_mp_sgd_update", outputs=_num_weights, auxiliary=_states(3, more=2))
def preloaded_multi_mp_sgd_update(
    *data: Tensor, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1
) -> Any:
    """`multi_mp_sgd_update` with the learning rates and the weight decays in two arrays after the other inputs."""
    columns = _columns(data, 3, num_weights, "num_weights", more=2)
    numbers = {"rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _moved_mixed("sgd", columns, **_preloaded(data, num_weights), **numbers)


@operator("preloaded_multi_mp_sgd_mom_update", outputs=_num_weights, auxiliary=_states(4, more=2))
def preloaded_multi_mp_sgd_mom_update(
    *data: Tensor,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> Any:
    """`multi_mp_sgd_mom_update` with the learning rates and weight decays in two arrays after the other inputs."""
    columns = _columns(data, 4, num_weights, "num_weights", more=2)
    numbers = {"momentum": momentum, "rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _moved_mixed("sgd_momentum", columns, **_preloaded(data, num_weights), **numbers)


@operator("_multi_adamw_update", outputs=_num_weights, auxiliary=_states(4, more=1))
def multi_adamw_update(
    *data: Tensor,
    lrs: Floats,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wds: Floats,
    etas: Floats,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> Any:
    """`_adamw_update` of many weights: weight, gradient, mean and var of each, then one rescale_grad for all."""
    weights, grads, means, variances = _columns(data, 4, num_weights, "num_weights", more=1)
    _expect_rates(num_weights, lrs=lrs, wds=wds, etas=etas)
    numbers: dict[str, Any] = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "clip_gradient": clip_gradient}
    rates = {"lr": list(lrs), "wd": list(wds), "eta": list(etas)}
    new, means, variances = adamw_step(weights, grads, means, variances, data[-1], **rates, **numbers)
    return tuple(new), [*means, *variances]


@operator("_multi_mp_adamw_update", outputs=_num_weights, auxiliary=_states(5, more=1))
def multi_mp_adamw_update(
    *data: Tensor,
    lrs: Floats,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wds: Floats,
    etas: Floats,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> Any:
    """`_mp_adamw_update` of many weights: weight, gradient, mean, var, float32 weight; then one rescale_grad."""
    weights, grads, means, variances, wide = _columns(data, 5, num_weights, "num_weights", more=1)
    _expect_rates(num_weights, lrs=lrs, wds=wds, etas=etas)
    check_alike(weights, grads, names=["grad"])
    numbers: dict[str, Any] = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "clip_gradient": clip_gradient}
    wide_grads = [grad.to(copy.dtype) for grad, copy in zip(grads, wide, strict=True)]
    rates = {"lr": list(lrs), "wd": list(wds), "eta": list(etas)}
    copied, means, variances = adamw_step(wide, wide_grads, means, variances, data[-1], **rates, **numbers)
    new = tuple(copy.to(weight.dtype, copy=True) for weight, copy in zip(weights, copied, strict=True))
    return new, [*means, *variances, *copied]


@operator("_multi_lamb_update", outputs=_num_tensors, auxiliary=_states(4))
def multi_lamb_update(
    *data: Tensor,
    learning_rates: Floats,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    wds: Floats,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: Shape,
    num_tensors: int = 1,
) -> Any:
    """Both phases of LAMB on many weights: weight, gradient, mean and var of each."""
    columns = _columns(data, 4, num_tensors, "num_tensors")
    _expect_rates(num_tensors, learning_rates=learning_rates, wds=wds, step_count=step_count)
    return _moved(
        "lamb",
        columns,
        lr=list(learning_rates),
        wd=list(wds),
        t=list(step_count),
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        bias_correction=bias_correction,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
        lower_bound=lower_bound,
        upper_bound=upper_bound,
    )


@operator("_multi_mp_lamb_update", outputs=_num_tensors, auxiliary=_states(5))
def multi_mp_lamb_update(
    *data: Tensor,
    learning_rates: Floats,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    wds: Floats,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: Shape,
    num_tensors: int = 1,
) -> Any:
    """Both phases of LAMB on many weights of lower precision: weight, gradient, mean, var, float32 weight of each."""
    columns = _columns(data, 5, num_tensors, "num_tensors")
    _expect_rates(num_tensors, learning_rates=learning_rates, wds=wds, step_count=step_count)
    return _moved_mixed(
        "lamb",
        columns,
        lr=list(learning_rates),
        wd=list(wds),
        t=list(step_count),
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        bias_correction=bias_correction,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
        lower_bound=lower_bound,
        upper_bound=upper_bound,
    )
