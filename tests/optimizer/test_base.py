"""Learning rates, decay, counts and the registry of optimizers."""

import copy
import pickle
import types
from typing import Any

import numpy as np
import pytest

import mxnet as mx
import mxnet.lr_scheduler
import mxnet.optimizer
from mxnet import nd
from mxnet.optimizer import SGD, Adam, Optimizer
from tests.optimizer.registered import NAMES

PUBLIC = (
    "AdaDelta AdaGrad Adam Adamax DCASGD FTML Ftrl LAMB LARS LBSGD NAG NDabs Nadam Optimizer RMSProp SGD SGLD Signum"
)


def one_step(optimizer: Optimizer, index: Any = 0) -> float:
    """The weight after a step from 1 against a gradient of 1."""
    weight = nd.ones((1,))
    optimizer.update(index, weight, nd.ones((1,)), optimizer.create_state(index, weight))
    return float(weight.asscalar())


@pytest.mark.parametrize("name", [*PUBLIC.split(), "Test", "Updater", "ccSGD", "create", "get_updater", "register"])
def test_public_names(name: str):
    assert getattr(mx.optimizer, name) is getattr(mx.optimizer.optimizer, name)


def test_create_takes_any_case():
    assert type(mx.optimizer.create("aDaM", learning_rate=0.5)) is Adam
    assert mx.optimizer.create("adam", learning_rate=0.5).learning_rate == 0.5
    assert type(mx.optimizer.create("groupadagrad")) is mx.optimizer.contrib.GroupAdaGrad


def test_an_unknown_name_is_refused():
    with pytest.raises(
        ValueError, match=r"\[optimizer.create\] received 'adm'; expected one of .* Did you mean adam\?"
    ):
        mx.optimizer.create("adm")


def test_register_warns_about_a_name_taken():
    class Sgd2(Optimizer):
        pass

    try:
        assert mx.optimizer.register(Sgd2) is Sgd2
        assert type(mx.optimizer.create("sgd2")) is Sgd2
        with pytest.warns(UserWarning, match="takes the place of"):
            mx.optimizer.register(Sgd2)
        with pytest.raises(AssertionError, match="expected a class"):
            mx.optimizer.register("sgd3")
    finally:
        del Optimizer.opt_registry["sgd2"]


@pytest.mark.parametrize("klass", [Optimizer.opt_registry[name] for name in NAMES], ids=NAMES)
def test_defaults(klass: type):
    rates = {"Adam": 0.001, "Adamax": 0.002, "Nadam": 0.001, "LAMB": 0.001, "RMSProp": 0.001, "Ftrl": 0.1}
    optimizer = klass()
    assert optimizer.learning_rate == rates.get(klass.__name__, 0.01)
    assert (optimizer.wd, optimizer.rescale_grad, optimizer.clip_gradient) == (0.0, 1.0, None)
    assert (optimizer.num_update, optimizer.begin_num_update, optimizer.multi_precision) == (0, 0, False)


def test_learning_rate_can_be_set_unless_scheduled():
    optimizer = SGD(learning_rate=0.5)
    optimizer.set_learning_rate(0.25)
    assert one_step(optimizer) == 0.75
    scheduled = SGD(lr_scheduler=mx.lr_scheduler.FactorScheduler(1))
    with pytest.raises(UserWarning, match="comes from lr_scheduler"):
        scheduled.set_learning_rate(0.1)
    with pytest.raises(DeprecationWarning, match="use set_lr_mult"):
        optimizer.set_lr_scale({})


def test_a_learning_rate_overrides_the_schedule(caplog: pytest.LogCaptureFixture):
    scheduler = mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=0.1)
    optimizer = SGD(learning_rate=0.5, lr_scheduler=scheduler)
    assert "learning_rate=0.5 takes the place of base_lr=0.1" in caplog.text
    assert optimizer.learning_rate == scheduler.base_lr == 0.5


def test_multipliers_by_index_and_name():
    optimizer = SGD(learning_rate=0.5, wd=0.1, param_idx2name={0: "a_weight", 1: "a_bias", 2: "b_gamma"})
    assert optimizer._get_wds([0, 1, 2, 3]) == [0.1, 0.0, 0.1, 0.1]
    optimizer.set_lr_mult({0: 2.0, "b_gamma": 3.0})
    optimizer.set_wd_mult({"a_bias": 2.0})
    assert optimizer._get_lrs([0, 1, 2]) == [1.0, 0.5, 1.5]
    assert optimizer._get_wds([0, 1]) == [0.1, 0.2]
    assert (optimizer._get_lr(2), optimizer._get_wd(1)) == (1.5, 0.2)


def test_multipliers_of_parameters_come_first():
    parameter = types.SimpleNamespace(lr_mult=0.5, wd_mult=0.0)
    optimizer = SGD(learning_rate=1.0, wd=0.1, param_dict={0: parameter})
    optimizer.set_lr_mult({0: 8.0})
    assert (optimizer._get_lr(0), optimizer._get_wd(0)) == (0.5, 0.0)
    parameter.lr_mult = 0.25
    assert one_step(optimizer) == 0.75


