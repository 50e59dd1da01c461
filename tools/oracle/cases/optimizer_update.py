"""Optimizer steps on one weight."""

from tools.oracle.case import Case, Input, case, integers, uniform

WIDE = {"rescale_grad": 0.5, "clip_gradient": 0.2}


def like(*shape: int, dtype: str = "float32", count: int = 2) -> list[Input]:
    """A weight, a gradient and states that may be negative."""
    return [uniform(*shape, dtype=dtype) for _ in range(count)]


def squares(*shape: int, dtype: str = "float32") -> Input:
    """A state that is an average or a sum of squares."""
    return uniform(*shape, low=0.05, high=0.8, dtype=dtype)


def update(op: str, *inputs: Input, **params: object) -> Case:
    return case(op, *inputs, grad=False, **params)


def refused(op: str, count: int, **params: object) -> Case:
    """A gradient of another shape than the weight."""
    return update(op, uniform(3), *like(4, count=count - 1), error=True, **params)


def mixed(op: str, *shape: int, states: int, **params: object) -> Case:
    """A float16 weight with float32 states."""
    return update(op, *like(*shape, dtype="float16"), *like(*shape, count=states), **params)


CASES = [
    update("sgd_update", *like(3, 4), lr=0.1),
    update("sgd_update", *like(3, 4), lr=0.1, wd=0.05, **WIDE),
    update("sgd_update", *like(5, dtype="float64"), lr=0.1, wd=0.05, rescale_grad=0.25, lazy_update=False),
    update("sgd_update", *like(2, 3, dtype="float16"), lr=0.1, wd=0.05),
    update("sgd_update", *like(3), lr=0.1, clip_gradient=0.0, wd=0.1),
    update("sgd_update", *like(3), lr=0.0, wd=0.1),
    update("sgd_update", integers(3), integers(3), lr=0.1, error=True),
    refused("sgd_update", 2, lr=0.1),
    update("sgd_mom_update", *like(3, 4, count=3), lr=0.1),
    update("sgd_mom_update", *like(3, 4, count=3), lr=0.1, momentum=0.9, wd=0.05, rescale_grad=0.25),
    update("sgd_mom_update", *like(3, 4, count=3), lr=0.1, momentum=0.9, wd=0.05, **WIDE),
    update("sgd_mom_update", *like(5, dtype="float64", count=3), lr=0.1, momentum=0.9, wd=0.05, rescale_grad=0.5),
    update("sgd_mom_update", *like(5, dtype="float16", count=3), lr=0.1, momentum=0.9, wd=0.05),
    update("sgd_mom_update", *like(5, count=3), lr=1e-8, momentum=0.9, wd=0.05),
    refused("sgd_mom_update", 3, lr=0.1),
    mixed("mp_sgd_update", 3, 4, states=1, lr=0.1, wd=0.05),
    mixed("mp_sgd_update", 5, states=1, lr=0.1, wd=0.05, **WIDE),
    update("mp_sgd_update", *like(5, count=3), lr=0.1, wd=0.05),
    refused("mp_sgd_update", 3, lr=0.1),
    mixed("mp_sgd_mom_update", 3, 4, states=2, lr=0.1, momentum=0.9, wd=0.05),
    mixed("mp_sgd_mom_update", 5, states=2, lr=0.1, momentum=0.9, wd=0.05, **WIDE),
    refused("mp_sgd_mom_update", 4, lr=0.1),
    # Without decay: without out=weight, MXNet's momentum gets the decay of the old weight. test_operators.py has it.
    update("nag_mom_update", *like(3, 4, count=3), lr=0.1, momentum=0.9),
    update("nag_mom_update", *like(3, 4, count=3), lr=0.1, momentum=0.9, **WIDE),
    update("nag_mom_update", *like(5, dtype="float64", count=3), lr=0.1, momentum=0.8),
    refused("nag_mom_update", 3, lr=0.1),
    mixed("mp_nag_mom_update", 3, 4, states=2, lr=0.1, momentum=0.9, wd=0.05),
    mixed("mp_nag_mom_update", 5, states=2, lr=0.1, momentum=0.9, wd=0.05, **WIDE),
    refused("mp_nag_mom_update", 4, lr=0.1),
    update("signsgd_update", *like(3, 4), lr=0.1),
    update("signsgd_update", *like(5, dtype="float64"), lr=0.1, wd=0.05, **WIDE),
    refused("signsgd_update", 2, lr=0.1),
    update("signum_update", *like(3, 4, count=3), lr=0.1, momentum=0.9, wd=0.05),
    update("signum_update", *like(3, 4, count=3), lr=0.1, momentum=0.9, wd=0.05, wd_lh=0.1, **WIDE),
    update("signum_update", *like(5, dtype="float64", count=3), lr=0.1, momentum=0.5, wd_lh=0.1),
    refused("signum_update", 3, lr=0.1),
    update("adam_update", *like(3, 4, count=3), squares(3, 4), lr=0.1),
    update("adam_update", *like(3, 4, count=3), squares(3, 4), lr=0.1, wd=0.05, beta1=0.8, beta2=0.9, epsilon=0.01),
    update("adam_update", *like(3, 4, count=3), squares(3, 4), lr=0.1, wd=0.05, **WIDE),
    update(
        "adam_update",
        *like(5, dtype="float64", count=3),
        squares(5, dtype="float64"),
        lr=0.1,
        wd=0.05,
        rescale_grad=0.5,
        lazy_update=False,
    ),
    update("adam_update", *like(5, dtype="float16", count=3), squares(5, dtype="float16"), lr=0.1, wd=0.05),
    refused("adam_update", 4, lr=0.1),
    update("ftml_update", *like(3, 4), squares(3, 4), squares(3, 4), uniform(3, 4), lr=0.1, t=1),
    update(
        "ftml_update",
        *like(5),
        squares(5),
        squares(5),
        uniform(5),
        lr=0.1,
        t=7,
        wd=0.05,
        beta1=0.5,
        beta2=0.9,
        epsilon=0.01,
        rescale_grad=0.5,
        clip_grad=0.2,
    ),
    refused("ftml_update", 5, lr=0.1, t=1),
    update("ftrl_update", *like(3, 4, count=3), squares(3, 4), lr=0.1),
    update("ftrl_update", *like(3, 4, count=3), squares(3, 4), lr=0.1, lamda1=0.5, beta=0.5, wd=0.05, **WIDE),
    update("ftrl_update", *like(5, dtype="float64", count=3), squares(5, dtype="float64"), lr=0.1, lamda1=0.3),
    refused("ftrl_update", 4, lr=0.1),
    update("rmsprop_update", *like(3, 4), squares(3, 4), lr=0.1),
    update("rmsprop_update", *like(3, 4), squares(3, 4), lr=0.1, gamma1=0.8, epsilon=0.01, wd=0.05, **WIDE),
    update("rmsprop_update", *like(3, 4), squares(3, 4), lr=0.1, clip_weights=0.3),
    refused("rmsprop_update", 3, lr=0.1),
    update("rmspropalex_update", *like(3, 4), squares(3, 4), uniform(3, 4, low=-0.1, high=0.1), uniform(3, 4), lr=0.1),
    update(
        "rmspropalex_update",
        *like(5),
        squares(5),
        uniform(5, low=-0.1, high=0.1),
        uniform(5),
        lr=0.1,
        gamma1=0.8,
        gamma2=0.7,
        epsilon=0.01,
        wd=0.05,
        clip_weights=0.5,
        **WIDE,
    ),
    refused("rmspropalex_update", 5, lr=0.1),
]
