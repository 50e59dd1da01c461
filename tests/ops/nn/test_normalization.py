"""Normalization, beyond the recorded cases."""

from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from regluon.ops import registry
from regluon.ops.nn.normalization import batch_norm_by_batch
from tests.ops.base import check_bad_input


def _state(channels: int = 3) -> list[Any]:
    """Gamma, beta, moving mean and moving variance."""
    return [mx.nd.array(np.linspace(low, low + 1, channels)) for low in (0.5, -1, 1, 2)]


def _data(*shape: int) -> Any:
    return mx.nd.array(np.random.RandomState(0).normal(size=shape))


def test_averages_move_in_training_only() -> None:
    data, (gamma, beta, mean, var) = _data(4, 3), _state()
    before = mean.asnumpy(), var.asnumpy()
    mx.nd.BatchNorm(data, gamma, beta, mean, var)
    with mx.autograd.train_mode():
        mx.nd.BatchNorm(data, gamma, beta, mean, var, use_global_stats=True)
    np.testing.assert_array_equal(mean.asnumpy(), before[0])
    np.testing.assert_array_equal(var.asnumpy(), before[1])
    with mx.autograd.train_mode():
        mx.nd.BatchNorm(data, gamma, beta, mean, var, momentum=0.75)
    values = data.asnumpy()
    np.testing.assert_allclose(mean.asnumpy(), 0.75 * before[0] + 0.25 * values.mean(0), rtol=1e-5)
    np.testing.assert_allclose(var.asnumpy(), 0.75 * before[1] + 0.25 * values.var(0), rtol=1e-5)


@pytest.mark.parametrize("train", [True, False])
def test_later_updates_do_not_disturb_the_gradient(train: bool) -> None:
    """Several forward passes before the first backward, as in adversarial training."""
    data, (gamma, beta, mean, var) = _data(4, 3), _state()
    data.attach_grad()

    def gradient(disturbed: bool) -> np.ndarray:
        states = mean.copy(), var.copy()
        with mx.autograd.record(train_mode=train):
            result = mx.nd.BatchNorm(data, gamma, beta, *states, fix_gamma=False)
            loss = result * result * result
        if disturbed:
            with mx.autograd.record():
                mx.nd.BatchNorm(data * 3, gamma, beta, *states, fix_gamma=False)
        loss.backward()
        return data.grad.asnumpy()

    np.testing.assert_array_equal(gradient(True), gradient(False))


def test_fixed_gamma_counts_as_one() -> None:
    """MXNet writes ones into gamma; here the array keeps its values."""
    data, (gamma, beta, mean, var) = _data(4, 3), _state()
    gamma.attach_grad()
    gamma.grad[:] = 7
    with mx.autograd.record():
        fixed = mx.nd.BatchNorm(data, gamma, beta, mean.copy(), var.copy())
    fixed.backward()
    assert gamma.grad.asnumpy().tolist() == [0, 0, 0]
    with mx.autograd.train_mode():
        ones = mx.nd.BatchNorm(data, mx.nd.ones(3), beta, mean, var, fix_gamma=False)
    np.testing.assert_array_equal(fixed.asnumpy(), ones.asnumpy())
    assert gamma.asnumpy().tolist() == [0.5, 1, 1.5]


def test_statistics_do_not_share_memory_with_the_averages() -> None:
    data, (gamma, beta, mean, var) = _data(4, 3), _state()
    _, shown, _ = mx.nd.BatchNorm(data, gamma, beta, mean, var, output_mean_var=True)
    shown[:] = 100
    assert mean.asnumpy().tolist() == [1, 1.5, 2]


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_instance_norm_of_other_floats(dtype: str) -> None:
    """MXNet has it in float32 only."""
    data, (gamma, beta, _, _) = _data(2, 3, 5), _state()
    expected = mx.nd.InstanceNorm(data, gamma, beta).asnumpy()
    actual = mx.nd.InstanceNorm(*(array.astype(dtype) for array in (data, gamma, beta)))
    assert actual.dtype == np.dtype(dtype)
    np.testing.assert_allclose(actual.asnumpy(), expected, rtol=1e-2, atol=1e-2)


