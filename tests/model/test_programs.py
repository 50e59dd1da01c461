"""FeedForward and checkpoints give what they give in the real MXNet."""

import logging

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import FileFormatError
from mxnet.executor_manager import _check_arguments, _split_input_slice
from mxnet.model import _create_kvstore, _create_sparse_kvstore
from tests.module.recorded import check
from tools.oracle.module_programs import MODELS


@pytest.mark.parametrize("name", MODELS)
def test_program(name: str, tmp_path):
    check("models", name, MODELS[name], tmp_path)


def linear() -> mx.sym.Symbol:
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2, name="fc"), name="softmax")


def test_feed_forward_is_old():
    with pytest.warns(DeprecationWarning, match=r"mx\.mod\.Module"):
        mx.model.FeedForward(linear())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_feed_forward_on_arrays_with_buckets_of_its_own_iterator():
    model = mx.model.FeedForward(linear(), num_epoch=3, numpy_batch_size=4, learning_rate=0.5)
    data = np.random.RandomState(0).randn(12, 3).astype("float32")
    label = (data[:, 0] > 0).astype("float32")
    model.fit(data, label[:, None], eval_data=(data.tolist(), label.tolist()))
    assert model.predict(data).shape == (12, 2)
    assert model.score(mx.io.NDArrayIter(data, label, 4)) > 0.5


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_feed_forward_drops_extra_parameters():
    params = {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros((2,)), "other": mx.nd.ones((1,))}
    model = mx.model.FeedForward(linear(), arg_params=params, aux_params={}, allow_extra_params=True)
    assert sorted(model.arg_params) == ["fc_bias", "fc_weight"]
    with pytest.raises(TypeError, match="num_epoch: received None"):
        model.fit(np.zeros((4, 3)), np.zeros(4))
    with pytest.raises(ValueError, match="Eval data is NONE"):
        model._init_eval_iter((None, 1))
    with pytest.raises(TypeError, match="eval_data: received int"):
        model._init_eval_iter(3)
    with pytest.raises(ValueError, match=r"y: received the shape \(4, 2\)"):
        model._init_iter(np.zeros((4, 3)), np.zeros((4, 2)), True)


def test_files_without_marks(tmp_path):
    mx.nd.save(str(tmp_path / "net-0001.params"), {"fc_weight": mx.nd.ones((2,))})
    with pytest.raises(FileFormatError, match=r"received fc_weight without a mark; expected names such as arg:fc"):
        mx.model.load_params(tmp_path / "net", 1)
    mx.nd.save(str(tmp_path / "net-0002.params"), [mx.nd.ones((2,))])
    with pytest.raises(FileFormatError, match="array 0 without a mark"):
        mx.model.load_params(tmp_path / "net", 2)
    mx.nd.save(str(tmp_path / "net-0003.params"), {"xyz:a": mx.nd.ones((2,)), "arg:b": mx.nd.ones((1,))})
    assert list(mx.model.load_params(tmp_path / "net", 3)[0]) == ["b"]
    module = mx.mod.Module(linear())
    module.bind([("data", (2, 3))], [("softmax_label", (2,))])
    with pytest.raises(ValueError, match="received 'xyz:a'; expected arg:"):
        module.load_params(tmp_path / "net-0003.params")


def test_empty_file_is_told(tmp_path, caplog):
    mx.nd.save(str(tmp_path / "net-0001.params"), [])
    with caplog.at_level(logging.WARNING):
        assert mx.model.load_params(tmp_path / "net", 1) == ({}, {})
    assert caplog.messages[0].endswith("is empty")


def test_stores(monkeypatch):
    params = {"w": mx.nd.zeros((2,))}
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", "0")
    assert _create_kvstore("device", 2, params)[1] is False
    with pytest.raises(TypeError, match=r"\[kvstore\] received int; expected a KVStore, a str or None"):
        _create_kvstore(3, 2, params)
    with pytest.raises(TypeError, match="with row_sparse parameters"):
        _create_sparse_kvstore(None)
    assert _create_sparse_kvstore("local")[1] is True


def test_slices_and_names():
    with pytest.raises(ValueError, match=r"received \[1, 1, 1\] for a batch of 2: Too many slices"):
        _split_input_slice(2, [1, 1, 1])
    x = mx.sym.Variable("x")
    with pytest.raises(ValueError, match="Find duplicated argument name x"):
        _check_arguments(x + mx.sym.Variable("x"))
