"""Steps of optimizers in C++ move weights as those of torch do."""

from typing import Any

import numpy as np
import pytest
import torch

from mxnet.error import OpShapeError, OpTypeError
from regluon.native import loading
from regluon.ops.updates import run

_SHAPES = [(3, 5), (), (7,), (200, 200), (0, 4)]
_RULES = {
    "sgd": (0, {}),
    "sgd_momentum": (1, {"momentum": 0.9}),
    "adam": (2, {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-6}),
}


def _lists(count: int) -> list[list[torch.Tensor]]:
    draw = torch.Generator().manual_seed(4)
    return [[torch.rand(shape, generator=draw) for shape in _SHAPES] for _ in range(2 + count)]


@pytest.mark.parametrize("clip", [-1.0, 0.3])
@pytest.mark.parametrize("rule", _RULES)
def test_the_same_as_torch(library: Any, monkeypatch: pytest.MonkeyPatch, rule: str, clip: float) -> None:
    count, numbers = _RULES[rule]
    lr, wd = [0.1, 0.2, 0.1, 0.3, 0.1], [0.0, 0.1, 0.01, 0.0, 0.0]
    params = {"lr": lr, "wd": wd, "rescale_grad": 0.5, "clip_gradient": clip, **numbers}
    expected, found = _lists(count), _lists(count)
    run(rule, *expected, **params)
    monkeypatch.setattr(loading, "the_library", library)
    before = [tensor._version for tensors in found for tensor in tensors]
    run(rule, *found, **params)
    for one, other in zip(found, expected, strict=True):
        for value, right in zip(one, other, strict=True):
            torch.testing.assert_close(value, right, rtol=2e-6, atol=1e-6)
    written = [tensor._version for place, tensors in enumerate(found) if place != 1 for tensor in tensors]
    assert min(np.subtract(written, before[: len(_SHAPES)] * (count + 1))) > 0


def test_strided_weights_take_the_other_way(native: Any) -> None:
    weight, grad = torch.ones(4, 3).t(), torch.ones(3, 4)
    run("sgd", [weight], [grad], lr=[0.5], wd=[0.0])
    assert (weight == 0.5).all()


def test_errors_are_the_same(native: Any) -> None:
    with pytest.raises(OpShapeError, match=r"expected grad of shape \(3,\), as the weight, got \(4,\)"):
        run("sgd", [torch.ones(3)], [torch.ones(4)], lr=[0.5], wd=[0.0])
    with pytest.raises(OpTypeError, match="expected grad of float32, as the weight, got float64"):
        run("sgd", [torch.ones(3)], [torch.ones(3, dtype=torch.float64)], lr=[0.5], wd=[0.0])
