"""MXNet's module of all iterators; they are defined in the files beside it."""

from ._arrays import NDArrayIter
from ._base import DataIter
from ._desc import DataBatch, DataDesc
from ._detection import ImageDetRecordIter
from ._image_iter import (
    ImageRecordInt8Iter,
    ImageRecordIter,
    ImageRecordIter_v1,
    ImageRecordUInt8Iter,
    ImageRecordUInt8Iter_v1,
)
from ._libsvm import LibSVMIter
from ._mnist import MNISTIter
from ._stream import MXDataIter
from ._text import CSVIter
from ._wrapping import PrefetchingIter, ResizeIter

__all__ = [
    "CSVIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "ImageDetRecordIter",
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
    "LibSVMIter",
    "MNISTIter",
    "MXDataIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
]
