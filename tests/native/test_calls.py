"""Calls that C++ repeats: the same as those in Python, whatever changes between two of them."""

import copy
import gc
import inspect
import pickle
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as onp
import pytest
import torch

import mxnet as mx
from mxnet import autograd, nd, np
from mxnet.ndarray import NDArray
from mxnet.ndarray.register import make_function
from regluon.native import loading
from regluon.ops.registry import find
from regluon.runtime import repeated
from tests.ops.base import Fixture, Run, load_family, to_array
from tools.oracle import case as cases


@pytest.fixture(autouse=True)
def module(library: loading.Library, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The runner in C++, in use for one test."""
    monkeypatch.setattr(loading, "the_library", library)
    assert library.runner is not None
    repeated.prepare(NDArray, np.ndarray)
    return library.runner


class Counted:
    """A function that says how often Python made a call of it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.count = 0

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            return function(*args, **kwargs)

        self.call = repeated.repeatable(counted)
        self.plain = function

    def is_repeated(self, *args: Any, **kwargs: Any) -> bool:
        """Whether a call that was made thrice needs no Python any more; checks its result."""
        for _ in range(3):
            self.call(*args, **kwargs)
        before = self.count
        found = self.call(*args, **kwargs)
        assert seen(found) == seen(self.plain(*args, **kwargs))
        return self.count == before


def seen(found: Any) -> str:
    """All that is seen of a result, as text, where NaN is NaN."""
    if isinstance(found, (list, tuple)):
        return repr((type(found), [seen(each) for each in found]))
    place = found._node is None, found._t.requires_grad
    return repr((type(found), found.context, found.dtype, found._t.stride(), found.asnumpy().tolist(), place))


def _array(*shape: int, seed: int = 0, dtype: str = "float32", room: Any = nd) -> Any:
    return room.array(onp.random.default_rng(seed).uniform(0.5, 2, shape), dtype="float32").astype(dtype)


# -- what is repeated -------------------------------------------------------------------------------------------------

_CALLS: list[tuple[str, Callable[..., Any], Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]]] = [
    ("sum", nd.sum, lambda: ((_array(3, 4),), {"axis": 1})),
    ("dense", nd.FullyConnected, lambda: ((_array(2, 4), _array(3, 4), _array(3)), {"num_hidden": 3})),
    ("concat", nd.concat, lambda: ((_array(2, 3), _array(2, 1)), {"dim": 1})),
    ("stack a list", nd.stack, lambda: (([_array(2, 3), _array(2, 3, seed=1)],), {})),
    ("split", nd.split, lambda: ((_array(2, 6),), {"num_outputs": 3})),
    ("by name", nd.sum, lambda: ((), {"data": _array(3, 4), "axis": (0, 1), "keepdims": True})),
    ("reshape", NDArray.reshape, lambda: ((_array(3, 4), (4, -1)), {})),
    ("slice", NDArray.__getitem__, lambda: ((_array(3, 4), slice(1, 3)), {})),
    ("item", NDArray.__getitem__, lambda: ((_array(3, 4), (1, slice(None, None, -1))), {})),
    ("transpose", NDArray.transpose, lambda: ((_array(3, 4), (1, 0)), {})),
    ("cast", NDArray.astype, lambda: ((_array(3, 4), "float64"), {})),
    ("compare", nd.greater, lambda: ((_array(3, 4), 1.0), {})),
    ("numpy", np.sum, lambda: ((_array(3, 4, room=np),), {"axis": 1})),
]


@pytest.mark.parametrize(("function", "given"), [pytest.param(*call[1:], id=call[0]) for call in _CALLS])
def test_is_repeated(function: Any, given: Any) -> None:
    args, kwargs = given()
    assert Counted(function).is_repeated(*args, **kwargs)


