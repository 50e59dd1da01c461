"""Run the shared workloads on PyTorch, as a user writes them at first ("eager"), tuned, and compiled.

    python adapter_torch.py          one process
    python adapter_torch.py ranks    one rank of distributed training, with the environment of torchrun

worker.py describes the requests that the process answers. Tuned means channels last and fused optimizers.
"""

import contextlib
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import constants
import inputs
import numpy as np
import torch
import torch.distributed as dist
import torch_from_graph
from adapter import Adapter, Array, ImageSet, Network, Run, TrainBatch
from limits_torch import addition, least, product
from networks_torch import LOSSES, NETWORKS, Forecast, lenet, mlp, resnet18
from networks_torch_large import FusedFill
from tasks import make_tasks, open_params
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from worker import Call, Job, Task, Timed, serve
from workloads import RANK_STEPS, Step

OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": partial(torch.optim.Adam, eps=constants.EPSILON)}
NORM_KINDS = {"weight": "gamma", "bias": "beta", "running_mean": "mean", "running_var": "var"}


@torch.no_grad()
def fill(network: Network) -> None:
    """Initialize the parameters with the values that all sides share."""
    number = 0
    for module in network.net.modules():
        norm = isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d | nn.LayerNorm)
        own = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        for name, tensor in own:
            if name == "num_batches_tracked":
                continue
            kind = NORM_KINDS[name] if norm else name.split("_")[0]
            tensor.copy_(torch.tensor(network.fill(number, tensor.shape, kind)))
            number += 1


def _prepare(network: Network, mode: str) -> Network:
    """Initialize a network; convert it and its images to channels last if tuned."""
    fill(network)
    if mode != "tuned":
        return network
    network.net.to(memory_format=torch.channels_last)
    return network._replace(
        data=[x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x for x in network.data]
    )


def _outputs(found: Array | tuple[Array, ...]) -> list[Array]:
    return list(found) if isinstance(found, tuple) else [found]


class _Images(Dataset):
    def __init__(self, images: ImageSet) -> None:
        self._mean, self._deviation = images.mean, images.deviation
        self._images, self._labels = torch.tensor(images.images), images.labels.tolist()

    def __len__(self) -> int:
        return len(self._labels)

    def __getitem__(self, number: int) -> tuple[Array, int]:
        image = self._images[number].permute(2, 0, 1).to(torch.float32).div_(255)
        return image.sub_(self._mean).div_(self._deviation), self._labels[number]


class _Accuracy:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._correct = self._count = 0

    def update(self, label: Array, outputs: Array) -> None:
        self._correct += (outputs.argmax(1) == label).sum().item()
        self._count += len(label)

    def get(self) -> float:
        return self._correct / self._count


