"""Modules trained by several processes."""

import os

import numpy as np
import pytest

import mxnet as mx
from mxnet.kvstore.base import KVStoreBase, TestStore
from tests.distributed.ranks import run_ranks

SAMPLES, BATCH = 48, 8


def _symbol():
    data = mx.sym.Variable("data")
    hidden = mx.sym.Activation(mx.sym.FullyConnected(data, num_hidden=12, name="a"), act_type="tanh")
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(hidden, num_hidden=3, name="b"), name="softmax")


def _fit(store, **options):
    rank, size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    rng = np.random.RandomState(0)
    data, label = rng.normal(size=(SAMPLES, 5)).astype("float32"), rng.randint(3, size=SAMPLES)
    iterator = mx.io.NDArrayIter(data[rank::size], label[rank::size], BATCH // size)
    mx.random.seed(1)
    module = mx.mod.Module(_symbol(), **options)
    module.fit(
        iterator,
        num_epoch=2,
        kvstore=store,
        optimizer="adam",
        optimizer_params={"learning_rate": 0.05},
        initializer=mx.init.Xavier(),
    )
    return {name: array.asnumpy() for name, array in module.get_params()[0].items()}


@pytest.mark.parametrize("store", ["dist_sync", "dist_device_sync"])
@pytest.mark.parametrize("env", [{}, {"MXNET_UPDATE_ON_KVSTORE": "0"}], ids=["store updates", "workers update"])
def test_two_processes_fit_as_one(store, env):
    first, second = run_ranks(_fit, 2, store, env=env)
    for name, expected in _fit(None).items():
        np.testing.assert_array_equal(first[name], second[name])
        np.testing.assert_allclose(first[name], expected, rtol=1e-4, atol=1e-6)


def _fit_on_two_contexts():
    return _fit("dist_sync", context=[mx.cpu(0), mx.cpu(1)])


def test_two_processes_of_two_contexts():
    first, second = run_ranks(_fit_on_two_contexts, 2)
    for name, expected in _fit(None).items():
        np.testing.assert_array_equal(first[name], second[name])
        np.testing.assert_allclose(first[name], expected, rtol=1e-4, atol=1e-6)


def _fit_compressed():
    return _fit("dist_sync", compression_params={"type": "2bit", "threshold": 0.01})


def test_compressed_gradients():
    first, second = run_ranks(_fit_compressed, 2)
    for name, weight in first.items():
        np.testing.assert_array_equal(weight, second[name])
        assert np.isfinite(weight).all()


def _fit_async():
    return _fit("dist_async")


def test_workers_that_do_not_wait():
    for weights in run_ranks(_fit_async, 2):
        assert all(np.isfinite(weight).all() for weight in weights.values())


def test_stores_that_there_are_not():
    with pytest.raises(mx.MXNetError, match=r"\[kvstore\] received 'bogus'; expected one of device, dist"):
        _fit("bogus")
    with pytest.raises(mx.MXNetError, match=r"\[kvstore: 'dist_sync'\] this process is not one of several"):
        _fit("dist_sync")


def test_stores_of_ones_own(monkeypatch):
    made = []

    class Counting(TestStore):
        def __init__(self):
            made.append(self)
            self.num_sums = 0

        def init(self, key, value):
            self.values = {**getattr(self, "values", {}), key: value}

        def pushpull(self, key, value, out=None, priority=0):
            self.num_sums += 1
            super().pushpull(key, value, out, priority)

    monkeypatch.setattr(KVStoreBase, "kv_registry", {**KVStoreBase.kv_registry, "counting": Counting})
    for name, expected in _fit(None).items():
        np.testing.assert_allclose(_fit("counting")[name], expected, rtol=1e-6)
    assert made[0].num_sums == 2 * SAMPLES // BATCH * 4
