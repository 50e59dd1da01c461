"""Loops and branches: the same results and gradients on arrays, in graphs and in hybridized networks."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd, sym
from mxnet.base import MXNetError
from mxnet.error import OpParamError, OpShapeError, OpTypeError


class Recurrent(gluon.HybridBlock):
    """A cell with deferred shapes and a layer with states, step by step."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.cell = gluon.rnn.LSTMCell(3)
            self.norm = gluon.nn.BatchNorm(momentum=0.5)
            self.scale = self.params.get_constant("scale", [[2.0, 3.0]])

    def hybrid_forward(self, F: Any, x: Any, h: Any, c: Any, scale: Any) -> Any:
        def body(item: Any, states: Any) -> Any:
            out, states = self.cell(item * scale, states)
            return self.norm(out), states

        outputs, states = F.contrib.foreach(body, x, [h, c])
        return outputs, states[1]


class Nested(gluon.HybridBlock):
    """A loop and a branch in a loop; the inner ones read what the outer one computes."""

    def hybrid_forward(self, F: Any, x: Any, s: Any) -> Any:
        def outer(item: Any, state: Any) -> Any:
            results, last = F.contrib.foreach(lambda a, b: (a * b + state, a + b), item, state)
            return results, F.contrib.cond(F.sum(last) > 3, lambda: last * 2, lambda: last - 1)

        return F.contrib.foreach(outer, x, s)


class Searching(gluon.HybridBlock):
    """A loop whose number of steps depends on the data."""

    def hybrid_forward(self, F: Any, x: Any, s: Any) -> Any:
        results, (_, last) = F.contrib.while_loop(
            lambda i, y: F.sum(i) < 3, lambda i, y: (y * x, [i + 1, y * y]), [s, x], max_iterations=5
        )
        return results, last


NETWORKS: list[tuple[Callable[[], Any], tuple[tuple[int, ...], ...]]] = [
    (Recurrent, ((4, 5, 2), (5, 3), (5, 3))),
    (Nested, ((4, 5, 2), (2,))),
    (Searching, ((2, 2), (1,))),
]


@pytest.mark.parametrize(("make", "shapes"), NETWORKS, ids=lambda value: getattr(value, "__name__", ""))
def test_hybridized_as_written(make: Callable[[], Any], shapes: tuple[tuple[int, ...], ...]) -> None:
    random = np.random.default_rng(3)
    arrays = [nd.array(random.uniform(0, 1, shape)) for shape in shapes]
    net = make()
    net.initialize()
    net(*arrays)
    start = {name: parameter.data().copy() for name, parameter in net.collect_params().items()}
    found = []
    for hybridized in (False, True):
        for name, parameter in net.collect_params().items():
            parameter.set_data(start[name])
        net.hybridize(hybridized)
        found.append(_trained(net, arrays))
    for as_written, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(compiled, as_written, rtol=1e-4, atol=1e-5)


def _trained(net: Any, arrays: list[Any]) -> list[np.ndarray]:
    """Results, gradients and parameters after one step, states included."""
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        results = net(*arrays)
        loss = sum((result * result).sum() for result in results)
    loss.backward()
    parameters = net.collect_params().values()
    learned = [parameter.grad() for parameter in parameters if parameter.grad_req != "null"]
    held = [parameter.data() for parameter in parameters]
    return [array.asnumpy() for array in [*results, *(array.grad for array in arrays), *learned, *held]]


def test_export_and_import(tmp_path: Any) -> None:
    net = Recurrent()
    net.initialize()
    net.hybridize()
    arrays = [nd.ones((4, 5, 2)), nd.zeros((5, 3)), nd.zeros((5, 3))]
    expected = net(*arrays)
    net.export(str(tmp_path / "net"))
    again = gluon.SymbolBlock.imports(
        str(tmp_path / "net-symbol.json"), ["data0", "data1", "data2"], str(tmp_path / "net-0000.params")
    )
    for one, other in zip(expected, again(*arrays), strict=True):
        np.testing.assert_allclose(other.asnumpy(), one.asnumpy(), rtol=1e-5)


def test_body_completes_its_weights() -> None:
    outputs, _ = sym.contrib.foreach(
        lambda x, s: (sym.FullyConnected(x, num_hidden=2, name="fc"), s + x), sym.var("x"), sym.var("s")
    )
    shapes, results, _ = outputs.infer_shape(x=(3, 4, 5))
    assert dict(zip(outputs.list_arguments(), shapes, strict=True)) == {
        "x": (3, 4, 5),
        "s": (4, 5),
        "fc_weight": (2, 5),
        "fc_bias": (2,),
    }
    assert results == [(3, 4, 2)]
    types, _, _ = outputs.infer_type(x="float64", s="float64")
    assert set(types) == {np.float64}


