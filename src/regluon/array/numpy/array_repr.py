"""Printed forms of `mx.np` arrays, the same under every version of NumPy."""

from typing import Any

import numpy as onp

_BEGIN = "array("


def array_repr(array: Any) -> str:
    """`array([1., 2.])`, with the dtype unless it is float32 or bool, and the context unless it is a CPU."""
    values = array.asnumpy()
    dtype, context = values.dtype.name, array.ctx
    # Where NumPy shows a dtype it leaves room for a comma, which decides where lines are broken.
    closing = ")" if dtype in ("float64", "int64", "bool") and values.size else ","
    text = onp.array2string(values, separator=", ", prefix=_BEGIN, suffix=closing) if values.size else _empty(values)
    ending = [] if dtype == "float32" or (dtype == "bool" and values.size) else [f"dtype={dtype}"]
    text = _BEGIN + text
    for part in ending:
        text = _joined(text, part, closing == ",")
    if context.device_type != "cpu":
        text = f"{text}, ctx={context}"
    return text + ")"


def _empty(values: onp.ndarray) -> str:
    return "[]" if values.shape == (0,) else f"[], shape={values.shape}"


def _joined(text: str, part: str, breaks: bool) -> str:
    """Puts the dtype on a line of its own where NumPy does: only for types it would show itself."""
    last = len(text) - (text.rfind("\n") + 1)
    width = onp.get_printoptions()["linewidth"]
    if breaks and last + 1 + len(part) + 2 > width:
        return f"{text},\n{' ' * len(_BEGIN)}{part}"
    return f"{text}, {part}"


def array_str(array: Any) -> str:
    """The elements, as NumPy prints them, and the context unless it is a CPU."""
    text = str(array.asnumpy())
    context = array.ctx
    return text if context.device_type == "cpu" or not array.shape else f"{text} @{context}"


def array_format(array: Any, spec: str) -> str:
    """The text of a format string: numbers without axes follow the spec."""
    if not array.shape:
        return format(array.item(), spec)
    if spec:
        raise TypeError(
            f"[np.ndarray] received the format {spec!r} for an array of shape {array.shape}; only arrays without axes "
            "can be formatted as numbers."
        )
    return array_str(array)
