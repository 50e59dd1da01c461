"""Inference with the models of the zoo, on this library and the real MXNet 1.9.1 alike."""

import inputs
from networks import CHECKED, SETTLED, WARM_UP
from networks_gluon import Network
from steps_mxnet import IS_OURS, inference
from workload import Job, Timed
from zoo import LOOPS, asked, side_of

from mxnet import gluon, nd, sym
from mxnet.gluon.model_zoo import vision


def _network(model: str) -> Network:
    side = side_of(model)
    return Network(vision.get_model(model), [nd.array(inputs.images(1, 3, side, side))], loss=gluon.loss.L2Loss())


def _job(argument: str) -> Job:
    model, mode, _ = asked(argument)
    warm_up = SETTLED if IS_OURS else WARM_UP
    return Job(inference(_network(model), mode), nd.waitall, LOOPS, warm_up, checked=CHECKED)


def graph(network: Network) -> dict:
    """The operators of a network as JSON, and the shapes of its parameters in their order."""
    network.net.infer_shape(*network.data)
    shapes = {name: list(parameter.shape) for name, parameter in network.net.collect_params().items()}
    return {"graph": network.net(sym.var("data")).tojson(), "shapes": shapes}


WORKLOADS = {"zoo": Timed(_job), "zoo_graph": lambda model: graph(_network(model))}
