"""The harness itself: what it must catch, it catches."""

import pytest
import torch

import mxnet as mx
from tests.gpu.devices import MixedDevices, Watch

_DEVICE = torch.device("cuda", 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + torch.ones(3),
        lambda x: x[torch.tensor([0, 1])],
        lambda x: torch.where(x > 0, x, torch.zeros(3)),
        lambda x: torch.cat([x, torch.zeros(3)]),
    ],
)
def test_mixed_devices(call: object, gpus: Watch) -> None:
    with pytest.raises(MixedDevices, match="received tensors of several devices"):
        call(torch.ones(3, device=_DEVICE))  # type: ignore[operator]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.sum().item(),
        lambda x: x.tolist(),
        lambda x: bool((x > 0).any()),
        lambda x: x.cpu(),
        lambda x: x.nonzero(),
        lambda x: x[x > 0],
        lambda x: torch.equal(x, x),
        torch.unique,
    ],
)
def test_reads(call: object, gpus: Watch) -> None:
    x = torch.ones(3, device=_DEVICE)
    (x + 1).relu_()
    assert not gpus.reads
    call(x)  # type: ignore[operator]
    assert gpus.reads


def test_uploads(gpus: Watch) -> None:
    torch.zeros(3, device=_DEVICE)
    assert not gpus.uploads
    torch.tensor([1.0, 2.0], device=_DEVICE)
    assert gpus.uploads == [(2,)]


def test_shadows_follow_views(gpus: Watch) -> None:
    x = mx.nd.zeros((2, 3), ctx=mx.gpu(0))
    x[1] += 2
    row = x[1]
    row[:] = row * 3
    assert x.asnumpy().tolist() == [[0, 0, 0], [6, 6, 6]]