def _completed(name: str, shape: tuple[int, ...], **params: Any) -> dict[str, tuple[int, ...]]:
    operator = registry.find(name)
    assert operator.completes is not None
    return operator.completes(shape, **operator.full_params(operator.parse(params)))


def test_completes_learnable_inputs() -> None:
    names = ("gamma", "beta", "moving_mean", "moving_var")
    assert _completed("BatchNorm", (2, 3, 4)) == dict.fromkeys(names, (3,))
    assert _completed("BatchNorm", (2, 3, 4), axis=-1) == dict.fromkeys(names, (4,))
    assert _completed("LayerNorm", (2, 3, 4)) == dict.fromkeys(names[:2], (4,))
    assert _completed("GroupNorm", (2, 6, 4), num_groups=2) == dict.fromkeys(names[:2], (2,))
    assert _completed("InstanceNorm", (2, 6, 4)) == dict.fromkeys(names[:2], (6,))


def test_refusals() -> None:
    data, (gamma, beta, mean, var) = _data(4, 3), _state()
    norm = mx.nd.BatchNorm
    check_bad_input(lambda: norm(data, gamma[:2], beta, mean, var), r"expected gamma of shape \(3,\), got \(2,\)")
    check_bad_input(lambda: norm(data, gamma, beta, mean, var, axis=2), "axis=2 is out of range")
    half = data.astype("float16")
    check_bad_input(
        lambda: norm(half, gamma.astype("float16"), beta, mean, var), "expected gamma of float32, got float16"
    )
    check_bad_input(lambda: mx.nd.LayerNorm(data, gamma, beta, axis=0), r"expected gamma of shape \(4,\)")
    check_bad_input(lambda: mx.nd.LayerNorm(half, gamma, beta), "one dtype")
    check_bad_input(lambda: mx.nd.GroupNorm(data, gamma, beta), "at least 3 dimensions")
    volume = _data(2, 4, 3)
    check_bad_input(lambda: mx.nd.GroupNorm(volume, gamma, beta, num_groups=3), "num_groups=3 does not divide the 4")
    check_bad_input(lambda: mx.nd.GroupNorm(volume, gamma, beta, num_groups=2), r"expected gamma of shape \(2,\)")
    check_bad_input(lambda: mx.nd.InstanceNorm(data, gamma, beta), "at least 3 dimensions")
    check_bad_input(lambda: mx.nd.L2Normalization(data, mode="channel"), "mode='channel' needs data of at least 3")
    check_bad_input(lambda: mx.nd.LRN(volume, nsize=0), "nsize=0")
    check_bad_input(lambda: mx.nd.LRN(volume.astype("int32"), nsize=3), "int32")


@pytest.mark.parametrize("shape", [(0, 3), (0, 3, 2, 2)])
def test_an_empty_batch_in_a_compiled_network(shape: tuple[int, ...]) -> None:
    net = mx.gluon.nn.BatchNorm(in_channels=3)
    net.initialize()
    net.hybridize()
    data = mx.nd.ones((1, *shape[1:]))[:0]
    data.attach_grad()
    with mx.autograd.record():
        result = net(data) * 2
    result.backward()
    assert (result.shape, data.grad.shape) == (shape, shape)
    assert not net.gamma.grad().asnumpy().any()
    np.testing.assert_array_equal(net.running_var.data().asnumpy(), [1, 1, 1])


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("axis", [-1, 0])
def test_gradients_of_many_layers_add_up_exactly(axis: int, hybrid: bool) -> None:
    """MXNet's are off by 2e-5 here; one row after the other in single precision would be off by 2e-3."""
    drawn = np.random.RandomState(0)
    shape = (60000, 8) if axis == -1 else (8, 60000)
    data, heads = (drawn.normal(size=shape).astype("float32") for _ in range(2))
    net = mx.gluon.nn.LayerNorm(axis=axis, in_channels=8)
    net.initialize()
    if hybrid:
        net.hybridize()
    exact = data.astype("float64")
    centered = exact - exact.mean(axis, keepdims=True)
    normal = centered / np.sqrt(exact.var(axis, keepdims=True) + 1e-5)
    with mx.autograd.record():
        result = net(mx.nd.array(data))
    result.backward(mx.nd.array(heads))
    np.testing.assert_allclose(result.asnumpy(), normal, atol=1e-5)
    other = 0 if axis == -1 else 1
    np.testing.assert_allclose(net.gamma.grad().asnumpy(), (normal * heads).sum(other), atol=4e-4)
    np.testing.assert_allclose(net.beta.grad().asnumpy(), heads.sum(other, dtype="float64"), atol=4e-4)


