"""Blocks: registering, collecting, hooks, printing, errors."""

import copy
from typing import Any

import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.parameter import ParameterError
from mxnet.gluon.utils import HookHandle
from tests.gluon.programs import check, group


@group("structure")
def test_structure_as_in_mxnet(case: dict[str, Any]) -> None:
    check(case)


class Double(nn.Block):
    def forward(self, x: Any) -> Any:
        return x * 2


# -- attributes -----------------------------------------------------------------------------------------------------


def test_changing_the_type_of_an_attribute() -> None:
    net = nn.Block()
    net.net = nn.Sequential()
    with pytest.raises(TypeError) as caught:
        net.net = [nn.Dense(64), nn.Dense(32)]
    assert str(caught.value) == (
        "Changing attribute type for net from <class 'mxnet.gluon.nn.basic_layers.Sequential'> to <class 'list'>"
        "is not allowed."
    )
    net.net = nn.Sequential(prefix="new_")
    assert net._children["net"].name == "new"


def test_parameters_cannot_be_replaced() -> None:
    net = nn.Block(prefix="net_")
    net.weight = gluon.Parameter("w")
    net.weight = net.weight
    with pytest.raises(
        ParameterError, match=r"\[net\] parameter 'weight' cannot be replaced. To share parameters"
    ) as caught:
        net.weight = gluon.Parameter("w")
    assert "params=other.params" in str(caught.value)


def test_forgotten_super_init() -> None:
    class Layers(nn.Block):
        def __init__(self) -> None:
            self.layer = nn.Dense(2)

    class Own(nn.Block):
        def __init__(self) -> None:
            self.weight = self.params.get("weight")

    class Scoped(gluon.HybridBlock):
        def __init__(self) -> None:
            with self.name_scope():
                pass

    class Given(nn.Block):
        def __init__(self) -> None:
            self.weight = gluon.Parameter("w")

    for kind, attribute in ((Layers, "_children"), (Own, "_params"), (Scoped, "_scope"), (Given, "_reg_params")):
        with pytest.raises(AttributeError) as caught:
            kind()
        assert str(caught.value) == (
            f"'{kind.__name__}' object has no attribute '{attribute}'. Call super().__init__(**kwargs) in its __init__ "
            "before you set layers or parameters."
        )


def test_plain_attributes_are_free() -> None:
    net = nn.Block()
    net.units = 3
    net.units = [1]
    net.layer = None
    net.layer = nn.Dense(1)
    assert list(net._children) == ["layer"]


@pytest.mark.parametrize(
    "container",
    [
        lambda: [nn.Dense(1)],
        lambda: (3, (nn.Dense(1),)),
        lambda: {"a": {"b": nn.Dense(1)}},
    ],
)
def test_blocks_in_plain_containers(container: Any) -> None:
    class Model(nn.Block):
        pass

    net = Model()
    net.layers = container()
    with pytest.warns(
        UserWarning, match=r'"Model.layers" is an unregistered container with Blocks: their parameters'
    ) as caught:
        assert not net.collect_params().keys()
    assert "register_child()" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_registered_blocks_in_a_list_are_fine() -> None:
    net = nn.Block()
    net.layers = [nn.Dense(1, in_units=1), nn.Dense(1, in_units=1)]
    for layer in net.layers:
        net.register_child(layer)
    net.initialize()
    assert len(net.collect_params()) == 4
    assert next(iter(net._collect_params_with_prefix())) == "0.weight"


# -- parameters -----------------------------------------------------------------------------------------------------


def test_two_parameters_of_one_name() -> None:
    net = nn.Sequential()
    net.add(nn.Dense(1, prefix="a_"), nn.Dense(1, prefix="a_"))
    with pytest.raises(ParameterError, match="two different parameters are called 'a_weight'; rename one block"):
        net.collect_params()


