"""Hybrid blocks: parameters as arguments, shapes found from data, inputs of every form."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.error import OpShapeError
from mxnet.gluon import DeferredInitializationError, nn
from mxnet.gluon.block import _flatten, _regroup


class Own(gluon.HybridBlock):
    """A parameter `w` and a function of it."""

    def __init__(self, function: Any, shape: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = function
        self.w = self.params.get("w", shape=shape, allow_deferred_init=True, init="ones")

    def hybrid_forward(self, F: Any, x: Any, w: Any) -> Any:
        return self.function(F, x, w)


def ready(block: Any) -> Any:
    block.initialize(mx.init.One())
    return block


# -- shapes from data -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "shape", "found"),
    [
        (lambda F, x, w: F.FullyConnected(x, w, no_bias=True, num_hidden=4), None, (4, 3)),
        (lambda F, x, w: F.FullyConnected(x, w, no_bias=True, num_hidden=4), (4, 0), (4, 3)),
        (lambda F, x, w: F.FullyConnected(x, w, no_bias=True, num_hidden=4), (0, 3), (4, 3)),
        (lambda F, x, w: F.LayerNorm(x, w, w), (0,), (3,)),
        (lambda F, x, w: F.Embedding(x, w, input_dim=5, output_dim=2), None, (5, 2)),
        # Settled by the first operator, used by others after it.
        (
            lambda F, x, w: F.broadcast_mul(F.FullyConnected(x, w, no_bias=True, num_hidden=4), F.sum(w, axis=1)),
            (4, 0),
            (4, 3),
        ),
        (lambda F, x, w: F.dot(x, w), (3, 4), (3, 4)),
        (lambda F, x, w: x * 2, (7,), (7,)),
    ],
)
def test_shapes_found(function: Any, shape: Any, found: Any) -> None:
    block = ready(Own(function, shape))
    block(nd.ones((2, 3)))
    assert block.w.shape == found
    assert block.w.data().shape == found


def test_a_shape_that_no_operator_tells() -> None:
    block = ready(Own(lambda F, x, w: F.dot(x, w), (0, 4), prefix="mine_"))
    with pytest.raises(
        DeferredInitializationError, match=r"\[Own mine\] infer_shape: the shapes of its parameters"
    ) as caught:
        block(nd.ones((2, 3)))
    assert isinstance(caught.value, ValueError), "as in MXNet"
    text = str(caught.value)
    assert "parameter mine_w is not used in a way that tells its shape" in text
    assert "or the parameter its shape" in text
    block.w.shape = (3, 4)
    assert block(nd.ones((2, 3))).shape == (2, 4)


def test_a_parameter_that_is_not_used() -> None:
    block = ready(Own(lambda F, x, w: x, (0,)))
    with pytest.raises(DeferredInitializationError, match="is not used in a way that tells its shape"):
        block(nd.ones((2, 3)))


def test_a_shape_that_contradicts_the_data() -> None:
    block = ready(Own(lambda F, x, w: F.FullyConnected(x, w, no_bias=True, num_hidden=4), (5, 0)))
    with pytest.raises(mx.MXNetError, match=r"has shape \(5, 0\); the data ask for \(4, 3\)"):
        block(nd.ones((2, 3)))


def test_infer_shape_before_initialize() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dense(3), nn.BatchNorm())
    net.infer_shape(nd.ones((2, 5)))
    assert net[0].weight.shape == (4, 5)
    assert net[1].weight.shape == (3, 4)
    assert net[2].gamma.shape == (3,)
    ready(net)
    assert net[1].weight.data().shape == (3, 4)


def test_finding_shapes_leaves_no_traces() -> None:
    """No random numbers are drawn, no averages moved, nothing recorded."""
    net = nn.HybridSequential()
    net.add(nn.Dense(4), nn.Dropout(0.5), nn.BatchNorm(), nn.Dense(1))
    ready(net)
    mx.random.seed(3)
    with autograd.record():
        first = net(nd.ones((4, 2)))
    mean = net[2].running_mean.data().asnumpy().copy()
    ready(twin := nn.HybridSequential())
    twin.add(nn.Dense(4, in_units=2), nn.Dropout(0.5), nn.BatchNorm(in_channels=4), nn.Dense(1, in_units=4))
    ready(twin)
    mx.random.seed(3)
    with autograd.record():
        second = twin(nd.ones((4, 2)))
    assert (first == second).asnumpy().all()
    assert (twin[2].running_mean.data().asnumpy() == mean).all()


def test_a_parent_with_its_own_unknown_parameter_and_children() -> None:
    class Parent(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            with self.name_scope():
                self.first = nn.Dense(3)
                self.gamma = self.params.get("gamma", shape=(0,), init="ones", allow_deferred_init=True)
                self.beta = self.params.get("beta", shape=(0,), init="zeros", allow_deferred_init=True)
                self.last = nn.Dense(2)

        def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any) -> Any:
            return self.last(F.LayerNorm(self.first(x), gamma, beta))

    net = ready(Parent())
    assert net(nd.ones((4, 5))).shape == (4, 2)
    assert (net.first.weight.shape, net.gamma.shape, net.last.weight.shape) == ((3, 5), (3,), (2, 3))


def test_partial_shapes_and_other_data_later() -> None:
    layer = ready(nn.Dense(2, prefix="fc_"))
    assert layer(nd.ones((3, 4))).shape == (3, 2)
    assert layer(nd.ones((7, 4))).shape == (7, 2)
    with pytest.raises(mx.MXNetError, match=r"\[Dense fc\].*expects 4 features per sample, received 5"):
        layer(nd.ones((3, 5)))


def test_wrong_data_at_first_can_be_put_right() -> None:
    layer = ready(nn.Dense(2, in_units=4, prefix="fc_"))
    with pytest.raises(mx.MXNetError):
        layer(nd.ones((3, 5)))
    assert layer(nd.ones((3, 4))).shape == (3, 2)
    late = ready(nn.Conv2D(2, 3))
    with pytest.raises(mx.MXNetError):
        late(nd.ones((3, 5)))
    assert late(nd.ones((1, 3, 5, 5))).shape == (1, 2, 3, 3)


def test_reading_values_without_data_is_explained() -> None:
    block = ready(Own(lambda F, x, w: F.FullyConnected(x * x.asnumpy().sum(), w, no_bias=True, num_hidden=1), (1, 0)))
    with pytest.raises(mx.MXNetError, match=r"\[Own own\d+\] infer_shape.*hybrid_forward reads values, and"):
        block(nd.ones((2, 3)))


def test_mistakes_in_hybrid_forward_stay_what_they_are() -> None:
    block = ready(Own(lambda F, x, w: F.no_such_operator(x, w), (1, 0)))
    with pytest.raises(AttributeError, match="no_such_operator"):
        block(nd.ones((2, 3)))


def test_errors_of_operators_name_the_block() -> None:
    def fail(F: Any, x: Any, w: Any) -> None:
        raise OpShapeError("wrong lengths")

    with pytest.raises(OpShapeError, match=r"\[Own mine\] wrong lengths"):
        ready(Own(fail, (1, 0), prefix="mine_"))(nd.ones((2, 3)))


def test_infer_type() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(2), nn.Dense(1))
    net.infer_type(nd.ones((1, 1), dtype="int32"), nd.ones((1, 1), dtype="float64"))
    assert np.dtype(net[1].weight.dtype) == np.float64
    ready(net)
    assert net(nd.ones((1, 3), dtype="float64")).dtype == np.float64


# -- inputs ---------------------------------------------------------------------------------------------------------


class Gather(gluon.HybridBlock):
    """Takes nested inputs, None, and keywords, with a parameter of unknown shape."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Dense(2, flatten=False)
        self.w = self.params.get("w", shape=(1, 0), init="ones", allow_deferred_init=True)

    def hybrid_forward(self, F: Any, x: Any, extra: Any = None, w: Any = None, scale: Any = None) -> Any:
        first, (second, nothing) = x
        assert nothing is None
        y = self.layer(first + second)
        y = F.broadcast_add(y, F.FullyConnected(first, w, no_bias=True, num_hidden=1))
        if extra is not None:
            y = y + extra["bias"]
        return [y, (y, None)] if scale is None else y * scale


