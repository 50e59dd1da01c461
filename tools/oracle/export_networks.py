"""Builds, saves and loads the networks of `exports/`, with a real MXNet and with this library alike.

The recorder, the check of files that this library wrote, and the tests share it.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon, nd
from tools.oracle.exports import attention, convolutional, recurrent, settings, symbolic
from tools.oracle.exports.network import Network

Arrays = dict[str, np.ndarray]

NETWORKS: dict[str, Network] = {
    **convolutional.NETWORKS,
    **attention.NETWORKS,
    **recurrent.NETWORKS,
    **settings.NETWORKS,
    **symbolic.NETWORKS,
}
EPOCH = 0
TOLERANCES = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-9}


def graph_file(directory: Path, name: str) -> Path:
    return directory / f"{name}-symbol.json"


def parameter_file(directory: Path, name: str) -> Path:
    return directory / f"{name}-{EPOCH:04d}.params"


def inputs(name: str) -> Arrays:
    """The data of a network."""
    state = np.random.RandomState(zlib.crc32(name.encode()))
    return {key: np.ascontiguousarray(each.draw(state)) for key, each in NETWORKS[name].inputs.items()}


def values(name: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """The numbers of a parameter; what passes through a layer keeps about its size."""
    state = np.random.RandomState(zlib.crc32(name.encode()))
    if name.endswith(("gamma", "_var")):
        drawn = state.uniform(0.7, 1.3, shape)
    elif name.endswith("weight") and len(shape) > 1:
        drawn = state.uniform(-1, 1, shape) * np.sqrt(6 / np.prod(shape[1:]))
    else:
        drawn = state.uniform(-0.5, 0.5, shape)
    return np.asarray(drawn).astype(dtype)


def flat(result: Any) -> list[Any]:
    """The arrays of a result, whatever their nesting."""
    if isinstance(result, (list, tuple)):
        return [array for each in result for array in flat(each)]
    return [result]


def array(content: np.ndarray) -> Any:
    return nd.array(content, dtype=content.dtype)


# -- building and saving ----------------------------------------------------------------------------------------------


class Built:
    """A network with parameters, and what it computes."""

    def __init__(self, name: str) -> None:
        self.name, self.network = name, NETWORKS[name]
        self.inputs = inputs(name)
        with mx.name.NameManager(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # MXNet warns of initializers that it does not use
            mx.AttrScope._subgraph_names.clear()  # bodies of loops are numbered through the whole process
            self.net = self.network.build()
            self.is_block = isinstance(self.net, gluon.HybridBlock)
            self.outputs = self._run_block() if self.is_block else self._run_symbol()

    def _run_block(self) -> list[np.ndarray]:
        arguments: tuple[Any, ...] = tuple(array(each) for each in self.inputs.values())
        if self.network.nesting is not None:
            arguments = self.network.nesting(*arguments)
        self.net.initialize()
        self.net.cast(self.network.dtype)
        self.net.hybridize()
        self.net(*arguments)
        for parameter in self.net.collect_params().values():
            if not isinstance(parameter, gluon.Constant):
                parameter.set_data(array(values(parameter.name, parameter.shape, parameter.dtype)))
        return [each.asnumpy() for each in flat(self.net(*arguments))]

    def _run_symbol(self) -> list[np.ndarray]:
        shapes = {key: each.shape for key, each in self.inputs.items()}
        found, _, states = self.net.infer_shape(**shapes)
        arguments = zip(self.net.list_arguments(), found)
        self.arguments = {key: array(values(key, shape, "float32")) for key, shape in arguments if key not in shapes}
        self.states = {
            key: array(values(key, shape, "float32")) for key, shape in zip(self.net.list_auxiliary_states(), states)
        }
        bound = self.net.bind(mx.cpu(), {**self.arguments, **_arrays(self.inputs)}, aux_states=self.states)
        return [each.asnumpy() for each in bound.forward(is_train=False)]

    def save(self, directory: Path) -> None:
        """Writes graph and parameters."""
        if self.is_block:
            self.net.export(str(directory / self.name), EPOCH)
            return
        mx.model.save_checkpoint(str(directory / self.name), EPOCH, self.net, self.arguments, self.states)

    def content(self) -> Arrays:
        """The data and the results, by names for a file of arrays; large data follow from the network's name."""
        named = {f"output:{place}": each for place, each in enumerate(self.outputs)}
        if self.network.keeps_parameters:
            named.update((f"input:{key}", each) for key, each in self.inputs.items())
        return named


# -- loading ----------------------------------------------------------------------------------------------------------


