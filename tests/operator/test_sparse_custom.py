"""Operators in Python on sparse arrays: what is refused."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd

DENSE = [[1.0, 0.0], [0.0, 0.0]]


class Doubles(mx.operator.CustomOp):
    """Twice its input."""

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] * 2)
        for state in aux:
            state[:] = state + 1

    def backward(self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> None:
        if req[0] == "null":
            raise ValueError("nobody wants this")
        self.assign(in_grad[0], req[0], (out_grad[0].tostype("default") * 2).tostype(in_grad[0].stype))


def made(name: str, forward: Any = None, backward: Any = None, states: Any = ()) -> None:
    """Registers an operator whose property tells storage types by functions."""

    class Property(mx.operator.CustomOpProp):
        def list_auxiliary_states(self) -> Any:
            return list(states)

        def infer_shape(self, in_shape: Any) -> Any:
            return in_shape, [in_shape[0]], [[1]] * len(states)

        def infer_storage_type(self, in_stype: Any) -> Any:
            return forward(in_stype) if forward else (in_stype, in_stype, ["default"] * len(states))

        def infer_storage_type_backward(self, *given: Any) -> Any:
            return backward(*given) if backward else (given[0], given[1], given[2], given[1], given[4])

        def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Any:
            return Doubles()

    mx.operator.register(name)(Property)


def rows() -> Any:
    return nd.array(DENSE).tostype("row_sparse")


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (None, "infer_storage_type returned None; expected 2 or 3 lists"),
        ((["row_sparse"], ["row_sparse", "csr"]), "returned 2 entries for the outputs; expected 1: output"),
        ((["row_sparse"], ["coo"]), "returned 'coo'; expected 'default', 'csr' or 'row_sparse'"),
        ((["default"], ["default"]), "expected data as a default array by infer_storage_type, got row_sparse"),
    ],
)
def test_storage_types_that_do_not_fit(told: Any, text: str) -> None:
    made("sparse_bad_forward", lambda in_stype: told)
    with pytest.raises(mx.MXNetError, match=text):
        nd.Custom(rows(), op_type="sparse_bad_forward")


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (None, "infer_storage_type_backward returned None; expected 5 lists of lengths"),
        ((["default"], ["csr"], ["csr"], []), "expected 5 lists of lengths"),
        ((["default"], ["default"], ["default"], ["coo"], []), "infer_storage_type_backward returned 'coo'"),
    ],
)
def test_backward_storage_types_that_do_not_fit(told: Any, text: str) -> None:
    made("sparse_bad_backward", backward=lambda *given: told)
    x = rows()
    x.attach_grad()
    with autograd.record(), pytest.raises(mx.MXNetError, match=text):
        nd.Custom(x, op_type="sparse_bad_backward")


def test_computed_inputs_and_states() -> None:
    made("sparse_with_state", states=["calls"])
    x, calls = rows(), nd.zeros(1)
    x.attach_grad()
    with autograd.record():
        out = nd.Custom(nd.sparse.square(x), calls, op_type="sparse_with_state")
    out.backward()
    assert (out.stype, calls.asscalar()) == ("row_sparse", 1)
    np.testing.assert_array_equal(x.grad.asnumpy(), [[4, 0], [0, 0]])


def test_results_written_to_an_array() -> None:
    made("sparse_out")
    target = nd.sparse.zeros("row_sparse", (2, 2))
    assert nd.Custom(rows(), op_type="sparse_out", out=target) is target
    np.testing.assert_array_equal(target.asnumpy(), np.array(DENSE) * 2)


def test_errors_in_backward() -> None:
    class Fails(Doubles):
        def backward(self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> None:
            raise ValueError("no slope")

    made("sparse_fails")

    @mx.operator.register("sparse_fails_backward")
    class Property(mx.operator.CustomOpProp):
        def infer_storage_type(self, in_stype: Any) -> Any:
            return in_stype, in_stype, []

        def infer_storage_type_backward(self, *given: Any) -> Any:
            return given[0], given[1], given[2], given[1], given[4]

        def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Any:
            return Fails()

    x = rows()
    x.attach_grad()
    with autograd.record():
        out = nd.Custom(x, op_type="sparse_fails_backward")
    with pytest.raises(mx.MXNetError, match=r"op_type='sparse_fails_backward': Fails.backward raised ValueError"):
        out.backward()
