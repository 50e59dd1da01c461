"""Train with mixed precision."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from regluon.ops.precision import CastRule, clear_rules, set_rule
from regluon.ops.registry import find

from ...gluon.contrib.estimator._setup import MixedPrecision, set_mixed_precision
from ...gluon.trainer import Trainer
from ...optimizer import Optimizer
from ._conversion import (
    AmpError,
    Condition,
    Precision,
    cast_dtype,
    check_conditions,
    check_names,
    list_conditional_fp32_ops,
    list_fp32_ops,
    list_loss_output_functions,
    list_lp16_ops,
    list_lp16_use_fp32_params,
    low_precision,
    precisions,
)
from .loss_scaler import LossScaler

# Operators that refuse a mixture of precisions, though MXNet's lists leave them alone: always, or with a parameter.
_ALIKE = ("Concat",)
_ALIKE_WHERE: list[Condition] = [("LeakyReLU", "act_type", ["prelu"])]


class _State:
    """What `init` did: the low precision in force, and the scaler that losses written as operators look at."""

    dtype: str | None = None
    scaler: LossScaler | None = None
    is_scaler_given = False  # to a trainer; further ones have scalers of their own


_state = _State()


def is_initialized() -> bool:
    """Whether `init` was called."""
    return _state.dtype is not None


def init(
    target_dtype: Any = "float16",
    target_precision_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    fp32_ops: Sequence[str] | None = None,
) -> None:
    """Makes operators cast their inputs, on arrays and in networks that are hybridized from now on.

    Call it once, before the network is made. On a CPU take bfloat16: torch computes float16 slowly there, or not at
    all.

    Args:
        target_dtype: the low precision, 'float16' or 'bfloat16'.
        target_precision_ops: operators to run in it, in place of `list_lp16_ops`.
        conditional_fp32_ops: those to run in float32 where a parameter has one of some values, in place of
            `list_conditional_fp32_ops`.
        fp32_ops: those to run in float32, in place of `list_fp32_ops`.
    """
    target = low_precision(target_dtype, "amp.init")
    if _state.dtype is not None:
        if _state.dtype != target:
            warnings.warn(
                f"[amp.init] mixed precision with {_state.dtype} is in force already; {target} is not taken. Call "
                "amp.init once.",
                stacklevel=2,
            )
        return
    low = _listed("target_precision_ops", target_precision_ops, list_lp16_ops(target))
    single = _listed("fp32_ops", fp32_ops, list_fp32_ops(target))
    conditional = (
        list_conditional_fp32_ops(target)
        if conditional_fp32_ops is None
        else check_conditions("amp.init", conditional_fp32_ops)
    )
    scaler = LossScaler()
    by_operator = precisions(target, low, single, [*conditional, *_ALIKE_WHERE])
    for name in _ALIKE:
        by_operator.setdefault(name, Precision("widest"))
    for name, precision in by_operator.items():
        if not name.endswith("_update"):  # optimizers compute in the precision of their weights
            set_rule(find(name), _rule(name, target, precision, scaler))
    _state.dtype, _state.scaler = target, scaler
    logging.info("Using AMP")


def _listed(argument: str, given: Sequence[str] | None, default: list[str]) -> list[str]:
    return default if given is None else check_names("amp.init", argument, given)


def _rule(name: str, target: str, precision: Precision, scaler: LossScaler) -> CastRule:
    scale = (lambda: scaler.loss_scale) if name in list_loss_output_functions(target) else None
    kept: list[str] = []
    if precision.kind == "low":
        kept = (list_lp16_use_fp32_params(target) or {}).get(name, [])
    return CastRule(cast_dtype(target, precision), precision.conditions, kept, scale)


def _take_back() -> None:
    """Undoes `init`; trainers that have scalers keep them."""
    clear_rules()
    _state.dtype, _state.scaler, _state.is_scaler_given = None, None, False


def init_trainer(optimizer_or_trainer: Any) -> None:
    """Gives a Trainer a scaler of the loss: `step` divides gradients by the factor, and is left out if they overflow.

    Args:
        optimizer_or_trainer: a gluon Trainer.
    """
    if _state.dtype is None:
        raise AmpError("[amp.init_trainer] mixed precision is not in force. Call amp.init() first.")
    trainer = _trainer("amp.init_trainer", optimizer_or_trainer)
    scaler = LossScaler() if _state.is_scaler_given else _state.scaler
    _state.is_scaler_given = True
    trainer._amp_loss_scaler = scaler
    trainer._amp_original_scale = trainer._scale


@contextmanager
def scale_loss(loss: Any, optimizer_or_trainer: Any) -> Iterator[Any]:
    """The loss times the trainer's factor, to call `backward` on, inside `autograd.record()`.

    Args:
        loss: an array, or a list of them.
        optimizer_or_trainer: the Trainer that was given to `init_trainer`.
    """
    trainer = _trainer("amp.scale_loss", optimizer_or_trainer)
    scaler = trainer._amp_loss_scaler
    if scaler is None:
        raise AmpError("[amp.scale_loss] the trainer has no scaler. Call amp.init_trainer(trainer) first.")
    trainer._scale = trainer._amp_original_scale / scaler.loss_scale
    if isinstance(loss, (list, tuple)):
        yield [each * scaler.loss_scale for each in loss]
    else:
        yield loss * scaler.loss_scale


def unscale(optimizer_or_trainer: Any) -> None:
    """Divides the gradients by the factor now, not at the step: for clipping them.

    Args:
        optimizer_or_trainer: the Trainer that was given to `init_trainer`.
    """
    trainer = _trainer("amp.unscale", optimizer_or_trainer)
    for parameter in trainer._params:
        for gradient in parameter._grad or ():
            gradient[:] = gradient * trainer._scale
    trainer._scale = 1.0


def _trainer(who: str, given: Any) -> Trainer:
    if isinstance(given, Trainer):
        return given
    if isinstance(given, Optimizer):
        raise TypeError(f"[{who}] received an Optimizer; expected the gluon.Trainer that uses it.")
    raise TypeError(f"[{who}] received {type(given).__name__}; expected a gluon.Trainer.")


set_mixed_precision(MixedPrecision(init, init_trainer, scale_loss))
