import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools.packaging.archives import differences, normalize

MEMBERS = {"a.py": b"a = 1\n", "b.py": b"b = 2\n"}


def write_source(path: Path, members: dict[str, bytes], owner: str = "someone", mtime: float = 1.5) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(f"regluon-0.1.0/{name}")
            entry.size, entry.mtime, entry.uname, entry.uid, entry.mode = len(content), mtime, owner, 1000, 0o664
            archive.addfile(entry, io.BytesIO(content))
    return path


def write_wheel(path: Path, members: dict[str, bytes], mode: int = 0o644, day: int = 1) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, (2026, 1, day, 0, 0, 0))
            entry.external_attr = mode << 16
            wheel.writestr(entry, content)
    return path


def test_normalized_archives_are_the_same(tmp_path):
    one = write_source(tmp_path / "one.tar.gz", MEMBERS)
    backwards = dict(reversed(MEMBERS.items()))
    other = write_source(tmp_path / "other.tar.gz", backwards, owner="another", mtime=77.25)
    os.utime(other, (5, 5))
    assert differences(one, other) == [f"regluon-0.1.0/{name}: date" for name in MEMBERS]
    normalize(one, 1_700_000_000)
    normalize(other, 1_700_000_000)
    assert differences(one, other) == []
    with tarfile.open(one) as archive:
        assert [member.name for member in archive] == ["regluon-0.1.0/a.py", "regluon-0.1.0/b.py"]
        for member in archive:
            assert (member.mtime, member.uname, member.uid, member.mode) == (1_700_000_000, "", 0, 0o644)
        content = archive.extractfile("regluon-0.1.0/b.py")
        assert content is not None
        assert content.read() == b"b = 2\n"


@pytest.mark.parametrize(
    ("members", "settings", "expected"),
    [
        (MEMBERS, {}, []),
        ({**MEMBERS, "b.py": b"b = 3\n"}, {}, ["b.py: content"]),
        ({"a.py": MEMBERS["a.py"]}, {}, ["only in the first: b.py"]),
        ({**MEMBERS, "c.py": b""}, {}, ["only in the second: c.py"]),
        (MEMBERS, {"mode": 0o664, "day": 2}, ["a.py: date, mode", "b.py: date, mode"]),
        (dict(reversed(MEMBERS.items())), {}, ["the order of the members"]),
    ],
)
def test_what_differs(tmp_path, members, settings, expected):
    first = write_wheel(tmp_path / "first.whl", MEMBERS)
    assert differences(first, write_wheel(tmp_path / "second.whl", members, **settings)) == expected


def test_only_the_compression_differs(tmp_path):
    first = write_source(tmp_path / "first.tar.gz", MEMBERS)
    second = tmp_path / "second.tar.gz"
    second.write_bytes(first.read_bytes()[:4] + b"\x01\x02\x03\x04" + first.read_bytes()[8:])  # gzip's date
    assert differences(first, second) == ["the archive's own bytes: compression or headers"]
