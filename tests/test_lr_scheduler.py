"""Learning rate schedules."""

import json
from pathlib import Path

import pytest
import torch

from mxnet import lr_scheduler, optimizer
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


def test_one_cycle_is_that_of_torch():
    parameter = torch.nn.Parameter(torch.zeros(1))
    sgd = torch.optim.SGD([parameter], 0.1)
    # Torch counts steps from 0 to total_steps - 1, and rises for the first part of total_steps less one.
    theirs = torch.optim.lr_scheduler.OneCycleLR(sgd, 0.4, total_steps=41, pct_start=(0.3 * 40 + 1) / 41)
    mine = lr_scheduler.OneCycleScheduler(40, 0.4, pct_start=0.3)
    for update in range(41):
        assert mine(update) == pytest.approx(sgd.param_groups[0]["lr"], rel=1e-9)
        if update < 40:
            sgd.step()
            theirs.step()
    assert mine(1000) == mine(40) == pytest.approx(0.4 / 25 / 1e4)


def test_one_cycle_after_a_warmup():
    scheduler = lr_scheduler.OneCycleScheduler(20, 1.0, 0.5, 10, 100, warmup_steps=4, warmup_begin_lr=0.02)
    assert [scheduler(update) for update in range(5)] == pytest.approx([0.02, 0.04, 0.06, 0.08, 0.1])
    assert scheduler(12) == pytest.approx(1.0)
    assert scheduler(20) == pytest.approx(0.001)
    constant = lr_scheduler.OneCycleScheduler(20, 1.0, warmup_steps=4, warmup_begin_lr=0.02, warmup_mode="constant")
    assert constant(3) == 0.02
    with pytest.raises(AssertionError, match=r"the warm-up ends after 4"):
        scheduler.get_warmup_lr(4)


def test_one_cycle_follows_the_rate_of_its_optimizer_and_is_saved_with_it():
    schedule = lr_scheduler.OneCycleScheduler(10, 0.1)
    updater = optimizer.get_updater(optimizer.SGD(learning_rate=0.5, lr_scheduler=schedule))
    assert schedule(3) == pytest.approx(0.5)
    updater.set_states(updater.get_states(dump_optimizer=True))
    restored = updater.optimizer.lr_scheduler
    assert restored is not schedule
    assert [restored(update) for update in range(12)] == [schedule(update) for update in range(12)]


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"max_update": 0}, ValueError, r"\[OneCycleScheduler\] max_update: received 0"),
        ({"max_update": 9, "pct_start": 1}, ValueError, r"pct_start: received 1; expected a part, between 0 and 1"),
        ({"max_update": 9, "div_factor": 0.5}, ValueError, r"div_factor=0.5 and final_div_factor=10000.0; expected at"),
        ({"max_update": 9, "warmup_steps": 9}, ValueError, r"max_update=9 and warmup_steps=9; expected updates after"),
    ],
)
def test_bad_cycles_are_refused(given, error, text):
    with pytest.raises(error, match=text):
        lr_scheduler.OneCycleScheduler(**given)
