"""Arrays on GPUs: making, moving, indexing, files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon
from tests.gpu.devices import Watch

_GPU = mx.gpu(0)
_VALUES = np.arange(12, dtype="float32").reshape(3, 4)


def _expect_on(array: Any, ctx: mx.Context) -> None:
    assert array.context == ctx
    assert array._t.device == ctx.device


def test_which_there_are(two_gpus: Watch) -> None:
    count = mx.context.num_gpus()
    assert mx.test_utils.list_gpus() == range(count) or list(mx.test_utils.list_gpus()) == list(range(count))
    with pytest.raises(mx.MXNetError, match=rf"\[gpu\({count}\)\] this machine has {count} CUDA device\(s\)"):
        mx.nd.ones((2,), ctx=mx.gpu(count))


@pytest.mark.parametrize(
    "make",
    [
        lambda ctx: mx.nd.array(_VALUES, ctx=ctx),
        lambda ctx: mx.nd.array([[1, 2], [3, 4]], ctx=ctx),
        lambda ctx: mx.nd.zeros((2, 3), ctx=ctx),
        lambda ctx: mx.nd.ones((2, 3), ctx=ctx, dtype="float16"),
        lambda ctx: mx.nd.full((2, 3), 7, ctx=ctx),
        lambda ctx: mx.nd.empty((2, 3), ctx=ctx),
        lambda ctx: mx.nd.arange(0, 10, 2, ctx=ctx),
        lambda ctx: mx.nd.linspace(0, 1, 5, ctx=ctx),
        lambda ctx: mx.nd.eye(3, ctx=ctx),
        lambda ctx: mx.nd.zeros((2,), ctx=ctx).zeros_like(),
        lambda ctx: mx.np.array(_VALUES, ctx=ctx),
        lambda ctx: mx.np.zeros((2, 3), ctx=ctx),
        lambda ctx: mx.np.arange(4, ctx=ctx),
        lambda ctx: mx.np.eye(3, ctx=ctx),
    ],
)
def test_made_there(make: Any, two_gpus: Watch) -> None:
    for ctx in (mx.gpu(0), mx.gpu(1)):
        _expect_on(make(ctx), ctx)
    assert not two_gpus.reads


def test_default_context(gpus: Watch) -> None:
    with _GPU:
        _expect_on(mx.nd.ones((2,)) + 1, _GPU)
        _expect_on(mx.np.ones((2,)) + 1, _GPU)


def test_moving(two_gpus: Watch) -> None:
    x = mx.nd.array(_VALUES, ctx=mx.gpu(0))
    assert x.as_in_context(mx.gpu(0)) is x
    for moved in (x.copyto(mx.gpu(1)), x.as_in_context(mx.gpu(1)), x.as_in_ctx(mx.gpu(1))):
        _expect_on(moved, mx.gpu(1))
        np.testing.assert_array_equal(moved.asnumpy(), _VALUES)
    target = mx.nd.zeros((3, 4), ctx=mx.gpu(1))
    assert x.copyto(target) is target
    _expect_on(target, mx.gpu(1))
    np.testing.assert_array_equal(target.asnumpy(), _VALUES)
    _expect_on(x.copy(), mx.gpu(0))
    _expect_on(x.copyto(mx.cpu()), mx.cpu())


def test_moving_while_recording(two_gpus: Watch) -> None:
    x = mx.nd.array(_VALUES, ctx=mx.gpu(0))
    x.attach_grad()
    with mx.autograd.record():
        y = (x * x).as_in_context(mx.gpu(1)).sum()
    two_gpus.clear()
    y.backward()
    assert not two_gpus.reads
    _expect_on(x.grad, mx.gpu(0))
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * _VALUES)


def test_reads_are_what_asks_for_values(gpus: Watch) -> None:
    x = mx.nd.array(_VALUES, ctx=_GPU)
    gpus.clear()
    y = ((x + 1) * 2 - x / 3) ** 2
    y += x
    y[:] = 3
    total = y.sum() > 0
    x.wait_to_read()
    assert not gpus.reads
    assert bool(total)
    assert float(y.sum().asscalar()) == 36
    assert len(gpus.reads) == 2


@pytest.mark.parametrize(
    "key",
    [1, slice(0, 2), slice(None, None, 2), (slice(None), 1), (slice(0, 2), slice(1, 3)), [0, 2], (1, [0, 3]), None],
    ids=str,
)
def test_indexing(key: Any, gpus: Watch) -> None:
    x = mx.nd.array(_VALUES, ctx=_GPU)
    x.attach_grad()
    gpus.clear()
    with mx.autograd.record():
        taken = x[key]
        loss = (taken * 2).sum()
    loss.backward()
    y = mx.nd.array(_VALUES, ctx=_GPU)
    y[key] = 5
    assert not gpus.reads
    _expect_on(taken, _GPU)
    _expect_on(x.grad, _GPU)
    expected = _VALUES.copy()
    expected[key] = 5
    np.testing.assert_array_equal(taken.asnumpy(), _VALUES[key])
    np.testing.assert_array_equal(y.asnumpy(), expected)


def test_indexing_by_arrays(gpus: Watch) -> None:
    x = mx.nd.array(_VALUES, ctx=_GPU)
    on_host = x[mx.nd.array([2, 0], dtype="int32")]
    there = x[mx.nd.array([2, 0], dtype="int32", ctx=_GPU)]
    for taken in (on_host, there):
        _expect_on(taken, _GPU)
        np.testing.assert_array_equal(taken.asnumpy(), _VALUES[[2, 0]])
    y = mx.np.array(_VALUES, ctx=_GPU)
    masked = y[y > 5]
    _expect_on(masked, _GPU)
    np.testing.assert_array_equal(masked.asnumpy(), _VALUES[_VALUES > 5])


def test_devices_do_not_mix(two_gpus: Watch) -> None:
    x, y = mx.nd.ones((2,), ctx=mx.gpu(0)), mx.nd.ones((2,), ctx=mx.gpu(1))
    with pytest.raises(mx.MXNetError, match=r"received arrays on different devices: lhs on gpu\(0\), rhs on gpu\(1\)"):
        x + y
    with pytest.raises(mx.MXNetError, match=r"lhs on gpu\(0\), rhs on cpu\(0\)"):
        mx.nd.dot(x, mx.nd.ones((2,)))


def test_files(tmp_path: Path, two_gpus: Watch) -> None:
    path = str(tmp_path / "arrays.params")
    mx.nd.save(path, {"x": mx.nd.array(_VALUES, ctx=mx.gpu(1))})
    loaded = mx.nd.load(path)["x"]
    _expect_on(loaded, mx.cpu())
    np.testing.assert_array_equal(loaded.asnumpy(), _VALUES)


def test_parameters_from_files(tmp_path: Path, two_gpus: Watch) -> None:
    path, both = str(tmp_path / "net.params"), [mx.gpu(0), mx.gpu(1)]
    net = gluon.nn.Dense(2, in_units=4)
    net.initialize(ctx=both)
    net.save_parameters(path)
    other = gluon.nn.Dense(2, in_units=4)
    other.load_parameters(path, ctx=mx.gpu(1))
    _expect_on(other.weight.data(), mx.gpu(1))
    again = gluon.nn.Dense(2, in_units=4)
    again.load_parameters(path, ctx=both)
    for ctx in both:
        _expect_on(again.weight.data(ctx), ctx)
        np.testing.assert_array_equal(again.weight.data(ctx).asnumpy(), net.weight.data(ctx).asnumpy())
    again.collect_params().reset_ctx(mx.gpu(0))
    _expect_on(again.weight.data(), mx.gpu(0))
    _expect_on(again.weight.grad(), mx.gpu(0))


@pytest.mark.parametrize(
    "init",
    [
        mx.init.Zero(),
        mx.init.One(),
        mx.init.Constant(3),
        mx.init.Uniform(),
        mx.init.Normal(),
        mx.init.Xavier(),
        mx.init.MSRAPrelu(),
        mx.init.Orthogonal(),
        mx.init.TruncNorm() if hasattr(mx.init, "TruncNorm") else mx.init.Normal(),
    ],
    ids=lambda init: type(init).__name__,
)
def test_initialized_alike(init: Any, two_gpus: Watch) -> None:
    net = gluon.nn.Dense(3, in_units=4)
    net.initialize(init, ctx=[mx.gpu(0), mx.gpu(1)])
    first, second = (net.weight.data(ctx) for ctx in (mx.gpu(0), mx.gpu(1)))
    _expect_on(first, mx.gpu(0))
    _expect_on(second, mx.gpu(1))
    np.testing.assert_array_equal(first.asnumpy(), second.asnumpy())


def test_split_and_load(two_gpus: Watch) -> None:
    both = [mx.gpu(0), mx.gpu(1)]
    parts = gluon.utils.split_and_load(mx.nd.array(_VALUES), both, even_split=False)
    for part, ctx in zip(parts, both):
        _expect_on(part, ctx)
    np.testing.assert_array_equal(np.concatenate([part.asnumpy() for part in parts]), _VALUES)
    norm = gluon.utils.clip_global_norm([part * 1 for part in parts], 1.0)
    np.testing.assert_allclose(float(norm), np.linalg.norm(_VALUES), rtol=1e-5)


@pytest.mark.parametrize("kind", ["local", "device"])
def test_kvstore(kind: str, two_gpus: Watch) -> None:
    store = mx.kv.create(kind)
    store.init(3, mx.nd.zeros((3, 4), ctx=mx.gpu(0)))
    values = [mx.nd.array(_VALUES, ctx=ctx) for ctx in (mx.gpu(0), mx.gpu(1))]
    pulled = [mx.nd.zeros((3, 4), ctx=ctx) for ctx in (mx.gpu(0), mx.gpu(1))]
    two_gpus.clear()
    store.push(3, values)
    store.pull(3, out=pulled)
    for array, ctx in zip(pulled, (mx.gpu(0), mx.gpu(1))):
        _expect_on(array, ctx)
        np.testing.assert_array_equal(array.asnumpy(), 2 * _VALUES)
