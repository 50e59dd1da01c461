"""Learning rate schedules."""

import json
from pathlib import Path

import pytest

from mxnet import lr_scheduler
from tools.oracle.record_optimizers import make_scheduler

RECORDED = json.loads((Path(__file__).parent / "fixtures" / "optimizers" / "schedules.json").read_text())


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda each: each["class"])
def test_like_mxnet(recorded: dict):
    scheduler = make_scheduler(lr_scheduler, {key: value for key, value in recorded.items() if key != "rates"})
    assert [scheduler(update) for update in range(len(recorded["rates"]))] == pytest.approx(
        recorded["rates"], rel=1e-12
    )


def test_catches_up_when_training_goes_on():
    assert lr_scheduler.FactorScheduler(10, 0.5, base_lr=1.0)(35) == 0.125
    assert lr_scheduler.MultiFactorScheduler([5, 10], 0.1, base_lr=1.0)(50) == pytest.approx(0.01)


def test_the_base_class_has_no_schedule():
    with pytest.raises(NotImplementedError, match=r"\[LRScheduler\] a scheduler must define __call__"):
        lr_scheduler.LRScheduler()(1)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda m: m.LRScheduler(warmup_steps=1.5), AssertionError, r"\[LRScheduler\] warmup_steps: received float"),
        (lambda m: m.LRScheduler(0.1, 2, 0.5), ValueError, "received warmup_begin_lr=0.5 and base_lr=0.1"),
        (lambda m: m.LRScheduler(warmup_steps=-1), ValueError, "warmup_steps: received -1; expected 0 or more"),
        (lambda m: m.LRScheduler(warmup_mode="slow"), ValueError, "warmup_mode: received 'slow'; expected one of"),
        (lambda m: m.FactorScheduler(0), ValueError, r"\[FactorScheduler\] step: received 0; expected at least 1"),
        (lambda m: m.FactorScheduler(1, 1.5), ValueError, "factor: received 1.5; expected at most 1"),
        (lambda m: m.MultiFactorScheduler((1, 2)), AssertionError, "expected a list of integers"),
        (lambda m: m.MultiFactorScheduler([]), AssertionError, "received an empty list"),
        (lambda m: m.MultiFactorScheduler([5, 5]), ValueError, r"step: received \[5, 5\]; expected rising numbers"),
        (lambda m: m.MultiFactorScheduler([0, 5]), ValueError, "expected numbers of at least 1"),
        (lambda m: m.PolyScheduler(0), ValueError, r"\[PolyScheduler\] max_update: received 0"),
        (lambda m: m.CosineScheduler(1.5), AssertionError, r"\[CosineScheduler\] max_update: received float"),
        (lambda m: m.FactorScheduler(1, warmup_steps=2).get_warmup_lr(2), AssertionError, "the warm-up ends after 2"),
    ],
)
def test_bad_settings_are_refused(make, error, text):
    with pytest.raises(error, match=text):
        make(lr_scheduler)


def test_a_mode_changed_later_is_refused():
    scheduler = lr_scheduler.FactorScheduler(1, warmup_steps=2)
    scheduler.warmup_mode = "odd"
    with pytest.raises(ValueError, match="warmup_mode: received 'odd'"):
        scheduler(1)
