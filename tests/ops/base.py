"""The operator test base: checks one operator call against what the real MXNet did.

`check_fixture` runs the whole battery on a recorded case. `check_bad_input` serves operators without fixtures too.
Fixtures are described in tools/oracle/README.md.
"""

import builtins
import contextlib
import functools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from regluon.dtypes import torch_dtype
from regluon.ops import registry
from regluon.ops.inference import infer

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "ops"
_TOLERANCES = {"float16": (1e-2, 1e-3), "float32": (1e-5, 1e-6), "float64": (1e-9, 1e-11)}


@dataclass(frozen=True, eq=False)
class Fixture:
    """One recorded case: the facts of the JSON file and the arrays of the npz file."""

    family: str
    facts: dict[str, Any]

    @property
    def id(self) -> str:
        """Names the test: family, place in the case file, operator."""
        return f"{self.family}-{self.facts['index']}-{self.facts['op']}"

    @property
    def params(self) -> dict[str, Any]:
        """Operator parameters as a user would write them."""
        return {name: _with_tuples(value) for name, value in self.facts["params"].items()}

    @property
    def inputs(self) -> list[np.ndarray]:
        """All input arrays, positional ones first."""
        return [self.array(f"in{i}") for i in range(len(self.facts["dtypes"]))]

    @property
    def outputs(self) -> list[np.ndarray]:
        """What MXNet returned."""
        return [self.array(f"out{i}") for i in range(self.facts["outputs"])]

    def array(self, name: str) -> np.ndarray:
        """A recorded array: `in0`, `out0`, `head0`, `grad0` or `state0`."""
        return _arrays(self.family)[f"{self.facts['index']}_{name}"]

    def tolerance(self, expected: np.ndarray) -> tuple[float, float]:
        """`(rtol, atol)` of the case, or those of the least precise floating type taking part."""
        if "tolerance" in self.facts:
            return tuple(self.facts["tolerance"])
        names = {expected.dtype.name, *self.facts["dtypes"]}
        return next((_TOLERANCES[name] for name in _TOLERANCES if name in names), (0.0, 0.0))


def _with_tuples(value: Any) -> Any:
    return tuple(_with_tuples(item) for item in value) if isinstance(value, list) else value


