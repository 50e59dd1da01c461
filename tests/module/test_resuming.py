"""Trainings of modules that are killed at some batch, and end with the same bits as one that was not."""

import logging

import numpy as np
import pytest

import mxnet as mx


class Killed(Exception):
    """What ends a run in the middle."""


def _symbol(width=3):
    data = mx.sym.Variable("data")
    hidden = mx.sym.Activation(mx.sym.FullyConnected(data, num_hidden=8, name="a"), act_type="relu")
    hidden = mx.sym.Dropout(mx.sym.BatchNorm(hidden, name="bn", fix_gamma=False), p=0.5)
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(hidden, num_hidden=2, name="b"), name="softmax")


def _data(**given):
    values = np.random.RandomState(0)
    data = values.normal(size=(22, 3)).astype("float32")
    label = (data.sum(1) > 0).astype("float32")
    return mx.io.NDArrayIter(data, label, 4, shuffle=True, **given)


def _run(folder, at, every=1, handle="pad", contexts=1, seed=7, module=None, num_epoch=3, schedule=1, **given):
    mx.random.seed(seed)
    np.random.seed(1)  # iterators are made as they were
    data = _data(last_batch_handle=handle)
    if seed != 7:
        np.random.seed(seed)
    contexts = [mx.cpu(number) for number in range(contexts)]
    module = module(contexts) if module else mx.mod.Module(_symbol(), context=contexts)
    module.logger = logging.getLogger("quiet")
    arguments = {"learning_rate": 0.1, "lr_scheduler": mx.lr_scheduler.FactorScheduler(4, schedule, base_lr=0.1)}
    metric, seen = mx.metric.create(["acc", "ce"]), []

    def kill(param):
        np.random.rand()
        seen.append(param.nbatch)
        if len(seen) == at:
            raise Killed

    module.fit(
        data,
        eval_data=_data(),
        eval_metric=metric,
        validation_metric="acc",
        batch_end_callback=kill,
        initializer=mx.init.Xavier(),
        num_epoch=num_epoch,
        checkpoint=folder,
        every=every,
        **{"optimizer": "adam", "optimizer_params": arguments, **given},
    )
    found = {name: value.asnumpy() for values in module.get_params() for name, value in values.items()}
    return {**found, "metric": np.array(metric.get()[1])}, seen


def _check(folder, at, **given):
    whole, _ = _run(folder / "whole", -1, **given)
    with pytest.raises(Killed):
        _run(folder / "killed", at, **given)
    resumed, seen = _run(folder / "killed", -1, seed=99, **given)
    for name, value in whole.items():
        np.testing.assert_array_equal(resumed[name], value, err_msg=name)
    return seen


@pytest.mark.parametrize(("at", "first"), [(2, 1), (5, 4), (7, 0), (9, 2), (18, 5)])
def test_killed_at_any_batch(at, first, tmp_path):
    assert _check(tmp_path, at)[0] == first


def test_saved_every_few_batches(tmp_path):
    assert _check(tmp_path, 12, every=4)[0] == 2  # batch 8 of all is saved, the epoch's end at 12 is not reached


@pytest.mark.parametrize("handle", ["discard", "roll_over"])
def test_rests_of_the_data(handle, tmp_path):
    _check(tmp_path, 8, handle=handle)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize(("kvstore", "contexts"), [(None, 1), ("local", 2), ("device", 2)])
def test_contexts_and_stores(optimizer, kvstore, contexts, tmp_path):
    _check(tmp_path, 9, contexts=contexts, optimizer=optimizer, schedule=0.9, kvstore=kvstore)


def test_buckets(tmp_path):
    def make(contexts):
        return mx.mod.BucketingModule(
            lambda key: (_symbol(), ("data",), ("softmax_label",)), default_bucket_key=3, context=contexts
        )

    class Keyed(mx.io.NDArrayIter):
        def next(self):
            batch = super().next()
            batch.bucket_key, batch.provide_data, batch.provide_label = 3, self.provide_data, self.provide_label
            return batch

        @property
        def default_bucket_key(self):
            return 3

    original, mx.io.NDArrayIter = mx.io.NDArrayIter, Keyed
    try:
        _check(tmp_path, 9, module=make)
    finally:
        mx.io.NDArrayIter = original


def test_a_run_that_is_over_stays_so_and_a_longer_one_goes_on(tmp_path):
    whole, _ = _run(tmp_path / "whole", -1, num_epoch=4)
    _run(tmp_path / "short", -1, num_epoch=2)
    assert _run(tmp_path / "short", -1, num_epoch=2)[1] == []
    longer, seen = _run(tmp_path / "short", -1, num_epoch=4)
    assert len(seen) == 12
    for name, value in whole.items():
        np.testing.assert_array_equal(longer[name], value)


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match=r"\[Module.fit\] every: received 2 with checkpoint=None; expected at least 1"):
        _run(None, -1, every=2)
    net = mx.gluon.nn.Dense(2, in_units=3)
    net.initialize()
    mx.gluon.contrib.Checkpoint(tmp_path / "net", net).save()
    with pytest.raises(mx.MXNetError, match=r"in the network or in the checkpoint, not in both"):
        _run(tmp_path / "net", -1)

    def make(contexts):
        return mx.mod.SequentialModule().add(
            mx.mod.Module(_symbol(), context=contexts), take_labels=True, auto_wiring=True
        )

    with pytest.raises(mx.MXNetError, match=r"\[SequentialModule.fit\] checkpoint: this kind of module cannot be res"):
        _run(tmp_path / "sequence", -1, module=make)


def test_data_at_their_end():
    data = mx.io.NDArrayIter(mx.nd.ones((4, 2)), mx.nd.zeros(4), 2)
    list(data)
    module = mx.mod.Module(mx.sym.SoftmaxOutput(mx.sym.var("data"), name="softmax"))
    with pytest.raises(StopIteration, match=r"\[Module.fit\] train_data has no batch.*train_data\.reset\(\)"):
        module.fit(data, num_epoch=1)
