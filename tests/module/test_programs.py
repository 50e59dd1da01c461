"""Programs with modules give what they give in the real MXNet: values, log lines, refusals."""

import pytest

from tests.module.recorded import check, check_refused
from tools.oracle.module_programs import MODULES, REFUSED


@pytest.mark.parametrize("name", MODULES)
def test_program(name: str, tmp_path):
    check("modules", name, MODULES[name], tmp_path)


# How the texts of the refusals begin.
TEXTS = {
    "too early: init_params": "[Module.init_params] comes too early",
    "too early: forward": "[Module.forward] comes too early",
    "too early: get_params": "[Module.get_params] comes too early",
    "too early: init_optimizer": "[Module.init_optimizer] comes too early",
    "too early: update": "[Module.update] comes too early",
    "too early: output_shapes": "[Module.output_shapes] comes too early",
    "too early: predict": "[Module.predict] comes too early",
    "too early: save states": "[Module.save_optimizer_states] comes too early",
    "data name": "[Module] data_names=['dat']: 'dat' is not found in symbol.list_arguments(), whose",
    "fixed name": "[Module] fixed_param_names=['fc3_weight']: 'fc3_weight' is not found in",
    "data shapes": "[Module] Data provided by data_shapes don't match names specified by data_names",
    "batch sizes": "[bind] all data must have the same batch size: received softmax_label of shape (4,)",
    "more contexts than examples": "[work_load_list] received [1, 1, 1] for a batch of 2: Too many slices",
    "work loads": "[Module] work_load_list: received 1 numbers",
    "grad_req": "[bind] grad_req: received 3",
    "input gradients without training": "[Module.bind] inputs_need_grad=True needs for_training=True.",
    "no input gradients": "[get_input_grads] there are none",
    "backward without training": "[backward] the module is bound for predictions",
    "missing parameter": "[Module.init_params] fc1_bias is not presented",
    "extra parameter": "[Executor] there is no argument 'other'",
    "epochs": "[Module.fit] please specify number of epochs: num_epoch=...",
    "labels of another size": "[Executor] reshape: argument softmax_label would change from (8,) to (3,)",
    "predict": "[Module.predict] eval_data: received list",
    "states": "[set_states] Only one of states & value can be specified, and one must be.",
    "optimizer": "[Module.init_optimizer] optimizer: received int.",
    "kvstore": "[kvstore] received int",
    "bucket key": "[BucketingModule] default_bucket_key: received None",
    "empty chain": "[SequentialModule.bind] Attempting to bind an empty SequentialModule",
    "unknown meta": '[SequentialModule.add] Unknown meta "takes_labels", a typo? Expected some of',
    "abstract": "[BaseModule] does not define forward",
    "python loss": "[PythonLossModule] does not define _backward_impl, nor got a grad_func",
    "python module": "[PythonModule.bind] data_shapes: received ['other']",
    "buckets that disagree": "[simple_bind] fc1_weight: needs the shape (6, 5) of float32 in the memory of the shared",
    "feed forward labels": "[FeedForward] y must be specified when X is an array: it holds the labels.",
    "feed forward sizes": "[FeedForward] received 8 examples and 7 labels.",
    "feed forward data": "[FeedForward] X: received list",
    "same names": "[Symbol] Find duplicated argument name a_bias, a_weight",
    "monitor": "[Monitor] stat_func gave int for fc1_output",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    check_refused("refused", name, REFUSED[name], TEXTS[name])
