"""Inception V3: `Mixed_5b.branch5x5_1.conv` is what Gluon calls `features.7.1.0.0`."""

from collections.abc import Sequence

from .layers import Naming, Rules, by_rules

__all__ = ["inception"]

_STEM = {"0": "Conv2d_1a_3x3", "1": "Conv2d_2a_3x3", "2": "Conv2d_2b_3x3", "4": "Conv2d_3b_1x1", "5": "Conv2d_4a_3x3"}


def _branch(place: int, name: str, length: int) -> dict[str, str]:
    """A branch of several convolutions, which are numbered from 1 there."""
    return {f"{place}.{i}": f"{name}_{i + 1}" for i in range(length)}


def _split(place: int, name: str, length: int) -> dict[str, str]:
    """A branch whose last convolutions stand side by side; what leads to them is a row of its own."""
    straight = {f"{place}.0.{i}": f"{name}_{i + 1}" for i in range(length)}
    return {**straight, **{f"{place}.1.{i}.0": f"{name}_{length + 1}{letter}" for i, letter in enumerate("ab")}}


# Places inside of the modules, of each kind in the paper's order. Pooling has a place too, and no parameters.
_POINT, _POOLED = {"0.0": "branch1x1"}, {"3.1": "branch_pool"}
_A = {**_POINT, **_branch(1, "branch5x5", 2), **_branch(2, "branch3x3dbl", 3), **_POOLED}
_B = {"0.0": "branch3x3", **_branch(1, "branch3x3dbl", 3)}
_C = {**_POINT, **_branch(1, "branch7x7", 3), **_branch(2, "branch7x7dbl", 5), **_POOLED}
_D = {**_branch(0, "branch3x3", 2), **_branch(1, "branch7x7x3", 4)}
_E = {**_POINT, **_split(1, "branch3x3", 1), **_split(2, "branch3x3dbl", 2), **_POOLED}

_MODULES = {
    "7": ("Mixed_5b", _A),
    "8": ("Mixed_5c", _A),
    "9": ("Mixed_5d", _A),
    "10": ("Mixed_6a", _B),
    "11": ("Mixed_6b", _C),
    "12": ("Mixed_6c", _C),
    "13": ("Mixed_6d", _C),
    "14": ("Mixed_6e", _C),
    "15": ("Mixed_7a", _D),
    "16": ("Mixed_7b", _E),
    "17": ("Mixed_7c", _E),
}
_PARTS = {"0": "conv", "1": "bn"}


def _in_module(place: str, inside: str, part: str) -> str:
    module, branches = _MODULES[place]
    return f"{module}.{branches[inside]}.{_PARTS[part]}"


_RULES: Rules = {
    r"features\.([01245])\.([01])": lambda place, part: f"{_STEM[place]}.{_PARTS[part]}",
    r"features\.(\d+)\.(.+)\.([01])": _in_module,
    r"output": lambda: "fc",
}


def inception(layers: Sequence[str]) -> list[Naming]:
    """Names that torchvision and timm share; the second classifier serves training only."""
    return [Naming(by_rules(_RULES, layers), unused=("AuxLogits.",))]
