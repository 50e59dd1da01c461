"""Parameters in 8 bits, and networks that are given as files."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

from ...ndarray import NDArray, _internal, array
from ...ndarray import load as nd_load
from ...symbol import Symbol
from ...symbol import load as sym_load
from ._checks import QuantizationError
from ._collectors import say

_SUFFIX = "_quantize"


def _quantize_params(qsym: Symbol, params: Mapping[str, NDArray], th_dict: Mapping[str, Any]) -> dict[str, NDArray]:
    """The parameters of a quantized graph.

    Args:
        qsym: the graph.
        params: parameters of the graph that it was made from.
        th_dict: ranges by the names of results.
    """
    found: dict[str, NDArray] = {}
    for name in qsym.list_arguments():
        original = name.removesuffix(_SUFFIX)
        if name in params:
            found[name] = params[name]
        elif original != name and original in params:
            found[name], found[f"{name}_min"], found[f"{name}_max"] = _in_8_bits(params[original])
        elif name not in found and name[-4:] in ("_min", "_max") and name[:-4] in th_dict:
            found[name] = array([th_dict[name[:-4]][name.endswith("_max")]])
    return found


def _in_8_bits(param: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """A parameter as int8 with its limits."""
    made, low, high = _internal._contrib_quantize(
        data=param, min_range=param.min(), max_range=param.max(), out_type="int8"
    )
    return made, low, high


def _load_sym(sym: Any, logger: Any = None) -> Symbol:
    """A graph, or the one in a file."""
    if isinstance(sym, Symbol):
        return sym
    if isinstance(sym, (str, PathLike)):
        say(logger, f"Loading symbol from file {sym}")
        loaded: Symbol = sym_load(sym)
        return loaded
    raise QuantizationError(f"[quantization] sym: received {type(sym).__name__}; expected a Symbol or a path.")


def _load_params(params: Any, logger: Any = None) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
    """Parameters and auxiliary states: a pair of dictionaries, or those in a file."""
    if isinstance(params, (tuple, list)) and len(params) == 2:
        return params[0], params[1]
    if not isinstance(params, (str, PathLike)):
        raise QuantizationError(
            f"[quantization] params: received {type(params).__name__}; expected a path or a pair of dictionaries."
        )
    say(logger, f"Loading params from file {params}")
    found: dict[str, dict[str, NDArray]] = {"arg": {}, "aux": {}}
    stored: Any = nd_load(params)
    for key, value in stored.items():
        kind, _, name = key.partition(":")
        if kind in found:
            found[kind][name] = value
    return found["arg"], found["aux"]
