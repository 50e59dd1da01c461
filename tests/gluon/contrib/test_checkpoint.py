"""Checkpoints of whole training runs."""

import random
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from regluon.formats import states


def _run():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(8, in_units=4), gluon.nn.BatchNorm(in_channels=8), gluon.nn.Dropout(0.5))
    net.add(gluon.nn.Dense(1, in_units=8))
    net.initialize()
    net.hybridize()
    schedule = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)
    return net, gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": schedule})


def _steps(net, trainer, count):
    for _ in range(count):
        data = nd.random.normal(shape=(6, 4)) + np.random.normal() + random.random()
        with autograd.record():
            loss = net(data).square().sum()
        loss.backward()
        trainer.step(6)
    return [parameter.data().asnumpy() for parameter in net.collect_params().values()]


def test_a_run_goes_on_bit_by_bit(tmp_path: Path) -> None:
    mx.random.seed(1)
    np.random.seed(1)
    random.seed(1)
    net, trainer = _run()
    checkpoint = gluon.contrib.Checkpoint(tmp_path / "run", net, trainer)
    assert checkpoint.restore() is None
    _steps(net, trainer, 3)
    path = checkpoint.save(epoch=2, order=[3, 1], name="x")
    assert path == tmp_path / "run" / "checkpoint-00000001.params"
    expected = _steps(net, trainer, 4)
    mx.random.seed(7)
    other, its_trainer = _run()
    resumed = gluon.contrib.Checkpoint(tmp_path / "run", other, its_trainer)
    assert resumed.restore() == {"epoch": 2, "order": [3, 1], "name": "x"}
    for found, value in zip(_steps(other, its_trainer, 4), expected, strict=True):
        np.testing.assert_array_equal(found, value)
    assert its_trainer.learning_rate == trainer.learning_rate


def test_old_checkpoints_are_removed(tmp_path: Path) -> None:
    net, trainer = _run()
    _steps(net, trainer, 1)
    checkpoint = gluon.contrib.Checkpoint(tmp_path, net, trainer, keep=2)
    (tmp_path / "notes.txt").write_text("mine")
    for epoch in range(4):
        checkpoint.save(epoch=epoch)
    assert [path.name for path in checkpoint.files()] == ["checkpoint-00000003.params", "checkpoint-00000004.params"]
    assert checkpoint.restore() == {"epoch": 3}
    assert (tmp_path / "notes.txt").exists()


def test_a_network_alone(tmp_path: Path) -> None:
    net, _ = _run()
    gluon.contrib.Checkpoint(tmp_path, net).save()
    other, _ = _run()
    gluon.contrib.Checkpoint(tmp_path, other).restore()
    np.testing.assert_array_equal(net[0].weight.data().asnumpy(), other[0].weight.data().asnumpy())


def test_refusals(tmp_path: Path) -> None:
    net, _ = _run()
    with pytest.raises(ValueError, match=r"\[Checkpoint\] keep: received 0; expected at least 1"):
        gluon.contrib.Checkpoint(tmp_path, net, keep=0)
    checkpoint = gluon.contrib.Checkpoint(tmp_path, net)
    with pytest.raises(mx.MXNetError, match=r"\[Checkpoint.save\] progress/loss: received .*; expected numbers, texts"):
        checkpoint.save(loss=object())
    assert not checkpoint.files()
    checkpoint.save()
    other = gluon.nn.Dense(3, in_units=2)
    other.initialize()
    with pytest.raises(mx.MXNetError, match=r"0.bias, .* in the network or in the checkpoint, not in both"):
        gluon.contrib.Checkpoint(tmp_path, other).restore()
    nd.save(str(tmp_path / "checkpoint-00000009.params"), {"tree": nd.array([51], dtype="uint8")})
    with pytest.raises(mx.MXNetError, match=r"checkpoint-00000009.params is not a checkpoint of a version known here"):
        checkpoint.restore()


def test_files_of_the_first_version_are_read(tmp_path: Path) -> None:
    net, trainer = _run()
    _steps(net, trainer, 1)
    checkpoint = gluon.contrib.Checkpoint(tmp_path, net, trainer)
    path = checkpoint.save(epoch=3)
    tree = states.decode(path.read_bytes())
    drawn = [states.decode(np.asarray(each.data).tobytes())["random"] for each in tree.pop("ranks")]
    path.write_bytes(states.encode({**tree, "version": 1, "random": drawn}))
    expected = _steps(net, trainer, 2)
    assert checkpoint.restore() == {"epoch": 3}
    for found, value in zip(_steps(net, trainer, 2), expected, strict=True):
        np.testing.assert_array_equal(found, value)


def test_what_contexts_measure_is_kept_for_each(tmp_path: Path) -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = gluon.nn.BatchNorm(in_channels=2)
    net.initialize(ctx=contexts)
    for number, context in enumerate(contexts):
        with autograd.record():
            net(nd.random.normal(number, shape=(8, 2), ctx=context))
    expected = [array.asnumpy() for array in net.running_mean.list_data()]
    checkpoint = gluon.contrib.Checkpoint(tmp_path, net)
    checkpoint.save()
    net.running_mean.set_data(nd.zeros(2))
    checkpoint.restore()
    found = [array.asnumpy() for array in net.running_mean.list_data()]
    np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(*found)
