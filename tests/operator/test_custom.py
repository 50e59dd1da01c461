"""Operators written in Python: texts of errors, memory, places, threads, gradients of gradients."""

import gc
import threading
import traceback
import weakref
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.base import MXNetError
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from mxnet.operator import CustomOp, CustomOpProp, register


def made(name: str, forward: Any = None, backward: Any = None, **methods: Any) -> type[CustomOpProp]:
    """Registers an operator of these functions; by default it doubles."""

    class Op(CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            if forward is not None:
                return forward(self, is_train, req, in_data, out_data, aux)
            self.assign(out_data[0], req[0], in_data[0] * 2)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            if backward is not None:
                return backward(self, req, out_grad, in_data, out_data, in_grad, aux)
            self.assign(in_grad[0], req[0], out_grad[0] * 2)

    methods.setdefault("create_operator", lambda self, ctx, shapes, dtypes: Op())
    return register(name)(type("Prop", (CustomOpProp,), methods))


def fail(*args: Any, **kwargs: Any) -> None:
    raise KeyError("mine")


def call(name: str, *inputs: Any, **params: Any) -> Any:
    return nd.Custom(*(inputs or [nd.ones((2, 3))]), op_type=name, **params)


# -- errors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("methods", "kind", "text"),
    [
        (
            {"forward": fail},
            MXNetError,
            r"\[Custom\] received data\[0\] float32\(2, 3\): op_type='bad': Op.forward raised K",
        ),
        (
            {"infer_shape": fail},
            MXNetError,
            r"op_type='bad': Prop.infer_shape raised KeyError: 'mine' \(.*test_custom.py",
        ),
        ({"infer_type": fail}, MXNetError, r"op_type='bad': Prop.infer_type raised KeyError"),
        ({"create_operator": fail}, MXNetError, r"op_type='bad': Prop.create_operator raised KeyError"),
        ({"list_outputs": fail}, MXNetError, r"\[Custom\] op_type='bad': Prop.list_outputs raised KeyError"),
        ({"declare_backward_dependency": fail}, MXNetError, "Prop.declare_backward_dependency raised KeyError"),
        (
            {"create_operator": lambda *a: 3},
            OpTypeError,
            "create_operator returned int; expected a mx.operator.CustomOp",
        ),
        ({"infer_shape": lambda s, i: i[0]}, OpShapeError, r"returned \[2, 3\]; expected 2 or 3 lists"),
        (
            {"infer_shape": lambda s, i: (i, i * 2)},
            OpShapeError,
            "returned 2 entries for the outputs; expected 1: output",
        ),
        ({"infer_shape": lambda s, i: 5}, OpShapeError, "returned 5; expected 2 or 3 lists"),
        (
            {"infer_shape": lambda s, i: ([3], [4])},
            OpShapeError,
            r"returned \(\[3\], \[4\]\); expected lists of shapes",
        ),
        (
            {"infer_shape": lambda s, i: ([[7]], i)},
            OpShapeError,
            r"expected data of shape \(7,\) by infer_shape, got \(2, 3",
        ),
        (
            {"infer_type": lambda s, t: ([np.int32], t, [])},
            OpTypeError,
            "expected data of int32 by infer_type, got float32",
        ),
        ({"__init__": lambda s: None}, OpParamError, r"op_type='bad': Prop received factor='2': .* unexpected keyword"),
    ],
)
def test_bad_operator(methods: dict[str, Any], kind: type[Exception], text: str):
    made("bad", **methods)
    with pytest.raises(kind, match=text):
        call("bad", **({"factor": 2} if "__init__" in methods else {}))


def test_the_users_traceback_arrives():
    made("traced", forward=fail)
    with pytest.raises(MXNetError) as caught:
        call("traced")
    text = "".join(traceback.format_exception(caught.value))
    assert 'raise KeyError("mine")' in text
    assert text.index("KeyError: 'mine'") < text.index("[Custom] received data[0]")


