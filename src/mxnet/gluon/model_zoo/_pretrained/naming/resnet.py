"""ResNet V1 with basic blocks: `layer1.0.conv1` is what Gluon calls `features.4.0.body.0`."""

from collections.abc import Sequence

from .layers import Naming, Rules, by_rules

__all__ = ["resnet"]

_FIRST_STAGE = 4  # what stands before it: convolution, normalization, activation, pooling
_BODY = {"0": "conv1", "1": "bn1", "3": "conv2", "4": "bn2"}

_RULES: Rules = {
    r"features\.0": lambda: "conv1",
    r"features\.1": lambda: "bn1",
    r"features\.([4-7])\.(\d+)\.body\.([0134])": lambda stage, block, place: f"{_block(stage, block)}.{_BODY[place]}",
    r"features\.([4-7])\.(\d+)\.(downsample\.[01])": lambda stage, block, rest: f"{_block(stage, block)}.{rest}",
    r"output": lambda: "fc",
}


def _block(stage: str, block: str) -> str:
    return f"layer{int(stage) - _FIRST_STAGE + 1}.{block}"


def resnet(layers: Sequence[str]) -> list[Naming]:
    """Names that torchvision and timm share."""
    return [Naming(by_rules(_RULES, layers))]