def test_multipliers_of_symbols():
    attributes = {"a_weight": {"__lr_mult__": "0.5"}, "a_bias": {"__wd_mult__": "2.0"}}
    symbol = types.SimpleNamespace(attr_dict=lambda: attributes, list_arguments=lambda: ["data", "a_weight", "a_bias"])
    optimizer = SGD(learning_rate=1.0, wd=0.1, sym=symbol, param_idx2name={0: "a_weight", 1: "a_bias"})
    assert (optimizer._get_lrs([0, 1]), optimizer._get_wds([0, 1])) == ([0.5, 1.0], [0.1, 0.2])


def test_names_must_be_a_dict():
    with pytest.raises(AssertionError, match=r"\[SGD\] param_idx2name: received list"):
        SGD(param_idx2name=["w"])


def test_updates_are_counted_for_each_weight_and_device():
    optimizer = SGD(begin_num_update=10)
    for index in (0, 0, 1):
        one_step(optimizer, index)
    assert (optimizer._index_update_count, optimizer.num_update) == ({0: 12, 1: 11}, 12)
    optimizer._set_current_context(1)
    one_step(optimizer)
    assert (optimizer._index_update_count, optimizer.num_update) == ({0: 11}, 12)


def test_the_base_class_moves_nothing():
    with pytest.raises(NotImplementedError, match=r"\[Optimizer\] an optimizer must define update"):
        one_step(Optimizer())


def test_float16_without_copies_warns():
    weight = nd.ones((2,), dtype="float16")
    with pytest.warns(UserWarning, match=r"\[Adam\] the weight fc_weight is float16: small steps get lost"):
        Adam(param_idx2name={0: "fc_weight"}).create_state_multi_precision(0, weight)


@pytest.mark.parametrize("stype", ["row_sparse", "csr"])
@pytest.mark.parametrize("name", ["SGD", "NAG", "Adam", "RMSProp"])
def test_sparse_float16_weights_follow_their_copies(name: str, stype: str):
    steps = {}
    for kind in ("default", stype):
        weight = nd.array([[1, -2], [3, 0.5]], dtype="float16").tostype(kind)
        optimizer = mx.optimizer.create(name, learning_rate=0.25, multi_precision=True)
        state = optimizer.create_state_multi_precision(0, weight)
        grad = nd.array([[0.5, 2], [-1, 0.25]], dtype="float16").tostype(kind)
        optimizer.update_multi_precision(0, weight, grad, state)
        assert (weight.stype, weight.dtype) == (kind, np.float16)
        steps[kind] = weight.asnumpy()
    np.testing.assert_allclose(steps[stype], steps["default"], rtol=2e-3)
    assert (steps[stype] != np.array([[1, -2], [3, 0.5]])).all()


def test_update_takes_lists():
    one, two = nd.ones((2,)), nd.ones((3,))
    optimizer = SGD(learning_rate=0.5, momentum=0.9)
    states = [optimizer.create_state(i, weight) for i, weight in enumerate((one, two))]
    optimizer.update([0, 1], [one, two], [nd.ones((2,)), nd.ones((3,)) * 2], states)
    assert (one.asnumpy().tolist(), two.asnumpy().tolist()) == ([0.5, 0.5], [0, 0, 0])
    optimizer.update([], [], [], [])


def test_weights_are_moved_in_place():
    weight = nd.ones((4,))
    view, memory = weight[1:3], weight.as_torch().data_ptr()
    weight.attach_grad()
    for name in sorted({*NAMES} - {"groupadagrad"}):
        updater = mx.optimizer.get_updater(mx.optimizer.create(name))
        before = weight.asnumpy()
        updater(0, nd.array([1.0, 2, 3, 4]), weight)
        assert weight.as_torch().data_ptr() == memory, name
        assert (weight.asnumpy() != before).any(), name
        assert (view.asnumpy() == weight.asnumpy()[1:3]).all(), name


def test_strided_weights_are_moved_too():
    """Torch's fused kernels do not look at strides."""
    for name, params in (("sgd", {"momentum": 0.9}), ("adam", {}), ("sgd", {})):
        results = []
        for is_strided in (False, True):
            values = np.arange(6.0, dtype="float32").reshape(2, 3)
            weight = nd.from_torch(nd.array(values.T).as_torch().T) if is_strided else nd.array(values)
            mx.optimizer.get_updater(mx.optimizer.create(name, **params))(0, nd.array(values + 1), weight)
            results.append(weight.asnumpy())
        np.testing.assert_allclose(*results, rtol=1e-6)