@pytest.mark.parametrize(("function", "given"), [pytest.param(*call[1:], id=call[0]) for call in _CALLS])
def test_gradients(function: Any, given: Any) -> None:
    counted = Counted(function)

    def gradients(call: Callable[..., Any]) -> list[str]:
        args, kwargs = given()
        values = [*args, *kwargs.values()]
        arrays = [each for value in values for each in (value if isinstance(value, list) else [value])]
        arrays = [each for each in arrays if isinstance(each, NDArray)]
        for array in arrays[:1]:  # others are constants
            array.attach_grad()
        with autograd.record():
            found = call(*args, **kwargs)
            parts = found if isinstance(found, list) else [found]
            total = sum((part.astype("float32") * part.astype("float32")).sum() for part in parts)
        if total._tape is not None:
            total.backward()
        return [seen(found), *(seen(array.grad) for array in arrays[:1])]

    expected = gradients(function)
    for _ in range(4):
        assert gradients(counted.call) == expected


def _results(fixture: Fixture, wrap: Callable[[Any], Any], shift: int) -> list[str]:
    """Results and gradients of a recorded case, of its inputs moved along by some places."""
    run = Run(fixture, lambda value: to_array(onp.roll(value, shift)))
    run.function = wrap(run.function)
    mx.random.seed(1)
    run.attach("write", fixture.facts["grads"])
    run.forward()
    texts = [seen(each) for each in run.outputs]
    if fixture.facts["grads"]:
        run.backward()
    return texts + [seen(run.arrays[i].grad) for i in fixture.facts["grads"]]


@pytest.mark.parametrize("family", cases.family_names())
@pytest.mark.sample(one_in=4)
def test_every_operator(family: str) -> None:
    """All recorded cases: calls that are new, watched and repeated, with other numbers each time."""
    made: dict[Any, Any] = {}
    for fixture in load_family(family):
        if "error" in fixture.facts:
            continue
        for shift in (0, 0, 1):
            expected = _outcome(fixture, lambda function: function, shift)
            found = _outcome(fixture, lambda function: made.setdefault(function, repeated.repeatable(function)), shift)
            assert found == expected, fixture.id


def _outcome(fixture: Fixture, wrap: Callable[[Any], Any], shift: int) -> Any:
    try:
        return _results(fixture, wrap, shift)
    except Exception as error:  # numbers in other places may not do
        return type(error), str(error)


# -- what may differ between calls ------------------------------------------------------------------------------------


def test_other_values() -> None:
    counted = Counted(nd.sum)
    for seed in range(5):
        array = _array(3, 4, seed=seed)
        assert seen(counted.call(array, axis=1)) == seen(nd.sum(array, axis=1))
    assert counted.count == 2 + 2  # one was made twice to see what torch is asked for, under either rule for shapes


def test_one_array_twice_or_two() -> None:
    counted = Counted(nd.maximum)
    first, second = _array(3, seed=1), _array(3, seed=2)
    assert counted.is_repeated(first, first)
    assert seen(counted.call(first, second)) == seen(nd.maximum(first, second))
    assert counted.is_repeated(first, second)
    assert seen(counted.call(second, second)) == seen(second)
    shared = first.detach()
    assert seen(counted.call(first, shared)) == seen(first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"axis": 0}, {"axis": 1}, id="value"),
        pytest.param({"axis": 1}, {"axis": True}, id="type"),
        pytest.param({"keepdims": True}, {"exclude": True}, id="name"),
        pytest.param({"axis": (0, 1)}, {"axis": (0,)}, id="length"),
        pytest.param({"axis": [0]}, {"axis": [1]}, id="list"),
    ],
)
def test_other_arguments(first: dict[str, Any], second: dict[str, Any]) -> None:
    counted, array = Counted(nd.sum), _array(3, 4, 2)
    for given in (first, first, first, second, first, second, second, second):
        assert seen(counted.call(array, **given)) == seen(nd.sum(array, **given))


