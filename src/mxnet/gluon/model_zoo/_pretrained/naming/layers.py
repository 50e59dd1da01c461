"""How two libraries name the layers of one network, and the parameters of one layer."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["Naming", "Rules", "Renaming", "by_rules", "layers_of", "their_kind"]

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
