"""Find published weights on a hub."""

import hashlib
import logging
import os
import re
from typing import Any, NamedTuple

from ..._downloads import DownloadError, file_hash
from .errors import PretrainedError

__all__ = [
    "IMAGENET",
    "INCEPTION",
    "TORCHVISION",
    "Preprocessing",
    "Published",
    "preprocessing_of",
    "HubFile",
    "fetched",
    "hub_file",
]


class Preprocessing(NamedTuple):
    """How images are prepared: red, green, blue in 0..1, resized, cropped, then normalized."""

    mean: tuple[float, ...]
    std: tuple[float, ...]
    size: int
    resize: int
    interpolation: str

    def __str__(self) -> str:
        return (
            f"images resized to {self.resize} ({self.interpolation}), cropped to {self.size}, scaled to 0..1, then "
            f"normalized with the means {self.mean} and the deviations {self.std}"
        )

    @property
    def is_usual(self) -> bool:
        """Whether images are normalized as for MXNet's own parameters."""
        return (self.mean, self.std) == (IMAGENET.mean, IMAGENET.std)


IMAGENET = Preprocessing((0.485, 0.456, 0.406), (0.229, 0.224, 0.225), 224, 256, "bilinear")
# Inside of torchvision's network a first step, `transform_input`, normalizes images anew. There is none in Gluon's.
INCEPTION = Preprocessing((0.5, 0.5, 0.5), (0.5, 0.5, 0.5), 299, 342, "bilinear")


class Published(NamedTuple):
    """A repository, and the licence that it names."""

    repository: str
    licence: str
    preprocessing: Preprocessing = IMAGENET


def _timm(name: str, licence: str, preprocessing: Preprocessing = IMAGENET) -> Published:
    return Published(f"timm/{name}.tv_in1k", licence, preprocessing)


# By the network's name in `get_model`. The licences are those that timm states for each repository.
TORCHVISION = {
    "resnet18_v1": _timm("resnet18", "BSD-3-Clause"),
    "resnet34_v1": _timm("resnet34", "BSD-3-Clause"),
    **{f"vgg{layers}": _timm(f"vgg{layers}", "BSD-3-Clause") for layers in (11, 13, 16, 19)},
    **{f"vgg{layers}_bn": _timm(f"vgg{layers}_bn", "BSD-3-Clause") for layers in (11, 13, 16, 19)},
    **{f"densenet{layers}": _timm(f"densenet{layers}", "Apache-2.0") for layers in (121, 161, 169, 201)},
    "inceptionv3": _timm("inception_v3", "Apache-2.0", INCEPTION),
}


def preprocessing_of(config: dict[str, Any]) -> Preprocessing | None:
    """What the `config.json` of a repository of timm says about images; None if it does not."""
    stated = config.get("pretrained_cfg")
    if not isinstance(stated, dict):
        return None
    try:
        size = int(stated["input_size"][-1])
        return Preprocessing(
            tuple(map(float, stated["mean"])),
            tuple(map(float, stated["std"])),
            size,
            round(size / float(stated["crop_pct"])),
            str(stated["interpolation"]),
        )
    except (TypeError, KeyError, IndexError, ValueError, ZeroDivisionError):
        return None  # a remark for people: weights are usable without it


_SCHEME = "hf://"
_PART = r"[A-Za-z0-9][\w.-]*"
_REPOSITORY = re.compile(rf"({_PART}/{_PART})(?:@([\w.-]+))?")
_WITH_FILE = re.compile(rf"{_REPOSITORY.pattern}(?:/(.+))?")
_DEFAULT_FILE = "model.safetensors"

_log = logging.getLogger(__name__)


class HubFile(NamedTuple):
    """A file in a repository; the newest version of it if no revision is named."""

    repository: str
    revision: str | None = None
    name: str = _DEFAULT_FILE

    def __str__(self) -> str:
        return f"{_SCHEME}{self.repository}{f'@{self.revision}' if self.revision else ''}/{self.name}"


