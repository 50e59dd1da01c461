"""A rank of PyTorch's side: the same work with DistributedDataParallel over gloo. See distributed_gluon.py."""

import torch
import torch.distributed as dist
from distributed_works import CHECKED, MOMENTUM, WORKS, Call, data, gradient_values, label
from networks_torch import NETWORKS, Network, resnet18
from steps_torch import _fill
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from workload import Job, Timed, serve

WARM_UP = 12  # DistributedDataParallel lays its buckets out anew after the first steps


def _mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))


NETS = {"mlp": _mlp, "lenet": lambda: NETWORKS["lenet_train"]().net, "resnet18": resnet18}


def _steps(argument: str) -> Job:
    """Training steps: as a user writes them, with a static graph, or tuned (channels last, fused optimizer) too."""
    work, _, mode = argument.partition(" ")
    net, x, y = NETS[work](), torch.from_numpy(data(work)), torch.from_numpy(label(work))
    _fill(Network(net, [x]))
    is_tuned = mode == "tuned"
    if is_tuned and x.dim() == 4:
        net, x = net.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
    shared = DistributedDataParallel(
        net, gradient_as_bucket_view=True, broadcast_buffers=False, static_graph=mode in ("static", "tuned")
    )
    how = {"fused": True} if is_tuned else {"foreach": True}
    update = torch.optim.SGD(shared.parameters(), lr=WORKS[work].rate, momentum=MOMENTUM, **how)

    def run():
        update.zero_grad(set_to_none=True)
        F.cross_entropy(shared(x), y).backward()
        update.step()

    return Job(
        run,
        loops=WORKS[work].loops,
        warm_up=WARM_UP,
        results=lambda _: list(net.parameters()),
        checked=CHECKED,
        is_shared=True,
    )


def _gradients(argument: str) -> Call:
    """One sum of 100 MB."""
    values = torch.from_numpy(gradient_values())
    flat = torch.empty_like(values)

    def prepare():
        flat.copy_(values)
        dist.barrier()

    return Call(prepare, lambda: dist.all_reduce(flat), lambda: [flat])


WORKLOADS = {"step": Timed(_steps), "gradients": Timed(_gradients)}

if __name__ == "__main__":
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    serve(torch.__version__, WORKLOADS)
    dist.destroy_process_group()
