"""The jobs of jobs_mxnet.py written for plain PyTorch, as one does who wants them to be quick."""

import itertools
import math

import inputs
import jobs
import torch
from networks import EPSILON
from networks_torch import NETWORKS
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset
from workload import Job, Timed


@torch.no_grad()
def _filled(net: nn.Module) -> nn.Module:
    """A network with the parameters that all sides begin with."""
    for number, (name, parameter) in enumerate(net.named_parameters()):
        kind = name.rpartition(".")[2].partition("_")[0]
        parameter.copy_(torch.tensor(inputs.parameter(number, parameter.shape, kind)))
    return net


class _Clothes(Dataset):
    def __init__(self):
        images, labels = jobs.clothes()
        self.images, self.labels = torch.tensor(images), labels.tolist()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, number):
        image = self.images[number].permute(2, 0, 1).to(torch.float32).div_(255)
        return image.sub_(jobs.MEAN).div_(jobs.DEVIATION), self.labels[number]


class _Classifier:
    """Trains LeNet on batches of images, and counts how many it knew."""

    def __init__(self) -> None:
        self.net = _filled(NETWORKS["lenet_train"]().net)
        self.update = torch.optim.SGD(self.net.parameters(), lr=jobs.IMAGE_RATE, fused=True)

    def epoch(self, batches) -> list[torch.Tensor]:
        """Losses of the first batches, and the share that was right."""
        losses, right, count = [], 0, 0
        for data, label in batches:
            self.update.zero_grad(set_to_none=True)
            found = self.net(data)
            loss = F.cross_entropy(found, label)
            loss.backward()
            self.update.step()
            right += (found.argmax(1) == label).sum().item()
            count += len(label)
            if len(losses) < jobs.CHECKED:
                losses.append(loss)
        return [*losses, torch.tensor([right / count])]


def _lenet_epoch(argument: str) -> Job:
    dataset = _Clothes()
    loader = DataLoader(dataset, jobs.IMAGE_BATCH, sampler=jobs.order(len(dataset)))
    classifier = _Classifier()
    return Job(lambda: classifier.epoch(loader), warm_up=2, checked=1)


def _gluon_fit(argument: str) -> Job:
    """An epoch over tensors that need no transforms."""
    images, labels = (torch.tensor(array) for array in jobs.normal_clothes())
    labels, classifier = labels.long(), _Classifier()
    last = len(images) // jobs.IMAGE_BATCH * jobs.IMAGE_BATCH

    def run():
        starts = range(0, last, jobs.IMAGE_BATCH)
        chosen = (slice(start, start + jobs.IMAGE_BATCH) for start in starts)
        return classifier.epoch((images[rows], labels[rows]) for rows in chosen)

    return Job(run, warm_up=2, results=lambda found: found[-1:], checked=1)


class _Forecast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        size = len(jobs.LAGS) + 2 + jobs.SERIES_UNITS + 1
        self.embedding = nn.Embedding(jobs.SERIES, jobs.SERIES_UNITS)
        self.layers = nn.LSTM(size, jobs.CELLS, jobs.LAYERS, batch_first=True)
        self.middle, self.spread, self.freedom = (nn.Linear(jobs.CELLS, 1) for _ in range(3))

    def forward(self, number, scale, features, target):
        known = torch.cat((self.embedding(number), scale.log()), dim=1)
        data = torch.cat((features, known.unsqueeze(1).expand(-1, features.shape[1], -1)), dim=2)
        found, _ = self.layers(data)
        middle, spread, freedom = (layer(found).squeeze(2) for layer in (self.middle, self.spread, self.freedom))
        spread, freedom = F.softplus(spread), F.softplus(freedom) + 2
        away = (target / scale - middle) / spread
        unexpected = (
            (freedom + 1) / 2 * torch.log1p(away.square() / freedom)
            + torch.log(freedom * math.pi) / 2
            + torch.lgamma(freedom / 2)
            - torch.lgamma((freedom + 1) / 2)
            + spread.log()
        )
        return (unexpected + scale.log()).mean()


def _deepar_epoch(argument: str) -> Job:
    values, seeds = jobs.series(), itertools.count()
    net = _filled(_Forecast())
    update = torch.optim.Adam(net.parameters(), lr=jobs.SERIES_RATE, eps=EPSILON, fused=True)

    def run():
        losses, total = [], torch.zeros(1)
        for batch in jobs.windows(values, next(seeds)):
            number, *others = (torch.from_numpy(array) for array in batch)
            update.zero_grad(set_to_none=True)
            loss = net(number.long(), *others)
            loss.backward()
            update.step()
            total += loss.detach()
            if len(losses) < jobs.CHECKED:
                losses.append(loss)
        return [*losses, total]

    return Job(run, warm_up=2, checked=1)


def _bucketed_lstm(argument: str) -> Job:
    network = NETWORKS["lstm_train"]()
    net, loss_of = _filled(network.net), network.loss
    update = torch.optim.SGD(net.parameters(), lr=jobs.WORD_RATE, fused=True)
    batches = [(torch.tensor(words[:-1]), torch.tensor(words[1:])) for words in jobs.sentences()]

    def run():
        losses = []
        for data, label in batches:
            update.zero_grad(set_to_none=True)
            loss = loss_of(net(data), label)
            loss.backward()
            update.step()
            losses.append(loss.detach())
        return losses

    return Job(run, warm_up=2, checked=1)


WORKLOADS = {
    "lenet_epoch": Timed(_lenet_epoch),
    "gluon_fit": Timed(_gluon_fit),
    "deepar_epoch": Timed(_deepar_epoch),
    "bucketed_lstm": Timed(_bucketed_lstm),
}