def load_parameters(name: str, directory: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments and auxiliary states, from the file or from their names."""
    path = parameter_file(directory, name)
    if path.exists():
        loaded = nd.load(str(path)) or {}  # a file without arrays holds no names either
    else:
        graph = mx.sym.load(str(graph_file(directory, name)))
        shapes, _, states = graph.infer_shape(**{key: each.shape for key, each in inputs(name).items()})
        loaded = {f"arg:{key}": shape for key, shape in zip(graph.list_arguments(), shapes) if key not in inputs(name)}
        loaded.update((f"aux:{key}", shape) for key, shape in zip(graph.list_auxiliary_states(), states))
        loaded = {key: array(values(key[4:], shape, "float32")) for key, shape in loaded.items()}
    kinds: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for key, each in loaded.items():
        kinds[("arg:", "aux:").index(key[:4])][key[4:]] = each
    return kinds


def imported(name: str, directory: Path) -> Any:
    """The network as a SymbolBlock."""
    graph, path = str(graph_file(directory, name)), parameter_file(directory, name)
    keys = list(NETWORKS[name].inputs)
    if path.exists():
        return gluon.SymbolBlock.imports(graph, keys, str(path), ctx=mx.cpu())
    block = gluon.SymbolBlock.imports(graph, keys)
    arguments, states = load_parameters(name, directory)
    for key, parameter in block.collect_params().items():
        parameter._load_init(arguments.get(key, states.get(key)), mx.cpu())
    return block


def run_imported(name: str, directory: Path) -> list[np.ndarray]:
    """The results of a network that SymbolBlock.imports reads."""
    return [each.asnumpy() for each in flat(imported(name, directory)(*_arrays(inputs(name)).values()))]


def run_bound(name: str, directory: Path) -> list[np.ndarray]:
    """The results of a network that mx.sym.load reads and an Executor runs."""
    arguments, states = load_parameters(name, directory)
    graph = mx.sym.load(str(graph_file(directory, name)))
    known = set(graph.list_arguments())
    data = {key: each for key, each in _arrays(inputs(name)).items() if key in known}
    bound = graph.bind(mx.cpu(), {**arguments, **data}, aux_states=states)
    return [each.asnumpy() for each in bound.forward(is_train=False)]


def gradients(name: str, directory: Path) -> Arrays:
    """Gradients of all parameters and data for some gradients of the results; blocks by tape, symbols by Executor."""
    return dict(_block_gradients(name, directory) if _is_exported(name) else _bound_gradients(name, directory))


def _is_exported(name: str) -> bool:
    return not name.startswith("sym_") and name != "cells_symbols"


def _block_gradients(name: str, directory: Path) -> Iterator[tuple[str, np.ndarray]]:
    block, data = imported(name, directory), _arrays(inputs(name))
    learning = {key: each for key, each in data.items() if _has_gradient(each)}
    for each in learning.values():
        each.attach_grad()
    is_training = NETWORKS[name].gradients == "train"
    with autograd.record(train_mode=is_training):
        results = flat(block(*data.values()))
    autograd.backward(results, _heads(results), train_mode=is_training)
    for key, parameter in block.collect_params().items():
        if parameter.grad_req != "null":
            yield f"gradient:{key}", parameter.grad().asnumpy()
    for key, each in learning.items():
        yield f"gradient:{key}", each.grad.asnumpy()


def _bound_gradients(name: str, directory: Path) -> Iterator[tuple[str, np.ndarray]]:
    arguments, states = load_parameters(name, directory)
    arguments.update(_arrays(inputs(name)))
    graph = mx.sym.load(str(graph_file(directory, name)))
    places = {key: nd.zeros(each.shape) for key, each in arguments.items() if _has_gradient(each)}
    bound = graph.bind(mx.cpu(), arguments, args_grad=places, aux_states=states)
    bound.backward(_heads(bound.forward(is_train=True)))
    for key, each in places.items():
        yield f"gradient:{key}", each.asnumpy()


def _has_gradient(data: Any) -> bool:
    """Whole numbers are indices and labels: some operators of MXNet refuse to give them a gradient."""
    return bool((data != data.round()).sum().asscalar())


def _heads(results: list[Any]) -> list[Any]:
    state = np.random.RandomState(7)
    return [array(np.asarray(state.uniform(-1, 1, each.shape)).astype(each.dtype)) for each in results]


def _arrays(named: Arrays) -> dict[str, Any]:
    return {key: array(each) for key, each in named.items()}


# -- comparing --------------------------------------------------------------------------------------------------------


def compare(ours: list[np.ndarray], expected: list[np.ndarray], dtype: str = "float32") -> float:
    """The largest difference, relative to the largest number of an array; refuses other shapes, dtypes and numbers."""
    if [(each.shape, each.dtype) for each in ours] != [(each.shape, each.dtype) for each in expected]:
        shown = [[f"{each.dtype}{each.shape}" for each in arrays] for arrays in (ours, expected)]
        raise AssertionError(f"arrays {shown[0]}; expected {shown[1]}")
    largest = 0.0
    for place, (one, other) in enumerate(zip(ours, expected)):
        if not np.array_equal(np.isfinite(one), np.isfinite(other)):
            raise AssertionError(f"array {place} has infinities or NaN elsewhere")
        if other.size == 0:
            continue
        size = max(1.0, float(np.abs(other.astype("float64")).max()))
        difference = float(np.abs(one.astype("float64") - other.astype("float64")).max()) / size
        if not difference <= TOLERANCES[dtype]:
            raise AssertionError(f"array {place} differs by {difference:.2e}, more than {TOLERANCES[dtype]}")
        largest = max(largest, difference)
    return largest
