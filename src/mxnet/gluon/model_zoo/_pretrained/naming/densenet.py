"""DenseNet: `features.denseblock1.denselayer1.conv1` is what Gluon calls `features.4.0.1.2`."""

import re
from collections.abc import Sequence

from .layers import Naming, Rules, by_rules

__all__ = ["densenet"]

_FIRST_BLOCK = 4  # what stands before it: convolution, normalization, activation, pooling
_LAYER = {"0": "norm1", "2": "conv1", "3": "norm2", "5": "conv2"}
_TRANSITION = {"0": "norm", "2": "conv"}

_RULES: Rules = {
    r"features\.0": lambda: "features.conv0",
    r"features\.1": lambda: "features.norm0",
    r"features\.(4|6|8|10)\.(\d+)\.1\.([0235])": lambda at, number, place: (
        f"features.denseblock{_stage(at)}.denselayer{int(number) + 1}.{_LAYER[place]}"
    ),
    r"features\.([579])\.([02])": lambda at, place: f"features.transition{_stage(at)}.{_TRANSITION[place]}",
    r"features\.11": lambda: "features.norm5",
    r"output": lambda: "classifier",
}


def _stage(place: str) -> int:
    """Blocks and the transitions between them take turns."""
    return (int(place) - _FIRST_BLOCK) // 2 + 1


def densenet(layers: Sequence[str]) -> list[Naming]:
    """Names that torchvision and timm share, and those in the files that torchvision offers: `norm.1` for `norm1`."""
    now = by_rules(_RULES, layers)
    before = {ours: re.sub(r"(denselayer\d+\.(?:norm|conv))(\d)$", r"\1.\2", theirs) for ours, theirs in now.items()}
    return [Naming(now), Naming(before)]
