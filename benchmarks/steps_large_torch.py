"""Steps of the larger networks for plain PyTorch."""

from functools import partial

from counting_torch import counted
from networks import CHECKED, WARM_UP, asked
from networks_bert_torch import bert
from networks_large import LARGE
from networks_resnet50_torch import resnet50
from networks_ssd_torch import ssd_detection, ssd_training
from networks_torch import Network, image_classifier
from steps_torch import inference, training
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


def _run(name: str, network: Network, mode: str):
    _, optimizer, rate = LARGE[name]
    return training(network, mode, optimizer, rate) if optimizer else inference(network, mode)


def _job(argument: str) -> Job:
    name, mode = asked(argument)
    return Job(_run(name, NETWORKS[name](), mode), loops=LARGE[name].loops, warm_up=WARM_UP, checked=CHECKED)


def _least(name: str) -> dict[str, float]:
    """Operations and bytes that the work cannot do without."""
    network = NETWORKS[name]()
    return counted(_run(name, network, "eager"), network.net, LARGE[name].optimizer)


WORKLOADS = {"large": Timed(_job), "large_least": _least}