def hub_file(text: str) -> HubFile | None:
    """The file that is meant by `owner/name`, `owner/name@revision` or `hf://owner/name@revision/file`."""
    if text.startswith(_SCHEME):
        found = _WITH_FILE.fullmatch(text.removeprefix(_SCHEME))
        return HubFile(found[1], found[2], found[3] or _DEFAULT_FILE) if found else None
    found = _REPOSITORY.fullmatch(text)
    return HubFile(found[1], found[2]) if found else None


def fetched(wanted: HubFile, network: str, cache: str | None, needed: bool = True) -> str | None:
    """The path of a file in the local cache; fetched before if it is not there, and checked against its hash.

    Args:
        wanted: the file.
        network: the network named in errors.
        cache: the folder of the cache; that of `huggingface_hub` (HF_HOME) if None.
        needed: whether it is an error if the repository, or without a connection the cache, does not have the file.
    """
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError
    except ImportError:
        raise PretrainedError(
            f"[{network}] pretrained: received {str(wanted)!r}, a repository of Hugging Face; expected the package "
            "huggingface_hub to fetch it with, which is not installed: pip install huggingface_hub. Without it, fetch "
            f"the file by hand, and pass its path: https://huggingface.co/{wanted.repository}/blob/"
            f"{wanted.revision or 'main'}/{wanted.name}"
        ) from None
    try:
        path = hf_hub_download(wanted.repository, wanted.name, revision=wanted.revision, cache_dir=cache)
    except EntryNotFoundError as error:
        if not needed:
            return None
        raise _failure(wanted, network, error) from error
    except Exception as error:  # what it raises on the way differs between its versions and means of transport
        raise _failure(wanted, network, error) from error
    if needed:
        _check_hash(path, wanted, network)
    return path


def _failure(wanted: HubFile, network: str, error: Exception) -> DownloadError:
    kind = type(error).__name__
    if kind in ("EntryNotFoundError", "RemoteEntryNotFoundError"):
        what = (
            f"the repository {wanted.repository} has no file {wanted.name}. Name the file: "
            f"pretrained='hf://{wanted.repository}/<file>', one that ends with .safetensors or .params."
        )
    elif kind in ("RepositoryNotFoundError", "GatedRepoError", "RevisionNotFoundError", "HFValidationError"):
        what = (
            f"there is no repository {wanted.repository} with the revision {wanted.revision or 'main'}, or it needs a "
            "login (hf auth login). If a file or folder on this computer was meant: it does not exist."
        )
    else:
        what = (
            "it is not in the local cache, and there is no connection, or HF_HUB_OFFLINE is set. Fetch it once with a "
            "connection; or copy it here and pass the path of the file."
        )
    return DownloadError(f"[{network}] pretrained: {wanted} could not be fetched: {what}\n{kind}: {error}")


def _check_hash(path: str, wanted: HubFile, network: str) -> None:
    """Compares a file with the hash that the server announced: the cache names files by it."""
    real = os.path.realpath(path)
    expected = os.path.basename(real)
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", expected):
        # Where there are no symbolic links, as on Windows, files have their own names: the server is asked.
        expected = _announced(wanted)
        if not expected:
            _log.warning("%s: its hash is not known without a connection, and was not checked.", path)
            return
    with open(real, "rb") as stream:
        if len(expected) == 64:
            found = file_hash(stream, hashlib.sha256())
        else:  # a small file, kept by git itself, which hashes its length before it
            head = b"blob %d\0" % os.path.getsize(real)
            found = file_hash(stream, hashlib.sha1(head, usedforsecurity=False))
    if found != expected:
        raise DownloadError(
            f"[{network}] pretrained: {wanted} is damaged on this computer: received the hash {found}; expected "
            f"{expected}. Remove {real} and call again: it is fetched anew."
        )


def _announced(wanted: HubFile) -> str:
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    try:
        url = hf_hub_url(wanted.repository, wanted.name, revision=wanted.revision)
        return get_hf_file_metadata(url).etag or ""
    except Exception as error:
        _log.info("the hash of %s could not be asked for: %s", wanted, error)
        return ""
