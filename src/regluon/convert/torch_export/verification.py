"""Runs a program and the graph made of it on the same random inputs."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, TensorArgument

from ...array import NDArray, array
from ...base import MXNetError
from ...context import cpu
from ...symbol import Symbol
from .batch_axis import DynamicSizes, shape_at, varies
from .conversion_errors import WrongConversion
from .node import mxnet_dtype
from .program import Prepared, stored_tensors

Array = np.ndarray[Any, Any]
# Allowed difference relative to the largest number of an output. Both sides compute with torch's kernels but group
# sums differently: 100 layers in float32 were measured to differ by 5e-7. The smallest mistakes that a translation can
# make are far larger: the other formula of GELU gives 5e-4, MXNet's epsilon in a BatchNorm 5e-4.
_TOLERANCES = {"float16": 2e-2, "float32": 1e-4, "float64": 1e-9}
_LARGEST_INDEX = 2  # for inputs of whole numbers that no table is known for


class Difference(NamedTuple):
    """How far two lists of outputs are apart.

    Attributes:
        absolute: the largest difference of two numbers.
        relative: the largest difference in relation to the largest number of the same output.
    """

    absolute: float
    relative: float


def verify(
    program: torch.export.ExportedProgram,
    sym: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    seed: int = 0,
) -> Difference:
    """Compares a program with a graph on random inputs of the shapes and dtypes that the program expects.

    Lengths that the program leaves open are tried at two sizes.

    Args:
        program: the program.
        sym: the graph.
        arg_params: its parameters.
        aux_params: its states.
        seed: of the random inputs.

    Returns:
        The largest absolute and relative difference.

    Raises:
        WrongConversion: the outputs differ in number or shape.
    """
    return max(
        (found for found, _ in _differences(program, sym, arg_params, aux_params, seed)), key=lambda each: each[1]
    )


def expect_equal(
    program: torch.export.ExportedProgram, sym: Symbol, arg_params: Mapping[str, Any], aux_params: Mapping[str, Any]
) -> None:
    """Raises WrongConversion if a graph gives other results than its program."""
    for found, dtype in _differences(program, sym, arg_params, aux_params, 0):
        tolerance = _TOLERANCES.get(dtype, 0.0)
        if not found.relative <= tolerance:
            raise WrongConversion(
                f"[from_exported_program] the converted graph gives other results than the program: an output of "
                f"{dtype} differs by {found.absolute:.3g}, which is {found.relative:.3g} of its largest number; "
                f"expected at most {tolerance:g}. Please report the module as an issue; programs whose results depend "
                "on random numbers or on the last bits of their inputs cannot be compared."
            )


def _differences(
    program: torch.export.ExportedProgram, sym: Symbol, args: Mapping[str, Any], auxs: Mapping[str, Any], seed: int
) -> list[tuple[Difference, str]]:
    """The difference of each output at each size, and its dtype."""
    sizes = DynamicSizes(program)
    found = []
    for size in (0, 1) if sizes else (0,):
        for draw in (_normal, _positive):
            inputs = random_inputs(program, sizes, size, draw, seed)
            expected = _run_program(program, inputs)
            if all(value.isfinite().all() for value in expected):
                break  # else a logarithm or a root met a negative number: not much to compare
        results = run_graph(sym, args, auxs, {name: _array(value) for name, value in inputs.items()})
        if [_shape(value) for value in expected] != [value.shape for value in results]:
            raise WrongConversion(
                f"[from_exported_program] the converted graph gives the shapes {[value.shape for value in results]}; "
                f"expected {[_shape(value) for value in expected]}."
            )
        for want, have in zip(expected, results, strict=True):
            found.append((difference(_array(want).reshape(have.shape), have), str(want.dtype).removeprefix("torch.")))
    return found


def difference(expected: Array, found: Array) -> Difference:
    """How far an output is from what it should be; infinite if one of them alone is no number."""
    if not expected.size:
        return Difference(0.0, 0.0)
    a, b = expected.astype(np.float64), found.astype(np.float64)
    if (np.isnan(a) != np.isnan(b)).any():
        return Difference(float("inf"), float("inf"))
    with np.errstate(invalid="ignore"):  # infinite numbers on both sides
        largest = float(np.where((a == b) | np.isnan(a), 0, np.abs(a - b)).max())
    scale = float(np.abs(a[np.isfinite(a)]).max(initial=0)) or 1.0
    return Difference(largest, largest / scale)


def runs_with_other_batch(
    prepared: Prepared, lengths: dict[Any, Any], sym: Symbol, args: Mapping[str, Any], auxs: Mapping[str, Any]
) -> bool:
    """Whether a graph computes every example of a larger batch as it does in the exported batch.

    Args:
        prepared: the program, of fixed shapes.
        lengths: those of its values, at the exported batch size and at twice that.
        sym: the graph.
        args: its parameters.
        auxs: its states.
    """
    once = example_inputs(prepared.program)
    twice = {}
    for node in prepared.inputs:
        is_batch = any(varies(length) for length in lengths[node])
        twice[node.name] = np.concatenate([once[node.name]] * 2) if is_batch else once[node.name]
    try:
        before, after = run_graph(sym, args, auxs, once), run_graph(sym, args, auxs, twice)
    except MXNetError:
        return False
    for node, one, two in zip(prepared.outputs, before, after, strict=True):
        axes = [axis for axis, length in enumerate(lengths[node]) if varies(length)]
        if two.shape != (shape_at(lengths[node], 1) or (1,)):
            return False
        expected = np.concatenate([one, one], axes[0]) if axes else one
        if two.shape != expected.shape or difference(expected, two).relative > _TOLERANCES.get(str(one.dtype), 0.0):
            return False
    return True


def run_graph(
    sym: Symbol, args: Mapping[str, NDArray], auxs: Mapping[str, NDArray], inputs: Mapping[str, Array]
) -> list[Array]:
    """What a graph computes in inference."""
    given = {name: array(value, dtype=value.dtype) for name, value in inputs.items() if name in sym.list_arguments()}
    executor = sym.bind(cpu(), {**args, **given}, aux_states=dict(auxs), grad_req="null")
    return [output.asnumpy() for output in executor.forward(is_train=False)]


def _normal(shape: Sequence[int], draw: torch.Generator) -> torch.Tensor:
    return torch.randn(tuple(shape), generator=draw)


def _positive(shape: Sequence[int], draw: torch.Generator) -> torch.Tensor:
    return torch.rand(tuple(shape), generator=draw) * 0.9 + 0.1


def random_inputs(
    program: torch.export.ExportedProgram, sizes: DynamicSizes, size: int = 0, numbers: Any = _normal, seed: int = 0
) -> dict[str, torch.Tensor]:
    """Inputs by name; whole numbers are indices of the tables that take them."""
    draw = torch.Generator().manual_seed(seed)
    found = {}
    nodes = {node.name: node for node in program.graph.nodes}
    for spec in program.graph_signature.input_specs:
        if spec.kind != InputKind.USER_INPUT or not isinstance(spec.arg, TensorArgument):
            continue
        node = nodes[spec.arg.name]
        shape, dtype = shape_at(sizes.lengths(node.meta["val"]), size), node.meta["val"].dtype
        if dtype.is_floating_point:
            found[node.name] = numbers(shape, draw).to(dtype)
        else:
            found[node.name] = torch.randint(0, _rows(node), shape, generator=draw).to(dtype)
    return found


def example_inputs(program: torch.export.ExportedProgram) -> dict[str, Array]:
    """Random inputs by name as arrays; lengths that the program leaves open have some size."""
    return {name: _array(value) for name, value in random_inputs(program, DynamicSizes(program)).items()}


def _rows(node: Any) -> int:
    """How many rows the tables have that take an input as index."""
    found = [
        int(user.args[0].meta["val"].shape[0])
        for user in node.users
        if str(user.target) == "aten.embedding.default" and user.args[1] is node
    ]
    return min(found, default=_LARGEST_INDEX)


def _run_program(program: torch.export.ExportedProgram, inputs: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
    known, flat = stored_tensors(program), []
    for spec in program.graph_signature.input_specs:
        if spec.arg.name in known:
            flat.append(known[spec.arg.name])
        else:
            is_constant = isinstance(spec.arg, ConstantArgument)
            flat.append(spec.arg.value if is_constant else inputs[spec.arg.name].clone())  # it may be written to
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch about its own functions
        results = program.graph_module(*flat)
    specs = program.graph_signature.output_specs
    return [value for value, spec in zip(results, specs, strict=True) if spec.kind == OutputKind.USER_OUTPUT]


def _shape(value: torch.Tensor) -> tuple[int, ...]:
    return tuple(value.shape) or (1,)


def _array(value: torch.Tensor) -> Array:
    found: Array = value.detach().to(getattr(torch, mxnet_dtype(value.dtype))).numpy()
    return found
