"""Run loops and branches on arrays: `nd.contrib.foreach`, `while_loop` and `cond`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from ..errors import OpTypeError
from ..runtime.handle import Composable
from .creation import zeros
from .ndarray import NDArray
from .op import concat, stack

__all__ = ["cond", "foreach", "while_loop"]


Form = Any  # None for a single thing, a list of forms for a list


def flatten(value: Any, kind: type | tuple[type, ...], what: str) -> tuple[list[Any], Form]:
    """The things in nested lists in order, and the form to put others together in the same way.

    Args:
        value: one thing, or lists or tuples of them.
        kind: the class of the things.
        what: what they are, for the error text.
    """
    if isinstance(value, kind):
        return [value], None
    if not isinstance(value, (list, tuple)):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        received = f"{type(value).__module__}.{type(value).__name__}"
        raise OpTypeError(f"{what}: received {received}; expected {kinds[0].__name__}, or nested lists of them.")
    parts = [flatten(item, kind, what) for item in value]
    return [thing for things, _ in parts for thing in things], [form for _, form in parts]


def regroup(things: Sequence[Any], form: Form) -> Any:
    """Things in the form that `flatten` found."""
    return _take(iter(things), form)


def _take(things: Iterator[Any], form: Form) -> Any:
    return next(things) if form is None else [_take(things, part) for part in form]


def columns(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """The results of several steps, by result instead of by step."""
    return list(zip(*rows, strict=True))


States = TypeVar("States")
Result = TypeVar("Result")
_ARRAYS = (NDArray, Composable)  # the latter are what stands for arrays while a network is traced


def foreach(body: Callable[..., Any], data: Any, init_states: States) -> tuple[Any, States]:
    """Runs a body on each slice of the data along their first axis, with states that go from step to step.

    Args:
        body: from a slice (a list of them where `data` is a list) and the states to the results and the new states.
        data: an array or a list of arrays.
        init_states: the states to begin with: an array, or nested lists of them.

    Returns:
        The results of all steps, stacked, and the states after the last one.
    """
    arrays, data_form = flatten(data, _ARRAYS, "[foreach] data")
    flatten(init_states, _ARRAYS, "[foreach] init_states")
    lengths = {len(array) for array in arrays}
    if len(lengths) != 1 or 0 in lengths:
        shapes = ", ".join(str(array.shape) for array in arrays) or "no arrays"
        raise ValueError(f"[foreach] data: received {shapes}; expected arrays of one length, at least 1.")
    states, rows, form = init_states, [], None
    for step in range(lengths.pop()):
        outputs, states = body(regroup([array[step] for array in arrays], data_form), states)
        results, form = flatten(outputs, _ARRAYS, "[foreach] the body's results")
        rows.append(results)
    _check_counts("foreach", rows)
    return regroup([stack(*column) for column in columns(rows)], form), states


def while_loop(
    cond: Callable[..., Any], func: Callable[..., Any], loop_vars: Any, max_iterations: int | None = None
) -> tuple[Any, Any]:
    """Runs a body as long as a condition on the loop's variables holds.

    Args:
        cond: from the variables to a number or an array of one element.
        func: from the variables to the results of a step and the new variables.
        loop_vars: the variables to begin with: an array, or a list of arrays.
        max_iterations: when to stop at the latest, and the number of rows of the results; unused ones are zeros.

    Returns:
        The results of all steps, stacked (an empty list if there was none), and the variables after the last one.
    """
    if max_iterations is None:
        raise ValueError("[while_loop] max_iterations: expected a number; the shapes of the results depend on it.")
    most, single = int(max_iterations), isinstance(loop_vars, _ARRAYS)
    current = [loop_vars] if single else list(loop_vars)
    if not current:
        raise ValueError("[while_loop] loop_vars: received an empty list; expected at least one array.")
    rows: list[list[Any]] = []
    form: Form = []
    while len(rows) < most and _holds(cond(*current), "[while_loop] cond"):
        outputs, new = func(*current)
        results, form = flatten([] if outputs is None else outputs, _ARRAYS, "[while_loop] the results")
        new = [] if new is None else [new] if isinstance(new, _ARRAYS) else list(new)
        if len(new) != len(current):
            raise ValueError(f"[while_loop] func returned {len(new)} variables; expected {len(current)}.")
        rows.append(results)
        current = new
    _check_counts("while_loop", rows)
    stacked = [_padded(column, most) for column in columns(rows)]
    return regroup(stacked, form), current[0] if single else current


def cond(pred: Any, then_func: Callable[[], Result], else_func: Callable[[], Result]) -> Result:
    """Calls one of two functions, as a condition says.

    Args:
        pred: a number or an array of one element.
        then_func: called if it is not zero.
        else_func: called if it is zero.
    """
    return then_func() if _holds(pred, "[cond] pred") else else_func()


def _holds(value: Any, what: str) -> bool:
    if not hasattr(value, "asscalar"):
        return bool(value)
    if value.size != 1:
        raise ValueError(f"{what}: received an array of the shape {value.shape}; expected one element.")
    return bool(value.asscalar())


def _padded(column: tuple[Any, ...], length: int) -> Any:
    shapes = [array.shape for array in column]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError(f"[while_loop] a result has the shapes {shapes} from step to step; expected one shape.")
    stacked = stack(*column)
    if len(column) == length:
        return stacked
    rest = zeros((length - len(column), *shapes[0]), ctx=column[0].context, dtype=column[0].dtype)
    return concat(stacked, rest, dim=0)


def _check_counts(who: str, rows: list[list[Any]]) -> None:
    counts = [len(row) for row in rows]
    if len(set(counts)) > 1:
        raise ValueError(f"[{who}] the body returned {counts} results from step to step; expected as many in each.")
