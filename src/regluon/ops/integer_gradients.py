"""Gradients of integers, which torch's engine does not carry.

MXNet differentiates integers like any other numbers, in their own arithmetic: half a gradient is none. Here an array of
integers that takes part in a recorded graph is an `Integers`: a tensor with its values beside a carrier, a float64
tensor of the same shape without memory of its own, through which torch's engine passes the gradient. Torch calls
`Integers.__torch_function__` for whatever is done to it, so operators need not know, and tensors of real numbers pay
nothing. The derivative of a function of torch is the one of the same function on real numbers, computed when `backward`
asks for it and cut off to the integers' dtype.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..kernels.vjp import vjp
from ..torch_private import tree_flatten, tree_unflatten

_REAL = torch.float64


class Integers(Tensor):
    """Integers or bools that take part in a recorded graph.

    Attributes:
        numbers: the same memory as an ordinary tensor.
        carrier: what stands for them in torch's graph.
    """

    numbers: Tensor
    carrier: Tensor

    @property
    def requires_grad(self) -> bool:  # type: ignore[override]
        """Always: that is what it is for."""
        return True

    @property
    def grad_fn(self) -> Any:  # type: ignore[override]
        """The node of torch's graph."""
        return self.carrier.grad_fn

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Does what `func` does, and records it."""
        leaves, structure = tree_flatten((args, kwargs or {}))
        plain = [leaf.numbers if type(leaf) is Integers else leaf for leaf in leaves]
        if func in _UNRECORDED or not torch.is_grad_enabled():
            return _called(func, plain, structure)
        if func in _CASTS:
            return with_gradient_of(args[0], _called(func, plain, structure))
        if _changes_first(func):
            return _change_first(func, leaves, plain, structure)
        with torch.no_grad():
            found = _called(func, plain, structure)
        results, shape_of_result = tree_flatten(found)
        if not any(isinstance(result, Tensor) for result in results):
            return found
        return tree_unflatten(_recorded(_Call(func, leaves, structure), results), shape_of_result)


def integers(values: Tensor, carrier: Tensor) -> Integers:
    """Integers with a place in a graph."""
    made: Integers = Tensor._make_subclass(Integers, values)
    made.numbers, made.carrier = values, carrier
    return made


def integer_variable(values: Tensor) -> Integers:
    """Integers that are a variable of graphs: their carrier is a leaf."""
    carrier = _without_memory(values).requires_grad_(True)
    return integers(values, carrier)


def carrier_of(tensor: Tensor) -> Tensor:
    """What stands for a tensor in torch's graph: itself, but for integers."""
    return tensor.carrier if type(tensor) is Integers else tensor


def converted(data: Tensor, dtype: torch.dtype) -> Tensor:
    """Real numbers as integers, cut off, with the gradient that MXNet's casts pass on."""
    return with_gradient_of(data, data.detach().to(dtype))


def applied(function: type[torch.autograd.Function], *args: Any) -> Any:
    """`function.apply`, which torch does not announce to integers."""
    if Integers in map(type, args):
        return Integers.__torch_function__(function.apply, (), args)
    return function.apply(*args)


def _without_memory(values: Tensor) -> Tensor:
    return torch.zeros((), dtype=_REAL, device=values.device).expand(values.shape)


def whole(gradient: Tensor, dtype: torch.dtype) -> Tensor:
    """A gradient as the integers of a dtype hold it: without a fraction, and wrapped around."""
    if dtype.is_floating_point:
        return gradient
    if gradient.requires_grad:  # a gradient that is to be differentiated again: cutting off has the derivative 1
        return converted(gradient, dtype).to(_REAL)
    bounded = gradient.to(torch.bool if dtype is torch.bool else torch.int64)
    return bounded.to(dtype).to(_REAL)


# -- casts ----------------------------------------------------------------------------------------------------------


class _Cast(torch.autograd.Function):
    """Another dtype, whose gradient is passed on."""

    @staticmethod
    def forward(ctx: Any, carrier: Tensor, value: Tensor, dtype: torch.dtype) -> Tensor:
        ctx.dtype = dtype
        ctx.set_materialize_grads(False)
        return value.view_as(value) if value.is_floating_point() else _without_memory(value)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        gradient = gradients[0]
        return None if gradient is None else whole(gradient.to(_REAL), ctx.dtype), None, None


