"""Carries out one case on the real MXNet. Runs in a child process: a wrong case can abort the interpreter."""

import contextlib
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from operator import attrgetter
from typing import Any

import numpy as np

import mxnet as mx

from .case import Case, load_family

# Where MXNet puts the function of a registered operator: in one of the first three under its full name, or in the
# module that belongs to its prefix, without the prefix.
_PLACES = ("nd", "nd._internal", "nd.op")
_PREFIXES = (
    ("_contrib_", "nd.contrib"),
    ("_linalg_", "nd.linalg"),
    ("_sparse_", "nd.sparse"),
    ("_image_", "nd.image"),
    ("_random_", "nd.random"),
    ("_npi_", "nd.numpy._internal"),
    ("_npx__image_", "nd.numpy_extension.image"),
    ("_npx_", "nd.numpy_extension"),
    ("_np_", "nd.numpy._op"),
    ("_np_", "nd.numpy"),
)


def serve(family: str, connection: Connection) -> None:
    """Answers each case number received with the recorded case, or with the text of the failure."""
    cases = load_family(family)
    while True:
        index = connection.recv()
        try:
            connection.send(perform(cases[index]))
        except Exception as error:
            connection.send(f"{type(error).__name__}: {_gist(error)}")


def perform(case: Case) -> dict[str, Any]:
    """Runs the case; returns {"facts": what goes into the JSON file, "arrays": what goes into the npz file}."""
    path = locate(case.op)
    mx.random.seed(0)
    with _numpy_semantics(path):
        run = CaseRun(case, path)
        try:
            run.carry_out()
            if not case.error:
                return {"facts": run.facts(), "arrays": run.recorded}
        except Exception as error:
            if not case.error:
                raise
            return {"facts": run.facts(error), "arrays": run.recorded}
        finally:
            # Work still queued, after an error or for gradients that nobody reads, could fail inside the next case.
            with contextlib.suppress(Exception):
                mx.nd.waitall()
    raise AssertionError("marked error=True, but MXNet carries it out")


def locate(op: str) -> str:
    """Dotted path under `mx` of the function that calls a registered operator."""
    candidates = [f"{place}.{op}" for place in _PLACES]
    candidates += [f"{place}.{op[len(prefix) :]}" for prefix, place in _PREFIXES if op.startswith(prefix)]
    for path in candidates:
        with contextlib.suppress(AttributeError):
            if callable(attrgetter(path)(mx)):
                return path
    raise LookupError(f"MXNet has no operator {op!r}; looked for mx.{', mx.'.join(candidates)}")


def is_numpy_operator(path: str) -> bool:
    """Operators of `mx.np` and `mx.npx` take and give `mx.np.ndarray`."""
    return path.startswith("nd.numpy")


@contextlib.contextmanager
def _numpy_semantics(path: str) -> Iterator[None]:
    # Zero-dimensional and empty arrays exist only under these semantics, which mx.np always assumes.
    with mx.util.np_shape(is_numpy_operator(path)), mx.util.np_array(is_numpy_operator(path)):
        yield


