"""Published parameters of networks: found in a folder, or fetched, checked and kept there."""

import hashlib
import logging
import os
import tempfile
import zipfile
import zlib
from typing import BinaryIO

from regluon.arguments import nearest
from regluon.formats.atomic import atomic_write

from ...base import data_dir
from ...error import FileFormatError
from .._downloads import DownloadError, download, file_hash
from ..utils import _repo_file_urls
from ._pretrained.hub import TORCHVISION

__all__ = ["get_model_file", "purge"]

# SHA-1 of each published .params file; the first 8 digits are part of its name. Other projects add theirs.
_model_sha1 = {
    "alexnet": "44335d1f0046b328243b32a26a4fbd62d9057b45",
    "densenet121": "f27dbf2dbd5ce9a80b102d89c7483342cd33cb31",
    "densenet161": "b6c8a95717e3e761bd88d145f4d0a214aaa515dc",
    "densenet169": "2603f878403c6aa5a71a124c4a3307143d6820e9",
    "densenet201": "1cdbc116bc3a1b65832b18cf53e1cb8e7da017eb",
    "inceptionv3": "ed47ec45a937b656fcc94dabde85495bbef5ba1f",
    "mobilenet0.25": "9f83e440996887baf91a6aff1cccc1c903a64274",
    "mobilenet0.5": "8e9d539cc66aa5efa71c4b6af983b936ab8701c3",
    "mobilenet0.75": "529b2c7f4934e6cb851155b22c96c9ab0a7c4dc2",
    "mobilenet1.0": "6b8c5106c730e8750bcd82ceb75220a3351157cd",
    "mobilenetv2_1.0": "36da4ff1867abccd32b29592d79fc753bca5a215",
    "mobilenetv2_0.75": "e2be7b72a79fe4a750d1dd415afedf01c3ea818d",
    "mobilenetv2_0.5": "aabd26cd335379fcb72ae6c8fac45a70eab11785",
    "mobilenetv2_0.25": "ae8f9392789b04822cbb1d98c27283fc5f8aa0a7",
    "resnet18_v1": "a0666292f0a30ff61f857b0b66efc0228eb6a54b",
    "resnet34_v1": "48216ba99a8b1005d75c0f3a0c422301a0473233",
    "resnet50_v1": "0aee57f96768c0a2d5b23a6ec91eb08dfb0a45ce",
    "resnet101_v1": "d988c13d6159779e907140a638c56f229634cb02",
    "resnet152_v1": "671c637a14387ab9e2654eafd0d493d86b1c8579",
    "resnet18_v2": "a81db45fd7b7a2d12ab97cd88ef0a5ac48b8f657",
    "resnet34_v2": "9d6b80bbc35169de6b6edecffdd6047c56fdd322",
    "resnet50_v2": "ecdde35339c1aadbec4f547857078e734a76fb49",
    "resnet101_v2": "18e93e4f48947e002547f50eabbcc9c83e516aa6",
    "resnet152_v2": "f2695542de38cf7e71ed58f02893d82bb409415e",
    "squeezenet1.0": "264ba4970a0cc87a4f15c96e25246a1307caf523",
    "squeezenet1.1": "33ba0f93753c83d86e1eb397f38a667eaf2e9376",
    "vgg11": "dd221b160977f36a53f464cb54648d227c707a05",
    "vgg11_bn": "ee79a8098a91fbe05b7a973fed2017a6117723a8",
    "vgg13": "6bc5de58a05a5e2e7f493e2d75a580d83efde38c",
    "vgg13_bn": "7d97a06c3c7a1aecc88b6e7385c2b373a249e95e",
    "vgg16": "e660d4569ccb679ec68f1fd3cce07a387252a90a",
    "vgg16_bn": "7f01cf050d357127a73826045c245041b0df7363",
    "vgg19": "ad2f660d101905472b83590b59708b71ea22b2e5",
    "vgg19_bn": "f360b758e856f1074a85abd5fd873ed1d98297c3",
}

# Read once: the folder stays the same if the environment changes later.
DEFAULT_ROOT = os.path.join(data_dir(), "models")

# Trained numbers hardly become smaller in an archive. One that promises many times its own size is meant to fill disks.
_LARGEST_RATIO = 100
_CHUNK = 1 << 18

_log = logging.getLogger(__name__)


def short_hash(name: str) -> str:
    """The digits of the hash that are part of the name of a model's file."""
    if name not in _model_sha1:
        near = nearest(name, _model_sha1, 3)
        hint = f" Near it: {', '.join(near)}." if near else ""
        raise ValueError(
            f"[model_store] Pretrained model for {name} is not available; expected one of the {len(_model_sha1)} names "
            f"in model_store._model_sha1.{hint}"
        )
    return _model_sha1[name][:8]


