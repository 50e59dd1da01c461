"""States of weights: made, moved, saved and restored."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
import mxnet.lr_scheduler
import mxnet.optimizer
from mxnet import nd
from mxnet.error import FileFormatError
from mxnet.optimizer import SGD, Adam, Optimizer, Updater
from tests.optimizer.registered import NAMES

FIXTURES = Path(__file__).parents[1] / "fixtures" / "optimizers"


def step(updater: Updater, weights: list[Any]) -> None:
    updater(list(range(len(weights))), [nd.ones(weight.shape, dtype=weight.dtype) for weight in weights], weights)


def trained(optimizer: Optimizer, dtype: str = "float32") -> tuple[Updater, list[Any]]:
    updater = mx.optimizer.get_updater(optimizer)
    weights = [nd.ones((2, 3), dtype=dtype), nd.ones((4, 1), dtype=dtype)]
    step(updater, weights)
    step(updater, weights)
    return updater, weights


@pytest.mark.parametrize("name", [name for name in NAMES if name != "sgld"])
@pytest.mark.parametrize("dump", [True, False])
def test_training_goes_on_from_saved_states(name: str, dump: bool):
    params = {"momentum": 0.9} if name in ("sgd", "nag", "lars", "lbsgd", "dcasgd") else {}
    updater, weights = trained(mx.optimizer.create(name, learning_rate=0.1, **params))
    optimizer = SGD() if dump else updater.optimizer
    twin, copies = Updater(optimizer), [weight.copy() for weight in weights]
    schedule = getattr(updater.optimizer, "m_schedule", None)
    twin.set_states(updater.get_states(dump_optimizer=dump))
    if dump:
        assert type(twin.optimizer) is type(updater.optimizer)
        step(updater, weights)
        step(twin, copies)
        assert twin.optimizer.num_update == updater.optimizer.num_update
        for weight, other in zip(weights, copies):
            assert (weight.asnumpy() == other.asnumpy()).all()
    else:
        assert twin.states.keys() == updater.states.keys()
        assert schedule == getattr(twin.optimizer, "m_schedule", None)


def test_float16_states_survive():
    updater, weights = trained(SGD(momentum=0.9, multi_precision=True), "float16")
    momentum, copy = updater.states[0]
    assert (momentum.dtype, copy.dtype, weights[0].dtype) == (np.float32, np.float32, np.float16)
    twin = Updater(SGD())
    twin.set_states(updater.get_states())
    assert (twin.states[0][1].asnumpy() == copy.asnumpy()).all()


def test_schedulers_survive():
    class Halving(mx.lr_scheduler.LRScheduler):
        def __call__(self, num_update: int) -> float:
            return self.base_lr / 2**num_update

    for scheduler in (mx.lr_scheduler.MultiFactorScheduler([1, 5], 0.5), Halving(0.5)):
        updater, _ = trained(Adam(learning_rate=None, lr_scheduler=scheduler))
        twin = Updater(SGD())
        twin.set_states(updater.get_states(dump_optimizer=True))
        assert type(twin.optimizer.lr_scheduler) is type(scheduler)
        assert twin.optimizer.learning_rate == updater.optimizer.learning_rate


def test_states_are_an_ordinary_params_stream():
    updater, _ = trained(Adam())
    arrays = nd.load_frombuffer(updater.get_states())
    assert list(arrays) == ["tree", "states/0/0", "states/0/1", "states/1/0", "states/1/1"]
    assert (arrays["states/0/1"].asnumpy() == updater.states[0][1].asnumpy()).all()


def test_indices_may_be_names_or_bytes():
    updater = Updater(SGD(momentum=0.9))
    updater("w", nd.ones((2,)), nd.ones((2,)))
    updater(b"w", nd.ones((2,)), nd.ones((2,)))
    assert list(updater.states) == ["w"]
    twin = Updater(SGD())
    twin.set_states(updater.get_states())
    assert list(twin.states) == ["w"]


def test_weights_of_different_dtypes_together():
    updater = Updater(SGD(learning_rate=0.5))
    weights = [nd.ones((2,)), nd.ones((2,), dtype="float64"), nd.ones((3,))]
    step(updater, weights)
    assert [weight.asnumpy()[0] for weight in weights] == [0.5, 0.5, 0.5]
    updater([], [], [])


def test_fewer_weights_at_once():
    counts = []

    class Counting(SGD):
        def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
            counts.append(len(index))
            super().update_multi_precision(index, weight, grad, state)

    optimizer = Counting()
    weights = [nd.ones((1,)) for _ in range(5)]
    step(Updater(optimizer), weights)
    optimizer.aggregate_num = 2
    step(Updater(optimizer), weights)
    assert counts == [4, 1, 2, 2, 1]


def test_loaded_states_move_to_the_device_of_the_weight():
    updater, _ = trained(SGD(momentum=0.9))
    twin = Updater(SGD(momentum=0.9))
    twin.set_states(updater.get_states())
    assert twin.states_synced == {0: False, 1: False}
    weight = nd.ones((2, 3), ctx=mx.cpu(1))
    twin(0, nd.ones((2, 3), ctx=mx.cpu(1)), weight)
    assert twin.states_synced == {0: True, 1: False}
    assert twin.states[0].context == mx.cpu(1)
    nested = twin.sync_state_context([weight, (None, weight)], mx.cpu(2))
    assert nested[0].context == nested[1][1].context == mx.cpu(2)
    assert nested[1][0] is None


def test_attributes_that_cannot_be_saved_are_named():
    optimizer = SGD()
    optimizer.helper = object()
    with pytest.raises(
        mx.MXNetError, match=r"optimizer/optimizer:SGD/helper: received builtins.object; expected numbers"
    ):
        Updater(optimizer).get_states(dump_optimizer=True)


# What MXNet's own Updater saved.


def test_mxnet_states_with_optimizer_are_read():
    updater = Updater(SGD())
    updater.set_states((FIXTURES / "adam.states").read_bytes())
    optimizer = updater.optimizer
    assert type(optimizer) is Adam
    assert type(optimizer.lr_scheduler) is mx.lr_scheduler.FactorScheduler
    assert (optimizer.num_update, optimizer.idx2name[1]) == (2, "fc_bias")
    assert [state.shape for state in updater.states[0]] == [(3, 4), (3, 4)]
    assert optimizer.aggregate_num == 0
    updater(
        [0, 1, 2], [nd.ones(shape) for shape in ((3, 4), (4,), (2, 3))], [nd.ones(s) for s in ((3, 4), (4,), (2, 3))]
    )
    assert optimizer._index_update_count == {0: 3, 1: 3, 2: 3}


@pytest.mark.parametrize(
    ("name", "keys"), [("adam_states_only", [0, 1, 2]), ("protocol2", [0]), ("sgd", [0]), ("mixed", ["w"])]
)
def test_mxnet_states_are_read(name: str, keys: list[Any]):
    updater = Updater(SGD(momentum=0.9))
    updater.set_states((FIXTURES / f"{name}.states").read_bytes())
    assert list(updater.states) == keys
    if name == "sgd":
        assert updater.optimizer.rescale_grad == 0.5
    if name == "mixed":
        assert [state.dtype for state in updater.states["w"]] == [np.float32, np.float32]
    if name in ("protocol2", "sgd"):
        np.testing.assert_array_equal(updater.states[0].shape, (3, 4))
        assert updater.states[0].asnumpy().any()


class _Trap:
    def __reduce__(self) -> Any:
        return print, ("this must not run",)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (pickle.dumps({0: _Trap()}), r"a pickle with the name builtins.print; expected MXNet's optimizer states only"),
        (pickle.dumps({0: np.ones(2)}), "the name numpy"),
        (pickle.dumps([1, 2]), "received list; expected states by index"),
        (b"\x80\x04garbage", "a pickle that is damaged|the opcode"),
        (pickle.dumps({0: 1})[:-2], "a pickle that is damaged"),
        (b"", "expected a .params file"),
        (b"\x80\x04]\x94h\x00a.", "a tree that never ends"),
    ],
)
def test_other_pickles_are_refused(content: bytes, text: str, capsys: pytest.CaptureFixture):
    updater = Updater(SGD())
    with pytest.raises(FileFormatError, match=text):
        updater.set_states(content)
    assert "must not run" not in capsys.readouterr().out
    assert updater.states == {}


def test_unknown_optimizers_are_named():
    class Mine(SGD):
        pass

    content = Updater(Mine()).get_states(dump_optimizer=True)
    with pytest.raises(FileFormatError, match="come from the optimizer Mine, which is not known here"):
        Updater(SGD()).set_states(content)


def test_parameters_are_not_states(tmp_path: Path):
    nd.save(tmp_path / "net.params", {"w": nd.ones((2,))})
    with pytest.raises(FileFormatError, match="without the entry 'tree' at its begin; expected optimizer states"):
        Updater(SGD()).set_states((tmp_path / "net.params").read_bytes())