def test_error_in_backward_arrives_at_backward():
    made("late", backward=fail)
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        y = call("late", x)
    with pytest.raises(MXNetError, match=r"\[backward of Custom\] op_type='late': Op.backward raised KeyError: 'mine'"):
        y.backward()


def test_error_in_a_graph_names_the_node():
    made("graph_fails", infer_shape=fail)
    symbol = mx.sym.Custom(mx.sym.var("x"), op_type="graph_fails", name="here")
    with pytest.raises(MXNetError, match=r"\[Custom\] op_type='graph_fails'.*In the graph this is node 'here'"):
        symbol.infer_shape(x=(2,))


@pytest.mark.parametrize(
    "call_it", [lambda **k: nd.Custom(nd.ones(2), **k), lambda **k: mx.sym.Custom(mx.sym.var("x"), **k)]
)
def test_unknown_name(call_it: Any):
    made("known_name")
    with pytest.raises(
        OpParamError, match=r"received 'known_nam', which is not registered.*Did you mean 'known_name'\?"
    ):
        call_it(op_type="known_nam")
    with pytest.raises(OpParamError, match=r"\[Custom\] parameter op_type is required"):
        call_it()


def test_number_of_inputs():
    made("one_input")
    with pytest.raises(OpTypeError, match=r"expected 1 inputs \(data\), got 2"):
        call("one_input", nd.ones(2), nd.ones(2))
    with pytest.raises(MXNetError, match=r"received 2 inputs; expected 1: data"):
        mx.sym.Custom(mx.sym.var("x"), mx.sym.var("y"), op_type="one_input")


def test_inputs_by_name():
    made("named", list_arguments=lambda self: ["left", "right"])
    assert nd.Custom(right=nd.zeros(2), left=nd.ones(2), op_type="named").asnumpy().tolist() == [2, 2]
    with pytest.raises(TypeError, match=r"received 1 input.s. by position and right by name; expected all"):
        nd.Custom(nd.ones(2), right=nd.ones(2), op_type="named")
    with pytest.raises(TypeError, match="received the input 'middle'; expected left, right"):
        mx.sym.Custom(middle=mx.sym.var("x"), op_type="named")


def test_register_takes_properties_only():
    with pytest.raises(TypeError, match=r"\[operator.register\] 'x': received <class 'int'>; expected a subclass"):
        register("x")(int)


def test_loading_an_unknown_operator_imports_nothing():
    made("gone")
    text = mx.sym.Custom(mx.sym.var("x"), op_type="gone").tojson().replace("gone", "os.system")
    with pytest.raises(MXNetError, match=r"'os.system', which is not registered"):
        mx.sym.load_json(text)


# -- what the operator receives -------------------------------------------------------------------------------------


def test_inputs_are_the_callers_memory():
    def forward(self, is_train, req, in_data, out_data, aux):
        in_data[0][:] = 7

    made("writes_inputs", forward=forward)
    x = nd.ones(2)
    result = call("writes_inputs", x)
    assert x.asnumpy().tolist() == [7, 7]
    assert result.asnumpy().tolist() == [0, 0]


def test_rebinding_the_list_changes_nothing():
    def forward(self, is_train, req, in_data, out_data, aux):
        out_data[0][:] = 3
        out_data[0] = in_data[0]

    made("rebinds", forward=forward)
    x = nd.ones(2)
    result = call("rebinds", x)
    x[:] = 9
    assert result.asnumpy().tolist() == [3, 3]


