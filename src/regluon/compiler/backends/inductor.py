"""Prediction by torch's own compiler: `hybridize(backend="inductor")`.

It writes C++ for what lies between the large kernels, which takes tens of seconds and a C++ compiler, once per network
and shape. Parameters are built in as constants; when they change, the network is compiled once more, with parameters
that may change from then on.
"""

import math
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ...base import MXNetError
from ...graph.node import Entry, Node
from ...ops.precision import single
from ...torch_private import compilation_error, many_compilations
from ..constants import constant_steps
from ..plan import Step, make_plan, own_memory
from ..version_guard import VersionGuard

Form = Callable[..., Tensor]

_MANY = 1 << 20  # programs share one piece of code, which torch would compile 8 times only


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


# Operators as compilers like them: without our checks and choices of kernels. Others are traced as they are.
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


def _form_of(step: Step) -> Form | None:
    """The form of a step; None if it has none."""
    known = _FORMS.get(step.operator.name)
    return known(step.operator.full_params(step.params)) if known is not None and len(step.results) == 1 else None


def _are_finite(data: Iterable[Tensor]) -> bool:
    """Whether no element is infinite or not a number: activations of the compiler may turn those into numbers."""
    return all(math.isfinite(float(each.sum())) for each in data if each.is_floating_point())


def check_compiler() -> None:
    """Refuses to go on where no C++ compiler is installed."""
    names = [name for name in (os.environ.get("CXX"), "g++", "clang++") if name]
    if not any(map(shutil.which, names)):
        raise MXNetError(
            "[hybridize] backend='inductor' needs a C++ compiler, and none was found: looked for "
            f"{', '.join(names)}. Install one (on Debian: apt install g++; with conda: conda install gxx), or name it "
            "in the environment variable CXX, or call hybridize() without a backend, which needs none."
        )


class _Network(nn.Module):
    """The steps of a program; what they read besides the data are its buffers."""

    def __init__(
        self,
        calls: Sequence[tuple[Callable[..., Tensor], Step]],
        constants: dict[int, Tensor],
        varying: Sequence[int],
        heads: Sequence[int],
    ) -> None:
        super().__init__()
        self._calls, self._varying, self._heads, self._slots = calls, varying, heads, tuple(constants)
        for slot, value in constants.items():
            self.register_buffer(f"value{slot}", value)

    def forward(self, *data: Tensor) -> tuple[Tensor, ...]:
        """Runs the steps."""
        values: dict[int, Tensor] = {slot: getattr(self, f"value{slot}") for slot in self._slots}
        values.update(zip(self._varying, data, strict=True))
        for function, step in self._calls:
            values[step.results[0]] = function(*[None if slot is None else values[slot] for slot in step.arguments])
        return tuple([values[slot] for slot in self._heads])


class Inductor:
    """A program for prediction that torch compiles; it takes the place of the program's steps.

    Args:
        calls: the steps and what they call, without constant ones.
        constant: the steps that depend on parameters alone.
        heads: slots of the results.
        parameters: slots of the parameters.
        varying: slots of the data.
    """

    def __init__(
        self,
        calls: Sequence[tuple[Callable[..., Tensor], Step]],
        constant: Sequence[tuple[Callable[..., Tensor], Step]],
        heads: Sequence[int],
        parameters: Sequence[int],
        varying: Sequence[int],
    ) -> None:
        self._calls, self._constant, self._heads = calls, constant, heads
        self._varying = varying
        read = {slot for _, step in calls for slot in step.arguments if slot is not None}
        made = {step.results[0] for _, step in calls}
        self._constants = sorted(read - made - set(varying))
        self._versions = VersionGuard(parameters)
        self._network: _Network | None = None
        self._compiled: Callable[..., tuple[Tensor, ...]] | None = None
        self._is_frozen = True

    def run(self, tensors: Sequence[Tensor], ordinary: Callable[[], list[Tensor]]) -> list[Tensor]:
        """The results; `ordinary`, which runs the program's steps, is needed for data that are not finite."""
        if not _are_finite([tensors[slot] for slot in self._varying]):
            return ordinary()
        with torch.no_grad():
            if not self._versions.holds(tensors):
                self._take_parameters(tensors)
            assert self._compiled is not None
            try:
                with many_compilations(_MANY):
                    return list(self._compiled(*[tensors[slot].contiguous() for slot in self._varying]))
            except compilation_error() as error:
                cause = str(getattr(error, "inner_exception", error)).strip()
                raise MXNetError(
                    "[hybridize] backend='inductor': PyTorch's compiler failed. Call hybridize() without a backend, "
                    f"which needs no compiler. {cause}"
                ) from error

    def _take_parameters(self, tensors: Sequence[Tensor]) -> None:
        """Gives the network the parameters' values; as constants the first time, as buffers later."""
        self._versions.record(tensors)
        values: dict[int, Any] = dict(enumerate(tensors))
        for function, step in self._constant:
            arguments = [None if slot is None else values[slot] for slot in step.arguments]
            values[step.results[0]] = function(*arguments)
        constants = {slot: values[slot].clone() for slot in self._constants}
        if self._compiled is not None and self._is_frozen:
            self._is_frozen, self._compiled = False, None
        if self._compiled is None:
            check_compiler()
            self._network = _Network(self._calls, constants, self._varying, self._heads)
            # The key of torch's cache lacks ATEN_CPU_CAPABILITY: code for other vector lengths gives wrong results.
            is_cached = "ATEN_CPU_CAPABILITY" not in os.environ
            options: dict[str, Any] = {"freezing": self._is_frozen, "fx_graph_cache": is_cached}
            self._compiled = torch.compile(self._network, dynamic=False, options=options)
            return
        assert self._network is not None
        for slot, value in constants.items():
            self._network.get_buffer(f"value{slot}").copy_(value)


def _call(step: Step) -> Callable[..., Tensor] | None:
    """What a step calls; None if it needs more than tensors and parameters."""
    form = _form_of(step)
    if form is not None:
        return form
    operator = step.operator
    if len(step.results) != 1 or step.node.subgraphs or operator.needs_surroundings:
        return None
    function, params = operator.function, step.params

    def call(*arguments: Any) -> Tensor:
        found = function(*arguments, **params)
        if operator.auxiliary:
            found = found[0]
        result: Tensor = found[0] if isinstance(found, (tuple, list)) else found
        return result

    return call


def inductor_of(heads: Sequence[Entry], inputs: Sequence[Node], parameters: Iterable[int]) -> Inductor | None:
    """The network for torch's compiler; None if it draws random numbers, has control flow or returns its inputs."""
    plan = make_plan(heads, inputs, False, in_place=False)
    places = sorted(parameters)
    constant = constant_steps(plan.steps, places, plan.heads)
    kept = {id(step) for step in constant}
    calls = [(_call(step), step) for step in plan.steps]
    known = [(call, step) for call, step in calls if call is not None]
    if len(known) != len(calls) or not own_memory(plan.steps, constant, plan.heads, len(inputs)):
        return None
    fixed = [pair for pair in known if id(pair[1]) in kept]
    varying = [place for place in range(len(inputs)) if place not in set(places)]
    return Inductor([pair for pair in known if id(pair[1]) not in kept], fixed, plan.heads, places, varying)