def get_model_file(name: str, root: str | os.PathLike[str] = DEFAULT_ROOT) -> str:
    """The file of a model's published parameters; fetched if `root` does not have it.

    A file in `root` is used if its hash is the published one. So is a `.zip` put there by hand. Otherwise an archive is
    fetched from MXNet's repository, or from the addresses in the environment variable MXNET_GLUON_REPO.

    Args:
        name: name of the model, such as 'resnet18_v1'.
        root: the folder where files are kept; made if needed.

    Returns:
        The path of the `.params` file.
    """
    file_name = f"{name}-{short_hash(name)}"
    expected = _model_sha1[name].lower()
    folder = os.path.expanduser(os.fspath(root))
    path = os.path.join(folder, f"{file_name}.params")
    if os.path.exists(path):
        with open(path, "rb") as stream:
            if file_hash(stream, _algorithm(expected)) == expected:
                return path
        _log.warning("%s is not the published file; it is replaced.", path)
    os.makedirs(folder, exist_ok=True)
    archive = os.path.join(folder, f"{file_name}.zip")
    if os.path.exists(archive):
        _unpack(archive, path, expected)
        return path
    with tempfile.TemporaryDirectory(prefix=f".{file_name}.", dir=folder) as temporary:
        _unpack(_fetch(name, file_name, path, temporary), path, expected)
    return path


def _fetch(name: str, file_name: str, path: str, folder: str) -> str:
    """Fetches the archive of a model."""
    urls = _repo_file_urls("gluon/models", f"{file_name}.zip")
    _log.info("%s is fetched from %s.", path, " or ".join(urls))
    try:
        return download(urls, path=os.path.join(folder, f"{file_name}.zip"))
    except DownloadError as error:
        raise DownloadError(
            f"[get_model_file] the parameters of {name!r} are not in {os.path.dirname(path)!r}, and fetching them "
            f"failed.\n{error}\nPut {file_name}.params (SHA-1 {_model_sha1[name]}) or {file_name}.zip into that "
            "folder, pass root= a folder that has it, or set MXNET_GLUON_REPO to the address of a mirror, or to "
            f"several separated by commas; they need gluon/models/{file_name}.zip."
            + (" Or use torchvision's weights: pretrained='torchvision'." if name in TORCHVISION else "")
        ) from error


def _algorithm(expected: str) -> "hashlib._Hash":
    """SHA-1, which MXNet published; or SHA-256, if the table has as many digits."""
    return hashlib.new("sha256" if len(expected) == 64 else "sha1", usedforsecurity=False)


def _unpack(archive: str, path: str, expected: str) -> None:
    """Takes one file out of an archive; it appears only if it has the expected hash."""
    member = os.path.basename(path)
    try:
        with zipfile.ZipFile(archive) as opened:
            if member not in opened.namelist():
                found = ", ".join(opened.namelist()[:5]) or "nothing"
                raise FileFormatError(
                    f"[get_model_file] {archive}: the archive holds {found}; expected {member}. Remove the archive, or "
                    "use another mirror."
                )
            _check_member(archive, opened.getinfo(member))
            with opened.open(member) as packed, atomic_write(path, "get_model_file") as stream:
                _copy_checked(packed, stream, expected, archive)  # type: ignore[arg-type]
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise FileFormatError(
            f"[get_model_file] {archive}: expected a zip archive that can be read: {error}. It is damaged, or a page "
            "that a server sent instead of it: remove it and try again, or use another mirror."
        ) from error


def _check_member(archive: str, member: zipfile.ZipInfo) -> None:
    size = os.path.getsize(archive)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise FileFormatError(
            f"[get_model_file] {archive}: {member.filename} is compressed by method {member.compress_type}; expected "
            "one that is stored or deflated, as the published ones are."
        )
    if member.flag_bits & 1:
        raise FileFormatError(f"[get_model_file] {archive}: {member.filename} is encrypted; expected a plain file.")
    if member.file_size > _LARGEST_RATIO * size:
        raise FileFormatError(
            f"[get_model_file] {archive}: received {size} bytes that unpack to {member.file_size}; expected at most "
            f"{_LARGEST_RATIO} times as many. Nothing was unpacked: the archive is damaged or hostile."
        )


def _copy_checked(packed: BinaryIO, stream: BinaryIO, expected: str, archive: str) -> None:
    algorithm = _algorithm(expected)
    while chunk := packed.read(_CHUNK):
        algorithm.update(chunk)
        stream.write(chunk)
    if (found := algorithm.hexdigest()) != expected:
        raise FileFormatError(
            f"[get_model_file] {archive}: the parameters in it have a different hash: received {found}; expected "
            f"{expected}. The source has another version, or is damaged: use another mirror."
        )


def purge(root: str | os.PathLike[str] = DEFAULT_ROOT) -> None:
    """Removes all parameters (`.params`) that a folder keeps."""
    folder = os.path.expanduser(os.fspath(root))
    for name in os.listdir(folder):
        if name.endswith(".params"):
            os.remove(os.path.join(folder, name))
