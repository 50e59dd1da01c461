"""Moving batches to devices, and results back."""

from collections.abc import Sequence
from typing import Any

from ..context import Context
from ..ndarray import NDArray, concat, slice_axis
from ._errors import WrongUseError


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
