"""The language case files are written in: what to call, and with which inputs.

Only the standard library and NumPy are imported, so that the real MXNet's Python and ours both read case files.
Inputs come from `np.random.RandomState`, whose streams NumPy has frozen: both draw the same numbers.
"""

import importlib
import json
import pkgutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

Draw = Callable[[np.random.RandomState], np.ndarray]


@dataclass(frozen=True)
class Input:
    """One array argument, described; `draw` makes it from the case's random state."""

    draw: Draw


@dataclass(frozen=True)
class Case:
    """One call of one operator. `case` makes these and documents the fields."""

    op: str
    inputs: tuple[Input, ...]
    named: dict[str, Input]
    params: dict[str, Any]
    train: bool = False
    grad: bool = True
    no_grad: tuple[int, ...] = ()
    head_outputs: tuple[int, ...] | None = None
    error: bool = False
    tolerance: tuple[float, float] | None = None
    out: bool = True
    strided: bool = True
    infer: bool = True
    seed: int | None = None
    ordinal: int = field(default=0, compare=False)

    def arrays(self) -> list[np.ndarray]:
        """The input arrays, positional ones first, then the named ones in the order written."""
        seed = self.seed if self.seed is not None else zlib.crc32(f"{self.op}:{self.ordinal}".encode())
        state = np.random.RandomState(seed)
        # Not ascontiguousarray, which gives an array without axes one.
        return [np.array(each.draw(state), order="C") for each in (*self.inputs, *self.named.values())]

    def head_gradient(self, output: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """The gradient that arrives at one output; its stream is separate from the inputs' one."""
        state = np.random.RandomState(zlib.crc32(f"head:{self.op}:{self.ordinal}:{output}".encode()))
        return np.asarray(state.standard_normal(shape)).astype(dtype)


def case(
    op: str,
    *inputs: Input,
    train: bool = False,
    grad: bool = True,
    no_grad: tuple[int, ...] = (),
    head_outputs: tuple[int, ...] | None = None,
    error: bool = False,
    tolerance: tuple[float, float] | None = None,
    out: bool = True,
    strided: bool = True,
    infer: bool = True,
    seed: int | None = None,
    **params: Any,
) -> Case:
    """Describes one call of one operator.

    Args:
        op: Name under which MXNet registers the operator (`Activation`, `_plus_scalar`, `_linalg_gemm2`), or an alias.
        *inputs: Array arguments in order.
        train: Run in train mode instead of predict mode.
        grad: Record gradients of all floating inputs not in `no_grad`; False for operators without gradient.
        no_grad: Positions of inputs that get no gradient, such as auxiliary states and labels.
        head_outputs: Outputs that receive a head gradient; all floating ones unless given.
        error: The call must raise; whether forward or backward raises does not matter.
        tolerance: `(rtol, atol)` in place of the tolerances of the data type.
        out: False if the call cannot take `out=`.
        strided: False if the test must not feed strided views.
        infer: False if output shapes cannot be known without the values of the inputs.
        seed: Replaces the seed that follows from the operator's name and its place among its cases in the file.
        **params: Operator parameters. An `Input` among them is an array argument passed by name.

    Returns:
        The case, to be put in a family's `CASES`.
    """
    named = {name: value for name, value in params.items() if isinstance(value, Input)}
    plain = {name: from_json(json.loads(json.dumps(v))) for name, v in params.items() if name not in named}
    return Case(
        op,
        inputs,
        named,
        plain,
        train=train,
        grad=grad,
        no_grad=tuple(no_grad),
        head_outputs=head_outputs,
        error=error,
        tolerance=tolerance,
        out=out,
        strided=strided,
        infer=infer,
        seed=seed,
    )


def from_json(value: Any) -> Any:
    """JSON has no tuples: MXNet's shapes become tuples again."""
    return tuple(from_json(item) for item in value) if isinstance(value, list) else value


def uniform(
    *shape: int,
    low: float = -1.0,
    high: float = 1.0,
    dtype: str = "float32",
    avoid: tuple[float, ...] = (),
    margin: float = 0.05,
) -> Input:
    """Uniform values; none lies within `margin` of the points in `avoid`, where a gradient would jump."""
    return Input(lambda state: _keep_away(state.uniform(low, high, shape), avoid, margin).astype(dtype))


def normal(
    *shape: int,
    loc: float = 0.0,
    scale: float = 1.0,
    dtype: str = "float32",
    avoid: tuple[float, ...] = (),
    margin: float = 0.05,
) -> Input:
    """Normal values, kept away from the points in `avoid` as `uniform` does."""
    return Input(lambda state: _keep_away(state.normal(loc, scale, shape), avoid, margin).astype(dtype))


def _keep_away(values: np.ndarray, points: tuple[float, ...], margin: float) -> np.ndarray:
    values = np.asarray(values)
    for point in points:
        distance = values - point
        pushed = point + np.where(distance < 0, -margin, margin) + distance
        values = np.where(np.abs(distance) < margin, pushed, values)
    return values


def integers(*shape: int, low: int = 0, high: int = 10, dtype: str = "int32") -> Input:
    """Whole numbers from `low` to `high - 1`; any dtype, since MXNet often wants indices as floats."""
    return Input(lambda state: np.asarray(state.randint(low, high, shape)).astype(dtype))


def distinct(*shape: int, low: float = -1.0, high: float = 1.0, dtype: str = "float32") -> Input:
    """Evenly spaced values in random order: no ties, for sorting, maxima and pooling."""

    def draw(state: np.random.RandomState) -> np.ndarray:
        size = int(np.prod(shape))
        return np.linspace(low, high, size)[state.permutation(size)].reshape(shape).astype(dtype)

    return Input(draw)


def full(*shape: int, value: float, dtype: str = "float32") -> Input:
    """One value everywhere."""
    return Input(lambda state: np.full(shape, value, dtype))


def zeros(*shape: int, dtype: str = "float32") -> Input:
    """Zeros."""
    return full(*shape, value=0, dtype=dtype)


def ones(*shape: int, dtype: str = "float32") -> Input:
    """Ones."""
    return full(*shape, value=1, dtype=dtype)


def arange(*shape: int, start: float = 0, step: float = 1, dtype: str = "float32") -> Input:
    """Counts up in memory order."""
    return Input(lambda state: (start + step * np.arange(int(np.prod(shape)))).reshape(shape).astype(dtype))


def array(values: Any, dtype: str = "float32") -> Input:
    """These values."""
    return Input(lambda state: np.array(values, dtype))


def positive_definite(*shape: int, dtype: str = "float32") -> Input:
    """Symmetric positive definite matrices in the last two axes, well conditioned."""

    def draw(state: np.random.RandomState) -> np.ndarray:
        factor = state.uniform(-1, 1, shape)
        return (np.einsum("...ij,...kj->...ik", factor, factor) + shape[-1] * np.eye(shape[-1])).astype(dtype)

    return Input(draw)


def triangular(*shape: int, lower: bool = True, dtype: str = "float32") -> Input:
    """Triangular matrices in the last two axes with a diagonal between 1 and 2."""

    def draw(state: np.random.RandomState) -> np.ndarray:
        values = state.uniform(-1, 1, shape)
        half = np.tril(values, -1) if lower else np.triu(values, 1)
        return (half + np.eye(shape[-1]) * state.uniform(1, 2, (*shape[:-1], 1))).astype(dtype)

    return Input(draw)


def overwritten(op: str, value: np.ndarray) -> np.ndarray:
    """Return the values that are written over an array between forward and backward.

    The elements move one place in memory order, which keeps the domain of every elementwise function. Matrices of
    linear algebra are multiplied by 0.75 instead, which keeps them triangular or positive definite.
    """
    if value.size < 2 or "linalg" in op or value.dtype.kind == "b":
        return np.asarray(value * 0.75).astype(value.dtype)
    return np.roll(value.reshape(-1), 1).reshape(value.shape)


def family_names() -> list[str]:
    """Names of all families, in alphabetical order."""
    folder = Path(__file__).with_name("cases")
    return sorted(info.name for info in pkgutil.iter_modules([str(folder)]) if not info.name.startswith("_"))


def load_family(family: str) -> list[Case]:
    """The cases of one family, each knowing its place among the cases of its operator."""
    module = importlib.import_module(f"{__package__}.cases.{family}")
    return list(_numbered(module.CASES))


def _numbered(cases: list[Case]) -> Iterator[Case]:
    # Seeds follow from the place among the same operator's cases, so that a case added for one operator leaves
    # the recorded numbers of all others as they are.
    seen: dict[str, int] = {}
    for each in cases:
        ordinal = seen.get(each.op, 0)
        seen[each.op] = ordinal + 1
        yield replace(each, ordinal=ordinal)
