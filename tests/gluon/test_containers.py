"""Sequential and HybridSequential."""

import pytest

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import nn

KINDS = (nn.Sequential, nn.HybridSequential)


@pytest.fixture(params=KINDS, ids=["Sequential", "HybridSequential"])
def kind(request: pytest.FixtureRequest) -> type:
    return request.param


def row(kind: type, *widths: int) -> nn.Sequential:
    net = kind(prefix="net_")
    with net.name_scope():
        net.add(*[nn.Dense(width) for width in widths])
    net.initialize(mx.init.One())
    return net


def test_runs_in_order(kind: type) -> None:
    net = kind()
    net.add(nn.Lambda("relu") if kind is nn.Sequential else nn.HybridLambda("relu"))
    net.add(nn.Flatten())
    assert net(-nd.ones((2, 3, 4))).shape == (2, 12)


def test_empty_returns_its_input(kind: type) -> None:
    x = nd.ones((2,))
    assert kind()(x) is x


def test_len_index_iteration(kind: type) -> None:
    net = row(kind, 1, 2, 3)
    assert len(net) == 3
    assert net[-1] is net[2]
    assert [layer._units for layer in net] == [1, 2, 3]
    with pytest.raises(IndexError):
        net[3]


def test_slices_share_the_layers(kind: type) -> None:
    net = row(kind, 1, 2, 3, 4)
    part = net[1:3]
    assert type(part) is kind
    assert list(part) == [net[1], net[2]]
    assert len(net[5:]) == 0
    assert [layer._units for layer in net[::-1]] == [4, 3, 2, 1]
    x = nd.ones((1, 2))
    net(x)
    assert (part(net[0](x)) == net[:3](x)).asnumpy().all()
    part.add(nn.Dense(7))
    assert len(net) == 4


def test_slice_of_a_subclass(kind: type) -> None:
    class Mine(kind):  # type: ignore[misc,valid-type]
        pass

    net = Mine()
    net.add(nn.Dense(1), nn.Dense(2))
    assert type(net[:1]) is Mine


def test_layer_twice_in_a_row(kind: type) -> None:
    net, layer = kind(), nn.Dense(3, in_units=3)
    net.add(layer, layer)
    net.initialize(mx.init.One())
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[9, 9, 9]]
    assert len(net.collect_params().keys()) == 2


def test_several_values_go_on_as_arguments(kind: type) -> None:
    class Both(gluon.HybridBlock):
        def hybrid_forward(self, F: object, x: nd.NDArray, y: nd.NDArray) -> tuple[nd.NDArray, nd.NDArray]:
            return x + y, x - y

    net = kind()
    net.add(Both(), Both())
    first, second = net(nd.array([3.0]), nd.array([1.0]))
    assert (first.asscalar(), second.asscalar()) == (6, 2)


def test_type_is_named_as_in_mxnet() -> None:
    assert str(nn.Sequential) == "<class 'mxnet.gluon.nn.basic_layers.Sequential'>"
    assert str(nn.HybridSequential) == "<class 'mxnet.gluon.nn.basic_layers.HybridSequential'>"


def test_children_of_hybrid_are_hybrid() -> None:
    with pytest.raises(
        ValueError, match=r"children of a HybridBlock must be HybridBlocks; received Sequential"
    ) as caught:
        nn.HybridSequential(prefix="net_").add(nn.Sequential())
    assert "Use nn.Sequential instead of nn.HybridSequential" in str(caught.value)


def test_hybridizing_a_plain_row_of_hybrid_blocks() -> None:
    net = row(nn.Sequential, 1, 2)
    with pytest.warns(UserWarning, match=r"all blocks of this nn.Sequential are HybridBlocks: nn.HybridSequential"):
        net.hybridize()
    assert net[0]._active
    net.add(nn.Lambda("relu"))
    net.hybridize(False)
    assert not net[0]._active


def test_hybridize_reaches_all_inside() -> None:
    net = nn.HybridSequential()
    inner = nn.HybridSequential()
    inner.add(nn.Dense(2))
    net.add(inner, nn.Dense(1))
    net.initialize()
    eager = net(nd.ones((1, 3)))
    net.hybridize(static_alloc=True, static_shape=True)
    assert inner[0]._active
    assert dict(inner[0]._flags) == {"static_alloc": True, "static_shape": True, "inline_limit": 2}
    assert (net(nd.ones((1, 3))) == eager).asnumpy().all()