def with_gradient_of(source: Tensor, value: Tensor) -> Tensor:
    """A value in the place of another in the graph, whose gradient is passed on."""
    carried: Tensor = _Cast.apply(carrier_of(source), value, source.dtype)
    return carried if value.is_floating_point() else integers(value, carried)


# -- all other functions --------------------------------------------------------------------------------------------


class _Call:
    """A call of a function of torch, to be differentiated later.

    Args:
        func: the function.
        leaves: its arguments, lists among them taken apart.
        structure: how they belong together.
        in_place: whether it changes its first argument, and that is its result.
    """

    def __init__(self, func: Any, leaves: Sequence[Any], structure: Any, in_place: bool = False) -> None:
        self.func, self.leaves, self.structure, self.in_place = func, leaves, structure, in_place
        self.kept = _kept_places(func, leaves, structure)
        self.sources = [place for place, leaf in enumerate(leaves) if isinstance(leaf, Tensor) and leaf.requires_grad]

    def carriers(self) -> list[Tensor]:
        """What the gradients go to."""
        return [carrier_of(self.leaves[place]) for place in self.sources]

    def gradients(self, given: Sequence[Tensor | None]) -> list[Tensor | None]:
        """The gradients of the sources, from those of the results."""
        again = torch.is_grad_enabled()  # the gradients may be differentiated again
        with torch.enable_grad():
            reals = [self._real(place, leaf, again) for place, leaf in enumerate(self.leaves)]
            results = self._results(reals)
        numbers = [place for place in self.sources if place not in self.kept]
        pairs = [
            (result, grad.to(result.dtype))
            for result, grad in zip(results, given, strict=True)
            if grad is not None and isinstance(result, Tensor) and result.requires_grad
        ]
        if not pairs or not numbers:
            return [None] * len(self.sources)
        found = vjp(
            [result for result, _ in pairs],
            [reals[place] for place in numbers],
            [grad for _, grad in pairs],
            retain_graph=again,
            create_graph=again,
        )
        grads = {
            place: whole(grad, self.leaves[place].dtype)
            for place, grad in zip(numbers, found, strict=True)
            if grad is not None
        }
        return [grads.get(place) for place in self.sources]

    def _real(self, place: int, leaf: Any, again: bool) -> Any:
        """An argument of the same call on real numbers."""
        if isinstance(leaf, torch.dtype):
            return leaf if leaf.is_floating_point else _REAL
        if not isinstance(leaf, Tensor):
            return leaf
        if place in self.kept:
            return leaf.numbers if type(leaf) is Integers else leaf
        if place in self.sources:
            if again:
                return leaf.to(_REAL) if type(leaf) is Integers else leaf.view_as(leaf)
            real = leaf.numbers.to(_REAL) if type(leaf) is Integers else leaf.detach()
            return real.requires_grad_()
        return leaf if leaf.is_floating_point() or leaf.dtype is torch.bool else leaf.to(_REAL)

    def _results(self, reals: list[Any]) -> list[Any]:
        if self.in_place:
            reals = [reals[0].clone(), *reals[1:]]
            _called(self.func, reals, self.structure)
            return [reals[0]]
        args, kwargs = tree_unflatten(reals, self.structure)
        if self.func in _QUOTIENTS:  # of integers it is cut off, which has no derivative of its own
            kwargs = {name: value for name, value in kwargs.items() if name != "rounding_mode"}
        return tree_flatten(self.func(*args, **kwargs))[0]


