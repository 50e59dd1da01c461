"""`mx.autograd`: variables, gradients as results, higher orders, and operations with a gradient of one's own."""

import gc
import weakref

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.base import MXNetError


def variable(*values, req="write", dtype="float32"):
    array = nd.array(values or (1.0, 2.0, 3.0), dtype=dtype)
    array.attach_grad(req)
    return array


def values(array):
    return array.asnumpy().tolist()


# -- mark_variables -------------------------------------------------------------------------------------------------


def test_mark_variables_writes_to_views_of_a_bigger_array():
    big = nd.ones((3, 3))
    a, b = nd.array([1, 2, 3]), nd.array([4, 5, 6])
    autograd.mark_variables([a, b], [big[0], big[2]])
    for _ in range(2):
        with autograd.record():
            y = a * b
        y.backward()
    assert values(big) == [[4, 5, 6], [1, 1, 1], [1, 2, 3]]


def test_mark_variables_takes_a_request_for_each():
    big = nd.ones((3, 3))
    arrays = [nd.array([1, 2, 3]) for _ in range(3)]
    autograd.mark_variables(arrays, [big[0], big[1], big[2]], ["write", "add", "null"])
    with autograd.record():
        y = arrays[0] * 2 + arrays[1] * 3 + arrays[2] * 4
    y.backward()
    assert values(big) == [[2, 2, 2], [4, 4, 4], [1, 1, 1]]


def test_two_variables_may_add_to_one_buffer():
    buffer = nd.zeros(3)
    a, b = nd.array([1, 2, 3]), nd.array([4, 5, 6])
    autograd.mark_variables([a, b], [buffer, buffer], "add")
    with autograd.record():
        y = a * b
    y.backward()
    assert values(buffer) == [5, 7, 9]


def test_mark_variables_takes_one_array():
    x, buffer = nd.array([1, 2, 3]), nd.ones(3)
    autograd.mark_variables(x, buffer)
    assert x.grad is buffer
    with autograd.record():
        y = x * x
    y.backward()
    assert values(buffer) == [2, 4, 6]


def test_mark_variables_wants_as_many_of_each():
    x = nd.ones(3)
    with pytest.raises(
        ValueError, match=r"\[mark_variables\] received 1 variables, 2 gradients and 1 requests; expected"
    ):
        autograd.mark_variables([x], [nd.ones(3), nd.ones(3)])


def test_mark_variables_knows_its_requests():
    with pytest.raises(ValueError, match=r"\[mark_variables\] grad_reqs: received 'plus'; expected 'write', 'add' or"):
        autograd.mark_variables(nd.ones(3), nd.ones(3), "plus")


@pytest.mark.parametrize(("shape", "dtype"), [((2,), "float32"), ((3,), "float64"), ((1, 3), "float32")])
def test_mark_variables_wants_gradients_like_their_variables(shape, dtype):
    x = nd.ones(3)
    with pytest.raises(MXNetError, match=r"\[mark_variables\] received a gradient .* for a variable float32\(3,\)"):
        autograd.mark_variables([nd.ones(3), x], [nd.ones(3), nd.ones(shape, dtype=dtype)])
    assert x.grad is None


def test_attach_grad_knows_its_requests():
    with pytest.raises(
        ValueError, match=r"\[attach_grad\] grad_req: received 'plus'; expected 'write', 'add' or 'null'"
    ):
        nd.ones(3).attach_grad("plus")


def test_attach_grad_makes_gradients_of_a_storage_type():
    x = nd.ones(3)
    x.attach_grad(stype="row_sparse")
    assert x.grad.stype == "row_sparse"
    with pytest.raises(MXNetError, match=r"\[attach_grad\] stype: received 'coo'; expected one of 'default', 'csr'"):
        nd.ones(3).attach_grad(stype="coo")