def test_zero_and_minus_zero() -> None:
    counted, array = Counted(NDArray.__truediv__), _array(2)
    for number in (0.0, 0.0, 0.0, -0.0, -0.0, -0.0, 0.0):
        assert seen(counted.call(array, number)) == seen(array / number)


def test_a_list_that_changes() -> None:
    axes = [0]
    totals = Counted(nd.sum)
    for axis in (0, 0, 0, 1, 1, 1, 0):
        axes[0] = axis
        assert totals.call(_array(3, 4), axis=axes).shape == ((4,) if axis == 0 else (3,))


@pytest.mark.parametrize("change", ["shape", "dtype", "order", "class", "recording", "gradient"])
def test_another_kind_of_array(change: str) -> None:
    counted = Counted(nd.square)
    array = _array(3, 4)
    assert counted.is_repeated(array)
    other = array
    if change == "shape":
        other = _array(4, 3)
    elif change == "dtype":
        other = _array(3, 4, dtype="float16")
    elif change == "order":
        other = nd.from_torch(torch.rand(4, 3).t())
    elif change == "class":
        other = array.as_np_ndarray()
    elif change == "gradient":
        other = array.copy()
        other.attach_grad()
    if change in ("recording", "gradient"):
        with autograd.record():
            assert seen(counted.call(other)) == seen(nd.square(other))
    assert seen(counted.call(other)) == seen(nd.square(other))
    assert counted.is_repeated(array)


def test_recorded_result_outside_of_its_recording() -> None:
    counted, x = Counted(nd.square), _array(3)
    x.attach_grad()
    for _ in range(4):
        with autograd.record():
            y = counted.call(counted.call(x))
            with autograd.pause():
                z = counted.call(y)
        assert z._node is None
        assert not z._t.requires_grad
        y.backward()
        onp.testing.assert_allclose(x.grad.asnumpy(), 4 * x.asnumpy() ** 3, rtol=1e-6)
        with autograd.record():
            again = counted.call(y)  # whose graph is used up: a constant
        assert again._node is None


def test_view_shares_memory() -> None:
    counted = Counted(NDArray.__getitem__)
    for _ in range(4):
        x = nd.zeros((4, 2))
        counted.call(x, slice(1, 3))[:] = 1
        assert x.asnumpy().sum() == 4


def test_view_of_a_variable_is_a_view_of_its_storage() -> None:
    counted = Counted(NDArray.reshape)
    for _ in range(4):
        x = nd.zeros((4, 2))
        x.attach_grad()
        with autograd.record():
            view = counted.call(x, (2, 4))
        view[:] = 1
        assert x.asnumpy().sum() == 8


# -- what is never repeated -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "given"),
    [
        pytest.param(lambda x: x * float(x.sum().asscalar()), (_array(3),), id="looks at values"),
        pytest.param(nd.Dropout, (_array(3),), id="depends on the mode"),
        pytest.param(nd.shuffle, (nd.ones(3),), id="draws numbers"),
        pytest.param(lambda x: x, (_array(3),), id="returns its argument"),
        pytest.param(lambda x: x.asnumpy(), (_array(3),), id="returns no array"),
        pytest.param(lambda x: nd.array([1.0]) + x, (_array(1),), id="uses a tensor from elsewhere"),
    ],
)
def test_is_not_repeated(function: Any, given: tuple[Any, ...]) -> None:
    counted = Counted(function)
    for _ in range(4):
        counted.call(*given)
    before = counted.count
    counted.call(*given)
    assert counted.count > before


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda x: nd.square(x, out=x), id="out"),
        pytest.param(lambda x: nd.sgd_update(x, nd.ones_like(x), lr=0.5, out=x), id="update"),
        pytest.param(lambda x: nd.sgd_mom_update(nd.ones_like(x), x, x, lr=0.5, momentum=0.5), id="state"),
        pytest.param(torch.relu_, id="in place"),
    ],
)
def test_writes_are_made_once(write: Any) -> None:
    """A call that is watched must not do anything twice."""
    call, x, y = repeated.repeatable(write), _array(3), _array(3)
    for _ in range(5):
        call(x)
        write(y)
        assert seen(x) == seen(y)


