"""Optimizers that programs derive from ours are called as MXNet calls them, through every way to reach an optimizer."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tools.oracle.record_subclasses import cases, run

FIXTURE = Path(__file__).parents[1] / "fixtures" / "optimizers" / "subclasses.json"
FACTS: list[dict[str, Any]] = json.loads(FIXTURE.read_text())
LOOSE = {"mixed": (2e-3, 1e-3)}


def test_fixtures_are_of_these_calls() -> None:
    assert [tuple(fact["case"]) for fact in FACTS[1:]] == list(cases())


def test_how_many_weights_a_call_is_about() -> None:
    assert {name: getattr(mx.optimizer, name)().aggregate_num for name in FACTS[0]["aggregate_num"]} == FACTS[0][
        "aggregate_num"
    ]


@pytest.mark.parametrize("fact", FACTS[1:], ids=lambda fact: "-".join(fact["case"]))
@pytest.mark.sample(one_in=4)
def test_called_as_by_mxnet(fact: dict[str, Any]) -> None:
    _, _, route = fact["case"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rescale_grad and float16, as there
        found = run(mx, *fact["case"])
    assert found["log"] == fact["log"]
    assert (found["num_update"], found["counts"]) == (fact["num_update"], fact["counts"])
    rtol, atol = LOOSE.get(route, (2e-5, 2e-6))
    for mine, theirs in zip(found["weights"], fact["weights"], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=atol)


# When all weights may move in one call, and when not.


def moves(optimizer: Any, count: int = 5, weights: Any = None, indices: Any = None) -> tuple[int, list[Any]]:
    """How many times the rule ran in one step, and the weights after two."""
    calls: list[int] = []
    move = optimizer._move_weights
    optimizer._move_weights = lambda *arguments: (calls.append(1), move(*arguments))
    weights = weights or [mx.nd.ones((2,)) * (i + 1) for i in range(count)]
    updater = mx.optimizer.get_updater(optimizer)
    for _ in range(2):
        updater(indices or list(range(len(weights))), [weight * 0 + 1 for weight in weights], weights)
    return len(calls) // 2, [weight.asnumpy().tolist() for weight in weights]


@pytest.mark.parametrize("name", ["SGD", "NAG", "Adam", "RMSProp", "AdaGrad", "LAMB", "Nadam"])
def test_one_call_for_all_weights(name: str) -> None:
    class Mine(getattr(mx.optimizer, name)):  # type: ignore[misc]
        def set_learning_rate(self, lr: float) -> None:
            super().set_learning_rate(lr)

    assert moves(getattr(mx.optimizer, name)())[0] == 1
    assert moves(Mine())[0] == 1


def test_methods_put_into_an_object_or_into_our_class(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = mx.optimizer.Adam(learning_rate=0.1)
    rates._get_lr = lambda index: 0.0
    assert moves(rates) == (5, [[i, i] for i in range(1, 6)])
    monkeypatch.setattr(mx.optimizer.Adam, "_get_lr", lambda self, index: 0.0)
    assert moves(mx.optimizer.Adam(learning_rate=0.1)) == (5, [[i, i] for i in range(1, 6)])
    monkeypatch.undo()
    assert moves(mx.optimizer.Adam(learning_rate=0.1))[0] == 1


def test_a_method_that_is_replaced_while_training() -> None:
    optimizer = mx.optimizer.Adam(learning_rate=0.1)
    updater = mx.optimizer.get_updater(optimizer)
    weights, grads = (mx.nd.ones((2,)), mx.nd.ones((2,))), (mx.nd.ones((2,)), mx.nd.ones((2,)))
    indices = (0, 1)
    for _ in range(2):
        updater(indices, grads, weights)
    before = weights[0].asnumpy().tolist()
    optimizer._get_lr = lambda index: 0.0
    updater(indices, grads, weights)
    assert weights[0].asnumpy().tolist() == before


def test_attributes_with_names_that_we_might_use() -> None:
    class Mine(mx.optimizer.Adam):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self._step, self._betas, self._counts, self._common = 3, (0.5, 0.5), {}, None

    assert moves(Mine(learning_rate=0.1)) == moves(mx.optimizer.Adam(learning_rate=0.1))


@pytest.mark.parametrize("indices", [[0, 0], [0, 1]])
def test_one_weight_given_twice_moves_twice(indices: list[int]) -> None:
    weight = mx.nd.zeros((1,))
    assert moves(mx.optimizer.NAG(learning_rate=1.0), weights=[weight, weight], indices=indices) == (2, [[-4.0]] * 2)


def test_states_of_different_kinds() -> None:
    optimizer = mx.optimizer.NAG(learning_rate=1.0, momentum=0.5)
    updater = mx.optimizer.get_updater(optimizer)
    updater.states = {0: None, 1: mx.nd.ones((1,))}
    updater.states_synced = {0: True, 1: True}
    weights = [mx.nd.zeros((1,)), mx.nd.zeros((1,))]
    updater([0, 1], [mx.nd.ones((1,))] * 2, weights)
    assert [weight.asscalar() for weight in weights] == [-1.0, pytest.approx(-1.25)]


def test_lists_that_a_program_changes_in_place() -> None:
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=1.0, momentum=0.5))
    indices, grads, weights = [0], [mx.nd.ones((1,))], [mx.nd.zeros((1,))]
    updater(indices, grads, weights)
    indices[0], weights[0] = 1, mx.nd.zeros((1,))
    updater(indices, grads, weights)
    assert weights[0].asscalar() == -1.0
    assert sorted(updater.states) == [0, 1]


def test_aggregation_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_OPTIMIZER_AGGREGATION_SIZE", "60")
    sizes = [mx.optimizer.create(name).aggregate_num for name in ("sgd", "lars", "lamb", "adam")]
    assert sizes == [60, 60, 45, 0]
    monkeypatch.setenv("MXNET_OPTIMIZER_AGGREGATION_SIZE", "0")
    assert [mx.optimizer.create(name).aggregate_num for name in ("sgd", "lamb")] == [0, 1]
    assert moves(mx.optimizer.SGD(learning_rate=1.0))[1][0] == [-1.0, -1.0]


@pytest.mark.parametrize("make", [mx.np.array, mx.nd.array])
def test_updates_receive_arrays_of_mx_nd(make: Any) -> None:
    """A program's optimizer is written with operators of `mx.nd`, also for networks of `mx.np`."""
    kinds = []

    class Mine(mx.optimizer.Optimizer):
        def create_state(self, index: Any, weight: Any) -> Any:
            kinds.append(type(weight))

        def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
            kinds.extend((type(weight), type(grad)))
            weight[:] = mx.nd.elemwise_add(weight, grad)

    weight = make([1.0, 2.0])
    mx.optimizer.get_updater(Mine())(0, make([1.0, 1.0]), weight)
    assert kinds == [mx.nd.NDArray] * 3
    assert weight.asnumpy().tolist() == [2.0, 3.0]


def test_schedulers_that_may_be_asked_once_for_all_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    schedulers = mx.lr_scheduler

    class Mine(schedulers.OneCycleScheduler):
        pass

    asked: list[int] = []
    answer = schedulers.OneCycleScheduler.__call__
    monkeypatch.setattr(
        schedulers.OneCycleScheduler,
        "__call__",
        lambda self, num_update: (asked.append(num_update), answer(self, num_update))[1],
    )
    found = {}
    for kind in (schedulers.OneCycleScheduler, Mine):
        asked.clear()
        found[kind] = moves(mx.optimizer.Adam(lr_scheduler=kind(10, base_lr=0.1)), count=5), asked.copy()
    assert found[schedulers.OneCycleScheduler][0] == found[Mine][0]
    assert found[schedulers.OneCycleScheduler][1] == [1, 2]
    assert found[Mine][1] == [1] * 5 + [2] * 5
