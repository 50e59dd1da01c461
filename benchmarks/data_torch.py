"""The loader of data_mxnet.py written for plain PyTorch."""

from collections import deque

import inputs
import torch
from torch.utils.data import DataLoader, Dataset
from workload import Job, Timed


class _Digits(Dataset):
    def __init__(self):
        images, labels = inputs.digits()
        self.images, self.labels = torch.from_numpy(images), labels.tolist()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, number):
        image = self.images[number].permute(2, 0, 1).to(torch.float32).div_(255)
        return image.sub_(inputs.MEAN).div_(inputs.DEVIATION), self.labels[number]


def _memory_loader(workers: int) -> Timed:
    def made(argument: str) -> Job:
        # Workers that live as long as the loader, as those of Gluon do.
        loader = DataLoader(
            _Digits(), inputs.BATCH, sampler=inputs.order(), num_workers=workers, persistent_workers=workers > 0
        )

        def run():
            return deque(loader, maxlen=1)[0]

        return Job(run, share=inputs.READ)

    return Timed(made)


WORKLOADS = {"loader_0_workers": _memory_loader(0), "loader_2_workers": _memory_loader(2)}
