"""Data sets of images, under the path where MXNet has them."""

from .cifar import CIFAR10, CIFAR100
from .digits import MNIST, FashionMNIST
from .files import ImageFolderDataset, ImageListDataset, ImageRecordDataset

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "FashionMNIST",
    "ImageFolderDataset",
    "ImageListDataset",
    "ImageRecordDataset",
    "MNIST",
]
