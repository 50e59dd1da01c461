"""The one way from the functions of `mx.np` to operators.

The functions sort out their arguments and end in `call`. Arrays run the operator; a Symbol among the inputs composes a
node instead (see `Composable`), so one function serves `F.np` for both. What has no input to tell them apart, such as
`np.zeros`, asks `making.creator`: a symbol front end sets it while its functions run.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ...base import numeric_types
from ...ops.registry import Operand, find
from ...runtime.handle import Composable, Handle
from ...runtime.invoke import invoke


class _Making(threading.local):
    """What makes the results of operators without inputs: None for arrays, else from the name and parameters."""

    creator: Callable[[str, dict[str, Any]], Any] | None = None


making = _Making()


def call(name: str, inputs: Sequence[Any], params: dict[str, Any] | None = None, out: Any = None) -> Any:
    """Runs an operator on arrays, or composes it with symbols.

    Args:
        name: of the operator.
        inputs: arrays or symbols, in the operator's order; None for optional ones left out.
        params: its parameters, as a user gives them.
        out: an array to write the result to.
    """
    for given in inputs:
        if isinstance(given, Composable):
            return given._call(name, inputs, params or {}, out)
    operator = find(name)
    return invoke(operator, inputs, operator.parse(params) if params else {}, out, Handle._numpy_type)


def make(name: str, params: dict[str, Any], ctx: Any = None, out: Any = None) -> Any:
    """Runs an operator that has no inputs; `ctx` is where to put the result, the current context if None."""
    operator = find(name)
    if ctx is not None and operator.placed:
        params = {**params, "ctx": ctx}
    if making.creator is not None:
        return making.creator(name, params)
    return invoke(operator, (), operator.parse(params), out, Handle._numpy_type)


def as_list(who: str, arrays: Any) -> list[Any]:
    """The arrays of a sequence; a generator is refused, as in NumPy."""
    if not hasattr(arrays, "__getitem__"):
        raise ValueError(f"[np.{who}] received {type(arrays).__name__}; expected a list or tuple of arrays.")
    return list(arrays)


def is_array(value: Any) -> bool:
    """Whether something is an array or a symbol."""
    return isinstance(value, Operand)


def is_number(value: Any) -> bool:
    """Whether something is a plain number, Python's or NumPy's."""
    return isinstance(value, numeric_types)


def expect_arrays(who: str, **given: Any) -> None:
    """Refuses arguments that are no arrays."""
    for name, value in given.items():
        if not isinstance(value, Operand):
            raise TypeError(
                f"[np.{who}] {name}: received {type(value).__module__}.{type(value).__name__}; expected an array. "
                "Wrap it: np.array(...)."
            )


def expect_c_order(who: str, order: Any) -> None:
    """Refuses orders of elements other than row by row."""
    if order != "C":
        raise NotImplementedError(f"[np.{who}] order: received {order!r}; only 'C', row by row, is available.")