def test_second_derivatives_of_many_layers() -> None:
    drawn = np.random.RandomState(0)
    data = mx.nd.array(drawn.normal(size=(1000, 3)).astype("float64"), dtype="float64")
    gamma, beta = mx.nd.ones(3, dtype="float64"), mx.nd.zeros(3, dtype="float64")
    found = []
    for part in (data, data[:10]):
        x = part.copy()
        for array in (x, gamma, beta):
            array.attach_grad()
        with mx.autograd.record():
            result = mx.nd.LayerNorm(x, gamma, beta) ** 2
            slope, of_gamma = mx.autograd.grad(result, [x, gamma], create_graph=True)
            total = (slope**2).sum() + of_gamma.sum()
        total.backward()
        found.append(x.grad.asnumpy())
    np.testing.assert_allclose(found[0][:10], found[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_batch_of_one_element_gives_beta(hybrid: bool) -> None:
    """Exactly, however large the element is."""
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.BatchNorm(in_channels=5, beta_initializer="ones"), mx.gluon.nn.Activation("relu"))
    net.initialize()
    if hybrid:
        net.hybridize()
    data = mx.nd.array(np.linspace(900, 1100, 5)).reshape((1, 5, 1, 1))
    data.attach_grad()
    with mx.autograd.record():
        result = net(data)
    result.backward()
    np.testing.assert_array_equal(result.asnumpy(), np.ones((1, 5, 1, 1)))
    np.testing.assert_array_equal(data.grad.asnumpy(), np.zeros((1, 5, 1, 1)))
    np.testing.assert_allclose(net[0].running_mean.data().asnumpy(), 0.1 * data.asnumpy().ravel(), rtol=1e-6)
    np.testing.assert_allclose(net[0].running_var.data().asnumpy(), 0.9 * np.ones(5), rtol=1e-6)


def test_statistics_of_many_rows_are_exact() -> None:
    """Channels last in memory: adding up row after row in single precision would be off by 2e-6."""
    data = torch.randn(16, 8, 80, 80, generator=torch.Generator().manual_seed(0)) * 0.1 + 0.3
    rows = data.contiguous(memory_format=torch.channels_last)
    ones, zeros = torch.ones(8), torch.zeros(8)
    (result, (new_mean, new_var)), saved = batch_norm_by_batch(rows, ones, zeros, zeros, ones, momentum=0.5)
    exact = data.double()
    var, mean = torch.var_mean(exact, (0, 2, 3), correction=0)
    np.testing.assert_allclose(saved[2], mean, atol=1e-7)
    np.testing.assert_allclose(new_mean, 0.5 * mean, atol=1e-7)
    np.testing.assert_allclose(new_var, 0.5 + 0.5 * var, rtol=1e-5)
    expected = (exact - mean.view(-1, 1, 1)) / torch.sqrt(var + 0.001).view(-1, 1, 1)
    np.testing.assert_allclose(result, expected, atol=3e-5)
    assert result.stride() == rows.stride()


@pytest.mark.parametrize("end", [(4, 16, 20, 20), (4, 32, 10, 10)])
def test_a_part_of_an_array_is_normalized_as_the_whole_array(end: tuple[int, ...]) -> None:
    """Compiled networks normalize parts where they are; torch's kernel for any strides is less exact, and slow."""

    class Part(mx.gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.convolution, self.norm = mx.gluon.nn.Conv2D(32, 1, in_channels=64), mx.gluon.nn.BatchNorm()

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.norm(F.slice(self.convolution(x), begin=(0, 0, 0, 0), end=end))

    net = Part()
    net.initialize()
    data = mx.nd.random.uniform(shape=(4, 64, 20, 20))
    data.attach_grad()
    found = []
    for _ in range(2):
        with mx.autograd.record():
            result = net(data)
        result.backward()  # of ones: exactly 0 but for rounding
        found.append(result.asnumpy())
        assert np.abs(data.grad.asnumpy()).max() < 2e-6
        net.hybridize()
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-5)
