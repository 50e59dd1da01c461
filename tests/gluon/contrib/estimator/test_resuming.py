"""Trainings that are killed at some batch, and end with the same bits as one that was not."""

import os
import random

import numpy as np
import pytest

import mxnet as mx
import regluon.rng
from mxnet import gluon, nd
from mxnet.gluon.contrib import Checkpoint
from mxnet.gluon.contrib._training_state import metric_state, set_metric_state
from mxnet.gluon.contrib.estimator import (
    BatchEnd,
    CheckpointHandler,
    EarlyStoppingHandler,
    EpochBegin,
    LoggingHandler,
    TensorBoardHandler,
)
from mxnet.gluon.data import ArrayDataset, DataLoader, DistributedSampler
from regluon.formats.states import decode, encode
from tests.distributed.ranks import run_ranks, start_ranks
from tests.gluon.contrib.estimator.runs import assert_same, make_data, make_estimator, make_net, weights

NUM_EPOCHS, NUM_BATCHES = 3, 6


class Killed(Exception):
    """What ends a run in the middle."""


class Killing(BatchEnd, EpochBegin):
    """Ends the process, or the run, after a number of batches; draws random numbers like some programs do."""

    priority = -3000  # before the weights move

    def __init__(self, at, dies=False):
        self.left, self.dies = at, dies

    def epoch_begin(self, estimator, **kwargs):
        random.random()

    def batch_end(self, estimator, **kwargs):
        np.random.rand()
        if self.left == 0:
            if self.dies:
                os._exit(9)
            raise Killed
        self.left -= 1


def _data(kind):
    if kind == "workers":
        return make_data(shuffle=True, num_workers=1, thread_pool=True)
    if kind == "auto_reload":
        return make_data(shuffle=True, num_workers=1, thread_pool=True, auto_reload=True)
    if kind == "rollover":
        return make_data(shuffle=True, last_batch="rollover")
    if kind == "augmented":
        loader = make_data(shuffle=True)
        moved = loader._dataset.transform_first(lambda x: x + np.float32(np.random.normal() * 0.1))
        return DataLoader(moved, 4, shuffle=True)
    if kind == "sampler":
        dataset = make_data()._dataset
        return DataLoader(dataset, 4, sampler=DistributedSampler(dataset, seed=3, rank=0, num_workers=1))
    return make_data(shuffle=True)


def _run(folder, at, kind="plain", metrics=None, every=1, handlers=(), seed=11, **given):
    mx.random.seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    net = make_net(0.5)
    schedule = mx.lr_scheduler.OneCycleScheduler(NUM_EPOCHS * NUM_BATCHES, base_lr=0.1)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": schedule, "learning_rate": 0.1})
    estimator, text = make_estimator(net, trainer=trainer, metrics=metrics)
    own = [make(estimator) for make in handlers]
    arguments = {"epochs": NUM_EPOCHS, "event_handlers": [Killing(at), *own], "val_data": make_data(), **given}
    data = _data(kind)
    for _ in data:  # programs look at their data
        break
    estimator.fit(data, checkpoint=folder, every=every, **arguments)
    values = [metric.get()[1] for metric in (*estimator.train_metrics, *estimator.val_metrics)]
    return [*weights(net), values], text.getvalue()


def _killed_and_resumed(folder, at, **given):
    with pytest.raises(Killed):
        _run(folder, at, **given)
    return _run(folder, -1, seed=99, **given)[0]


@pytest.mark.parametrize("at", [0, 1, 4, 5, 6, 9, 17])
@pytest.mark.parametrize("every", [1, 4, None])
@pytest.mark.sample(one_in=5)
def test_killed_at_any_batch(at, every, tmp_path):
    whole = _run(tmp_path / "whole", -1, every=every)[0]
    is_saved = at >= (every or NUM_BATCHES)  # else nothing is there yet, and a run with another seed is another run
    same = zip(_killed_and_resumed(tmp_path / "killed", at, every=every), whole, strict=True)
    assert all(np.array_equal(mine, theirs) for mine, theirs in same) is is_saved


@pytest.mark.parametrize("kind", ["workers", "auto_reload", "rollover", "augmented", "sampler"])
def test_orders_of_data(kind, tmp_path):
    whole = _run(tmp_path / "whole", -1, kind)[0]
    assert_same(_killed_and_resumed(tmp_path / "killed", 9, kind=kind), whole)


@pytest.mark.parametrize("name", ["acc", "f1", "mcc", "ce", "pcc", ["acc", "f1"]])
def test_metrics_go_on(name, tmp_path):
    whole = _run(tmp_path / "whole", -1, metrics=mx.metric.create(name), val_data=None)[0]
    with pytest.raises(Killed):
        _run(tmp_path / "killed", 9, metrics=mx.metric.create(name), val_data=None)
    assert_same(_run(tmp_path / "killed", -1, metrics=mx.metric.create(name), val_data=None, seed=99)[0], whole)


def test_states_of_metrics_are_kept_bit_by_bit():
    values = np.random.RandomState(0)
    for name, make in (("pearsonr", mx.metric.PearsonCorrelation), ("macro", lambda: mx.metric.F1(average="macro"))):
        metrics = [make(), make()]
        batches = [(nd.array(values.randint(0, 2, 8)), nd.array(values.uniform(size=(8, 2)))) for _ in range(4)]
        for number, (label, pred) in enumerate(batches):
            pred = pred if name == "macro" else pred[:, 0]
            metrics[0].update([label], [pred])
            if number > 1:
                metrics[1].update([label], [pred])
            else:
                set_metric_state(metrics[1], decode(encode(metric_state(metrics[0]))))
        assert metrics[0].get() == metrics[1].get()


