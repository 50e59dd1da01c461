"""Callbacks log the lines that they log in the real MXNet, to the byte, and save when it is time."""

import logging

import pytest

import mxnet as mx
from tests.module.recorded import check
from tools.oracle.module_programs import CALLBACKS


@pytest.mark.parametrize("name", CALLBACKS)
def test_program(name: str, tmp_path):
    check("callbacks", name, CALLBACKS[name], tmp_path)


def test_speed_of_no_time_at_all(monkeypatch, caplog):
    monkeypatch.setattr("mxnet.callback.time.time", lambda: 5.0)
    meter = mx.callback.Speedometer(8, frequent=1)
    with caplog.at_level(logging.INFO):
        for number in range(2):
            meter(mx.model.BatchEndParam(0, number, None, None))
    assert caplog.messages == ["Iter[0] Batch [1]\tSpeed: inf samples/sec"]


def test_evaluations_without_metric_are_silent(caplog):
    with caplog.at_level(logging.INFO):
        mx.callback.LogValidationMetricsCallback()(mx.model.BatchEndParam(0, 1, None, None))
        mx.callback.log_train_metric(1)(mx.model.BatchEndParam(0, 1, None, None))
    assert not caplog.messages
