"""What partial shapes around an operator tell of each other, in both directions.

A rule receives the operator's parameters and what is known of the shapes of its inputs and outputs (None where not even
the number of axes is), and returns what follows, in the same order: inputs, then outputs.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from .shapes import Shape, has_axes, is_known, joined, unknown

Shapes = list[Shape | None]
Rule = Callable[[Mapping[str, Any], Sequence[Shape | None], Sequence[Shape | None]], Shapes]


def told(
    op_name: str, params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]
) -> Shapes:
    """What follows of the shapes of an operator's inputs and outputs; empty if there is no rule for it.

    Raises:
        ValueError: the shapes contradict each other.
    """
    rule = _RULES.get(op_name)
    if rule is None:
        return []
    known = [[shape if has_axes(shape) else None for shape in shapes] for shapes in (inputs, outputs)]
    return rule(params, *known)


def place(axis: int, ndim: int) -> int | None:
    """An axis counted from the front; None if there is no such axis."""
    return axis % ndim if -ndim <= axis < ndim else None


def _common(shapes: Sequence[Shape | None]) -> Shape | None:
    found: Shape | None = None
    for shape in shapes:
        found = joined(found, shape)
    return found


def _same(_: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    """The data and the result have one shape."""
    return [_common([inputs[0], outputs[0]])] * 2


def _same_inputs(_: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    return [_common(inputs)] * len(inputs) + [None] * len(outputs)


def _stacked(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    """The result of what is known of all inputs together; MXNet does not tell them of each other."""
    item = _common(inputs)
    axis = None if item is None else place(params["axis"], len(item) + 1)
    if item is None or axis is None:
        return []
    return [*[None] * len(inputs), (*item[:axis], len(inputs), *item[axis:])]


def _transposed(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    ndim = len(inputs[0] or outputs[0] or ())
    axes = [axis % ndim for axis in params["axes"] or reversed(range(ndim))] if ndim else []
    if not ndim or sorted(axes) != list(range(ndim)):
        return []  # the operator itself says what is wrong
    data, result = (shape or (unknown(),) * ndim for shape in (inputs[0], outputs[0]))
    if len(data) != len(result):
        return []
    before = joined(data, tuple(result[axes.index(axis)] for axis in range(ndim)))
    assert before is not None
    return [before, tuple(before[axis] for axis in axes)]


def _reshaped(codes: Shape, keeps: int, data: Shape | None, result: Shape | None) -> Shapes:
    """Lengths that are written as such, or that the number of elements tells.

    Args:
        codes: the lengths and codes of the target, read from the front.
        keeps: the code that keeps an axis; all other codes below 1, but for -1, end what is read here.
        data: the shape before.
        result: the shape after.
    """
    if codes and all(code is not None and (code > 0 or code in (-1, keeps)) for code in codes):
        lengths = []
        for axis, code in enumerate(codes):
            kept = data[axis] if code == keeps and data is not None and axis < len(data) else unknown()
            lengths.append(code if code > 0 else kept)
        result = joined(result, tuple(lengths))
    return [_completed(data, result), _completed(result, data)]


def _completed(shape: Shape | None, other: Shape | None) -> Shape | None:
    """The shape with its one unknown length, from another shape of as many elements."""
    if shape is None or shape.count(unknown()) != 1 or other is None or not is_known(other):
        return shape
    others = prod(length for length in shape if length != unknown())
    if not others or prod(other) % others:
        return shape
    return tuple(prod(other) // others if length == unknown() else length for length in shape)


def _mxnet_reshaped(
    params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]
) -> Shapes:
    # MXNet does not look at the target before it knows how many axes there are.
    codes = () if params["reverse"] or inputs[0] is None else params["shape"] or ()
    return _reshaped(codes, 0, inputs[0], outputs[0])


def _np_reshaped(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    codes = params["newshape"] or ()
    return _reshaped(() if params.get("reverse") else tuple(codes), -2, inputs[0], outputs[0])


def _parts(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    """Parts have the whole's lengths, but for the axis it was cut along."""
    data, squeezed = inputs[0], bool(params["squeeze_axis"])
    ndim = len(data) if data is not None else next((len(s) + squeezed for s in outputs if s is not None), 0)
    axis = place(params["axis"], ndim) if ndim else None
    if axis is None:
        return []
    whole = [None if s is None else (*s[:axis], unknown(), *s[axis + (not squeezed) :]) for s in outputs]
    before = _common([data, *whole])
    assert before is not None
    middle = () if squeezed else (unknown(),)
    return [before, *[(*before[:axis], *middle, *before[axis + 1 :])] * len(outputs)]


