"""Builds a release, tries it as users would, and says how to publish it; it publishes nothing.

    make release                       all of it
    make release ARGS=--cut            first turn "Unreleased" in CHANGELOG.md into the section of this version
    make release ARGS="--dirty --once" a rehearsal: with changes that are not committed, and without a second build

The version is `regluon.version.regluon_version` and stands nowhere else but in CITATION.cff, which is compared. The
source archive is built from the files that git knows, with typed stubs; wheels are built from it. Everything is built
twice, in other folders and with another hash seed, and must have the same bytes. Then each is installed into a
fresh environment and examined there with the demo, the examples and a part of the tests, without the checkout.
"""

import argparse
import datetime
import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tools.packaging import archives, changelog, metadata
from tools.packaging.checkout import commit_time, copy_checkout, is_clean

ROOT = Path(__file__).parents[1]
MXNET_VERSION = "1.9.1"  # programs compare it as text
SMOKE = [
    f"tests/{name}.py" for name in ("test_tiny", "test_examples", "formats/test_params", "formats/test_symbol_json")
]
TESTED_WITH = ["pytest", "pytest-xdist", "hypothesis", "matplotlib"]
EXTRAS = "[examples,image]"


class ReleaseError(Exception):
    """Something that must be mended before a release."""


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns 0 if the release may be published."""
    options = _parser().parse_args(arguments)
    version = version_of(ROOT)
    try:
        if options.cut:
            cut(ROOT, version, options.date)
        check_texts(ROOT, version, options.dirty)
        with tempfile.TemporaryDirectory(prefix="regluon-release-") as name:
            files = build(Path(name), options.dirty, options.once, options.pure)
            check_files(files, version)
            for file in files:
                try_installed(file, Path(name, "trial"), version)
            kept = keep(files, Path(options.output))
    except (ReleaseError, ValueError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"release: this failed with {error.returncode}: {' '.join(map(str, error.cmd))}", file=sys.stderr)
        return 1
    print(what_to_type(kept, version))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make release", description=__doc__.partition("\n")[0])
    parser.add_argument("--cut", action="store_true", help='make the section of this version of "Unreleased"')
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the date of --cut; today")
    parser.add_argument(
        "--dirty", action="store_true", help="rehearse: changes may be uncommitted, the changelog uncut"
    )
    parser.add_argument("--once", action="store_true", help="leave out the second build, to which bytes are compared")
    parser.add_argument("--pure", action="store_true", help="leave out the platform wheel, for which kernels compile")
    parser.add_argument("--output", default=str(ROOT / "dist"), help="where the files go; dist")
    return parser


# -- what the texts say ------------------------------------------------------------------------------------------------


def version_of(root: Path) -> str:
    """The version of the project, read without importing it."""
    names = runpy.run_path(str(root / "src" / "regluon" / "version.py"))
    if names["__version__"] != MXNET_VERSION:
        raise ReleaseError(f"mx.__version__ is {names['__version__']!r}; expected {MXNET_VERSION!r}")
    return str(names["regluon_version"])


def cut(root: Path, version: str, date: str) -> None:
    """Dates the changelog's section and the citation."""
    log, citation = root / "CHANGELOG.md", root / "CITATION.cff"
    log.write_text(changelog.cut(log.read_text(), version, date))
    text = re.sub(r"(?m)^version: .*$", f"version: {version}", citation.read_text())
    citation.write_text(re.sub(r"(?m)^date-released: .*$", f"date-released: {date}", text))
    print(f"release: CHANGELOG.md and CITATION.cff say {version}, {date}; commit them")


def check_texts(root: Path, version: str, is_rehearsal: bool) -> None:
    """Compares what is written about the version.

    Raises:
        ReleaseError: something contradicts it.
    """
    found = []
    cited = re.search(r"(?m)^version: (.*)$", (root / "CITATION.cff").read_text())
    if cited is None or cited[1] != version:
        found.append(f"CITATION.cff has version {cited and cited[1]}; expected {version}")
    if not is_rehearsal:
        found += [changelog.fault((root / "CHANGELOG.md").read_text(), version)]
        if not is_clean(root):
            found.append("there are changes that are not committed; `--dirty` rehearses with them")
    if any(found):
        raise ReleaseError("\n  ".join(["", *filter(None, found)]))


# -- building ----------------------------------------------------------------------------------------------------------


def build(work: Path, is_dirty: bool, once: bool, pure_only: bool) -> list[Path]:
    """Builds everything, and once more to compare.

    Returns:
        the source archive, the pure wheel, the platform wheel.
    """
    timestamp = commit_time(ROOT)
    first = build_once(work / "first", timestamp, "1", is_dirty, pure_only)
    if once:
        return first
    second = build_once(work / "a second folder", timestamp, "2", is_dirty, pure_only)
    for one, other in zip(first, second, strict=True):
        found = archives.differences(one, other)
        if found or one.name != other.name:
            raise ReleaseError(f"two builds of {one.name} differ:\n  " + "\n  ".join(found or [other.name]))
    print(f"release: two builds of {len(first)} files have the same bytes", flush=True)
    return first


