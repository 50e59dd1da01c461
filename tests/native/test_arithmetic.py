"""`a + b` and its kin in C++: the same as in Python, whatever the operands are."""

import gc
import inspect
import math
import operator
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as onp
import pytest
import torch

import mxnet as mx
from mxnet import autograd, nd, np
from mxnet.ndarray import NDArray
from regluon.array import arithmetic, native_arithmetic
from regluon.array.arithmetic import Arithmetic
from regluon.array.numpy.arithmetic import NumpyArithmetic
from regluon.autograd.recording import state
from regluon.native import loading

_SIGNS: list[Callable[[Any, Any], Any]] = [operator.add, operator.sub, operator.mul, operator.truediv]
_NAMES = ["add", "sub", "mul", "truediv"]
_DTYPES = ["float16", "float32", "float64", "bfloat16", "uint8", "int8", "int32", "int64", "bool"]
_SHAPES = [((3, 4), (3, 4)), ((3, 4), (4,)), ((1,), (2, 3, 1)), ((0, 3), (3,)), ((), (2,)), ((2, 3), (4, 5))]


class _Array(NDArray):
    """A class of a program's own."""

    __slots__ = ()


@pytest.fixture(autouse=True)
def module(library: loading.Library) -> Iterator[Any]:
    """The methods in C++, in use for one test."""
    assert library.runner is not None
    native_arithmetic.install(library.runner)
    yield library.runner
    native_arithmetic.remove()


@pytest.fixture(params=["nd", "np"])
def room(request: pytest.FixtureRequest) -> Any:
    return getattr(mx, request.param)


@pytest.fixture
def check(module: Any) -> Callable[..., None]:
    """Checks that the methods in C++ do what those in Python do."""

    def compare(compute: Callable[..., Any], *given: Any) -> None:
        found = _seen(compute, *given)
        native_arithmetic.remove()
        try:
            assert found == _seen(compute, *given)
        finally:
            native_arithmetic.install(module)

    return compare


def _seen(compute: Callable[..., Any], *given: Any) -> str:
    """All that is seen of a result or an error, as text, where NaN is NaN."""
    try:
        found = compute(*given)
    except Exception as error:
        return repr((type(error), str(error), type(error.__cause__), str(error.__cause__)))
    if not isinstance(found, NDArray):
        return repr((type(found), found))
    layout = found._t.stride() if found.stype == "default" else None
    return repr((type(found), found.context, found.stype, found.dtype, found.shape, layout, found.asnumpy().tolist()))


