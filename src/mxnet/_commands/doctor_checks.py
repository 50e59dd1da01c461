"""What can be wrong with an installation."""

import difflib
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

import numpy as np

from ..autograd import record
from ..base import MXNetError
from ..gluon import Trainer, nn
from ..gluon.loss import L2Loss
from ..ndarray import array

_OURS = "regluon"
_PACKAGE = "mxnet"


def other_installations(here: Path, distributions: Iterable[metadata.Distribution] | None = None) -> list[str]:
    """Texts about other distributions that bring a package `mxnet`.

    Args:
        here: the folder of this package.
        distributions: what is installed; by default what there is.
    """
    found = {}
    for each in metadata.distributions() if distributions is None else distributions:
        name = (each.metadata["Name"] or "").lower()
        brings = (each.read_text("top_level.txt") or "").split()
        if name != _OURS and (name == _PACKAGE or name.startswith(f"{_PACKAGE}-cu") or _PACKAGE in brings):
            found[name] = each.version
    return [
        f"{name} {version} is installed beside {_OURS} and brings a package `{_PACKAGE}` too; this one is in {here}. "
        f"Files of both may be mixed: `pip uninstall {name} {_OURS}`, then `pip install {_OURS}`."
        for name, version in sorted(found.items())
    ]


def unknown_settings(given: Sequence[str], known: Sequence[str]) -> list[str]:
    """Texts about variables of the environment that nothing here listens to, with the nearest known name."""
    texts = []
    for name in sorted(set(given) - set(known)):
        near = difflib.get_close_matches(name, known, 1, 0.85)
        meant = f" Did you mean {near[0]}?" if near else ""
        texts.append(f"{name} is set, and nothing listens to it here.{meant}")
    return texts


def self_test() -> str:
    """Trains a small network for a step, eager and compiled; says what differs from what it must be, or nothing."""
    try:
        results = [_trained(is_compiled) for is_compiled in (False, True)]
    except (MXNetError, RuntimeError, OSError) as error:
        return f"A small network cannot be trained: {error}"
    if not np.allclose(results[0], results[1], rtol=1e-4, atol=1e-6):
        return f"A small network gives {results[0]} as written and {results[1]} compiled."
    return ""


def _trained(is_compiled: bool) -> "np.ndarray":
    draw = np.random.RandomState(0)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Dense(2))
    net.initialize()
    data, label = array(draw.uniform(-1, 1, (8, 3, 8, 8))), array(draw.uniform(-1, 1, (8, 2)))
    net(data)
    for parameter in net.collect_params(".*weight").values():
        parameter.set_data(array(draw.uniform(-0.3, 0.3, parameter.shape)))
    if is_compiled:
        net.hybridize()
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(3):
        with record():
            loss = L2Loss()(net(data), label)
        loss.backward()
        trainer.step(8)
    found: np.ndarray = net(data).asnumpy().reshape(-1)[:4]
    return found