def test_own_functions_that_write() -> None:
    counter = repeated.repeatable(lambda x: x.__iadd__(1))
    x = nd.zeros(2)
    for _ in range(5):
        counter(x)
    assert x.asnumpy().tolist() == [5, 5]


def test_errors_are_those_of_python() -> None:
    counted = Counted(nd.FullyConnected)
    data, weight = _array(2, 4), _array(3, 5)
    for _ in range(4):
        with pytest.raises(mx.MXNetError, match="FullyConnected"):
            counted.call(data, weight, num_hidden=3, no_bias=True)


# -- what holds for the thread or the process -------------------------------------------------------------------------


def test_rule_for_shapes() -> None:
    counted, array = Counted(NDArray.__getitem__), _array(3)
    for active in (False, True, False, True):
        with mx.util.np_shape(active):
            for _ in range(4):
                assert counted.call(array, 1).shape == (() if active else (1,))
                assert seen(counted.call(array, slice(2))) == seen(array[:2])


def test_labels_are_checked_from_now_on() -> None:
    counted, weight, index = Counted(nd.take), _array(3, 2), nd.array([7.0])
    assert counted.is_repeated(weight, index)
    with mx.util.check_labels(), pytest.raises(mx.MXNetError, match="7"):
        counted.call(weight, index)
    assert counted.is_repeated(weight, index)


def test_profiler_sees_every_call(tmp_path: Path) -> None:
    counted, array = Counted(nd.sum), _array(3, 4)
    assert counted.is_repeated(array, axis=1)
    mx.profiler.dumps(reset=True)  # of tests before
    mx.profiler.set_config(filename=str(tmp_path / "profile.json"), profile_imperative=True, aggregate_stats=True)
    mx.profiler.set_state("run")
    for _ in range(5):
        counted.call(array, axis=1)
    mx.profiler.set_state("stop")
    line = next(line for line in mx.profiler.dumps(reset=True).splitlines() if line.startswith("sum"))
    assert line.split()[1] == "5"


def test_threads() -> None:
    counted, wrong = Counted(nd.sum), []

    def work(seed: int) -> None:
        for number in range(300):
            array = _array(2 + number % 40, 3, seed=seed)
            if seen(counted.call(array, axis=0)) != seen(nd.sum(array, axis=0)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_many_kinds_do_not_grow() -> None:
    counted = Counted(nd.sum)
    for length in range(1, 700):
        for _ in range(2):
            counted.call(nd.zeros((1, length)), axis=1)
    assert counted.is_repeated(nd.zeros((1, 5)), axis=1)


# -- it passes for a function -----------------------------------------------------------------------------------------


def test_is_like_the_function() -> None:
    call = repeated.repeatable(make_function(find("sum"), "sum", NDArray))
    assert (call.__name__, call.__module__, call.__doc__) == ("sum", "mxnet.ndarray.op", find("sum").doc)
    assert "axis" in inspect.signature(call).parameters
    assert inspect.isfunction(call)
    assert repr(call).startswith("<function sum")
    assert copy.deepcopy(call) is call


def test_can_be_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    call = repeated.repeatable(make_function(find("sum"), "sum", NDArray))
    monkeypatch.setattr(sys.modules["mxnet.ndarray.op"], "sum", call, raising=False)
    assert pickle.loads(pickle.dumps(call)) is call  # noqa: S301


def test_is_freed() -> None:
    def function(x: NDArray) -> NDArray:
        return x + 1

    call = repeated.repeatable(function)
    for _ in range(4):
        call(nd.zeros(2))
    before = sys.getrefcount(function)
    del call
    gc.collect()
    assert sys.getrefcount(function) == before - 1
