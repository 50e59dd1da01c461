"""Wheels: with compiled kernels where there is a compiler, else pure. A compiler of our own makes it quick."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mxnet.native import levels, loading
from tests.native.fake_compiler import FakeCompiler

ROOT = Path(__file__).parents[1]
_BUILD = "import sys; sys.path.insert(0, 'tools/packaging'); import backend; print(backend.build_wheel(sys.argv[1]))"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: Any) -> Path:
    """What a wheel is built from, without the many files that make no difference."""
    place: Path = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, place)
    shutil.copytree(
        ROOT / "tools" / "packaging", place / "tools" / "packaging", ignore=shutil.ignore_patterns("__pycache__")
    )
    package = place / "src" / "mxnet"
    package.mkdir(parents=True)
    for name in ("__init__.py", "libinfo.py"):
        shutil.copy(ROOT / "src" / "mxnet" / name, package)
    shutil.copytree(
        ROOT / "src" / "mxnet" / "native", package / "native", ignore=shutil.ignore_patterns("__pycache__", "compiled")
    )
    return place


def build_wheel(checkout: Path, **settings: str) -> tuple[zipfile.ZipFile, str]:
    shutil.rmtree(checkout / "build", ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, str(checkout / "dist")],
        cwd=checkout,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    return zipfile.ZipFile(checkout / "dist" / done.stdout.split()[-1]), done.stdout


def libraries(wheel: zipfile.ZipFile) -> set[str]:
    return {Path(name).name for name in wheel.namelist() if "/compiled/" in name}


def test_a_platform_wheel(checkout: Path, tmp_path: Path) -> None:
    compiler = FakeCompiler(tmp_path / "cc")
    wheel, said = build_wheel(checkout, CXX=str(compiler.path), REGLUON_PURE="0")
    tag = sys.implementation.cache_tag.replace("cpython-", "cp")
    assert f"-{tag}-{tag}-" in Path(str(wheel.filename)).name
    names = [*(loading.packaged_kernels(level).name for level in levels.buildable()), loading.packaged_runner().name]
    assert libraries(wheel) == {*names, *(name.removesuffix(".so") + ".seal" for name in names)}
    assert f"regluon: compiling {', '.join(names)}" in said
    assert f"regluon: GCC 12.2.0 ({compiler.path}), " in said
    options = [call[call.index("-c") + 1 :] for call in compiler.calls if "-c" in call]
    winograd = [call for call in options if call[0].endswith("winograd.cpp")]
    assert sorted(option for call in winograd for option in call if option.startswith("-march=")) == [
        option for level in levels.buildable() for option in levels.march(level)
    ]


def test_its_libraries_are_used_where_it_is_installed(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel, _ = build_wheel(checkout, CXX=str(FakeCompiler(tmp_path / "cc").path), REGLUON_PURE="0")
    wheel.extractall(tmp_path / "site")
    monkeypatch.setenv("MXNET_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(loading, "PACKAGED", tmp_path / "site" / "mxnet" / "native" / "compiled")
    (found,) = loading._candidates("1")
    assert (found.level, found.runner) == (levels.available()[0], loading.packaged_runner())
    assert loading._fault(found) == ""


def test_a_pure_wheel_on_request(checkout: Path, tmp_path: Path) -> None:
    compiler = FakeCompiler(tmp_path / "cc")
    wheel, _ = build_wheel(checkout, CXX=str(compiler.path), REGLUON_PURE="1")
    assert str(wheel.filename).endswith("-py3-none-any.whl")
    assert libraries(wheel) == set()
    assert not compiler.calls


def test_a_pure_wheel_where_there_is_no_compiler(checkout: Path) -> None:
    wheel, said = build_wheel(checkout, CXX="/nowhere/c++", REGLUON_PURE="0")
    assert str(wheel.filename).endswith("-py3-none-any.whl")
    assert "regluon: a pure wheel is made: the compiler that CXX names, '/nowhere/c++', is not on PATH" in said


def test_an_editable_installation_compiles_nothing(checkout: Path, tmp_path: Path) -> None:
    compiler = FakeCompiler(tmp_path / "cc")
    code = _BUILD.replace("build_wheel", "build_editable")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=checkout,
        env={**os.environ, "CXX": str(compiler.path), "REGLUON_PURE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1].endswith("editable-py3-none-any.whl")
    assert not compiler.calls


@pytest.mark.parametrize(("pure", "expected"), [("0", True), ("1", False)])
def test_torch_is_asked_for_only_where_kernels_are_compiled(checkout: Path, pure: str, expected: bool) -> None:
    code = _BUILD.replace("backend.build_wheel(sys.argv[1])", "backend.get_requires_for_build_wheel()")
    settings = {**os.environ, "CXX": "c++", "REGLUON_PURE": pure}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=checkout, env=settings, capture_output=True, text=True, check=True
    )
    assert ("torch>=2.13" in done.stdout) is expected
