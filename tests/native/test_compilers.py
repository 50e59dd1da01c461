"""Which compilers are used, with which options, and which are refused by name."""

import os
import re
import sys
from pathlib import Path

import pytest

from mxnet.base import MXNetError
from regluon.native import building, compilers, compiling, levels

GCC = "g++ (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc."
CLANG = "Debian clang version 17.0.6\nTarget: x86_64-pc-linux-gnu\nThread model: posix"
APPLE = "Apple clang version 15.0.0 (clang-1500.3.9.4)\nTarget: arm64-apple-darwin23.4.0"
MSVC = "Microsoft (R) C/C++ Optimizing Compiler Version 19.38.33134 for x64"
INTEL = "Intel(R) oneAPI DPC++/C++ Compiler 2024.0.2 (2024.0.2.20231213)"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, and no CXX."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    return tmp_path


def put_compiler(folder: Path, name: str, says: str) -> Path:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nprint({says!r})\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("says", "kind", "version"),
    [(GCC, "GCC", "12.2.0"), (CLANG, "clang", "17.0.6"), (APPLE, "Apple clang", "15.0.0")],
)
def test_known_by_what_they_say(tools: Path, says: str, kind: str, version: str) -> None:
    path = put_compiler(tools, "c++", says)
    found = compilers.find_compiler()
    assert (found.kind, found.version, found.command) == (kind, version, (str(path),))
    assert str(found) == f"{kind} {version} ({path})"


def test_cxx_comes_first_and_may_have_options(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_compiler(tools, "c++", GCC)
    path = put_compiler(tools, "mine", CLANG)
    monkeypatch.setenv("CXX", "mine -stdlib=libstdc++")
    assert compilers.find_compiler().command == (str(path), "-stdlib=libstdc++")
    monkeypatch.setenv("CXX", "lost")
    with pytest.raises(compilers.BuildError, match="the compiler that CXX names, 'lost', is not on PATH"):
        compilers.find_compiler()


def test_without_any(tools: Path) -> None:
    with pytest.raises(compilers.BuildError, match=r"there is no C\+\+ compiler: none of c\+\+, g\+\+ and clang\+\+"):
        compilers.find_compiler()
    put_compiler(tools, "clang++", CLANG)
    assert compilers.find_compiler().kind == "clang"


@pytest.mark.parametrize(
    ("name", "says", "text"),
    [
        ("cl", MSVC, "MSVC is not supported: the kernels need the vector extensions of GCC and clang"),
        ("c++", INTEL, r"c\+\+ \('Intel\(R\) oneAPI.*is not supported"),
        ("c++", "", r"\('no version'\) is not supported"),
        ("c++", GCC.replace("12.2.0", "9.4.0"), r"GCC 9.4.0 \(.*\) is too old; expected 11 or newer"),
        ("c++", CLANG.replace("17.0.6", "12.0.1"), r"clang 12.0.1 \(.*\) is too old; expected 14 or newer"),
    ],
)
def test_refused_by_name(tools: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str, text: str) -> None:
    put_compiler(tools, name, says)
    with pytest.raises(compilers.BuildError, match=text):
        compilers.find_compiler()
    with pytest.raises(MXNetError, match=r"cannot be compiled: .* PyTorch's kernels are used instead\."):
        building.plan()


@pytest.mark.parametrize("kind", [compilers.GCC, compilers.CLANG, compilers.APPLE_CLANG])
def test_no_compiler_needs_openmp(kind: str) -> None:
    """Loops run on torch's own threads, so that Apple's clang, which has no OpenMP, is as good as any."""
    flags = compilers.Compiler(("c++",), kind, "15.0").flags
    assert "-fopenmp" not in flags
    assert "-std=c++20" in flags
    assert ("-Wno-psabi" in flags) is (kind == compilers.GCC)


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("darwin", ["-bundle", "-undefined", "dynamic_lookup"]),
        ("linux", ["-shared", "-Wl,--as-needed", "-Llib", "-ltorch_cpu"]),
    ],
)
def test_options_of_the_linker(monkeypatch: pytest.MonkeyPatch, platform: str, expected: list[str]) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert compilers.Compiler(("c++",), compilers.CLANG, "15").link_flags(Path("lib"), ["torch_cpu"]) == expected


