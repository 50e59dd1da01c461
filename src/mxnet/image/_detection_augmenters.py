"""Augmenters for images with boxes.

Labels are NumPy arrays with one row for each object: its class, then xmin, ymin, xmax, ymax as parts of the width and
height, then anything else.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

import mxnet.image._draws as draws
import mxnet.ndarray as nd

from ..ndarray import NDArray
from ._augmenter import Augmenter, Described

__all__ = ["DetAugmenter", "DetBorrowAug", "DetHorizontalFlipAug", "DetRandomSelectAug"]

Labeled = tuple[NDArray, np.ndarray]


class DetAugmenter(Described):
    """Base of all augmenters for detection: called with an image and its label, it returns both anew.

    Args:
        **kwargs: the arguments that `dumps` writes.
    """

    __module__ = "mxnet.image.detection"

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """The changed image and label."""
        raise NotImplementedError(
            f"[{type(self).__name__}] write a __call__(self, src, label) that returns the changed image and label."
        )


class DetBorrowAug(DetAugmenter):
    """An augmenter that moves nothing in the image, and so leaves labels as they are.

    Args:
        augmenter: an Augmenter.
    """

    __module__ = "mxnet.image.detection"

    def __init__(self, augmenter: Augmenter) -> None:
        if not isinstance(augmenter, Augmenter):
            raise TypeError(
                f"[image.DetBorrowAug] augmenter: received {type(augmenter).__name__}; expected an image.Augmenter."
            )
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> list[Any]:
        """A list of the class and what the borrowed augmenter says."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """The changed image and the label as it is."""
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """One augmenter of several, chosen at random, or none.

    Args:
        aug_list: the augmenters, or one.
        skip_prob: the probability of none.
    """

    __module__ = "mxnet.image.detection"

    def __init__(self, aug_list: DetAugmenter | Sequence[DetAugmenter], skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        self.aug_list: list[Any] = list(aug_list) if isinstance(aug_list, (list, tuple)) else [aug_list]
        for augmenter in self.aug_list:
            if not isinstance(augmenter, DetAugmenter):
                raise ValueError(
                    f"[image.DetRandomSelectAug] aug_list: received {type(augmenter).__name__}; expected "
                    "DetAugmenters. Wrap an Augmenter: DetBorrowAug(augmenter)."
                )
        self.skip_prob = skip_prob if self.aug_list else 1

    def dumps(self) -> list[Any]:
        """A list of the class and what the members say."""
        return self._dump_group(self.aug_list)

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """Image and label, changed by one of the augmenters or not."""
        if draws.happens(self.skip_prob):
            return src, label
        draws.shuffle(self.aug_list)
        return self.aug_list[0](src, label)


class DetHorizontalFlipAug(DetAugmenter):
    """Mirrors image and boxes from left to right, at random.

    Args:
        p: the probability.
    """

    __module__ = "mxnet.image.detection"

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: NDArray, label: np.ndarray) -> Labeled:
        """Image and label, or their mirror images."""
        if not draws.happens(self.p):
            return src, label
        mirrored = label.copy()
        mirrored[:, 1], mirrored[:, 3] = 1.0 - label[:, 3], 1.0 - label[:, 1]
        return nd.flip(src, axis=1), mirrored
