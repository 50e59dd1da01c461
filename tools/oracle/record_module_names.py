"""Record module paths, root names and the modules of public classes of MXNet: fixtures/api/modules.json."""

import importlib
import json
import pkgutil
import sys
import warnings
from pathlib import Path

import mxnet

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "api"


def record() -> dict[str, object]:
    """Return the fixture's content."""
    warnings.simplefilter("ignore")
    found = {"mxnet"}
    for module in pkgutil.walk_packages(mxnet.__path__, "mxnet.", onerror=lambda name: None):
        found.add(module.name)
        try:
            importlib.import_module(module.name)
        except BaseException:  # modules that need packages which are not installed
            continue
    classes = {}
    for path in sorted(found & set(sys.modules)):
        names = [
            name
            for name, value in vars(sys.modules[path]).items()
            if isinstance(value, type) and value.__module__ == path and not name.startswith("_")
        ]
        if names and not path.rpartition(".")[2].startswith("_"):
            classes[path] = sorted(names)
    root = sorted(name for name in dir(mxnet) if not name.startswith("_"))
    return {"modules": sorted(found), "root": root, "classes": classes}


if __name__ == "__main__":
    (FIXTURES / "modules.json").write_text(json.dumps(record(), indent=1) + "\n", encoding="utf-8")
