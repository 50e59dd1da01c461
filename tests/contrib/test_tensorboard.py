"""Metrics as curves of TensorBoard."""

import sys
from types import SimpleNamespace

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import mxnet as mx
from mxnet.contrib.tensorboard import LogMetricsCallback


def param(epoch: int) -> SimpleNamespace:
    metric = mx.metric.Loss()
    metric.update(None, [mx.nd.array([epoch, epoch])])
    return SimpleNamespace(epoch=epoch, eval_metric=metric)


def test_event_files(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mxboard", None)
    callback = LogMetricsCallback(tmp_path, prefix="train")
    for epoch in range(3):
        callback(param(epoch))
    callback(SimpleNamespace(eval_metric=None))
    found = EventAccumulator(str(tmp_path)).Reload().Scalars("train-loss")  # before it is closed
    callback.summary_writer.close()
    assert [(event.step, event.value) for event in found] == [(0, 0), (1, 1), (2, 2)]


def test_mxboard_is_used_if_it_is_there(monkeypatch):
    written: list[tuple] = []
    writer = SimpleNamespace(
        add_scalar=lambda tag, value, global_step: written.append((tag, value, global_step)), flush=lambda: None
    )
    monkeypatch.setitem(sys.modules, "mxboard", SimpleNamespace(SummaryWriter=lambda folder: writer))
    LogMetricsCallback("folder")(param(2))
    assert written == [("loss", pytest.approx(2.0), 2)]


def test_without_any_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mxboard", None)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ImportError, match=r"\[LogMetricsCallback\].*pip install 'regluon\[tensorboard\]'"):
        LogMetricsCallback(tmp_path)
