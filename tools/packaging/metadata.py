"""What must be in a distribution: metadata, licences, typed stubs, sources of the kernels, and nothing else."""

import email
import re
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

LICENCES = ("LICENSE", "NOTICE")
URLS = ("Changelog", "Documentation", "Homepage", "Issues", "Source")
NEEDED = ("mxnet/__init__.py", "mxnet/py.typed", "regluon/py.typed", "regluon/array/op.pyi", "regluon/native/tensor.h")
_TOP_OF_WHEEL = re.compile(r"mxnet/|regluon/|regluon-[\d.]+[^/]*\.dist-info/")


def read(archive: Path) -> tuple[Message, list[str]]:
    """The metadata of a wheel or source archive, and the names of its files."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            names = wheel.namelist()
            (place,) = (name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
            return email.message_from_bytes(wheel.read(place)), names
    with tarfile.open(archive) as source:
        names = [member.name for member in source.getmembers() if member.isfile()]
        (place,) = (name for name in names if re.fullmatch(r"[^/]+/PKG-INFO", name))
        content = source.extractfile(place)
        assert content is not None
        return email.message_from_bytes(content.read()), names


def faults(archive: Path, version: str) -> list[str]:
    """Why a distribution cannot be released; empty if it can."""
    metadata, names = read(archive)
    found = [
        f"{field} is {metadata[field]!r}; expected {expected!r}"
        for field, expected in (("Name", "regluon"), ("Version", version), ("License-Expression", "Apache-2.0"))
        if metadata[field] != expected
    ]
    urls = sorted(line.partition(",")[0] for line in metadata.get_all("Project-URL", []))
    found += [f"there is no project URL {name!r}" for name in URLS if name not in urls]
    is_wheel = archive.suffix == ".whl"
    folder = next(name for name in names if name.endswith("METADATA" if is_wheel else "PKG-INFO")).rpartition("/")[0]
    listed = metadata.get_all("License-File", [])
    for name in LICENCES:
        if name not in listed or f"{folder}/{'licenses/' if is_wheel else ''}{name}" not in names:
            found.append(f"the licence file {name} is missing")
    inside = "" if is_wheel else f"{folder}/src/"
    found += [f"{name} is missing" for name in NEEDED if inside + name not in names]
    if is_wheel:
        found += [f"{name} does not belong there" for name in names if not _TOP_OF_WHEEL.match(name)]
        has_kernels = any(name.startswith("regluon/native/compiled/") for name in names)
        if has_kernels == archive.name.endswith("-none-any.whl"):
            found.append("a pure wheel has compiled kernels" if has_kernels else "compiled kernels are missing")
    found += [f"{name} does not belong there" for name in names if name.endswith((".pyc", ".orig", ".rej"))]
    return found
