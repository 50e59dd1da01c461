"""Steps of networks for plain PyTorch, as a user writes them at first, tuned, and compiled."""

from functools import partial

import torch
from counting_torch import counted
from networks import ALL, CHECKED, EPSILON, WARM_UP, asked
from networks_torch import NETWORKS, Network
from torch import nn
from workload import Job, Timed

OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": partial(torch.optim.Adam, eps=EPSILON)}
KINDS = {"weight": "gamma", "bias": "beta", "running_mean": "mean", "running_var": "var"}
GEMM = 1536
ADDED = 1 << 24  # numbers: 64 MB an array


@torch.no_grad()
def _fill(network: Network) -> None:
    """Gives the parameters the values that all sides begin with."""
    number = 0
    for module in network.net.modules():
        norm = isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d | nn.LayerNorm)
        own = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        for name, tensor in own:
            if name == "num_batches_tracked":
                continue
            kind = KINDS[name] if norm else name.split("_")[0]
            tensor.copy_(torch.tensor(network.fill(number, tensor.shape, kind)))
            number += 1


def _prepared(network: Network, mode: str) -> Network:
    """With its parameters; images with their channels last if tuned."""
    _fill(network)
    if mode != "tuned":
        return network
    network.net.to(memory_format=torch.channels_last)
    return network._replace(
        data=[x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x for x in network.data]
    )


def _outputs(found) -> list:
    return list(found) if isinstance(found, tuple) else [found]


def training(network: Network, mode: str, optimizer: str, rate: float):
    """A function that takes one training step, and returns the results of the network and the loss."""
    net, data, label, loss_of, _ = _prepared(network, mode)
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


def inference(network: Network, mode: str):
    """A function that calls the network."""
    net, data, *_ = _prepared(network, mode)
    net.eval()
    if mode == "compiled":
        torch._inductor.config.freezing = True
        net = torch.compile(net)
    # Freezing needs no_grad; without it inference_mode is the quicker one.
    without = torch.no_grad() if mode == "compiled" else torch.inference_mode()

    def run():
        with without:
            return _outputs(net(*data))

    return run


def _job(argument: str) -> Job:
    name, mode = asked(argument)
    loops, optimizer, rate = ALL[name]
    network = NETWORKS[name]()
    run = training(network, mode, optimizer, rate) if optimizer else inference(network, mode)
    return Job(run, loops=loops, warm_up=WARM_UP, checked=CHECKED)


def _least(argument: str) -> dict[str, float]:
    """Operations and bytes that the work cannot do without."""
    name, _ = asked(argument)
    _, optimizer, rate = ALL[name]
    network = NETWORKS[name]()
    # The products of an LSTM can only be seen one by one without MKL-DNN. Its bytes are then more than the least: the
    # gradient of its weights counts at every word.
    with torch.backends.mkldnn.flags(enabled=name != "lstm_train", allow_tf32=None):
        run = training(network, "eager", optimizer, rate) if optimizer else inference(network, "eager")
        return counted(run, network.net, optimizer)


def _product(argument: str) -> Job:
    """A product of large matrices: what the machine can do at most. Seconds for one operation."""
    a, b = torch.rand(GEMM, GEMM), torch.rand(GEMM, GEMM)
    return Job(lambda: [a @ b], warm_up=2, share=2 * GEMM**3)


def _addition(argument: str) -> Job:
    """An addition of arrays that no cache holds: how fast memory is. Seconds for one byte."""
    a, b = torch.rand(ADDED), torch.rand(ADDED)
    total = torch.empty(ADDED)
    return Job(lambda: [torch.add(a, b, out=total)], warm_up=2, share=3 * total.nbytes)


WORKLOADS = {
    "network": Timed(_job),
    "least": _least,
    "product": Timed(_product),
    "addition": Timed(_addition),
}
