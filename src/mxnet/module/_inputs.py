"""Check a module's inputs and slice batches over devices."""

import warnings
from collections.abc import Sequence
from typing import Any

from regluon.arguments import nearest

from ..base import MXNetError
from ..context import Context
from ..io import DataDesc
from ..ndarray import NDArray, concat, slice_axis

__all__ = ["NotReadyError", "WrongUseError"]


_PARAMETER_ENDINGS = ("_weight", "_bias", "_gamma", "_beta")


def _check_input_names(symbol: Any, names: Sequence[str], typename: str, throw: bool) -> None:
    """Complains about names that the network has no argument of.

    Args:
        symbol: the network.
        names: the names.
        typename: what they name: "data", "label", "state" or "fixed_param".
        throw: raise ValueError, rather than warn.
    """
    known = symbol.list_arguments()
    for name in names:
        if name in known:
            continue
        inputs = [each for each in known if not each.endswith(_PARAMETER_ENDINGS)]
        near = nearest(name, known)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        text = (
            f"[Module] {typename}_names={list(names)}: {name!r} is not found in symbol.list_arguments(), whose inputs "
            f"are {', '.join(inputs) or 'none'}.{hint}"
        )
        if throw:
            raise ValueError(text)
        warnings.warn(text, stacklevel=3)


def _check_names_match(data_names: Sequence[str], data_shapes: Sequence[Any], name: str, throw: bool) -> None:
    """Complains if descriptions of data do not have the expected names.

    Args:
        data_names: the expected names.
        data_shapes: the descriptions.
        name: what they describe: "data" or "label".
        throw: raise ValueError, rather than warn.
    """
    if sorted(data_names) == sorted(each[0] for each in data_shapes):
        return
    text = (
        f"[Module] Data provided by {name}_shapes don't match names specified by {name}_names "
        f"({list(data_shapes)} vs. {list(data_names)})"
    )
    if throw:
        raise ValueError(text)
    warnings.warn(text, stacklevel=4)


def _parse_data_desc(
    data_names: Sequence[str], label_names: Sequence[str], data_shapes: Any, label_shapes: Any
) -> tuple[list[DataDesc], list[DataDesc] | None]:
    """Descriptions of data and labels as DataDesc, with their names checked."""
    data = described(data_shapes)
    _check_names_match(data_names, data, "data", True)
    labels = None if label_shapes is None else described(label_shapes)
    _check_names_match(label_names, labels or [], "label", False)
    return data, labels


def described(shapes: Any) -> list[DataDesc]:
    """Pairs of name and shape as DataDesc."""
    return [each if isinstance(each, DataDesc) else DataDesc(*each) for each in shapes]


class NotReadyError(MXNetError, AssertionError):
    """Something must be called before."""


class WrongUseError(MXNetError, AssertionError):
    """Arguments that do not go together, or with the module."""


def _load_general(data: Sequence[Any], targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    """Copies arrays to devices.

    Args:
        data: arrays, or for each a list with one array for each device.
        targets: for each an array, a list of arrays, or a list of pairs of slice and array.
        major_axis: for each the axis to cut, -1 to copy whole.
    """
    for source, target, axis in zip(data, targets, major_axis, strict=False):
        if isinstance(target, NDArray):
            source.copyto(target)
        elif isinstance(source, (list, tuple)):
            for part, destination in zip(source, target, strict=False):
                part.copyto(destination)
        else:
            for span, destination in target:
                _part(source, span, axis).copyto(destination)


def _part(source: NDArray, span: slice, axis: int) -> NDArray:
    if axis < 0 or (span.start == 0 and source.shape[axis] == span.stop):
        return source
    if axis == 0:
        part: NDArray = source[span.start : span.stop]
        return part
    return slice_axis(source, axis=axis, begin=span.start, end=span.stop)


def _load_batch(batch: Any, kind: str, targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    if isinstance(batch, list):  # one batch for each device
        by_array = [[getattr(each, kind)[place] for each in batch] for place in range(len(targets))]
        _load_general(by_array, [[array for _, array in target] for target in targets], major_axis)
    else:
        _load_general(getattr(batch, kind), targets, major_axis)


def _load_data(batch: Any, targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    """Copies the data of a batch to the devices."""
    _load_batch(batch, "data", targets, major_axis)


def _load_label(batch: Any, targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    """Copies the labels of a batch to the devices."""
    _load_batch(batch, "label", targets, major_axis)


def _merge_multi_context(outputs: Sequence[Sequence[NDArray]], major_axis: Sequence[int]) -> list[NDArray]:
    """Joins what several devices computed along the axis of the batch; takes the first where there is none."""
    return [
        concat(*[each.as_in_context(arrays[0].context) for each in arrays], dim=axis)
        if axis >= 0 and len(arrays) > 1
        else arrays[0]
        for arrays, axis in zip(outputs, major_axis, strict=False)
    ]


def _prepare_group2ctxs(group2ctxs: Any, ctx_len: int) -> list[dict[str, Context] | None]:
    """For each device a dict from groups of layers to contexts."""
    if group2ctxs is None:
        return [None] * ctx_len
    if isinstance(group2ctxs, list) and len(group2ctxs) == ctx_len:
        return group2ctxs
    if isinstance(group2ctxs, dict):
        by_device: list[dict[str, Context] | None] = []
        for place in range(ctx_len):
            chosen = {}
            for group, contexts in group2ctxs.items():
                contexts = [contexts] if isinstance(contexts, Context) else contexts
                if len(contexts) not in (1, ctx_len):
                    raise WrongUseError(
                        f"[group2ctxs] {group!r}: received {len(contexts)} contexts; expected 1 or {ctx_len}."
                    )
                chosen[group] = contexts[place if len(contexts) > 1 else 0]
            by_device.append(chosen)
        return by_device
    raise WrongUseError(
        f"[group2ctxs] received {group2ctxs!r}; expected a dict from groups to contexts, or a list of {ctx_len} such."
    )
