"""OneDnnGraph networks in prediction on a CPU by oneDNN's graph compiler, which torch brings with it.

It keeps data in its own order from layer to layer and prepares every call beforehand: where layers are many and small
that takes two thirds of the time. Where Winograd's convolutions do better, steps stay: both are timed on real calls,
once the parameters have rested for a while (see kernels/tuning.py). Torch reaches the compiler by tracing.
"""

import hashlib
import logging
import math
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from ...graph.node import Entry, Node, in_order
from ...kernels.tuning import tuner
from ...native import kernels
from ...ops.scalars import single
from ..constants import constant_steps
from ..plan import Step, make_plan, own_memory
from ..version_guard import VersionGuard

_NAMES = ("steps", "whole")
_PATIENCE = 20  # calls before the compiler is tried: those who call seldom do not wait for it
_LEAST_CONVOLUTIONS = 8
_TOGETHER = 2  # images that go through at once: all results of a network are kept, 30 MB for an image of a MobileNet
_building = threading.Lock()

Ordinary = Callable[[], list[Tensor]]
Form = Callable[..., Tensor]


def _convolution(params: Mapping[str, Any]) -> Form | None:
    if len(params["kernel"]) != 2 or params["layout"] not in (None, "NCHW"):
        return None
    window = (params["stride"] or (1, 1), params["pad"] or (0, 0), params["dilate"] or (1, 1), params["num_group"])
    return lambda data, weight, bias=None: torch.conv2d(data, weight, bias, *window)


def _dense(params: Mapping[str, Any]) -> Form | None:
    if not params["flatten"]:
        return functional.linear
    return lambda data, weight, bias=None: functional.linear(torch.flatten(data, 1), weight, bias)


def _pooling(params: Mapping[str, Any]) -> Form | None:
    kind, is_global = params["pool_type"], params["global_pool"]
    if len(params["kernel"]) != 2 or params["layout"] not in (None, "NCHW") or kind not in ("max", "avg"):
        return None
    if is_global:
        return lambda data: (functional.adaptive_avg_pool2d if kind == "avg" else functional.adaptive_max_pool2d)(
            data, 1
        )
    if params["pooling_convention"] != "valid" or (kind == "avg" and params["count_include_pad"] is False):
        return None
    window = (params["kernel"], params["stride"] or (1, 1), params["pad"] or (0, 0))
    return lambda data: (functional.avg_pool2d if kind == "avg" else functional.max_pool2d)(data, *window)


def _activation(params: Mapping[str, Any]) -> Form | None:
    return {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}.get(params["act_type"])


def _clip(params: Mapping[str, Any]) -> Form | None:
    low, high = single(params["a_min"]), single(params["a_max"])
    return (lambda data: functional.hardtanh(data, low, high)) if low <= high else None


# How operators look to the compiler; networks of others are left as steps. None of them mixes the images of a batch.
_FORMS: dict[str, Callable[[Mapping[str, Any]], Form | None]] = {
    "Convolution": _convolution,
    "FullyConnected": _dense,
    "Pooling": _pooling,
    "Activation": _activation,
    "relu": lambda params: torch.relu,
    "clip": _clip,
    "elemwise_add": lambda params: torch.add,
    "Dropout": lambda params: (lambda data: data) if params["mode"] == "training" else None,
    "Flatten": lambda params: lambda data: torch.flatten(data, 1),
    "Concat": lambda params: (lambda *data: torch.cat(data, params["dim"])) if params["dim"] > 0 else None,
}


def compiler_form(step: Step) -> Form | None:
    """A step as compilers like it, without checks; None if there is no such form."""
    known = _FORMS.get(step.operator.name)
    return known(step.operator.full_params(step.params)) if known is not None and len(step.results) == 1 else None


@contextmanager
def _compiler() -> Iterator[None]:
    """Lets torch hand what is traced to oneDNN, here only."""
    with _building, warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # torch would like tracing to be replaced by its own compiler
        before = torch.jit.onednn_fusion_enabled()
        torch.jit.enable_onednn_fusion(True)
        try:
            yield
        finally:
            torch.jit.enable_onednn_fusion(before)


