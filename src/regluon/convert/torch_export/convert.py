"""Convert a program of torch.export to a symbol and parameters."""

import operator
import re
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import torch
from torch.export.graph_signature import InputKind

import regluon.symbol

from ...array import NDArray, array
from ...base import MXNetError
from ...symbol import Group, Symbol, var
from ...symbol.name_scope import NameManager
from .batch_axis import other_batches, varies
from .conversion_errors import NotConvertible, Problem, place_of, report
from .node import TRANSLATIONS, AtenNode, Values, mxnet_dtype
from .program import Prepared, load, prepare
from .verification import expect_equal, runs_with_other_batch

_NORM = {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean", "running_var": "moving_var"}
_RECURRENT = re.compile(r"(?P<kind>weight|bias)_(?P<source>ih|hh)_l(?P<layer>\d+)(?P<reverse>_reverse)?\Z")
_SOURCES = {"ih": "i2h", "hh": "h2h"}
_STORED = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
_NORM_OPERATOR = re.compile(r"\baten\.\w*(batch|layer|group|instance)_norm\w*\.")
_LAYER_NAME = re.compile(r"(.+)_(?:weight|gamma)\Z")


class NodeNames(NameManager):
    """Names the operators that a node is written with after the node."""

    def __init__(self, node: str) -> None:
        super().__init__()
        self._node = node

    def get(self, name: str | None, hint: str) -> str:
        """`name` if given, else the node's name, the kind of the operator and a number."""
        return name if name else f"{self._node}_{super().get(None, hint)}"


def parameter_names(program: Any, taken: Iterable[str]) -> dict[str, str]:
    """MXNet's names of parameters, buffers and constants, by the names of their nodes.

    `layer1.0.conv1.weight` becomes `layer1_0_conv1_weight`; what a norm takes is named as MXNet names it.

    Args:
        program: the program.
        taken: names that inputs have.
    """
    norms = _users(program, _NORM_OPERATOR)
    used, names = set(taken), {}
    for spec in program.graph_signature.input_specs:
        if spec.kind not in _STORED:
            continue
        owner, _, own = str(spec.target).rpartition(".")
        if spec.arg.name in norms:
            own = _NORM.get(own, own)
        name = re.sub(r"\W", "_", f"{owner}.{_recurrent(own)}" if owner else _recurrent(own))
        unique, count = name, 0
        while unique in used:
            count += 1
            unique = f"{name}_{count}"
        used.add(unique)
        names[spec.arg.name] = unique
    return names


def layer_name(node: Any, names: Mapping[str, str], used: Iterable[str]) -> str:
    """The name of a node: that of its layer if it takes a weight of one, else its own."""
    for source in node.all_input_nodes[1:]:
        found = _LAYER_NAME.match(names.get(source.name, ""))
        if found and found[1] not in used:
            return found[1]
    name: str = node.name
    return name if name not in used else f"{name}_1"


def _recurrent(own: str) -> str:
    found = _RECURRENT.match(own)
    if found is None:
        return own
    return f"{'r' if found['reverse'] else 'l'}{found['layer']}_{_SOURCES[found['source']]}_{found['kind']}"


def _users(program: Any, operators: re.Pattern[str]) -> set[str]:
    """The names of all nodes that operators take, besides their data."""
    found: set[str] = set()
    for node in program.graph.nodes:
        if node.op == "call_function" and operators.search(str(node.target)):
            found.update(source.name for source in node.all_input_nodes[1:])
    return found


S: Any = regluon.symbol
_Converted = tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]
# Checks of sizes and dtypes at run time: MXNet checks by itself.
_CHECKS = ("aten._assert", "aten.sym_constrain", "aten._functional_assert", "aten._functional_sym")


def from_exported_program(program: Any) -> _Converted:
    """The network of a program that `torch.export` made.

    The graph has the names of the program's inputs and computes what the module computed in inference; torch's bool is
    0 and 1 in float32. It takes any batch size if the program was exported with a dynamic one, or if its fixed one was
    only passed on. The result is run and compared with the program before it is returned.

    Args:
        program: a `torch.export.ExportedProgram`, or the path of a `.pt2` file. torch reads such files, which may run
            code in them: open only those that you trust.

    Returns:
        The graph, its parameters and its states by name: as `mx.model.load_checkpoint` returns them.

    Raises:
        UnsupportedProgram: operators that cannot be converted; the text lists all of them.
        WrongConversion: the graph gives other results than the program.

    Example:
        >>> program = torch.export.export(module.eval(), (torch.ones(2, 3, 224, 224),))
        >>> sym, arg_params, aux_params = mx.contrib.torch_export.from_exported_program(program)
    """
    if isinstance(program, (str, PathLike)):
        program = load(program)
    prepared = prepare(program)
    converted = None if prepared.sizes else _with_varying_batch(prepared)
    if converted is None:
        converted = _translated(prepared, prepared.lengths())
    expect_equal(program, *converted)
    return converted


def _with_varying_batch(prepared: Prepared) -> _Converted | None:
    """The graph of a program with fixed shapes for any batch size; None if it can have one only."""
    for lengths in other_batches(prepared.program, prepared.inputs):
        try:
            converted = _translated(prepared, lengths)
        except MXNetError:
            continue  # without varying lengths it may be possible; if not, that attempt says why
        if runs_with_other_batch(prepared, lengths, *converted):
            return converted
    return None