@pytest.mark.parametrize(
    ("call", "who"),
    [
        (lambda x: autograd.mark_variables(x, 3), "mark_variables"),
        (lambda x: autograd.backward([x, 3]), "backward"),
        (lambda x: autograd.backward(3), "backward"),
        (lambda x: autograd.grad(x, 3), "autograd.grad"),
        (lambda x: autograd.grad([3], x), "autograd.grad"),
    ],
)
def test_arrays_are_expected(call, who):
    with pytest.raises(TypeError, match=rf"^\[{who}\] received int; expected NDArrays"):
        call(variable())


# -- backward -------------------------------------------------------------------------------------------------------


def test_backward_sums_over_heads():
    x = variable()
    with autograd.record():
        y, z = x * x, x * 3
    autograd.backward([y, z], [None, nd.array([2, 2, 2])])
    assert values(x.grad) == [8, 10, 12]


def test_backward_takes_any_iterable_of_heads():
    x = variable()
    with autograd.record():
        losses = {"a": x * x, "b": x * 3}
    autograd.backward(losses.values())
    assert values(x.grad) == [5, 7, 9]


def test_a_variable_may_be_among_the_heads():
    x = variable()
    with autograd.record():
        y = x * x
    autograd.backward([y, x])
    assert values(x.grad) == [3, 5, 7]


@pytest.mark.parametrize(
    ("call", "who"),
    [
        (lambda y, x, heads: autograd.backward([y], heads), "backward"),
        (lambda y, x, heads: autograd.grad([y], [x], heads), "autograd.grad"),
    ],
)
def test_one_head_gradient_for_each_head(call, who):
    x = variable()
    with autograd.record():
        y = x * x
    with pytest.raises(ValueError, match=rf"\[{who}\] received 2 head gradients for 1 heads; expected one for each"):
        call(y, x, [nd.ones(3), nd.ones(3)])


# -- grad -----------------------------------------------------------------------------------------------------------


def test_grad_returns_a_list_and_leaves_the_buffers_alone():
    x, w = variable(), variable(4.0, 5.0, 6.0)
    with autograd.record():
        y = x * w
    found = autograd.grad(y, [x, w])
    assert isinstance(found, list)
    assert [values(each) for each in found] == [[4, 5, 6], [1, 2, 3]]
    assert values(x.grad) == values(w.grad) == [0, 0, 0]


def test_grad_of_one_variable_is_a_list_too():
    x = variable()
    with autograd.record():
        y = x * x
    found = autograd.grad(y, x, nd.array([1, 10, 100]))
    assert [values(each) for each in found] == [[2, 40, 600]]


def test_grad_frees_the_graph_unless_told():
    x = variable()
    with autograd.record():
        y = x * x
    autograd.grad(y, x, retain_graph=True)
    autograd.grad(y, x)
    with pytest.raises(MXNetError, match="not part of a recorded graph"):
        autograd.grad(y, x)


def test_grad_through_operators_without_gradient_is_zero():
    x = variable()
    with autograd.record():
        y = nd.BlockGrad(x)
        z = x > 1
    assert values(autograd.grad(y, x)[0]) == [0, 0, 0]
    assert values(autograd.grad(z, x)[0]) == [0, 0, 0]


def test_grad_wants_variables():
    x = variable()
    with autograd.record():
        y = x * x
    with pytest.raises(ValueError, match=r"\[autograd.grad\] received no variables; expected at least one"):
        autograd.grad(y, [])
    with pytest.raises(
        MXNetError, match=r"\[autograd.grad\] variable 1 is not part of a recorded graph; call attach_grad"
    ):
        autograd.grad(y, [x, nd.ones(3)])


def test_found_gradients_own_their_memory():
    x, head = nd.arange(6), nd.ones((2, 3))
    x.attach_grad()
    for view in (lambda: x.reshape((2, 3)), lambda: (x + 0).reshape((2, 3))):
        with autograd.record():
            y = view()
        (found,) = autograd.grad(y, [x], head)
        found[:] = 9
        assert values(head) == [[1] * 3] * 2