def test_added_gradients_are_not_cut(tmp_path):
    whole = _run(tmp_path / "whole", -1, accumulate=4)[0]
    assert_same(_killed_and_resumed(tmp_path / "killed", 9, accumulate=4), whole)


def test_handlers_go_on(tmp_path):
    handlers = (
        lambda est: EarlyStoppingHandler(est.val_metrics[1], mode="max", patience=2, baseline=1e9),
        lambda est: CheckpointHandler(tmp_path / "models", "m", est.val_metrics[1], save_best=True, mode="min"),
        lambda est: LoggingHandler(3, est.train_metrics),
        lambda est: TensorBoardHandler(tmp_path / "curves"),
    )
    whole, text = _run(tmp_path / "whole", -1, handlers=handlers)
    files = sorted(path.name for path in (tmp_path / "models").iterdir())
    for path in (tmp_path / "models").iterdir():
        path.unlink()
    assert_same(_killed_and_resumed(tmp_path / "killed", 8, handlers=handlers), whole)
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == files
    assert "EarlyStoppingHanlder: early stopping" in text


def test_a_run_that_is_over_stays_so_and_a_longer_one_goes_on(tmp_path):
    whole = _run(tmp_path / "whole", -1, epochs=5)[0]
    short = _run(tmp_path / "short", -1)[0]
    again, text = _run(tmp_path / "short", -1)
    assert_same(again[:-1], short[:-1])
    assert "Training resumed at epoch 3, batch 0" in text
    assert_same(_run(tmp_path / "short", -1, epochs=5)[0], whole)


def test_processes_that_have_drawn_no_number_when_training_begins(tmp_path, monkeypatch):
    """Layers that do not know their inputs draw their weights at the first batch, after its place was drawn."""

    def run(folder, at, seed):
        monkeypatch.setattr(regluon.rng, "_generators", {})
        mx.random.seed(seed)
        net = gluon.nn.Dense(2, prefix="net_")
        net.initialize(mx.init.Xavier())
        estimator, _ = make_estimator(net)
        estimator.fit(make_data(shuffle=True), epochs=1, checkpoint=folder, every=1, event_handlers=Killing(at))
        return weights(net)

    whole = run(tmp_path / "whole", -1, 1)
    with pytest.raises(Killed):
        run(tmp_path / "killed", 3, 1)
    assert_same(run(tmp_path / "killed", -1, 99), whole)


def test_by_batches(tmp_path):
    whole = _run(tmp_path / "whole", -1, epochs=None, batches=10)[0]
    assert_same(_killed_and_resumed(tmp_path / "killed", 8, epochs=None, batches=10), whole)


def _ranks(folder, at):
    rank = int(os.environ["RANK"])
    mx.random.seed(5 + rank)
    net = make_net(0.5)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1}, kvstore="dist_sync")
    estimator, text = make_estimator(net, trainer=trainer)
    dataset = make_data(length=40)._dataset
    data = DataLoader(dataset, 4, sampler=DistributedSampler(dataset, seed=3))
    killing = Killing(at if rank == 1 else -1, dies=True)
    estimator.fit(data, epochs=3, checkpoint=folder, every=2, event_handlers=killing)
    return weights(net), text.getvalue()


def test_a_killed_rank(tmp_path):
    whole = run_ranks(_ranks, 2, str(tmp_path / "whole"), -1)
    killed = start_ranks(_ranks, 2, str(tmp_path / "killed"), 8, env={"MXNET_KVSTORE_TIMEOUT": "5"}).outcomes()
    assert killed[1].exitcode == 9
    assert killed[0].error
    resumed = run_ranks(_ranks, 2, str(tmp_path / "killed"), -1)
    assert "Training resumed at epoch 1, batch 3" in resumed[0][1]
    for found, expected in zip(resumed, whole, strict=True):
        assert_same(found[0], expected[0])


def test_refusals(tmp_path):
    estimator, _ = make_estimator()
    with pytest.raises(TypeError, match=r"checkpoint: received int; expected a gluon.contrib.Checkpoint or the name"):
        estimator.fit(make_data(), epochs=1, checkpoint=3)
    with pytest.raises(ValueError, match=r"every: received 2 with checkpoint=None; expected at least 1, and a"):
        estimator.fit(make_data(), epochs=1, every=2)
    handler = CheckpointHandler(tmp_path / "models", resume_from_checkpoint=True)
    with pytest.raises(ValueError, match=r"received a checkpoint and a CheckpointHandler with resume_from_checkpoint"):
        estimator.fit(make_data(), epochs=1, checkpoint=tmp_path, event_handlers=handler)
    estimator.evaluate(make_data())
    checkpoint = Checkpoint(tmp_path, estimator.net, estimator.trainer)
    checkpoint.save(epoch=3)
    with pytest.raises(
        ValueError, match=r"received one that Checkpoint.save wrote \(\{'epoch': 3\}\); expected one of"
    ):
        estimator.fit(make_data(), epochs=1, checkpoint=checkpoint)


def test_arrays_are_read_from_their_dataset(tmp_path):
    """A Checkpoint of the program's own, that keeps more files."""
    estimator, _ = make_estimator()
    checkpoint = Checkpoint(tmp_path, estimator.net, estimator.trainer, keep=3)
    samples = ArrayDataset(np.ones((6, 3), "float32"), np.ones(6, "float32"))
    estimator.fit(DataLoader(samples, 2), epochs=2, checkpoint=checkpoint, every=1)
    assert len(checkpoint.files()) == 3
    assert checkpoint.restore() == {"epoch": 2, "batch": 0}
