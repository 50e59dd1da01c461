"""Shapes and dtypes of an operator's results without data."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ..base import MXNetError
from ..errors import OpShapeError
from .registry import Operator, explained
from .shape_rules import Spec, alike, broadcast
from .signatures import Description


class _MetaContext:
    """Stands for a Context when only shapes are wanted."""

    device = torch.device("meta")


def _by_rule(operator: Operator, inputs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    """What a rule says, if there is one and the inputs are ordinary; see shape_rules.py."""
    if operator.alike and "dtype" not in operator.params and inputs:
        keeps_integers = operator.keeps_integers and params.get("is_int", True)
        return alike(inputs, operator.num_outputs(params, len(inputs)), keeps_integers)
    if operator.broadcasts:
        return broadcast(inputs)
    if operator.describes is not None:
        return _described(operator, inputs, operator.description(params))
    return None if operator.shape is None else operator.shape(inputs, operator.full_params(params))


def _described(operator: Operator, inputs: Sequence[Spec | None], description: Description) -> list[Spec]:
    arguments = inputs[: len(description.arguments)]
    try:
        shapes = description.infer_shapes([None if spec is None else spec[0] for spec in arguments])
        dtypes = description.infer_dtypes([None if spec is None else spec[1] for spec in arguments])
    except MXNetError as error:
        raise type(error)(f"[{operator.name}] {error}") from error.__cause__
    return list(zip(shapes.outputs, dtypes.outputs, strict=True))


def infer(
    operator: Operator, inputs: Sequence[Spec | None], params: Mapping[str, Any], training: bool = False
) -> list[Spec]:
    """Shapes and dtypes of the outputs: by a rule, or by running the operator on tensors without data."""
    try:
        found = _by_rule(operator, inputs, params)
    except MXNetError:
        raise
    except Exception as error:  # a rule that meets shapes or numbers it was not written for
        shapes = ", ".join("none" if spec is None else str(spec[0]) for spec in inputs) or "no inputs"
        raise OpShapeError(f"[{operator.name}] received inputs of the shapes {shapes}: {error}") from error
    if found is not None:
        return found
    try:
        tensors = [None if spec is None else torch.empty(spec[0], dtype=spec[1], device="meta") for spec in inputs]
    except (RuntimeError, OverflowError, TypeError) as error:  # more elements than can be counted
        shapes = ", ".join(str(spec[0]) for spec in inputs if spec is not None)
        raise OpShapeError(
            f"[{operator.name}] received inputs of the shapes {shapes}; expected lengths whose product can be counted."
        ) from error
    supplied = dict(params)
    if operator.placed:
        supplied["ctx"] = _MetaContext()
    if operator.needs_training:
        supplied["training"] = training
    if operator.needs_rng:
        supplied["rng"] = None
    try:
        results = operator.function(*tensors, **supplied)
    except Exception as error:
        raise explained(operator, tensors, error) from error
    if operator.auxiliary:
        results = results[0]
    if isinstance(results, torch.Tensor):
        results = (results,)
    return [(tuple(result.shape), result.dtype) for result in results]
