"""Checkpoints: a network in `<prefix>-symbol.json`, its parameters after an epoch in `<prefix>-0001.params`."""

import logging
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from ..array import NDArray
from ..array.utils import load, save
from ..context import cpu
from ..errors import FileFormatError
from ..formats.atomic import read_together, together
from . import Symbol
from . import load as load_symbol

__all__ = ["Params", "load_checkpoint", "load_params", "read_params", "save_checkpoint", "write_params"]

Params = dict[str, NDArray]


def write_params(
    fname: str | PathLike[str], arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]
) -> None:
    """Saves parameters as `arg:name` and auxiliary states as `aux:name`."""
    marked = {f"arg:{name}": array.as_in_context(cpu()) for name, array in arg_params.items()}
    marked.update({f"aux:{name}": array.as_in_context(cpu()) for name, array in aux_params.items()})
    save(fname, marked)


def read_params(fname: str | PathLike[str], strict: bool = True) -> tuple[Params, Params]:
    """Loads what `write_params` saved.

    Args:
        fname: the file.
        strict: whether to refuse arrays that are marked neither `arg:` nor `aux:`, rather than leaving them out.

    Raises:
        FileFormatError: the file holds something else.
    """
    found = load(fname)
    if not found:
        return {}, {}
    unmarked = list(found) if isinstance(found, dict) else [f"array {place}" for place in range(len(found))]
    unmarked = [str(name) for name in unmarked if ":" not in str(name)]
    if not isinstance(found, dict) or unmarked:
        raise FileFormatError(
            f"[load_params] {fspath(fname)}: received {', '.join(unmarked[:5])} without a mark; expected names such as "
            "arg:fc_weight and aux:bn_moving_mean. Files without marks are for gluon: net.load_parameters(file)."
        )
    parts: dict[str, Params] = {"arg": {}, "aux": {}}
    for key, array in found.items():
        mark, name = key.split(":", 1)
        if mark in parts:
            parts[mark][name] = array
        elif strict:
            raise FileFormatError(f"[load_params] {fspath(fname)}: received {key!r}; expected arg:... or aux:...")
    return parts["arg"], parts["aux"]


def save_checkpoint(
    prefix: Any,
    epoch: int,
    symbol: Symbol | None,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    remove_amp_cast: bool = True,
) -> None:
    """Saves a network and its parameters; both files change together, even if the process dies in between.

    Args:
        prefix: the beginning of the files' names.
        epoch: the number in the name of the parameters' file.
        symbol: the network; None to save parameters only.
        arg_params: parameters by name.
        aux_params: auxiliary states by name.
        remove_amp_cast: leave out the casts that automatic mixed precision put in.
    """
    fname = params_file(prefix, epoch)
    with together("save_checkpoint"):
        if symbol is not None:
            symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
        write_params(fname, arg_params, aux_params)
    logging.info('Saved checkpoint to "%s"', fname)


def load_params(prefix: Any, epoch: int) -> tuple[Params, Params]:
    """Loads the parameters and the auxiliary states of a checkpoint."""
    fname = params_file(prefix, epoch)
    arg_params, aux_params = read_params(fname, strict=False)
    if not (arg_params or aux_params):
        logging.warning("Params file '%s' is empty", fname)
    return arg_params, aux_params


def load_checkpoint(prefix: Any, epoch: int) -> tuple[Symbol, Params, Params]:
    """Loads the network, the parameters and the auxiliary states of a checkpoint."""
    graph = f"{prefix}-symbol.json"
    return read_together((graph, params_file(prefix, epoch)), lambda: (load_symbol(graph), *load_params(prefix, epoch)))


def params_file(prefix: Any, epoch: int) -> str:
    """The name of the file of parameters after an epoch."""
    return f"{prefix}-{int(epoch):04d}.params"