def test_state_that_changes_its_shape_is_refused() -> None:
    outputs, _ = sym.contrib.foreach(lambda x, s: (x, sym.concat(s, x, dim=0)), sym.var("x"), sym.var("s"))
    with pytest.raises(MXNetError, match=r"input s has the shape \(2,\); expected \(4,\)"):
        outputs.infer_shape(x=(3, 2), s=(2,))


def test_states_in_a_body_are_updated() -> None:
    outputs, _ = sym.contrib.foreach(
        lambda x, s: (sym.BatchNorm(x, name="bn", momentum=0.5), s + 1), sym.var("x"), sym.var("s")
    )
    executor = outputs.simple_bind(mx.cpu(), x=(2, 4, 3), s=(1,))
    executor.arg_dict["x"][:] = nd.concat(nd.ones((1, 4, 3)), 3 * nd.ones((1, 4, 3)), dim=0)
    executor.forward(is_train=True)
    # (0 + 1) / 2, then (0.5 + 3) / 2
    assert executor.arg_dict["bn_moving_mean"].asnumpy().tolist() == [1.75, 1.75, 1.75]


def test_loop_without_steps() -> None:
    results, last = sym.contrib.while_loop(lambda i: i < 0, lambda i: (i * 2, i + 1), sym.var("i"), max_iterations=2)
    outputs = sym.Group([results, last]).eval(i=nd.array([4]))
    assert outputs[0].asnumpy().tolist() == [[0], [0]]
    assert outputs[1].asnumpy().tolist() == [4]


X, S = sym.var("x"), sym.var("s")
REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: sym.contrib.foreach(lambda x, s: (x, s), nd.ones(3), S),
        OpTypeError,
        r"data: received .*NDArray; expected",
    ),
    (
        lambda: sym.contrib.foreach(lambda x, s: (s + 1, s + 2), X, S),
        ValueError,
        r"the body does not use x-0; expected all data",
    ),
    (
        lambda: sym.contrib.foreach(lambda x, s: (x, [s]), X, S),
        ValueError,
        r"returned a list of 1 as states; expected a single",
    ),
    (
        lambda: sym.contrib.foreach(lambda x, s: (x[0] + x[1], s), [X, X], S),
        MXNetError,
        r"inputs of the body are named x-0; expe",
    ),
    (
        lambda: sym.contrib.while_loop(lambda i: i < 3, lambda i: (i, i), X),
        ValueError,
        r"max_iterations: expected a number",
    ),
    (
        lambda: sym.contrib.while_loop(lambda i: True, lambda i: (i, i), X, 3),
        ValueError,
        r"cond returned True; expected a Symbol",
    ),
    (
        lambda: sym.contrib.while_loop(lambda i: i < 3, lambda i: (i, []), X, 3),
        ValueError,
        r"returned 0 variables; expected 1",
    ),
    (
        lambda: sym.contrib.while_loop(lambda: X, lambda: X, [], 3),
        ValueError,
        r"received an empty list; expected at least one",
    ),
    (
        lambda: sym.contrib.cond(X, lambda: X, lambda: [X, S]),
        ValueError,
        r"then_func returned 1 symbol\(s\), else_func 2",
    ),
    (
        lambda: sym.contrib.cond(1, lambda: X, lambda: X),
        ValueError,
        r"pred: received 1; expected a Symbol of one output",
    ),
    (
        lambda: sym.contrib.cond(X, lambda: X, lambda: X).eval(x=nd.ones(2)),
        OpShapeError,
        r"expected a condition of one element",
    ),
    (
        lambda: nd._internal._foreach(
            nd.ones(2), num_outputs=1, num_out_data=1, in_state_locs=(), in_data_locs=(0,), remain_locs=()
        ),
        OpParamError,
        r"expected 1 graph\(s\) as bodies, got 0; call contrib.foreach",
    ),
    (
        lambda: nd.contrib.foreach(lambda x, s: (x, s), [nd.ones(2), nd.ones(3)], []),
        ValueError,
        r"expected arrays of one length",
    ),
    (
        lambda: nd.contrib.foreach(lambda x, s: (3, s), nd.ones(2), []),
        OpTypeError,
        r"the body's results: received builtins.int",
    ),
    (
        lambda: nd.contrib.while_loop(lambda i: nd.ones(2), lambda i: (i, i), nd.ones(1), 3),
        ValueError,
        r"\(2,\); expected one",
    ),
    (
        lambda: nd.contrib.while_loop(lambda i: True, lambda i: (i, i.tile(2)), nd.ones(1), 3),
        ValueError,
        r"from step to step",
    ),
]


@pytest.mark.parametrize(("call", "kind", "problem"), REFUSED)
def test_refused(call: Callable[[], Any], kind: type[Exception], problem: str) -> None:
    with pytest.raises(kind, match=problem):
        call()


def test_what_a_body_leaves_out_fails_as_mxnets_assertion() -> None:
    with pytest.raises(AssertionError, match="the body does not use x-0"):
        sym.contrib.foreach(lambda x, s: (s + 1, s + 2), X, S)
