"""Kinds of stores, and stores of one's own."""

import warnings
from typing import Any

import pytest

import mxnet as mx
from mxnet.kvstore import KVStore, KVStoreBase


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KVStoreBase, "kv_registry", dict(KVStoreBase.kv_registry))


@pytest.mark.parametrize(
    "name", ["local", "device", "Local", "local_update_cpu", "local_allreduce_cpu", "local_allreduce_device"]
)
def test_kinds(name: str) -> None:
    store = mx.kv.create(name)
    assert isinstance(store, KVStore)
    assert (store.type, store.rank, store.num_workers) == (name.lower(), 0, 1)


def test_public_paths() -> None:
    assert mx.kv.create().type == "local"
    assert mx.kvstore.kvstore.KVStore is KVStore
    assert mx.kv is mx.kvstore


def test_unknown_kinds() -> None:
    with pytest.raises(
        mx.MXNetError, match=r"\[kvstore.create\] received 'mine'; expected one of device, dist, .* local"
    ):
        mx.kv.create("mine")
    with pytest.raises(TypeError, match=r"\[kvstore.create\] received int; expected the name of a kind"):
        mx.kv.create(3)


@pytest.mark.usefixtures("registry")
def test_registering() -> None:
    @KVStoreBase.register
    class Mine(KVStoreBase):
        pass

    assert isinstance(mx.kv.create("mine"), Mine)
    assert mx.kv.create("MINE").type == "mine"
    with pytest.warns(UserWarning, match=r"Mine takes the place of another 'mine'"):
        KVStoreBase.register(type("Mine", (KVStoreBase,), {}))
    with (
        warnings.catch_warnings(),
        pytest.raises(TypeError, match=r"\[KVStoreBase.register\] received int; expected a class"),
    ):
        KVStoreBase.register(3)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("broadcast", (1, 2, 3)),
        ("pushpull", (1, 2)),
        ("set_optimizer", (1,)),
        ("save_optimizer_states", ("x",)),
        ("load_optimizer_states", ("x",)),
        ("is_capable", ("x",)),
    ],
)
def test_what_a_store_must_have(name: str, arguments: Any) -> None:
    class Mine(KVStoreBase):
        pass

    store = Mine()
    with pytest.raises(NotImplementedError, match=rf"write an? {name} method"):
        getattr(store, name)(*arguments)
    assert (store.rank, store.num_workers, store.type) == (0, 1, "mine")


def test_the_smallest_store() -> None:
    store = mx.kv.create("teststore")
    assert store.type == "teststore"
    assert not store.is_capable("optimizer")
    with pytest.raises(ValueError, match=r"\[TestStore.is_capable\] received 'speed'; expected 'optimizer'"):
        store.is_capable("speed")
    out = [mx.nd.empty(2), mx.nd.empty(2, ctx=mx.cpu(1))]
    store.broadcast("w", mx.nd.ones(2), out)
    assert [each.asnumpy().tolist() for each in out] == [[1, 1], [1, 1]]
    store.pushpull("w", out)
    assert [each.asnumpy().tolist() for each in out] == [[2, 2], [2, 2]]
    store.pushpull("w", [mx.nd.array([1, 2]), mx.nd.array([3, 4])], out=out)
    assert [each.asnumpy().tolist() for each in out] == [[4, 6], [4, 6]]
    with pytest.raises(NotImplementedError, match="write a set_optimizer method"):
        store.set_optimizer(mx.optimizer.SGD())
