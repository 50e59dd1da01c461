"""Executors of graphs with sparse arrays: what the recorded programs do not show."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd, sym
from mxnet.error import OpShapeError
from regluon.symbol.executor import Executor
from regluon.symbol.sparse_executor import SparseExecutor
from tests.ndarray.sparse.examples import drawn

DENSE = drawn((4, 6), 0.4)
WEIGHT = drawn((6, 3), 1.0, 1)


def matrix() -> Any:
    return nd.array(DENSE).tostype("csr")


def product() -> Any:
    return sym.sparse.dot(sym.var("x", stype="csr"), sym.var("w"), name="product")


def bound(symbol: Any, **grads: Any) -> Any:
    return symbol.bind(mx.cpu(), {"x": matrix(), "w": nd.array(WEIGHT)}, grads or None)


def test_dense_graphs_keep_their_program() -> None:
    executor = (sym.var("x") * 2).simple_bind(mx.cpu(), x=(2,))
    assert type(executor) is Executor
    assert type(bound(product())) is SparseExecutor


def test_the_holder_of_an_output_sees_new_values() -> None:
    executor = sym.square(sym.var("x", stype="csr")).simple_bind(mx.cpu(), x=(4, 6), grad_req="null")
    held = executor.outputs[0]
    assert (held.stype, held.shape) == ("csr", (4, 6))
    executor.forward(x=matrix())
    np.testing.assert_allclose(held.asnumpy(), DENSE**2)


def test_monitors_see_dense_forms() -> None:
    seen: dict[str, Any] = {}
    executor = bound(sym.broadcast_add(product(), sym.square(sym.var("w")).sum(axis=0, keepdims=True), name="all"))
    executor.set_monitor_callback(lambda name, array: seen.update({name: array}), monitor_all=True)
    executor.forward()
    assert {"x", "w", "product_lhs", "product_output", "all_output"} <= set(seen)
    np.testing.assert_array_equal(seen["x"].asnumpy(), DENSE)
    executor.set_monitor_callback(None)
    seen.clear()
    executor.forward()
    assert not seen


def test_loops_work_on_dense_forms() -> None:
    slope = nd.zeros((6, 3))
    outputs, _ = sym.contrib.foreach(
        lambda row, state: (row * 2 + state, state), product(), sym.zeros((3,)), name="loop"
    )
    executor = bound(outputs, w=slope)
    (out,) = executor.forward(is_train=True)
    np.testing.assert_allclose(out.asnumpy(), 2 * DENSE @ WEIGHT, rtol=1e-5)
    executor.backward(nd.ones((4, 3)))
    np.testing.assert_allclose(slope.asnumpy(), 2 * DENSE.T @ np.ones((4, 3)), rtol=1e-5)


def test_states_are_updated() -> None:
    network = sym.BatchNorm(product(), name="bn", momentum=0.5)
    executor = network.simple_bind(mx.cpu(), x=(4, 6), w=(6, 3))
    executor.arg_dict["w"][:] = WEIGHT
    executor.arg_dict["bn_gamma"][:] = 1
    executor.forward(is_train=False, x=matrix())
    assert not executor.aux_dict["bn_moving_mean"].asnumpy().any()
    executor.forward(is_train=True)
    expected = 0.5 * (DENSE @ WEIGHT).mean(0)
    np.testing.assert_allclose(executor.aux_dict["bn_moving_mean"].asnumpy(), expected, rtol=1e-5)


def test_arrays_made_inside() -> None:
    network = product() + sym.zeros((0, 3))
    np.testing.assert_allclose(bound(network).forward()[0].asnumpy(), DENSE @ WEIGHT, rtol=1e-5)
    dropped = bound(sym.Dropout(product(), p=0.5))
    np.testing.assert_allclose(dropped.forward()[0].asnumpy(), DENSE @ WEIGHT, rtol=1e-5)
    assert (dropped.forward(is_train=True)[0].asnumpy() == 0).any()


def test_a_variable_and_a_result_twice_as_outputs() -> None:
    x = sym.var("x")
    twice = sym.square(x)
    executor = sym.Group([x, twice, twice]).bind(mx.cpu(), {"x": matrix()})
    outputs = executor.forward()
    assert [output.stype for output in outputs] == ["csr"] * 3
    assert outputs[1] is not outputs[2]
    outputs[0][:] = nd.zeros((4, 6))
    np.testing.assert_array_equal(executor.arg_dict["x"].asnumpy(), DENSE)


def test_gradients_go_to_arrays_of_any_storage_type() -> None:
    head = nd.array(drawn((4, 3), 1.0, 2))
    expected = DENSE.T @ head.asnumpy()
    for stype in ("default", "row_sparse", "csr"):
        slope = nd.zeros((6, 3), stype=stype)
        executor = bound(product(), w=slope)
        executor.forward(is_train=True)
        executor.backward(head.tostype("csr"))
        assert slope.stype == stype
        np.testing.assert_allclose(slope.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_gradients_are_added() -> None:
    slope = nd.sparse.zeros("row_sparse", (6, 3))
    executor = product().bind(mx.cpu(), {"x": matrix(), "w": nd.array(WEIGHT)}, {"w": slope}, "add")
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(nd.ones((4, 3)))
    np.testing.assert_allclose(slope.asnumpy(), 2 * DENSE.T @ np.ones((4, 3)), rtol=1e-5)


def test_gradient_of_the_matrix() -> None:
    slope = nd.zeros((4, 6))
    executor = bound(product(), x=slope)
    executor.forward(is_train=True)
    executor.backward(nd.ones((4, 3)))
    np.testing.assert_allclose(slope.asnumpy(), np.ones((4, 3)) @ WEIGHT.T, rtol=1e-5)


def test_backward_without_forward_in_training_mode() -> None:
    slope = nd.zeros((6, 3))
    executor = bound(product(), w=slope)
    executor.backward(nd.ones((4, 3)))
    np.testing.assert_allclose(slope.asnumpy(), DENSE.T @ np.ones((4, 3)), rtol=1e-5)


def test_sparse_gradients_of_dense_graphs() -> None:
    rows, table = nd.array([1, 3, 1]), nd.array(drawn((5, 2), 1.0))
    network = sym.Embedding(sym.var("i"), sym.var("t"), input_dim=5, output_dim=2, sparse_grad=True)
    for request, factor in (("write", 1), ("add", 2)):
        executor = network.simple_bind(mx.cpu(), grad_req={"t": request}, i=(3,))
        assert type(executor) is Executor
        executor.copy_params_from({"t": table, "i": rows})
        for _ in range(2):
            executor.forward(is_train=True)
            executor.backward(nd.ones((3, 2)))
        slope = executor.grad_dict["t"]
        assert (slope.stype, slope.indices.asnumpy().tolist()) == ("row_sparse", [1, 3])
        np.testing.assert_array_equal(slope.data.asnumpy(), factor * np.array([[2, 2], [1, 1]]))
    dense = nd.zeros((5, 2))
    executor = network.bind(mx.cpu(), {"i": rows, "t": table}, {"t": dense})
    executor.forward(is_train=True)
    executor.backward(nd.ones((3, 2)))
    np.testing.assert_array_equal(dense.asnumpy()[[1, 3]], [[2, 2], [1, 1]])


def test_recording_outside_is_left_alone() -> None:
    executor = bound(product(), w=nd.zeros((6, 3)))
    variable = nd.ones(2)
    variable.attach_grad()
    with autograd.record():
        doubled = variable * 2
        executor.forward(is_train=True)
        executor.backward(nd.ones((4, 3)))
        loss = (doubled * variable).sum()
    loss.backward()
    np.testing.assert_array_equal(variable.grad.asnumpy(), [4, 4])


def test_other_shapes() -> None:
    executor = product().simple_bind(mx.cpu(), x=(4, 6), w=(6, 3))
    executor.arg_dict["w"][:] = WEIGHT
    other = executor.reshape(x=(2, 6), w=(6, 3))
    assert type(other) is SparseExecutor
    assert (other.arg_dict["x"].stype, other.arg_dict["x"].shape) == ("csr", (2, 6))
    assert other.arg_dict["w"] is executor.arg_dict["w"]
    out = other.forward(x=matrix()[:2])[0]
    np.testing.assert_allclose(out.asnumpy(), DENSE[:2] @ WEIGHT, rtol=1e-5)
    with pytest.raises(OpShapeError, match="argument x would grow from"):
        executor.reshape(x=(8, 6), w=(6, 3))
    assert executor.reshape(allow_up_sizing=True, x=(8, 6), w=(6, 3)).arg_dict["x"].shape == (8, 6)
    assert "Total 0 MB allocated" in executor.debug_str()


def test_shared_memory_has_one_storage_type() -> None:
    first = sym.dot(sym.var("x", stype="csr"), sym.var("w", stype="row_sparse")).simple_bind(
        mx.cpu(), x=(4, 6), w=(6, 3), shared_buffer={}, shared_arg_names=["w"]
    )
    again = sym.dot(sym.var("x", stype="csr"), sym.var("w", stype="row_sparse"))
    second = again.simple_bind(mx.cpu(), x=(2, 6), w=(6, 3), shared_exec=first, shared_arg_names=["w"])
    assert second.arg_dict["w"] is first.arg_dict["w"]
    with pytest.raises(OpShapeError, match=r"needs the shape \(6, 3\) of float32 .* as a row_sparse array"):
        product().simple_bind(mx.cpu(), x=(2, 6), w=(6, 3), shared_exec=first, shared_arg_names=["w"])


def test_what_a_custom_operator_keeps() -> None:
    class Counts(mx.operator.CustomOp):
        calls = 0

        def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
            self.calls += 1
            self.assign(out_data[0], req[0], in_data[0] * self.calls)

    @mx.operator.register("sparse_executor_counts")
    class CountsProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Any:
            return Counts()

    executor = bound(sym.Custom(product(), op_type="sparse_executor_counts"))
    executor.forward()
    np.testing.assert_allclose(executor.forward()[0].asnumpy(), 2 * DENSE @ WEIGHT, rtol=1e-5)


def test_errors_name_the_node() -> None:
    retained = sym.sparse.retain(sym.var("r"), sym.var("rows"), name="chosen")
    executor = retained.bind(mx.cpu(), {"r": nd.ones((3, 2)).tostype("row_sparse"), "rows": nd.array([0, 7])})
    with pytest.raises(mx.MXNetError, match=r"row numbers go from 0 to 7 for 3 rows.*this is node 'chosen'"):
        executor.forward()


def test_unknown_storage_types() -> None:
    with pytest.raises(ValueError, match=r"\[var\] stype: received 'coo'; expected one of 'undefined', 'default'"):
        sym.var("x", stype="coo")
    with pytest.raises(ValueError, match=r"stype_dict: received 'coo' for 'x'; expected 'default', 'csr'"):
        (sym.var("x") * 2).simple_bind(mx.cpu(), x=(2, 2), stype_dict={"x": "coo"})
    with pytest.raises(mx.MXNetError, match="expected"):
        bound(sym.dot(sym.var("w"), sym.var("x")))
