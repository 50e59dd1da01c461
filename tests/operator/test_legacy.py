"""The first MXNet's operators in Python, and lists of operators."""

from typing import Any

import pytest

import mxnet as mx
from mxnet import nd
from mxnet.base import MXNetError


def quietly(kind: type[Any], *args: Any) -> Any:
    with pytest.warns(UserWarning, match="Please use CustomOp"):
        return kind(*args)


def test_array_operator():
    class Sum(mx.operator.NDArrayOp):
        def list_arguments(self):
            return ["a", "b"]

        def infer_shape(self, in_shape):
            return [in_shape[0], in_shape[0]], [in_shape[0]]

        def forward(self, in_data, out_data):
            assert isinstance(in_data[0], nd.NDArray)
            out_data[0][:] = in_data[0] + in_data[1]

        def backward(self, out_grad, in_data, out_data, in_grad):
            in_grad[0][:] = out_grad[0]
            in_grad[1][:] = out_grad[0] * 2

    op = quietly(Sum)
    symbol = op(a=mx.sym.var("d"), name="t")
    assert (symbol.list_arguments(), symbol.list_outputs()) == (["d", "t_b"], ["t_output"])
    executor = symbol.simple_bind(mx.cpu(), d=(2,))
    executor.arg_dict["d"][:] = nd.array([1, 2])
    executor.arg_dict["t_b"][:] = nd.array([3, 4])
    assert executor.forward(is_train=True)[0].asnumpy().tolist() == [4, 6]
    executor.backward(nd.array([5, 6]))
    assert executor.grad_dict["t_b"].asnumpy().tolist() == [10, 12]
    assert op.declare_backward_dependency([0], [1, 2], [3]) == [0, 1, 2, 3]


def test_defaults():
    symbol = quietly(mx.operator.NumpyOp, False)(mx.sym.var("d"))
    assert symbol.name == "_native0"
    executor = symbol.simple_bind(mx.cpu(), d=(2,))
    executor.arg_dict["d"][:] = 3
    assert executor.forward(is_train=True)[0].asnumpy().tolist() == [3, 3]
    executor.backward()
    assert executor.grad_dict["d"].asnumpy().tolist() == [1, 1]


def test_python_op_makes_no_symbols():
    with pytest.raises(NotImplementedError, match=r"\[PythonOp\] derive it from NumpyOp or NDArrayOp"):
        quietly(mx.operator.PythonOp)(mx.sym.var("d"))


def test_listed_operators():
    names = mx.operator.get_all_registered_operators()
    assert names == sorted(names)
    assert {"Custom", "Concat", "concat", "FullyConnected"} <= set(names)
    assert mx.operator.get_operator_arguments("_zeros").names == ["shape", "ctx", "dtype"]
    with pytest.raises(MXNetError, match="there is no operator 'nope'"):
        mx.operator.get_operator_arguments("nope")


@pytest.mark.parametrize("name", mx.operator.get_all_registered_operators()[::7])
def test_arguments_of_every_kind(name: str):
    arguments = mx.operator.get_operator_arguments(name)
    assert arguments.narg == len(arguments.names) == len(arguments.types)
    assert all(arguments.types)