@functools.cache
def _arrays(family: str) -> dict[str, np.ndarray]:
    with np.load(FIXTURES / f"{family}.npz", allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def compiled(fixture: Fixture) -> mx.nd.CachedOp:
    """The operator of a case as a graph of its own."""
    name = fixture.facts["op"]
    make = getattr(mx.sym._internal if name.startswith("_") else mx.sym.op, name)
    return mx.nd.CachedOp(make(*[mx.sym.var(f"x{i}") for i in range(fixture.facts["inputs"])], **fixture.params))


def load_fixtures() -> list[Fixture]:
    """Every recorded case of every family."""
    return [fixture for path in sorted(FIXTURES.glob("*.json")) for fixture in load_family(path.stem)]


def load_family(family: str) -> list[Fixture]:
    """The recorded cases of one family, in the order of its case file."""
    text = (FIXTURES / f"{family}.json").read_text(encoding="utf-8")
    return [Fixture(family, facts) for facts in json.loads(text)]


def check_bad_input(
    op_call: Callable[[], Any], match: str | None = None, error: type[Exception] = mx.base.MXNetError
) -> None:
    """Asserts that a call refuses its input.

    Args:
        op_call: Makes the call; what it returns is read.
        match: Regular expression that the error text must contain.
        error: Expected error type.
    """
    with pytest.raises(error, match=match):
        _call_and_read(op_call)


def _call_and_read(op_call: Callable[[], Any]) -> None:
    # An error may come as late as the reading of the value, where MXNet itself reports many; not later.
    for output in _as_list(op_call()):
        output.asnumpy()


def check_fixture(fixture: Fixture) -> None:
    """Runs every check that applies to the case."""
    if "error" in fixture.facts:
        _check_error(fixture)
        return
    _check_results(fixture, to_array, "write")
    if fixture.facts["grads"]:
        _check_add(fixture)
    if len(fixture.facts["grads"]) > 1:
        _check_null(fixture)
    _check_memory(fixture)
    if fixture.facts["outputs"] == 1 and fixture.facts.get("out", True):
        _check_out(fixture)
    if fixture.facts.get("strided", True) and any(value.size > 1 for value in fixture.inputs):
        _check_results(fixture, to_strided_array, "strided inputs")
    if fixture.facts.get("infer", True):
        _check_inference(fixture)
    _check_symbol(fixture)


def to_array(value: np.ndarray) -> Any:
    """An NDArray with the value and its dtype."""
    if value.ndim == 0:  # nd.array would give it an axis
        return mx.nd.from_torch(torch.from_numpy(value.copy())).as_in_context(mx.current_context())
    return mx.nd.array(value, dtype=value.dtype)


def to_strided_array(value: np.ndarray) -> Any:
    """The same as a view with gaps: every second element along the last axis, garbage between them.

    Slicing an NDArray with a step copies, so the view comes from torch: as do results whose memory an operator left
    in another order.
    """
    if value.ndim == 0:
        return to_array(value)
    garbage = np.nan if value.dtype.kind == "f" else 1
    padded = np.full((*value.shape[:-1], 2 * value.shape[-1]), garbage, value.dtype)
    padded[..., ::2] = value
    return mx.nd.from_torch(torch.from_numpy(padded)[..., ::2])


@contextlib.contextmanager
def numpy_semantics(active: bool) -> Iterator[None]:
    """The rules that operators of `mx.np` and `mx.npx` were recorded under."""
    with mx.util.np_shape(active), mx.util.np_array(active):
        yield


class Run:
    """One execution of a case on fresh arrays."""

    def __init__(self, fixture: Fixture, make: Callable[[np.ndarray], Any] = to_array) -> None:
        self.fixture = fixture
        self.function = _function(fixture)
        self.numpy = fixture.facts["numpy"]
        self.arrays = [self._convert(make(value)) for value in fixture.inputs]
        self.outputs: list[Any] = []

    def _convert(self, array: Any) -> Any:
        return array.as_np_ndarray() if self.numpy else array

    def attach(self, grad_req: str, positions: list[int]) -> None:
        for i in positions:
            self.arrays[i].attach_grad(grad_req=grad_req)

    def call(self, **extra: Any) -> Any:
        count = self.fixture.facts["inputs"]
        named = dict(zip(self.fixture.facts["named"], self.arrays[count:], strict=True))
        with numpy_semantics(self.numpy):
            return self.function(*self.arrays[:count], **named, **self.fixture.params, **extra)

    def forward(self) -> None:
        """Records only if there are gradients to compute, as the recorder did."""
        train = self.fixture.facts["train"]
        with mx.autograd.record(train_mode=train) if self.fixture.facts["grads"] else mode(train):
            self.outputs = _as_list(self.call())

    def backward(self, retain_graph: bool = False) -> None:
        facts = self.fixture.facts
        heads = [self._convert(to_array(self.fixture.array(f"head{i}"))) for i in facts["heads"]]
        outputs = [self.outputs[i] for i in facts["heads"]]
        mx.autograd.backward(outputs, heads, retain_graph=retain_graph, train_mode=facts["train"])

    def check_outputs(self, stage: str) -> None:
        assert len(self.outputs) == self.fixture.facts["outputs"], f"{stage}: number of outputs"
        for i, (actual, expected) in enumerate(zip(self.outputs, self.fixture.outputs, strict=True)):
            _compare(self.fixture, actual, expected, f"{stage}: output {i}")

    def check_gradients(self, stage: str, positions: list[int], factor: float = 1) -> None:
        for i in positions:
            expected = self.fixture.array(f"grad{i}")
            with np.errstate(over="ignore"):
                scaled = (expected * factor).astype(expected.dtype)
            _compare(self.fixture, self.arrays[i].grad, scaled, f"{stage}: gradient of input {i}")

    def check_inputs(self, stage: str) -> None:
        """States have their new values, and nothing else was written to."""
        for i, (array, before) in enumerate(zip(self.arrays, self.fixture.inputs, strict=True)):
            changed = str(i) in self.fixture.facts["states"]
            expected = self.fixture.array(f"state{i}") if changed else before
            _compare(self.fixture, array, expected, f"{stage}: input {i} after the call")


def mode(train: bool) -> Any:
    """The mode alone, without recording."""
    return mx.autograd.train_mode() if train else mx.autograd.predict_mode()


def _function(fixture: Fixture) -> Callable[..., Any]:
    """Return our function at the place where the recorder found MXNet's."""
    return attrgetter(fixture.facts["function"])(mx)


def _as_list(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _compare(fixture: Fixture, actual: Any, expected: np.ndarray, what: str) -> None:
    text = f"{what} of {fixture.facts['call']}"
    assert actual is not None, f"{text}: is None"
    assert actual.shape == expected.shape, f"{text}: shape {actual.shape}, MXNet has {expected.shape}"
    assert np.dtype(actual.dtype) == expected.dtype, f"{text}: dtype {actual.dtype}, MXNet has {expected.dtype}"
    rtol, atol = fixture.tolerance(expected) if expected.dtype.kind == "f" else (0.0, 0.0)
    np.testing.assert_allclose(actual.asnumpy(), expected, rtol=rtol, atol=atol, equal_nan=True, err_msg=text)


def _check_results(fixture: Fixture, make: Callable[[np.ndarray], Any], stage: str) -> None:
    """Forward values, then gradients and states; a second backward must write the same, not add to it."""
    run = Run(fixture, make)
    grads = fixture.facts["grads"]
    run.attach("write", grads)
    run.forward()
    run.check_outputs(stage)
    if grads:
        run.backward(retain_graph=True)
    # Before the second backward: MXNet's BatchNorm moves its averages in each one.
    run.check_inputs(stage)
    if grads:
        run.backward()
        run.check_gradients(stage, grads)


def _check_add(fixture: Fixture) -> None:
    run = Run(fixture)
    run.attach("add", fixture.facts["grads"])
    run.forward()
    run.backward(retain_graph=True)
    run.backward()
    run.check_gradients("grad_req add, backward twice", fixture.facts["grads"], factor=2)


def _check_null(fixture: Fixture) -> None:
    """Only with several inputs: without any gradient to compute, backward rightly refuses."""
    silent, *others = fixture.facts["grads"]
    run = Run(fixture)
    run.attach("null", [silent])
    run.attach("write", others)
    run.forward()
    run.backward()
    run.check_gradients("grad_req null for the first", others)
    gradient = run.arrays[silent].grad
    assert gradient is None or not gradient.asnumpy().any(), f"grad_req null has a gradient: {fixture.facts['call']}"


def _check_out(fixture: Fixture) -> None:
    run = Run(fixture)
    expected = fixture.outputs[0]
    out = run._convert(to_array(np.full(expected.shape, 1, expected.dtype)))
    with mode(fixture.facts["train"]):
        returned = run.call(out=out)
    assert returned is out, f"out= is not what {fixture.facts['call']} returns"
    _compare(fixture, out, expected, "out=")


def _check_memory(fixture: Fixture) -> None:
    """Results own their memory: changing an input later must not change them."""
    run = Run(fixture)
    with mode(fixture.facts["train"]):
        outputs = _as_list(run.call())
    taken = {_address(array) for array in run.arrays if array.size}
    for i, output in enumerate(outputs):
        assert not output.size or _address(output) not in taken, f"output {i} of {fixture.facts['call']} is a view"


def _address(array: Any) -> int:
    return array.as_torch().untyped_storage().data_ptr()


def _check_inference(fixture: Fixture) -> None:
    """Shapes and dtypes found without data."""
    operator = registry.find(fixture.facts["op"])
    count = fixture.facts["inputs"]
    # Positions stand for the arrays while the arguments are sorted into inputs and parameters.
    named = dict(zip(fixture.facts["named"], range(count, len(fixture.inputs)), strict=True))
    order, params = operator.bind(range(count), {**named, **fixture.params})
    specs = [None if i is None else _spec(fixture.inputs[i]) for i in order]
    with numpy_semantics(fixture.facts["numpy"]):
        inferred = infer(operator, specs, params, training=fixture.facts["train"])
    expected = [_spec(value) for value in fixture.outputs]
    declared = operator.num_outputs(params, len(specs))
    assert declared == len(expected), f"declared number of outputs of {fixture.facts['call']}"
    assert inferred == expected, f"inference of {fixture.facts['call']}: {inferred}, MXNet has {expected}"


def _check_symbol(fixture: Fixture) -> None:
    """Dtypes without shapes, and shapes, of a symbol: where MXNet tells them, they are the same."""
    told = fixture.facts.get("symbol")
    if not told:
        return
    count = fixture.facts["inputs"]
    names = [f"x{i}" for i in range(len(fixture.inputs))]
    variables = [mx.sym.var(name) for name in names]
    named = dict(zip(fixture.facts["named"], variables[count:], strict=True))
    with numpy_semantics(True):
        symbol = getattr(mx.sym._internal, fixture.facts["op"])(*variables[:count], **named, **fixture.params)
        known = dict(zip(names, fixture.inputs, strict=True))
        types = symbol.infer_type(**{name: value.dtype for name, value in known.items()})[1]
        found = types and [np.dtype(kind).name for kind in types]
        assert found == told["types"], f"infer_type of {fixture.facts['call']}: {found}"
        if told["shapes"] and fixture.facts.get("infer", True):
            shapes = symbol.infer_shape(**{name: value.shape for name, value in known.items()})[1]
            expected = [tuple(shape) for shape in told["shapes"]]
            assert shapes == expected, f"infer_shape of {fixture.facts['call']}: {shapes}, MXNet has {expected}"


def _spec(value: np.ndarray) -> tuple[tuple[int, ...], Any]:
    return value.shape, torch_dtype(value.dtype)


def _check_error(fixture: Fixture) -> None:
    """Check that ours raises the recorded class: MXNetError, or the builtin one of MXNet's Python part."""
    expected = getattr(builtins, fixture.facts["error"], mx.base.MXNetError)
    run = Run(fixture)
    floating = [i for i, kind in enumerate(fixture.facts["dtypes"]) if kind.startswith("float")]
    run.attach("write", floating)

    def call() -> Any:
        with mx.autograd.record(train_mode=fixture.facts["train"]):
            return run.call()

    check_bad_input(call, match=rf"^\[{registry.find(fixture.facts['op']).name}\] ", error=expected)
