"""`mx.runtime`: what this installation can do."""

import importlib.util

import pytest
import torch

from mxnet import runtime


def test_features_are_asked_by_name_in_any_case():
    features = runtime.Features()
    assert features.is_enabled("cuda") is features.is_enabled("CUDA") is torch.cuda.is_available()
    assert features["OPENMP"].name == "OPENMP"
    assert features["INT64_TENSOR_SIZE"].enabled is True


def test_features_print_a_mark_and_the_name():
    features = runtime.Features()
    assert repr(features["DEBUG"]) == "✖ DEBUG"
    assert repr(features["INT64_TENSOR_SIZE"]) == "✔ INT64_TENSOR_SIZE"
    assert repr(features).startswith("[")
    assert "✖ DEBUG" in repr(features)


def test_unknown_features_are_refused():
    with pytest.raises(RuntimeError, match=r"\[Features\] received 'warp_drive'; expected one of CUDA, CUDNN"):
        runtime.Features().is_enabled("warp_drive")


def test_the_list_has_every_feature():
    assert runtime.feature_list() == list(runtime.Features().values())
    assert all(type(feature.enabled) is bool for feature in runtime.feature_list())


def test_there_is_one_table_with_the_names_of_mxnet():
    features = runtime.Features()
    assert features is runtime.Features()
    names = """CUDA CUDNN NCCL CUDA_RTC TENSORRT CPU_SSE CPU_SSE2 CPU_SSE3 CPU_SSE4_1 CPU_SSE4_2 CPU_SSE4A CPU_AVX
        CPU_AVX2 OPENMP SSE F16C JEMALLOC BLAS_OPEN BLAS_ATLAS BLAS_MKL BLAS_APPLE LAPACK MKLDNN OPENCV CAFFE PROFILER
        DIST_KVSTORE CXX14 INT64_TENSOR_SIZE SIGNAL_HANDLER DEBUG TVM_OP"""
    assert list(features) == [*names.split(), "NATIVE_KERNELS"]


def test_the_kernels_in_use_are_named():
    feature = runtime.Features()["NATIVE_KERNELS"]
    assert (feature.name, feature.enabled) == tuple(feature) == ("NATIVE_KERNELS", False)
    assert repr(feature) == "✖ NATIVE_KERNELS (torch's kernels are used: MXNET_NATIVE=0)"
    assert runtime.Features().is_enabled("native_kernels") is False


def test_opencv_is_enabled_where_it_is_installed():
    assert runtime.Features().is_enabled("OPENCV") is (importlib.util.find_spec("cv2") is not None)
