"""Show blocks as HTML trees and summaries."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from math import prod
from typing import Any

from ..autograd import pause
from ..ndarray import NDArray
from .parameter import Parameter, shape_is_known

__all__ = ["summary"]


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


_WIDTH = 80


@dataclass
class _Row:
    """One call of one layer, and how many of its parameters' elements are of which kind."""

    name: str
    shape: str
    total: int = 0
    trainable: int = 0
    shared: int = 0


def summary(block: Any, *inputs: Any) -> None:
    """Prints what each layer returns and how many parameters it has, by running the network once.

    Rows that do nothing but run other layers are left out. A parameter that several layers use counts in the row of
    each, and once in the number of unique ones.

    Args:
        block: the network, initialized.
        inputs: what to call it on.
    """
    rows = [_Row("Input", _shape_text(inputs))]
    seen: set[Parameter] = set()
    hooks: list[Any] = []
    watched: set[Any] = set()

    def note(layer: Any, _: Any, outputs: Any) -> None:
        row = _Row(f"{type(layer).__name__}-{len(rows)}", _shape_text(outputs))
        for parameter in layer.params.values():
            size = prod(parameter.shape) if shape_is_known(parameter.shape) else 0
            row.total += size
            row.trainable += 0 if parameter.grad_req == "null" else size
            row.shared += size if parameter in seen else 0
            seen.add(parameter)
        rows.append(row)

    def watch(layer: Any) -> None:
        # A block that stands in several places of the network must not be noted several times for one call.
        if layer not in watched and (len(layer.params) or not layer._is_row):
            watched.add(layer)
            hooks.append(layer.register_forward_hook(note))

    try:
        block.apply(watch)
        with pause(train_mode=False):
            block(*inputs)
    finally:
        for hook in hooks:
            hook.detach()
    print(_table(rows))


def _table(rows: list[_Row]) -> str:
    lines = ["-" * _WIDTH, _line("Layer (type)", "Output Shape", "Param #"), "=" * _WIDTH]
    lines += [_line(row.name, row.shape, row.total) for row in rows]
    total, trainable = sum(row.total for row in rows), sum(row.trainable for row in rows)
    shared = sum(row.shared for row in rows)
    lines += [
        "=" * _WIDTH,
        "Parameters in forward computation graph, duplicate included",
        f"   Total params: {total}",
        f"   Trainable params: {trainable}",
        f"   Non-trainable params: {total - trainable}",
        f"Shared params in forward computation graph: {shared}",
        f"Unique parameters in model: {total - shared}",
        "-" * _WIDTH,
    ]
    return "\n".join(lines)


def _line(name: str, shape: str, count: Any) -> str:
    return f"{name:>20}  {shape:>42} {count:>15}"


def _shape_text(value: Any) -> str:
    """The shapes of arrays in nested lists, tuples and dicts; the outermost brackets of a list are left out."""
    shapes = _shapes(value)
    return str(shapes)[1:-1] if isinstance(shapes, list) else str(shapes)


def _shapes(value: Any) -> Any:
    if isinstance(value, NDArray):
        return value.shape
    if isinstance(value, dict):
        return {key: _shapes(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shapes(item) for item in value]
    return value
