"""The network of eager_mxnet.py written for plain PyTorch."""

import inputs
import torch
from torch import nn
from torch.nn import functional as F
from workload import Job, Timed

STEPS, BATCH, UNITS, GROUPS, KINDS = 5, 8, 32, 4, 10
LOOPS, RATE = 20, 0.05


class _Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.inside, self.across = nn.Linear(UNITS, UNITS), nn.Linear(UNITS, UNITS)
        self.output = nn.Linear(UNITS + STEPS - 1, KINDS)

    def forward(self, x, length):
        state, seen = x[:, 0], []
        for step in range(1, int(length.item())):
            mixed = torch.relu(self.inside(x[:, step]) + self.across(state))
            groups = mixed.reshape((BATCH, GROUPS, -1))
            gate = torch.softmax(groups.mean(dim=2), dim=-1)
            state = state + (groups * gate.unsqueeze(2)).reshape((BATCH, UNITS))
            seen.append(state.sum(dim=1, keepdim=True))
        return self.output(torch.cat((*seen, state), dim=1))


def _job(argument: str) -> Job:
    net = _Network()
    x, label = torch.tensor(inputs.images(BATCH, STEPS, UNITS)), torch.tensor(inputs.classes(BATCH))
    length = torch.tensor([float(STEPS)])
    with torch.no_grad():
        for number, (name, parameter) in enumerate(net.named_parameters()):
            parameter.copy_(torch.tensor(inputs.parameter(number, parameter.shape, name.rpartition(".")[2]) * 0.5))
    update = torch.optim.SGD(net.parameters(), lr=RATE, fused=True)

    def run():
        update.zero_grad(set_to_none=True)
        found = net(x, length)
        loss = F.cross_entropy(found, label)
        loss.backward()
        update.step()
        return [found, loss]

    return Job(run, loops=LOOPS, warm_up=5, checked=3)


WORKLOADS = {"eager_network": Timed(_job)}
