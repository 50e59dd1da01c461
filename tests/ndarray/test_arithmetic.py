"""Operators of Python expressions: the short path, operands, in-place forms. Values are in test_expressions.py."""

import operator

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.base import MXNetError

BINARY = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "modulo": operator.mod,
    "power": operator.pow,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "lesser": operator.lt,
    "lesser_equal": operator.le,
}
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.imod]


def values(array):
    return array.asnumpy().tolist()


@pytest.mark.parametrize("name", BINARY)
def test_functions_and_operators_agree(name):
    function, symbol = getattr(nd, name), BINARY[name]
    a, b = nd.array([[1, 2, 3]]), nd.array([[2], [3]])
    for left, right in ((a, b), (a, 2), (2, a), (np.float32(2), a), (a, np.int64(2))):
        expected = symbol(*(x.asnumpy() if isinstance(x, nd.NDArray) else x for x in (left, right)))
        for result in (symbol(left, right), function(left, right)):
            assert type(result) is nd.NDArray
            assert result.dtype is np.float32
            np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "left", "right", "expected"),
    [
        ("add", 1, 2, 3),
        ("maximum", 3, 4, 4),
        ("minimum", 3, 4, 3),
        ("power", 2, 3, 8),
        ("divide", 1, 2, 0.5),
        ("modulo", 5, 3, 2),
        ("equal", 1, 1, 1),
        ("lesser", 1, 2, 1),
        ("logical_and", 1, 0, 0),
        ("logical_or", 1, 0, 1),
        ("logical_xor", 1, 0, 1),
        ("true_divide", 1, 2, 0.5),
    ],
)
def test_functions_take_two_numbers(name, left, right, expected):
    assert getattr(nd, name)(left, right) == expected


@pytest.mark.parametrize("symbol", BINARY.values(), ids=BINARY)
@pytest.mark.parametrize("operand", [set(), None, [1, 2], 1j], ids=repr)
def test_other_operands_are_refused(symbol, operand):
    text = r"\[\w+\] received an operand of type builtins\.\w+; expected an NDArray or a number. Wrap it: nd.array"
    for left, right in ((nd.ones(2), operand), (operand, nd.ones(2))):
        with pytest.raises(TypeError, match=text):
            symbol(left, right)


def test_functions_refuse_operands_that_are_no_arrays():
    with pytest.raises(TypeError, match=r"\[broadcast_add\] received an operand of type builtins.str"):
        nd.add("a", 1)
    with pytest.raises(TypeError, match=r"\[broadcast_add\] received an operand of type builtins.list"):
        nd.add(1, [1])


def test_numpy_arrays_are_refused_on_the_right():
    with pytest.raises(TypeError, match=r"received an operand of type numpy.ndarray"):
        _ = nd.ones(2) + np.ones(2)


def test_mixed_dtypes_are_refused():
    with pytest.raises(TypeError, match=r"^\[broadcast_add\] received lhs int32\(2,\), rhs float32\(2,\).*astype"):
        _ = nd.ones(2, dtype="int32") + nd.ones(2)


def test_shapes_that_do_not_broadcast():
    for pair in ((nd.ones(2), nd.ones(3)), (nd.ones(2), nd.ones(3, ctx=mx.cpu(1)))):
        with pytest.raises(ValueError, match=r"^\[broadcast_mul\] received lhs float32\(2,\), rhs float32\(3,\)"):
            _ = pair[0] * pair[1]


def test_cpu_contexts_may_be_mixed():
    a, b = nd.ones(2), nd.ones(2, ctx=mx.cpu(1))
    assert ((a + b).context, (b + a).context, (1 + b).context) == (mx.cpu(0), mx.cpu(1), mx.cpu(1))


@pytest.mark.parametrize("symbol", IN_PLACE)
@pytest.mark.parametrize("operand", [3, 3.0, nd.array([3]), nd.array([3, 3])], ids=repr)
def test_in_place_forms_write_to_the_memory(symbol, operand):
    x = nd.array([[4, 5], [6, 7]])
    view, same = x[1], x
    expected = symbol(x.asnumpy(), 3)
    x = symbol(x, operand)
    assert x is same
    np.testing.assert_allclose(same.asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(view.asnumpy(), expected[1], rtol=1e-6)


@pytest.mark.parametrize("symbol", IN_PLACE)
def test_in_place_forms_keep_shape_and_dtype(symbol):
    with pytest.raises(ValueError, match=r"out: received an array of shape \(3,\); expected \(2, 3\)"):
        symbol(nd.ones(3), nd.ones((2, 3)))
    with pytest.raises(TypeError, match="int32"):
        symbol(nd.ones(3), nd.ones(3, dtype="int32"))


def test_in_place_with_itself():
    x = nd.array([1, 2])
    x += x
    x *= x
    assert values(x) == [4, 16]


def test_power_in_place_makes_a_new_array():
    x = nd.array([2.0])
    before = x
    x **= 2
    assert (values(before), values(x)) == ([2], [4])


def test_arrays_are_keys_by_identity():
    x, y = nd.ones(1), nd.ones(1)
    assert {x: "a", y: "b"}[x] == "a"
    assert x in {x}


def test_negation_and_absolute_value():
    x = nd.array([-1, 2])
    assert values(-x) == [1, -2]
    assert values(abs(x)) == [1, 2]
    assert (-nd.array([1], dtype="int8")).dtype is np.int8


def test_a_function_error_while_recording_leaves_no_trace():
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        with pytest.raises(MXNetError):
            _ = x * nd.ones(3)
        y = x * 2
    y.backward()
    assert values(x.grad) == [2, 2]


def test_the_short_path_records():
    x, w = nd.array([1, 2]), nd.array([3, 4])
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        y = (x + w) * x - w / 2 + 5 - 3 * x
    y.backward()
    assert values(x.grad) == [2 * 1 + 3 - 3, 2 * 2 + 4 - 3]
    assert values(w.grad) == [0.5, 1.5]


def test_arithmetic_across_contexts_is_recorded():
    x, w = nd.array([1, 2]), nd.array([3, 4], ctx=mx.cpu(1))
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        y = x * w
    y.backward()
    assert (values(x.grad), values(w.grad)) == ([3, 4], [1, 2])
