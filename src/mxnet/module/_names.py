"""Checks of the names of a module's inputs."""

import warnings
from collections.abc import Sequence
from typing import Any

from regluon.suggestions import nearest

from ..io import DataDesc

_PARAMETER_ENDINGS = ("_weight", "_bias", "_gamma", "_beta")


def _check_input_names(symbol: Any, names: Sequence[str], typename: str, throw: bool) -> None:
    """Complains about names that the network has no argument of.

    Args:
        symbol: the network.
        names: the names.
        typename: what they name: "data", "label", "state" or "fixed_param".
        throw: raise ValueError, rather than warn.
    """
    known = symbol.list_arguments()
    for name in names:
        if name in known:
            continue
        inputs = [each for each in known if not each.endswith(_PARAMETER_ENDINGS)]
        near = nearest(name, known)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        text = (
            f"[Module] {typename}_names={list(names)}: {name!r} is not found in symbol.list_arguments(), whose inputs "
            f"are {', '.join(inputs) or 'none'}.{hint}"
        )
        if throw:
            raise ValueError(text)
        warnings.warn(text, stacklevel=3)


def _check_names_match(data_names: Sequence[str], data_shapes: Sequence[Any], name: str, throw: bool) -> None:
    """Complains if descriptions of data do not have the expected names.

    Args:
        data_names: the expected names.
        data_shapes: the descriptions.
        name: what they describe: "data" or "label".
        throw: raise ValueError, rather than warn.
    """
    if sorted(data_names) == sorted(each[0] for each in data_shapes):
        return
    text = (
        f"[Module] Data provided by {name}_shapes don't match names specified by {name}_names "
        f"({list(data_shapes)} vs. {list(data_names)})"
    )
    if throw:
        raise ValueError(text)
    warnings.warn(text, stacklevel=4)


def _parse_data_desc(
    data_names: Sequence[str], label_names: Sequence[str], data_shapes: Any, label_shapes: Any
) -> tuple[list[DataDesc], list[DataDesc] | None]:
    """Descriptions of data and labels as DataDesc, with their names checked."""
    data = described(data_shapes)
    _check_names_match(data_names, data, "data", True)
    labels = None if label_shapes is None else described(label_shapes)
    _check_names_match(label_names, labels or [], "label", False)
    return data, labels


def described(shapes: Any) -> list[DataDesc]:
    """Pairs of name and shape as DataDesc."""
    return [each if isinstance(each, DataDesc) else DataDesc(*each) for each in shapes]
