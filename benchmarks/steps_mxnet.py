"""Steps of networks: training or inference, eager or hybridized, on this library and the real MXNet 1.9.1 alike."""

from networks import ALL, CHECKED, EPSILON, SETTLED, WARM_UP, asked
from networks_gluon import NETWORKS, Network
from workload import Job, Timed

import mxnet
from mxnet import autograd, gluon, nd

IS_OURS = hasattr(mxnet, "ops")
HYBRIDIZE = {"hybridized": {}, "static": {"static_alloc": True, "static_shape": True}}


def _prepared(network: Network, mode: str) -> None:
    """Gives the parameters the values that all sides begin with, and hybridizes if asked to.

    Nothing is computed yet: the first call stays the first.
    """
    network.net.infer_shape(*network.data)
    network.net.initialize()
    for number, parameter in enumerate(network.net.collect_params().values()):
        kind = parameter.name.rpartition("_")[2]
        parameter.set_data(nd.array(network.fill(number, parameter.shape, kind)))
    if mode != "eager":
        network.net.hybridize(**HYBRIDIZE[mode])
        network.loss.hybridize(**HYBRIDIZE[mode])
    nd.waitall()


def _outputs(found) -> list:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def training(network: Network, mode: str, optimizer: str, rate: float):
    """A function that takes one training step, and returns the results of the network and the loss."""
    _prepared(network, mode)
    net, data, label, loss_of, _ = network
    settings = {"adam": {"epsilon": EPSILON}}.get(optimizer, {})
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": rate, **settings})

    def run():
        with autograd.record():
            found = _outputs(net(*data))
            loss = loss_of(*found, *label)
        loss.backward()
        trainer.step(data[0].shape[0])
        return [*found, loss]

    return run


def inference(network: Network, mode: str):
    """A function that calls the network."""
    _prepared(network, mode)
    return lambda: _outputs(network.net(*network.data))


def results(found: list) -> list:
    """The loss as one number, as torch's is."""
    return [*found[:-1], found[-1].mean()]


def _job(argument: str) -> Job:
    name, mode = asked(argument)
    loops, optimizer, rate = ALL[name]
    network = NETWORKS[name]()
    warm_up = SETTLED if IS_OURS else WARM_UP
    if optimizer:
        return Job(training(network, mode, optimizer, rate), nd.waitall, loops, warm_up, results, checked=CHECKED)
    return Job(inference(network, mode), nd.waitall, loops, warm_up, checked=CHECKED)


WORKLOADS = {"network": Timed(_job)}
