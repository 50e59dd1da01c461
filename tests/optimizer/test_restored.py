"""Optimizers and schedulers in saved states are compared with their classes before they are used."""

import json
from collections.abc import Callable
from typing import Any, Optional

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.optimizer._updater import _fits
from regluon.formats import params
from tests.optimizer.registered import NAMES


def saved(optimizer) -> bytes:
    updater = mx.optimizer.get_updater(optimizer)
    updater(0, nd.ones((2, 3)), nd.ones((2, 3)))
    return updater.get_states(dump_optimizer=True)


def changed(data: bytes, change) -> bytes:
    """The states with another tree in them."""
    contents = params.read(data, "states", "test")
    tree = json.loads(contents.arrays[0].data.tobytes())
    entries = dict(tree["dict"])["optimizer"]["state"]["dict"]
    attributes = dict(entries)
    change(attributes)
    entries[:] = [[key, value] for key, value in attributes.items()]
    out = bytearray()

    class Stream:
        def write(self, chunk) -> None:
            out.extend(chunk)

    text = np.frombuffer(json.dumps(tree).encode(), np.uint8)
    params.write(Stream(), [text, *contents.arrays[1:]], contents.names, who="test")
    return bytes(out)


def load(data: bytes):
    updater = mx.optimizer.get_updater(mx.optimizer.create("sgd"))
    updater.set_states(data)
    updater(0, nd.ones((2, 3)), nd.ones((2, 3)))
    return updater.optimizer


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda state: state.pop("momentum"), r"the saved optimizer SGD is damaged: momentum is missing"),
        (lambda state: state.update(momentum="x"), r"momentum is 'x'; expected float"),
        (lambda state: state.update(wd=None), r"wd is None; expected float"),
        (lambda state: state.update(num_update="x"), r"num_update is 'x'; expected int"),
        (lambda state: state.update(num_update=1 << 62), r"num_update is 4611686018427387904; expected int"),
        (lambda state: state.update(lr="x"), r"lr is 'x'; expected float"),
        (lambda state: state.update(lr_mult={"dict": [["a", "x"]]}), r"lr_mult is .*; expected numbers by index or n"),
        (
            lambda state: state.update(_all_index_update_counts={"dict": [[0, {"dict": [[0, "x"]]}]]}),
            r"_all_index_update_counts is .*; expected counts of updates by device and index",
        ),
        (lambda state: state.pop("lr_scheduler"), r"lr_scheduler is missing"),
    ],
)
def test_damaged_optimizers(change, text: str):
    with pytest.raises(mx.MXNetError, match=text):
        load(changed(saved(mx.optimizer.create("sgd", momentum=0.9)), change))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        (
            "step",
            0,
            r"lr_scheduler FactorScheduler is damaged: \[FactorScheduler\] step: received 0; expected at least",
        ),
        ("step", "x", r"lr_scheduler FactorScheduler is damaged: step is 'x'; expected int"),
        ("factor", 7, r"lr_scheduler FactorScheduler is damaged: \[FactorScheduler\] factor: received 7"),
        ("count", None, r"count is None; expected int"),
        ("step", "gone", r"lr_scheduler FactorScheduler is damaged: step is missing"),
        ("warmup_mode", "gone", r"lr_scheduler FactorScheduler is damaged: warmup_mode is missing"),
    ],
)
def test_damaged_schedulers(name: str, value, text: str):
    def change(state) -> None:
        entries = state["lr_scheduler"]["state"]["dict"]
        kept = [[key, value if key == name else old] for key, old in entries]
        entries[:] = [each for each in kept if each[1] != "gone"]

    scheduler = mx.lr_scheduler.FactorScheduler(3, 0.5)
    with pytest.raises(mx.MXNetError, match=text):
        load(changed(saved(mx.optimizer.SGD(lr_scheduler=scheduler)), change))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("sgld", "test")])
def test_sound_ones_of_every_class_come_back(name: str):
    klass = mx.optimizer.Optimizer.opt_registry[name]
    scheduler = mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=0.1, warmup_steps=1, warmup_begin_lr=0.09)
    made = klass(learning_rate=0.1, lr_scheduler=scheduler, clip_gradient=1, wd=0, param_idx2name={0: "a_weight"})
    updater = mx.optimizer.get_updater(made)
    for _ in range(4):  # the rate falls below that of the warm-up
        updater(0, nd.ones((2, 3)), nd.ones((2, 3)))
    found = load(updater.get_states(dump_optimizer=True))
    assert type(found) is klass
    assert found.num_update == 5
    assert found.lr_scheduler.base_lr < 0.09


def test_a_class_of_a_user_is_left_to_them():
    @mx.optimizer.register
    class Mine(mx.optimizer.Optimizer):
        def __init__(self, needed, **kwargs):
            super().__init__(**kwargs)
            self.other = needed

        def update(self, index, weight, grad, state):
            pass

    try:
        assert load(saved(Mine(3))).other == 3
    finally:
        del mx.optimizer.Optimizer.opt_registry["mine"]


def test_settings_without_a_step():
    with pytest.raises(mx.MXNetError, match=r"\[Adam\] its settings give no step \(float division by zero\); received"):
        saved(mx.optimizer.create("adam", beta1=1.0))
    with pytest.raises(mx.MXNetError, match=r"\[Adam\] its settings give no step \(math domain error\)"):
        saved(mx.optimizer.create("adam", beta2=2.0))


def test_many_steps_at_once_take_no_time():
    scheduler = mx.lr_scheduler.FactorScheduler(1, 0.5, stop_factor_lr=1e-3, base_lr=1.0)
    assert scheduler(1 << 40) == 1e-3
    assert scheduler.count == (1 << 40) - 1
    assert scheduler((1 << 40) + 5) == 1e-3


def test_an_optimizer_that_needs_another_one(monkeypatch):
    """What its constructor takes is not saved: only what is declared is compared."""

    class Wrapping(mx.optimizer.SGD):
        def __init__(self, default_optimizer, momentum: float = 0.0, **kwargs):
            super().__init__(momentum=momentum, **kwargs)

    Wrapping.__module__ = "mxnet.contrib.test"
    monkeypatch.setitem(mx.optimizer.Optimizer.opt_registry, "wrapping", Wrapping)
    data = saved(Wrapping("sgd", momentum=0.5))
    assert load(data).momentum == 0.5
    with pytest.raises(mx.MXNetError, match=r"Wrapping is damaged: momentum is 'x'; expected float"):
        load(changed(data, lambda state: state.update(momentum="x")))


def test_states_of_another_optimizer():
    """Which states belong to which optimizer a file does not say: the step does."""
    updater = mx.optimizer.get_updater(mx.optimizer.create("adadelta"))
    updater.set_states(mx.optimizer.get_updater(mx.optimizer.create("sgd")).get_states())
    updater.states = {0: (nd.zeros((2, 3)),)}
    with pytest.raises(mx.MXNetError, match=r"\[adadelta\] received 1 states for each weight; expected 2"):
        updater(0, nd.ones((2, 3)), nd.ones((2, 3)))


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        (1, int | None, True),
        (None, Optional[int], True),  # noqa: UP045 - the old way to write it has another origin
        ("1", int | None, False),
        ([1, 2], list[int], True),
        ([1, "2"], list[int], False),
        ("name", dict[int, str] | None, False),
        ({0: "name"}, dict[int, str] | None, True),
        (None, dict[int, str] | None, True),
        ("any", Callable[[int], str], False),
        ("any", Any, True),
    ],
)
def test_values_and_annotations(value, annotation, expected):
    assert _fits(value, annotation) is expected
