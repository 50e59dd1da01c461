"""Archives with the same bytes in every build, and what differs where they have not."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

_EXECUTABLE, _PLAIN = 0o755, 0o644


def normalize(archive: Path, timestamp: int) -> None:
    """Writes a `.tar.gz` anew: members sorted, all of one date, without the names and rights of who made them."""
    out = io.BytesIO()
    with (
        tarfile.open(archive) as source,
        gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=timestamp) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as target,
    ):
        for member in sorted(source.getmembers(), key=lambda each: each.name):
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = timestamp
            member.pax_headers = {}
            member.mode = _EXECUTABLE if member.isdir() or member.mode & 0o100 else _PLAIN
            target.addfile(member, source.extractfile(member) if member.isfile() else None)
    archive.write_bytes(out.getvalue())


def differences(first: Path, second: Path) -> list[str]:
    """What two archives differ in; empty if their bytes are the same."""
    if first.read_bytes() == second.read_bytes():
        return []
    left, right = members(first), members(second)
    found = [f"only in the first: {name}" for name in left if name not in right]
    found += [f"only in the second: {name}" for name in right if name not in left]
    for name in left:
        if name in right and left[name] != right[name]:
            parts = [what for what, a, b in zip(("content", "date", "mode"), left[name], right[name]) if a != b]
            found.append(f"{name}: {', '.join(parts)}")
    if not found and list(left) != list(right):
        found.append("the order of the members")
    return found or ["the archive's own bytes: compression or headers"]


def members(archive: Path) -> dict[str, tuple[str, object, int]]:
    """The members of a wheel or source archive: their SHA-256, date and mode."""
    found: dict[str, tuple[str, object, int]] = {}
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for entry in wheel.infolist():
                found[entry.filename] = (_digest(wheel.read(entry)), entry.date_time, entry.external_attr >> 16)
        return found
    with tarfile.open(archive) as source:
        for member in source.getmembers():
            content = source.extractfile(member) if member.isfile() else None
            found[member.name] = (_digest(content.read() if content else b""), member.mtime, member.mode)
    return found


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
