"""Run the shared workloads on MXNet's interface: this project and the real MXNet 1.9.1 execute the same lines.

    python adapter_mxnet.py ours       with this project installed
    python adapter_mxnet.py MXNet      with the Python of the real MXNet, which has neither torch nor regluon

worker.py describes the requests that the process answers. Only the interface of MXNet 1.9.1 is used.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

import constants
import inputs
import numpy as np
from adapter import Adapter, Array, ImageSet, Network, Run, TrainBatch
from mxnet_only import clothes_iterator, make_own_tasks
from networks_mxnet import HYBRIDIZE, LOSSES, NETWORKS, Forecast, fill, prepare
from networks_mxnet_large import detected
from tasks import make_tasks
from worker import Task, serve
from workloads import STEPS, Step

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon.data.vision import transforms
from mxnet.gluon.model_zoo import vision


def _outputs(found: Array | Sequence[Array]) -> list[Array]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _with_mean_loss(found: list[Array]) -> list[Array]:
    """Replace the losses of the images of a batch by their mean, which is the loss on torch's side."""
    return [*found[:-1], found[-1].mean()]


def _disable_dropout(block: gluon.Block) -> None:
    if isinstance(block, gluon.nn.Dropout):
        block._rate = 0


class _Accuracy:
    def __init__(self) -> None:
        self._metric = mx.metric.Accuracy()
        self.reset = self._metric.reset

    def update(self, label: Array, outputs: Array) -> None:
        self._metric.update([label], [outputs])

    def get(self) -> float:
        return self._metric.get()[1]


