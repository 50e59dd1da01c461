"""Calling operators: inputs, contexts, `out=`, auxiliary states, modes, and what a refused call says."""

import numpy as np
import pytest
import torch
from torch import Tensor

import mxnet as mx
import regluon.rng
from mxnet import autograd, nd
from mxnet.base import MXNetError
from mxnet.error import OpShapeError, OpTypeError
from mxnet.ndarray import NDArray
from regluon.ops.params import Rng, Training
from regluon.ops.registry import Operator, find
from regluon.runtime.invoke import invoke


def values(array):
    return array.asnumpy().tolist()


def declared(function, **traits):
    """An operator that is in no registry."""
    return Operator(function.__name__, (), function, **traits)


def test_results_are_new_arrays():
    x = nd.array([[1, 2]])
    for result in (nd.Reshape(x, shape=(2,)), nd.identity(x), nd.Flatten(x), nd.expand_dims(x, axis=0)):
        result[:] = 9
        assert values(x) == [[1, 2]]
        assert type(result) is NDArray


def test_results_stand_in_order_in_memory():
    x = nd.arange(6).reshape((2, 3))
    assert nd.transpose(x).as_torch().is_contiguous()


def test_inputs_by_name_and_by_position():
    x, w = nd.ones((2, 3)), nd.ones((4, 3))
    by_name = nd.FullyConnected(data=x, weight=w, num_hidden=4, no_bias=True)
    by_position = nd.FullyConnected(x, w, None, 4, True)
    assert values(by_name) == values(by_position)


# -- refusals -------------------------------------------------------------------------------------------------------


def test_missing_inputs():
    with pytest.raises(
        OpTypeError, match=r"^\[FullyConnected\] input weight is missing; expected the array\(s\) data, we"
    ):
        nd.FullyConnected(nd.ones((2, 3)), num_hidden=2, no_bias=True)
    with pytest.raises(OpTypeError, match=r"^\[broadcast_add\] input lhs is missing; expected the array\(s\) lhs, rhs"):
        nd.broadcast_add(rhs=nd.ones(1))
    with pytest.raises(OpTypeError, match=r"^\[Concat\] input data\[0\] is missing"):
        nd.concat(dim=0)


@pytest.mark.parametrize(
    "given", [np.ones((2, 3)), [1, 2], 3, "text", torch.ones(2, 3)], ids=lambda x: type(x).__name__
)
def test_inputs_are_arrays(given):
    kind = f"{type(given).__module__}.{type(given).__name__}"
    text = rf"^\[FullyConnected\] input weight: received {kind}; expected an NDArray. Wrap it: nd.(array|from_torch)"
    with pytest.raises(OpTypeError, match=text):
        nd.FullyConnected(nd.ones((2, 3)), given, num_hidden=2, no_bias=True)


def test_inputs_of_a_list_are_arrays():
    with pytest.raises(OpTypeError, match=r"^\[Concat\] input data\[1\]: received builtins.int; expected an NDArray"):
        nd.concat(nd.ones(2), 3, dim=0)


def test_errors_say_what_was_received():
    with pytest.raises(
        OpShapeError, match=r"^\[FullyConnected\] received data float32\(2, 3\), weight float32\(4, 5\): "
    ):
        nd.FullyConnected(nd.ones((2, 3)), nd.ones((4, 5)), num_hidden=4, no_bias=True)


def test_errors_of_torch_come_out_as_ours():
    def crooked(data: Tensor) -> Tensor:
        return data.view(7)

    with pytest.raises(OpShapeError, match=r"^\[crooked\] received data float32\(2,\): shape") as caught:
        invoke(declared(crooked), [nd.ones(2)], {})
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_devices_are_not_mixed():
    x, ghost = nd.ones(2), NDArray(torch.ones(2, device="meta"), mx.cpu(1))
    text = (
        r"^\[broadcast_add\] received arrays on different devices: lhs on cpu\(0\), rhs on cpu\(1\); expected one. Move"
    )
    ghost._ctx = _Elsewhere("cpu", 1)
    with pytest.raises(MXNetError, match=text):
        nd.broadcast_add(x, ghost)
    with pytest.raises(MXNetError, match=r"data\[0\] on cpu\(0\), data\[1\] on cpu\(1\)"):
        nd.concat(x, ghost, dim=0)


class _Elsewhere(mx.Context):
    """A context on another device than its name says."""

    device = torch.device("meta")


# -- contexts and surroundings --------------------------------------------------------------------------------------


def test_results_live_where_the_first_input_does():
    x, y = nd.ones(2, ctx=mx.cpu(1)), nd.ones(2)
    with mx.cpu(3):
        assert nd.broadcast_add(x, y).context == mx.cpu(1)
        assert nd.zeros(2).context == mx.cpu(3)
        assert nd.zeros(2, out=nd.ones(2, ctx=mx.cpu(2))).context == mx.cpu(2)