class CaseRun:
    """One case on its way: the arrays given to MXNet and everything read back from them."""

    def __init__(self, case: Case, path: str) -> None:
        self.case = case
        self.path = path
        self.function: Callable[..., Any] = attrgetter(path)(mx)
        self.values = case.arrays()
        self.recorded: dict[str, np.ndarray] = {f"in{i}": value for i, value in enumerate(self.values)}
        self.arrays = [_to_mxnet(value, is_numpy_operator(path)) for value in self.values]
        self.states: dict[str, str] = {}
        self.grads: list[int] = []
        self.heads: list[int] = []
        self.num_outputs = 0
        self.stage = "forward"

    def carry_out(self) -> None:
        """Forward, then backward if the case has gradients, then the inputs that MXNet changed."""
        wanted = [i for i, v in enumerate(self.values) if v.dtype.kind == "f" and i not in self.case.no_grad]
        # Without floating inputs there is nothing to differentiate, and nothing is recorded.
        self.grads = wanted if self.case.grad else []
        for i in self.grads:
            self.arrays[i].attach_grad()
        outputs = self._forward()
        self._note_changes("forward")
        if self.grads:
            self.stage = "backward"
            self._backward(outputs)
            self._note_changes("backward")

    def _forward(self) -> list[Any]:
        train = self.case.train
        without_gradient = mx.autograd.train_mode() if train else mx.autograd.predict_mode()
        with mx.autograd.record(train_mode=train) if self.grads else without_gradient:
            result = self._call()
        outputs = list(result) if isinstance(result, (list, tuple)) else [result]
        self.num_outputs = len(outputs)
        for i, output in enumerate(outputs):
            self.recorded[f"out{i}"] = output.asnumpy()
        return outputs

    def _call(self) -> Any:
        count = len(self.case.inputs)
        named = dict(zip(self.case.named, self.arrays[count:], strict=True))
        return self.function(*self.arrays[:count], **named, **self.case.params)

    def _backward(self, outputs: list[Any]) -> None:
        floating = [i for i in range(len(outputs)) if self.recorded[f"out{i}"].dtype.kind == "f"]
        self.heads = floating if self.case.head_outputs is None else list(self.case.head_outputs)
        if not self.heads:
            self.grads = []
            return
        for i in self.heads:
            like = self.recorded[f"out{i}"]
            self.recorded[f"head{i}"] = self.case.head_gradient(i, like.shape, like.dtype)
        heads = [_to_mxnet(self.recorded[f"head{i}"], is_numpy_operator(self.path)) for i in self.heads]
        # Not MXNet's default, which is train mode whatever the forward mode was: BatchNorm then mixes both formulas.
        mx.autograd.backward([outputs[i] for i in self.heads], heads, train_mode=self.case.train)
        for i in self.grads:
            self.recorded[f"grad{i}"] = self.arrays[i].grad.asnumpy()

    def _note_changes(self, moment: str) -> None:
        # Backward rewrites auxiliary states asynchronously: reading the array waits for it.
        for i, (before, array) in enumerate(zip(self.values, self.arrays, strict=True)):
            now = array.asnumpy()
            if now.tobytes() != self.recorded.get(f"state{i}", before).tobytes():
                self.recorded[f"state{i}"] = now
                self.states[str(i)] = moment

    def facts(self, error: Exception | None = None) -> dict[str, Any]:
        """All that is not an array."""
        case = self.case
        facts: dict[str, Any] = {
            "op": case.op,
            "function": self.path,
            "call": self._text(),
            "params": case.params,
            "inputs": len(case.inputs),
            "named": list(case.named),
            "dtypes": [value.dtype.name for value in self.values],
            "train": case.train,
            "grads": self.grads,
            "heads": self.heads,
            "states": self.states,
            "outputs": self.num_outputs,
            "numpy": is_numpy_operator(self.path),
        }
        facts.update({name: False for name in ("out", "strided", "infer") if not getattr(case, name)})
        if is_numpy_operator(self.path) and error is None:
            facts["symbol"] = self._inferred()
        if case.tolerance is not None:
            facts["tolerance"] = case.tolerance
        if error is not None:
            facts.update(error=type(error).__name__, message=_gist(error), stage=self.stage)
            facts.update(outputs=0, grads=[], heads=[], states={})
            self.recorded = {name: value for name, value in self.recorded.items() if name.startswith("in")}
        return facts

    def _inferred(self) -> dict[str, Any] | None:
        """What the operator on symbols tells of its results without data, or None if there is no such function.

        Dtypes and shapes that stay unknown, or that it refuses to tell, are None.
        """
        count = len(self.case.inputs)
        names = [f"x{i}" for i in range(len(self.values))]
        variables = [mx.sym.var(name).as_np_ndarray() for name in names]
        named = dict(zip(self.case.named, variables[count:], strict=True))
        try:
            function = attrgetter(re.sub("^nd", "sym", self.path))(mx)
            symbol = function(*variables[:count], **named, **self.case.params)
            symbol = mx.sym.Group(list(symbol)) if isinstance(symbol, (list, tuple)) else symbol
        except Exception:  # a function of another signature, or none
            return None
        types = _told(symbol.infer_type, {name: v.dtype for name, v in zip(names, self.values, strict=True)})
        shapes = _told(symbol.infer_shape, {name: v.shape for name, v in zip(names, self.values, strict=True)})
        return {"types": types and [np.dtype(kind).name for kind in types], "shapes": shapes}

    def _text(self) -> str:
        count = len(self.case.inputs)
        words = [*_input_names(self.function, count), *(f"{name}={name}" for name in self.case.named)]
        words += [f"{name}={value!r}" for name, value in self.case.params.items()]
        return f"mx.{self.path}({', '.join(words)})"


def _told(infer: Callable[..., Any], known: dict[str, Any]) -> Any:
    """What an inference finds for the outputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = infer(**known)[1]
        except Exception:
            return None
    return None if found is None or any(each is None for each in found) else found


def _to_mxnet(value: np.ndarray, numpy_semantics: bool) -> Any:
    if numpy_semantics:
        return mx.np.array(value, dtype=value.dtype)
    return mx.nd.array(value, dtype=value.dtype)


def _input_names(function: Callable[..., Any], count: int) -> list[str]:
    """The names MXNet gives the first `count` array arguments."""
    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        return [f"{parameters[0].name}{i}" for i in range(count)]
    return [parameter.name for parameter in parameters[:count]]


def _gist(error: Exception) -> str:
    """The one line of an error that says what is wrong: MXNet puts a C++ trace before it."""
    lines = str(error).splitlines() or [""]
    telling = [line for line in lines if line.startswith("MXNetError: ") or "Check failed" in line]
    gist = re.sub(r"^\[[\d:]+\] ", "", (telling or lines)[-1].strip())  # MXNet puts the time of day before some
    return re.sub(r" /\S+/(?=modules/)", " ", gist)[:200]  # and OpenCV where it was built
