"""Records what a real MXNet's layers are and do.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_layers`.

For each case of `layer_cases.py` it notes the printed form and the parameters before and after the first call, the
attributes that other projects read, and for given weights what prediction and training return, the gradients, and the
parameters that training changed. Writes tests/fixtures/layers/layers.json and .npz; same cases, same bytes.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

# One thread: a sum split over threads would give other last digits on a machine with more cores.
os.environ.update({"OMP_NUM_THREADS": "1", "MXNET_CPU_WORKER_NTHREADS": "1"})

import mxnet as mx
from mxnet.gluon import nn
from mxnet.gluon.contrib import cnn
from mxnet.gluon.contrib import nn as contrib

from .layer_cases import CASES, REFUSED, SUMMARIES, LayerCase

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "layers"
_OF_ALL_BLOCKS = set(vars(nn.HybridBlock()))


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


def draw(what: str, shape: tuple[int, ...], dtype: str, low: float = -1, high: float = 1) -> np.ndarray:
    """Numbers that follow from the name of what they are for."""
    state = np.random.RandomState(zlib.crc32(what.encode()))
    if dtype.startswith("int"):
        return state.randint(0, 5, shape).astype(dtype)
    return state.uniform(low, high, shape).astype(dtype)


def parameters(layer: Any) -> list[list[Any]]:
    return [
        [name, list(p.shape), np.dtype(p.dtype).name, p.grad_req, p.lr_mult, p.wd_mult]
        for name, p in layer.collect_params().items()
    ]


def attributes(layer: Any) -> dict[str, str]:
    """Printed forms of the layer's own plain attributes."""
    plain = (int, float, str, bool, tuple, list, dict, type(None))
    return {
        name: repr(value)
        for name, value in vars(layer).items()
        if name not in _OF_ALL_BLOCKS and isinstance(value, plain)
    }


def record(case: LayerCase) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Facts and arrays of one case."""
    layer = make(case.make)
    facts = {
        "make": case.make,
        "given": case.given,
        "dtype": case.dtype,
        "shapes": [list(shape) for shape in case.shapes],
        "grad": case.grad and not case.random,
        "random": case.random,
        "name": layer.name,
        "repr": repr(layer),
        "parameters": parameters(layer),
        "attributes": attributes(layer),
    }
    if case.given is not None:
        given = make(case.given)
        facts.update(given_repr=repr(given), given_parameters=parameters(given))
    arrays: dict[str, np.ndarray] = {}
    if case.shapes:
        run(layer, case, facts, arrays)
    return facts, arrays


def run(layer: Any, case: LayerCase, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Calls the layer on drawn inputs with drawn weights."""
    inputs = []
    for i, shape in enumerate(case.shapes):
        arrays[f"in{i}"] = draw(f"{case.make} in{i}", shape, case.dtype)
        inputs.append(mx.nd.array(arrays[f"in{i}"], dtype=case.dtype))
    layer.initialize()
    layer(*inputs)
    facts["repr_after"] = repr(layer)
    facts["parameters_after"] = parameters(layer)
    for name, parameter in layer.collect_params().items():
        low = 0.5 if name.endswith("var") else -1
        arrays[f"param.{name}"] = draw(f"{case.make} {name}", parameter.shape, np.dtype(parameter.dtype).name, low)
        parameter.set_data(mx.nd.array(arrays[f"param.{name}"], dtype=parameter.dtype))
    arrays["predicted"] = layer(*inputs).asnumpy()
    if facts["grad"]:
        train(layer, case, inputs, arrays)


def train(layer: Any, case: LayerCase, inputs: list[Any], arrays: dict[str, np.ndarray]) -> None:
    floating = case.dtype.startswith("float")
    for array in inputs if floating else ():
        array.attach_grad()
    with mx.autograd.record():
        out = layer(*inputs)
    arrays["trained"] = out.asnumpy()
    arrays["head"] = draw(f"{case.make} head", out.shape, np.dtype(out.dtype).name)
    out.backward(mx.nd.array(arrays["head"], dtype=out.dtype))
    for i, array in enumerate(inputs if floating else ()):
        arrays[f"grad{i}"] = array.grad.asnumpy()
    for name, parameter in layer.collect_params().items():
        if parameter.grad_req != "null":
            arrays[f"grad.{name}"] = parameter.grad().asnumpy()
        else:
            arrays[f"after.{name}"] = parameter.data().asnumpy()


def refusal(expression: str, shape: tuple[int, ...] | None) -> dict[str, Any]:
    """The type of error that MXNet raises."""
    try:
        layer = make(expression)
        if shape is not None:
            layer.initialize()
            layer(mx.nd.ones(shape)).asnumpy()
    except Exception as error:
        return {"make": expression, "shape": shape, "error": type(error).__name__}
    raise AssertionError(f"MXNet carries out {expression} on {shape}")


def table(expression: str, shapes: tuple[tuple[int, ...], ...]) -> dict[str, Any]:
    """What `summary` prints."""
    network = make(expression)
    network.initialize()
    arrays = [mx.nd.ones(shape) for shape in shapes]
    network(*arrays)  # where shapes are unknown, MXNet prints symbols among the rows
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        network.summary(*arrays)
    return {"make": expression, "shapes": [list(shape) for shape in shapes], "printed": printed.getvalue()}


def write_json(name: str, items: list[dict[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(item) for item in items)
    (FIXTURES / name).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main() -> int:
    """Records everything; returns the exit code."""
    FIXTURES.mkdir(parents=True, exist_ok=True)
    facts, failures = [], []
    with zipfile.ZipFile(FIXTURES / "layers.npz", "w") as archive:
        for index, case in enumerate(CASES):
            try:
                fact, arrays = record(case)
            except Exception as error:
                failures.append(f"{case.make}: {error}")
                continue
            facts.append({"index": index, **fact})
            for name, value in arrays.items():
                buffer = io.BytesIO()
                np.lib.format.write_array(buffer, value, allow_pickle=False)
                # ZipInfo's default date is a constant, unlike the present time that np.savez stores.
                entry = zipfile.ZipInfo(f"{index}_{name}.npy")
                archive.writestr(entry, buffer.getvalue(), zipfile.ZIP_DEFLATED, 9)
    write_json("layers.json", facts)
    refused = []
    for expression, shape in REFUSED:
        try:
            refused.append(refusal(expression, shape))
        except AssertionError as error:
            failures.append(str(error))
    write_json("refused.json", refused)
    write_json("summaries.json", [table(*each) for each in SUMMARIES])
    print(f"{len(facts)} layers, {len(refused)} refusals, {len(SUMMARIES)} summaries recorded, {len(failures)} failed")
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
