"""Arrays as notebooks show them: a small table, and what it is a part of."""

from html import escape
from typing import Any

import numpy as np

from ..autograd.recording import plain

_ROWS, _COLUMNS = 20, 10
_GAP = "<td>&hellip;</td>"


def array_html(array: Any) -> str:
    """A table of at most 20 rows and 10 columns; of an array with more axes than two, its first matrix."""
    caption = _caption(array)
    shape = tuple(array.shape)
    if 0 in shape:
        return f"<div>{caption}</div>"
    tensor = plain(array).detach()
    leading = len(shape) - 2
    for _ in range(leading):
        tensor = tensor[0]
    tensor = tensor.reshape((1,) * (2 - tensor.dim()) + tuple(tensor.shape))
    rows, columns = _shown(tensor.shape[0], _ROWS), _shown(tensor.shape[1], _COLUMNS)
    values = tensor[rows][:, columns].cpu()
    values = values.float() if str(values.dtype) == "torch.bfloat16" else values
    gaps = len(rows) < tensor.shape[0], len(columns) < tensor.shape[1]
    table = _table(values.numpy(), gaps)
    part = f"[{'0, ' * leading}:, :] of " if leading > 0 else ""
    return f"<div>{table}<small>{part}{caption}</small></div>"


def sparse_html(array: Any) -> str:
    """What a sparse array is; its values are few among many zeros and stay where they are."""
    return f"<div><small>{_caption(array)}, {escape(str(array.stype))}</small></div>"


def _caption(array: Any) -> str:
    kind = np.dtype(array.dtype).name if array.dtype != "bfloat16" else "bfloat16"
    shape = "&times;".join(map(str, array.shape)) or "()"
    return f"{escape(type(array).__name__)} {shape}, {escape(kind)}, @{escape(str(array.context))}"


def _shown(length: int, limit: int) -> list[int]:
    """Places of the elements to show: all, or the first and the last ones."""
    if length <= limit:
        return [*range(length)]
    last = limit // 4
    return [*range(limit - last), *range(length - last, length)]


def _table(values: "np.ndarray[Any, Any]", gaps: tuple[bool, bool]) -> str:
    lines = [_row(row, gaps[1]) for row in values]
    if gaps[0]:
        lines.insert(_ROWS - _ROWS // 4, f"<tr>{_GAP * (values.shape[1] + gaps[1])}</tr>")
    return f'<table style="text-align:right;font-family:monospace">{"".join(lines)}</table>'


def _row(values: "np.ndarray[Any, Any]", gap: bool) -> str:
    cells = [f"<td>{escape(_text(value))}</td>" for value in values]
    if gap:
        cells.insert(_COLUMNS - _COLUMNS // 4, _GAP)
    return f"<tr>{''.join(cells)}</tr>"


def _text(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, (float, np.floating)) else str(value)
