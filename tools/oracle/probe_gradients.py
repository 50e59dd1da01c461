"""Find the contents of gradient buffers after `backward` of the real MXNet. Runs in a child process."""

from collections.abc import Sequence
from multiprocessing.connection import Connection
from operator import attrgetter
from typing import Any

import numpy as np

import mxnet as mx

from .case import Case, load_family
from .perform import _numpy_semantics, _to_mxnet, is_numpy_operator, locate
from .record_input_gradients import chosen_heads

_EARLIER = (7, 5)  # contents of the gradient buffers before each of the two calls


def serve(family: str, connection: Connection) -> None:
    """Answer each request (case, positions of variables, positions of inputs given as float32) with outcomes."""
    cases = load_family(family)
    while True:
        index, variables, as_float = connection.recv()
        connection.send(outcomes(cases[index], variables, as_float))


def outcomes(case: Case, variables: Sequence[int], as_float: Sequence[int]) -> list[str]:
    """Return one outcome per variable; record_input_gradients.py lists the outcomes."""
    path = locate(case.op)
    left = []
    with _numpy_semantics(path):
        for earlier in _EARLIER:
            _spoil_free_memory()
            try:
                buffers, outputs = _forward(case, path, variables, as_float, earlier)
            except Exception:
                return ["refused"] * len(variables)
            try:
                _backward(case, path, outputs)
                left.append([buffer.asnumpy() for buffer in buffers])
            except Exception:
                return ["error"] * len(variables)
    return [_outcome(*pair) for pair in zip(*left, strict=True)]


def _outcome(first: np.ndarray, second: np.ndarray) -> str:
    if first.size and all((left == earlier).all() for left, earlier in zip((first, second), _EARLIER, strict=True)):
        return "kept"
    if not np.array_equal(first, second, equal_nan=first.dtype.kind == "f"):
        return "garbage"
    return "gradient" if first.any() else "zeros"


def _spoil_free_memory() -> None:
    """Fill memory that MXNet takes next with NaN, so that uninitialized elements show."""
    arrays = [mx.nd.full((size,), np.nan) for size in (1, 2, 4, 8, 16, 32, 64, 128, 256, 1024) for _ in range(4)]
    for array in arrays:
        array.wait_to_read()


def _forward(
    case: Case, path: str, variables: Sequence[int], as_float: Sequence[int], earlier: float
) -> tuple[list[Any], list[Any]]:
    """Return the gradient buffers of the variables and the recorded outputs."""
    mx.random.seed(0)
    values = [value.astype("float32") if i in as_float else value for i, value in enumerate(case.arrays())]
    arrays = [_to_mxnet(value, is_numpy_operator(path)) for value in values]
    for position in variables:
        arrays[position].attach_grad()
        arrays[position].grad[:] = earlier
    count = len(case.inputs)
    named = dict(zip(case.named, arrays[count:], strict=True))
    with mx.autograd.record(train_mode=case.train):
        result = attrgetter(path)(mx)(*arrays[:count], **named, **case.params)
    outputs = list(result) if isinstance(result, (list, tuple)) else [result]
    for output in outputs:
        output.wait_to_read()
    return [arrays[position].grad for position in variables], outputs


def _backward(case: Case, path: str, outputs: list[Any]) -> None:
    chosen = chosen_heads(case, [np.dtype(output.dtype).kind for output in outputs])
    heads = [case.head_gradient(i, outputs[i].shape, np.dtype(outputs[i].dtype)) for i in chosen]
    gradients = [_to_mxnet(head, is_numpy_operator(path)) for head in heads]
    mx.autograd.backward([outputs[i] for i in chosen], gradients, train_mode=case.train)
    mx.nd.waitall()
