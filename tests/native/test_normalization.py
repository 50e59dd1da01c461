"""Normalizations in C++ against torch's, in double precision."""

import pytest
import torch

from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

pytestmark = pytest.mark.usefixtures("native")

ROWS = [(1, 1), (3, 5), (2, 4, 8), (7, 19), (40, 256), (130, 515)]
LAST = torch.channels_last
IMAGES = [(1, 1, 1, 1), (2, 3, 5, 4), (3, 13, 7, 2), (16, 64, 9, 9), (4, 515, 2, 3), (12, 10)]


def _drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _close(found, expected):
    scale = max(1.0, expected.abs().max().item())
    torch.testing.assert_close(found.double(), expected.reshape(found.shape), rtol=1e-4, atol=2e-5 * scale)


def _ours():
    return torch.ops.regluon


@pytest.mark.parametrize("shape", ROWS)
@pytest.mark.parametrize("added", ["nothing", "other", "bias", "both"])
def test_layer_norm(shape, added):
    width = shape[-1]
    data, other, grad = (_drawn(*shape, seed=seed) + seed for seed in range(3))
    bias, gamma, beta = (_drawn(width, seed=seed) for seed in range(3, 6))
    other = other if added in ("other", "both") else None
    bias = bias if added in ("bias", "both") else None
    exact = [None if each is None else each.double().requires_grad_() for each in (data, other, bias, gamma, beta)]
    total = exact[0]
    for summand in exact[1:3]:
        total = total if summand is None else total + summand
    expected = torch.layer_norm(total, (width,), exact[3], exact[4], 1e-3)
    if added == "nothing":
        result, mean, inverse = _ours().layer_norm(data, gamma, beta, 1e-3)
        kept = data
    else:
        kept, result, mean, inverse = _ours().added_layer_norm(data, other, bias, gamma, beta, 1e-3)
        over = data.clone()
        same = _ours().added_layer_norm_(over, other, bias, gamma, beta, 1e-3)
        assert all(
            torch.equal(each, twin) for each, twin in zip((over, *same), (kept, result, mean, inverse), strict=True)
        )
        _close(kept, total.detach())
    _close(result, expected.detach())
    found = _ours().layer_norm_backward(grad, kept, mean, inverse, gamma)
    wanted = torch.autograd.grad(expected, [total, *exact[3:]], grad.double())
    for each, twin in zip(found, (*wanted, wanted[0].reshape(-1, width).sum(0)), strict=True):
        _close(each, twin)


@pytest.mark.parametrize("shape", IMAGES)
@pytest.mark.parametrize("has_gamma", [False, True])
@pytest.mark.parametrize("kind", ["plain", "relu", "sum"])
def test_batch_norm(shape, has_gamma, kind):
    def image(seed):
        drawn = _drawn(*shape, seed=seed)
        return drawn.contiguous(memory_format=LAST) if drawn.dim() == 4 else drawn

    channels = shape[1]
    data, grad, other = image(0) * 3 + 50, image(1), image(2) if kind == "sum" else None
    gamma, beta, old_mean = (_drawn(channels, seed=seed) for seed in range(3, 6))
    old_var = _drawn(channels, seed=6).square()
    gamma = gamma if has_gamma else None
    activated = kind != "plain"
    found = _ours().batch_norm(data, other, gamma, beta, old_mean, old_var, 1e-3, 0.9, activated)
    result, mean, inverse, new_mean, new_var = found
    axes = [axis for axis in range(data.dim()) if axis != 1]
    exact = [each.double().requires_grad_() for each in (data, torch.ones(channels) if gamma is None else gamma, beta)]
    var, centre = torch.var_mean(exact[0], axes, correction=0)
    expected = torch.batch_norm(exact[0], *exact[1:], None, None, True, 0.0, 1e-3, False)
    extra = torch.zeros_like(expected) if other is None else other.double()
    extra.requires_grad_()
    expected = (expected + extra).relu() if activated else expected + extra
    _close(result, expected.detach())
    assert result.stride() == data.stride()
    _close(mean, centre.detach())
    _close(new_mean, (0.9 * old_mean + 0.1 * centre).detach())
    _close(new_var, (0.9 * old_var + 0.1 * var).detach())
    *wanted, of_other = torch.autograd.grad(expected, [*exact, extra], grad.double())
    if kind == "sum":
        upper, *grads = _ours().batch_norm_sum_backward(grad, data, result, gamma, mean, inverse)
        _close(upper, of_other)
    else:
        grads = _ours().batch_norm_backward(grad, data, gamma, beta, mean, inverse, activated)
    for each, twin in zip(grads, wanted, strict=True):
        _close(each, twin)


def test_a_variance_far_from_zero():
    data = _drawn(4096, 24) + 1000
    found = _ours().batch_norm(data, None, None, torch.zeros(24), torch.zeros(24), torch.zeros(24), 0.0, 0.0, False)
    torch.testing.assert_close(found[4].double(), data.double().var(0, correction=0), rtol=1e-4, atol=0)


