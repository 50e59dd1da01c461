"""Records what automatic mixed precision makes of networks and trainers, with a real MXNet 1.9.1.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_amp                     # writes tests/fixtures/amp/
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from mxnet.contrib import amp
from tools.oracle.amp_programs import (
    NETWORKS,
    composed,
    conversions,
    converted,
    scaler_history,
    training_history,
)

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "amp"
LISTS = (
    *("list_lp16_ops", "list_fp32_ops", "list_lp16_fp32_ops", "list_conditional_fp32_ops", "list_widest_type_cast"),
    *("list_loss_output_functions", "list_lp16_use_fp32_params"),
)


def digest(value: Any) -> str:
    """A number for a long list."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def lists() -> dict[str, dict[str, str]]:
    dtypes = {"float16": "float16", "bfloat16": amp.amp.bfloat16}
    return {name: {key: digest(getattr(amp, name)(dtype)) for key, dtype in dtypes.items()} for name in LISTS}


def after_init(dtype: str) -> dict[str, Any]:
    """What networks are made of once `amp.init` was called, which cannot be taken back."""
    amp.init(dtype)
    recorded: dict[str, Any] = {"composed": {name: composed(name) for name in NETWORKS}}
    if dtype == "float16":
        recorded["training"] = training_history()
    return recorded


def in_own_process(dtype: str) -> Any:
    command = [sys.executable, "-m", "tools.oracle.record_amp", dtype]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(printed)


def write(name: str, value: Any) -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / f"{name}.json").write_text(json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n")


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(after_init(sys.argv[1])))
        return
    write("conversions", {name: converted(*given) for name, given in conversions().items()})
    write("lists", lists())
    write("scaler", scaler_history())
    for dtype in ("float16", "bfloat16"):
        write(f"after_init_{dtype}", in_own_process(dtype))


if __name__ == "__main__":
    main()
