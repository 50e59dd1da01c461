"""Operators made from update rules: `sgd_update`, `mp_sgd_update`, `multi_sgd_update` and so on from one declaration.

An operator returns the new weight, to be written over the old one with `out=weight`; states are written by whoever
calls it. A rule can have operators of several forms, named by a prefix:

    ""             one weight
    "mp_"          one weight of lower precision: the last state is its float32 copy, which the step is computed on
    "multi_"       many weights: (weight, grad, mom, weight, grad, mom, ...), and a list of numbers for each rate
    "multi_mp_"    many weights of lower precision
    "preloaded_"   before either of these: the learning rates and weight decays are two arrays after the other inputs

The inputs of an operator follow from the rule's states, its parameters from the rule's keyword arguments.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_shape
from ..params import Floats, Shape
from ..registry import operator
from ..signatures import REQUIRED, number, signed
from .rule import RULES, check_alike, run


class _PerWeight(NamedTuple):
    """A number that rules take one of for each weight: its name, kind and default among the parameters."""

    plural: str
    kind: Any
    kinds: Any
    default: Any = REQUIRED


_PER_WEIGHT = {
    "lr": _PerWeight("lrs", float, Floats),
    "wd": _PerWeight("wds", float, Floats, 0.0),
    "eta": _PerWeight("etas", float, Floats),
    "t": _PerWeight("step_count", int, Shape),
}
_PRELOADED = ("lr", "wd")
_LAZY = "lazy_update"  # about sparse gradients, which ndarray/sparse handles

DOCS = {
    "weight": "what to update.",
    "grad": "its gradient.",
    "mean": "average of the gradient.",
    "var": "average of its square.",
    "weight32": "the weight in float32.",
    "lr": "learning rate.",
    "wd": "weight decay: how much of the weight is added to its gradient.",
    "eta": "what to multiply the step by.",
    "t": "number of this update, from 1.",
    "momentum": "how much of `mom` is kept.",
    "beta1": "how much of `mean` is kept.",
    "beta2": "how much of `var` is kept.",
    "epsilon": "added to the root of `var`.",
    "rescale_grad": "what to multiply the gradient by.",
    "clip_gradient": "limit of the gradient's elements; below 0 means none.",
    "bias_correction": "whether to undo that the averages began at 0.",
    _LAZY: "has no effect on dense gradients.",
}


@dataclass(frozen=True)
class _Family:
    """The declaration that operators are made from; see `operators`."""

    rule: str
    name: str
    forms: tuple[str, ...]
    lazy: bool
    scaled: bool
    count: str
    first: tuple[str, ...]
    names: Mapping[str, str]
    fixed: Mapping[str, Any]
    docs: Mapping[str, str]

    @property
    def numbers(self) -> dict[str, Parameter]:
        """What the rule takes by name and users may set."""
        taken = inspect.signature(RULES[self.rule].function).parameters.values()
        return {each.name: each for each in taken if each.kind is each.KEYWORD_ONLY and each.name not in self.fixed}


def operators(
    name: str,
    *aliases: str,
    forms: tuple[str, ...] = ("",),
    lazy: bool = False,
    scaled: bool = False,
    count: str = "num_weights",
    first: tuple[str, ...] = (),
    names: Mapping[str, str] | None = None,
    fixed: Mapping[str, Any] | None = None,
    docs: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declares operators that run the decorated rule.

    Args:
        name: of the operator on one weight; the others have a prefix before it.
        *aliases: further names of the operator on one weight.
        forms: prefixes of the operators that there are.
        lazy: whether those on one weight take `lazy_update`.
        scaled: whether `rescale_grad` is an array, the last input; nothing is updated if it is 0, infinite or NaN.
        count: the parameter that says how many weights there are.
        first: numbers that come before the others in the operators on many weights.
        names: of parameters that are called differently from the rule's.
        fixed: numbers of the rule that are not parameters.
        docs: of states and parameters that are not in DOCS.
    """

    def declare(function: Callable[..., None]) -> Callable[..., None]:
        texts = {**DOCS, **(docs or {})}
        family = _Family(function.__name__, name, forms, lazy, scaled, count, first, names or {}, fixed or {}, texts)
        for prefix in forms:
            _declare(_Form(family, prefix), aliases if prefix == "" else ())
        return function

    return declare


