"""Devices: what they are, which one is the default, and what happens without a GPU."""

import base64
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import mxnet as mx
from mxnet import nd
from mxnet.base import MXNetError
from mxnet.context import Context, context_of, gpu_memory_info

without_gpu = pytest.mark.skipif(mx.num_gpus() > 0, reason="this machine has a GPU")
NO_GPU = r"^\[gpu\({}\)\] PyTorch finds no CUDA device on this machine; use mx.cpu\(\), or install a CUDA build"


def test_what_a_context_says_of_itself():
    context = mx.cpu_pinned(2)
    assert str(context) == repr(context) == "cpu_pinned(2)"
    assert (context.device_type, context.device_typeid, context.device_id) == ("cpu_pinned", 3, 2)
    assert [str(mx.cpu()), str(mx.cpu(1)), str(mx.gpu(3))] == ["cpu(0)", "cpu(1)", "gpu(3)"]
    assert [Context(kind).device_typeid for kind in ("cpu", "gpu", "cpu_pinned", "cpu_shared")] == [1, 2, 3, 5]


def test_contexts_compare_by_value():
    assert mx.cpu() == mx.cpu(0) == Context("cpu") == Context(mx.cpu(0))
    assert mx.cpu(0) != mx.cpu(1)
    assert mx.cpu(1) != mx.gpu(1)
    assert mx.cpu() != "cpu(0)"
    assert {mx.cpu(1): "a"}[Context("cpu", 1)] == "a"


def test_two_cpus_are_two_contexts_on_one_device():
    a, b = nd.ones(2, ctx=mx.cpu(0)), nd.ones(2, ctx=mx.cpu(1))
    assert a.context != b.context
    assert a._t.device == b._t.device
    assert (a + b).context == mx.cpu(0)
    assert (b + a).context == mx.cpu(1)
    assert b.as_in_context(mx.cpu(1)) is b
    moved = b.as_in_context(mx.cpu(0))
    moved[:] = 5
    assert (moved.context, b.asnumpy().tolist()) == (mx.cpu(0), [1, 1])


def test_the_default_context_nests():
    seen = [mx.current_context()]
    with mx.cpu(1) as entered:
        seen.append(nd.zeros(1).context)
        with Context("cpu", 2):
            seen.append(nd.array([1]).context)
            with entered:
                seen.append(mx.current_context())
            seen.append(mx.current_context())
        seen.append(mx.current_context())
    seen.append(mx.current_context())
    assert list(map(str, seen)) == ["cpu(0)", "cpu(1)", "cpu(2)", "cpu(1)", "cpu(2)", "cpu(1)", "cpu(0)"]


def test_an_exception_restores_the_default():
    with pytest.raises(KeyError), mx.cpu(3):
        raise KeyError
    assert mx.current_context() == mx.cpu(0)


def test_the_default_belongs_to_a_thread():
    with mx.cpu(3), ThreadPoolExecutor(1) as pool:
        assert pool.submit(mx.current_context).result() == mx.cpu(0)


def test_default_ctx_can_be_read_and_set_on_the_class():
    assert Context.default_ctx == mx.cpu(0)
    try:
        Context.default_ctx = mx.cpu(4)
        assert nd.zeros(1).context == mx.cpu(4)
        with mx.cpu(1):
            assert Context.default_ctx == mx.cpu(1)
        assert mx.current_context() == mx.cpu(4)
    finally:
        Context.default_ctx = mx.cpu(0)


@pytest.mark.parametrize("context", [mx.cpu(), mx.cpu(1), mx.gpu(2), mx.cpu_pinned()], ids=str)
def test_contexts_can_be_pickled_and_copied(context):
    assert pickle.loads(pickle.dumps(context)) == context  # noqa: S301 - our own bytes
    assert copy.deepcopy(context) == copy.copy(context) == context