class TorchAdapter(Adapter):
    """Plain PyTorch."""

    def array(self, values: np.ndarray) -> Array:
        return torch.tensor(values)

    def variable(self, array: Array) -> Array:
        return array.clone().requires_grad_()

    def mean(self, loss: Array) -> Array:
        return loss  # losses are means already

    def wait(self) -> None:
        """Return at once: calls on the CPU are synchronous."""

    def record(self):
        return contextlib.nullcontext()  # autograd always records variables

    def calls(self, inputs: Mapping[str, Array]) -> dict[str, tuple[Array, Callable[[Array], Array]]]:
        x, other, wide, weight, bias = (inputs[name] for name in ("x", "other", "wide", "weight", "bias"))
        return {
            "sum_axis": (x, lambda x: torch.sum(x, dim=1)),
            "mean_axis": (x, lambda x: x.mean(dim=0)),
            "fully_connected": (weight, lambda weight: F.linear(wide, weight, bias)),
            "reshape": (x, lambda x: x.reshape((4, 3))),
            "transpose": (x, lambda x: x.permute((1, 0))),
            "slice": (x, lambda x: x[1:3]),
            "concat": (x, lambda x: torch.cat((x, other), dim=1)),
            "softmax": (x, lambda x: torch.softmax(x, dim=-1)),
            "clip": (x, lambda x: torch.clip(x, 0, 1)),
            "relu": (x, torch.relu),
            "activation": (x, torch.tanh),
        }

    def backward_step(self, variable: Array, a: Array, b: Array, loops: int) -> Array:
        ones = torch.ones(3, 4)
        for _ in range(loops):
            found = variable * b + a
            variable.grad = None  # Gluon overwrites gradients, too
            found.backward(ones)
        return variable.grad

    def backward_call(self, call: Callable[[Array], Array], variable: Array, head: Array, loops: int) -> Array:
        for _ in range(loops):
            found = call(variable)
            variable.grad = None
            found.backward(head)
        return variable.grad

    def network(self, step: Step, path: str = "") -> Network:
        data, label = ([torch.tensor(values) for values in arrays] for arrays in inputs.INPUTS[step.inputs](step))
        if path:
            net, values = torch_from_graph.load(path, data[0].dim() == 4)
        else:
            net, values = NETWORKS[step.network](), inputs.FILLS[step.fill]
        if step.network == "bert":
            values = FusedFill()
        return Network(net, data, label, LOSSES[step.loss], values)

    def training(self, network: Network, mode: str, optimizer: str, rate: float) -> Run:
        net, data, label, loss_of, _ = _prepare(network, mode)
        update = OPTIMIZERS[optimizer](net.parameters(), lr=rate, fused=True if mode != "eager" else None)

        def forward():
            found = _outputs(net(*data))
            return [*found, loss_of(*found, *label)]

        if mode == "compiled":
            forward = torch.compile(forward)

        def run():
            update.zero_grad(set_to_none=True)
            found = forward()
            found[-1].backward()
            update.step()
            return found

        return run

    def inference(self, network: Network, mode: str) -> Run:
        net, data, *_ = _prepare(network, mode)
        net.eval()
        if mode == "compiled":
            torch._inductor.config.freezing = True
            net = torch.compile(net)
        # Freezing needs no_grad; otherwise inference_mode is faster.
        without_grad = torch.no_grad() if mode == "compiled" else torch.inference_mode()

        def run():
            with without_grad:
                return _outputs(net(*data))

        return run

    def predict(self, network: Network) -> Callable[[Array], Array]:
        def predict(data: Array) -> Array:
            with torch.no_grad():  # holds for one thread only
                return network.net(data)

        return predict

    def results(self, step: Step) -> Callable[[list], Sequence]:
        return list

    def save_params(self, path: str) -> None:
        torch.save({f"layer{i}_weight": torch.ones(512, 512) for i in range(100)}, path)

    def open_params(self, path: str, is_mapped: bool) -> list[float]:
        return [float(x[0, 0]) for x in torch.load(path, mmap=is_mapped).values()]

    def loader(self, images: ImageSet, num_workers: int) -> DataLoader:
        # Workers that live as long as the loader, as those of Gluon do.
        return DataLoader(
            _Images(images),
            images.batch,
            sampler=images.order,
            num_workers=num_workers,
            persistent_workers=num_workers > 0,
        )

    def read(self, loader) -> Sequence[Array]:
        return deque(loader, maxlen=1)[0]

    def trainer(self, step: Step, mode: str, rate: float) -> TrainBatch:
        network = self.network(step)
        fill(network)
        net, loss_of = network.net, network.loss
        update = torch.optim.SGD(net.parameters(), lr=rate, fused=True)

        def train(data: Array, label: Array) -> tuple[Array, Array]:
            update.zero_grad(set_to_none=True)
            found = net(data)
            loss = loss_of(found, label)
            loss.backward()
            update.step()
            return found, loss.detach()

        return train

    def accuracy(self) -> _Accuracy:
        return _Accuracy()

    def clothes_batches(self) -> Callable[[], Iterator[tuple[Array, Array]]]:
        images, labels = (torch.tensor(values) for values in inputs.normalized_clothes())
        labels, batch = labels.long(), constants.CLOTHES_BATCH
        starts = range(0, len(images) // batch * batch, batch)

        def start() -> Iterator[tuple[Array, Array]]:
            return ((images[first : first + batch], labels[first : first + batch]) for first in starts)

        return start

    def forecaster(self, mode: str, is_fused: bool, example: Sequence[np.ndarray]) -> Callable[[Sequence], Array]:
        net = Forecast()
        fill(Network(net, [], [], None, inputs.uniform))
        update = torch.optim.Adam(net.parameters(), lr=constants.SERIES_RATE, eps=constants.EPSILON, fused=True)

        def train(batch: Sequence[np.ndarray]) -> Array:
            number, *others = (torch.from_numpy(values) for values in batch)
            update.zero_grad(set_to_none=True)
            loss = net(number.long(), *others)
            loss.backward()
            update.step()
            return loss.detach()

        return train


# -- Ranks: DistributedDataParallel over gloo --------------------------------------------------------------------------

RANK_NETWORKS = {"mlp": partial(mlp, 784, 256, 128, 10), "lenet": lenet, "resnet18": resnet18}
RANK_WARM_UP = 12  # DistributedDataParallel rebuilds its buckets after the first steps


def _rank_step(argument: str) -> Job:
    """Measure training steps: `mlp` as a user writes them, `mlp static` with a static graph, `mlp tuned` with both."""
    name, _, mode = argument.partition(" ")
    step = RANK_STEPS[name]
    x, y = (torch.from_numpy(values) for values in inputs.rank_data(name))
    net = RANK_NETWORKS[name]()
    fill(Network(net, [x], [], None, inputs.uniform))
    is_tuned = mode == "tuned"
    if is_tuned and x.dim() == 4:
        net, x = net.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
    parallel = DistributedDataParallel(
        net, gradient_as_bucket_view=True, broadcast_buffers=False, static_graph=mode in ("static", "tuned")
    )
    how = {"fused": True} if is_tuned else {"foreach": True}
    update = torch.optim.SGD(parallel.parameters(), lr=step.rate, momentum=constants.MOMENTUM, **how)

    def run():
        update.zero_grad(set_to_none=True)
        F.cross_entropy(parallel(x), y).backward()
        update.step()

    return Job(
        run,
        loops=step.loops,
        warm_up=RANK_WARM_UP,
        results=lambda _: list(net.parameters()),
        checked=constants.NUM_CHECKED_STEPS,
        is_shared=True,
    )


def _gradients(argument: str) -> Call:
    """Measure one sum of 100 MB."""
    values = torch.from_numpy(inputs.gradient_values())
    flat = torch.empty_like(values)

    def prepare():
        flat.copy_(values)
        dist.barrier()

    return Call(prepare, lambda: dist.all_reduce(flat), lambda: [flat])


def make_workloads() -> dict[str, Task]:
    """Return all tasks of this side."""
    adapter = TorchAdapter("torch")
    return {
        **make_tasks(adapter),
        "open_params_mapped": Timed(partial(open_params, adapter, is_mapped=True)),
        "instructions": lambda argument: torch.backends.cpu.get_cpu_capability(),
        "least": partial(least, adapter),
        "product": Timed(product),
        "addition": Timed(addition),
    }


def serve_rank() -> None:
    """Join the process group and serve the tasks of a rank."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    serve(torch.__version__, {"step": Timed(_rank_step), "gradients": Timed(_gradients)})
    dist.destroy_process_group()


if __name__ == "__main__":  # a worker of a loader may import this file
    if "ranks" in sys.argv:
        serve_rank()
    else:
        serve(torch.__version__, make_workloads())
