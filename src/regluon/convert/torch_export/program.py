"""Programs, made ready: loaded, functional, of operators that have translations."""

import warnings
from os import PathLike, fspath
from typing import Any, NamedTuple

import torch
from torch.export.graph_signature import InputKind, OutputKind, TensorArgument

from ...base import MXNetError
from ...formats.atomic import open_current
from .batch_axis import DynamicSizes
from .node import TRANSLATIONS

_STORED = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


class Prepared(NamedTuple):
    """A program with all that its translation needs.

    Attributes:
        program: functional; operators without a translation are decomposed as far as torch knows how.
        inputs: the nodes of the inputs that are tensors.
        stored: parameters, buffers and constants by the names of their nodes.
        parameters: the names of the nodes that are parameters: these are never folded into constants.
        outputs: the nodes that are returned.
        mutations: buffers that the program changes. Changes of inputs do not count: results tell all of them.
        sizes: the sizes that the program leaves open.
    """

    program: Any
    inputs: list[Any]
    stored: dict[str, torch.Tensor]
    parameters: set[str]
    outputs: list[Any]
    mutations: list[str]
    sizes: DynamicSizes

    def lengths(self) -> dict[Any, Any]:
        """The lengths of all values by node, at two sizes if the program leaves some open."""
        nodes = [node for node in self.program.graph.nodes if "val" in node.meta]
        return {node: self.sizes.lengths(node.meta["val"]) for node in nodes}


def load(path: str | PathLike[str]) -> torch.export.ExportedProgram:
    """The program in a `.pt2` file.

    torch reads it, which may run code that such a file holds: open only files that you trust.
    """
    name = fspath(path)
    try:
        with open_current(name) as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of torch about its own files
            return torch.export.load(stream)
    except FileNotFoundError:
        raise MXNetError(
            f"[from_exported_program] received {name!r}; expected an existing .pt2 file, and there is none."
        ) from None
    except Exception as error:  # torch has no class of errors for this
        text = (str(error) or type(error).__name__).splitlines()[0]
        raise MXNetError(
            f"[from_exported_program] {name}: received no file that torch.export.load reads: {text} Expected one "
            "written by torch.export.save."
        ) from error


def prepare(program: Any) -> Prepared:
    """Makes a program functional, and decomposes the operators that have no translation."""
    if not isinstance(program, torch.export.ExportedProgram):
        advice = (
            " A module becomes one with torch.export.export(module.eval(), (example,))."
            if isinstance(program, torch.nn.Module)
            else ""
        )
        raise TypeError(
            f"[from_exported_program] program: received {type(program).__name__}; expected a "
            f"torch.export.ExportedProgram or the path of a .pt2 file.{advice}"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch about its own functions
        known = torch.export.default_decompositions()
        ready = program.run_decompositions({each: known[each] for each in known if str(each) not in TRANSLATIONS})
    nodes = {node.name: node for node in ready.graph.nodes}
    signature = ready.graph_signature
    inputs = [
        nodes[spec.arg.name]
        for spec in signature.input_specs
        if spec.kind == InputKind.USER_INPUT and isinstance(spec.arg, TensorArgument)
    ]
    return Prepared(
        ready,
        inputs,
        stored_tensors(ready),
        {spec.arg.name for spec in signature.input_specs if spec.kind == InputKind.PARAMETER},
        [_output(nodes, spec.arg) for spec in signature.output_specs if spec.kind == OutputKind.USER_OUTPUT],
        [str(spec.target) for spec in signature.output_specs if spec.kind == OutputKind.BUFFER_MUTATION],
        DynamicSizes(ready),
    )


def stored_tensors(program: Any) -> dict[str, torch.Tensor]:
    """Parameters, buffers and constants of a program by the names of their nodes."""
    found = {}
    for spec in program.graph_signature.input_specs:
        if spec.kind in _STORED:
            owner = program.state_dict if spec.target in program.state_dict else program.constants
            found[spec.arg.name] = owner[spec.target].detach()
    return found


def _output(nodes: dict[str, Any], argument: Any) -> Any:
    if not isinstance(argument, TensorArgument):
        shown = getattr(argument, "value", argument)
        raise MXNetError(
            f"[from_exported_program] the program returns {shown!r}; expected tensors only. Return tensors from "
            "forward, and export again."
        )
    return nodes[argument.name]