def _scattered(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    return [*inputs, tuple(params["shape"])]


def _sliced_like(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    data, like = inputs
    if data is None or (like is None and not params["axes"]):
        return []
    axes = {axis % len(data) for axis in params["axes"] or range(len(data))}
    if like is not None and max(axes, default=0) >= len(like):
        return []  # the operator itself says what is wrong
    lengths = [(like[axis] if like else unknown()) if axis in axes else n for axis, n in enumerate(data)]
    return [data, like, tuple(lengths)]


def _steps(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    """Sequences along one axis, examples along the other of the first two; each has a length of its own."""
    data = joined(inputs[0], outputs[0])
    batch = None if data is None or len(data) < 2 or params["axis"] not in (0, 1) else (data[1 - params["axis"]],)
    return [data, *[batch] * (len(inputs) - 1), data]


def _last_steps(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    data, axis = inputs[0], params["axis"]
    if data is None or len(data) < 2 or axis not in (0, 1):
        return []
    return [data, *[(data[1 - axis],)] * (len(inputs) - 1), (*data[:axis], *data[axis + 1 :])]


def _picked(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    data, index = inputs
    axis = None if data is None or params["axis"] is None else place(params["axis"], len(data))
    if data is None or axis is None or len(data) < 2 or (index is not None and len(index) == len(data)):
        return []
    return [data, (*data[:axis], *data[axis + 1 :]), None]


def _multiplied(_: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    """The product of two matrices: the lengths in the middle are one."""
    a, b = inputs
    if a is None or b is None or len(a) != 2 or len(b) != 2:
        return []
    result = outputs[0] if outputs[0] is not None and len(outputs[0]) == 2 else (unknown(),) * 2
    middle = joined(a[1:], b[:1])
    rows, columns = joined(a[:1], result[:1]), joined(b[1:], result[1:])
    assert middle
    assert rows
    assert columns
    return [(*rows, *middle), (*middle, *columns), (*rows, *columns)]


def _flat_weights(params: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape | None]) -> Shapes:
    """The weights of a recurrent layer in one vector; those of unknown length, one for each direction, are equal."""
    lengths = [shape[0] if shape is not None and len(shape) == 1 else unknown() for shape in inputs]
    total = outputs[0][0] if outputs[0] is not None and len(outputs[0]) == 1 else unknown()
    num_open = lengths.count(unknown())
    rest = total - sum(length for length in lengths if length != unknown())
    if total == unknown() or num_open not in (1, 2) or rest < 0 or rest % num_open:
        return []
    return [(rest // num_open if length == unknown() else length,) for length in lengths]


_RULES: dict[str, Rule] = {
    "reverse": _same,
    "_npi_flip": _same,
    "_linalg_potrf": _same,
    "_linalg_potri": _same,
    "Correlation": _same_inputs,
    "stack": _stacked,
    "_npi_stack": _stacked,
    "transpose": _transposed,
    "_np_transpose": _transposed,
    "Reshape": _mxnet_reshaped,
    "_np_reshape": _np_reshaped,
    "_npx_reshape": _np_reshaped,
    "_split_v2": _parts,
    "scatter_nd": _scattered,
    "slice_like": _sliced_like,
    "SequenceMask": _steps,
    "SequenceReverse": _steps,
    "SequenceLast": _last_steps,
    "pick": _picked,
    "_np_dot": _multiplied,
    "_rnn_param_concat": _flat_weights,
    "_npi_rnn_param_concat": _flat_weights,
}
