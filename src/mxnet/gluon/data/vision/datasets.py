"""Data sets of images, under the path where MXNet has them."""

from ._image_files import ImageFolderDataset, ImageListDataset, ImageRecordDataset
from ._published import CIFAR10, CIFAR100, MNIST, FashionMNIST

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "FashionMNIST",
    "ImageFolderDataset",
    "ImageListDataset",
    "ImageRecordDataset",
    "MNIST",
]