def test_parameters_at_once() -> None:
    net = nn.Sequential()
    net.add(nn.Dense(1, in_units=2), nn.Dense(1, in_units=1))
    net.initialize(mx.init.One(), ctx=[mx.cpu(0), mx.cpu(1)])
    with autograd.record():
        y = net(nd.ones((1, 2), ctx=mx.cpu(1)))
    y.backward()
    assert net[0].weight.grad(mx.cpu(1)).asnumpy().all()
    net.zero_grad()
    assert not net[0].weight.grad(mx.cpu(1)).asnumpy().any()
    net.reset_ctx(mx.cpu(0))
    assert net.collect_params().list_ctx() == [mx.cpu(0)]
    net.cast("float64")
    assert net(nd.ones((1, 2), dtype="float64")).asscalar() == 2


def test_shared_layers_learn_together() -> None:
    shared = nn.Dense(2, in_units=2, use_bias=False)
    net = nn.Sequential()
    net.add(shared, nn.Dense(2, in_units=2, use_bias=False, params=shared.params))
    net.initialize(mx.init.One())
    assert net[1].weight is net[0].weight
    net[0].weight.set_data(nd.ones((2, 2)) * 2)
    assert net(nd.ones((1, 2))).asnumpy().tolist() == [[16, 16]]


def test_sharing_layers_that_do_not_fit() -> None:
    first = nn.Dense(2, in_units=3)
    with pytest.raises(ParameterError, match=r"exists with shape=\(2, 3\); it was asked for with shape=\(4, 0\)"):
        nn.Dense(4, params=first.params)
    late = nn.Dense(2)
    later = nn.Dense(2, in_units=5, params=late.params)
    assert later.weight.shape == late.weight.shape == (2, 5)


def test_twice_initialized_networks_warn() -> None:
    net = nn.Dense(1, in_units=1)
    net.initialize()
    with pytest.warns(UserWarning, match="already initialized, ignoring") as caught:
        net.initialize()
    assert len(caught) == 2


# -- calling --------------------------------------------------------------------------------------------------------


def test_any_arguments_and_results() -> None:
    class Any_(nn.Block):
        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return args, kwargs

    assert Any_()([1, (2, None)], 3, key=4) == (([1, (2, None)], 3), {"key": 4})


def test_forward_is_missing() -> None:
    with pytest.raises(NotImplementedError, match=r"\[Block\] write a forward method"):
        nn.Block()(nd.ones((1,)))


def test_hybridize_and_op_hooks() -> None:
    net = nn.Block(prefix="net_")
    net.layer = nn.Dense(1)
    net.hybridize()
    assert net.layer._active
    net.initialize()
    seen = []
    net.register_op_hook(lambda name, op, array: seen.append((name, op, array.shape)), monitor_all=True)
    net.layer(nd.ones((2, 3)))
    names = [name.removeprefix(net.layer.prefix) for name, _, _ in seen]
    assert names == ["fwd_data", "fwd_weight", "fwd_bias", "fwd_output"]
    assert seen[-1][1:] == ("FullyConnected", (2, 1))


# -- hooks ----------------------------------------------------------------------------------------------------------


def test_hooks_in_order() -> None:
    net, seen = Double(), []
    net.register_forward_pre_hook(lambda block, inputs: seen.append(("before 1", block, inputs)))
    net.register_forward_pre_hook(lambda block, inputs: seen.append(("before 2",)))
    net.register_forward_hook(lambda block, inputs, outputs: seen.append(("after 1", outputs)))
    net.register_forward_hook(lambda block, inputs, outputs: seen.append(("after 2",)))
    x = nd.ones((1,))
    y = net(x)
    assert [entry[0] for entry in seen] == ["before 1", "before 2", "after 1", "after 2"]
    assert seen[0][1:] == (net, (x,))
    assert seen[2][1] is y


def test_a_hook_registered_twice_runs_twice() -> None:
    net, seen = Double(), []

    def note(*_: Any) -> None:
        seen.append(1)

    handle = net.register_forward_hook(note)
    net.register_forward_hook(note)
    net(1)
    handle.detach()
    net(1)
    assert len(seen) == 3