def build_once(work: Path, timestamp: str, seed: str, is_dirty: bool, pure_only: bool) -> list[Path]:
    """Builds the source archive from a copy of the checkout, and the wheels from the source archive."""
    source, out = work / "source", work / "out"
    copy_checkout(ROOT, source, only_tracked=not is_dirty)
    settings = {"SOURCE_DATE_EPOCH": timestamp, "PYTHONHASHSEED": seed, "PYTHONPATH": str(source / "src")}
    old_mask = os.umask(0o022)  # rights of files are in the archives
    try:
        package = source / "src" / "regluon"
        _run([sys.executable, source / "tools" / "stubs.py", "--package", package], settings, source)
        settings["PYTHONPATH"] = ""
        builder = [sys.executable, "-m", "build", "--installer", "uv", "--outdir", out]
        _run([*builder, "--sdist", source], settings, work)
        (archive,) = out.glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(work, filter="data")
        unpacked = work / archive.name.removesuffix(".tar.gz")
        wheels: list[Path] = []
        for pure in ["1"] if pure_only else ["1", "0"]:
            shutil.rmtree(unpacked / "build", ignore_errors=True)
            before = set(out.iterdir())
            _run([*builder, "--wheel", unpacked], {**settings, "REGLUON_PURE": pure}, work)
            wheels += set(out.iterdir()) - before
        if not pure_only and len(wheels) < 2:
            raise ReleaseError("no platform wheel was built: there is no supported compiler; `--pure` leaves it out")
    finally:
        os.umask(old_mask)
    return [archive, *wheels]


# -- examining ---------------------------------------------------------------------------------------------------------


def check_files(files: list[Path], version: str) -> None:
    """Checks the metadata and what is in the files.

    Raises:
        ReleaseError: something is missing, wrong or too much.
    """
    _run([sys.executable, "-m", "twine", "check", "--strict", *files], {}, ROOT)
    found = [f"{file.name}: {fault}" for file in files for fault in metadata.faults(file, version)]
    if found:
        raise ReleaseError("\n  ".join(["", *found]))


def try_installed(file: Path, work: Path, version: str) -> None:
    """Installs a file into a fresh environment and uses it there."""
    print(f"\nrelease: {file.name} in a fresh environment", flush=True)
    shutil.rmtree(work, ignore_errors=True)
    for name in ("tests", "examples"):
        shutil.copytree(ROOT / name, work / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", work)  # the settings of pytest
    environment = work / "environment"
    uv = [sys.executable, "-m", "uv"]
    _run([*uv, "venv", "-q", "--python", sys.executable, environment], {}, work)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    settings = {"PYTHONPATH": "", "REGLUON_PURE": "1", "MXNET_HOME": str(work / "home"), "VIRTUAL_ENV": ""}
    _run([*uv, "pip", "install", "-q", "--python", python, f"{file}{EXTRAS}", *TESTED_WITH], settings, work)
    said = _output([python, "-m", "mxnet", "--version"], settings, work)
    place = _output([python, "-c", "import mxnet as mx; print(mx.__version__, mx.__file__)"], settings, work)
    if said != f"regluon {version} (MXNet {MXNET_VERSION})":
        raise ReleaseError(f"`python -m mxnet --version` prints {said!r}")
    if place != f"{MXNET_VERSION} {place.partition(' ')[2]}" or str(environment) not in place:
        raise ReleaseError(f"not what was installed is imported: {place}")
    if not file.name.endswith(("-none-any.whl", ".tar.gz")):
        _run([python, "-m", "regluon.native", "--status"], settings, work)
    _run([python, "examples/lenet.py"], settings, work)
    _run([python, "examples/tour.py"], settings, work)
    _run([python, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *SMOKE], settings, work)


# -- publishing --------------------------------------------------------------------------------------------------------


def keep(files: list[Path], target: Path) -> list[Path]:
    """Copies the files to where they stay."""
    target.mkdir(parents=True, exist_ok=True)
    return [Path(shutil.copy2(file, target / file.name)) for file in files]


def what_to_type(files: list[Path], version: str) -> str:
    """What publishes the release, and the checksums to compare with."""
    lines = ["", f"release: regluon {version} is ready. Nothing was published. The files, with their SHA-256:"]
    for file in files:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        lines.append(f"  {digest}  {file.name}  {file.stat().st_size / 2**20:.1f} MB")
    public = [file.name for file in files if "-linux_" not in file.name]
    lines += ["To publish it:", f"  git tag -a v{version} -m 'Regluon {version}' && git push origin v{version}"]
    lines.append(f"  cd {files[0].parent} && python -m twine upload {' '.join(public)}")
    if len(public) < len(files):
        lines.append(
            "The wheel for `linux` is for an index of your own or a release page: PyPI takes manylinux wheels."
        )
    return "\n".join(lines)


def _run(command: list[object], settings: dict[str, str], folder: Path) -> None:
    words = list(map(str, command))
    print(f"$ {' '.join(words)}", flush=True)
    subprocess.run(words, cwd=folder, env={**os.environ, **settings}, check=True)


def _output(command: list[object], settings: dict[str, str], folder: Path) -> str:
    words = list(map(str, command))
    done = subprocess.run(words, cwd=folder, env={**os.environ, **settings}, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode().strip()


if __name__ == "__main__":
    sys.exit(main())
