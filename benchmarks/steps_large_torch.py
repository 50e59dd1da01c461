"""Steps of the larger networks for plain PyTorch."""

from functools import partial

from networks import CHECKED, WARM_UP, asked
from networks_bert_torch import bert
from networks_large import LARGE
from networks_resnet50_torch import resnet50
from networks_ssd_torch import ssd_detection, ssd_training
from networks_torch import image_classifier
from steps_torch import inference, training
from torch.utils.flop_counter import FlopCounterMode
from workload import Job, Timed

NETWORKS = {
    "resnet50_infer_1": partial(image_classifier, resnet50, 1),
    "resnet50_infer_8": partial(image_classifier, resnet50, 8),
    "resnet50_train": partial(image_classifier, resnet50, 8, 128),
    "bert_infer": bert,
    "bert_train": bert,
    "ssd_mobilenet_train": ssd_training,
    "ssd_mobilenet_detect": ssd_detection,
}


def _run(name: str, mode: str):
    _, optimizer, rate = LARGE[name]
    network = NETWORKS[name]()
    return training(network, mode, optimizer, rate) if optimizer else inference(network, mode)


def _job(argument: str) -> Job:
    name, mode = asked(argument)
    return Job(_run(name, mode), loops=LARGE[name].loops, warm_up=WARM_UP, checked=CHECKED)


def _operations(name: str) -> float:
    """How many additions and multiplications the work has in matrix products and convolutions."""
    run = _run(name, "eager")
    with FlopCounterMode(display=False) as counter:
        run()
    return float(counter.get_total_flops())


WORKLOADS = {"large": Timed(_job), "large_operations": _operations}
