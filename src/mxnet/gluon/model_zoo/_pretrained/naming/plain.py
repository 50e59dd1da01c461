"""AlexNet and SqueezeNet, which torchvision has and timm has not."""

from collections.abc import Sequence

from .layers import Naming, Rules, by_rules

__all__ = ["alexnet", "squeezenet"]

# Ours have their activations inside, so that theirs stand at other places.
_ALEXNET = {
    "features.0": "features.0",
    "features.2": "features.3",
    "features.4": "features.6",
    "features.5": "features.8",
    "features.6": "features.10",
    "features.9": "classifier.1",
    "features.11": "classifier.4",
    "output": "classifier.6",
}

_FIRE = {"0": "squeeze", "1.0": "expand1x1", "1.1": "expand3x3"}
_SQUEEZENET: Rules = {
    r"features\.0": lambda: "features.0",
    r"features\.(\d+)\.(0|1\.0|1\.1)\.0": lambda place, part: f"features.{place}.{_FIRE[part]}",
    r"output\.0": lambda: "classifier.1",
}


def alexnet(layers: Sequence[str]) -> list[Naming]:
    """The names of torchvision."""
    return [Naming({layer: _ALEXNET[layer] for layer in layers if layer in _ALEXNET})]


def squeezenet(layers: Sequence[str]) -> list[Naming]:
    """The names of torchvision."""
    return [Naming(by_rules(_SQUEEZENET, layers))]
