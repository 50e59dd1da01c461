from pathlib import Path

import pytest

import mxnet as mx
from mxnet import libinfo
from mxnet._commands.command import main as command
from tools import release

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path):
    """The few files that say a version."""
    (tmp_path / "src" / "regluon").mkdir(parents=True)
    (tmp_path / "src" / "regluon" / "version.py").write_text('__version__ = "1.9.1"\nregluon_version = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 0.1.0\ndate-released: 2026-01-01\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n- New.\n")
    return tmp_path


def test_both_versions(capsys):
    assert mx.__version__ == release.MXNET_VERSION == "1.9.1"
    assert release.version_of(ROOT) == libinfo.regluon_version
    with pytest.raises(SystemExit):
        command(["--version"])
    assert capsys.readouterr().out == f"regluon {libinfo.regluon_version} (MXNet 1.9.1)\n"


def test_another_version_of_the_interface_is_refused(project):
    path = project / "src" / "regluon" / "version.py"
    path.write_text(path.read_text().replace("1.9.1", "1.10.0"))
    with pytest.raises(release.ReleaseError, match=r"mx.__version__ is '1.10.0'; expected '1.9.1'"):
        release.version_of(project)


def test_cut(project, monkeypatch):
    monkeypatch.setattr(release, "is_clean", lambda root: True)
    with pytest.raises(release.ReleaseError, match=r"CITATION.cff has version 0.1.0; expected 0.2.0") as found:
        release.check_texts(project, "0.2.0", is_rehearsal=False)
    assert "CHANGELOG.md has no section [0.2.0]" in str(found.value)
    release.cut(project, release.version_of(project), "2026-11-17")
    release.check_texts(project, "0.2.0", is_rehearsal=False)
    assert "## [0.2.0] - 2026-11-17\n\n- New." in (project / "CHANGELOG.md").read_text()
    assert "version: 0.2.0\ndate-released: 2026-11-17\n" in (project / "CITATION.cff").read_text()


def test_changes_that_are_not_committed(project, monkeypatch):
    monkeypatch.setattr(release, "is_clean", lambda root: False)
    release.cut(project, "0.2.0", "2026-11-17")
    with pytest.raises(release.ReleaseError, match="changes that are not committed; `--dirty` rehearses with them"):
        release.check_texts(project, "0.2.0", is_rehearsal=False)
    release.check_texts(project, "0.2.0", is_rehearsal=True)


def test_what_to_type(tmp_path):
    names = ("regluon-0.1.0.tar.gz", "regluon-0.1.0-py3-none-any.whl", "regluon-0.1.0-cp311-cp311-linux_x86_64.whl")
    for name in names:
        (tmp_path / name).write_bytes(b"")
    text = release.what_to_type([tmp_path / name for name in names], "0.1.0")
    assert "Nothing was published" in text
    assert f"twine upload {names[0]} {names[1]}\n" in text
    assert "git tag -a v0.1.0" in text
    assert "PyPI takes manylinux wheels" in text


def test_smoke_tests_exist():
    assert [name for name in release.SMOKE if not (ROOT / name).exists()] == []
