"""MXNet's public names exist at their public places; what is missing is missing on purpose.

`fixtures/api/surface.json` was read off a real MXNet 1.9.1, for the modules and classes that this version offers.
"""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import mxnet

FIXTURES = Path(__file__).parent / "fixtures" / "api"
SURFACE = json.loads((FIXTURES / "surface.json").read_text())
MODULES = json.loads((FIXTURES / "modules.json").read_text())

# Public names and modules that MXNet 1.9.1 lacks; docs/DIFFERENCES.md lists them.
OWN_NAMES = {"num_gpus"}
OWN_MODULES = {"mxnet.contrib.hvd", "mxnet.launch", "mxnet.tools", "mxnet.tools.im2rec", "mxnet.tools.rec2idx"}

# What belongs to parts that come next.
LATER = {
    "mxnet.ndarray.ndarray.NDArray": set(),
}


def _resolve(path: str):
    owner, rest = mxnet, path.split(".")[1:]
    for position, name in enumerate(rest):
        if not hasattr(owner, name):
            return importlib.import_module(".".join(["mxnet", *rest[: position + 1]]))
        owner = getattr(owner, name)
    return owner


@pytest.mark.parametrize("path", [*SURFACE["modules"], *SURFACE["classes"]])
def test_names_exist(path: str):
    owner = _resolve(path)
    names = {**SURFACE["modules"], **SURFACE["classes"]}[path]
    missing = {name for name in names if not hasattr(owner, name)}
    assert missing == LATER.get(path, set())


def test_the_root_has_the_names_of_mxnet_only():
    program = "import mxnet; print(*(name for name in dir(mxnet) if not name.startswith('_')))"
    names = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert set(names) - set(MODULES["root"]) == OWN_NAMES


def test_modules_that_mxnet_lacks_are_private():
    folder = Path(mxnet.__file__).parent
    files = (path.relative_to(folder.parent).with_suffix("") for path in folder.rglob("*.py"))
    modules = {".".join(file.parts).removesuffix(".__init__") for file in files}
    public = {name for name in modules if not any(part.startswith("_") for part in name.split("."))}
    own = {name for name in public - set(MODULES["modules"]) if not name.startswith("mxnet.contrib.hvd.")}
    assert own == OWN_MODULES


@pytest.mark.parametrize("module", sorted(set(MODULES["classes"]) & set(SURFACE["modules"])))
def test_classes_have_the_module_of_mxnet(module):
    """Pickles, error texts and printed types show it."""
    names = [name for name in MODULES["classes"][module] if name in SURFACE["modules"][module]]
    found = {name: getattr(_resolve(module), name) for name in names}
    assert {name: value.__module__ for name, value in found.items() if value.__module__ != module} == {}
