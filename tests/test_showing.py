"""`repr` of what people look at: the call that makes such an object, without defaults."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, lr_scheduler, nd
from regluon.call_repr import call_text, changed_settings, value_text


@pytest.mark.parametrize(
    ("name", "settings", "text"),
    [
        ("sgd", {}, "SGD(learning_rate=0.01)"),
        (
            "sgd",
            {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-4},
            "SGD(learning_rate=0.1, momentum=0.9, wd=0.0001)",
        ),
        ("adam", {"beta1": 0.5, "clip_gradient": 1.0}, "Adam(learning_rate=0.001, beta1=0.5, clip_gradient=1)"),
        ("lamb", {"multi_precision": True}, "LAMB(learning_rate=0.001, multi_precision=True)"),
        (
            "nag",
            {"momentum": 0.5, "rescale_grad": 1 / 3},
            "NAG(learning_rate=0.01, momentum=0.5, rescale_grad=0.333333)",
        ),
    ],
)
def test_optimizers(name: str, settings: dict, text: str):
    assert repr(mx.optimizer.create(name, **settings)) == text


def test_every_optimizer_has_a_short_text():
    for kind in mx.optimizer.Optimizer.opt_registry.values():
        if not kind.__module__.startswith("mxnet.optimizer"):
            continue  # of tests, and wrappers of others
        text = repr(kind())
        assert text.startswith(f"{kind.__name__}(learning_rate="), text
        assert "\n" not in text


def test_a_schedule_stands_in_for_the_rate():
    schedule = lr_scheduler.CosineScheduler(100, base_lr=0.1, warmup_steps=5)
    assert repr(mx.optimizer.SGD(lr_scheduler=schedule)) == (
        "SGD(lr_scheduler=CosineScheduler(max_update=100, base_lr=0.1, warmup_steps=5))"
    )


def test_an_optimizer_of_ones_own_without_its_base():
    class Own(mx.optimizer.Optimizer):
        def __init__(self, strength: float = 1.0, **kwargs) -> None:
            super().__init__(**kwargs)
            self.strength = strength

    assert repr(Own(strength=2.0, learning_rate=0.5)) == "Own(learning_rate=0.5, strength=2)"


@pytest.mark.parametrize(
    ("schedule", "text"),
    [
        (lr_scheduler.FactorScheduler(100, 0.5), "FactorScheduler(step=100, factor=0.5)"),
        (lr_scheduler.MultiFactorScheduler([5, 9], 0.1), "MultiFactorScheduler(step=[5, 9], factor=0.1)"),
        (lr_scheduler.PolyScheduler(100, pwr=3), "PolyScheduler(max_update=100, pwr=3)"),
    ],
)
def test_schedules(schedule, text: str):
    assert repr(schedule) == text


def test_a_schedule_keeps_its_first_rate_or_shows_where_it_is():
    cosine, factor = lr_scheduler.CosineScheduler(100, 0.1), lr_scheduler.FactorScheduler(10, 0.5, base_lr=0.4)
    cosine(50), factor(15)
    assert repr(cosine) == "CosineScheduler(max_update=100, base_lr=0.1)"
    assert repr(factor) == "FactorScheduler(step=10, factor=0.5, base_lr=0.2)"


DATA = gluon.data.ArrayDataset(np.zeros((100, 3), "float32"), list(range(100)))


def test_datasets():
    assert repr(DATA) == "ArrayDataset(100x3, list, 100 samples)"
    assert repr(gluon.data.SimpleDataset([1, 2])) == "SimpleDataset(2 samples)"
    assert repr(DATA.take(7)) == "ArrayDataset(100x3, list, 100 samples).sample(7 samples)"
    assert repr(DATA.transform_first(str)) == "ArrayDataset(100x3, list, 100 samples).transform_first(str)"
    block = gluon.data.vision.transforms.Compose([gluon.data.vision.transforms.ToTensor()])
    assert repr(DATA.transform(block)).endswith(".transform(Compose)")

    class Unfinished(gluon.data.Dataset):
        pass

    assert repr(Unfinished()) == "Unfinished()"


def test_samplers():
    assert repr(gluon.data.SequentialSampler(10)) == "SequentialSampler(length=10)"
    assert repr(gluon.data.BatchSampler(gluon.data.RandomSampler(10), 4, "discard")) == (
        "BatchSampler(sampler=RandomSampler(length=10), batch_size=4, last_batch='discard')"
    )


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"batch_size": 32, "shuffle": True}, "batch_size=32, shuffle=True"),
        ({"batch_size": 32, "last_batch": "discard"}, "batch_size=32, last_batch='discard'"),
        ({"batch_size": 8, "num_workers": 1, "thread_pool": True}, "batch_size=8, num_workers=1, thread_pool=True"),
        (
            {"batch_size": 8, "sampler": gluon.data.SequentialSampler(9, start=3)},
            "batch_size=8, sampler=SequentialSampler(length=9, start=3)",
        ),
        (
            {"batch_sampler": gluon.contrib.data.IntervalSampler(10, 2)},
            "batch_sampler=IntervalSampler(length=10, interval=2)",
        ),
    ],
)
def test_loaders(settings: dict, text: str):
    assert repr(gluon.data.DataLoader(DATA, **settings)) == f"DataLoader({DATA!r}, {text})"


def test_iterators(tmp_path):
    arrays = mx.io.NDArrayIter(np.zeros((10, 3)), np.zeros(10), 4, shuffle=True, last_batch_handle="discard")
    text = (
        "NDArrayIter(data: 4x3, softmax_label: 4, batch_size=4, num_data=10, shuffle=True, last_batch_handle='discard')"
    )
    assert repr(arrays) == text
    assert repr(mx.io.ResizeIter(arrays, 2)) == f"ResizeIter({text}, size=2)"
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    path = str(tmp_path / "a.csv")
    read = mx.io.CSVIter(data_csv=path, data_shape=(2,), batch_size=1)
    assert repr(read) == f"CSVIter(data_csv={path!r}, data_shape=(2,), batch_size=1)"
    assert repr(mx.io.PrefetchingIter(read)) == f"PrefetchingIter({read!r})"
    assert repr(mx.io.DataIter(3)) == "DataIter(batch_size=3)"


def test_stores():
    assert repr(mx.kv.create("local")) == "<KVStore local>"
    store = mx.kv.create("teststore")
    assert repr(store) == "<KVStore teststore, rank 0 of 1>"


def test_values_are_short():
    assert value_text(1 / 3) == "0.333333"
    assert value_text(list(range(100))) == "[0, 1, 2, 3, 4, 5, 6, 7, ...]"
    assert value_text(np.zeros) == "zeros"
    assert call_text("f", "x", a=1, b="text") == "f(x, a=1, b='text')"


def test_settings_that_cannot_be_compared_are_shown():
    class Thing:
        def __init__(self, data=None, scale: float = 1.0) -> None:
            self._data, self.scale = data, scale

    assert changed_settings(Thing(scale=1)) == {}
    assert list(changed_settings(Thing(nd.zeros((2, 2))))) == ["data"]
