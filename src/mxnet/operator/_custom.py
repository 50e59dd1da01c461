"""The two classes an operator in Python consists of: what it is, and what it computes."""

from collections.abc import Sequence
from typing import Any

from ..util import is_np_array

__all__ = ["CustomOp", "CustomOpProp"]


class CustomOp:
    """What an operator computes: override `forward` and `backward`.

    Both write to the arrays they are given, `out_data` and `in_grad`; `assign` does it as requested. They are called
    without recording; what they record themselves, inside `with autograd.record():`, is their own affair.
    """

    __module__ = "mxnet.operator"

    def forward(self, is_train: bool, req: list[str], in_data: Any, out_data: Any, aux: Any) -> None:
        """Computes the outputs; by default nothing, which leaves zeros.

        Args:
            is_train: whether this is training.
            req: for each output 'write', 'add' or 'null', for `assign`.
            in_data: arrays of the inputs.
            out_data: arrays to write the outputs to.
            aux: arrays of the auxiliary states; what is written to them stays.
        """

    def backward(self, req: list[str], out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> None:
        """Computes the gradients of the inputs; by default nothing, which leaves zeros.

        Args:
            req: for each input 'write', 'add' or 'null', for `assign`; 'null' for one whose gradient nobody wants.
            out_grad: gradients of the outputs.
            in_data: arrays of the inputs.
            out_data: the outputs that `forward` wrote.
            in_grad: arrays to write the gradients to.
            aux: arrays of the auxiliary states.
        """

    def assign(self, dst: Any, req: str, src: Any) -> None:
        """Puts `src` into `dst` as requested: 'write' or 'inplace' overwrites, 'add' adds, 'null' does nothing."""
        everything = () if is_np_array() else slice(None)
        if req in ("write", "inplace"):
            dst[everything] = src
        elif req == "add":
            dst[everything] += src


class CustomOpProp:
    """What an operator is: names of its arrays, their shapes and dtypes, and the `CustomOp` that computes.

    Parameters given to `nd.Custom` or `sym.Custom` arrive at the constructor as texts.

    Args:
        need_top_grad: whether `backward` uses the gradients of the outputs; losses do not.
    """

    __module__ = "mxnet.operator"

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def infer_shape(self, in_shape: list[list[int]]) -> Any:
        """Shapes of the inputs, the outputs and, if there are any, the states; by default all outputs are like input 0.

        Args:
            in_shape: shapes of the inputs; an empty list for one that is not known, to be filled in.
        """
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type: list[Any]) -> Any:
        """Dtypes of the inputs, the outputs and the states; by default those of input 0.

        Args:
            in_type: NumPy types of the inputs; None for one that is not known, to be filled in.
        """
        first = in_type[0]
        return in_type, [first] * len(self.list_outputs()), [first] * len(self.list_auxiliary_states())

    def infer_storage_type(self, in_stype: list[str]) -> Any:
        """Storage types of the inputs, the outputs and the states; by default all arrays are dense."""
        for position, stype in enumerate(in_stype):
            _expect_dense(stype, f"in_stype[{position}]", "infer_storage_type")
        return (
            in_stype,
            ["default"] * len(self.list_outputs()),
            ["default"] * len(self.list_auxiliary_states()),
        )

    def infer_storage_type_backward(
        self,
        ograd_stype: list[str],
        in_stype: list[str],
        out_stype: list[str],
        igrad_stype: list[str],
        aux_stype: list[str],
    ) -> Any:
        """Storage types of all arrays of the backward pass; by default they are dense."""
        for position, stype in enumerate(ograd_stype):
            _expect_dense(stype, f"ograd_stype[{position}]", "infer_storage_type_backward")
        for position, stype in enumerate(igrad_stype):
            _expect_dense(
                "default" if stype == "undefined" else stype, f"igrad_stype[{position}]", "infer_storage_type"
            )
        return tuple(["default"] * len(each) for each in (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype))

    def list_outputs(self) -> list[str]:
        """Names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Names of the inputs."""
        return ["data"]

    def list_auxiliary_states(self) -> list[str]:
        """Names of the arrays that the operator keeps and updates."""
        return []

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """The numbers, among those given, of the arrays that `backward` reads; here they are all kept anyway."""
        return [*(out_grad if self.need_top_grad_ else ()), *in_data, *out_data]

    def create_operator(self, ctx: Any, in_shapes: list[list[int]], in_dtypes: list[int]) -> CustomOp:
        """The operator for one place; override it to return yours.

        Args:
            ctx: the Context of the arrays.
            in_shapes: shapes of the inputs and states.
            in_dtypes: the numbers of their dtypes.
        """
        return CustomOp()


def _expect_dense(stype: str, what: str, method: str) -> None:
    if stype != "default":
        raise AssertionError(
            f"[CustomOpProp] {what}: received {stype!r}; expected 'default'. Override {method} to take sparse arrays."
        )
