"""Adds typed stubs to a wheel, and compiled kernels where there is a compiler; all else is in pyproject.toml.

    python -m build --wheel                        a platform wheel, where there is a supported C++ compiler
    REGLUON_PURE=1 python -m build --wheel         a pure wheel; so it is where there is no compiler

The platform wheel has the kernels once for each instruction set, for every torch from 2.10 on, and the runner for the
torch and the Python that it is built with. An editable installation has none: `python -m regluon.native` builds them.
"""

import importlib
import os
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent / "tools" / "packaging"))

from typed_stubs import StubsInWheel

_NATIVE = Path(__file__).parent / "src" / "regluon" / "native"


def _builder(name: str) -> Any:
    """A module of regluon.native that needs nothing else of the package, which cannot be imported while it is built."""
    if "native_build" not in sys.modules:
        package = types.ModuleType("native_build")
        package.__path__ = [str(_NATIVE)]
        sys.modules["native_build"] = package
    return importlib.import_module(f"native_build.{name}")


def _find_compiler() -> Any:
    """The compiler to make a platform wheel with; None for a pure one."""
    if os.environ.get("REGLUON_PURE") == "1":
        return None
    try:
        compilers, compiling = _builder("compilers"), _builder("compiling")
    except ImportError as error:
        print(f"regluon: a pure wheel is made: {error}")
        return None
    try:
        found = compilers.find_compiler()
        missing = compiling.missing_headers()
    except compilers.BuildError as error:
        print(f"regluon: a pure wheel is made: {error}")
        return None
    if missing:
        print(f"regluon: a pure wheel is made: the compiler needs {missing}")
        return None
    return found


class PlatformDistribution(Distribution):
    """A distribution with compiled kernels if they can be compiled."""

    _compiler: Any = ...

    @property
    def compiler(self) -> Any:
        """The compiler for the kernels, or None."""
        if self._compiler is ...:
            self._compiler = _find_compiler()
        return self._compiler

    def has_ext_modules(self) -> bool:
        """What makes the wheel a platform wheel."""
        is_editable = any(name in sys.argv for name in ("editable_wheel", "develop"))
        return not is_editable and self.compiler is not None


class BuildWithKernels(StubsInWheel, build_py):
    """Copies the Python files, writes their stubs, and compiles the kernels beside them."""

    def run(self) -> None:
        """Runs the command."""
        super().run()
        if not self.editable_mode and self.distribution.has_ext_modules():
            self._compile(Path(self.build_lib, "regluon", "native", "compiled"))

    def _compile(self, target: Path) -> None:
        compiling, levels, sealing = _builder("compiling"), _builder("levels"), _builder("sealing")
        torch = importlib.import_module("torch")
        target.mkdir(parents=True, exist_ok=True)
        release, compiler, jobs = (
            torch.__version__.partition("+")[0],
            self.distribution.compiler,
            compiling.allowed_jobs(),
        )
        runner = f"{compiling.RUNNER}.torch{release}.{sys.implementation.cache_tag}.so"
        units = [
            *(
                compiling.Unit(target / f"{compiling.KERNELS}.{each}.so", compiling.KERNELS, each)
                for each in levels.buildable()
            ),
            compiling.Unit(target / runner, compiling.RUNNER, levels.buildable()[0]),
        ]
        print(f"regluon: compiling {', '.join(unit.output.name for unit in units)}")
        print(f"regluon: {compiler}, {jobs.limit} jobs ({jobs.reason})", flush=True)
        with tempfile.TemporaryDirectory() as objects:
            report = lambda line: print(line, flush=True)  # noqa: E731
            compiling.build_libraries(units, compiler, jobs.limit, Path(objects), report)
        facts = {"compiler": str(compiler), "sources": compiling.source_digest(), "torch": torch.__version__}
        for unit in units:
            sealing.seal_of(unit.output).write_bytes(sealing.content_of_seal(unit.output, **facts))


setup(distclass=PlatformDistribution, cmdclass={"build_py": BuildWithKernels})
