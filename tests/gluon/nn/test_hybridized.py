"""Every layer recorded from the real MXNet, compiled: the same outputs, gradients and states, without falling back."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon import nn
from tests.gluon.nn.base import RUNNING, Recorded, by_id, check_close, make


def _is_hybrid(recorded: Recorded) -> bool:
    return isinstance(make(recorded.make), nn.HybridBlock)


HYBRID = [recorded for recorded in RUNNING if _is_hybrid(recorded)]


@pytest.mark.parametrize("recorded", HYBRID, ids=by_id)
def test_predicts_as_recorded(recorded: Recorded) -> None:
    layer = recorded.with_weights(make(recorded.make))
    layer.hybridize()
    check_close(layer(*recorded.inputs()), recorded.arrays["predicted"], "prediction")
    assert all(compiled is not None for compiled in layer._compiled.values())


@pytest.mark.parametrize("recorded", [each for each in HYBRID if not each.random], ids=by_id)
def test_trains_as_written(recorded: Recorded) -> None:
    results = []
    for active in (False, True):
        layer = recorded.with_weights(make(recorded.make))
        layer.hybridize(active)
        inputs = recorded.inputs()
        for array in inputs:
            if array.dtype.__name__.startswith("float"):
                array.attach_grad()
        with mx.autograd.record():
            out = layer(*inputs)
            heads = list(out) if isinstance(out, (list, tuple)) else [out]
            total = sum((head * head).sum() for head in heads)
        total.backward()
        found = [head.asnumpy() for head in heads]
        found += [array.grad.asnumpy() for array in inputs if array.grad is not None]
        parameters = layer.collect_params().values()
        found += [parameter.data().asnumpy() for parameter in parameters]
        found += [parameter.grad().asnumpy() for parameter in parameters if parameter.grad_req != "null"]
        results.append(found)
    assert len(results[0]) == len(results[1])
    for eager, compiled in zip(*results):
        assert (compiled.shape, compiled.dtype) == (eager.shape, eager.dtype)
        # Kernels that add in another order: what matters is the size of the numbers that were added.
        scale = np.abs(eager).max(initial=0.0)
        np.testing.assert_allclose(compiled, eager, rtol=1e-5, atol=2e-6 * max(1.0, scale))