class OneDnnGraph:
    """A network's program as one function.

    Args:
        steps: the steps with the parameters' values, constant ones left out.
        constant: the steps that depend on parameters alone.
        num_slots: how many slots there are.
        heads: slots of the results.
        parameters: slots of the parameters.
        varying: slots of the data.
        work: what the choice between this and steps is remembered under.
    """

    def __init__(
        self,
        steps: Sequence[tuple[Form, Step]],
        constant: Sequence[Step],
        num_slots: int,
        heads: Sequence[int],
        parameters: Sequence[int],
        varying: Sequence[int],
        work: tuple[Any, ...],
    ) -> None:
        self._steps, self._constant, self._num_slots, self._heads = steps, constant, num_slots, heads
        self._varying, self._work = varying, work
        self._versions = VersionGuard(parameters)
        self._rests = 0  # calls since a parameter has changed
        self._function: Callable[..., tuple[Tensor, ...]] | None = None
        self.is_wanted = True

    def run(self, tensors: Sequence[Tensor], ordinary: Ordinary) -> list[Tensor]:
        """The results, by the function or the ordinary way, whichever is better.

        Args:
            tensors: one for each input of the program.
            ordinary: runs the program's steps.
        """
        if not self._has_rested(tensors) or not are_finite([tensors[slot] for slot in self._varying]):
            return ordinary()
        choice = tuner.choice(self._work, _NAMES)
        if choice == 0:
            self.is_wanted = False
            self._versions.forget()
            return ordinary()
        if choice is None and self._rests < _PATIENCE:
            return ordinary()
        if self._function is None:
            self._build(tensors, ordinary)
            if self._function is None:
                self.is_wanted = False
                return ordinary()
        if choice is not None:
            return self._call(tensors)
        ways = (("steps", ordinary), ("whole", lambda: self._call(tensors)))
        found: list[Tensor] = tuner.run(self._work, ways)
        return found

    def _call(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        assert self._function is not None
        with torch.no_grad():
            data = [tensors[slot].contiguous() for slot in self._varying]
            parts = [self._function(*part) for part in zip(*map(_in_parts, data), strict=True)]
            return list(parts[0]) if len(parts) == 1 else [torch.cat(results) for results in zip(*parts, strict=True)]

    def _has_rested(self, tensors: Sequence[Tensor]) -> bool:
        """Whether the parameters are those of the call before."""
        if self._versions.holds(tensors):
            self._rests += 1
            return True
        self._rests, self._function = 0, None
        self._versions.record(tensors)
        return False

    def _build(self, tensors: Sequence[Tensor], ordinary: Ordinary) -> None:
        """Makes the function, unless the compiler does not take the network, or computes something else."""
        slots: list[Any] = [*tensors, *[None] * (self._num_slots - len(tensors))]
        for step in self._constant:
            arguments = [None if slot is None else slots[slot] for slot in step.arguments]
            slots[step.results[0]] = step.function(*arguments, **step.params)

        def function(*data: Tensor) -> tuple[Tensor, ...]:
            values = list(slots)
            for slot, value in zip(self._varying, data, strict=True):
                values[slot] = value
            for form, step in self._steps:
                values[step.results[0]] = form(*[values[slot] for slot in step.arguments if slot is not None])
            return tuple(values[slot] for slot in self._heads)

        data = [_in_parts(tensors[slot].contiguous())[0] for slot in self._varying]
        try:
            with _compiler():
                self._function = torch.jit.trace(function, data, check_trace=False)
                for _ in range(3):  # it looks at two calls before it compiles
                    self._function(*data)
            found = self._call(tensors)
        except RuntimeError as error:
            logging.getLogger("mxnet").debug("oneDNN's compiler refuses a network: %s", error)
            self._function = None
            return
        if not all(map(_agree, found, ordinary())):
            self._function = None


def are_finite(data: Iterable[Tensor]) -> bool:
    """Whether no element is infinite or not a number: activations of the compilers may turn those into numbers."""
    return all(math.isfinite(float(each.sum())) for each in data if each.is_floating_point())


def _in_parts(data: Tensor) -> Sequence[Tensor]:
    """A batch in parts that go through one after the other."""
    count = len(data)
    return data.split(_TOGETHER) if count > _TOGETHER and count % _TOGETHER == 0 else (data,)


def _agree(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-3, atol=1e-3 * float(other.abs().max()))


def _suits_winograd(convolution: Mapping[str, Any]) -> bool:
    is_plain = convolution["num_group"] == 1 and set(convolution["dilate"]) <= {1}
    return is_plain and convolution["kernel"] == (3, 3) and set(convolution["stride"]) <= {1}


def _may_suit(order: Sequence[Node], constant: set[int]) -> bool:
    """Whether what is computed from the data are operators that the compiler knows, and enough convolutions."""
    convolutions = 0
    for node in order:
        if node.operator is None:
            continue
        if all(id(source.node) in constant for source in node.inputs):
            constant.add(id(node))
        elif node.operator.name not in _FORMS:
            return False
        else:
            convolutions += node.operator.name == "Convolution"
    return convolutions >= _LEAST_CONVOLUTIONS


def onednn_graph_of(
    heads: Sequence[Entry], inputs: Sequence[Node], parameters: Iterable[int], shapes: Any
) -> OneDnnGraph | None:
    """The network as one function, if it has many convolutions and the compiler knows all its operators."""
    if not hasattr(torch.jit, "enable_onednn_fusion"):
        return None
    parameters = sorted(parameters)
    if not _may_suit(in_order(heads), {id(inputs[place]) for place in parameters}):
        return None
    plan = make_plan(heads, inputs, False, in_place=False)
    constant = constant_steps(plan.steps, parameters, plan.heads)
    kept = {id(step) for step in constant}
    steps = [step for step in plan.steps if id(step) not in kept]
    convolutions = [step.operator.full_params(step.params) for step in steps if step.operator.name == "Convolution"]
    by_winograd = sum(map(_suits_winograd, convolutions)) if kernels() is not None else 0
    # Against our own kernel for them it takes twice the time, and its trial a third of the memory.
    if len(convolutions) < _LEAST_CONVOLUTIONS or 2 * by_winograd > len(convolutions):
        return None
    forms = [(form, step) for step in steps if (form := compiler_form(step)) is not None]
    if len(forms) != len(steps) or not own_memory(plan.steps, constant, plan.heads, len(inputs)):
        return None
    text = repr([(step.operator.name, sorted(step.params.items()), step.arguments) for step in steps])
    varying = [place for place in range(len(inputs)) if place not in set(parameters)]
    sizes = tuple(shapes[inputs[place].name] for place in varying)
    work = ("network", hashlib.sha256(text.encode()).hexdigest()[:16], sizes)
    return OneDnnGraph(forms, constant, plan.num_slots, plan.heads, parameters, varying, work)
