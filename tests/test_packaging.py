"""Wheels: with compiled kernels where there is a compiler, else pure. A compiler of our own makes it quick.

And what is written about versions in several places.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mxnet import libinfo
from regluon.native import levels, loading
from tests.native.fake_compiler import FakeCompiler
from tools.packaging.archives import differences

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
    source, package = ROOT / "src" / "regluon", place / "src" / "regluon"
    package.mkdir(parents=True)
    for name in ("__init__.py", "version.py"):
        shutil.copy(source / name, package)
    shutil.copytree(source / "native", package / "native", ignore=shutil.ignore_patterns("__pycache__", "compiled"))
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
    maps = [[option for option in call if option.startswith("-ffile-prefix-map=")] for call in options]
    assert all(maps), "libraries would contain the path of the environment they are built in"
    winograd = [call for call in options if call[0].endswith("images.cpp")]
    assert sorted(option for call in winograd for option in call if option.startswith("-march=")) == [
        option for level in levels.buildable() for option in levels.march(level)
    ]


def test_its_libraries_are_used_where_it_is_installed(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel, _ = build_wheel(checkout, CXX=str(FakeCompiler(tmp_path / "cc").path), REGLUON_PURE="0")
    wheel.extractall(tmp_path / "site")
    monkeypatch.setenv("MXNET_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(loading, "PACKAGED", tmp_path / "site" / "regluon" / "native" / "compiled")
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


def test_source_archives_have_the_same_bytes_in_every_build(checkout: Path, tmp_path: Path) -> None:
    code = _BUILD.replace("build_wheel", "build_sdist")
    built = []
    for seed in ("1", "2"):
        (checkout / "README.md").touch()
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / seed)],
            cwd=checkout,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        built.append(tmp_path / seed / done.stdout.split()[-1])
    assert built[0].name == f"regluon-{libinfo.regluon_version}.tar.gz"
    assert differences(*built) == []


def test_pure_wheels_have_the_same_bytes_in_every_build(checkout: Path, tmp_path: Path) -> None:
    built = []
    for seed in ("1", "2"):
        settings = {"SOURCE_DATE_EPOCH": "1700000000", "PYTHONHASHSEED": seed, "REGLUON_PURE": "1"}
        (checkout / "src" / "regluon" / "version.py").touch()
        wheel, _ = build_wheel(checkout, **settings)
        built.append(Path(shutil.copy(str(wheel.filename), tmp_path / f"{seed}.whl")))
    assert differences(*built) == []


# -- what is written in several places ---------------------------------------------------------------------------------


def project() -> str:
    return (ROOT / "pyproject.toml").read_text()


def test_classifiers_are_the_pythons_that_are_tested() -> None:
    tree = ast.parse((ROOT / "noxfile.py").read_text())
    values = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Constant)
        if isinstance(node.targets[0], ast.Name)
    }
    classified = re.findall(r"Programming Language :: Python :: (3\.\d+)", project())
    assert classified == values["PYTHONS"]
    assert f'requires-python = ">={values["PYTHONS"][0]}"' in project()
    assert values["OLDEST_ON"] in values["PYTHONS"]


def test_the_table_of_support_has_the_same_versions() -> None:
    page = (ROOT / "docs" / "support.md").read_text()
    pythons = re.findall(r"Programming Language :: Python :: (3\.\d+)", project())
    assert all(re.search(rf"^\| {re.escape(each)} ", page, re.MULTILINE) for each in pythons)
    for name in ("torch", "numpy", "safetensors"):
        (bound,) = re.findall(rf'"{name}>=([\d.]+)"', project())
        assert re.search(rf"(?i){name} {re.escape(bound)}", page), (name, bound)


def test_the_citation_has_the_version() -> None:
    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    assert f"version: {libinfo.regluon_version}" in lines


def test_a_stand_in_for_the_distribution_mxnet(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "contribute.md").read_text()
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(text)
    code = "from setuptools import build_meta; print(build_meta.build_wheel('.'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    name = done.stdout.split()[-1]
    assert name == "mxnet-1.9.1-py3-none-any.whl"
    with zipfile.ZipFile(tmp_path / name) as wheel:
        assert all(".dist-info/" in member for member in wheel.namelist())  # nothing that could hide our package
        assert "\nRequires-Dist: regluon\n" in wheel.read("mxnet-1.9.1.dist-info/METADATA").decode()
