"""Typed stubs in wheels: a part of setuptools' `build_py`, for setup.py to put before it.

    class Build(StubsInWheel, build_py): ...

The stubs are made from the operator registry, so the package has to run where the wheel is built. Where it does not,
the wheel has those of the source folder, if `make stubs` wrote any, and one line says so.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NEEDED = ("torch", "numpy", "safetensors")


class StubsInWheel:
    """Writes the stubs beside the modules that `build_py` has copied."""

    editable_mode: bool
    build_lib: str

    def run(self) -> None:
        """Runs the command."""
        super().run()  # type: ignore[misc]
        if not self.editable_mode:
            write_stubs(Path(self.build_lib, "regluon"))


def write_stubs(package: Path) -> bool:
    """Writes the stubs into a copy of the package; returns False if the package cannot run here."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"regluon: no typed stubs are made: the build environment lacks {', '.join(missing)}")
        return False
    if not (ROOT / "tools" / "stubs.py").exists():
        print("regluon: no typed stubs are made: this source folder has no tools/stubs.py")
        return False
    # pip's isolated builds find what they installed through the variable, so it is extended.
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, str(ROOT / "tools" / "stubs.py"), "--package", str(package)]
    subprocess.run(command, env=environment, check=True)
    return True