def test_a_context_pickled_by_mxnet():
    # pickle.dumps(mxnet.gpu(1), protocol=2) of MXNet 1.9.1
    saved = (
        "gAJjbXhuZXQuY29udGV4dApDb250ZXh0CnEAKYFxAX1xAihYDQAAAGRldmljZV90eXBlaWRxA0sCWAkAAABkZXZpY2VfaWRxBEsBWAgAAABfb2xk"
        "X2N0eHEFTnViLg=="
    )
    assert pickle.loads(base64.b64decode(saved)) == mx.gpu(1)  # noqa: S301


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("cpu(0)", "cpu(0)"),
        ("cpu(1)", "cpu(1)"),
        ("gpu(3)", "gpu(3)"),
        ("cpu", "cpu(0)"),
        ("", "cpu(0)"),
        (None, "cpu(0)"),
    ],
)
def test_contexts_from_text(given, expected):
    assert str(context_of(given)) == expected
    assert context_of(mx.gpu(1)) == mx.gpu(1)


@pytest.mark.parametrize("given", ["tpu(0)", "cpu(a)", "cpu(-1)", 7])
def test_other_texts_are_refused(given):
    with pytest.raises(MXNetError, match=r"\[Context\] received .*; expected a Context, or a text such as 'cpu\(0\)'"):
        context_of(given)


def test_unknown_device_types_are_refused():
    with pytest.raises(
        MXNetError, match=r"\[Context\] received device type 'tpu'; expected one of cpu, gpu, cpu_pinned"
    ):
        Context("tpu")
    with pytest.raises(TypeError, match="integer"):
        Context("cpu", "a")


@without_gpu
@pytest.mark.parametrize(
    "use",
    [
        lambda ctx: nd.zeros(1, ctx=ctx),
        lambda ctx: nd.array([1], ctx=ctx),
        lambda ctx: nd.empty(1, ctx=ctx),
        lambda ctx: nd.arange(3, ctx=ctx),
        lambda ctx: nd.linspace(0, 1, 3, ctx=ctx),
        lambda ctx: nd.full(3, 1, ctx=ctx),
        lambda ctx: nd.ones(1).as_in_context(ctx),
        lambda ctx: nd.ones(1).copyto(ctx),
        lambda ctx: nd.random.uniform(shape=2, ctx=ctx),
        lambda ctx: ctx.empty_cache(),
        lambda ctx: gpu_memory_info(ctx.device_id),
        lambda ctx: mx.util.get_gpu_memory(ctx.device_id),
    ],
)
def test_without_a_gpu_one_line_says_so(use):
    with pytest.raises(MXNetError, match=NO_GPU.format(1)) as caught:
        use(mx.gpu(1))
    assert "\n" not in str(caught.value)


@without_gpu
def test_without_a_gpu_the_default_may_still_name_one():
    with mx.gpu(0):
        assert mx.current_context() == mx.gpu(0)
        with pytest.raises(MXNetError, match=NO_GPU.format(0)):
            nd.zeros(1)
        assert nd.zeros(1, ctx=mx.cpu()).context == mx.cpu()


def test_a_gpu_number_out_of_range(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert mx.gpu(1).device == torch.device("cuda", 1)
    assert mx.num_gpus() == 2
    for number in (2, -1):
        with pytest.raises(MXNetError, match=rf"^\[gpu\({number}\)\] this machine has 2 CUDA device\(s\); use mx.cpu"):
            _ = mx.gpu(number).device


def test_the_apple_gpu_only_on_request(monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(MXNetError, match="no CUDA device"):
        _ = mx.gpu(0).device
    monkeypatch.setenv("MXNET_USE_MPS", "1")
    assert mx.gpu(0).device == torch.device("mps")
    assert mx.num_gpus() == 1
    with pytest.raises(MXNetError, match=r"\[gpu_memory_info\] mps does not report its memory; this works on CUDA"):
        gpu_memory_info(0)


def test_empty_cache_on_a_cpu_does_nothing():
    mx.cpu().empty_cache()
