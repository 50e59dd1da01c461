"""Applying operators to symbols: naming, attributes, and variables for inputs that were not given."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..base import MXNetError, _Null
from ..dtypes import NAME_OF_TORCH
from ..errors import OpParamError, OpTypeError
from ..graph.attributes import HIDDEN_KEYS, is_marked, stored
from ..graph.node import Entry, Node, node_of, variable
from ..ops.precision import CastRule
from ..ops.registry import Operator
from .attribute_scope import current as current_attributes
from .name_scope import current as current_names


class HasHeads(Protocol):
    """A symbol, as far as composing needs it."""

    _heads: tuple[Entry, ...]


def _attribute_of_param(operator: Operator, name: str, value: Any, parsed: Mapping[str, Any]) -> str:
    """Return a parameter as the text that saved graphs contain; dtypes are written by MXNet's names."""
    param = operator.params.get(name)
    if param is not None and param.kind.is_dtype:
        return param.kind.format(parsed[name])
    if isinstance(value, (tuple, list)) and any(isinstance(item, np.generic) for item in value):
        value = type(value)(item.item() if isinstance(item, np.generic) else item for item in value)
    return str(value)


def apply(
    operator: Operator,
    called: str,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    name: str | None = None,
    attr: dict[str, Any] | None = None,
) -> Node:
    """A node for an operator on symbols.

    Args:
        operator: which operator.
        called: the name it was called by; automatic names begin with it.
        args: inputs, then parameters by position.
        kwargs: inputs and parameters by name.
        name: of the node; automatic by default.
        attr: attributes beside those of the `AttrScope` in force.
    """
    kwargs, extra = _without_attributes(operator, kwargs)
    own = {key: _attribute_text(value) for key, value in (attr or {}).items()}
    extra = stored({**current_attributes().get(own), **extra})
    _check_attributes(operator, extra)
    inputs, given = operator.sort(args, kwargs)
    given = {key: value for key, value in given.items() if value is not _Null}
    params = operator.parse(given)
    full_name = current_names().get(name, called.lower())
    if operator.free_params:
        attrs = {**extra, **{key: str(value) for key, value in given.items()}}
    else:
        attrs = {**extra, **{key: _attribute_of_param(operator, key, value, params) for key, value in given.items()}}
    if operator.count_param:
        attrs[operator.count_param] = str(len(inputs))
    entries = _entries(operator, inputs, operator.takes(params), full_name, attrs)
    if operator.precision is not None:
        entries = _cast(operator, entries, params)
    node = Node(operator, full_name, attrs, entries)
    _check_states(node)
    return node


def _cast(operator: Operator, entries: list[Entry], params: Mapping[str, Any]) -> list[Entry]:
    """The inputs after the casts of mixed precision: nodes that leave integers, and what needs no cast, as it is."""
    rule: CastRule = operator.precision
    if rule.loss_scale is not None:
        logging.warning("%s does not support dynamic loss scaling in symbolic and hybridized execution.", operator.name)
    if not rule.holds(params):
        return entries
    places = rule.positions(operator, len(entries), params)
    if rule.dtype is None:
        attrs = {"num_outputs": str(len(places))}
        multicast = node_of("amp_multicast", _automatic("amp_multicast"), attrs, [entries[place] for place in places])
        cast = {place: Entry(multicast, index) for index, place in enumerate(places)}
    else:
        attrs = {"dtype": NAME_OF_TORCH[rule.dtype]}
        cast = {place: Entry(node_of("amp_cast", _automatic("amp_cast"), attrs, [entries[place]])) for place in places}
    return [cast.get(place, entry) for place, entry in enumerate(entries)]


def _automatic(hint: str) -> str:
    return current_names().get(None, hint)


def _check_states(node: Node) -> None:
    for position in node.auxiliary:
        source = node.inputs[position].node
        if not source.is_variable:
            label = node.input_names[position] if node.input_names else str(position)
            raise MXNetError(
                f"[{node.op_name}] input {label}: received the result of {source.name!r}; expected a variable, because "
                "the operator updates it."
            )


def _without_attributes(operator: Operator, kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Keyword arguments, and those among them that are attributes of the node, such as `__layout__` or `lr_mult`."""
    found = {
        key: _attribute_text(value)
        for key, value in kwargs.items()
        if (is_marked(key) or key.endswith(HIDDEN_KEYS)) and key not in operator.params
    }
    return ({key: value for key, value in kwargs.items() if key not in found}, found) if found else (kwargs, found)


def _attribute_text(value: Any) -> str:
    """An attribute as graphs keep it; an initializer tells how it is made again, not where it lies in memory."""
    if isinstance(value, str):
        return value
    describe = getattr(value, "dumps", None)
    return describe() if callable(describe) else str(value)


def _check_attributes(operator: Operator, attrs: dict[str, str]) -> None:
    """Refuses attributes that are neither parameters nor marked as attributes: most likely they are misspelt."""
    if operator.free_params or not operator.params:
        return
    for key in attrs:
        if key not in operator.params and not is_marked(key):
            raise OpParamError(
                f"[{operator.name}] received the attribute {key!r}; expected a parameter of the operator, or a name "
                f"between double underscores: '__{key}__'."
            )


def _entries(
    operator: Operator, inputs: Sequence[Any], wanted: Sequence[str], name: str, attrs: dict[str, str]
) -> list[Entry]:
    if operator.variadic:
        entries = [
            _missing(operator, wanted[place], name, attrs) if symbol is None else _entry(operator, str(place), symbol)
            for place, symbol in enumerate(inputs)
        ]
        entries += [_missing(operator, label, name, attrs) for label in wanted[len(inputs) :]]
        if not entries and operator.describes is None:
            raise OpTypeError(f"[{operator.name}] received no inputs; expected one symbol or more.")
        return entries
    entries = []
    for place, label in enumerate(operator.inputs):
        symbol = inputs[place] if place < len(inputs) else None
        if symbol is not None:
            entries.append(_entry(operator, label, symbol))
        elif label in wanted:
            entries.append(_missing(operator, label, name, attrs))
    return entries


def _missing(operator: Operator, label: str, name: str, attrs: dict[str, str]) -> Entry:
    """A variable for an input that was not given; it carries the attributes of its operator, as in MXNet."""
    own = dict(attrs)
    if operator.initializers is not None and label in operator.initializers:
        own.setdefault("__init__", operator.initializers[label])
    return Entry(variable(f"{name}_{label}", own))


def _entry(operator: Operator, label: str, symbol: Any) -> Entry:
    heads = getattr(symbol, "_heads", None)
    if heads is None:
        raise OpTypeError(
            f"[{operator.name}] input {label}: received {type(symbol).__module__}.{type(symbol).__name__}; expected a "
            "Symbol. Arrays enter a graph through mx.sym.var(name) and bind()."
        )
    if len(heads) != 1:
        raise OpTypeError(
            f"[{operator.name}] input {label}: received a symbol of {len(heads)} outputs; expected one. Choose it by "
            "index: symbol[0]."
        )
    head: Entry = heads[0]
    return head