class _Derived(torch.autograd.Function):
    """The results of a call in torch's graph."""

    @staticmethod
    def forward(ctx: Any, call: _Call, results: Sequence[Any], *carriers: Tensor) -> Any:
        ctx.call, ctx.places = call, [place for place, each in enumerate(results) if isinstance(each, Tensor)]
        ctx.count = len(results)
        ctx.set_materialize_grads(False)
        tensors = [results[place] for place in ctx.places]
        return tuple(each.view_as(each) if each.is_floating_point() else _without_memory(each) for each in tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        given: list[Tensor | None] = [None] * ctx.count
        for place, gradient in zip(ctx.places, gradients, strict=True):
            given[place] = gradient
        if ctx.call.func in _FLAT or all(gradient is None for gradient in gradients):
            return None, None, *[None] * len(ctx.call.sources)
        return None, None, *ctx.call.gradients(given)


def _recorded(call: _Call, results: Sequence[Any]) -> list[Any]:
    if not call.sources:
        return list(results)
    carried = iter(_Derived.apply(call, results, *call.carriers()))
    made: list[Any] = []
    for result in results:
        if not isinstance(result, Tensor):
            made.append(result)
            continue
        carrier = next(carried)
        made.append(carrier if result.is_floating_point() else integers(result, carrier))
    return made


def _called(func: Any, leaves: Sequence[Any], structure: Any) -> Any:
    args, kwargs = tree_unflatten(leaves, structure)
    return func(*args, **kwargs)


# -- functions that change their first argument ---------------------------------------------------------------------


def _changes_first(func: Any) -> bool:
    name: str = getattr(func, "__name__", "")
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


def _change_first(func: Any, leaves: list[Any], plain: list[Any], structure: Any) -> Any:
    target = leaves[0]
    if target.is_floating_point():  # torch records what real numbers are written to
        reals = [leaf.to(target.dtype) if type(leaf) is Integers else leaf for leaf in leaves]
        return _called(func, reals, structure)
    before = target.clone()
    with torch.no_grad():
        _called(func, plain, structure)
    call = _Call(func, [before, *leaves[1:]], structure, in_place=True)
    values = plain[0].detach()
    (made,) = _recorded(call, [values])
    target.__class__ = Integers
    target.numbers, target.carrier = values, made.carrier
    return target


# -- what is known of torch's functions -----------------------------------------------------------------------------

_UNRECORDED = frozenset(
    {Tensor.detach, Tensor.requires_grad_, *(getattr(Tensor, name).__get__ for name in ("data", "grad"))}
)

_CASTS = frozenset(
    getattr(Tensor, name)
    for name in ("to", "type", "type_as", "float", "double", "half", "bfloat16", "int", "long", "short", "char")
) | {Tensor.byte, Tensor.bool}

_QUOTIENTS = frozenset({torch.div, Tensor.div, torch.divide, Tensor.divide})

# Functions of integers alone: they have no derivative. Neither has the remainder of integers in MXNet.
_FLAT = frozenset(
    getattr(owner, name)
    for owner in (torch, Tensor)
    for name in (
        *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift"),
        *("gcd", "lcm", "logical_and", "logical_or", "logical_xor", "logical_not", "floor_divide", "remainder"),
    )
) | {
    *(Tensor.__and__, Tensor.__or__, Tensor.__xor__, Tensor.__invert__, Tensor.__rand__, Tensor.__ror__),
    *(Tensor.__rxor__, torch.bincount, Tensor.bincount, torch.nn.functional.one_hot),
}

# Arguments that are places or conditions, not numbers: their positions, or names.
_PLACES: dict[Any, tuple[Any, ...]] = {
    Tensor.__getitem__: (1,),
    Tensor.__setitem__: (1,),
    torch.nn.functional.embedding: (0, "input"),
    torch.where: (0, "condition"),
    Tensor.where: (1, "condition"),
}
for _name, _named in {
    "index_select": (2, "index"),
    "gather": (2, "index"),
    "scatter": (2, "index"),
    "scatter_": (2, "index"),
    "scatter_add": (2, "index"),
    "scatter_add_": (2, "index"),
    "index_add": (2, "index"),
    "index_add_": (2, "index"),
    "index_copy": (2, "index"),
    "index_copy_": (2, "index"),
    "index_fill": (2, "index"),
    "index_put": (1, "indices"),
    "index_put_": (1, "indices"),
    "take": (1, "index"),
    "take_along_dim": (1, "indices"),
    "masked_fill": (1, "mask"),
    "masked_fill_": (1, "mask"),
    "masked_select": (1, "mask"),
    "masked_scatter": (1, "mask"),
    "repeat_interleave": (1, "repeats"),
}.items():
    for _owner in (torch, Tensor):
        if hasattr(_owner, _name):
            _PLACES[getattr(_owner, _name)] = _named


def _kept_places(func: Any, leaves: Sequence[Any], structure: Any) -> frozenset[int]:
    """Which of the flat arguments stay integers."""
    named = _PLACES.get(func)
    if named is None:
        return frozenset()
    args, kwargs = tree_unflatten(list(range(len(leaves))), structure)
    kept = [args[key] for key in named if isinstance(key, int) and key < len(args)]
    kept += [kwargs[key] for key in named if key in kwargs]
    return frozenset(tree_flatten(kept)[0])
