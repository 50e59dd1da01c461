"""Numbers and tables as text."""

from collections.abc import Sequence
from typing import Any


def bytes_text(count: int) -> str:
    """A number of bytes in a unit that reads well."""
    size = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            break
        size /= 1024
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"


def table(rows: Sequence[Sequence[Any]], limit: int = 0) -> list[str]:
    """Lines of columns; with a limit, the middle of a long table is left out."""
    texts = [[str(field) for field in row] for row in rows]
    hidden = 0
    if limit and len(texts) > limit:
        hidden = len(texts) - limit
        texts = texts[: limit - limit // 4] + texts[len(texts) - limit // 4 :]
    widths = [max(len(row[column]) for row in texts) for column in range(len(texts[0]))] if texts else []
    lines = ["  " + "  ".join(field.ljust(width) for field, width in zip(row, widths, strict=True)) for row in texts]
    if hidden:
        lines.insert(limit - limit // 4, f"  ... {hidden} more; --all shows them")
    return [line.rstrip() for line in lines]


def listed(names: Sequence[str], limit: int = 12) -> str:
    """Names in a line, not too many."""
    shown = ", ".join(names[:limit])
    return f"{shown}, ... ({len(names)} in all)" if len(names) > limit else shown
