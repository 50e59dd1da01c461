"""Map the layers of Gluon's networks to those of torchvision and timm."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = [
    "Naming",
    "Rules",
    "Renaming",
    "by_rules",
    "layers_of",
    "their_kind",
    "densenet",
    "inception",
    "alexnet",
    "squeezenet",
    "resnet",
    "vgg",
]


# Gluon's names of the parameters of normalization; all other parameters have the same names in torch.
_KINDS = {"gamma": "weight", "beta": "bias"}


class Naming(NamedTuple):
    """The names that a state dict uses for one network.

    Attributes:
        theirs: their name of each of our layers.
        unused: what the names of layers begin with that only training uses.
        flattened: layers, by their names, that are convolutions there and dense layers here.
    """

    theirs: dict[str, str]
    unused: tuple[str, ...] = ()
    flattened: frozenset[str] = frozenset()


# Gives the namings that are in use, for the layers of a network; a layer without a counterpart is left out.
Renaming = Callable[[Sequence[str]], list[Naming]]

# A pattern that a layer's whole name fits, and what makes the other name of the groups in it.
Rules = Mapping[str, Callable[..., str]]


def layers_of(names: Iterable[str]) -> list[str]:
    """The layers that parameters belong to, in order."""
    return list(dict.fromkeys(name.rpartition(".")[0] for name in names))


def their_kind(kind: str) -> str:
    """Torch's name of a parameter inside of its layer: `weight` for `gamma`."""
    return _KINDS.get(kind, kind)


def by_rules(rules: Rules, layers: Iterable[str]) -> dict[str, str]:
    """The names that the first fitting rule gives to each layer."""
    theirs = {}
    for layer in layers:
        for pattern, make in rules.items():
            if found := re.fullmatch(pattern, layer):
                theirs[layer] = make(*found.groups())
                break
    return theirs


_FIRST_BLOCK = 4  # what stands before it: convolution, normalization, activation, pooling
_LAYER = {"0": "norm1", "2": "conv1", "3": "norm2", "5": "conv2"}
_TRANSITION = {"0": "norm", "2": "conv"}

_DENSENET_RULES: Rules = {
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
    now = by_rules(_DENSENET_RULES, layers)
    before = {ours: re.sub(r"(denselayer\d+\.(?:norm|conv))(\d)$", r"\1.\2", theirs) for ours, theirs in now.items()}
    return [Naming(now), Naming(before)]


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


_INCEPTION_RULES: Rules = {
    r"features\.([01245])\.([01])": lambda place, part: f"{_STEM[place]}.{_PARTS[part]}",
    r"features\.(\d+)\.(.+)\.([01])": _in_module,
    r"output": lambda: "fc",
}


def inception(layers: Sequence[str]) -> list[Naming]:
    """Names that torchvision and timm share; the second classifier serves training only."""
    return [Naming(by_rules(_INCEPTION_RULES, layers), unused=("AuxLogits.",))]


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


_FIRST_STAGE = 4  # what stands before it: convolution, normalization, activation, pooling
_BODY = {"0": "conv1", "1": "bn1", "3": "conv2", "4": "bn2"}

_RESNET_RULES: Rules = {
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
    return [Naming(by_rules(_RESNET_RULES, layers))]


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
