"""CUDA source: refused in every way it can be reached."""

import pytest

import mxnet as mx
from mxnet.base import MXNetError


def test_modules():
    with pytest.raises(MXNetError, match=r"\[rtc.CudaModule\] CUDA source cannot be compiled here.*CustomOp"):
        mx.rtc.CudaModule("source", exports=["f"])
    with pytest.raises(MXNetError, match=r"\[rtc.CudaModule\]"):
        mx.rtc.CudaModule.get_kernel(None, "f", "float *x")


def test_kernels():
    with pytest.raises(MXNetError, match=r"\[rtc.CudaKernel\]"):
        mx.rtc.CudaKernel(None, "f", [], [])
    with pytest.raises(MXNetError, match=r"\[rtc.CudaKernel\]"):
        mx.rtc.CudaKernel.launch(None, [], mx.gpu(0), (1, 1, 1), (1, 1, 1))