def test_found_gradients_of_two_variables_are_two_arrays():
    a, b = variable(), variable()
    with autograd.record():
        y = (a + b) * 2
    first, second = autograd.grad(y, [a, b])
    first[:] = 9
    assert values(second) == [2, 2, 2]


def test_found_gradients_can_be_written_element_by_element():
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.broadcast_add(x, nd.ones((2, 3)))
        y = nd.sum(y)
    (found,) = autograd.grad(y, [x])
    found[0] = 5
    found += 1
    assert values(found) == [[6, 6, 6], [2, 2, 2]]


# -- higher orders --------------------------------------------------------------------------------------------------


def test_second_order():
    x = variable()
    with autograd.record():
        y = x * x * x
        (slope,) = autograd.grad(y, [x], create_graph=True)
        z = slope * slope
    z.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [36 * v**3 for v in (1, 2, 3)])


def test_third_order():
    x = variable()
    with autograd.record():
        y = x * x * x * x
        (first,) = autograd.grad(y, [x], create_graph=True)
        (second,) = autograd.grad(first, [x], create_graph=True)
    second.backward()
    assert values(first) == [4, 32, 108]
    assert values(second) == [12, 48, 108]
    assert values(x.grad) == [24, 48, 72]


def test_second_order_of_a_gradient_that_is_constant():
    x = variable()
    with autograd.record():
        y = nd.radians(x)
        (slope,) = autograd.grad(y, [x], create_graph=True)
        (curvature,) = autograd.grad(slope, [x], create_graph=True)
        (third,) = autograd.grad(curvature, [x], create_graph=True)
    np.testing.assert_allclose(slope.asnumpy(), [np.pi / 180] * 3, rtol=1e-6)
    assert values(curvature) == values(third) == [0, 0, 0]
    x.grad[:] = 7
    slope.backward()
    assert values(x.grad) == [0, 0, 0]


def test_second_order_outside_of_the_block():
    x = variable()
    with autograd.record():
        y = x * x * x
    (slope,) = autograd.grad(y, [x], create_graph=True)
    slope.backward()
    assert values(x.grad) == [6, 12, 18]


def test_a_gradient_without_create_graph_is_a_constant():
    x = variable()
    with autograd.record():
        y = x * x
        (slope,) = autograd.grad(y, [x], retain_graph=True)
        z = slope * x
    z.backward()
    assert values(x.grad) == [2, 4, 6]


def test_gradient_penalty():
    x, w = variable(), variable(0.5, 0.5, 0.5)
    with autograd.record():
        y = w * x * x
        (slope,) = autograd.grad(y, [x], create_graph=True)
        loss = y + slope * slope
    loss.backward()
    np.testing.assert_allclose(w.grad.asnumpy(), [v * v + 8 * 0.5 * v * v for v in (1, 2, 3)])


# -- Function -------------------------------------------------------------------------------------------------------


class Pair(autograd.Function):
    """Product and sum."""

    def forward(self, a, b):
        self.save_for_backward(a, b)
        return a * b, a + b

    def backward(self, product_grad, sum_grad):
        a, b = self.saved_tensors
        return product_grad * b + sum_grad, product_grad * a + sum_grad


class Times(autograd.Function):
    """Multiplies forward, and gives a gradient of its own."""

    def __init__(self, factor, gradient):
        super().__init__()
        self.factor, self.gradient = factor, gradient

    def forward(self, x):
        return x * self.factor

    def backward(self, grad):
        return grad * self.gradient


def test_function_with_several_inputs_and_outputs():
    a, b = variable(), variable(4.0, 5.0, 6.0)
    with autograd.record():
        product, total = Pair()(a, b)
        y = product * 2 + total
    y.backward()
    assert values(product) == [4, 10, 18]
    assert values(a.grad) == [9, 11, 13]
    assert values(b.grad) == [3, 5, 7]


def test_function_with_one_output_unused():
    a, b = variable(), variable(4.0, 5.0, 6.0)
    with autograd.record():
        _, total = Pair()(a, b)
    total.backward()
    assert values(a.grad) == values(b.grad) == [1, 1, 1]


