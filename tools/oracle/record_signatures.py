"""Records the names of the arguments of the functions of `mx.np` and `mx.npx`.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_signatures`.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures"
_MODULES = ("mxnet.np", "mxnet.np.linalg", "mxnet.np.random", "mxnet.npx", "mxnet.npx.random")
_MARKS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def _arguments(function: Any) -> list[str] | None:
    """Names in order, `*` and `**` as they are written; None for what is no function, or has no signature."""
    if inspect.isclass(function) or not callable(function):
        return None
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # written in C
        return None
    return [_MARKS.get(each.kind, "") + each.name for each in parameters]


def main() -> None:
    """Writes one line a function."""
    import mxnet  # the real one

    names = json.loads((FIXTURES / "api" / "surface.json").read_text(encoding="utf-8"))["modules"]
    blocks = []
    for path in _MODULES:
        owner: Any = mxnet
        for part in path.split(".")[1:]:
            owner = getattr(owner, part)
        found = {name: _arguments(getattr(owner, name)) for name in sorted(names[path])}
        lines = [f"  {json.dumps(name)}: {json.dumps(known)}" for name, known in found.items() if known is not None]
        blocks.append(f" {json.dumps(path)}: {{\n" + ",\n".join(lines) + "\n }")
    (FIXTURES / "numpy").mkdir(parents=True, exist_ok=True)
    (FIXTURES / "numpy" / "signatures.json").write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
