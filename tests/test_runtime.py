"""`mx.runtime`: what this installation can do."""

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