def test_function_has_its_own_gradient():
    x = variable()
    with autograd.record():
        y = Times(2, 7)(x)
    y.backward()
    assert values(y) == [2, 4, 6]
    assert values(x.grad) == [7, 7, 7]


def test_function_outside_of_recording_just_computes():
    function, x = Times(2, 7), variable()
    assert values(function(x)) == values(function(x)) == [2, 4, 6]


def test_function_may_return_its_input():
    class Identity(autograd.Function):
        def forward(self, x):
            return x

        def backward(self, grad):
            return grad * 7

    x = variable()
    with autograd.record():
        y = Identity()(x)
    y.backward()
    assert values(x.grad) == [7, 7, 7]


@pytest.mark.parametrize("kind", [list, tuple])
def test_function_returns_the_kind_of_sequence_that_forward_does(kind):
    class Split(autograd.Function):
        def forward(self, x):
            return kind((x * 2, x * 3))

        def backward(self, first, second):
            return first * 2 + second * 3

    x = variable()
    with autograd.record():
        parts = Split()(x)
    assert type(parts) is kind
    parts[1].backward()
    assert values(x.grad) == [3, 3, 3]


def test_function_with_integer_input():
    class Scaled(autograd.Function):
        def forward(self, x, index):
            self.save_for_backward(index)
            return x * index.astype("float32")

        def backward(self, grad):
            (index,) = self.saved_tensors
            return grad * index.astype("float32"), nd.zeros(3, dtype="int32")

    x, index = variable(), nd.array([1, 0, 2], dtype="int32")
    with autograd.record():
        y = Scaled()(x, index)
    y.backward()
    assert values(x.grad) == [1, 0, 2]


def test_function_may_leave_gradients_out():
    class First(autograd.Function):
        def forward(self, a, b):
            return a * 2

        def backward(self, grad):
            return grad * 2, None

    a, b = variable(), variable()
    with autograd.record():
        y = First()(a, b) + b
    y.backward()
    assert values(a.grad) == [2, 2, 2]
    assert values(b.grad) == [1, 1, 1]


def test_function_with_the_wrong_number_of_gradients():
    class Short(autograd.Function):
        def forward(self, a, b):
            return a * b

        def backward(self, grad):
            return grad

    a, b = variable(), variable()
    with autograd.record():
        y = Short()(a, b)
    with pytest.raises(
        MXNetError, match=r"^\[Short\] backward returned 1 gradient\(s\); expected 2, one for each input"
    ):
        y.backward()


def test_function_records_once():
    function, x = Times(2, 2), variable()
    with autograd.record():
        function(x)
        with pytest.raises(MXNetError, match=r"\[Times\] was called twice while recording.*Times\(\)\(x\)"):
            function(x)


def test_function_wants_arrays():
    with pytest.raises(TypeError, match=r"^\[Pair\] received int; expected NDArrays"), autograd.record():
        Pair()(variable(), 3)


@pytest.mark.parametrize("name", ["forward", "backward"])
def test_function_without_methods(name):
    with pytest.raises(NotImplementedError, match=rf"\[Function\] write a {name} method"):
        getattr(autograd.Function(), name)(nd.ones(1))


def test_function_runs_without_recording_in_the_mode_of_the_call():
    seen = []

    class Spy(autograd.Function):
        def forward(self, x):
            seen.append((autograd.is_recording(), autograd.is_training()))
            return x * 2

        def backward(self, grad):
            seen.append((autograd.is_recording(), autograd.is_training()))
            return grad * 2

    x = variable()
    for train_mode in (True, False):
        with autograd.record(train_mode=train_mode):
            y = Spy()(x)
        y.backward()
    assert seen == [(False, True), (False, True), (False, False), (False, True)]
    assert not autograd.is_recording()