def test_modes_and_requests():
    seen = []

    def forward(self, is_train, req, in_data, out_data, aux):
        seen.append((is_train, list(req), autograd.is_recording(), autograd.is_training()))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        seen.append((list(req), autograd.is_recording(), autograd.is_training(), mx.current_context()))

    made("modes", forward, backward, list_arguments=lambda self: ["a", "b"])
    a, b = nd.ones(2, ctx=mx.cpu(1)), nd.ones(2, ctx=mx.cpu(1))
    a.attach_grad()
    call("modes", a, b)
    with autograd.record(train_mode=False):
        call("modes", a, b)
    with autograd.record():
        y = call("modes", a, b)
    y.backward()
    assert seen == [
        (False, ["write"], False, False),
        (False, ["write"], False, False),
        (True, ["write"], False, True),
        (["write", "null"], False, True, mx.cpu(1)),
    ]
    assert y.context == mx.cpu(1)
    assert not autograd.is_recording()


def test_base_operator_gives_zeros():
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        y = call("custom_op", x)
    y.backward()
    assert y.asnumpy().tolist() == x.grad.asnumpy().tolist() == [0, 0]


def test_assign():
    op, target = CustomOp(), nd.ones(2)
    for request, expected in (("null", 1), ("write", 5), ("inplace", 5), ("add", 10)):
        op.assign(target, request, nd.ones(2) * 5)
        assert target.asnumpy().tolist() == [expected] * 2


def test_storage_types_of_the_base_property():
    prop = CustomOpProp()
    assert prop.infer_storage_type(["default"]) == (["default"], ["default"], [])
    assert prop.infer_storage_type_backward(["default"], ["csr"], [], ["undefined"], []) == (
        ["default"],
        ["default"],
        [],
        ["default"],
        [],
    )
    with pytest.raises(AssertionError, match=r"in_stype\[0\]: received 'csr'; expected 'default'"):
        prop.infer_storage_type(["csr"])
    with pytest.raises(AssertionError, match=r"ograd_stype\[0\]: received 'csr'"):
        prop.infer_storage_type_backward(["csr"], [], [], [], [])


def test_declared_dependencies():
    assert CustomOpProp().declare_backward_dependency([0], [1, 2], [3]) == [0, 1, 2, 3]
    assert CustomOpProp(need_top_grad=False).declare_backward_dependency([0], [1, 2], [3]) == [1, 2, 3]


# -- gradients and places -------------------------------------------------------------------------------------------


