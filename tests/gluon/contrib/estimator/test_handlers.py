"""Handlers: checkpoints, early stopping, validation."""

import math

import pytest

import mxnet as mx
from mxnet.gluon.contrib.estimator import (
    CheckpointHandler,
    EarlyStoppingHandler,
    LoggingHandler,
    StoppingHandler,
    ValidationHandler,
)
from tests.gluon.contrib.estimator.runs import assert_same, make_data, make_estimator, make_net, weights


class Scripted(mx.metric.EvalMetric):
    """A metric with given values, one after the other."""

    def __init__(self, values, name="scripted"):
        super().__init__(name)
        self._values = iter(values)

    def update(self, labels, preds):
        pass

    def get(self):
        return self.name, next(self._values, math.nan)


@pytest.mark.parametrize(
    ("values", "given", "stopped"),
    [
        ([1, 2, 2, 3], {"mode": "max"}, 2),
        ([3, 2, 1, 1], {"mode": "min"}, 3),
        ([1, 2, 2.05, 2.1], {"mode": "max", "min_delta": 0.1, "patience": 2}, 3),
        ([1, 2], {"mode": "max", "baseline": 5, "patience": 2}, 1),
    ],
)
def test_early_stopping_by_values(values, given, stopped):
    handler = EarlyStoppingHandler(Scripted([]), **given)
    handler.monitor = Scripted(values)
    handler.train_begin(None)
    ended = [handler.epoch_end(None) for _ in values]
    assert handler.stop_training == any(ended)
    assert handler.stopped_epoch == stopped


def test_auto_mode_tells_by_the_name():
    with pytest.warns(UserWarning, match="`greater` operator will be used to determine if accuracy has improved"):
        assert EarlyStoppingHandler(mx.metric.Accuracy()).monitor_op(2, 1)
    with pytest.warns(UserWarning, match="`less` operator will be used to determine if loss has improved"):
        assert EarlyStoppingHandler(mx.metric.Loss()).monitor_op(1, 2)
    with pytest.warns() as found:
        EarlyStoppingHandler(mx.metric.Loss(), mode="best")
    assert "EarlyStopping mode best is unknown, fallback to auto mode" in str(found[0].message)


def test_metrics_that_nobody_updates_warn(tmp_path):
    handler = EarlyStoppingHandler(mx.metric.Loss(), mode="min")
    with pytest.warns(RuntimeWarning, match="loss is not updated"):
        handler.epoch_end(None)
    estimator, _ = make_estimator()
    saving = CheckpointHandler(tmp_path, monitor=mx.metric.Loss(), save_best=True, mode="min")
    with pytest.warns(RuntimeWarning, match="skipping save best because loss is not updated"):
        estimator.fit(make_data(), epochs=1, event_handlers=saving)


def test_the_best_checkpoint_has_the_best_parameters(tmp_path):
    estimator, _ = make_estimator()
    handler = CheckpointHandler(tmp_path, "m", estimator.train_metrics[1], save_best=True, mode="min")
    estimator.fit(make_data(), epochs=3, event_handlers=handler)
    last = make_net()
    last.load_parameters(str(tmp_path / "m-best.params"))
    assert_same(weights(last), weights(estimator.net))
    assert handler.best == estimator.train_metrics[1].get()[1]


def test_a_folder_of_checkpoints_is_gone_on_with(tmp_path):
    mx.random.seed(1)
    whole, _ = make_estimator(optimizer="adam")
    whole.fit(make_data(), epochs=4)
    mx.random.seed(1)
    first, _ = make_estimator(optimizer="adam")
    first.fit(make_data(), epochs=2, event_handlers=CheckpointHandler(tmp_path, "m"))
    second, text = make_estimator(optimizer="adam")
    second.fit(make_data(), epochs=4, event_handlers=CheckpointHandler(tmp_path, "m", resume_from_checkpoint=True))
    assert_same(weights(second.net), weights(whole.net))
    assert second.max_epoch == 2
    assert "Checkpoint resumed from epoch 1 batch 12, continue to train for 2 epochs" in text.getvalue()
    assert (tmp_path / "m-epoch3batch24.params").exists()
    with pytest.raises(ValueError, match=r"m-epoch3batch24 in .* has reached the 4 epochs already: there is nothing"):
        second.fit(make_data(), epochs=4, event_handlers=CheckpointHandler(tmp_path, "m", resume_from_checkpoint=True))
    (tmp_path / "m-epoch3batch24.states").unlink()
    with pytest.raises(AssertionError, match=r"cannot resume: .*m-epoch3batch24.states does not exist"):
        second.fit(make_data(), epochs=9, event_handlers=CheckpointHandler(tmp_path, "m", resume_from_checkpoint=True))


def test_only_prefixes_of_whole_names_are_removed(tmp_path):
    estimator, _ = make_estimator()
    estimator.fit(
        make_data(), batches=12, event_handlers=CheckpointHandler(tmp_path, epoch_period=None, batch_period=1)
    )
    kept = sorted(path.name for path in tmp_path.glob("*.params"))
    assert kept == sorted(f"model-epoch1batch{batch}.params" for batch in range(7, 12))


def test_validation_every_few_batches():
    estimator, text = make_estimator()
    handler = ValidationHandler(make_data(), estimator.evaluate, epoch_period=None, batch_period=3)
    estimator.fit(make_data(), epochs=2, event_handlers=handler)
    assert text.getvalue().count("Validation Begin") == 4
    assert (handler.current_batch, handler.current_epoch) == (12, 2)


def test_stopping_handlers_of_programs_count_too():
    estimator, _ = make_estimator()
    stopping = StoppingHandler()
    estimator.fit(make_data(), batches=8, event_handlers=stopping)
    assert (stopping.current_batch, stopping.current_epoch) == (8, 2)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda folder: EarlyStoppingHandler("acc"), ValueError, r"monitor: received str; expected one of the metrics"),
        (
            lambda folder: EarlyStoppingHandler(mx.metric.create(["acc", "f1"])),
            *(ValueError, "received a CompositeEvalMetric; expected a single metric"),
        ),
        (
            lambda folder: CheckpointHandler(folder, save_best=True),
            *(ValueError, "save_best=True with monitor=None; expected one of the metrics"),
        ),
        (
            lambda folder: LoggingHandler("batch"),
            ValueError,
            "log_interval: received 'batch'; expected a number of batc",
        ),
        (
            lambda folder: make_estimator()[0].fit(
                make_data(), batches=2, event_handlers=CheckpointHandler(folder, resume_from_checkpoint=True)
            ),
            *(AssertionError, "in a fit by batches; expected the batch_period only. Set epoch_period=None"),
        ),
    ],
)
def test_refusals(make, error, text, tmp_path):
    with pytest.raises(error, match=text):
        make(tmp_path)


def test_odd_names_among_checkpoints_are_refused(tmp_path):
    (tmp_path / "model-epochxbatch3.params").touch()
    with pytest.raises(ValueError, match=r"model-epochxbatch3.params: expected the name of a checkpoint"):
        make_estimator()[0].fit(
            make_data(), epochs=2, event_handlers=CheckpointHandler(tmp_path, resume_from_checkpoint=True)
        )
