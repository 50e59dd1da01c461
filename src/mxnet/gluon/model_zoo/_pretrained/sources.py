"""From what `pretrained=` says to a file of weights on this computer."""

import json
import os
from typing import Any, NamedTuple

from regluon.formats.tensors import SUFFIX as SAFETENSORS

from ..model_store import DEFAULT_ROOT
from .errors import MissingWeightsError, PretrainedError
from .hub import TORCHVISION, HubFile, Preprocessing, fetched, hub_file, preprocessing_of
from .naming.catalogue import COUNTERPARTS, refusal

__all__ = ["Weights", "located"]

_KEYWORD = "torchvision"
_PARAMS = ".params"
# Files that torch pickles. Reading them can run any code, so this library never does.
_PICKLED = (".pth", ".pt", ".bin", ".ckpt", ".pkl", ".tar")
_CONFIG = "config.json"
_LARGEST_CONFIG = 1 << 20


class Weights(NamedTuple):
    """A file of weights, and what is known about it."""

    path: str
    source: str
    licence: str | None = None
    preprocessing: Preprocessing | None = None


def located(pretrained: str | os.PathLike[str], network: str, root: str | os.PathLike[str]) -> Weights:
    """The file that is meant: one that is there, one in a folder, or one in a repository, which is fetched.

    Args:
        pretrained: a file, a folder, a repository, or 'torchvision'.
        network: name of the network in `get_model`.
        root: where fetched files are kept; the cache of Hugging Face, shared with other programs, if it is the default.
    """
    text = os.fspath(pretrained)
    cache = None if root == DEFAULT_ROOT else os.path.expanduser(os.fspath(root))
    if pretrained == _KEYWORD:
        return _of_torchvision(network, cache)
    path = os.path.expanduser(text)
    if os.path.isdir(path):
        return _in_folder(path, network)
    is_text = isinstance(pretrained, str)
    wanted = hub_file(text) if is_text else None
    is_marked = is_text and text.startswith("hf://")
    if os.path.exists(path) or wanted is None or (text.endswith((*_PICKLED, _PARAMS, SAFETENSORS)) and not is_marked):
        return _existing(path, network)
    if wanted.name.endswith(_PICKLED):
        raise PretrainedError(
            f"[{network}] pretrained: received {str(wanted)!r}; expected a file that ends with {SAFETENSORS} or "
            f"{_PARAMS}. Reading the others can run any code, so it is not done here: most repositories have both."
        )
    return _in_repository(wanted, network, cache)


def _existing(path: str, network: str) -> Weights:
    if not os.path.exists(path):
        raise MissingWeightsError(
            f"[{network}] pretrained: received {path!r}, which does not exist; expected True, a file ({_PARAMS} or "
            f"{SAFETENSORS}), a folder with one, a repository of Hugging Face such as 'timm/resnet18.tv_in1k', or "
            f"{_KEYWORD!r}."
        )
    _refuse_pickled(path, network)
    return Weights(path, path)


def _refuse_pickled(path: str, network: str) -> None:
    stem, suffix = os.path.splitext(path)
    if suffix.lower() in _PICKLED:
        raise PretrainedError(
            f"[{network}] pretrained: received {path!r}; expected {SAFETENSORS} or {_PARAMS}. Files of torch with the "
            f"suffix {suffix} are pickled: reading one can run any code, so it is not done here. Convert it once:\n"
            "    import torch; from safetensors.torch import save_file\n"
            f"    save_file(torch.load({path!r}, weights_only=True), {stem + SAFETENSORS!r})"
        )


# -- folders --------------------------------------------------------------------------------------------------------


def _in_folder(folder: str, network: str) -> Weights:
    names = sorted(os.listdir(folder))
    usable = [name for name in names if name.endswith((SAFETENSORS, _PARAMS))]
    # A folder such as ~/.mxnet/models holds the files of many networks; theirs begin with the name.
    own = [name for name in usable if name.startswith((f"{network}-", f"{network}."))]
    chosen = usable if len(usable) == 1 else own
    if len(chosen) == 1:
        path = os.path.join(folder, chosen[0])
        config = _read_config(os.path.join(folder, _CONFIG)) if path.endswith(SAFETENSORS) else {}
        _check_architecture(config, folder, network)
        return Weights(path, path, preprocessing=preprocessing_of(config))
    if not usable:
        for name in names:
            _refuse_pickled(os.path.join(folder, name), network)
    found = f"{', '.join((own or usable)[:8])}" or "no such file"
    raise MissingWeightsError(
        f"[{network}] pretrained: received the folder {folder!r} with {found}; expected one file that ends with "
        f"{SAFETENSORS} or {_PARAMS}, or one whose name begins with {network!r}. Pass the path of the file."
    )


def _read_config(path: str | None) -> dict[str, Any]:
    """What a repository says about its network; nothing if it says nothing, or not in JSON."""
    if path is None or not os.path.isfile(path) or os.path.getsize(path) > _LARGEST_CONFIG:
        return {}
    try:
        with open(path, encoding="utf-8") as stream:
            config = json.load(stream)
    except (ValueError, RecursionError):
        return {}
    return config if isinstance(config, dict) else {}


def _check_architecture(config: dict[str, Any], source: str, network: str) -> None:
    """Refuses another network before its weights are fetched; names and shapes alone do not always tell."""
    stated = config.get("architecture")
    if not isinstance(stated, str) or stated == network:
        return
    if network not in COUNTERPARTS:
        raise PretrainedError(
            f"[{network}] pretrained: {source} holds weights of {stated!r}; expected those of {network}: "
            f"{refusal(network)}"
        )
    expected = COUNTERPARTS[network].architectures
    if stated not in expected:
        raise PretrainedError(
            f"[{network}] pretrained: {source} holds weights of {stated!r}; expected those of {' or '.join(expected)}."
        )


# -- repositories ---------------------------------------------------------------------------------------------------


def _in_repository(wanted: HubFile, network: str, cache: str | None) -> Weights:
    config: dict[str, Any] = {}
    if wanted.name.endswith(SAFETENSORS):
        config = _read_config(fetched(wanted._replace(name=_CONFIG), network, cache, needed=False))
        _check_architecture(config, wanted.repository, network)
    path = fetched(wanted, network, cache)
    assert path is not None
    stated = config.get("pretrained_cfg")
    licence = stated.get("license") if isinstance(stated, dict) else None
    return Weights(path, str(wanted), str(licence) if licence else None, preprocessing_of(config))


def _of_torchvision(network: str, cache: str | None) -> Weights:
    if network in TORCHVISION:
        known = TORCHVISION[network]
        path = fetched(HubFile(known.repository), network, cache)
        assert path is not None
        return Weights(path, f"hf://{known.repository}", known.licence, known.preprocessing)
    if network in COUNTERPARTS:
        theirs = COUNTERPARTS[network].architectures[0]
        raise PretrainedError(
            f"[{network}] pretrained: received {_KEYWORD!r}; expected a network whose weights are in a known "
            "repository without pickled files. Convert the ones that torchvision offers, and pass the path:\n"
            "    import torchvision; from safetensors.torch import save_file\n"
            f"    save_file(torchvision.models.{theirs}(weights='DEFAULT').state_dict(), '{theirs}{SAFETENSORS}')"
        )
    raise PretrainedError(
        f"[{network}] pretrained: received {_KEYWORD!r}; expected a network that is the same in torchvision: "
        f"{refusal(network)}"
    )