def test_what_hooks_return_is_ignored() -> None:
    net = Double()
    net.register_forward_pre_hook(lambda block, inputs: nd.zeros((1,)))
    net.register_forward_hook(lambda block, inputs, outputs: 5)
    assert net(nd.ones((1,))).asscalar() == 2


def test_detaching() -> None:
    net, seen = Double(), []
    handle = net.register_forward_hook(lambda *_: seen.append("x"))
    other = net.register_forward_pre_hook(lambda *_: seen.append("y"))
    net(1)
    handle.detach()
    handle.detach()
    net(1)
    other.detach()
    net(1)
    assert seen == ["y", "x", "y"]
    with net.register_forward_hook(lambda *_: seen.append("z")) as inside:
        assert isinstance(inside, HookHandle)
        net(1)
    net(1)
    assert seen == ["y", "x", "y", "z"]


def test_a_hook_may_detach_itself() -> None:
    """In MXNet it breaks the loop over the hooks."""
    net, seen = Double(), []

    def once(*_: Any) -> None:
        seen.append("once")
        handle.detach()

    handle = net.register_forward_hook(once)
    net.register_forward_hook(lambda *_: seen.append("always"))
    net(1)
    net(1)
    assert seen == ["once", "always", "always"]


def test_an_exception_in_a_hook_arrives() -> None:
    net = Double()

    def fail(*_: Any) -> None:
        raise KeyError("from the hook")

    handle = net.register_forward_pre_hook(fail)
    with pytest.raises(KeyError, match="from the hook"):
        net(1)
    handle.detach()
    assert net(1) == 2


def test_a_handle_outlives_its_block() -> None:
    handle = Double().register_forward_hook(print)
    handle.detach()
    with pytest.raises(RuntimeError, match="attached already"):
        handle.attach({}, print)  # type: ignore[arg-type]


def test_hooks_fire_inside_and_hybridized() -> None:
    """In MXNet hooks of inner blocks vanish when the outer one is hybridized."""
    net, seen = nn.HybridSequential(), []
    net.add(nn.Dense(1), nn.Dense(1))
    net.initialize()
    for layer in net:
        layer.register_forward_hook(lambda block, *_: seen.append(block))
    x = nd.ones((1, 2))
    net(x)
    assert seen == list(net), "shapes are found out without calling hooks"
    net.hybridize()
    net(x)
    assert seen == list(net) * 2


# -- copies ---------------------------------------------------------------------------------------------------------


def test_deepcopy() -> None:
    net = nn.Sequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(1, in_units=1), Double())
    net.initialize(mx.init.One())
    twin = copy.deepcopy(net)
    assert repr(twin) == repr(net)
    assert list(twin.collect_params()) == list(net.collect_params())
    with twin.name_scope():
        twin.add(nn.Dense(1))
    assert twin[2].name == "net_dense1"
    assert len(net) == 2
    twin[0].weight.set_data(nd.zeros((1, 1)))
    assert net(nd.ones((1, 1))).asscalar() == 2


# -- names that other projects read ---------------------------------------------------------------------------------


def test_private_names_of_other_projects() -> None:
    """See what gluonts, gluon-cv and gluon-nlp import."""
    layer = nn.Dense(2, in_units=1)
    layer.initialize()
    for name in ("_children", "_reg_params", "_active", "_cached_graph", "_flags", "_prefix", "_params", "_scope"):
        assert hasattr(layer, name), name
    for name in ("_ctx_list", "_deferred_init", "_data", "_grad", "_trainer"):
        assert hasattr(layer.weight, name), name
    assert layer.weight._check_and_get(layer.weight._data, list) == layer.weight.list_data()
    assert layer.weight._check_and_get(layer.weight._data, None) is layer.weight.data()
    assert callable(layer._clear_cached_op)
    assert callable(gluon.block._indent)
