"""Records what `print_summary` prints and `plot_network` draws, with a real MXNet 1.9.1.

Run from the repository's root, in the environment of the real MXNet with the package `graphviz`:

    python -m tools.oracle.record_visualization             # writes tests/fixtures/visualization/
"""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from tools.oracle.visualization_networks import NETWORKS, PICTURES

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "visualization"


def summary(name: str, **options: Any) -> str:
    symbol, shape = NETWORKS[name]()
    printed = io.StringIO()
    with mx.name.NameManager(), contextlib.redirect_stdout(printed):
        mx.viz.print_summary(symbol, shape, **options)
    return printed.getvalue()


def picture(name: str, options: dict[str, Any]) -> str:
    with mx.name.NameManager():
        symbol, shape = NETWORKS[name]()
    kinds = {key: getattr(np, kind) for key, kind in options.get("dtype", {}).items()}
    return mx.viz.plot_network(symbol, shape=shape, **{**options, **({"dtype": kinds} if kinds else {})}).source


def main() -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    summaries = {name: summary(name) for name in NETWORKS}
    summaries["narrow"] = summary("lenet", line_length=80, positions=[30, 50, 60, 80])
    pictures = {name: picture(*how) for name, how in PICTURES.items()}
    for name, recorded in (("summaries", summaries), ("pictures", pictures)):
        (FIXTURES / f"{name}.json").write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