def keeps_input(name: str) -> None:
    """An operator that keeps its input on itself for backward."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.kept = in_data[0].copy()
        self.assign(out_data[0], req[0], in_data[0] ** 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * self.kept * 2)

    made(name, forward, backward)


@pytest.mark.parametrize("hybridize", [False, True])
def test_calls_do_not_share_operators(hybridize: bool):
    keeps_input("keeps")

    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.Custom(x, op_type="keeps")

    net = Net()
    net.hybridize(hybridize)
    first, second = nd.array([1.0]), nd.array([5.0])
    first.attach_grad()
    second.attach_grad()
    with autograd.record():
        total = net(first) + net(second)
    total.backward()
    assert first.grad.asscalar() == 2
    assert second.grad.asscalar() == 10


def test_equal_nodes_of_a_graph_do_not_share_operators():
    keeps_input("keeps_node")
    x = mx.sym.var("x")
    symbol = mx.sym.Custom(x, op_type="keeps_node", name="n") + mx.sym.Custom(x * 3, op_type="keeps_node", name="n")
    executor = symbol.simple_bind(mx.cpu(), x=(1,))
    executor.arg_dict["x"][:] = 1
    executor.forward(is_train=True)
    executor.backward()
    assert executor.grad_dict["x"].asscalar() == 2 + 18


def test_executors_have_operators_of_their_own():
    def forward(self, is_train, req, in_data, out_data, aux):
        self.count = getattr(self, "count", 0) + 1
        self.assign(out_data[0], req[0], in_data[0] * 0 + self.count)

    made("counts", forward)
    symbol = mx.sym.Custom(mx.sym.var("x"), op_type="counts")
    first, second = (symbol.simple_bind(mx.cpu(), x=(1,)) for _ in range(2))
    assert [first.forward()[0].asscalar() for _ in range(2)] == [1, 2]
    assert second.forward()[0].asscalar() == 1


def test_second_derivative_is_refused():
    made("linear")
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        y = call("linear", x * x)
        (gradient,) = autograd.grad(y, [x], create_graph=True, head_grads=x * x)
    with pytest.raises(MXNetError, match="differentiate twice"):
        gradient.backward()


def test_a_call_is_freed():
    kept = []

    def forward(self, is_train, req, in_data, out_data, aux):
        kept.append(weakref.ref(self))
        self.assign(out_data[0], req[0], in_data[0])

    made("freed", forward)
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        y = call("freed", x)
    y.backward()
    del y
    gc.collect()
    assert kept[0]() is None


def test_integer_input_and_float_input():
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * in_data[1].astype("float32"))

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[1].astype("float32"))

    made("with_index", forward, backward, list_arguments=lambda self: ["data", "index"])
    x, index = nd.ones(2), nd.array([2, 3], dtype="int32")
    x.attach_grad()
    with autograd.record():
        y = call("with_index", x, index)
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 3]


def test_deferred_parameter_shape():
    made(
        "weighted",
        forward=lambda s, t, r, i, o, a: s.assign(o[0], r[0], i[0] * i[1].reshape((1, -1))),
        list_arguments=lambda self: ["data", "weight"],
        infer_shape=lambda self, shapes: ([shapes[0], [shapes[0][1]]], [shapes[0]], []),
    )

    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.weight = self.params.get("weight", shape=(0,), allow_deferred_init=True)

        def hybrid_forward(self, F, x, weight):
            return F.Custom(x, weight, op_type="weighted")

    net = Net()
    net.initialize(mx.init.Constant(2))
    assert net(nd.ones((2, 3))).asnumpy().tolist() == [[2] * 3] * 2
    assert net.weight.shape == (3,)


def test_threads():
    keeps_input("threaded")
    found: dict[int, float] = {}

    def work(number: int) -> None:
        total = 0.0
        for _ in range(20):
            x = nd.array([float(number)])
            x.attach_grad()
            with autograd.record():
                y = call("threaded", x)
            y.backward()
            total += x.grad.asscalar()
        found[number] = total

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: 40.0 * number for number in range(4)}


def test_registering_again_replaces():
    made("again")
    assert call("again").asnumpy().max() == 2
    made("again", forward=lambda s, t, r, i, o, a: s.assign(o[0], r[0], i[0] * 5))
    assert call("again").asnumpy().max() == 5


def test_sparse_input_of_a_dense_operator():
    made("dense_only")
    x = nd.array([[1, 0], [0, 0]]).tostype("row_sparse")
    with pytest.raises(mx.MXNetError, match=r"received 'row_sparse'; expected 'default'. Override infer_storage_type"):
        call("dense_only", x)
    assert call("dense_only", x.tostype("default")).asnumpy().tolist() == [[2, 0], [0, 0]]


def test_an_operator_may_have_no_inputs():
    made(
        "test_steps",
        lambda self, is_train, req, in_data, out_data, aux: self.assign(out_data[0], req[0], nd.arange(3)),
        list_arguments=lambda self: [],
        infer_shape=lambda self, shapes: ([], [(3,)], []),
        infer_type=lambda self, dtypes: ([], [np.float32], []),
    )
    assert nd.Custom(op_type="test_steps").asnumpy().tolist() == [0, 1, 2]
    with autograd.record():
        recorded = nd.Custom(op_type="test_steps")
    assert recorded.asnumpy().tolist() == [0, 1, 2]
    graph = mx.sym.Custom(op_type="test_steps") + 1
    assert graph.bind(mx.cpu(), {}).forward()[0].asnumpy().tolist() == [1, 2, 3]


def test_inputs_that_are_missing_are_named():
    made("test_wants_data")
    with pytest.raises(OpTypeError, match=r"\[Custom\] received no inputs: expected 1 inputs \(data\), got 0"):
        nd.Custom(op_type="test_wants_data")