@pytest.mark.parametrize("shape", [(1, 24), (3000, 24), (5, 1030)])
def test_a_channel_of_equal_numbers(shape):
    value = 1000.1
    data, beta = torch.full(shape, value), _drawn(shape[1])
    result, mean, _, _, var = _ours().batch_norm(data, None, None, beta, beta, beta * 0, 1e-10, 0.0, False)
    assert mean.unique().tolist() == [data[0, 0].item()]
    assert var.count_nonzero() == 0
    assert torch.equal(result, beta.expand(shape))


@pytest.mark.parametrize("channels", [8, 1030])
def test_means_of_many_rows(channels):
    data = _drawn((1 << 20) // channels, channels) * 0.01 + 0.3
    level = torch.zeros(channels)
    found = _ours().batch_norm(data, None, None, level, level, level, 1e-3, 0.9, False)[1]
    expected = data.double().mean(0).float()
    assert (found - expected).abs().max().item() < 4e-8


def test_gradients_of_many_rows():
    data, grad = _drawn(1 << 17, 8), _drawn(1 << 17, 8, seed=1) + 1
    gamma = torch.ones(8)
    _, mean, inverse = _ours().layer_norm(data, gamma, gamma, 1e-3)
    *_, of_beta, of_bias = _ours().layer_norm_backward(grad, data, mean, inverse, gamma)
    of_data, *_ = _ours().layer_norm_backward(grad, data, mean, inverse, gamma)
    torch.testing.assert_close(of_beta, grad.double().sum(0).float(), rtol=2e-7, atol=0)
    torch.testing.assert_close(of_bias, of_data.double().sum(0).float(), rtol=0, atol=5e-4)
    _, mean, inverse, *_ = _ours().batch_norm(data, None, None, gamma, gamma, gamma, 1e-3, 0.9, False)
    for of_beta in (
        _ours().batch_norm_backward(grad, data, None, gamma, mean, inverse, False)[2],
        _ours().relu_backward(grad, torch.ones_like(data))[1],
        _ours().convolution_bias_gradient(grad.reshape(2, 256, 256, 8).permute(0, 3, 1, 2)),
    ):
        torch.testing.assert_close(of_beta, grad.double().sum(0).float(), rtol=2e-7, atol=0)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_agree(threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        data, gamma, beta = _drawn(3000, 40), _drawn(40, seed=1), _drawn(40, seed=2)
        found = _ours().batch_norm(data, None, gamma, beta, beta, gamma, 1e-5, 0.9, False)[0]
        expected = torch.nn.functional.batch_norm(data, None, None, gamma, beta, training=True)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    finally:
        torch.set_num_threads(before)


REFUSED = {
    "channels first": (lambda: (_drawn(2, 3, 4, 5), None, None, *[torch.zeros(3)] * 3), "channels last in memory"),
    "doubles": (lambda: (torch.zeros(2, 3).double(), None, None, *[torch.zeros(3)] * 3), "expected float32"),
    "short beta": (lambda: (torch.zeros(2, 3), None, None, *[torch.zeros(2)] * 3), "of 3 elements"),
    "another shape": (lambda: (torch.zeros(2, 3), torch.zeros(3, 3), None, *[torch.zeros(3)] * 3), "expected .2, 3"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(name):
    make, text = REFUSED[name]
    with pytest.raises(RuntimeError, match=text):
        _ours().batch_norm(*make(), 1e-5, 0.9, True)


class _Residual(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.body, self.norm = nn.Conv2D(8, 3, padding=1, in_channels=8), nn.BatchNorm(in_channels=8)
        self.first = nn.BatchNorm(in_channels=8)

    def hybrid_forward(self, F, x):
        x = F.relu(self.first(x))
        return F.Activation(self.norm(self.body(x)) + x, act_type="relu")


def _trained(hybridize: bool):
    net = _Residual()
    net.initialize()
    for number, parameter in enumerate(net.collect_params().values()):
        parameter.set_data(nd.array(_drawn(*parameter.shape, seed=number).abs().numpy()))
    if hybridize:
        net.hybridize()
    data = nd.array(_drawn(4, 8, 6, 6).numpy())
    data.attach_grad()
    with autograd.record():
        loss = (net(data) ** 2).sum()
    loss.backward()
    parameters = net.collect_params().values()
    grads = [parameter.grad() for parameter in parameters if parameter.grad_req != "null"]
    return [loss, data.grad, *grads, *[parameter.data() for parameter in parameters]]


def test_a_compiled_block_gives_what_the_plain_one_gives():
    for found, expected in zip(_trained(True), _trained(False), strict=True):
        torch.testing.assert_close(found._t, expected._t, rtol=1e-3, atol=1e-3)
