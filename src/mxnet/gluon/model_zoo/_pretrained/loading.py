"""Loads into a network what `pretrained=` asks for."""

import logging
import re
from os import PathLike
from typing import Any

from regluon.formats.tensors import SUFFIX as SAFETENSORS

from ....ndarray import NDArray, load
from ..._hybrid_block import HybridBlock
from ..._parameter_dict import assign
from ...parameter import ParameterError
from ..model_store import get_model_file
from .checks import converted, naming_of, other_classes, replacing_the_output
from .errors import PretrainedError
from .sources import Weights, located

__all__ = ["Pretrained", "load_pretrained"]

# Whether to load the parameters that MXNet published; or which others to load: see `load_pretrained`.
Pretrained = bool | str | PathLike[str]

_log = logging.getLogger(__name__)


def load_pretrained(
    net: HybridBlock, network: str, pretrained: Pretrained, ctx: Any, root: str | PathLike[str]
) -> None:
    """Loads weights, if they are asked for.

    Args:
        net: the network.
        network: its name in `get_model`.
        pretrained: whether to load the parameters that MXNet published, from `root` or else from the net. Or a file of
            parameters, a folder with one, a repository of Hugging Face, or 'torchvision', whose weights are taken from
            a repository that is known to hold them.
        ctx: the context, or contexts, to load them to.
        root: the folder where fetched files are kept.
    """
    if not pretrained:
        return
    if not isinstance(pretrained, (str, PathLike)):
        net.load_parameters(get_model_file(network, root=root), ctx=ctx)
        return
    weights = located(pretrained, network, root)
    given = load(weights.path) if weights.path.endswith(SAFETENSORS) else None
    if not isinstance(given, dict) or not _load_state(net, network, given, weights.source, ctx):
        _load_parameters(net, network, weights, ctx)
    _report(network, weights)


def _load_state(net: HybridBlock, network: str, given: dict[str, NDArray], source: str, ctx: Any) -> bool:
    """Loads a state dict of torchvision or timm; whether it is one."""
    parameters = net._collect_params_with_prefix()
    naming = naming_of(network, list(parameters), given, source)
    if naming is None:
        return False
    assign(
        parameters,
        converted(network, parameters, given, naming, source),
        source=source,
        ctx=ctx,
        allow_missing=False,
        ignore_extra=False,
        cast_dtype=True,  # weights are published in half precision too
        dtype_source="current",
    )
    return True


def _load_parameters(net: HybridBlock, network: str, weights: Weights, ctx: Any) -> None:
    """Loads parameters under any names that Gluon has given them."""
    try:
        net.load_parameters(weights.path, ctx=ctx)
    except ParameterError as error:
        given = load(weights.path)
        parameters = net._collect_params_with_prefix()
        classes = other_classes(parameters, given) if isinstance(given, dict) else None
        hint = f"\n{replacing_the_output(network, *classes)}" if classes else ""
        # What could be passed to `load_parameters` cannot be passed here.
        text = re.sub(r"^\[load\] |\nPass (allow_missing|ignore_extra)=True.*$", "", str(error))
        raise PretrainedError(f"[{network}] pretrained: {text}{hint}") from None


def _report(network: str, weights: Weights) -> None:
    """Says where weights are from, and what images they expect; loudly if that is not what MXNet's expect."""
    licence = f", licence {weights.licence}" if weights.licence else ""
    _log.info("%s: weights of %s%s.", network, weights.source, licence)
    if weights.preprocessing is not None:
        level = logging.INFO if weights.preprocessing.is_usual else logging.WARNING
        _log.log(level, "%s: the weights of %s expect %s.", network, weights.source, weights.preprocessing)
