"""Estimators in several processes: the same weights, one log, and stopping together."""

import os

import numpy as np

import mxnet as mx
from mxnet import gluon
from mxnet.contrib import hvd
from mxnet.gluon.contrib.estimator import (
    CheckpointHandler,
    EarlyStoppingHandler,
    EpochEnd,
    LearningRateFinder,
    ProgressBarHandler,
    TensorBoardHandler,
)
from mxnet.gluon.data import DataLoader, DistributedSampler
from tests.distributed.ranks import run_ranks
from tests.gluon.contrib.estimator.runs import assert_same, make_data, make_estimator, make_net, weights


class Different(mx.metric.EvalMetric):
    """A metric that rises on rank 1 and falls on rank 0, and falls in the mean."""

    def __init__(self):
        super().__init__("different")
        self._count = 0

    def update(self, labels, preds):
        pass

    def reset(self):
        self._count = getattr(self, "_count", 0) + 1

    def get(self):
        return self.name, float(self._count if int(os.environ["RANK"]) else -3 * self._count)


def _estimator(optimizer="sgd", batch_size=4, **given):
    mx.random.seed(4)
    net = make_net()
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1}, **given)
    return make_estimator(net, trainer=trainer)


def _data(batch_size):
    dataset = make_data(length=24)._dataset
    return DataLoader(dataset, batch_size, sampler=DistributedSampler(dataset, shuffle=False))


def _train(folder, store, accumulate, shard):
    estimator, text = _estimator("adam", kvstore=store, shard_optimizer=shard)
    handlers = [
        CheckpointHandler(f"{folder}/models", "m", estimator.train_metrics[1], save_best=True, mode="min"),
        TensorBoardHandler(f"{folder}/curves", histograms=True),
        ProgressBarHandler(enabled=True),
    ]
    estimator.fit(_data(2), epochs=2, event_handlers=handlers, accumulate=accumulate)
    best = handlers[0].best
    return weights(estimator.net), text.getvalue(), best


def _compare(folder, **given):
    given = {"store": "dist_sync", "accumulate": None, "shard": False, **given}
    results = run_ranks(_train, 2, folder, *given.values())
    alone, _ = _estimator("adam")
    alone.fit(make_data(4 * (given["accumulate"] or 1), length=24), epochs=2)
    for found, _, _ in results:
        assert_same(found, results[0][0])
        for mine, theirs in zip(found, weights(alone.net), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-5)
    return results


def test_two_processes_are_one_with_larger_batches(tmp_path):
    results = _compare(str(tmp_path))
    assert "Train finished" in results[0][1]
    assert results[1][1] == ""
    assert results[0][2] == results[1][2]
    names = sorted(path.name for path in (tmp_path / "models").iterdir())
    kinds = [
        f"m-{kind}.{suffix}" for kind in ("best", "epoch0batch6", "epoch1batch12") for suffix in ("params", "states")
    ]
    assert names == sorted([*kinds, "m-symbol.json"])
    assert len(list((tmp_path / "curves").iterdir())) == 1


def test_accumulated_gradients_and_sharded_states(tmp_path):
    _compare(str(tmp_path / "added"), accumulate=3)
    _compare(str(tmp_path / "sharded"), shard=True)


def _stop_early():
    estimator, text = _estimator(kvstore="dist_sync")
    metric = Different()
    estimator._train_metrics.append(metric)
    handler = EarlyStoppingHandler(metric, mode="max", patience=2)
    estimator.fit(_data(4), epochs=9, event_handlers=handler)
    return handler.current_epoch, handler.best, handler.stopped_epoch, text.getvalue().count("EarlyStopping")


def test_all_stop_together():
    # Seen from rank 1 alone the metric would rise for ever.
    assert run_ranks(_stop_early, 2) == [(3, -1.0, 2, 1), (3, -1.0, 2, 0)]


class _Stopping(EpochEnd):
    def __init__(self):
        self.count = 0

    def epoch_end(self, estimator, **kwargs):
        self.count += 1
        return self.count == 2 and os.environ["RANK"] == "1"


def _stop_by_one():
    estimator, _ = _estimator(kvstore="dist_sync")
    handler = _Stopping()
    estimator.fit(_data(4), epochs=5, event_handlers=handler)
    return handler.count


def test_one_process_stops_all_of_them():
    assert run_ranks(_stop_by_one, 2) == [2, 2]


def _find():
    estimator, _ = _estimator(kvstore="dist_sync")
    before = weights(estimator.net)
    found = LearningRateFinder(estimator).find(_data(4), steps=5)
    assert_same(weights(estimator.net), before)
    return found.rates, found.losses


def test_rates_are_found_together():
    first, second = run_ranks(_find, 2)
    assert first == second


def _other_store(store):
    if store is None:
        hvd.init()
        mx.random.seed(4)
        net = make_net()
        trainer = hvd.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        estimator, _ = make_estimator(net, trainer=trainer)
    else:
        estimator, _ = _estimator(kvstore=mx.kv.create(store[:-1]) if store.endswith("!") else store)
    estimator.fit(_data(4), epochs=2)
    return weights(estimator.net)


def test_other_stores():
    expected = run_ranks(_other_store, 2, "dist_sync")
    for store in (None, "horovod", "dist_sync!"):
        for found, mine in zip(run_ranks(_other_store, 2, store), expected, strict=True):
            assert_same(found, mine)
    for found in run_ranks(_other_store, 2, "dist_async"):
        assert all(np.isfinite(each).all() for each in found)
