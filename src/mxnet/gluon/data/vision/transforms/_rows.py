"""Transforms of transforms."""

from collections.abc import Callable, Sequence
from typing import Any

from .....image import _draws
from ....block import HybridBlock
from ....nn._containers import HybridSequential, Sequential

__all__ = ["Compose", "RandomApply"]


class Compose(Sequential):
    """Runs transforms one after the other; neighbours that can be compiled are compiled as one.

    Args:
        transforms: the transforms, which are blocks.

    Example:
        >>> transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.13, 0.31)])
        >>> loader = gluon.data.DataLoader(dataset.transform_first(transform), batch_size=64)
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, transforms: Sequence[Any]) -> None:
        super().__init__()
        neighbours: list[HybridBlock] = []
        for transform in transforms:
            if isinstance(transform, HybridBlock):
                neighbours.append(transform)
                continue
            self._add_as_one(neighbours)
            neighbours = []
            if transform is not None:
                self.add(transform)
        self._add_as_one(neighbours)

    def _add_as_one(self, transforms: list[HybridBlock]) -> None:
        if len(transforms) < 2:
            self.add(*transforms)
            return
        row = HybridSequential()
        row.add(*transforms)
        row.hybridize()
        self.add(row)

    @property
    def _is_row_of_transforms(self) -> bool:
        """Whether running its blocks in a row is all it does: see columns.py."""
        return type(self) is Compose


class RandomApply(Sequential):
    """Runs a transform, or leaves an image as it is.

    Args:
        transforms: a transform; several as a Compose.
        p: probability of running it.
    """

    __module__ = "mxnet.gluon.data.vision.transforms"

    def __init__(self, transforms: Callable[[Any], Any], p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, x: Any, *args: Any) -> Any:
        """An image."""
        return self.transforms(x) if _draws.happens(self.p) else x
