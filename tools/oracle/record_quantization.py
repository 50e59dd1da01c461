"""Records what quantization makes of networks, with a real MXNet 1.9.1.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_quantization            # writes tests/fixtures/quantization/
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

# MXNet joins nodes when it binds a graph; calibration would then find most results by other names, and leave them out.
os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"

from mxnet.contrib import quantization
from tools.oracle.quantization_programs import calls, histograms, predictions, quantized, runs

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "quantization"


def write(name: str, value: Any) -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / f"{name}.json").write_text(json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n")


def main() -> None:
    quantization.stats = quantization.stats or quantization  # MXNet asks for SciPy here, but has no use for it
    write("graphs", {key: quantized(name, **options) for key, (name, options) in calls().items()})
    write("predictions", {name: predictions(name, **options) for name, options in runs().items()})
    write("histograms", histograms())


if __name__ == "__main__":
    main()
