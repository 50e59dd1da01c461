"""Modules: subclassing, private names that other projects use, and texts of errors."""

import logging

import numpy as np
import pytest

import mxnet as mx
from mxnet.module._inputs import NotReadyError, WrongUseError, _prepare_group2ctxs
from mxnet.module.base_module import _as_list, _check_input_names, _check_names_match, _parse_data_desc
from mxnet.module.executor_group import DataParallelExecutorGroup, _load_data, _merge_multi_context


def linear(size: int = 2) -> mx.sym.Symbol:
    x = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=size, name="fc")
    return mx.sym.SoftmaxOutput(x, name="softmax")


def bound(**kwargs) -> mx.mod.Module:
    module = mx.mod.Module(linear(), **kwargs)
    module.bind([("data", (4, 3))], [("softmax_label", (4,))])
    module.init_params(mx.init.One())
    return module


def batch(size: int = 4) -> mx.io.DataBatch:
    return mx.io.DataBatch([mx.nd.ones((size, 3))], [mx.nd.zeros((size,))], pad=0)


def test_names_that_detection_projects_use():
    """SimpleDet and Deformable-ConvNets build modules of their own from these; insightface from the slices."""
    module = bound()
    for name in (
        *("_exec_group", "_arg_params", "_aux_params", "_param_names", "_aux_names", "_data_names", "_label_names"),
        *("_context", "_symbol", "_optimizer", "_kvstore", "_update_on_kvstore", "_updater", "_data_shapes"),
        *("_label_shapes", "_params_dirty", "_work_load_list", "_fixed_param_names", "_grad_req", "_state_names"),
        *("_output_names", "_preload_opt_states", "_total_exec_bytes", "_group2ctxs", "_compression_params"),
    ):
        assert hasattr(module, name), name
    group = module._exec_group
    for name in (
        *("execs", "data_arrays", "label_arrays", "param_arrays", "grad_arrays", "aux_arrays", "input_grad_arrays"),
        *("slices", "batch_size", "shared_data_arrays", "output_layouts", "data_layouts", "_default_execs"),
    ):
        assert hasattr(group, name), name
    assert int(group.execs[0].debug_str().split("\n")[-3].split()[1]) >= 0
    assert _as_list(3) == [3]
    data, labels = _parse_data_desc(["data"], [], [("data", (1, 2))], None)
    assert data == [mx.io.DataDesc("data", (1, 2))]
    assert labels is None
    with pytest.raises(ValueError, match=r"Data provided by data_shapes don't match names specified by data_names"):
        _check_names_match(["data"], [("other", (1,))], "data", True)
    with pytest.warns(UserWarning, match=r"'dat' is not found in symbol.list_arguments\(\).*Did you mean 'data'\?"):
        _check_input_names(linear(), ["dat"], "label", False)


def test_subclass_with_a_group_of_its_own():
    class Group(DataParallelExecutorGroup):
        def forward(self, data_batch, is_train=None):
            _load_data(data_batch, self.data_arrays, self.data_layouts)
            for each in self.execs:
                each.forward(is_train=is_train)

    class Mine(mx.mod.Module):
        def bind(self, *args, **kwargs):
            super().bind(*args, **kwargs)
            group = self._exec_group
            self._exec_group = Group(
                *(self._symbol, self._context, self._work_load_list, group.data_shapes, group.label_shapes),
                *(self._param_names, True, False, group),
            )

    module = Mine(linear(), context=[mx.cpu(0), mx.cpu(1)])
    module.bind([("data", (4, 3))], [("softmax_label", (4,))])
    module.init_params(mx.init.One())
    module.init_optimizer()
    module.forward_backward(batch())
    module.update()
    outputs = module._exec_group.get_outputs(merge_multi_context=False)
    assert _merge_multi_context(outputs, [0])[0].shape == (4, 2)


def test_buckets_share_memory():
    module = mx.mod.BucketingModule(lambda key: (linear(), ["data"], ["softmax_label"]), 4)
    module.bind([("data", (4, 3))], [("softmax_label", (4,))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 1.0})
    module.switch_bucket(2, [("data", (2, 3))], [("softmax_label", (2,))])
    first, second = (module._buckets[key]._exec_group.param_arrays[0][0] for key in (4, 2))
    assert first is second
    small = batch(2)
    small.bucket_key, small.provide_data, small.provide_label = 2, [("data", (2, 3))], [("softmax_label", (2,))]
    module.forward_backward(small)
    module.update()
    assert not np.array_equal(first.asnumpy(), np.ones((2, 3)))
    np.testing.assert_array_equal(module.get_params()[0]["fc_weight"].asnumpy(), first.asnumpy())


def test_missing_values_are_told(caplog):
    module = mx.mod.Module(linear())
    module._arg_params, module._aux_params, module.params_initialized = {"fc_bias": mx.nd.zeros((2,))}, {}, True
    with caplog.at_level(logging.WARNING):
        module.bind([("data", (4, 3))], [("softmax_label", (4,))])
    assert caplog.messages == ["[Module.bind] no values are given for fc_weight: they are zeros"]


def test_warnings():
    module = bound()
    with pytest.warns(UserWarning, match="values already and force_init=False"):
        module.init_params()
    with pytest.warns(UserWarning, match="values already and force_init=False"):
        module.set_params({}, {}, allow_missing=True, force_init=False)
    with pytest.warns(UserWarning, match="rescale_grad is 1.0, not 1.0 / batch size"):
        module.init_optimizer(optimizer=mx.optimizer.SGD())
    with pytest.warns(UserWarning, match="no need for sparse_row_id_fn"):
        module.prepare(batch(), sparse_row_id_fn=lambda each: {})


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda m: m.get_states(), WrongUseError, "merge_multi_context=True is not supported"),
        (lambda m: m.set_states(states=[], value=1), WrongUseError, "Only one of states & value"),
        (lambda m: m.forward([]), WrongUseError, "Encountered empty data batch"),
        (lambda m: m.forward([batch(1), batch(3)]), WrongUseError, "need the same shape"),
        (
            lambda m: m.bind([("data", (4, 3))], shared_module=3, force_rebind=True),
            WrongUseError,
            "shared_module: received int",
        ),
        (lambda m: m.init_params(None, force_init=True), WrongUseError, "neither a value nor an initializer"),
        (lambda m: m.update(), NotReadyError, r"\[Module.update\] comes too early; call init_optimizer\(\) first"),
        (lambda m: m.borrow_optimizer(bound()), NotReadyError, "call init_optimizer"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*label_shapes")
def test_refusals(call, kind, text):
    with pytest.raises(kind, match=text):
        call(bound())


def test_groups_of_contexts():
    one, two = mx.cpu(0), mx.cpu(1)
    assert _prepare_group2ctxs(None, 2) == [None, None]
    assert _prepare_group2ctxs({"a": one, "b": [one, two]}, 2) == [{"a": one, "b": one}, {"a": one, "b": two}]
    with pytest.raises(AssertionError, match="received 3 contexts; expected 1 or 2"):
        _prepare_group2ctxs({"a": [one] * 3}, 2)
    with pytest.raises(AssertionError, match="expected a dict from groups to contexts"):
        _prepare_group2ctxs(3, 2)


def test_states_of_rows_stay_after_rebinding():
    module = bound()
    module.init_optimizer(optimizer_params={"learning_rate": 1.0})
    module.forward_backward(batch())
    module.update()
    module.bind([("data", (2, 3))], [("softmax_label", (2,))], force_rebind=True)
    found = module._exec_group.param_arrays[0][0].asnumpy()
    assert not np.array_equal(found, np.ones((2, 3)))