@dataclass(frozen=True)
class _Form:
    """One operator of a family."""

    family: _Family
    prefix: str

    @property
    def name(self) -> str:
        """The operator's name: an underscore stays in front of the prefix."""
        return _prefixed(self.prefix, self.family.name)

    @property
    def mixed(self) -> bool:
        """Whether weights have float32 copies."""
        return "mp_" in self.prefix

    @property
    def multi(self) -> bool:
        """Whether it takes many weights."""
        return "multi_" in self.prefix

    @property
    def preloaded(self) -> bool:
        """Whether rates are arrays."""
        return self.prefix.startswith("preloaded_")

    @property
    def columns(self) -> tuple[str, ...]:
        """The inputs that there are for each weight."""
        copy = ("weight32",) if self.mixed else ()
        return ("weight", "grad", *RULES[self.family.rule].states, *copy)

    @property
    def more(self) -> tuple[str, ...]:
        """The inputs after those."""
        if self.preloaded:
            return tuple(map(self._plural, _PRELOADED))
        return ("rescale_grad",) if self.family.scaled else ()

    def _plural(self, name: str) -> str:
        return self.family.names.get(name, _PER_WEIGHT[name].plural)

    def named(self, name: str) -> str:
        """What a number of the rule is called among the parameters."""
        return self._plural(name) if self.multi and name in _PER_WEIGHT else self.family.names.get(name, name)

    def parameters(self) -> dict[str, Parameter]:
        """The operator's parameters, in order, under the names of the rule's numbers; the last have none there."""
        numbers = self.family.numbers
        if self.multi:
            order = (*self.family.first, *(name for name in numbers if name not in self.family.first))
            left_out = _PRELOADED if self.preloaded else ()
            numbers = {name: numbers[name] for name in order if name not in left_out}
        found = {name: self._parameter(name, taken) for name, taken in numbers.items()}
        if self.multi:
            found[self.family.count] = number(self.family.count, int, 1)
        elif self.family.lazy:
            found[_LAZY] = number(_LAZY, bool, True)
        return found

    def _parameter(self, name: str, taken: Parameter) -> Parameter:
        rate = _PER_WEIGHT.get(name)
        if rate is None:
            return number(self.named(name), taken.annotation, taken.default)
        if self.multi:
            return number(self.named(name), rate.kinds)
        return number(self.named(name), rate.kind, rate.default)

    def doc(self) -> str:
        """What it does, and what it takes."""
        texts = self.family.docs
        if self.multi:
            listed = ", ".join(self.columns) + " of each weight"
            inputs = {"*data": f"{listed}{''.join(f', then {name}' for name in self.more)}."}
        else:
            inputs = {name: texts[name] for name in (*self.columns, *self.more)}
        lines = [f"    {name}: {text}" for name, text in inputs.items()]
        for name, parameter in self.parameters().items():
            text = texts[name] if name != self.family.count else "how many weights there are."
            if self.multi and name in _PER_WEIGHT:
                text = f"{text[:-1]}; one for each weight."
            lines.append(f"    {parameter.name}: {text}")
        return "\n".join([self._summary(), "", "Args:", *lines])

    def _summary(self) -> str:
        plural = "weights" if self.multi else "a weight"
        for part, text in (
            ("preloaded_", "with the learning rates and the weight decays in two arrays after the other inputs"),
            ("mp_", f"in float32 for {plural} of lower precision"),
            ("multi_", "of many weights"),
        ):
            simpler = self.prefix.replace(part, "")
            if part in self.prefix and simpler in self.family.forms:
                return f"`{_prefixed(simpler, self.family.name)}` {text}."
        return inspect.getdoc(RULES[self.family.rule].function) or ""


def _prefixed(prefix: str, name: str) -> str:
    bare = name.lstrip("_")
    return f"{name[: -len(bare)]}{prefix}{bare}"


def _declare(form: _Form, aliases: Iterable[str]) -> None:
    update = _of_many(form) if form.multi else _of_one(form)
    inputs = ("*data",) if form.multi else (*form.columns, *form.more)
    signed(update, form.name, form.doc(), inputs, form.parameters().values())
    traits: dict[str, Any] = {}
    if form.multi:
        traits["outputs"] = lambda params: params[form.family.count]
    if len(form.columns) > 2:
        traits["auxiliary"] = _state_positions(form) if form.multi else form.columns[2:]
    operator(form.name, *aliases, has_gradient=False, **traits)(update)


def _state_positions(form: _Form) -> Callable[[int], tuple[int, ...]]:
    """From the number of inputs to the positions of the states, kind by kind."""
    size, more = len(form.columns), len(form.more)
    return lambda count: tuple(place for kind in range(2, size) for place in range(kind, count - more, size))


def _defaults(form: _Form) -> dict[str, Any]:
    """What the rule is called with where the caller gives nothing."""
    given = {each.name: each.default for each in form.parameters().values() if each.default is not each.empty}
    return {**given, **form.family.fixed}