def _translated(prepared: Prepared, lengths: dict[Any, Any]) -> _Converted:
    inputs = [node.name for node in prepared.inputs]
    values = Values(lengths, parameter_names(prepared.program, inputs))
    problems = [
        Problem("mutation", f"the program changes {target} when it runs; export after module.eval()", "its outputs")
        for target in prepared.mutations
    ]
    used = {*inputs, *values.names.values()}
    unknown: set[Any] = set()
    calls = [node for node in prepared.program.graph.nodes if node.op != "output"]
    for node in calls:
        try:
            if unknown.intersection(node.all_input_nodes):
                unknown.add(node)
            elif node.op == "placeholder":
                _enter(node, prepared, values)
            else:
                name = layer_name(node, values.names, used)
                _translate(node, name, values)
                used.add(name)
        except (NotConvertible, MXNetError) as reason:
            problems.append(Problem(str(node.target), str(reason), place_of(node)))
            unknown.add(node)
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
            # A combination of arguments that no translation was written for.
            problems.append(Problem(str(node.target), f"its arguments were not foreseen: {error!r}", place_of(node)))
            unknown.add(node)
    if problems:
        raise report(problems, len(calls))
    return _finished(prepared, values)


def _enter(node: Any, prepared: Prepared, values: Values) -> None:
    """Enters an input, a parameter or a constant."""
    if node in prepared.inputs:
        dtype = mxnet_dtype(node.meta["val"].dtype)
        values.symbols[node] = var(node.name) if dtype == "float32" else var(node.name, dtype=dtype)
    elif node.name in prepared.stored:
        value = prepared.stored[node.name]
        if node.name in prepared.parameters:
            values.symbols[node] = values.parameter(values.names[node.name], value)
        else:
            values.constants[node] = value


def _translate(node: Any, name: str, values: Values) -> None:
    """Enters what a call gives: a constant if it depends on constants alone, else symbols."""
    if str(node.target).startswith(_CHECKS) or isinstance(node.meta.get("val"), (torch.SymInt, torch.SymBool, int)):
        return
    if _is_constant(node, values):
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda each: _known(each, values))
        with torch.no_grad():
            values.constants[node] = node.target(*args, **kwargs)
        return
    if node.target is operator.getitem:
        _take_result(node, values)
        return
    translation = TRANSLATIONS.get(str(node.target))
    if translation is None:
        raise NotConvertible("there is no translation of this operator")
    mxnet_dtype(AtenNode(node, name, values).result_dtype)
    with NodeNames(name):
        found = translation(AtenNode(node, name, values))
    _rename(found, name)
    values.symbols[node] = found


def _take_result(node: Any, values: Values) -> None:
    """Enters one of several results; translations leave out those that serve gradients alone."""
    source, place = node.args
    found = values.symbols[source]
    if place < len(found):
        values.symbols[node] = found[place]
    elif node.users:
        raise NotConvertible(f"result {place} of {source.target} is used, which MXNet's operators do not give")


def _known(node: Any, values: Values) -> Any:
    if node in values.constants:
        return values.constants[node]
    return values.lengths[node][0]


def _is_constant(node: Any, values: Values) -> bool:
    sizes = [each for each in node.all_input_nodes if each not in values.constants]
    if any(isinstance(each.meta.get("val"), torch.Tensor) or each in values.symbols for each in sizes):
        return False
    if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
        raise NotConvertible("it draws random numbers; a graph in inference has none")
    if _has_varying(values.lengths.get(node)):
        return False
    return all(isinstance(values.lengths.get(each), tuple) and not varies(values.lengths[each]) for each in sizes)


def _has_varying(lengths: Any) -> bool:
    """Whether some length of a value, or of one of several, varies."""
    if isinstance(lengths, list):
        return any(_has_varying(each) for each in lengths)
    return isinstance(lengths, tuple) and any(isinstance(each, tuple) and varies(each) for each in lengths)


def _rename(found: Any, name: str) -> None:
    """Gives the last operator that a node was written with the node's own name."""
    for each in found if isinstance(found, list) else [found]:
        last = each._heads[0].node
        if not last.is_variable and last.name.startswith(f"{name}_"):
            last.name = name
            return


def _finished(prepared: Prepared, values: Values) -> _Converted:
    heads: list[Symbol] = []
    for node in prepared.outputs:
        symbol = values.symbol(node)
        is_variable = symbol._heads[0].node.is_variable
        heads.append(S.identity(symbol, name=f"{node.name}_output{len(heads)}") if is_variable else symbol)
    symbol = heads[0] if len(heads) == 1 else Group(heads)
    states, known = set(symbol.list_auxiliary_states()), set(symbol.list_inputs())
    arrays = {
        name: array(value.numpy(), dtype=mxnet_dtype(value.dtype))
        for name, value in values.params.items()
        if name in known
    }
    return (
        symbol,
        {name: value for name, value in arrays.items() if name not in states},
        {name: value for name, value in arrays.items() if name in states},
    )
