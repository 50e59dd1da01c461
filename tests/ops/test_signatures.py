"""Signatures given as data."""

import pytest

from mxnet.error import OpParamError
from regluon.ops.registry import REQUIRED, Operator
from regluon.ops.signatures import number, signed


def scaled(*tensors, **numbers):
    return tensors[0] * numbers["factor"]


def test_an_operator_from_data():
    numbers = [number("factor", float), number("times", int, 2)]
    operator = Operator("scaled", (), signed(scaled, "scaled", "Scales.", ("data", "more"), numbers))
    assert (operator.inputs, operator.num_required, operator.doc) == (("data", "more"), 2, "Scales.")
    assert [(each.name, each.default) for each in operator.params.values()] == [("factor", REQUIRED), ("times", 2)]
    assert operator.bind((1, 2), {"factor": "0.5"}) == ([1, 2], {"factor": 0.5})
    with pytest.raises(OpParamError, match=r"\[scaled\] parameter times: received 'x'"):
        operator.bind((1, 2), {"factor": 1, "times": "x"})


def test_inputs_may_be_optional_or_a_list():
    optional = Operator("scaled", (), signed(scaled, "scaled", "Scales.", ("data",), [], optional=True))
    assert (optional.num_required, optional.variadic) == (0, False)
    listed = Operator("scaled", (), signed(scaled, "scaled", "Scales.", ("*data",), []))
    assert (listed.inputs, listed.variadic) == (("data",), True)
