"""Blocks as notebooks show them: a tree to open, with parameters and their shapes."""

from collections.abc import Iterator
from html import escape
from math import prod
from typing import Any

from .parameter import shape_is_known

_MOST_BLOCKS = 300
_OPEN_LEVELS = 1


def block_html(block: Any) -> str:
    """The block and its children as nested lists that can be opened, with the number of their parameters."""
    left = [_MOST_BLOCKS]
    tree = "".join(_tree("", block, 0, left))
    more = "" if left[0] >= 0 else f"<div>&hellip; {-left[0]} more blocks</div>"
    return f'<div style="font-family:monospace">{tree}{more}</div>'


def _tree(key: str, block: Any, level: int, left: list[int]) -> Iterator[str]:
    left[0] -= 1
    if left[0] < 0:
        left[0] -= sum(1 for _ in _inside(block))
        return
    is_open = " open" if level < _OPEN_LEVELS else ""
    yield f'<details{is_open} style="margin-left:{1 if level else 0}em"><summary>{_title(key, block)}</summary>'
    rows = [
        f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in (name, _shape(parameter), _dtype(parameter)))}</tr>"
        for name, parameter in block._reg_params.items()
    ]
    if rows:
        yield f'<table style="text-align:left">{"".join(rows)}</table>'
    for name, child in block._children.items():
        yield from _tree(name, child, level + 1, left)
    yield "</details>"


def _inside(block: Any) -> Iterator[Any]:
    for child in block._children.values():
        yield child
        yield from _inside(child)


def _title(key: str, block: Any) -> str:
    name = f"({key}) " if key else ""
    text = repr(block)  # a layer says what it is in one line; a block of others would repeat the tree
    text = text if "\n" not in text and len(text) <= 120 else type(block).__name__
    return f"{escape(name)}<b>{escape(text)}</b>{_counted(block)}"


def _counted(block: Any) -> str:
    parameters = {id(each): each for owner in (block, *_inside(block)) for each in owner.params.values()}
    known = [prod(each.shape) for each in parameters.values() if each.shape is not None and shape_is_known(each.shape)]
    if not parameters:
        return ""
    unknown = len(parameters) - len(known)
    wait = f", {unknown} of unknown shape until the first call" if unknown else ""
    return f" <small>{sum(known):,} parameters{wait}</small>"


def _shape(parameter: Any) -> str:
    return "?" if parameter.shape is None else "x".join(str(n) if n > 0 else "?" for n in parameter.shape) or "()"


def _dtype(parameter: Any) -> str:
    return str(getattr(parameter.dtype, "__name__", parameter.dtype))
