"""VGG: convolutions have the same places everywhere, dense layers have names of their own.

In timm the first two dense layers are convolutions of 7x7 and 1x1, which compute the same for images of 224 pixels.
"""

from collections.abc import Sequence

from .layers import Naming

__all__ = ["vgg"]

_TORCHVISION = ("classifier.0", "classifier.3", "classifier.6")
_TIMM = ("pre_logits.fc1", "pre_logits.fc2", "head.fc")


def vgg(layers: Sequence[str]) -> list[Naming]:
    """The names of torchvision, and those of timm."""
    *convolutions, first, second, last = layers
    same = {layer: layer for layer in convolutions}
    dense = (first, second, last)
    return [
        Naming({**same, **dict(zip(dense, _TORCHVISION, strict=True))}),
        Naming({**same, **dict(zip(dense, _TIMM, strict=True))}, flattened=frozenset(_TIMM[:2])),
    ]
