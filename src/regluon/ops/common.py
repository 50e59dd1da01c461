"""Small pieces that several operator families share."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..config import switches
from ..dtypes import NAME_OF_TORCH
from ..errors import OpIndexError, OpShapeError, OpTypeError
from .integer_gradients import carrier_of, converted, integers


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of shapes whose results are kept; torch.export gives it lengths that are open, which cannot be."""
    kept = functools.lru_cache(maxsize=1024)(function)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        return function(*args) if switches.as_written else kept(*args)

    return call


def same_dtype(**inputs: Tensor | None) -> None:
    """Refuses inputs of different dtypes: MXNet never converts silently."""
    given = {name: tensor.dtype for name, tensor in inputs.items() if tensor is not None}
    if len(set(given.values())) > 1:
        listed = ", ".join(f"{name} {NAME_OF_TORCH[dtype]}" for name, dtype in given.items())
        raise OpTypeError(f"expected inputs of one dtype, got {listed}; convert one with astype()")


def same_shape(lhs: Tensor, rhs: Tensor) -> None:
    """Refuses inputs of different shapes, for operators that do not broadcast."""
    if lhs.shape != rhs.shape:
        raise OpShapeError(
            f"expected two inputs of the same shape, got {tuple(lhs.shape)} and {tuple(rhs.shape)}; "
            "the broadcast_* operator of the same name, or + - * /, broadcasts"
        )


def expect_shape(name: str, tensor: Tensor, expected: tuple[int, ...]) -> None:
    """Refuses an input whose shape is not the one the other inputs and parameters ask for."""
    if tuple(tensor.shape) != expected:
        raise OpShapeError(f"expected {name} of shape {expected}, got {tuple(tensor.shape)}")


def one_element(tensor: Tensor) -> Tensor:
    """The result of a reduction to a scalar: shape (1,), as everywhere in `nd`."""
    return tensor.reshape(1)


def normal_axis(axis: int, ndim: int, name: str = "axis") -> int:
    """The axis counted from the front; refuses one out of range."""
    if not -ndim <= axis < ndim:
        raise OpIndexError(f"{name}={axis} is out of range for an array of {ndim} dimensions")
    return axis % ndim


def in_float(function: Callable[[Tensor], Tensor], data: Tensor) -> Tensor:
    """Applies a function of real numbers; integers go through float64 and back, cut off as a C cast does."""
    if data.is_floating_point():
        return function(data)
    return cast(function(data.to(torch.float64)), data.dtype)


def cast(data: Tensor, dtype: torch.dtype) -> Tensor:
    """Converts the dtype. Floats become integers by cutting off the fraction, and bool by comparing with zero."""
    if data.is_floating_point():
        is_recorded = not dtype.is_floating_point and grad_needed(data)
        return converted(data, dtype) if is_recorded else data.to(dtype)
    value = data.to(dtype)
    return value if value.requires_grad else reaching(value, data)


def grad_needed(*tensors: Tensor | None) -> bool:
    """Whether torch records for any of these: custom autograd functions cost time, so they are left out otherwise."""
    return torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in tensors)


def prod(values: Any) -> int:
    """The product of integers; 1 for none."""
    result = 1
    for value in values:
        result *= value
    return result


def expect_floating(tensor: Tensor, name: str = "data") -> None:
    """Refuses an input of integers or of bool."""
    if not tensor.is_floating_point():
        raise OpTypeError(
            f"expected floating-point numbers, got {name} of {NAME_OF_TORCH[tensor.dtype]}; "
            "convert it with astype('float32')"
        )


class ZeroGradient(torch.autograd.Function):
    """Puts a value that was computed without gradient into the graph.

    Torch passes the missing gradient on without computing anything, down to the variables: their buffers get zeros.
    """

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor, *sources: torch.Tensor) -> torch.Tensor:
        """Hands the value on."""
        ctx.set_materialize_grads(False)
        ctx.num_sources = len(sources)
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[None, ...]:
        """No gradient for any source."""
        return (None,) * (1 + ctx.num_sources)


