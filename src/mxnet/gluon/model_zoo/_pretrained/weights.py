"""Load and check published weights."""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from regluon.arguments import nearest
from regluon.formats.tensors import SUFFIX as SAFETENSORS

from ....ndarray import NDArray, load
from ..._hybrid_block import HybridBlock
from ..._parameter_dict import assign
from ...parameter import Parameter, ParameterError
from ..model_store import get_model_file
from .errors import PretrainedError
from .naming.catalogue import COUNTERPARTS, refusal
from .naming.layers import Naming, layers_of, their_kind
from .sources import Weights, located

__all__ = ["converted", "naming_of", "other_classes", "replacing_the_output", "Pretrained", "load_pretrained"]


_COUNTERS = ".num_batches_tracked"  # of normalization, which only its training reads
_SHOWN = 20


def naming_of(network: str, ours: Sequence[str], given: Iterable[str], source: str) -> Naming | None:
    """The naming of torchvision or timm that a file uses; None if it uses Gluon's, or one that is not known."""
    names = set(given)
    if network not in COUNTERPARTS:
        if _has_torch_norms(names):
            raise PretrainedError(
                f"[{network}] pretrained: {source} has the names of a network of torch; expected parameters of "
                f"{network}: {refusal(network)}"
            )
        return None
    layers = layers_of(ours)
    namings = COUNTERPARTS[network].renaming(layers)
    best = max(namings, key=lambda naming: _hits(naming, ours, names))
    if _hits(best, ours, names) <= len(names.intersection(ours)):
        return None
    if strange := [layer for layer in layers if layer not in best.theirs]:
        raise PretrainedError(
            f"[{network}] pretrained: {source} has the names of torchvision's network; expected the network of "
            f"{network} as it is: built with these arguments it has layers without a counterpart there, such as "
            f"{strange[0]}. Leave out the arguments that change its layers, such as thumbnail=True."
        )
    return best


def _has_torch_norms(names: set[str]) -> bool:
    """Whether normalization has a `weight`, which is a `gamma` in Gluon."""
    means = (name.removesuffix("running_mean") for name in names if name.endswith(".running_mean"))
    return any(f"{layer}weight" in names for layer in means)


def _hits(naming: Naming, ours: Iterable[str], names: set[str]) -> int:
    return sum(_their_name(naming, name) in names for name in ours)


def _their_name(naming: Naming, name: str) -> str | None:
    layer, _, kind = name.rpartition(".")
    return f"{naming.theirs[layer]}.{their_kind(kind)}" if layer in naming.theirs else None


def converted(
    network: str, parameters: Mapping[str, Parameter], given: Mapping[str, NDArray], naming: Naming, source: str
) -> dict[str, NDArray]:
    """The arrays under our names, or an error that says everything that does not fit at once."""
    theirs = {name: str(_their_name(naming, name)) for name in parameters}
    known = set(theirs.values())
    problems = []
    arrays = {}
    for name, parameter in parameters.items():
        their_name = theirs[name]
        if their_name not in given:
            problems.append(f"missing in the file: {their_name}, here {name}{_near(their_name, given)}")
            continue
        array = given[their_name]
        if their_name.rpartition(".")[0] in naming.flattened and their_name.endswith(".weight"):
            array = array.reshape((array.shape[0], -1))
        if not _fits(parameter.shape, array.shape):
            problems.append(
                f"{their_name} has the shape {given[their_name].shape}; expected {_shown(parameter.shape)}, that of "
                f"{name}"
            )
        arrays[name] = array
    for name in given:
        if name not in known and not name.endswith(_COUNTERS) and not name.startswith(naming.unused):
            problems.append(f"not in the network: {name}{_near(name, known)}")
    if problems:
        raise PretrainedError(_mismatch(network, source, problems, other_classes(parameters, given, theirs)))
    return arrays


def _fits(wanted: tuple[int, ...] | None, found: tuple[int, ...]) -> bool:
    """Whether shapes agree, as far as ours is known before the first data."""
    return wanted is None or (
        len(wanted) == len(found) and all(ours in (theirs, 0, -1) for ours, theirs in zip(wanted, found, strict=True))
    )


def _shown(shape: tuple[int, ...] | None) -> str:
    return "one" if shape is None else str(tuple(n if n > 0 else "any" for n in shape)).replace("'", "")


def _near(name: str, others: Iterable[str]) -> str:
    near = nearest(name, others, cutoff=0.8)
    return f" (nearest there: {near[0]})" if near else ""


def _mismatch(network: str, source: str, problems: list[str], classes: tuple[int, int] | None) -> str:
    shown = problems[:_SHOWN] + ([f"... and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else [])
    count = f"{len(problems)} difference{'s' * (len(problems) > 1)}"
    text = f"[{network}] pretrained: {source} does not fit the network ({count}):\n  "
    return text + "\n  ".join(shown) + (f"\n{replacing_the_output(network, *classes)}" if classes else "")


def other_classes(
    parameters: Mapping[str, Parameter], given: Mapping[str, NDArray], theirs: Mapping[str, str] | None = None
) -> tuple[int, int] | None:
    """The numbers of classes, in the file and in the network, if they differ."""
    last = next(name for name in reversed(list(parameters)) if name.endswith(".weight"))
    array = given.get(theirs[last] if theirs else last)
    wanted = parameters[last].shape
    if array is None or not array.shape or wanted is None or array.shape[0] == wanted[0]:
        return None
    return array.shape[0], wanted[0]


def replacing_the_output(network: str, found: int, wanted: int) -> str:
    """How to use weights of another number of classes."""
    return (
        f"The weights are for {found} classes, and the network is for {wanted}. Load all of them, then take the "
        "features:\n"
        f"    trained = vision.get_model({network!r}, classes={found}, pretrained=...)\n"
        f"    net = vision.get_model({network!r}, classes={wanted})\n"
        "    net.features = trained.features\n"
        "    net.output.initialize(mx.init.Xavier())"
    )


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
