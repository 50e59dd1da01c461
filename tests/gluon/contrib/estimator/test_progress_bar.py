"""Bars of epochs."""

import io
import logging
import sys
import types

import pytest

from mxnet.gluon.contrib.estimator import ProgressBarHandler
from mxnet.gluon.contrib.estimator._reports import _is_seen
from tests.gluon.contrib.estimator.runs import make_data, make_estimator


class Terminal(io.StringIO):
    def isatty(self):
        return True


def _shown(monkeypatch, stream, **given):
    monkeypatch.setattr(sys, "stderr", stream)
    estimator, _ = make_estimator()
    handler = ProgressBarHandler(**given)
    estimator.fit(make_data(), epochs=2, event_handlers=handler)
    assert handler._bar is None
    return stream.getvalue()


def test_bars_in_a_terminal(monkeypatch):
    text = _shown(monkeypatch, Terminal())
    assert "Epoch 1/2: 100%" in text
    assert "Epoch 2/2: 100%" in text
    assert "6/6" in text
    assert "accuracy=0." in text


def test_logs_stand_above_the_bar(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", terminal)
    estimator, _ = make_estimator()
    usual = logging.StreamHandler(terminal)
    estimator.logger.handlers[:] = [usual]
    estimator.fit(make_data(), val_data=make_data(), epochs=2, event_handlers=ProgressBarHandler())
    assert estimator.logger.handlers == [usual]
    lines = [line.rpartition("\r")[2] for line in terminal.getvalue().split("\n")]
    assert lines.count("Validation Begin") == 2
    assert sum("[Epoch 1] Finished" in line for line in lines) == sum(line.startswith("[Epoch 1] F") for line in lines)


def test_silence_elsewhere(monkeypatch):
    assert _shown(monkeypatch, io.StringIO()) == ""
    assert "Epoch 1/2" in _shown(monkeypatch, io.StringIO(), enabled=True, total=6)


def test_notebooks_count_as_seen(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    shell = types.SimpleNamespace(config={"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    assert _is_seen()
    shell.config.clear()
    assert not _is_seen()


def test_metrics_are_shown_beside(monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto").tqdm
    monkeypatch.setattr(tqdm, "monitor_interval", 0)
    estimator, _ = make_estimator()
    handler = ProgressBarHandler(enabled=True)
    monkeypatch.setattr(sys, "stderr", Terminal())
    handler.train_begin(estimator)
    handler.batch_begin(estimator)
    handler._bar.mininterval = 0
    handler.batch_end(estimator)
    assert "accuracy=nan" in handler._bar.postfix
    handler.release()


def test_a_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match=r"\[ProgressBarHandler\] needs the package tqdm: `pip install tqdm`"):
        _shown(monkeypatch, Terminal())