@pytest.mark.parametrize("hybridize", [False, True])
def test_nested_inputs_none_and_keywords(hybridize: bool) -> None:
    net = ready(Gather())
    if hybridize:
        net.hybridize()
    one = nd.ones((2, 3))
    result = net([one, (one, None)])
    assert result[0].asnumpy().tolist() == [[9, 9], [9, 9]]
    assert result[1][1] is None
    late = ready(Gather())
    y = late([one, [one, None]], {"bias": nd.ones((2, 2))}, scale=nd.ones((2, 2)) * 2)
    assert y.asnumpy().tolist() == [[20, 20], [20, 20]]


def test_the_first_input_may_be_none() -> None:
    class Second(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Dense(1)

        def hybrid_forward(self, F: Any, nothing: Any, x: Any) -> Any:
            return self.layer(x)

    assert ready(Second())(None, nd.ones((1, 2), ctx=mx.cpu(0))).asscalar() == 2


def test_named_tuples_stay_what_they_are() -> None:
    class Pair(NamedTuple):
        left: Any
        right: Any

    class Add(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.w = self.params.get("w", shape=(1, 0), init="ones", allow_deferred_init=True)

        def hybrid_forward(self, F: Any, pair: Any, w: Any) -> Any:
            return F.FullyConnected(pair.left + pair.right, w, no_bias=True, num_hidden=1)

    assert ready(Add())(Pair(nd.ones((1, 2)), nd.ones((1, 2)))).asscalar() == 4


@pytest.mark.parametrize("active", [False, True], ids=["as written", "hybridized"])
@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
def test_arrays_and_symbols_do_not_mix(active: bool, nested: bool) -> None:
    class Add(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
            return x + (y[0] if isinstance(y, list) else y)

    for x, y in [(nd.ones(1), mx.sym.var("y")), (mx.sym.var("x"), nd.ones(1))]:
        block = Add(prefix="add_")
        block.hybridize(active)
        with pytest.raises(ValueError, match=r"\[add\] received NDArrays and Symbols mixed; expected only NDArrays"):
            block(x, [y] if nested else y)


@pytest.mark.parametrize(
    ("inputs", "received"), [((3,), "int"), ((None,), "NoneType"), ((), "no inputs"), (("a", []), "str, list")]
)
def test_no_array_among_the_inputs(inputs: Any, received: str) -> None:
    with pytest.raises(ValueError, match=rf"\[fc\] received {received}; expected at least one NDArray or Symbol among"):
        nn.Dense(2, prefix="fc_")(*inputs)


def test_hybrid_forward_is_missing() -> None:
    with pytest.raises(NotImplementedError, match=r"\[HybridBlock\] write a hybrid_forward method"):
        gluon.HybridBlock()(nd.ones((1,)))


def test_what_is_made_inside_is_on_the_context_of_the_data() -> None:
    class Make(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Dense(2)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.layer(x) + F.ones((1, 2)) + mx.nd.zeros((1, 2))

    net = Make()
    net.initialize(mx.init.One(), ctx=[mx.cpu(0), mx.cpu(1)])
    for context in (mx.cpu(1), mx.cpu(0)):
        y = net(nd.ones((1, 3), ctx=context))
        assert y.context == context
        assert mx.current_context() == mx.cpu(0)
        assert y.asnumpy().tolist() == [[4, 4]]


def test_contexts_that_are_equal_but_not_one_object() -> None:
    class Add(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.w = self.params.get("w", shape=(1, 0), init="ones", allow_deferred_init=True)

        def hybrid_forward(self, F: Any, x: Any, y: Any, w: Any) -> Any:
            return F.FullyConnected(F.elemwise_add(x, y), w, no_bias=True, num_hidden=1)

    net = Add()
    net.initialize(ctx=mx.cpu(1))
    assert net(nd.ones((1, 2), ctx=mx.cpu(1)), nd.ones((1, 2), ctx=mx.cpu(1))).asscalar() == 4


def test_parameters_on_other_contexts() -> None:
    layer = ready(nn.Dense(2, in_units=2, prefix="fc_"))
    with pytest.raises(
        mx.MXNetError, match=r"\[Parameter fc_weight\] was not initialized on cpu\(1\); it is on \[cpu\(0\)\]"
    ):
        layer(nd.ones((1, 2), ctx=mx.cpu(1)))


def test_forward_may_be_overridden() -> None:
    class Plain(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Dense(1)

        def forward(self, x: Any, times: int) -> Any:
            for _ in range(times):
                x = self.layer(x)
            return x

    assert ready(Plain())(nd.ones((1, 1)), 3).asscalar() == 1


# -- hybridize ------------------------------------------------------------------------------------------------------


def test_hybridize_computes_the_same() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="tanh"), nn.Dense(2))
    net.initialize()
    x = nd.random.uniform(shape=(3, 5))
    eager = net(x).asnumpy()
    net.hybridize(static_alloc=True, forward_bulk_size=3)
    assert net._active
    assert ("forward_bulk_size", 3) in net._flags
    np.testing.assert_array_equal(net(x).asnumpy(), eager)
    net.hybridize(False)
    assert not net[0]._active


def test_hybridize_takes_options_of_a_backend() -> None:
    layer = nn.Dense(1)
    layer.hybridize(backend="inductor", level=3)
    assert (layer._backend, layer._backend_opts) == ("inductor", {"level": 3})


def test_changes_forget_what_was_compiled() -> None:
    net = nn.HybridSequential()
    for change in (
        lambda: net.add(nn.Dense(1)),
        lambda: setattr(net, "layer", nn.Dense(1)),
        lambda: net.cast("float32"),
        net.hybridize,
        net._clear_cached_op,
    ):
        net._compiled["key"] = None
        change()
        assert (net._compiled, net._cached_graph, net._cached_op) == ({}, (), None)
    net._compiled["key"] = None
    net.hybridize(clear=False)
    assert net._compiled == {"key": None}


def test_not_available_yet() -> None:
    layer = nn.Dense(1, prefix="fc_")
    with pytest.raises(RuntimeError, match=r"\[fc\] Please first call block.hybridize\(\) and then run forward"):
        layer.export("path")
    with pytest.raises(ValueError, match=r'\[fc\] Must specify "backend" to optimize_for'):
        layer.optimize_for(nd.ones((1, 1)))
    with pytest.raises(
        ValueError, match=r"\[fc\] hybridize: there is no backend 'mine'; expected one of None, 'default'"
    ):
        layer.optimize_for(nd.ones((1, 1)), backend="mine")


# -- nesting --------------------------------------------------------------------------------------------------------


def test_flatten_refuses_other_things() -> None:
    with pytest.raises(
        ValueError, match=r"\[HybridBlock\] input: received 3 of type int; expected arrays, None, or nested"
    ):
        _flatten([nd.ones((1,)), 3], "input")


def test_regroup() -> None:
    x, y = nd.ones((1,)), nd.ones((2,))
    assert _regroup([x, y, None], [2, -1]) == [[x, y], None]
    with pytest.raises(ValueError, match="received NDArray where the first call had None; expected the same nesting"):
        _regroup([x], [-1])


def test_the_graph_that_was_asked_for_is_kept():
    net = nn.Dense(3, in_units=2)
    net.initialize()
    assert net._cached_graph == ()
    data, result = net._get_graph(mx.nd.ones((1, 2)))
    assert net._cached_graph == (data, result)
    assert result.list_arguments() == ["data", net.weight.name, net.bias.name]
    net.cast("float64")
    assert net._cached_graph == ()