class Reached(torch.autograd.Function):
    """Hands a value on with its gradient, and counts others as reached by `backward`, with a gradient of zero."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, *sources: Tensor) -> Tensor:
        """Hands the value on."""
        ctx.num_sources = len(sources)
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradient goes to the value alone."""
        return grads[0], *(None,) * ctx.num_sources


class Sources(NamedTuple):
    """What an array that cannot carry a gradient was computed from; valid while no graph was used up since."""

    tensors: tuple[Tensor, ...]
    time: int


class _Clock:
    """Counts how often a backward has used up graphs."""

    time = 0


def forget_sources() -> None:
    """Makes constants of all bools and integers there are: the graphs they came from may not exist any more."""
    _Clock.time += 1


def times_used_up() -> int:
    """How often a backward has used up graphs."""
    return _Clock.time


def sources_of(tensors: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    """The tensors that take part in a graph, and those that bools and integers among them were computed from."""
    found: list[Tensor] = []
    for tensor in tensors:
        if tensor is None:
            continue
        if tensor.requires_grad:
            found.append(carrier_of(tensor))
        elif not tensor.is_floating_point():
            noted: Sources | None = getattr(tensor, "_sources", None)
            if noted is not None and noted.time == _Clock.time:
                found.extend(noted.tensors)
    return tuple(found)


def connected(value: Tensor, tensors: Sequence[Tensor | None]) -> Tensor:
    """Connects a result without gradient to the graph of its inputs.

    Only floats can carry one in torch: bools and integers note where they come from, until `reaching` connects what is
    computed from them.
    """
    if value.requires_grad:
        return value
    sources = sources_of(tensors)
    if not sources:
        return value
    if value.is_floating_point():
        return ZeroGradient.apply(value, *sources)
    value._sources = Sources(sources, _Clock.time)  # type: ignore[attr-defined]
    return value


def reaching(value: Tensor, *flat: Tensor | None) -> Tensor:
    """A result that depends on some inputs without gradient: bools, integers, conditions. These are reached too."""
    if not torch.is_grad_enabled():
        return value
    if not value.requires_grad:
        return connected(value, flat)
    sources = sources_of(flat)
    if not sources:
        return value
    carried: Tensor = Reached.apply(carrier_of(value), *sources)
    return carried if value.is_floating_point() else integers(value.detach(), carried)


def reach_rule(
    zero_gradient: bool, zero_inputs: Sequence[str | int], names: Sequence[str]
) -> Callable[[Tensor, Sequence[Tensor | None]], Tensor] | None:
    """Return the function that connects a result to inputs whose gradient is zero, or None if there are none.

    Args:
        zero_gradient: all inputs have a gradient of zero.
        zero_inputs: otherwise, names or positions of the inputs with a gradient of zero.
        names: names of all inputs.
    """
    if zero_gradient:
        return lambda value, tensors: connected(value.detach() if value.requires_grad else value, tensors)
    if not zero_inputs:
        return None
    positions = [each if isinstance(each, int) else names.index(each) for each in zero_inputs]

    def reach(value: Tensor, tensors: Sequence[Tensor | None]) -> Tensor:
        return reaching(value, *[tensors[position] for position in positions if position < len(tensors)])

    return reach


def contiguous_copy(value: Tensor) -> Tensor:
    """Return a contiguous copy that notes the same sources: see `connected`."""
    copied = value.clone(memory_format=torch.contiguous_format)
    if (noted := getattr(value, "_sources", None)) is not None:
        copied._sources = noted  # type: ignore[attr-defined]
    return copied


def is_view(value: Tensor, tensors: Sequence[Tensor | None]) -> bool:
    """Whether a result lies in the memory of an input, or in another order than arrays do."""
    if switches.as_written:  # tensors without data have no memory to write to
        return False
    address = value.untyped_storage().data_ptr()
    return not value.is_contiguous() or any(
        tensor is not None and tensor.untyped_storage().data_ptr() == address for tensor in tensors
    )
