"""Metrics as curves of TensorBoard."""

import sys
from types import SimpleNamespace

import pytest

import mxnet as mx
from mxnet.contrib.tensorboard import LogMetricsCallback


def param(epoch: int) -> SimpleNamespace:
    metric = mx.metric.Loss()
    metric.update(None, [mx.nd.array([epoch, epoch])])
    return SimpleNamespace(epoch=epoch, eval_metric=metric)


def test_event_files_without_a_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mxboard", None)
    callback = LogMetricsCallback(str(tmp_path), prefix="train")
    for epoch in range(3):
        callback(param(epoch))
    callback(SimpleNamespace(eval_metric=None))
    callback.summary_writer.close()
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("events.out.tfevents.")
    assert file.read_bytes().count(b"train-loss") == 3


def test_the_package_is_used_if_it_is_there(monkeypatch):
    written: list[tuple] = []
    writer = SimpleNamespace(add_scalar=lambda tag, value, global_step: written.append((tag, value, global_step)))
    monkeypatch.setitem(sys.modules, "mxboard", SimpleNamespace(SummaryWriter=lambda folder: writer))
    LogMetricsCallback("folder")(param(2))
    assert written == [("loss", pytest.approx(2.0), 2)]
