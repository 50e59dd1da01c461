"""The one operator that test_declaration.py adds, as it would be added: at the end of its family's file."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from regluon.ops.dtype_rules import DtypeRule
from regluon.ops.gradient import Arguments, Grads, Needs, Rule, gradient_of
from regluon.ops.partial_shapes import row_by_row
from regluon.ops.registry import operator, shape_of
from regluon.ops.shape_rules import Params, Result, Specs

CALLS: list[str] = []  # which of its functions ran


def _gated_dense_shapes(data: tuple[int, ...], *, num_hidden: int, **_: Any) -> dict[str, tuple[int, ...]]:
    return {"weight": (num_hidden, data[1]), "gate": (data[0],)}


def _num_gated_dense_outputs(params: Mapping[str, Any]) -> int:
    return 2 if params["keep_mask"] else 1


@operator(
    "GatedDense",
    "gated_dense",
    completes=_gated_dense_shapes,
    initializers={"weight": '["one", {}]'},
    dtypes=DtypeRule(free=("gate",), fixed={"gate": torch.int32}),
    partial_shapes=row_by_row,
    total_outputs=_num_gated_dense_outputs,
    output_names=("output", "mask"),
)
def gated_dense(data: Tensor, weight: Tensor, gate: Tensor, *, num_hidden: int, keep_mask: bool = True) -> Tensor:
    """Multiplies by a weight matrix, in rows whose gate is not 0; the others are zeros.

    Args:
        data: (batch, width).
        weight: (num_hidden, width).
        gate: (batch,), integers.
        num_hidden: number of outputs.
        keep_mask: whether the mask is a hidden output.
    """
    CALLS.append("function")
    return data @ weight.T * (gate != 0).to(data.dtype).unsqueeze(1)


@shape_of("GatedDense")
def _gated_dense_shape(specs: Specs, params: Params) -> Result:
    CALLS.append("shape")
    data = specs[0]
    return None if data is None else [((data[0][0], params["num_hidden"]), data[1])]


@gradient_of("GatedDense")
class GatedDenseGradient(Rule):
    """Of both factors; the gate has none."""

    worth = 10
    sources = (0, 1)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        CALLS.append("gradient")
        data, weight, gate = arguments
        assert data is not None
        assert weight is not None
        assert gate is not None
        open_rows = (gate != 0).to(data.dtype).unsqueeze(1)
        return data @ weight.T * open_rows, (data, weight, open_rows)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        data, weight, open_rows = saved
        assert grads[0] is not None
        passed = grads[0] * open_rows
        return (passed @ weight if needs[0] else None, passed.T @ data if needs[1] else None, None)
