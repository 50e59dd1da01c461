"""Operators as the first MXNet had them: one class, whose instances are called with symbols."""

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

from regluon.ops.custom import enter
from regluon.ops.registry import find
from regluon.symbol.graph_builder import apply_operator

from ..ndarray import NDArray
from ._custom import CustomOp, CustomOpProp
from ._registry import Registered

__all__ = ["NDArrayOp", "NumpyOp", "PythonOp"]

_numbers = itertools.count()


class PythonOp:
    """What `NumpyOp` and `NDArrayOp` share. New programs use `CustomOp`.

    A graph that contains such an operator cannot be loaded elsewhere: its code is this object.

    Args:
        need_top_grad: whether `backward` uses the gradients of the outputs.
    """

    __module__ = "mxnet.operator"

    # What the automatic names of its symbols begin with.
    _called = "_python"

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad
        warnings.warn("PythonOp has been deprecated. Please use CustomOp", stacklevel=3)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The same as `get_symbol`."""
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """A symbol of this operator on other symbols, given in order or by the names of its arguments."""
        raise NotImplementedError(f"[{type(self).__name__}] derive it from NumpyOp or NDArrayOp, which make symbols.")

    def _symbol(self, op: CustomOp, args: Any, kwargs: Any) -> Any:
        name, attr = kwargs.pop("name", None), kwargs.pop("attr", None)
        op_type = f"{self._called}_{next(_numbers)}"
        enter(op_type, lambda texts: Registered(op_type, _Property(self, op)))
        return apply_operator(find("Custom"), self._called, args, {**kwargs, "op_type": op_type}, name, attr)

    def forward(self, in_data: Any, out_data: Any) -> None:
        """Writes the outputs; by default, the first is input 0."""
        out_data[0][:] = in_data[0]

    def backward(self, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any) -> None:
        """Writes the gradients of the inputs; by default, the first is one."""
        in_grad[0][:] = 1.0

    def infer_shape(self, in_shape: list[list[int]]) -> Any:
        """Shapes of the inputs and of the outputs."""
        return in_shape, [in_shape[0]]

    def list_outputs(self) -> list[str]:
        """Names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Names of the inputs."""
        return ["data"]

    def need_top_grad(self) -> bool:
        """Whether `backward` uses the gradients of the outputs."""
        return self.need_top_grad_


class NumpyOp(PythonOp):
    """An operator on NumPy arrays."""

    __module__ = "mxnet.operator"

    _called = "_native"

    def __init__(self, need_top_grad: bool = True) -> None:
        super().__init__(need_top_grad)
        warnings.warn("NumpyOp has been deprecated. Please use CustomOp", stacklevel=2)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """A symbol of this operator on other symbols."""
        return self._symbol(_OnNumpy(self), args, kwargs)


class NDArrayOp(PythonOp):
    """An operator on NDArrays."""

    __module__ = "mxnet.operator"

    _called = "_ndarray"

    def __init__(self, need_top_grad: bool = True) -> None:
        super().__init__(need_top_grad)
        warnings.warn("NDArrayOp has been deprecated. Please use CustomOp", stacklevel=2)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """A symbol of this operator on other symbols."""
        return self._symbol(_OnArrays(self), args, kwargs)

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """The numbers, among those given, of the arrays that `backward` reads; here they are all kept anyway."""
        return [*(out_grad if self.need_top_grad() else ()), *in_data, *out_data]


class _Property(CustomOpProp):
    """Answers as the user's object does. The object may hold state, so there is one operator for all places."""

    def __init__(self, definition: PythonOp, op: CustomOp) -> None:
        super().__init__(definition.need_top_grad())
        self._op = op
        self.infer_shape = definition.infer_shape  # type: ignore[method-assign]
        self.list_outputs = definition.list_outputs  # type: ignore[method-assign]
        self.list_arguments = definition.list_arguments  # type: ignore[method-assign]

    def infer_type(self, in_type: list[Any]) -> Any:
        """One dtype for all: that of the first input of which it is known."""
        known = next((dtype for dtype in in_type if dtype is not None), None)
        return [known] * len(in_type), [known] * len(self.list_outputs()), []

    def create_operator(self, ctx: Any, in_shapes: list[list[int]], in_dtypes: list[int]) -> CustomOp:
        return self._op


class _OnArrays(CustomOp):
    def __init__(self, definition: PythonOp) -> None:
        self._definition = definition

    def forward(self, is_train: bool, req: list[str], in_data: Any, out_data: Any, aux: Any) -> None:
        self._definition.forward(in_data=in_data, out_data=out_data)

    def backward(self, req: list[str], out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> None:
        self._definition.backward(out_grad=out_grad, in_data=in_data, out_data=out_data, in_grad=in_grad)


class _OnNumpy(CustomOp):
    def __init__(self, definition: PythonOp) -> None:
        self._definition = definition

    def forward(self, is_train: bool, req: list[str], in_data: Any, out_data: Any, aux: Any) -> None:
        outputs = _numpy(out_data)
        self._definition.forward(in_data=_numpy(in_data), out_data=outputs)
        _put(out_data, outputs)

    def backward(self, req: list[str], out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> None:
        gradients = _numpy(in_grad)
        self._definition.backward(
            out_grad=_numpy(out_grad), in_data=_numpy(in_data), out_data=_numpy(out_data), in_grad=gradients
        )
        _put(in_grad, gradients)


def _numpy(arrays: Sequence[NDArray]) -> list[Any]:
    return [array.asnumpy() for array in arrays]


def _put(arrays: Sequence[NDArray], values: Sequence[Any]) -> None:
    for array, value in zip(arrays, values, strict=True):
        array[:] = value