@pytest.mark.parametrize(
    ("weight", "grad", "error", "text"),
    [
        (nd.ones((2,)), nd.ones((3,)), ValueError, r"\[sgd\] expected grad of shape \(2,\), as the weight, got \(3,\)"),
        (
            nd.ones((2,)),
            nd.ones((2,), dtype="float64"),
            TypeError,
            "expected grad of float32, as the weight, got float64",
        ),
        (nd.ones((2,), dtype="int32"), nd.ones((2,), dtype="int32"), TypeError, "expected floating-point numbers"),
        (nd.ones((2,)), np.ones(2), TypeError, r"\[sgd\] received ndarray; expected an NDArray"),
    ],
)
def test_bad_gradients_are_refused(weight: Any, grad: Any, error: type, text: str):
    with pytest.raises(mx.MXNetError, match=text) as caught:
        SGD().update(0, weight, grad, None)
    assert isinstance(caught.value, error)


def test_a_state_of_another_shape_is_refused():
    with pytest.raises(
        mx.MXNetError, match=r"\[sgd_momentum\] expected mom of shape \(2,\), as the weight, got \(3,\)"
    ):
        SGD(momentum=0.9).update(0, nd.ones((2,)), nd.ones((2,)), nd.ones((3,)))


def test_weights_of_the_graph_are_not_moved_while_recording():
    weight = nd.ones((2,))
    weight.attach_grad()
    with mx.autograd.record(), pytest.raises(mx.MXNetError, match=r"\[sgd\] cannot write to an array that is part of"):
        SGD().update(0, weight, nd.ones((2,)), None)


def test_training_goes_on_after_an_update():
    """The leaf over the weight sees what the optimizer wrote."""
    weight = nd.array([2.0])
    weight.attach_grad()
    updater = mx.optimizer.get_updater(SGD(learning_rate=0.1, momentum=0.5))
    for expected in (2.0 - 0.4, 1.6 - 0.2 - 0.32):
        with mx.autograd.record():
            loss = weight * weight
        loss.backward()
        updater(0, weight.grad, weight)
        assert float(weight.asscalar()) == pytest.approx(expected)


def test_subclasses_that_define_update_are_called_weight_by_weight():
    class Loud(Adam):
        def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
            assert not isinstance(index, list)
            super().update(index, weight, grad, state)

    weights = [nd.ones((2,)), nd.ones((3,))]
    optimizer = Loud()
    assert optimizer.aggregate_num == 0
    mx.optimizer.get_updater(optimizer)([0, 1], [nd.ones((2,)), nd.ones((3,))], weights)
    assert weights[1].asnumpy()[0] == pytest.approx(0.999)


def test_optimizers_can_be_copied_and_pickled():
    parameter = types.SimpleNamespace(lr_mult=0.5, wd_mult=0.0)
    optimizer = Adam(learning_rate=0.5, param_dict={0: parameter})
    one_step(optimizer)
    for twin in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):  # noqa: S301
        assert twin.param_dict == {}
        assert (twin.lr, twin.num_update, twin._index_update_count) == (0.5, 1, {0: 1})


def test_group_adagrad_takes_matrices_without_decay():
    optimizer = mx.optimizer.contrib.GroupAdaGrad()
    with pytest.raises(AssertionError, match=r"received a weight of shape \(3,\); expected two axes"):
        optimizer.create_state(0, nd.ones((3,)))
    decaying = mx.optimizer.contrib.GroupAdaGrad(wd=0.1)
    one_matrix = nd.ones((2, 2))
    with pytest.raises(AssertionError, match="expected wd=0"):
        decaying.update(0, one_matrix, one_matrix, decaying.create_state(0, one_matrix))


def test_langevin_noise():
    mx.random.seed(3)
    weight = nd.zeros((20000,))
    mx.optimizer.SGLD(learning_rate=0.04, clip_gradient=1.0).update(0, weight, nd.ones((20000,)) * 5, None)
    values = weight.asnumpy()
    assert values.mean() == pytest.approx(-0.02, abs=0.006)
    assert values.std() == pytest.approx(0.2, rel=0.03)


def test_delay_compensation_with_momentum():
    """MXNet's own fails here: it asks an array of several elements whether it is true."""
    weight, grad = np.array([1.0, 2.0]), np.array([0.5, -0.5])
    array, momentum, previous = nd.array(weight), np.zeros(2), weight.copy()
    optimizer = mx.optimizer.DCASGD(momentum=0.9, learning_rate=0.1, lamda=0.5, wd=0.1)
    state = optimizer.create_state(0, array)
    for _ in range(3):
        optimizer.update(0, array, nd.array(grad), state)
        momentum = 0.9 * momentum - 0.1 * (grad + 0.1 * weight + 0.5 * grad * grad * (weight - previous))
        previous, weight = weight, weight + momentum
    np.testing.assert_allclose(array.asnumpy(), weight, rtol=1e-5)


@pytest.mark.parametrize("name", ["rmsprop", "ftrl", "adadelta", "adagrad"])
def test_states_have_the_dtype_of_the_weight(name: str):
    """MXNet makes float32 states for these and then refuses float64 weights."""
    weight = nd.ones((2, 2), dtype="float64")
    mx.optimizer.get_updater(mx.optimizer.create(name))(0, nd.ones((2, 2), dtype="float64"), weight)
    assert (weight.asnumpy() != 1).all()