def test_operators_receive_what_they_ask_for():
    seen = []

    def curious(data: Tensor, *, training: Training, rng: Rng) -> Tensor:
        seen.append((training, rng))
        return data + 0

    operator = declared(curious)
    x = nd.ones(1)
    with autograd.train_mode():
        invoke(operator, [x], {})
    invoke(operator, [x], {})
    assert [training for training, _ in seen] == [True, False]
    assert seen[0][1] is regluon.rng.generator(mx.cpu())


def test_parameters_are_not_changed_by_a_call():
    def curious(data: Tensor, *, factor: float = 1.0, training: Training) -> Tensor:
        return data * factor

    operator = declared(curious)
    params = operator.parse({"factor": 2})
    invoke(operator, [nd.ones(1)], params)
    assert params == {"factor": 2.0}


def test_auxiliary_states_are_updated_in_place():
    def counting(data: Tensor, count: Tensor, *, training: Training):
        return data * 2, ((count + 1,) if training else None)

    operator = declared(counting, auxiliary=("count",))
    x, count = nd.ones(2), nd.zeros(1)
    x.attach_grad()
    view = count.reshape((1, 1))
    invoke(operator, [x, count], {})
    with autograd.record():
        y = invoke(operator, [x, count], {})
        z = invoke(operator, [y, count], {})
    z.backward()
    assert (values(count), values(view)) == ([2], [[2]])
    assert values(x.grad) == [4, 4]


def test_several_outputs_are_a_list():
    parts = nd.split(nd.arange(4), num_outputs=2, axis=0)
    assert isinstance(parts, list)
    assert [values(part) for part in parts] == [[0, 1], [2, 3]]
    assert values(nd.split(nd.arange(4), num_outputs=1, axis=0)) == [0, 1, 2, 3]


# -- out= -----------------------------------------------------------------------------------------------------------


def test_out_is_written_and_returned():
    x, out = nd.array([1, 2]), nd.zeros(2)
    assert nd.broadcast_add(x, x, out=out) is out
    assert values(out) == [2, 4]
    assert nd.broadcast_add(x, x, out=[out]) is not None


def test_out_may_be_an_input_or_a_view():
    x, rows = nd.array([1, 2]), nd.zeros((2, 2))
    nd.broadcast_add(x, x, out=x)
    nd.broadcast_add(x, x, out=rows[1])
    assert (values(x), values(rows)) == ([2, 4], [[0, 0], [4, 8]])


def test_out_of_several_outputs():
    outs = [nd.zeros(2), nd.zeros(2)]
    nd.split(nd.arange(4), num_outputs=2, axis=0, out=outs)
    assert [values(out) for out in outs] == [[0, 1], [2, 3]]
    with pytest.raises(OpShapeError, match=r"out: received 1 array\(s\); expected 2"):
        nd.split(nd.arange(4), num_outputs=2, axis=0, out=outs[0])


@pytest.mark.parametrize(
    ("out", "kind", "text"),
    [
        (nd.zeros(3), OpShapeError, r"out: received an array of shape \(3,\); expected \(2,\)"),
        (nd.zeros(2, dtype="int32"), OpTypeError, r"out: received an array of int32; expected float32"),
        (3, OpTypeError, r"out: received int; expected an NDArray"),
        (np.zeros(2), OpTypeError, r"out: received ndarray; expected an NDArray"),
    ],
)
def test_out_must_fit(out, kind, text):
    with pytest.raises(kind, match=rf"^\[broadcast_add\] {text}"):
        nd.broadcast_add(nd.ones(2), nd.ones(2), out=out)


def test_out_takes_the_place_of_the_result_in_the_graph():
    x, out = nd.array([1, 2]), nd.zeros(2)
    x.attach_grad()
    with autograd.record():
        nd.broadcast_mul(x, x, out=out)
    out.backward()
    assert values(x.grad) == [2, 4]
    with autograd.record():
        y = out * x
    y.backward()
    assert values(x.grad) == [1, 4]


# -- gradients ------------------------------------------------------------------------------------------------------


def test_an_operator_declared_without_gradient_gives_zeros():
    def rounded(data: Tensor) -> Tensor:
        return data.detach().round()

    x = nd.array([1.4])
    x.attach_grad()
    x.grad[:] = 7
    with autograd.record():
        y = invoke(declared(rounded, zero_gradient=True), [x], {}) * 3
    y.backward()
    assert values(x.grad) == [0]


def test_a_comparison_is_a_constant_that_may_be_a_head():
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = nd.broadcast_greater(x, nd.ones(2))
    y.backward()
    assert values(x.grad) == [0, 0]


def test_nothing_is_recorded_outside():
    x = nd.ones((2, 2))
    x.attach_grad()
    y = nd.dot(x, x)
    assert y._node is None
    assert not y._t.requires_grad


def test_scalars_are_parameters_of_internal_operators():
    x = nd.array([1, 2])
    assert values(nd._internal._plus_scalar(x, scalar=2)) == [3, 4]
    assert values(invoke(find("_rminus_scalar"), [x], {"scalar": 5.0})) == [4, 3]
