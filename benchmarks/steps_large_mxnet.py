"""Steps of the larger networks, on this library and the real MXNet 1.9.1 alike."""

from functools import partial

from networks import CHECKED, WARM_UP, asked
from networks_bert_gluon import bert
from networks_gluon import image_classifier
from networks_large import LARGE, LARGE_SETTLED
from networks_ssd_gluon import detected, ssd_detection, ssd_training
from steps_mxnet import IS_OURS, inference, training
from workload import Job, Timed

from mxnet import nd
from mxnet.gluon.model_zoo import vision

NETWORKS = {
    "resnet50_infer_1": partial(image_classifier, vision.resnet50_v1, 1),
    "resnet50_infer_8": partial(image_classifier, vision.resnet50_v1, 8),
    "resnet50_train": partial(image_classifier, vision.resnet50_v1, 8, 128),
    "bert_infer": bert,
    "bert_train": bert,
    "ssd_mobilenet_train": ssd_training,
    "ssd_mobilenet_detect": ssd_detection,
}
RESULTS = {"ssd_mobilenet_detect": detected}


def _trained(found: list) -> list:
    """The loss as one number, as torch's is."""
    return [*found[:-1], found[-1].mean()]


def _job(argument: str) -> Job:
    name, mode = asked(argument)
    loops, optimizer, rate = LARGE[name]
    network = NETWORKS[name]()
    warm_up = LARGE_SETTLED[name] if IS_OURS else WARM_UP
    if optimizer:
        run, results = training(network, mode, optimizer, rate), _trained
    else:
        run, results = inference(network, mode), RESULTS.get(name, list)
    return Job(run, nd.waitall, loops, warm_up, results, checked=CHECKED)


WORKLOADS = {"large": Timed(_job)}