def _numbers(room: Any, shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> Any:
    values = onp.random.default_rng(seed).uniform(1, 9, shape)
    return room.array(values, dtype="float32").astype(dtype)


def _is_dealt_with(compute: Callable[[], Any]) -> bool:
    """Whether a result is found without the methods in Python."""
    called = []

    def follow(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename == arithmetic.__file__:
            called.append(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(follow)
    try:
        compute()
    finally:
        sys.setprofile(before)
    return not called


# -- without recording ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("sign", _SIGNS, ids=_NAMES)
def test_arrays(check: Any, room: Any, sign: Any, dtype: str) -> None:
    for shape, other in _SHAPES:
        check(sign, _numbers(room, shape, dtype), _numbers(room, other, dtype, 1))
    turned = _numbers(room, (3, 4), dtype).T
    check(sign, turned, turned)


@pytest.mark.parametrize("dtypes", [("float32", "float64"), ("int32", "float32"), ("int8", "uint8"), ("bool", "int8")])
@pytest.mark.parametrize("sign", _SIGNS, ids=_NAMES)
def test_two_dtypes(check: Any, room: Any, sign: Any, dtypes: Any) -> None:
    check(sign, _numbers(room, (2, 3), dtypes[0]), _numbers(room, (2, 3), dtypes[1], 1))


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("sign", _SIGNS, ids=_NAMES)
def test_numbers(check: Any, room: Any, sign: Any, dtype: str) -> None:
    array = _numbers(room, (2, 3), dtype)
    for number in (2, 2.5, -1, 0, True, 1e300, math.nan, math.inf, 1 << 40, 1 << 70, onp.float32(2), onp.int64(3)):
        check(sign, array, number)
        check(sign, number, array)


def test_integers_wrap_around(check: Any) -> None:
    smallest, minus = nd.array([-(2**31)], dtype="int32"), nd.array([-1], dtype="int32")
    for sign in _SIGNS:
        check(sign, smallest, minus)
        check(sign, minus, nd.zeros((1,), dtype="int32"))


def test_the_usual_cases_are_dealt_with(room: Any) -> None:
    a, b, x = room.ones((2, 3)), room.ones((3,)), _variable(room, 1)
    for compute in (lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / b, lambda: a + 2, lambda: 2.5 * a):
        assert _is_dealt_with(compute)
    with autograd.record():
        for compute in (lambda: x + b, lambda: (x * b) * x / 2.0, lambda: a + b, lambda: 1 + x):
            assert _is_dealt_with(compute)
    assert not _is_dealt_with(lambda: 2 - a)


@pytest.mark.parametrize("other", ["text", None, [1.0], onp.ones(3, "float32"), torch.ones(3)], ids=repr)
@pytest.mark.parametrize("sign", _SIGNS, ids=_NAMES)
def test_what_is_no_operand(check: Any, room: Any, sign: Any, other: Any) -> None:
    check(sign, room.ones((3,)), other)


@pytest.mark.parametrize("sign", _SIGNS, ids=_NAMES)
def test_other_classes(check: Any, sign: Any) -> None:
    dense, own = nd.array([[1.0, 0.0], [2.0, 3.0]]), _Array(torch.full((2, 2), 2.0))
    others = [own, np.ones((2, 2)), dense.tostype("csr"), dense.tostype("row_sparse"), nd.ones((2, 2), mx.cpu(1))]
    for other in (*others, mx.sym.var("x"), mx.sym.var("x").as_np_ndarray()):
        check(sign, dense, other)
        check(sign, other, dense)
    for other in others:
        check(sign, other, other)


def test_the_result_stands_alone() -> None:
    a, b = nd.ones((2, 2)), nd.ones((2, 2))
    total = a + b
    a[:] = 5
    total += 1
    total[0] = 7
    assert total.asnumpy().tolist() == [[7, 7], [3, 3]]
    assert (total._node, total._tape, total._slot, total.grad) == (None, None, None, None)
    assert total.context is a.context


def test_an_array_without_memory(check: Any) -> None:
    for empty in (NDArray(None), NDArray.__new__(NDArray)):  # type: ignore[arg-type]
        check(operator.add, empty, nd.ones((2,)))
        check(operator.add, nd.ones((2,)), empty)
        check(operator.add, empty, 2)


def test_it_is_a_method(room: Any) -> None:
    array = room.ones((2,))
    kind: Any = type(array)
    assert kind.__add__(array, array).asnumpy().tolist() == [2, 2]
    assert array.__add__(3).asnumpy().tolist() == [4, 4]
    assert kind.__add__(lhs=array, rhs=1).asnumpy().tolist() == [2, 2]
    assert kind.__rmul__(array, 3).asnumpy().tolist() == [3, 3]
    in_python = (Arithmetic if room is nd else NumpyArithmetic).__add__
    assert kind.__add__.__wrapped__ is in_python
    assert kind.__add__.__name__ == in_python.__name__
    assert inspect.signature(kind.__add__) == inspect.signature(in_python)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        array.__add__()
    with pytest.raises(AttributeError):
        _ = kind.__add__.nothing


def test_removed_and_installed_again(module: Any) -> None:
    assert "__add__" in vars(NDArray)
    native_arithmetic.remove()
    assert "__add__" not in vars(NDArray)
    assert NDArray.__add__ is Arithmetic.__add__
    native_arithmetic.install(module)
    native_arithmetic.install(module)
    assert NDArray.__add__.__wrapped__ is Arithmetic.__add__  # type: ignore[attr-defined]


def test_a_programs_own_method_stays(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    native_arithmetic.remove()
    monkeypatch.setattr(NDArray, "__add__", lambda lhs, rhs: "own")
    native_arithmetic.install(module)
    assert nd.ones((2,)) + 1 == "own"
    native_arithmetic.remove()
    assert nd.ones((2,)) + 1 == "own"


def test_modes_of_torch_see_the_calls() -> None:
    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, given: Any = (), options: Any = None) -> Any:
            seen.append(function)
            return function(*given, **(options or {}))

    seen: list[Any] = []
    a = nd.ones((2,))
    with Mode():
        _ = a + a
    assert torch.add in seen


def test_subclasses_of_tensors_see_the_calls() -> None:
    class Own(torch.Tensor):
        pass

    array = NDArray(torch.ones(2).as_subclass(Own))
    assert type((array + array)._t) is Own


# -- recording ------------------------------------------------------------------------------------------------------


def _variable(room: Any, seed: int, shape: tuple[int, ...] = (2, 3)) -> Any:
    array = _numbers(room, shape, seed=seed)
    array.attach_grad()
    return array


@pytest.mark.parametrize("sign", _SIGNS, ids=_NAMES)
def test_gradients(check: Any, room: Any, sign: Any) -> None:
    def gradients() -> list[Any]:
        x, y, constant = _variable(room, 1), _variable(room, 2, (3,)), _numbers(room, (2, 3), seed=3)
        with autograd.record():
            first = sign(x, y)
            second = sign(sign(first, constant), 2.5)
            third = sign(2.5, sign(constant, second))
            loss = sign(third, first)
        assert loss._tape is first._tape is not None
        assert loss._node is loss._t
        loss.backward()
        return [each.asnumpy().tolist() for each in (loss, x.grad, y.grad)]

    check(gradients)


def test_constants_are_not_recorded() -> None:
    a = nd.ones((2,))
    with autograd.record():
        total = a + a
        number = a * 2
    for each in (total, number):
        assert each._node is None
        assert each._tape is None
    with pytest.raises(mx.MXNetError, match="not part of a recorded graph"):
        total.backward()


def test_integers_keep_their_sources() -> None:
    x = _variable(nd, 1)
    with autograd.record():
        order = nd.argsort(x, dtype="int32")
        doubled = order + order
    assert doubled._tape is not None
    doubled.backward()
    assert x.grad.asnumpy().tolist() == onp.zeros((2, 3)).tolist()


def test_recorded_results_outside_are_constants() -> None:
    x = _variable(nd, 1)
    with autograd.record():
        y = x * x
    for made in (y + y, y * 2.0):
        assert made._node is None
        assert not made._t.requires_grad
    y.backward()
    assert x.grad.asnumpy().tolist() == (2 * x.asnumpy()).tolist()


def test_graphs_that_are_used_up() -> None:
    x = _variable(nd, 1)
    with autograd.record():
        y = x * x
        z = y + x
    z.backward()
    with autograd.record():
        again = y * x  # y is a constant now
    again.backward()
    assert x.grad.asnumpy().tolist() == y.asnumpy().tolist()


def test_graphs_of_an_earlier_recording() -> None:
    x = _variable(nd, 1)
    with autograd.record():
        y = x * x
    with autograd.record():
        z = y * x
    assert y._tape in z._tape.earlier
    z.backward()
    onp.testing.assert_allclose(x.grad.asnumpy(), 3 * x.asnumpy() ** 2, rtol=1e-6)


def test_writing_while_recorded_is_refused() -> None:
    x = _variable(nd, 1)
    with autograd.record():
        y = x + x
        with pytest.raises(mx.MXNetError, match="cannot write to an array that is part of a recorded graph"):
            y += 1


def test_errors_while_recording(check: Any) -> None:
    x = _variable(nd, 1)
    with autograd.record():
        check(operator.add, x, nd.ones((4, 5)))
        check(operator.mul, x, nd.ones((2, 3), dtype="float64"))
        check(operator.mul, x, 1e300)


def test_without_torchs_gradients() -> None:
    x = _variable(nd, 1)
    with autograd.record(), torch.no_grad():
        found = x + x
    assert found._node is None
    assert found._tape is not None


# -- many calls, many threads ---------------------------------------------------------------------------------------


def test_nothing_is_left_behind() -> None:
    a, b = nd.ones((2,)), nd.ones((2,))
    x = _variable(nd, 1, (2,))

    def work() -> None:
        for _ in range(1000):
            _ = a + b, a * 2.5
            with autograd.record():
                _ = x + b, x * x + b

    def counts() -> list[int]:
        gc.collect()
        watched = (a, b, x, a._t, b._t, x._t, x._node, a._ctx, NDArray, None, state, NDArray.__add__)
        return [*map(sys.getrefcount, watched), sum(type(each) is NDArray for each in gc.get_objects())]

    work()
    before = counts()
    for _ in range(25):
        work()
    assert max(abs(now - then) for now, then in zip(counts(), before, strict=True)) < 50


def test_errors_leave_nothing_behind() -> None:
    a, b = nd.ones((2,)), nd.ones((3,))

    def work() -> None:
        for _ in range(300):
            with pytest.raises(mx.MXNetError):
                _ = a + b

    work()
    gc.collect()
    before = [sys.getrefcount(each) for each in (a, b, a._t, b._t, a._ctx)]
    work()
    gc.collect()
    assert [sys.getrefcount(each) for each in (a, b, a._t, b._t, a._ctx)] == before


@pytest.mark.parametrize("size", [3, 10000])
def test_threads_record_apart(size: int) -> None:
    constant = nd.ones((size,)) * 3
    failures: list[Any] = []

    def recording() -> None:
        x = nd.ones((size,)) * 2
        x.attach_grad()
        for _ in range(200):
            with autograd.record():
                y = x * constant + x
            y.backward()
            if x.grad.asnumpy().tolist() != [4] * size:
                failures.append(x.grad)

    def plain() -> None:
        for _ in range(200):
            total = constant + constant * 2.0
            if total._node is not None or total._tape is not None or total.asnumpy()[-1] != 9:
                failures.append(total)

    threads = [threading.Thread(target=work) for work in (recording, plain, recording, plain)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    assert failures == []
