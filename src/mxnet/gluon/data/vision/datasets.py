"""Data sets of images, under the path where MXNet has them."""

from ._cifar import CIFAR10, CIFAR100
from ._digits import MNIST, FashionMNIST
from ._files import ImageFolderDataset, ImageListDataset, ImageRecordDataset

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "FashionMNIST",
    "ImageFolderDataset",
    "ImageListDataset",
    "ImageRecordDataset",
    "MNIST",
]
