"""Names of blocks and parameters: saved files depend on them."""

import threading
from typing import Any

import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn
from tests.gluon.programs import check, group


@group("names")
def test_names_as_in_mxnet(case: dict[str, Any]) -> None:
    check(case)


def test_scope_within_itself() -> None:
    """MXNet loses its way here: the inner exit forgets the outer scope."""
    net = nn.Sequential(prefix="net_")
    with net.name_scope():
        with net.name_scope():
            inner = nn.Dense(1)
        outer = nn.Dense(1)
    assert [inner.name, outer.name] == ["net_dense0", "net_dense1"]
    with mx.name.NameManager():
        assert nn.Dense(1).name == "dense0"


def test_scopes_end_in_order_after_an_exception() -> None:
    first, second = nn.Block(prefix="first_"), nn.Block(prefix="second_")
    with first.name_scope():
        try:
            with second.name_scope():
                raise KeyError
        except KeyError:
            pass
        assert nn.Dense(1).name == "first_dense0"


def test_threads_have_scopes_of_their_own() -> None:
    """Other threads see neither this thread's scope nor its counters."""
    net = nn.Sequential(prefix="net_")
    names: dict[int, list[str]] = {}
    start = threading.Barrier(4)

    def work(number: int) -> None:
        start.wait()
        names[number] = [nn.Dense(1).name for _ in range(20)]

    with net.name_scope():
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert nn.Dense(1).name == "net_dense0"
    assert all(found == [f"dense{i}" for i in range(20)] for found in names.values())


def test_one_scope_in_two_threads() -> None:
    net = nn.Sequential(prefix="net_")
    ready, done = threading.Event(), threading.Event()
    names = []

    def work() -> None:
        with net.name_scope():
            ready.set()
            done.wait(10)
            names.append(nn.Dense(1).name)

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait(10)
    with net.name_scope():
        names.append(nn.Dense(1).name)
    assert nn.Dense(1, prefix="loose_").name == "loose"
    done.set()
    thread.join()
    assert names == ["net_dense0", "net_dense1"]


def test_scope_under_the_name_that_others_import() -> None:
    assert gluon.block._BlockScope is type(nn.Block().name_scope())


class _Pair(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.first, self.second = gluon.nn.Dense(2, in_units=3), gluon.nn.Dense(4, in_units=2)

    def hybrid_forward(self, F, x):
        return self.second(self.first(x))


def test_blocks_inside_share_what_a_block_was_given():
    one = _Pair(prefix="net_")
    other = _Pair(prefix="net_", params=one.collect_params())
    one.initialize()
    assert other.second.weight is one.second.weight
    x = mx.nd.ones((1, 3))
    assert (one(x) == other(x)).asnumpy().all()