@pytest.mark.parametrize(
    ("machine", "level", "options"),
    [
        ("x86_64", "native", ["-march=native"]),
        ("x86_64", "x86-64-v3", ["-march=x86-64-v3"]),
        ("arm64", "native", ["-mcpu=native"]),
        ("aarch64", "neon", []),
    ],
)
def test_options_for_instruction_sets(
    monkeypatch: pytest.MonkeyPatch, machine: str, level: str, options: list[str]
) -> None:
    monkeypatch.setattr(levels.platform, "machine", lambda: machine)
    assert levels.march(level) == options


V2 = "flags\t: fpu cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2"
V3 = f"{V2} abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"


@pytest.mark.parametrize(
    ("machine", "processor", "expected"),
    [
        ("x86_64", "flags\t: fpu sse2", []),
        ("x86_64", V2, ["x86-64-v2"]),
        ("x86_64", V3, ["x86-64-v3", "x86-64-v2"]),
        ("x86_64", V3.replace("bmi2", ""), ["x86-64-v2"]),
        ("AMD64", f"{V3} avx512f avx512bw avx512cd avx512dq avx512vl", ["x86-64-v4", "x86-64-v3", "x86-64-v2"]),
        ("aarch64", "Features\t: fp asimd", ["neon"]),
        ("riscv64", "isa", []),
    ],
)
def test_levels_of_a_processor(
    monkeypatch: pytest.MonkeyPatch, machine: str, processor: str, expected: list[str]
) -> None:
    monkeypatch.setattr(levels.platform, "machine", lambda: machine)
    monkeypatch.setattr(levels, "processor", lambda: processor)
    assert list(levels.available()) == expected


def test_levels_where_the_system_lists_no_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(levels, "processor", lambda: "i386")
    monkeypatch.setattr(levels.torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    assert levels.available() == ("x86-64-v3", "x86-64-v2")


def test_jobs_are_limited_by_cores_memory_and_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAX_JOBS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(16)), raising=False)
    monkeypatch.setattr(compiling, "_free_memory", lambda: 10 << 30)
    assert compiling.allowed_jobs() == (6, "16 cores, 10.0 GB of free memory at 1.5 GB a job")
    assert compiling.allowed_jobs(2).limit == 2
    monkeypatch.setenv("MAX_JOBS", "3")
    assert compiling.allowed_jobs() == (3, "16 cores, 10.0 GB of free memory at 1.5 GB a job, MAX_JOBS=3")
    monkeypatch.setattr(compiling, "_free_memory", lambda: 1 << 20)
    assert compiling.allowed_jobs().limit == 1


def test_sources_of_the_two_libraries() -> None:
    kernels, runner = (
        {path.name for path in compiling.files_of(name)} for name in (compiling.KERNELS, compiling.RUNNER)
    )
    assert runner == {"program.cpp", "arrays.cpp", "arithmetic.cpp", "calls.cpp", "memory.cpp", "update.cpp"}
    assert not kernels & runner
    assert "convolution.cpp" in kernels
    assert kernels | runner == {path.name for path in compiling.sources() if path.suffix == ".cpp"}


def test_each_source_of_a_batch_has_a_namespace_of_its_own() -> None:
    """Names of sources that are compiled as one file would clash otherwise."""
    shared = {"arrays", "program"}  # they define what arrays.h declares, and the module
    for name in (compiling.KERNELS, compiling.RUNNER):
        for path in compiling.files_of(name):
            found = re.findall(r"^namespace (regluon\S*) \{", path.read_text(), re.MULTILINE)
            assert found == ["regluon" if path.stem in shared else f"regluon::{path.stem}"], path.name


def test_kernels_use_the_stable_interface_of_torch_alone() -> None:
    """Else their library would fit one version of torch only."""
    texts = {path.name: path.read_text() for path in compiling.sources()}
    waiting, seen = [path.name for path in compiling.files_of(compiling.KERNELS)], set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [line.split('"')[1] for line in texts[name].splitlines() if line.startswith('#include "')]
    lines = [line for name in seen for line in texts[name].splitlines() if line.startswith("#include <")]
    of_torch = {line for line in lines if "torch" in line or "ATen" in line or "c10" in line}
    assert of_torch
    assert all("<torch/csrc/stable/" in line or "<torch/headeronly/" in line for line in of_torch)