@pytest.mark.parametrize("error", [KeyError("lost"), RuntimeError("lost"), ValueError("lost")], ids=repr)
def test_errors_in_forward_come_out_unchanged(error):
    class Failing(autograd.Function):
        def forward(self, x):
            raise error

    with pytest.raises(type(error), match="lost"), autograd.record():
        Failing()(variable())
    assert not autograd.is_recording()


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (KeyError("lost"), KeyError),
        (ValueError("lost"), ValueError),
        (RuntimeError("lost"), MXNetError),
        (MXNetError("lost"), MXNetError),
    ],
    ids=repr,
)
def test_errors_in_backward_come_out(error, shown):
    class Failing(autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, grad):
            raise error

    x = variable()
    with autograd.record():
        y = Failing()(x)
    with pytest.raises(shown, match="lost") as caught:
        y.backward()
    assert caught.value is error or caught.value.__cause__ is error
    with autograd.record():
        y = x * 2
    y.backward()
    assert values(x.grad) == [2, 2, 2]


def test_recording_inside_backward():
    class Squared(autograd.Function):
        def forward(self, x):
            self.save_for_backward(x)
            return x * x

        def backward(self, grad):
            x = self.saved_tensors[0].copy()
            x.attach_grad()
            with autograd.record():
                y = x * x
            y.backward(grad)
            return x.grad

    x = variable()
    with autograd.record():
        y = Squared()(x) * 2
    y.backward()
    assert values(x.grad) == [4, 8, 12]


def test_gradients_returned_by_backward_stay_the_functions_own():
    kept = nd.array([5, 6, 7])

    class Kept(autograd.Function):
        def forward(self, x):
            return x.reshape((3, 1))

        def backward(self, grad):
            return kept

    x = variable()
    for _ in range(2):
        with autograd.record():
            y = Kept()(x.reshape((3,)))
        y.backward()
        x.grad[:] = 0
    assert values(kept) == [5, 6, 7]


def test_a_function_is_freed_with_its_graph():
    function, x = Times(2, 2), variable()
    with autograd.record():
        y = function(x)
    reference = weakref.ref(function)
    del function
    assert reference() is not None
    y.backward()
    gc.collect()
    assert reference() is None


def test_functions_follow_each_other():
    x = variable()
    with autograd.record():
        y = Times(2, 3)(Times(5, 7)(x))
    y.backward()
    assert values(y) == [10, 20, 30]
    assert values(x.grad) == [21, 21, 21]


def test_function_on_another_context():
    x = nd.array([1, 2, 3], ctx=mx.cpu(1))
    x.attach_grad()
    with autograd.record():
        y = Times(2, 3)(x)
    y.backward()
    assert y.context == x.grad.context == mx.cpu(1)


def test_function_that_writes_to_a_copy():
    class Ramp(autograd.Function):
        def forward(self, x):
            x = x.copy()
            x[0] = 0
            x += 1
            return x

        def backward(self, grad):
            grad[0] = 0
            return grad

    x = variable()
    with autograd.record():
        y = Ramp()(x)
    y.backward()
    assert values(y) == [1, 3, 4]
    assert values(x.grad) == [0, 1, 1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gradients_have_the_dtype_of_their_variable(dtype):
    x = variable(dtype=dtype)
    with autograd.record():
        y = x * x
    y.backward()
    assert x.grad.dtype == np.dtype(dtype)
    assert autograd.NDArray is nd.NDArray


def test_what_was_recorded_is_no_symbol():
    def f(x):
        return x * x + 2 * x - 1

    x = variable()
    with autograd.record():
        y = f(x)
    text = r"\[autograd.get_symbol\] .* no Symbol.*Call the same code on symbols instead: f\(mx.sym.var\('x'\)\)"
    with pytest.raises(mx.MXNetError, match=text):
        autograd.get_symbol(y)
    graph = f(mx.sym.var("x"))
    assert graph.list_arguments() == ["x"]
    np.testing.assert_array_equal(graph.eval(x=x)[0].asnumpy(), y.asnumpy())
    with pytest.raises(TypeError, match=r"\[autograd.get_symbol\] received int; expected NDArrays"):
        autograd.get_symbol(3)
