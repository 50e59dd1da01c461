"""Reads the layers recorded from the real MXNet, and makes the same ones here."""

import functools
import json
import operator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet.gluon import nn
from mxnet.gluon.contrib import cnn
from mxnet.gluon.contrib import nn as contrib

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "layers"
_TOLERANCES = {"float32": (1e-5, 2e-6), "float64": (1e-9, 1e-11)}


def added(row: Any, *blocks: Any) -> Any:
    """A container with blocks in it."""
    row.add(*blocks)
    return row


def shared(row: Any, kind: Any, *args: Any, **kwargs: Any) -> Any:
    """A container with two layers of one kind that share their parameters."""
    first = kind(*args, **kwargs)
    return added(row, first, kind(*args, params=first.params, **kwargs))


def make(expression: str) -> Any:
    """The layer, named as the first of its kind in a program."""
    names = {"nn": nn, "cnn": cnn, "contrib": contrib, "mx": mx, "added": added, "shared": shared}
    with mx.name.NameManager():
        return eval(expression, names)


def parameters(layer: Any) -> list[list[Any]]:
    """What a trainer and a file need to know of each parameter."""
    return [
        [name, list(p.shape), np.dtype(p.dtype).name, p.grad_req, p.lr_mult, p.wd_mult]
        for name, p in layer.collect_params().items()
    ]


@dataclass(frozen=True, eq=False)
class Recorded:
    """One recorded layer."""

    facts: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.facts[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def id(self) -> str:
        return f"{self.facts['index']}-{self.facts['make']}"

    @property
    def runs(self) -> bool:
        """Whether MXNet can run it on a CPU."""
        return bool(self.facts["shapes"])

    @functools.cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        prefix = f"{self.facts['index']}_"
        return {name.removeprefix(prefix): value for name, value in _arrays().items() if name.startswith(prefix)}

    def inputs(self, dtype: str | None = None) -> list[Any]:
        """The inputs, as arrays."""
        values = [self.arrays[f"in{i}"] for i in range(len(self.facts["shapes"]))]
        return [mx.nd.array(value, dtype=dtype or value.dtype) for value in values]

    def with_weights(self, layer: Any) -> Any:
        """Initializes a layer and gives it the recorded weights."""
        layer.initialize()
        layer(*self.inputs())
        for (_, parameter), (name, *_rest) in zip(
            layer.collect_params().items(), self.facts["parameters_after"], strict=True
        ):
            parameter.set_data(mx.nd.array(self.arrays[f"param.{name}"], dtype=parameter.dtype))
        return layer


@functools.cache
def _arrays() -> dict[str, np.ndarray]:
    with np.load(FIXTURES / "layers.npz", allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def load(name: str) -> list[dict[str, Any]]:
    """The facts in one of the fixture files."""
    return json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))


RECORDED = [Recorded(facts) for facts in load("layers")]
RUNNING = [each for each in RECORDED if each.runs]
by_id = operator.attrgetter("id")


def check_close(actual: Any, expected: np.ndarray, what: str) -> None:
    """Compares value, shape and dtype."""
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, MXNet has {expected.shape}"
    assert np.dtype(actual.dtype) == expected.dtype, f"{what}: dtype {actual.dtype}, MXNet has {expected.dtype}"
    rtol, atol = _TOLERANCES[expected.dtype.name]
    np.testing.assert_allclose(actual.asnumpy(), expected, rtol=rtol, atol=atol, err_msg=what)
