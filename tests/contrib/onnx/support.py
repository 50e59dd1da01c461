"""Runs a network here and in onnxruntime."""

from typing import Any

import numpy as np
import onnxruntime

import mxnet as mx
from mxnet.contrib.onnx import export_model


def random_params(symbol: Any, shapes: dict[str, tuple[int, ...]], seed: int = 0) -> dict[str, mx.nd.NDArray]:
    """Values for all variables but the inputs; variances are positive."""
    draw = np.random.RandomState(seed)
    arguments, _, states = symbol.infer_shape(**shapes)
    names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
    found = {}
    for name, shape in zip(names, [*arguments, *states], strict=True):
        if name not in shapes and not name.endswith("label"):
            values = draw.uniform(0.5, 1.5, shape) if name.endswith("var") else draw.uniform(-0.5, 0.5, shape)
            found[name] = mx.nd.array(values.astype(np.float32))
    return found


def computed(symbol: Any, params: dict[str, Any], feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs here."""
    labels = {
        name: mx.nd.zeros(shape)
        for name, shape in zip(
            symbol.list_arguments(), symbol.infer_shape(**{k: v.shape for k, v in feeds.items()})[0], strict=True
        )
        if name.endswith("label")
    }
    arrays = {name: mx.nd.array(value, dtype=value.dtype) for name, value in feeds.items()}
    given = {**params, **arrays, **labels}
    states = {name: given.pop(name) for name in symbol.list_auxiliary_states()}
    outputs = symbol.bind(mx.cpu(), given, aux_states=states, grad_req="null").forward()
    return [output.asnumpy() for output in outputs]


def ran(path: Any, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs of an ONNX file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def check(
    symbol: Any, feeds: dict[str, np.ndarray], path: Any, varying: list[tuple[Any, ...]] | None = None, **tolerance: Any
) -> None:
    """Exports a network, and compares what it gives; with lengths that vary, for another batch size too."""
    params = random_params(symbol, {name: value.shape for name, value in feeds.items()})
    shapes = [value.shape for value in feeds.values()]
    kinds = [value.dtype for value in feeds.values()]
    export_model(symbol, params, shapes, kinds, str(path), dynamic=varying is not None, dynamic_input_shapes=varying)
    tries = [feeds]
    if varying is not None:
        tries.append({name: _longer(value, how) for (name, value), how in zip(feeds.items(), varying, strict=True)})
    for given in tries:
        mine, theirs = computed(symbol, params, given), ran(path, given)
        assert len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True):
            assert a.shape == b.shape
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, **{"rtol": 1e-4, "atol": 1e-5, **tolerance})


def _longer(value: np.ndarray, how: tuple[Any, ...]) -> np.ndarray:
    for axis, length in enumerate(how):
        if length is None:
            value = np.concatenate([value, value], axis)
    return value
