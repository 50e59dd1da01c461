"""Stores for the devices of one machine, against the real MXNet."""

from pathlib import Path
from typing import Any

import pytest

import mxnet as mx
from mxnet import nd
from mxnet.kvstore._local import ValueMismatchError
from tests.gluon.programs import check, group


@group("stores")
def test_stores_as_in_mxnet(case: dict[str, Any]) -> None:
    check(case)


def stored(store: mx.kv.KVStore, key: Any = 1, length: int = 2) -> list[float]:
    out = nd.zeros((length,))
    store.pull(key, out=out)
    return out.asnumpy().tolist()


def with_ones(key: Any = 1) -> mx.kv.KVStore:
    store = mx.kv.create("local")
    store.init(key, nd.ones((2,)))
    return store


def test_init_copies() -> None:
    store, value = mx.kv.create("local"), nd.ones((2,))
    store.init(1, value)
    value[:] = 5
    assert stored(store) == [1, 1]


def test_push_keeps_no_hold_of_values() -> None:
    store, value = with_ones(), nd.ones((2,)) * 3
    store.push(1, value)
    value[:] = 5
    assert stored(store) == [3, 3]


def test_pushpull_writes_back() -> None:
    store = with_ones()
    values = [nd.ones((2,)), nd.ones((2,), mx.cpu(1)) * 2]
    store.pushpull(1, values)
    assert [value.asnumpy().tolist() for value in values] == [[3, 3], [3, 3]]
    assert [value.context for value in values] == [mx.cpu(0), mx.cpu(1)]


def test_nested_lists_of_keys() -> None:
    store = mx.kv.create("device")
    store.init(["a", "b"], [nd.ones((2,)), nd.ones((3,))])
    outs = [[nd.zeros((2,)), nd.zeros((2,), mx.cpu(1))], [nd.zeros((3,))]]
    store.pushpull(["a", "b"], [[nd.ones((2,))] * 2, [nd.ones((3,)) * 4]], out=outs)
    assert outs[0][1].asnumpy().tolist() == [2, 2]
    assert outs[1][0].asnumpy().tolist() == [4, 4, 4]


def test_recorded_values_are_only_values() -> None:
    store, value = with_ones(), nd.ones((2,))
    value.attach_grad()
    with mx.autograd.record():
        store.push(1, [value * 2, value])
        store.pull(1, out=value.grad)
    assert value.grad.asnumpy().tolist() == [3, 3]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda s: s.init(1, nd.ones((2,))), mx.MXNetError, r"\[kvstore\] there is a value under 1 already"),
        (lambda s: s.broadcast(1, nd.ones((2,)), nd.ones((2,))), mx.MXNetError, "there is a value under 1 already"),
        (lambda s: s.push(2, nd.ones((2,))), mx.MXNetError, r"there is no value under 2; call init\(2, value\) first"),
        (lambda s: s.pull(2, nd.ones((2,))), mx.MXNetError, "there is no value under 2"),
        (lambda s: s.pushpull("x", nd.ones((2,))), mx.MXNetError, "there is no value under 'x'"),
        (
            lambda s: s.init("x", nd.ones((2,))),
            mx.MXNetError,
            "Mixed key types are not allowed: received 'x', and 1 is",
        ),
        (lambda s: s.push(1, nd.ones((3,))), ValueMismatchError, r"received shape \(3,\) for key 1; expected \(2,\)"),
        (lambda s: s.push(1, nd.ones((1,))), ValueMismatchError, r"received shape \(1,\)"),
        (lambda s: s.push(1, [3]), TypeError, r"\[kvstore\] received int for key 1; expected NDArrays"),
        (lambda s: s.push([1, 2], [nd.ones((2,))]), mx.MXNetError, "received 2 keys and 1 values; expected as many"),
        (lambda s: s.pull(1), TypeError, "out is missing; expected arrays to write to"),
        (
            lambda s: s.row_sparse_pull(1, nd.ones((2,)), row_ids=nd.array([0])),
            mx.MXNetError,
            r"the value under 1 is default; expected row_sparse. Use pull\(\)",
        ),
        (lambda s: s.set_gradient_compression({}), mx.MXNetError, "for stores over several machines, not for 'local'"),
        (lambda s: s.is_capable("flying"), ValueError, "Unknown capability: flying; expected 'optimizer'"),
        (
            lambda s: s.save_optimizer_states("unwritten"),
            mx.MXNetError,
            r"has no optimizer.*call set_optimizer\(\) first",
        ),
        (lambda s: s.load_optimizer_states("missing"), mx.MXNetError, "has no optimizer, hence no states"),
    ],
)
def test_refusals(call: Any, error: Any, text: str) -> None:
    store = with_ones()
    with pytest.raises(error, match=text):
        call(store)
    assert stored(store) == [1, 1]


def test_optimizer_states(tmp_path: Path) -> None:
    def fresh() -> mx.kv.KVStore:
        store = with_ones()
        store.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.9))
        return store

    store, whole = fresh(), fresh()
    for each in (store, whole):
        each.push(1, nd.ones((2,)))
    store.save_optimizer_states(str(tmp_path / "store.states"), dump_optimizer=True)
    other = fresh()
    other.push(1, nd.ones((2,)))
    other.load_optimizer_states(str(tmp_path / "store.states"))
    for each in (whole, other):
        each.push(1, nd.ones((2,)))
    assert stored(other) == stored(whole) == pytest.approx([-0.45, -0.45])


def test_waiting_for_nobody() -> None:
    assert with_ones()._barrier() is None