def _of_one(form: _Form) -> Callable[..., Any]:
    """The operator on one weight."""
    family, size, mixed, defaults = form.family, len(form.columns), form.mixed, _defaults(form)
    rule = family.rule
    rates = [name for name in family.numbers if name in _PER_WEIGHT]
    renamed = list(family.names.items())
    ignores = defaults.pop(_LAZY, None) is not None

    def update(*tensors: Tensor, **given: Any) -> Any:
        numbers = {**defaults, **given}
        if ignores:
            numbers.pop(_LAZY, None)
        for name, alias in renamed:
            numbers[name] = numbers.pop(alias)
        for name in rates:
            numbers[name] = [numbers[name]]
        if family.scaled:
            (new,), after = _step(rule, [[tensor] for tensor in tensors[:size]], mixed, tensors[size], numbers)
            return new, after
        weight, grad, *states = tensors  # as `_step`, without its lists
        moved = weight
        if mixed:
            moved = states.pop()
            _check_copies([weight], [grad], [moved])
            grad = grad.to(moved.dtype)
        new, after = moved.detach().clone(), [state.detach().clone() for state in states]
        run(rule, [new], [grad.detach()], *[[state] for state in after], **numbers)
        if mixed:
            return new.to(weight.dtype, copy=True), [*after, new]
        return (new, after) if after else new

    return update


def _of_many(form: _Form) -> Callable[..., Any]:
    """The operator on many weights."""
    family, mixed, preloaded, defaults = form.family, form.mixed, form.preloaded, _defaults(form)
    size, more = len(form.columns), len(form.more)
    rates = {name: form.named(name) for name in form.parameters() if name in _PER_WEIGHT}

    def update(*data: Tensor, **given: Any) -> Any:
        numbers = {**defaults, **given}
        count = numbers.pop(family.count)
        if count < 1 or len(data) != size * count + more:
            raise OpShapeError(
                f"expected {size} inputs for each of {family.count}={count} weights, and {more} more, got {len(data)}"
            )
        for name, plural in rates.items():
            values = numbers.pop(plural)
            if len(values) != count:
                raise OpParamError(f"{plural} has {len(values)} numbers; expected {count}, one for each weight")
            numbers[name] = list(values)
        if preloaded:
            numbers.update(_preloaded(data, count))
        factor = data[-1] if family.scaled else None
        columns = [list(data[place : size * count : size]) for place in range(size)]
        new, states = _step(family.rule, columns, mixed, factor, numbers)
        return (tuple(new), states) if states else tuple(new)

    return update


def _preloaded(data: Sequence[Tensor], count: int) -> dict[str, Sequence[Tensor]]:
    """The learning rates and weight decays, from the last two inputs."""
    rates: dict[str, Sequence[Tensor]] = {}
    for name, tensor in zip(_PRELOADED, data[-2:], strict=True):
        if tensor.numel() != count:
            raise OpShapeError(f"expected {name}s of {count} elements, one for each weight, got {tuple(tensor.shape)}")
        rates[name] = tensor.detach().reshape(-1).unbind()
    return rates


def _check_copies(weights: list[Tensor], grads: list[Tensor], copies: list[Tensor]) -> None:
    check_alike(weights, grads, names=["grad"])
    for weight, copy in zip(weights, copies, strict=True):
        expect_shape("weight32", copy, tuple(weight.shape))


def _step(
    rule: str, columns: list[list[Tensor]], mixed: bool, factor: Tensor | None, numbers: dict[str, Any]
) -> tuple[list[Tensor], list[Tensor]]:
    """New weights, and new states kind by kind; the arguments are left alone."""
    weights, grads, *states = columns
    grads = [grad.detach() for grad in grads]
    if mixed:
        copies = states.pop()
        _check_copies(weights, grads, copies)
        grads = [grad.to(copy.dtype) for grad, copy in zip(grads, copies, strict=True)]
    else:
        copies = weights
    written = [copies, *states]
    new = [[tensor.detach().clone() for tensor in tensors] for tensors in written]
    if factor is None:
        run(rule, new[0], grads, *new[1:], **numbers)
    else:
        new = _scaled_step(rule, written, new, grads, factor, numbers)
    first, *others = new
    after = [*chain.from_iterable(others)]
    if not mixed:
        return first, after
    return [copy.to(weight.dtype, copy=True) for weight, copy in zip(weights, first, strict=True)], [*after, *first]


def _scaled_step(
    rule: str,
    old: list[list[Tensor]],
    new: list[list[Tensor]],
    grads: list[Tensor],
    factor: Tensor,
    numbers: dict[str, Any],
) -> list[list[Tensor]]:
    """The step with scaled gradients; none if the factor is 0, infinite or NaN: a loss scale overflowed."""
    if factor.numel() < 1:
        raise OpShapeError("expected rescale_grad of one element, got none")
    scale = factor.detach().reshape(-1)[0]
    is_sound = torch.isfinite(scale) & (scale != 0)
    run(rule, new[0], [grad * scale.to(grad.dtype) for grad in grads], *new[1:], **numbers)
    return [
        [torch.where(is_sound, after, before.detach()) for after, before in zip(*pair, strict=True)]
        for pair in zip(new, old, strict=True)
    ]
