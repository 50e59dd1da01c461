"""Random generators: one for a device, seeded alone or together, apart from torch's own."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import mxnet as mx
from regluon import rng


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    monkeypatch.setattr(rng, "_generators", {})
    monkeypatch.setattr(rng, "_base_seed", None)


def draw(context=None):
    return torch.rand(4, generator=rng.generator(context or mx.cpu())).tolist()


def test_a_device_keeps_its_generator():
    assert rng.generator(mx.cpu(0)) is rng.generator(mx.cpu(1))
    assert draw() != draw()


def test_without_a_seed_every_start_differs():
    first = draw()
    rng._generators.clear()
    assert draw() != first


def test_one_seed_for_all():
    rng.seed_all(5)
    first = draw()
    rng.seed_all(5)
    assert draw() == first
    rng.seed_all(6)
    assert draw() != first


def test_a_seed_reaches_devices_that_appear_later():
    rng.seed_all(5)
    first = draw()
    rng._generators.clear()
    assert draw() == first


def test_one_seed_for_one_device():
    rng.seed_one(5, mx.cpu())
    first = draw()
    rng.seed_one(5, mx.cpu(1))
    assert draw() == first


@pytest.mark.parametrize("seed", [0, -1, 2**31, 2**63 - 1, 2**70])
def test_any_whole_number_is_a_seed(seed):
    rng.seed_all(seed)
    first = draw()
    rng.seed_all(seed)
    assert draw() == first
    rng.seed_one(seed, mx.cpu())
    assert len(draw()) == 4


def test_gpus_draw_different_numbers_under_one_seed():
    numbers = {rng._derived(5, torch.device("cuda", index)) for index in range(4)}
    assert len(numbers) == 4


def test_torch_keeps_its_own_state():
    torch.manual_seed(1)
    expected = torch.rand(3).tolist()
    torch.manual_seed(1)
    rng.seed_all(9)
    draw()
    assert torch.rand(3).tolist() == expected


def test_threads_make_one_generator():
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: rng.generator(mx.cpu()), range(64)))
    assert len({id(each) for each in found}) == 1


def test_states_before_the_first_number(monkeypatch):
    monkeypatch.setattr(rng, "_generators", {})
    monkeypatch.setattr(rng, "_base_seed", None)
    before = rng.states()
    assert list(before) == ["cpu"]
    first = draw()
    draw()
    rng.set_states(before)
    assert draw() == first