class MXNetAdapter(Adapter):
    """MXNet's interface, of this project or of the real MXNet."""

    def array(self, values: np.ndarray) -> Array:
        return nd.array(values)

    def variable(self, array: Array) -> Array:
        own = array.copy()
        own.attach_grad()
        return own

    def mean(self, loss: Array) -> Array:
        return loss.mean()

    def wait(self) -> None:
        nd.waitall()

    def record(self):
        return autograd.record()

    def calls(self, inputs: Mapping[str, Array]) -> dict[str, tuple[Array, Callable[[Array], Array]]]:
        x, other, wide, weight, bias = (inputs[name] for name in ("x", "other", "wide", "weight", "bias"))
        return {
            "sum_axis": (x, lambda x: nd.sum(x, axis=1)),
            "mean_axis": (x, lambda x: x.mean(axis=0)),
            "fully_connected": (weight, lambda weight: nd.FullyConnected(wide, weight, bias, num_hidden=16)),
            "reshape": (x, lambda x: x.reshape((4, 3))),
            "transpose": (x, lambda x: x.transpose((1, 0))),
            "slice": (x, lambda x: x[1:3]),
            "concat": (x, lambda x: nd.concat(x, other, dim=1)),
            "softmax": (x, lambda x: nd.softmax(x, axis=-1)),
            "clip": (x, lambda x: nd.clip(x, 0, 1)),
            "relu": (x, nd.relu),
            "activation": (x, lambda x: nd.Activation(x, act_type="tanh")),
        }

    def backward_step(self, variable: Array, a: Array, b: Array, loops: int) -> Array:
        for _ in range(loops):
            with autograd.record():
                found = variable * b + a
            found.backward()
        return variable.grad

    def backward_call(self, call: Callable[[Array], Array], variable: Array, head: Array, loops: int) -> Array:
        for _ in range(loops):
            with autograd.record():
                found = call(variable)
            found.backward(head)
        return variable.grad

    def network(self, step: Step, path: str = "") -> Network:
        data, label = ([nd.array(values) for values in arrays] for arrays in inputs.INPUTS[step.inputs](step))
        make = NETWORKS.get(step.network)
        net = make() if make else vision.get_model(step.network)
        if step.is_deterministic:
            net.apply(_disable_dropout)
        return Network(net, data, label, LOSSES[step.loss](), inputs.FILLS[step.fill])

    def training(self, network: Network, mode: str, optimizer: str, rate: float) -> Run:
        prepare(network, mode)
        net, data, label, loss_of, _ = network
        settings = {"adam": {"epsilon": constants.EPSILON}}.get(optimizer, {})
        trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": rate, **settings})

        def run():
            with autograd.record():
                found = _outputs(net(*data))
                loss = loss_of(*found, *label)
            loss.backward()
            trainer.step(data[0].shape[0])
            return [*found, loss]

        return run

    def inference(self, network: Network, mode: str) -> Run:
        prepare(network, mode)
        return lambda: _outputs(network.net(*network.data))

    def predict(self, network: Network) -> Callable[[Array], Array]:
        def predict(data: Array) -> Array:
            found = network.net(data)
            found.wait_to_read()
            return found

        return predict

    def results(self, step: Step) -> Callable[[list], Sequence]:
        if step.optimizer:
            return _with_mean_loss
        return detected if step.network == "ssd_detections" else list

    def graph(self, name: str) -> dict[str, object]:
        """Return the operators of a step's network as JSON, and the shapes of its parameters in order."""
        network = self.network(STEPS[name])
        network.net.infer_shape(*network.data)
        shapes = {name: list(parameter.shape) for name, parameter in network.net.collect_params().items()}
        return {"graph": network.net(mx.sym.var("data")).tojson(), "shapes": shapes}

    def save_params(self, path: str) -> None:
        nd.save(path, {f"layer{i}_weight": nd.ones((512, 512)) for i in range(100)})

    def open_params(self, path: str, is_mapped: bool) -> list[float]:
        return [float(x[0, 0].asscalar()) for x in nd.load(path).values()]

    def loader(self, images: ImageSet, num_workers: int) -> gluon.data.DataLoader:
        normalize = transforms.Compose([transforms.ToTensor(), transforms.Normalize(images.mean, images.deviation)])
        dataset = gluon.data.ArrayDataset(nd.array(images.images, dtype="uint8"), images.labels)
        dataset = dataset.transform_first(normalize)
        return gluon.data.DataLoader(dataset, images.batch, sampler=images.order, num_workers=num_workers)

    def read(self, loader) -> Sequence[Array]:
        for batch in loader:
            batch[0].wait_to_read()  # a batch is complete when its numbers are there
        return batch

    def trainer(self, step: Step, mode: str, rate: float) -> TrainBatch:
        network = self.network(step)
        prepare(network, mode)
        network.loss.hybridize()
        net, loss_of = network.net, network.loss
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate})

        def train(data: Array, label: Array) -> tuple[Array, Array]:
            with autograd.record():
                found = net(data)
                loss = loss_of(found, label)
            loss.backward()
            trainer.step(len(data))  # of sentences: their length, as the loss has a number per word
            return found, loss

        return train

    def accuracy(self) -> _Accuracy:
        return _Accuracy()

    def clothes_batches(self) -> Callable[[], Iterator[tuple[Array, Array]]]:
        iterator = clothes_iterator()

        def start() -> Iterator[tuple[Array, Array]]:
            iterator.reset()
            return ((batch.data[0], batch.label[0]) for batch in iterator)

        return start

    def forecaster(self, mode: str, is_fused: bool, example: Sequence[np.ndarray]) -> Callable[[Sequence], Array]:
        net = Forecast(is_fused)
        fill(Network(net, [nd.array(values) for values in example], [], None, inputs.uniform))
        if mode != "eager":
            net.hybridize(**HYBRIDIZE[mode])
        nd.waitall()
        settings = {"learning_rate": constants.SERIES_RATE, "epsilon": constants.EPSILON}
        trainer = gluon.Trainer(net.collect_params(), "adam", settings)

        def train(batch: Sequence[np.ndarray]) -> Array:
            with autograd.record():
                loss = net(*(nd.array(values) for values in batch))
            loss.backward()
            trainer.step(constants.SERIES_BATCH)
            return loss

        return train


def make_workloads(library: str) -> dict[str, Task]:
    """Return all tasks of this side."""
    adapter = MXNetAdapter(library)
    return {**make_tasks(adapter), **make_own_tasks(adapter), "graph": adapter.graph}


if __name__ == "__main__":  # a worker of a loader may import this file
    serve(mx.__version__, make_workloads(sys.argv[1]))
