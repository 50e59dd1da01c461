"""The table of a network's layers, the shapes they return and the parameters they have."""

from dataclasses import dataclass
from math import prod
from typing import Any

from ..autograd import pause
from ..ndarray import NDArray
from .parameter import Parameter, shape_is_known

__all__ = ["summary"]

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
