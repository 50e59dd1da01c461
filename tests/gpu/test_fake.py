"""Runs the tests of this folder on fake GPUs, in processes that load them before torch."""

import pytest
import torch

from tests.gpu.building import PROGRAMS, compiler, library, run
from tests.ops.base import FIXTURES

_FAMILIES = sorted(path.stem for path in FIXTURES.glob("*.json"))
_PARTS = 4  # so that several workers can share them


@pytest.fixture(scope="module", autouse=True)
def _guard() -> None:
    if compiler() is None:
        pytest.skip("autograd over fake CUDA tensors needs a device guard in C++, and there is no C++ compiler")
    if torch.version.cuda is not None:
        pytest.skip("this build of torch has CUDA's own device guard; fake GPUs need a build for CPUs")
    library()


def _expect_passed(request: pytest.FixtureRequest, *arguments: str) -> None:
    finished = run([*arguments, *(["--exhaustive"] if request.config.option.exhaustive else [])])
    assert finished.returncode == 0, (
        f"pytest {' '.join(arguments)}\n{finished.stdout[-8000:]}\n{finished.stderr[-2000:]}"
    )
    assert " passed" in finished.stdout, finished.stdout


@pytest.mark.parametrize("part", range(_PARTS))
def test_operators(request: pytest.FixtureRequest, part: int) -> None:
    chosen = " or ".join(f"[{family}-" for family in _FAMILIES[part::_PARTS])
    _expect_passed(request, "tests/gpu/test_operators.py", "-k", f"test_on_a_gpu and ({chosen})")


def test_declarations(request: pytest.FixtureRequest) -> None:
    _expect_passed(request, "tests/gpu/test_operators.py", "-k", "test_declared")


def test_programs(request: pytest.FixtureRequest) -> None:
    _expect_passed(request, *(f"tests/gpu/test_{name}.py" for name in PROGRAMS))
